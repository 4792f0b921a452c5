"""The search: it finds what the data were made from, in the manner of scikit-learn."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.support.tables import distances
from unimds import MDS, Absolute, Euclidean, Hyperbolic, LandmarkMDS, MDSSearchCV, Sphere
from unimds.datasets import corrupt
from unimds.estimators import few_starts
from unimds.estimators.solver import Solver
from unimds.select.grid import candidates

RNG = np.random.default_rng(0)


def noisy(D, noise, seed=1):
    factors = np.triu(np.random.default_rng(seed).normal(1.0, noise, D.shape), 1)
    return D * np.abs(factors + factors.T)


SOLID = noisy(distances(RNG.normal(size=(30, 3))), 0.1)
PRECOMPUTED = MDS(metric="precomputed")
FEW = {"n_components": [1, 2, 3, 4]}


def search(D, grid=None, **how):
    how = {"random_state": 0, "refit": False, **how}
    fitted = {name: how.pop(name) for name in ("weights",) if name in how}
    return MDSSearchCV(how.pop("estimator", PRECOMPUTED), grid, **how).fit(D, **fitted)


@cache
def solid():
    return MDSSearchCV(PRECOMPUTED, FEW, random_state=0).fit(SOLID)


# --- what it finds --------------------------------------------------------------------------------


def test_the_dimension_of_the_data_is_found_and_its_map_is_made():
    found = solid()
    assert found.best_params_ == {"n_components": 3}
    assert found.best_estimator_.n_components == 3
    assert found.embedding_.shape == (30, 3)
    assert found.transform(SOLID[:2]).shape == (2, 3)
    assert found.structure_
    assert found.sentence_.startswith("Three dimensions predict held-out distances")
    assert found.sentence_.endswith("; a fourth dimension gains nothing.")


def test_the_space_of_the_data_is_found_by_name():
    points = RNG.normal(size=(30, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    angles = noisy(distances(points, space=Sphere()), 0.05)
    found = search(1000.0 * angles, {"n_components": [2], "space": ["euclidean", "sphere"]})
    assert found.best_params_ == {"n_components": 2, "space": Sphere(radius="auto")}
    assert "Two dimensions on a sphere predict" in found.sentence_


def test_flat_space_is_preferred_where_a_curved_one_does_as_well():
    flat = noisy(distances(RNG.normal(size=(25, 2))), 0.1)
    found = search(flat, {"space": ["sphere", "euclidean"], "n_components": [2]})
    assert found.best_params_["space"] == "euclidean"


def test_the_loss_is_chosen_by_errors_that_wrong_distances_do_not_change():
    wrong, _ = corrupt(distances(RNG.normal(size=(25, 2))), 0.15, 0)
    found = search(wrong, {"loss": ["squared", "absolute"]}, scoring="median")
    assert found.best_params_ == {"loss": "absolute"}


def test_the_level_is_chosen_by_what_it_predicts_of_the_data():
    flat = noisy(distances(RNG.normal(size=(25, 2))), 0.05)
    levels = {"level": ["ratio", "interval", "ordinal"]}
    assert search(flat, levels).best_params_ == {"level": "ratio"}
    shifted = flat + 2.0 * flat.max() * ~np.eye(25, dtype=bool)
    assert search(shifted, levels).best_params_ == {"level": "interval"}


def test_random_numbers_have_no_structure():
    D = np.triu(np.random.default_rng(5).uniform(1.0, 2.0, (25, 25)), 1)
    found = search(D + D.T, FEW)
    assert not found.structure_
    assert "no structure that a map can show" in found.sentence_
    assert found.null_error_ < found.cv_results_["mean_error"].min()


def test_features_are_measured_once_and_new_ones_can_be_placed():
    X = RNG.normal(size=(25, 2)) @ RNG.normal(size=(2, 6))
    found = MDSSearchCV(MDS(n_init=1), FEW, random_state=0).fit(X)
    assert found.best_params_ == {"n_components": 2}
    assert found.n_features_in_ == 6
    assert found.transform(X[:3]).shape == (3, 2)


def test_missing_pairs_are_in_no_fold():
    D = SOLID.copy()
    D[2, 7] = D[7, 2] = np.nan
    found = search(D, {"n_components": [2, 3]})
    assert found.folds_[2, 7] == found.folds_[7, 2] == -1
    known = ~np.isnan(D) & ~np.eye(30, dtype=bool)
    assert (found.folds_[known] >= 0).all()
    assert found.best_params_ == {"n_components": 3}


def test_weights_count_in_the_maps_and_in_the_errors():
    """Distances without weight are as good as missing, however wrong they are."""
    wrong, W = SOLID.copy(), np.ones_like(SOLID)
    out = np.triu(np.random.default_rng(3).random(SOLID.shape) < 0.1, 1)
    out |= out.T
    wrong[out], W[out] = 99.0, 0.0
    missing = np.where(out, np.nan, SOLID)
    one, other = search(wrong, FEW, weights=W), search(missing, FEW)
    assert one.cv_results_["mean_error"] == pytest.approx(other.cv_results_["mean_error"], rel=1e-3)


def test_both_directions_of_an_asymmetric_table_are_in_one_fold():
    D = SOLID * np.where(np.triu(np.ones_like(SOLID)), 1.0, 1.1)
    found = search(D, {"n_components": [3]})
    assert (found.folds_ == found.folds_.T).all()
    assert found.cv_results_["mean_error"][0] < 0.2


# --- how it is done -------------------------------------------------------------------------------


def test_the_outcome_is_the_same_bit_for_bit_on_any_number_of_threads():
    grid = [{"n_components": [2, 5]}, {"space": [Sphere("auto")]}, {"level": ["ordinal"]}]
    one, two, same = (search(SOLID, grid, n_jobs=n, cv=3) for n in (None, 2, 3))
    for other in (two, same):
        for fold in range(3):
            name = f"split{fold}_test_score"
            assert one.cv_results_[name].tobytes() == other.cv_results_[name].tobytes()


def test_a_fold_does_not_start_from_what_has_seen_it(monkeypatch):
    asked = []

    def solve(self, D, *rest):
        asked.append((self.init, self.n_init, np.isnan(D).sum()))
        return original(self, D, *rest)

    original = Solver.solve
    monkeypatch.setattr(Solver, "solve", solve)
    search(SOLID, {"n_components": [2]}, estimator=clone(PRECOMPUTED).set_params(init=SOLID[:, :2]))
    assert {(init, n_init) for init, n_init, _ in asked} == {("shaken", few_starts.STARTS)}
    assert sum(missing for *_, missing in asked) == 30 * 29  # every pair is held out once


def test_results_are_ready_for_a_frame():
    frame = pd.DataFrame(solid().cv_results_)
    assert list(frame["param_n_components"]) == [1, 2, 3, 4]
    folds = frame[[f"split{fold}_test_score" for fold in range(5)]]
    assert list(frame["mean_test_score"]) == pytest.approx(list(folds.mean(axis=1)))
    assert (frame["mean_error"] == -frame["mean_test_score"]).all()
    best = frame["mean_error"].idxmin()
    assert best == solid().lowest_index_
    assert frame["rank_test_score"][best] == 1
    assert frame["excess"][best] == frame["excess_standard_error"][best] == 0.0
    paired = folds.sub(folds.iloc[best], axis=1).std(axis=1, ddof=1) / np.sqrt(5)
    assert list(frame["excess_standard_error"]) == pytest.approx(list(paired))
    assert (frame["mean_fit_time"] > 0.0).all()


def test_the_best_score_is_that_of_the_chosen_and_the_rule_can_be_the_lowest():
    found = solid()
    assert found.best_score_ == found.cv_results_["mean_test_score"][found.best_index_]
    low = search(SOLID, FEW, rule="lowest")
    assert low.best_index_ == low.lowest_index_


def test_a_function_can_be_the_error():
    def largest(given, predicted, weights):
        return float(np.abs(given - predicted).max())

    found = search(SOLID, FEW, scoring=largest)
    assert found.best_params_["n_components"] == 3
    assert found.null_error_ > found.cv_results_["mean_error"][2]


def test_a_frame_keeps_its_labels_and_an_error_names_them():
    names = [f"place {i}" for i in range(30)]
    frame = pd.DataFrame(SOLID.copy(), index=names, columns=names)
    found = MDSSearchCV(clone(PRECOMPUTED).set_params(n_init=1), {"n_components": [2]}, cv=3)
    assert found.fit(frame).labels_.tolist() == names
    frame.iloc[1, 2] = -1.0
    with pytest.raises(ValueError, match=r"\['place 1', 'place 2'\] = -1 is negative"):
        found.fit(frame)


# --- manners --------------------------------------------------------------------------------------


@pytest.mark.sample(15)
@parametrize_with_checks(
    [MDSSearchCV(MDS(n_init=1), {"n_components": [1, 2]}, cv=3, random_state=0)]
)
@pytest.mark.filterwarnings("ignore:in some folds a point keeps")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_clone_parameters_and_pickle():
    own = MDSSearchCV(MDS(loss=Absolute()), FEW, cv=4, scoring="median", random_state=3)
    for other in (clone(own), pickle.loads(pickle.dumps(own))):
        assert repr(other.get_params()) == repr(own.get_params())
    assert own.get_params()["estimator__loss"] == Absolute()
    assert own.set_params(estimator__n_init=2, cv=3).estimator.n_init == 2
    again = pickle.loads(pickle.dumps(solid()))
    assert again.best_params_ == solid().best_params_


def test_without_a_refit_there_is_no_map():
    found = search(SOLID, {"n_components": [2]}, cv=3)
    with pytest.raises(AttributeError, match=r"refit=False: there is no map; fit MDS\(\*\*search"):
        found.transform(SOLID[:1])
    with pytest.raises(NotFittedError):
        MDSSearchCV().transform(SOLID[:1])


@pytest.mark.parametrize(
    ("grid", "told"),
    [
        ({"metric": ["cosine"]}, "metric changes the distances themselves"),
        ({"n_jobs": [1, 2]}, "n_jobs changes no map"),
        ({"n_components": 3}, r"n_components must be a list of values, as in \[3\]"),
        ({"space": "sphere"}, r"space must be a list of values, as in \['sphere'\]"),
        ({"n_components": [2.5]}, "'n_components' parameter of MDSSearchCV must be an int"),
        ({"n_components": []}, "'n_components' need to be a non-empty sequence"),
        ({}, "param_grid is empty"),
        ({"dimensions": [2]}, "Invalid parameter 'dimensions'"),
    ],
)
def test_a_grid_that_is_none_gets_an_error_with_a_remedy(grid, told):
    with pytest.raises(ValueError, match=told):
        search(SOLID, grid)


@pytest.mark.parametrize(
    ("name", "value"),
    [("cv", 1), ("cv", "5"), ("scoring", "best"), ("rule", "simple"), ("estimator", LandmarkMDS())],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of MDSSearchCV"):
        search(SOLID, FEW, **{name: value})


def test_names_of_spaces_have_a_size_to_be_found_and_spaces_stay_as_they_are():
    spaces = ["euclidean", "hyperbolic", Sphere(2.0), Euclidean()]
    found = [one["space"] for one in candidates({"space": spaces})]
    assert found == ["euclidean", Hyperbolic("auto"), Sphere(2.0), Euclidean()]


def test_a_candidate_that_cannot_be_fitted_is_left_out():
    with pytest.warns(FitFailedWarning, match="1 of 2 candidates cannot be fitted"):
        found = search(SOLID, {"space": [Sphere(0.01), "euclidean"]}, cv=3)
    assert found.best_params_ == {"space": "euclidean"}
    assert np.isnan(found.cv_results_["mean_error"][0])
    with pytest.raises(ValueError, match="the largest distance is"):
        search(SOLID, {"space": [Sphere(0.01)]}, cv=3)


def test_few_points_get_a_word_of_warning():
    with pytest.warns(UserWarning, match="a point keeps 3 of its pairs, and a place in 4"):
        search(SOLID[:6, :6], FEW)


def test_fits_that_were_cut_short_are_told():
    cut = clone(PRECOMPUTED).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"of 3 fits of folds stopped after max_iter"):
        search(SOLID, {"n_components": [2]}, estimator=cut, cv=3)
