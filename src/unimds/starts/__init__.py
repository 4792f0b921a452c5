"""Where to begin: initial configurations, the race between them, the size of a space, checkpoints.

Begin with `race`. `seeds` has single configurations; `seriation` and `hopping` look for the lowest
map of few points. May import: `placecenter` and what is below it. A start calls the descent, never
the reverse.
"""
