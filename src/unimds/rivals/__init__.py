"""Other methods of MDS, to compare with: each returns the `Result` that `place_center` returns.

=============================== ============================================== =================
function                        method                                         minimises
=============================== ============================================== =================
`classical_mds`                 Torgerson 1952: eigenvectors                   inner products
`smacof`                        de Leeuw 1977: Guttman transform               squared error
`robust_euclidean_embedding`    Cayton & Dasgupta 2006: projected subgradient  r²MDS, any rank
`smacof_q`                      de Leeuw & Mair 2009: a point at the centre    chordal, squared
`multiresolution`               Elad, Keller & Kimmel 2005: coarse to fine     geodesic, squared
`renormalised`                  Pless & Simon 2002: classical, normalised      inner products
`sgd`                           Zheng, Pawar & Goodman 2018: pair by pair      squared error
`lbfgs`                         Liu & Nocedal 1989: quasi-Newton, annealed     the given loss
=============================== ============================================== =================

Every function takes a `loss`, which measures the cost in its result and selects the best map that
the method found. Only `lbfgs` also minimises it; the other methods minimise a cost of their own.

The methods may import `estimators` and every room below it, but no other method: what they share is
in `base`.
"""

from unimds.rivals.classical import classical_mds
from unimds.rivals.coarse_to_fine import multiresolution
from unimds.rivals.majorisation import smacof, smacof_q
from unimds.rivals.normalisation import renormalised
from unimds.rivals.quasi_newton import lbfgs
from unimds.rivals.robust import robust_euclidean_embedding
from unimds.rivals.stochastic import sgd

__all__ = [
    "classical_mds",
    "lbfgs",
    "multiresolution",
    "renormalised",
    "robust_euclidean_embedding",
    "sgd",
    "smacof",
    "smacof_q",
]
