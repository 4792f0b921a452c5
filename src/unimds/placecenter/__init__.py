"""The paper's algorithm: the problem, its descent, annealing, the result, new and fixed points.

Begin with `descent`. May import: `distances`, `losses`, `spaces`, `kernels` and what is below them.
"""
