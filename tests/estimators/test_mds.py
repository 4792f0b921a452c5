"""MDS has the manners of a scikit-learn estimator."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.support.parts import slow
from tests.support.tables import table
from unimds import MDS, Euclidean, Huber, Hyperbolic, Power, Sphere
from unimds.distances.metric import Metric
from unimds.estimators.parameters import VARIANTS
from unimds.quality import stress_1


@parametrize_with_checks(
    [MDS(n_init=1, random_state=0)], expected_failed_checks=lambda estimator: {}
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        MDS(random_state=0),
        MDS(loss="absolute", random_state=0),
        MDS(1, n_init=2, random_state=0),
    ],
    expected_failed_checks=lambda estimator: {},
)
def test_scikit_learn_checks_of_other_kinds(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(0).normal(size=(30, 4))


def test_attributes(features):
    mds = MDS(random_state=0).fit(features)
    D = pairwise_distances(features)
    assert mds.embedding_.shape == (30, 2)
    assert mds.stress_ == pytest.approx(stress_1(D, mds.embedding_))
    assert mds.cost_ == mds.result_.cost
    assert mds.history_.shape == (mds.n_iter_ + 1, 2)
    assert mds.history_[:, 1].min() == mds.cost_
    np.testing.assert_allclose(mds.dissimilarity_matrix_, D)
    assert mds.n_features_in_ == 4
    assert mds.result_.message.startswith("Converged")


def test_features_and_their_distances_give_the_same_map(features):
    D = pairwise_distances(features, metric="cityblock")
    one = MDS(metric="cityblock", n_init=1, random_state=0).fit_transform(features)
    other = MDS(metric="precomputed", n_init=1, random_state=0).fit_transform(D)
    np.testing.assert_allclose(one, other, atol=1e-8)


def test_metric_params_and_callables(features):
    options = {"n_init": 1, "random_state": 0}
    one = MDS(metric="minkowski", metric_params={"p": 1}, **options).fit(features)
    other = MDS(metric=lambda a, b: np.abs(a - b).sum(), **options).fit(features)
    assert one.cost_ == pytest.approx(other.cost_)


def test_features_with_holes():
    X = np.random.default_rng(1).normal(size=(20, 5))
    X[3, 2] = np.nan
    assert np.isfinite(MDS(metric="nan_euclidean", random_state=0).fit_transform(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        MDS().fit(X)


@pytest.mark.sample(2)
@pytest.mark.usefixtures("threads_of_blas")
@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("n_init", ["auto", 4])
def test_same_seed_same_bits_on_any_threads(features, loss, n_init):
    runs = [
        MDS(loss=loss, n_init=n_init, random_state=7, n_jobs=n_jobs).fit_transform(features)
        for n_jobs in (None, 1, 2, 4)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run, runs[0])


def test_random_state_matters_only_to_random_starts(features):
    runs = [MDS(init="random", random_state=s).fit_transform(features) for s in (0, 0, 1)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    fixed = [MDS(init="classical", random_state=s).fit_transform(features) for s in (0, 1)]
    np.testing.assert_array_equal(*fixed)


def test_more_starts_are_no_worse(features):
    one = MDS(1, init="random", n_init=1, random_state=3).fit(features)
    many = MDS(1, init="random", n_init=10, random_state=3).fit(features)
    assert many.cost_ <= one.cost_


def test_the_race_is_no_worse_than_the_seed():
    """On data that do not fit the plane the seed decides; the race looks for a better one."""
    X = np.random.default_rng(5).normal(size=(300, 20))
    X[::3] += 4.0
    seed = MDS(init="classical", random_state=0).fit(X)
    race = MDS(random_state=0).fit(X)
    assert race.cost_ <= seed.cost_


def tree(depth):
    """Return the lengths of ways in a binary tree, whose spectral seed has equal eigenvalues."""
    n = 2 ** (depth + 1) - 1
    up = [[i] for i in range(n)]
    for i in range(1, n):
        up[i] += up[(i - 1) // 2]
    return np.array([[len(set(a) ^ set(b)) for b in up] for a in up], dtype=float)


def test_the_race_is_no_worse_than_a_seed_that_depends_on_the_order_of_the_points():
    options = {"space": Hyperbolic(2.0), "metric": "precomputed", "max_iter": 1000, "eps": 1e-5}
    seed = MDS(init="hyperbolic", **options).fit(tree(4))
    race = MDS(random_state=0, **options).fit(tree(4))
    assert race.cost_ <= seed.cost_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_start_that_is_thrown_out_of_reach_does_not_end_the_fit():
    mds = MDS(space=Hyperbolic(9.0), metric="precomputed", max_iter=50, random_state=0)
    assert np.isfinite(mds.fit(tree(5)).cost_)


def test_float32_in_float32_out(features):
    mds = MDS(random_state=0).fit(features.astype(np.float32))
    assert mds.embedding_.dtype == np.float32
    assert mds.transform(features.astype(np.float32)).dtype == np.float32


def test_clone_and_pickle(features):
    for mds in (MDS(loss=Power(1.2), space=Sphere("auto")), MDS(loss=Huber(0.5))):
        assert clone(mds).get_params() == mds.get_params()
    mds = MDS(loss="absolute", space=Sphere("auto"), n_init=1, random_state=0).fit(features)
    again = pickle.loads(pickle.dumps(mds))
    np.testing.assert_array_equal(again.embedding_, mds.embedding_)
    # BLAS rounds by the alignment of its arrays: distances of features agree to 1e-8
    np.testing.assert_allclose(again.transform(features), mds.transform(features), atol=1e-6)


def test_data_frames_keep_their_labels(features):
    rows = [f"point {i}" for i in range(30)]
    frame = pd.DataFrame(features, index=rows, columns=list("abcd"))
    mds = MDS(n_init=1, random_state=0).set_output(transform="pandas")
    out = mds.fit_transform(frame)
    assert list(out.index) == rows
    assert list(out.columns) == ["mds0", "mds1"] == list(mds.get_feature_names_out())
    assert list(mds.transform(frame.iloc[:5]).index) == rows[:5]
    assert list(mds.labels_) == rows
    assert list(mds.feature_names_in_) == list("abcd")


def test_labelled_distances_are_matched_by_label():
    D, _ = table(np.random.default_rng(2), 8, Euclidean(), noise=0.1)
    names = list("abcdefgh")
    frame = pd.DataFrame(D, index=names, columns=names)
    plain = MDS(metric="precomputed", random_state=0).fit(D)
    with pytest.warns(UserWarning, match="the points of the map are in the order of the rows"):
        shuffled = MDS(metric="precomputed", random_state=0).fit(frame[names[::-1]])
    np.testing.assert_array_equal(shuffled.embedding_, plain.embedding_)
    pinned = MDS(metric="precomputed").fit(frame, fixed={"c": [1.0, 2.0]})
    np.testing.assert_allclose(pinned.embedding_[2], [1.0, 2.0])


def test_pairwise_tag():
    assert MDS(metric="precomputed").__sklearn_tags__().input_tags.pairwise
    assert not MDS().__sklearn_tags__().input_tags.pairwise


def test_in_a_pipeline(features):
    pipe = make_pipeline(StandardScaler(), MDS(n_init=1, random_state=0))
    assert pipe.fit_transform(features).shape == (30, 2)
    assert pipe.transform(features[:3]).shape == (3, 2)


@pytest.mark.parametrize(
    "variant", [slow(name) if name == "c-1-sMDS" else name for name in VARIANTS]
)
def test_the_papers_names(variant):
    loss, space = VARIANTS[variant]
    D, _ = table(np.random.default_rng(3), 12, space, noise=0.1)
    options = {"metric": "precomputed", "n_init": 1, "random_state": 0}
    named = MDS(variant=variant, **options).fit(D)
    plain = MDS(loss=loss, space=space, **options).fit(D)
    np.testing.assert_array_equal(named.embedding_, plain.embedding_)


def test_variant_with_a_radius():
    D, _ = table(np.random.default_rng(3), 12, Sphere(5.0))
    options = {"metric": "precomputed", "n_init": 1, "random_state": 0}
    mds = MDS(variant="g-1-sMDS", space=Sphere("auto"), **options).fit(D)
    assert mds.space_.radius == pytest.approx(5.0, rel=1e-6)


def test_seed_given_to_fit(features):
    start = np.random.default_rng(4).normal(size=(30, 2))
    one = MDS().fit_transform(features, init=start)
    other = MDS(init=start).fit_transform(features)
    np.testing.assert_array_equal(one, other)


def test_square_features_are_not_mistaken_for_distances():
    D, _ = table(np.random.default_rng(6), 5, Euclidean())
    with pytest.warns(UserWarning, match="precomputed"):
        MDS(random_state=0).fit(D)


def test_features_are_measured_in_the_order_of_memory_that_they_have():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(60, 17)))
    mds = MDS(n_init=1, eps=0.1).fit(X)
    np.testing.assert_array_equal(mds.dissimilarity_matrix_, Metric("euclidean", {}).between(X))


@pytest.mark.parametrize("init", ["bogus", 3])
def test_a_seed_given_to_fit_is_validated_as_the_parameter_is(init):
    with pytest.raises(ValueError, match="The 'init' parameter of MDS must be"):
        MDS().fit(np.eye(5), init=init)


def test_a_fit_of_distances_forgets_the_features_of_an_earlier_fit(features):
    D = pairwise_distances(features)
    want = MDS(metric="precomputed", n_init=1, random_state=0).fit(D).transform(D[:3])
    mds = MDS(n_init=1, random_state=0).fit(features)
    again = mds.set_params(metric="precomputed").fit(D)
    np.testing.assert_array_equal(again.transform(D[:3]), want)
