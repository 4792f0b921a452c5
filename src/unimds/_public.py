"""The names that ``from unimds import …`` provides."""

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
