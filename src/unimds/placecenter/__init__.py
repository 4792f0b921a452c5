"""The paper's algorithm: the problem, its descent, annealing, the result, new and fixed points.

Begin with `descent`, whose `driver` is the algorithm; `majorization` has its arithmetic on whole
arrays. May import: `distances`, `levels`, `losses`, `spaces`, `kernels` and what is below them.
"""
