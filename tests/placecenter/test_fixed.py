"""A bad anchor gets an error that names the object, the need and the remedy."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.support.tables import FRAME, D, N
from unimds import MDS


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({0: [1.0, 2.0, 3.0]}, r"fixed\[0\] must have 2 coordinates; its shape is \(3,\)"),
        ({0: 1.0}, r"fixed\[0\] must have 2 coordinates; its shape is \(\)"),
        ({2: [1.0, np.nan]}, "fixed: row 2 is only partly known; give all coordinates or none"),
        ({2: [1.0, np.inf]}, "fixed: row 2 is infinite"),
        ({6: [0.0, 0.0]}, r"fixed: 6 is not the number of a point \(0 to 5\)"),
        ({"zz": [0.0, 0.0]}, r"fixed: 'zz' is not the number of a point \(0 to 5\)"),
        ({0: ["a", "b"]}, r"fixed\[0\] must hold numbers only"),
        (
            np.ones((5, 2)),
            r"one row of 2 coordinates for each of the 6 points, with NaN .* \(5, 2\)",
        ),
        (
            np.ones((N, 3)),
            r"one row of 2 coordinates for each of the 6 points, with NaN .* \(6, 3\)",
        ),
        ([0, 1], r"one row of 2 coordinates for each of the 6 points"),
        ("abc", "fixed must hold numbers only"),
        (
            np.where(np.eye(N, 2), 1.0, np.nan),
            "fixed: row 0 is only partly known; give all coordinates or none",
        ),
    ],
    ids=[
        "width",
        "number",
        "partly NaN",
        "infinite",
        "index",
        "label",
        "words",
        "height of an array",
        "width of an array",
        "list of points",
        "text",
        "array partly NaN",
    ],
)
def test_bad_anchors(embed, fixed, message):
    with pytest.raises(ValueError, match=message):
        embed(D, fixed=fixed)


@pytest.mark.parametrize(
    ("space", "point", "message"),
    [
        ("sphere", [1.0, 1.0, 1.0], "fixed: row 3 has length 1.73.*unit length"),
        ("simplex", [0.6, -0.8, 0.0], "fixed: row 3 has a negative entry"),
        ("hyperbolic", [0.0, 0.3, 0.3], "fixed: row 3 has t² − ‖x‖²"),
    ],
    ids=["sphere", "simplex", "hyperbolic"],
)
def test_anchors_off_the_space(embed, space, point, message):
    with pytest.raises(ValueError, match=message):
        embed(D, space=space, fixed={3: point})


def test_anchors_by_label():
    with pytest.raises(ValueError, match="fixed: 'zz' is not among the labels of the table"):
        MDS(metric="precomputed").fit(FRAME, fixed={"zz": [0.0, 0.0]})
    found = MDS(metric="precomputed", random_state=0).fit(FRAME, fixed={"c": [5.0, 7.0]})
    assert_array_equal(found.embedding_[2], [5.0, 7.0])


def test_points_without_distance_are_not_said_to_be_in_one_place_if_fixed_ones_lie_apart(embed):
    told = "all distances are zero: points that may move are drawn to each other and to the fixed"
    with pytest.warns(UserWarning, match=told):
        embed(np.zeros((4, 4)), fixed={0: [0.0, 0.0], 1: [5.0, 0.0]})
