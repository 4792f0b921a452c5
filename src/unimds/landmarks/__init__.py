"""Very many points: landmarks are fitted, all points are placed against them, then refined.

May import: `estimators` and what is below them.
"""

from unimds.landmarks.estimator import LandmarkMDS

__all__ = ["LandmarkMDS"]
