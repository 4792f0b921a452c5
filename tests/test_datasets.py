"""The data: cities where they belong, distances right, and wrong where they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unimds.datasets import EARTH_RADIUS, corrupt, great_circle, load_cities


def haversine(a: np.ndarray, b: np.ndarray, radius: float) -> float:
    lat_a, lon_a, lat_b, lon_b = map(math.radians, (*a, *b))
    square = (
        math.sin((lat_b - lat_a) / 2) ** 2
        + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * radius * math.asin(math.sqrt(square))


def test_cities_are_a_hundred_places_on_the_globe() -> None:
    cities = load_cities()
    assert len(cities.names) == len(cities.countries) == 100
    assert len(set(cities.names)) == 100
    assert all(cities.names)
    assert all(cities.countries)
    assert cities.latlon.shape == (100, 2)
    assert (np.abs(cities.latlon) <= [90.0, 180.0]).all()
    assert len(np.unique(cities.latlon, axis=0)) == 100
    assert cities.points.shape == (100, 3)
    assert np.allclose(np.linalg.norm(cities.points, axis=1), 1.0, atol=1e-15)


def test_cities_are_spread_over_all_octants() -> None:
    octants = {tuple(point > 0) for point in load_cities().points}
    assert len(octants) == 8


@pytest.mark.parametrize(
    ("name", "country", "latitude", "longitude"),
    [
        ("London", "United Kingdom", 51.5, -0.1),
        ("Sydney", "Australia", -33.9, 151.2),
        ("São Paulo", "Brazil", -23.5, -46.6),
        ("Honolulu", "United States", 21.3, -157.9),
    ],
)
def test_a_city_is_where_an_atlas_has_it(
    name: str, country: str, latitude: float, longitude: float
) -> None:
    cities = load_cities()
    i = cities.names.index(name)
    assert cities.countries[i] == country
    assert np.allclose(cities.latlon[i], [latitude, longitude], atol=0.2)


def test_points_are_the_places() -> None:
    cities = load_cities()
    lat, lon = np.radians(cities.latlon).T
    assert np.allclose(cities.points[:, 2], np.sin(lat), atol=1e-14)
    assert np.allclose(np.arctan2(cities.points[:, 1], cities.points[:, 0]), lon, atol=1e-14)


def test_great_circle_is_the_haversine_formula() -> None:
    latlon = load_cities().latlon
    expected = [[haversine(a, b, EARTH_RADIUS) for b in latlon] for a in latlon]
    assert np.allclose(great_circle(latlon), expected, rtol=1e-10, atol=1e-6)


def test_great_circle_of_known_pairs() -> None:
    cities = load_cities()
    km = great_circle(cities.latlon)
    where = cities.names.index
    assert km[where("London"), where("New York City")] == pytest.approx(5570, abs=10)
    assert km[where("Tokyo"), where("Sydney")] == pytest.approx(7826, abs=15)


def test_great_circle_on_another_globe() -> None:
    poles = [[90.0, 0.0], [-90.0, 0.0], [0.0, 123.0]]
    expected = np.pi * np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]])
    assert np.allclose(great_circle(poles, radius=2.0), 2.0 * expected, atol=1e-12)


@given(
    n=st.integers(2, 30),
    share=st.floats(0.0, 1.0),
    low=st.floats(0.0, 5.0),
    width=st.floats(0.0, 5.0),
    seed=st.integers(0, 1000),
)
def test_corrupt_replaces_that_share_and_nothing_else(
    n: int, share: float, low: float, width: float, seed: int
) -> None:
    D = np.full((n, n), 100.0)
    np.fill_diagonal(D, 0.0)
    before = D.copy()
    table, wrong = corrupt(D, share, np.random.default_rng(seed), low, low + width)
    assert np.array_equal(D, before)
    assert wrong.dtype == bool
    assert np.array_equal(wrong, wrong.T)
    assert not wrong.diagonal().any()
    assert abs(wrong.sum() / 2 - share * n * (n - 1) / 2) <= 0.5
    assert np.array_equal(table, table.T)
    assert np.array_equal(table[~wrong], D[~wrong])
    assert ((table[wrong] >= low) & (table[wrong] <= low + width)).all()


def test_corrupt_is_the_same_for_the_same_seed() -> None:
    D = great_circle(load_cities().latlon)
    first, second = corrupt(D, 0.1, 7), corrupt(D, 0.1, np.random.default_rng(7))
    assert all(map(np.array_equal, first, second))
    assert not np.array_equal(first[1], corrupt(D, 0.1, 8)[1])


def test_corrupt_leaves_missing_pairs_missing() -> None:
    D = 1.0 - np.eye(6)
    D[1, 2] = D[2, 1] = np.nan
    table, wrong = corrupt(D, 1.0, 0)
    assert np.isnan(table[1, 2])
    assert np.isnan(table[2, 1])
    assert wrong.sum() == 2 * 14
    assert np.nanmax(table) <= 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"D": [[0.0, 1.0]]}, r"square.*\(1, 2\)"),
        ({"share": 1.5}, "share=1.5"),
        ({"share": float("nan")}, "share=nan"),
        ({"low": 3.0, "high": 2.0}, "low=3 and high=2"),
        ({"low": -1.0}, "low=-1"),
        ({"high": float("inf")}, "high=inf"),
    ],
)
def test_corrupt_refuses_nonsense(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        corrupt(**{"D": 1.0 - np.eye(4), "share": 0.5, "rng": 0, **arguments})
