"""unimds: multidimensional scaling with any loss, into any space.

>>> from unimds import MDS
>>> MDS(2, random_state=0).fit_transform([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).shape
(3, 2)
"""

from typing import TYPE_CHECKING

from unimds._lazy import lazily

if TYPE_CHECKING:
    from unimds._part import PartError
    from unimds.distortion import AngularDistortion, angular_distortion
    from unimds.distributions import DistributionEmbedding
    from unimds.estimator import MDS
    from unimds.hellinger import HellingerMap, hellinger_distances
    from unimds.landmarks import LandmarkMDS
    from unimds.losses import Absolute, Huber, Loss, Power, Squared, SquaredDistance
    from unimds.placecenter import place_center
    from unimds.placing import place_points
    from unimds.projection import SphericalRandomProjection, spherical_jl_min_dim
    from unimds.result import Outcome, Result
    from unimds.spaces import ChordalSphere, Euclidean, Hyperbolic, Simplex, Space, Sphere

__version__ = "0.1.0"

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
        "_part": ("PartError",),
        "distortion": ("AngularDistortion", "angular_distortion"),
        "distributions": ("DistributionEmbedding",),
        "hellinger": ("HellingerMap", "hellinger_distances"),
        "estimator": ("MDS",),
        "landmarks": ("LandmarkMDS",),
        "losses": ("Absolute", "Huber", "Loss", "Power", "Squared", "SquaredDistance"),
        "placecenter": ("place_center",),
        "placing": ("place_points",),
        "projection": ("SphericalRandomProjection", "spherical_jl_min_dim"),
        "result": ("Outcome", "Result"),
        "spaces": ("ChordalSphere", "Euclidean", "Hyperbolic", "Simplex", "Space", "Sphere"),
    },
)
