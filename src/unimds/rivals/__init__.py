"""The paper's rivals, and one that is newer: each returns the `Result` that `place_center` returns.

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
=============================== ============================================== =================

Every function takes a `loss`: what the cost in its result is measured by, and by which the best of
the configurations it came by is chosen. It does not change what the method minimises.
"""

from unimds.rivals.classical import classical_mds
from unimds.rivals.elad import multiresolution
from unimds.rivals.ree import robust_euclidean_embedding
from unimds.rivals.renormalised import renormalised
from unimds.rivals.sgd import sgd
from unimds.rivals.smacof import smacof
from unimds.rivals.smacof_q import smacof_q

__all__ = [
    "classical_mds",
    "multiresolution",
    "renormalised",
    "robust_euclidean_embedding",
    "sgd",
    "smacof",
    "smacof_q",
]
