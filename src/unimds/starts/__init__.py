"""Where to begin: initial configurations, the race between them, the size of a space, checkpoints.

May import: `placecenter` and what is below it. A start calls the descent, never the reverse.
"""
