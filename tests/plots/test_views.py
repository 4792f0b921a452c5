"""The place that a view shows somewhere: the inverse of the view."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unimds.plots.views import place_of, view_of
from unimds.spaces import as_space


def some_map(space: str, k: int, seed: int, spread: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = as_space(space)
    points = rng.normal(size=(12, found.n_coordinates(k)), scale=spread)
    if space == "hyperbolic":
        points[:, 0] = np.sqrt(1.0 + np.sum(points[:, 1:] ** 2, axis=1))
    if space == "sphere":
        points[:, 0] += 1.0
    if space == "simplex":
        points = np.abs(points)
    return found.project_points(points)


SHOWN = [("euclidean", 1), ("euclidean", 2), ("euclidean", 3), ("sphere", 1), ("sphere", 2)]
CURVED = [("hyperbolic", 2), ("hyperbolic", 3), ("simplex", 1), ("simplex", 2)]


@pytest.mark.sample(6)
@pytest.mark.parametrize("spread", [1.0, 0.05])  # a globe, and a part of it
@pytest.mark.parametrize(("space", "k"), [*SHOWN, *CURVED])
@given(seed=st.integers(0, 1000))
def test_the_place_of_what_is_seen_is_the_point(space: str, k: int, spread: float, seed: int):
    points = some_map(space, k, seed, spread)
    seen = view_of(points, space).points
    for at, point in zip(seen, points, strict=True):
        np.testing.assert_allclose(place_of(at, points, space), point, atol=1e-9)


def test_what_a_view_does_not_show_has_no_place() -> None:
    with pytest.raises(ValueError, match="not show all coordinates"):
        place_of([0.0, 0.0], np.eye(5))
    with pytest.raises(ValueError, match="finite numbers"):
        place_of([0.0, np.nan], np.eye(2))


@pytest.mark.parametrize(("k", "seen"), [(1, [1.4, 0.0]), (2, [2.0, -0.3]), (2, [0.5, 3.0])])
def test_a_place_beyond_the_simplex_is_brought_inside(k: int, seen: list[float]) -> None:
    place = place_of(seen, some_map("simplex", k, 0), "simplex")
    as_space("simplex").check_points(place[None], "place")


def test_a_place_beyond_the_edge_of_the_disk_is_brought_inside() -> None:
    points = some_map("hyperbolic", 2, 0)
    place = place_of([3.0, 0.0], points, "hyperbolic")
    as_space("hyperbolic").check_points(place[None], "place")
