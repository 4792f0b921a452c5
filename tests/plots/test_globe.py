"""The map of the globe: points, errors and names are where they belong."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from unimds.datasets import load_cities
from unimds.plots import plot_globe
from unimds.spaces import from_latlon


def globe_axes():
    return Figure(figsize=(8, 4)).add_axes((0.01, 0.01, 0.98, 0.98), projection="mollweide")


def lines(ax) -> dict:
    return {line.get_label(): np.array(line.get_data()).T for line in ax.lines}


def test_points_are_drawn_where_they_are() -> None:
    latlon = np.array([[10.0, 20.0], [-60.0, 170.0], [0.0, -175.0]])
    drawn = lines(plot_globe(from_latlon(latlon), ax=globe_axes(), center=30.0))["found place"]
    assert np.allclose(np.degrees(drawn), [[-10.0, 10.0], [140.0, -60.0], [155.0, 0.0]])


def test_an_error_is_a_great_circle_that_may_leave_the_map_and_come_back() -> None:
    found, true = from_latlon([[0.0, 170.0]]), from_latlon([[0.0, -170.0]])
    ax = plot_globe(found, true, ax=globe_axes())
    arc = np.degrees(lines(ax)["error"])
    longitude = arc[:, 0][~np.isnan(arc[:, 0])]
    assert np.isnan(arc[1:-1]).any()  # the pen is lifted at the edge
    assert (np.abs(longitude) >= 170.0 - 1e-9).all()
    assert {label.get_text() for label in ax.get_legend().get_texts()} == {
        "true place",
        "found place",
        "error",
    }


@pytest.mark.parametrize("place", [[0.0, 0.0], [90.0, 0.0], [-30.0, 45.0], [35.26438968, 45.0]])
def test_an_error_of_half_the_globe_can_be_drawn(place: list[float]) -> None:
    found = from_latlon([place])
    arc = lines(plot_globe(found, -found, ax=globe_axes()))["error"]
    assert np.isfinite(arc).any(axis=0).all()
    latlon = np.degrees(arc[~np.isnan(arc[:, 0])])[:, ::-1]
    steps = np.linalg.norm(np.diff(from_latlon(latlon), axis=0), axis=1)
    assert steps.max() < 0.1


def test_names_never_overlap_and_stay_beside_their_points() -> None:
    cities = load_cities()
    ax = plot_globe(cities.points, labels=cities.names, ax=globe_axes())
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert 30 < len(boxes) < 100  # those without room are left out
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    names = [text.get_text() for text in ax.texts]
    places = lines(ax)["found place"][[cities.names.index(name) for name in names]]
    pixels = ax.transData.transform(places)
    for box, (x, y) in zip(boxes, pixels, strict=True):
        assert box.padded(8.0).contains(x, y)


def test_names_may_be_left_out() -> None:
    ax = plot_globe(from_latlon([[0.0, 0.0], [0.0, 90.0]]), labels=["here", None], ax=globe_axes())
    assert [text.get_text() for text in ax.texts] == ["here"]


def test_what_does_not_fit_together_is_refused() -> None:
    points = load_cities().points
    with pytest.raises(ValueError, match="100 points, but truth has 99"):
        plot_globe(points, points[:99])
    with pytest.raises(ValueError, match="100 points, but there are 2 labels"):
        plot_globe(points, labels=["a", "b"])
