"""How far to trust a map: whether there is structure at all, and where else points could be.

`permutation_test` and `random_stress_norms` ask for structure; `jackknife`, `bootstrap` and
`perturbation` for the stability of a map, and `deciding_pairs` for the pairs that it rests on. They
fit maps again and again, so the room stands above `estimators`, not in `quality`, which only looks
at finished maps. It may import `estimators`, `interpret` and below.
"""

from unimds.trust.influence import deciding_pairs
from unimds.trust.norms import StressNorms, random_stress_norms
from unimds.trust.resampling import bootstrap, jackknife, perturbation
from unimds.trust.stability import ConfidenceRegions, DecidingPair, Stability
from unimds.trust.structure import PermutationTest, permutation_test

__all__ = [
    "ConfidenceRegions",
    "DecidingPair",
    "PermutationTest",
    "Stability",
    "StressNorms",
    "bootstrap",
    "deciding_pairs",
    "jackknife",
    "permutation_test",
    "perturbation",
    "random_stress_norms",
]
