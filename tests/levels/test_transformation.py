"""The function that a fit has found, and its picture."""

import numpy as np
import pytest

from unimds import MDS, Interval, Ordinal
from unimds.levels import Transformation

GIVEN, FOUND = np.array([1.0, 2.0, 4.0]), np.array([0.5, 3.0, 3.0])


ORDINAL = Ordinal()


def a_function(level=ORDINAL):
    return Transformation(level, GIVEN, FOUND)


def test_known_dissimilarities_are_met_and_others_lie_between():
    assert a_function()(GIVEN).tolist() == FOUND.tolist()
    assert a_function()([1.5, 3.0]).tolist() == [1.75, 3.0]


def test_beyond_the_known_ones_it_is_constant():
    assert a_function()([0.2, 9.0, np.inf]).tolist() == [0.5, 3.0, 3.0]


def test_zero_stays_zero_unless_it_was_given():
    assert a_function()(0.0) == 0.0
    told = Transformation(Ordinal(), np.array([0.0, 1.0]), np.array([0.7, 2.0]))
    assert told([0.0, 0.5]).tolist() == [0.7, 1.35]


def test_missing_dissimilarities_stay_missing():
    found = a_function()([[1.0, np.nan], [np.nan, 2.0]])
    assert np.array_equal(found, [[0.5, np.nan], [np.nan, 3.0]], equal_nan=True)


@pytest.mark.parametrize(
    ("d", "share"),
    [
        ([1.0, 4.0], 0.0),
        ([0.5, 2.0, 3.0, 5.0], 0.5),
        ([0.0, np.nan, 2.0], 0.0),  # neither zero nor missing is beyond
        ([0.0, np.nan, 5.0], 1.0),
        ([np.nan], 0.0),
        ([], 0.0),
    ],
)
def test_the_share_beyond(d, share):
    assert a_function().beyond(d) == share


def test_it_says_what_it_is():
    words = "Transformation(Interval(), 1 to 4 becomes 0.5 to 3)"
    assert repr(a_function(Interval())) == words


@pytest.mark.parametrize(("level", "drawn"), [(Ordinal(), "steps-mid"), (Interval(), "default")])
def test_it_can_be_drawn(level, drawn):
    (line,) = a_function(level).plot().lines
    assert line.get_drawstyle() == drawn
    assert line.get_xdata().tolist() == GIVEN.tolist()
    assert line.get_ydata().tolist() == FOUND.tolist()


def test_it_can_be_drawn_into_axes_in_a_style():
    axes = a_function().plot()
    assert a_function().plot(axes, color="k") is axes
    assert axes.lines[1].get_color() == "k"


def test_rows_have_transformations_of_their_own():
    ranks = np.array(
        [[0, 1, 2, 4, 3], [2, 0, 1, 3, 4], [3, 1, 0, 2, 4], [4, 3, 2, 0, 1], [4, 3, 2, 1, 0]]
    )
    D = ranks + np.random.default_rng(0).random((5, 5)) * (1 - np.eye(5))
    D[4] = np.nan
    D[4, 4] = 0.0
    W = np.ones((5, 5))
    W[1] = 0.0  # a row that knows nothing, but for the other direction
    mds = MDS(1, level="interval", conditional="row", metric="precomputed", n_init=1)
    mds.fit(D, weights=W)
    found = mds.transformation_
    assert found[1] is None
    for i in (0, 2, 3):
        others = [j for j in range(5) if j != i and not np.isnan(mds.disparities_[i, j])]
        assert np.allclose(found[i](D[i, others]), mds.disparities_[i, others])
    line = found[0]
    slopes = np.diff(line.disparities) / np.diff(line.given)
    assert np.allclose(slopes, slopes[0])
    double = found.times(2.0)
    assert np.allclose(double[0].disparities, 2.0 * line.disparities)
    assert double[1] is None


def test_one_transformation_has_no_rows():
    with pytest.raises(TypeError, match="one transformation for the whole table"):
        a_function()[0]
