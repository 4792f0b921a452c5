"""Pictures of maps at a level of measurement: the transformation, alone and behind its pairs."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.spatial.distance import cdist

from unimds import MDS, Ordinal
from unimds.plots import plot_shepard, plot_transformation
from unimds.plots.fit import share_told
from unimds.plots.transformation import curves_of, thinned
from unimds.quality import linear_r2, monotone_r2, shepard


def fitted(level, *, ties=False, **how):
    X = np.random.default_rng(0).normal(size=(14, 4))
    D = cdist(X, X) ** 2
    D = np.ceil(D / D.max() * 5.0) if ties else D
    return MDS(level=level, metric="precomputed", n_init=1, random_state=0, **how).fit(D)


def new():
    return Figure(figsize=(6, 5)).add_axes((0.1, 0.1, 0.7, 0.8))


def legend_of(ax):
    return " ".join(text.get_text() for text in ax.get_legend().get_texts())


@pytest.mark.parametrize(
    ("level", "style", "fit"),
    [("ordinal", "steps-mid", "non-metric fit"), ("spline", "default", "fit (1 − S²)")],
)
def test_a_shepard_diagram_shows_the_transformation(level, style, fit):
    mds = fitted(level)
    ax = plot_shepard(mds, ax=new())
    pairs = shepard(mds)
    assert np.allclose(ax.collections[0].get_offsets(), np.column_stack(pairs[:2]))
    assert ax.get_xlabel() == "given dissimilarity"
    (line,) = ax.get_lines()
    assert line.get_drawstyle() == style
    d, r = line.get_data()
    assert np.allclose(mds.transformation_(d), r)
    assert (d[0], d[-1]) == (pairs.given[0], pairs.given[-1])
    said = legend_of(ax)
    assert f"{fit}, R² = {monotone_r2(mds):.3g}" in said
    assert f"linear fit, R² = {linear_r2(mds):.3g}" in said
    strip = ax.child_axes[0]  # mapped distance minus disparity
    gap = pairs.mapped - pairs.disparities
    assert strip.patches[0].get_y() == pytest.approx(gap.min())


def test_the_diagram_of_a_ratio_map_keeps_its_diagonal():
    ax = plot_shepard(fitted("ratio"), ax=new())
    (line,) = ax.get_lines()
    assert np.array_equal(*line.get_data())
    assert ax.get_legend() is None
    assert ax.get_xlabel() == "given distance"


def test_a_table_beside_a_map_is_drawn_with_the_transformation_of_the_map():
    mds = fitted("ordinal")
    own, beside = (
        plot_shepard(*run, ax=new()) for run in ((mds,), (mds.dissimilarity_matrix_, mds.result_))
    )
    for a, b in zip(own.get_lines(), beside.get_lines(), strict=True):
        assert np.array_equal(a.get_data(), b.get_data())


def test_ties_that_may_differ_are_vertical_lines():
    curve = curves_of(fitted("ordinal", ties=True))[0]
    kept = curves_of(fitted(Ordinal(ties="secondary"), ties=True))[0]
    assert np.unique(curve[0]).size == kept[0].size == 5
    assert curve[0].size > 5
    assert (np.diff(curve[1]) >= 0.0).all()


def test_every_row_has_its_curve():
    mds = fitted("ordinal", conditional="row")
    assert len(plot_shepard(mds, ax=new()).get_lines()) == 14
    ax = plot_transformation(mds, ax=new())
    assert len(ax.get_lines()) == 14 + 1  # and the dashed one
    assert len(ax.get_legend().get_texts()) == 2


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_a_transformation_is_drawn_alone(level):
    mds = fitted(level)
    for run in (mds, mds.result_, mds.transformation_):
        ax = plot_transformation(run, ax=new(), title="It")
        even, curve = ax.get_lines()[:2]
        assert even.get_linestyle() == "--"
        assert curve.get_ydata()[-1] == pytest.approx(mds.transformation_.disparities[-1])
        assert level in legend_of(ax)
        assert (ax.get_ylabel(), ax.get_title()) == ("disparity", "It")


def test_a_ratio_map_has_no_transformation():
    with pytest.raises(TypeError, match=r'MDS has no transformation .* MDS\(level="ordinal"\)'):
        plot_transformation(fitted("ratio"))


def test_a_thinned_curve_looks_the_same():
    d = np.sort(np.random.default_rng(0).uniform(size=3000))
    steps = np.floor(8.0 * d)
    few = thinned((d, steps), in_steps=True)
    assert few[0].size == 16
    between = 0.5 * (d[1:] + d[:-1])
    at = np.searchsorted(0.5 * (few[0][1:] + few[0][:-1]), between)
    want = np.searchsorted(0.5 * (d[1:] + d[:-1]), between)
    assert np.array_equal(few[1][at], steps[want])
    smooth = thinned((d, np.sqrt(d)), in_steps=False)
    assert smooth[0].size <= 400
    assert np.abs(np.interp(d, *smooth) - np.sqrt(d)).max() < 0.02


@pytest.mark.parametrize(
    ("share", "said"), [(0.9224, "0.922"), (0.99999551, "0.999996"), (1.0, "1"), (-0.2, "-0.2")]
)
def test_a_share_of_nearly_one_is_not_told_as_one(share, said):
    assert share_told(share) == said
