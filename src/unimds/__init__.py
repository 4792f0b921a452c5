"""unimds: multidimensional scaling with any loss, into any space.

>>> from unimds import MDS
>>> MDS(2, random_state=0).fit_transform([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).shape
(3, 2)
"""

from typing import TYPE_CHECKING

from unimds._runtime.lazy import lazily

if TYPE_CHECKING:
    from unimds.compiled.parts import PartError
    from unimds.distributions.bounds import spherical_jl_min_dim
    from unimds.distributions.distortion import AngularDistortion, angular_distortion
    from unimds.distributions.embedding import DistributionEmbedding
    from unimds.distributions.hellinger import HellingerMap, hellinger_distances
    from unimds.distributions.projection import SphericalRandomProjection
    from unimds.estimators.mds import MDS
    from unimds.estimators.place_center import place_center
    from unimds.landmarks.estimator import LandmarkMDS
    from unimds.losses import Absolute, Huber, Loss, Power, Squared, SquaredDistance
    from unimds.placecenter.new_points import place_points
    from unimds.placecenter.result import Outcome, Result
    from unimds.spaces import ChordalSphere, Euclidean, Hyperbolic, Simplex, Space, Sphere

__version__ = "0.2.0"

__all__ = [
    "MDS",
    "Absolute",
    "AngularDistortion",
    "ChordalSphere",
    "DistributionEmbedding",
    "Euclidean",
    "HellingerMap",
    "Huber",
    "Hyperbolic",
    "LandmarkMDS",
    "Loss",
    "Outcome",
    "PartError",
    "Power",
    "Result",
    "Simplex",
    "Space",
    "Sphere",
    "SphericalRandomProjection",
    "Squared",
    "SquaredDistance",
    "angular_distortion",
    "hellinger_distances",
    "place_center",
    "place_points",
    "spherical_jl_min_dim",
]

# numba and scikit-learn take a second to import: `unimds --help` need not wait for them.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "compiled.parts": ("PartError",),
        "distributions.bounds": ("spherical_jl_min_dim",),
        "distributions.distortion": ("AngularDistortion", "angular_distortion"),
        "distributions.embedding": ("DistributionEmbedding",),
        "distributions.hellinger": ("HellingerMap", "hellinger_distances"),
        "distributions.projection": ("SphericalRandomProjection",),
        "estimators.mds": ("MDS",),
        "landmarks.estimator": ("LandmarkMDS",),
        "losses": ("Absolute", "Huber", "Loss", "Power", "Squared", "SquaredDistance"),
        "estimators.place_center": ("place_center",),
        "placecenter.new_points": ("place_points",),
        "placecenter.result": ("Outcome", "Result"),
        "spaces": ("ChordalSphere", "Euclidean", "Hyperbolic", "Simplex", "Space", "Sphere"),
    },
)
