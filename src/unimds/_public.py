"""The names that ``from unimds import …`` provides."""

from unimds.compiled.parts import PartError as PartError
from unimds.distributions.bounds import spherical_jl_min_dim as spherical_jl_min_dim
from unimds.distributions.distortion import AngularDistortion as AngularDistortion
from unimds.distributions.distortion import angular_distortion as angular_distortion
from unimds.distributions.embedding import DistributionEmbedding as DistributionEmbedding
from unimds.distributions.hellinger import HellingerMap as HellingerMap
from unimds.distributions.hellinger import hellinger_distances as hellinger_distances
from unimds.distributions.projection import SphericalRandomProjection as SphericalRandomProjection
from unimds.estimators.mds import MDS as MDS
from unimds.estimators.place_center import place_center as place_center
from unimds.landmarks.estimator import LandmarkMDS as LandmarkMDS
from unimds.losses import Absolute as Absolute
from unimds.losses import Huber as Huber
from unimds.losses import Loss as Loss
from unimds.losses import Power as Power
from unimds.losses import Squared as Squared
from unimds.losses import SquaredDistance as SquaredDistance
from unimds.placecenter.new_points import place_points as place_points
from unimds.placecenter.result import Outcome as Outcome
from unimds.placecenter.result import Result as Result
from unimds.spaces import ChordalSphere as ChordalSphere
from unimds.spaces import Euclidean as Euclidean
from unimds.spaces import Hyperbolic as Hyperbolic
from unimds.spaces import Simplex as Simplex
from unimds.spaces import Space as Space
from unimds.spaces import Sphere as Sphere
