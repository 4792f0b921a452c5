"""Estimators at a level of measurement are estimators of scikit-learn like others."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tests.support.tables import distances
from unimds import MDS, DegenerateWarning, LandmarkMDS, MonotoneSpline, Ordinal

POINTS = np.random.default_rng(0).normal(size=(40, 2))
GROWN = np.exp(distances(POINTS)) - np.eye(40)
HOW = {"metric": "precomputed", "n_init": 1, "random_state": 0}


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
@pytest.mark.parametrize("level", ["ordinal", Ordinal("secondary", 0.1), MonotoneSpline(1, 2)])
def test_a_level_is_a_parameter_like_others(kind, level):
    mds = kind(level=level)
    assert mds.get_params()["level"] == level
    assert f"level={level!r}" in repr(mds)
    for other in (clone(mds), pickle.loads(pickle.dumps(mds)), kind().set_params(level=level)):
        assert other.get_params() == mds.get_params()


@pytest.mark.filterwarnings("ignore:.* of the new dissimilarities lie beyond")
def test_a_search_finds_the_level_of_the_data():
    levels = {"level": ["ratio", "interval", "ordinal"]}
    search = GridSearchCV(MDS(**HOW), levels, cv=4).fit(GROWN)
    assert search.best_params_ == {"level": "ordinal"}
    assert search.best_score_ > -0.1
    assert search.best_estimator_.transformation_.level == Ordinal()


def test_a_fit_at_the_level_ratio_forgets_an_earlier_transformation():
    mds = MDS(level="interval", **HOW).fit(GROWN)
    assert mds.transformation_ is not None
    mds.set_params(level="ratio").fit(GROWN)
    assert (mds.transformation_, mds.disparities_) == (None, None)


def test_new_points_beyond_the_known_are_told_where_they_are_many():
    mds = MDS(level="ordinal", **HOW).fit(GROWN)
    mds.transform(GROWN[:3])
    with pytest.warns(UserWarning, match=r"100\.0% of the new dissimilarities lie beyond"):
        mds.transform(GROWN[:1] + 1e6)


@pytest.mark.parametrize(("name", "meant"), [("nonmetric", "ordinal"), ("mspline", "spline")])
def test_names_of_other_programs_lead_to_a_level(name, meant):
    with pytest.raises(ValueError, match=f"'{meant}' is what '{name}' means elsewhere"):
        MDS(level=name, metric="precomputed").fit(1.0 - np.eye(5))


EQUAL = "All dissimilarities are equal: the table says nothing about an order"


@pytest.mark.parametrize(
    ("level", "k", "free"),
    [("ordinal", 2, True), (Ordinal("secondary"), 2, False), ("interval", 5, False)],
)
def test_a_table_without_an_order_is_named(level, k, free):
    told = f"{EQUAL}, and any map fits it." if free else f"{EQUAL}."
    with pytest.warns(DegenerateWarning) as caught:
        mds = MDS(k, level=level, metric="precomputed", random_state=0).fit(1.0 - np.eye(6))
    assert [str(one.message) for one in caught] == [told]
    assert mds.degeneracy_.levels == 1
    # in enough dimensions a map fits without ties that may be parted: it is not any map
    assert (mds.stress_ < 1e-4) == (free or k == 5)


def of_two_numbers(n=12):
    return np.where(np.add.outer(np.arange(n), np.arange(n)) % 3 == 0, 1.0, 2.0) * (1 - np.eye(n))


SAY_NOTHING = [
    (distances(np.random.default_rng(0).normal(size=(8, 2))) ** 2, "ordinal", "few"),
    (of_two_numbers(), "ordinal", "two"),
    (np.round(3.0 * distances(np.random.default_rng(1).random((15, 4)))), "tertiary", "tertiary"),
]


@pytest.mark.parametrize(("D", "level", "reason"), SAY_NOTHING)
def test_a_stress_of_zero_that_says_nothing_is_named(D, level, reason):
    ordinal = Ordinal("tertiary") if level == "tertiary" else Ordinal()
    with pytest.warns(
        DegenerateWarning, match=r"The stress is zero, which tells nothing.* Remedie"
    ):
        mds = MDS(level=ordinal, metric="precomputed", random_state=0).fit(D)
    assert mds.degeneracy_.reason == reason


def test_more_points_and_other_levels_are_not_named():
    X = np.random.default_rng(0).normal(size=(9, 2))
    for level, D in (
        ("ordinal", distances(X) ** 2),
        ("interval", distances(X[:8]) + 1 - np.eye(8)),
    ):
        mds = MDS(level=level, metric="precomputed", random_state=0).fit(D)
        assert mds.stress_ < 1e-4
        assert mds.degeneracy_ is None


def test_starts_and_the_map_tell_costs_in_one_unit():
    D = np.random.default_rng(1).random((12, 12))
    mds = MDS(level="ordinal", metric="precomputed", random_state=0).fit(
        np.triu(D, 1) + np.triu(D, 1).T
    )
    assert mds.starts_.costs.min() == pytest.approx(mds.cost_, rel=1e-9)
