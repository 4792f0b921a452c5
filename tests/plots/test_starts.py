"""The picture of where starts ended."""

import numpy as np
import pytest

from unimds import MDS, place_center
from unimds.plots import plot_starts


@pytest.fixture(scope="module")
def mds():
    D = np.triu(np.random.default_rng(3).uniform(0.3, 1.0, (12, 12)), 1)
    return MDS(metric="precomputed", random_state=0).fit(D + D.T)


def test_every_start_is_a_mark_and_the_lowest_are_told_apart(mds):
    ax = plot_starts(mds)
    lowest, *others = (line.get_ydata() for line in ax.get_lines())
    assert len(lowest) == mds.starts_.found
    drawn = np.concatenate([lowest, *others])
    assert drawn == pytest.approx(np.sort(mds.starts_.costs))
    assert (
        f"{mds.starts_.found} of {len(mds.starts_)} starts"
        in ax.get_legend().get_texts()[0].get_text()
    )


def test_a_result_and_its_starts_are_the_same_picture(mds):
    whole, part = (plot_starts(given).get_lines()[0] for given in (mds.result_, mds.starts_))
    assert np.array_equal(whole.get_ydata(), part.get_ydata())


def test_a_map_of_one_start_has_nothing_to_draw():
    result = place_center([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]], n_init=1)
    with pytest.raises(TypeError, match="Result has no starts to draw"):
        plot_starts(result)


def test_a_picture_without_starts_says_why():
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))) ** 1.5
    line = MDS(1, metric="precomputed", random_state=0).fit(D)
    assert line.starts_ is None
    for run in (line, line.result_):
        with pytest.raises(TypeError, match="all orders of the points on the line were compared"):
            plot_starts(run)
    few = MDS(metric="precomputed", n_init=3, random_state=0).fit(D)
    assert few.starts_ is None
    with pytest.raises(TypeError, match="n_init=3 keeps the best of its starts only"):
        plot_starts(few)
    assert "keeps the best of its starts only" in " ".join(MDS.__doc__.split())


def test_a_different_map_is_told_in_a_line(mds):
    told = repr(mds.starts_.different())
    assert told.startswith(f"[DifferentMap(12 points, cost={mds.starts_.embedding_costs[0]:.6g}")
    assert "array" not in told
