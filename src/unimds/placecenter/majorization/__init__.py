"""Majorization on whole arrays: parabolas above a loss, and the pulls and distances of all points.

`unimds.kernels` does the same point by point. Begin with `parabolas`; `pulls` adds up what moves
all points at once, and `apart` what targets adapt to. May import: `distances`, `losses`, `spaces`,
`kernels` and what is below them, and nothing else of `placecenter`.
"""
