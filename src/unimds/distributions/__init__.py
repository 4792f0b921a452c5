"""Distributions as points of a sphere: Hellinger's distance, maps, and random projections.

The room may import `estimators`, `quality`, and rooms below them. Within it, `unit_rows` and
`bounds` are at the bottom.
"""

from unimds.distributions.bounds import spherical_jl_min_dim
from unimds.distributions.distortion import AngularDistortion, angular_distortion
from unimds.distributions.embedding import DistributionEmbedding
from unimds.distributions.hellinger import HellingerMap, hellinger_distances
from unimds.distributions.projection import SphericalRandomProjection

__all__ = [
    "AngularDistortion",
    "DistributionEmbedding",
    "HellingerMap",
    "SphericalRandomProjection",
    "angular_distortion",
    "hellinger_distances",
    "spherical_jl_min_dim",
]
