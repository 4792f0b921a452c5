"""The descent: sweeps and steps that never raise the cost, for how long, and their record.

Begin with `driver`, the paper's algorithm on one screen. `plan` says for how long and by which
losses, `record` keeps what happened, `annealing` lowers the levels of smoothing, and `quasi_newton`
moves all points together. `lowering` is the same for what has more unknowns than points.
May import: `majorization`, the frame, the targets, the problem and the result of `placecenter`,
and what is below them.
"""
