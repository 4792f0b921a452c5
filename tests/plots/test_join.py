"""Values with labels of their own are matched with the points by label, never by place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn import manifold
from sklearn.exceptions import NotFittedError

from tests.support.maps import a_map
from unimds import MDS
from unimds.plots import plot_embedding, plot_point_stress, plot_shepard
from unimds.plots.axes import HUES
from unimds.quality import normalized_stress, point_stress, residuals, shepard, stress_1, total_cost
from unimds.report import report
from unimds.spaces import distances

NAMES = ["ant", "bee", "cat", "dog", "eel", "fox"]
X = np.random.default_rng(0).normal(size=(6, 3))
FRAME = pd.DataFrame(X, index=NAMES)
KIND = pd.Series(["insect", "insect", "mammal", "mammal", "fish", "mammal"], NAMES, name="kind")


@pytest.fixture(scope="module")
def mds() -> Any:
    return MDS(random_state=0).fit(FRAME)


def new() -> Any:
    return Figure(figsize=(6, 5)).add_axes((0.1, 0.1, 0.7, 0.8))


def groups(ax: Any) -> dict[str, np.ndarray]:
    """Return where the points of each category of a legend are drawn."""
    return {part.get_label(): np.asarray(part.get_offsets()) for part in ax.collections}


def shuffled(values: Any) -> Any:
    return values.iloc[[3, 0, 5, 1, 4, 2]]


def test_colours_are_joined_by_label(mds: Any) -> None:
    for given in (shuffled(KIND), pd.concat([KIND, pd.Series({"gnu": "mammal"})])):
        drawn = groups(plot_embedding(mds, color=given, ax=new()))
        for kind in set(KIND):
            np.testing.assert_allclose(drawn[kind], mds.embedding_[KIND.to_numpy() == kind])
    ax = plot_embedding(mds, color=shuffled(pd.Series(np.arange(6.0), NAMES)), ax=new())
    assert ax.collections[0].get_array().tolist() == [0, 1, 2, 3, 4, 5]


def test_labels_given_by_hand_join_too(mds: Any) -> None:
    drawn = groups(plot_embedding(mds.embedding_, NAMES, shuffled(KIND), ax=new()))
    np.testing.assert_allclose(drawn["fish"], mds.embedding_[4:5])
    frame = pd.DataFrame(mds.embedding_, index=NAMES)  # as with set_output(transform="pandas")
    drawn = groups(plot_embedding(frame, color=shuffled(KIND), ax=new()))
    np.testing.assert_allclose(drawn["fish"], mds.embedding_[4:5])
    long = shuffled(pd.Series([name.upper() for name in NAMES], NAMES))
    ax = plot_embedding(mds, long, shuffled(KIND), ax=new())
    at = {text.get_text(): text.xy for text in ax.texts}
    np.testing.assert_allclose(at["FOX"], mds.embedding_[5])


def test_what_is_missing_is_named(mds: Any) -> None:
    with pytest.raises(ValueError, match=r"color has no row for 'cat' and 2 more of the 6 points"):
        plot_embedding(mds, color=KIND[["ant", "bee", "fox"]], ax=new())
    with pytest.raises(ValueError, match="color has 2 rows for 'ant'"):
        plot_embedding(mds, color=pd.concat([shuffled(KIND), KIND[["ant"]]]), ax=new())
    foreign = KIND.set_axis([name.upper() for name in NAMES])
    with pytest.warns(UserWarning, match=r"labels of color, such as 'ANT', are not .* 'ant'"):
        drawn = groups(plot_embedding(mds, color=foreign, ax=new()))
    np.testing.assert_allclose(drawn["fish"], mds.embedding_[4:5])


def test_rows_without_names_go_by_their_place(mds: Any) -> None:
    plain = MDS(random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for map_, given in (
            (mds, KIND.reset_index(drop=True)),
            (plain, shuffled(KIND).set_axis([9, 8, 7, 6, 5, 4])),
            (plain, KIND.tolist()),
        ):
            drawn = groups(plot_embedding(map_, color=given, ax=new()))
            values = np.asarray(given)
            np.testing.assert_allclose(drawn["fish"], map_.embedding_[values == "fish"])
        # a part of a larger frame: both columns have the numbers of its rows
        part = pd.DataFrame({"name": NAMES, "kind": KIND.tolist()}, index=[7, 3, 1, 9, 2, 5])
        drawn = groups(plot_embedding(plain, part["name"], part["kind"], ax=new()))
        np.testing.assert_allclose(drawn["fish"], plain.embedding_[4:5])


def test_labels_without_labels_to_match_are_warned_of() -> None:
    plain, counted = MDS(random_state=0).fit(X), MDS(random_state=0).fit(pd.DataFrame(X))
    for map_ in (plain, counted, plain.embedding_):
        said = r"color has labels, such as 'dog', and the map has none"
        with pytest.warns(UserWarning, match=said):
            plot_embedding(map_, color=shuffled(KIND), ax=new())
    with pytest.warns(UserWarning, match=r"columns has labels, such as 'ant', and the map"):
        report(plain, columns=KIND.to_frame())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_embedding(plain, color=shuffled(KIND).to_numpy(), ax=new())
        stress_1(pd.DataFrame(distances(X), NAMES, NAMES), plain.embedding_)


def test_numbers_of_rows_are_labels_where_they_tell_something() -> None:
    order = [4, 0, 3, 5, 1, 2]
    mds = MDS(random_state=0).fit(pd.DataFrame(X).iloc[order])
    ax = plot_embedding(mds, color=pd.Series(np.arange(6.0)), ax=new())
    assert ax.collections[0].get_array().tolist() == order


def test_small_maps_have_the_names_of_their_points(mds: Any) -> None:
    assert {text.get_text() for text in plot_embedding(mds, ax=new()).texts} == set(NAMES)
    assert not plot_embedding(mds, False, ax=new()).texts
    assert not plot_embedding(MDS(random_state=0).fit(pd.DataFrame(X)), ax=new()).texts
    many = MDS(random_state=0, max_iter=500).fit(
        pd.DataFrame(np.random.default_rng(1).normal(size=(151, 2)), [f"p{i}" for i in range(151)])
    )
    assert not plot_embedding(many, ax=new()).texts
    bars = plot_point_stress(distances(X), mds, ax=new()).get_yticklabels()
    assert {text.get_text() for text in bars} == set(NAMES)


def test_a_legend_is_called_like_its_column(mds: Any) -> None:
    assert plot_embedding(mds, color=KIND, ax=new()).get_legend().get_title().get_text() == "kind"
    ax = plot_embedding(mds, color=pd.Series(np.arange(6.0), NAMES, name="size"), ax=new())
    assert ax.figure.axes[-1].get_ylabel() == "size"
    assert HUES[0].lower() == to_hex(plot_embedding(mds, ax=new()).collections[0].get_facecolor())


# --- measures of a map ----------------------------------------------------------------------------


def test_measures_take_a_map_in_its_own_space() -> None:
    result, D = a_map("globe")
    for measure in (point_stress, residuals, total_cost, stress_1, normalized_stress):
        found, expected = (
            measure(D, result),
            measure(D, result.embedding, space=result.space),
        )
        np.testing.assert_array_equal(found, expected)
    assert shepard(D, result).mapped.tolist() == (
        shepard(D, result.embedding, space=result.space).mapped.tolist()
    )


def test_distances_are_matched_with_the_points_by_label(mds: Any) -> None:
    D = pd.DataFrame(distances(X), NAMES, NAMES)
    other = D.sample(frac=1.0, random_state=0)
    other = other[other.index]
    np.testing.assert_allclose(point_stress(other, mds), point_stress(D.to_numpy(), mds))
    np.testing.assert_allclose(stress_1(other, mds), mds.stress_)
    drawn = plot_shepard(other, mds, ax=new()).collections[0].get_offsets()
    expected = plot_shepard(D, mds, ax=new()).collections[0].get_offsets()
    np.testing.assert_allclose(drawn, expected)
    with pytest.raises(ValueError, match="D has no row for 'cat'"):
        point_stress(D.rename(index={"cat": "cow"}, columns={"cat": "cow"}), mds)


def test_colours_are_one_column_in_an_order(mds: Any) -> None:
    n = len(mds.embedding_)
    for wrong in (np.zeros((n, 3)), pd.DataFrame({"a": range(n)}, mds.labels_)):
        with pytest.raises(ValueError, match=r"colours must be one column.*frame\['name'\]"):
            plot_embedding(mds, color=wrong)
    with pytest.raises(TypeError, match=r"colours must be a sequence, .*, not set"):
        plot_embedding(mds, color=set(range(n)))  # type: ignore[arg-type]


def test_a_name_may_be_zero_and_may_be_missing(mds: Any) -> None:
    names = [0, None, np.nan, pd.NA, *range(4, len(mds.embedding_))]
    written = {text.get_text() for text in plot_embedding(mds, labels=names).texts}
    assert "0" in written
    assert written <= {"0", *map(str, range(4, len(names)))}


def test_a_title_is_no_formula(mds: Any) -> None:
    for title in (r"$\frac US$", "US$ 5 and US$ 6"):
        for draw in (plot_embedding, plot_shepard, plot_point_stress):
            ax = draw(mds, title=title)
            ax.figure.canvas.draw()
            assert ax.get_title() == title.replace("$", r"\$")


def test_points_come_as_frames_of_every_package_and_from_fitted_estimators() -> None:
    points = pl.DataFrame({"id": ["a", "b"], "x": [0.0, 1.0], "y": [2.0, 3.0]})
    assert {text.get_text() for text in plot_embedding(points).texts} == {"a", "b"}
    with pytest.raises(NotFittedError, match="MDS instance is not fitted"):
        plot_embedding(MDS())
    other = manifold.MDS(n_init=1, init="random", random_state=0).fit(np.eye(4)[:, :3])
    assert len(plot_embedding(other).collections[0].get_offsets()) == 4
    for wrong, says in ((np.eye(3) * 1j, "real numbers"), (np.zeros((3, 0)), r"\(3, 0\)")):
        with pytest.raises(ValueError, match=says):
            plot_embedding(wrong)
    for size in (-1.0, np.nan, "big"):
        with pytest.raises(ValueError, match="size must be a number of zero or more"):
            plot_embedding(np.eye(3), size=size)


def test_a_long_name_leaves_room_for_the_map(mds: Any) -> None:
    kinds = [f"{'long ' * 60}{k}" for k in (1, 1, 2, 2, 3, 3)]
    ax = plot_embedding(mds, color=pd.Series(kinds, mds.labels_, name="n" * 300))
    ax.figure.canvas.draw()  # a layout that collapses would warn
    legend = ax.get_legend()
    assert [text.get_text()[-1] for text in legend.get_texts()] == ["1", "2", "3"]
    assert ax.bbox.width > 0.4 * ax.figure.bbox.width
