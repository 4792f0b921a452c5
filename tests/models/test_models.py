"""Models: a file places points as the map it was made of, and a wrong file is an error."""

import pickle
import threading
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from tests.support.parts import slow
from unimds import (
    MDS,
    DegenerateWarning,
    DistributionEmbedding,
    Huber,
    Hyperbolic,
    IndividualDifferences,
    LandmarkMDS,
    Level,
    Loss,
    MonotoneSpline,
    Ordinal,
    Power,
    Simplex,
    Sphere,
    Squared,
    Unfolding,
    place_points,
)
from unimds.files import FileError
from unimds.files.archive import read_archive, write_archive
from unimds.levels import as_level
from unimds.models import load, save
from unimds.report import report
from unimds.spaces import distances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
NEW = RNG.normal(size=(7, 4))


@dataclass(frozen=True)
class Own(Loss):
    def value(self, u, r):
        return (u - r) * (u - r)

    def weight(self, u, r):
        return 1.0


@dataclass(frozen=True)
class Doubled(Level):
    def project(self, known, t, w):
        return 2.0 * known


MODELS = {
    "euclidean": MDS(random_state=0, n_init=1),
    "robust": MDS(loss=Power(1.5), random_state=0, n_init=1),
    "sphere": MDS(space=Sphere("auto"), random_state=0, n_init=1),
    "robust in space": MDS(3, loss=Power(1.5), random_state=0, n_init=1),
    "huber on a sphere": MDS(space=Sphere("auto"), loss="huber", random_state=0, n_init=1),
    "variant": MDS(variant="rMDS", random_state=np.int64(3), n_init=1),
    "mahalanobis": MDS(metric="mahalanobis", random_state=0, n_init=1),
    "minkowski": MDS(metric="minkowski", metric_params={"p": 3}, random_state=0, n_init=1),
    "landmarks": LandmarkMDS(n_landmarks=12, refine=2, random_state=0, n_init=1),
}


SLOW = ("robust in space", "huber on a sphere")


@pytest.mark.parametrize("name", [slow(name) if name in SLOW else name for name in MODELS])
def test_a_loaded_model_places_points_as_the_saved_one(tmp_path, name):
    mds = MODELS[name].fit(X)
    save(mds, tmp_path / "m")
    again = load(tmp_path / "m")
    assert type(again) is type(mds)
    assert np.array_equal(again.transform(NEW), mds.transform(NEW))
    assert np.array_equal(again.embedding_, mds.embedding_)
    assert (again.loss_, again.space_) == (mds.loss_, mds.space_)
    assert (again.cost_, again.stress_, again.n_iter_) == (mds.cost_, mds.stress_, mds.n_iter_)
    old, new = (getattr(m, "result_", None) or m.landmark_result_ for m in (mds, again))
    assert new.stress == old.stress is not None


def test_models_of_earlier_releases_know_the_stress_of_their_run(tmp_path):
    def without(header):
        return {name: value for name, value in header.items() if name != "result_stress"}

    mds = load(altered(tmp_path, header=without))
    assert mds.result_.stress == mds.stress_
    assert load(altered(tmp_path, header=without, name="landmarks")).landmark_result_.stress is None


def test_the_model_comes_first_and_the_path_first_still_works(tmp_path):
    mds = MODELS["euclidean"].fit(X)
    with pytest.warns(DeprecationWarning, match=r"write save\(model, path\), the model first"):
        save(tmp_path / "m", mds)
    assert np.array_equal(load(tmp_path / "m").embedding_, mds.embedding_)


@pytest.mark.sample(2)
@pytest.mark.parametrize("space", [Hyperbolic(), Simplex("auto")], ids=str)
def test_curved_spaces_come_back(tmp_path, space):
    mds = MDS(space=space, n_init=1, random_state=0).fit(X[:10])
    save(mds, tmp_path / "m")
    assert np.array_equal(load(tmp_path / "m").transform(NEW), mds.transform(NEW))


@pytest.mark.parametrize(
    "model",
    [MDS(n_init=1), LandmarkMDS(n_landmarks=10, n_init=1)],
    ids=["MDS", "LandmarkMDS"],
)
def test_distances_and_labels_come_back(tmp_path, model):
    labels = [f"p{i}" for i in range(30)]
    D = pd.DataFrame(np.abs(X[:, :1] - X[:, :1].T), index=labels, columns=labels)
    mds = model.set_params(metric="precomputed", random_state=0).fit(D)
    save(mds, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.labels_.tolist() == labels
    assert again.feature_names_in_.tolist() == labels
    new = D.iloc[:3] + 0.1
    assert np.array_equal(again.transform(new), mds.transform(new))


def test_single_precision_stays_single(tmp_path):
    mds = MDS(random_state=0, n_init=1).fit(X.astype(np.float32))
    save(mds, tmp_path / "m")
    assert load(tmp_path / "m").transform(NEW.astype(np.float32)).dtype == np.float32


def test_code_of_the_users_cannot_be_saved(tmp_path):
    own = MDS(loss=Own(), n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="a custom loss, whose code cannot be saved"):
        save(own, tmp_path / "m")
    function = MDS(metric=lambda a, b: abs(a - b).sum(), n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="a custom function, which cannot be saved"):
        save(function, tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_kept(tmp_path):
    mds = MODELS["euclidean"].fit(X)
    (tmp_path / "m").write_text("mine")
    with pytest.raises(FileError, match="already exists"):
        save(mds, tmp_path / "m")
    assert (tmp_path / "m").read_text() == "mine"
    save(mds, tmp_path / "m", force=True)
    load(tmp_path / "m")


# --- wrong files ----------------------------------------------------------------------------------


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("a pickle was run",)


def test_a_pickle_is_never_run(tmp_path):
    (tmp_path / "m").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(FileError, match="a pickle, which can execute any code"):
        load(tmp_path / "m")
    array = np.empty(1, dtype=object)
    array[0] = Bomb()
    np.savez(tmp_path / "m.npz", header=array)
    with pytest.raises(FileError, match="holds Python objects"):
        load(tmp_path / "m.npz")


def test_other_files_are_named_for_what_they_are(tmp_path):
    (tmp_path / "t").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="another file, not a model of unimds"):
        load(tmp_path / "t")
    np.savez(tmp_path / "t.npz", D=np.zeros((3, 3)))
    with pytest.raises(FileError, match="not a model of unimds: its header is missing"):
        load(tmp_path / "t.npz")
    write_archive(tmp_path / "c", "checkpoint", {}, {})
    with pytest.raises(FileError, match="a checkpoint of unimds, not a model"):
        load(tmp_path / "c")
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path / "nowhere")


def altered(tmp_path, arrays=lambda a: a, header=lambda h: h, name="euclidean"):
    save(MODELS[name].fit(X), tmp_path / "m", force=True)
    told, found = read_archive(tmp_path / "m", "model")
    write_archive(tmp_path / "m", "model", header(told), arrays(found), force=True)
    return tmp_path / "m"


@pytest.mark.parametrize(
    "arrays",
    [
        lambda a: {**a, "map": a["map"][:, :1]},
        lambda a: {**a, "map": a["map"] * np.nan},
        lambda a: {**a, "embedding": a["embedding"][0]},
        lambda a: {**a, "embedding": a["embedding"][:-1]},
        lambda a: {**a, "embedding": a["embedding"].astype(np.float16)},
        lambda a: {**a, "map": a["map"][:-1]},
        lambda a: {**a, "features": a["features"] * np.nan},
        lambda a: {**a, "history": a["history"][:0], "levels": a["levels"][:0]},
        lambda a: {**a, "features": a["features"][:3]},
        lambda a: {**a, "history": a["history"][:3]},
        lambda a: {k: v for k, v in a.items() if k != "embedding"},
    ],
)
def test_wrong_shapes_are_errors(tmp_path, arrays):
    with pytest.raises(FileError, match="the model is broken"):
        load(altered(tmp_path, arrays=arrays))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"version": 99}, "its version is 99, and this release of unimds reads version 1"),
        ({"loss": {"name": "Own"}}, "'Own' is not a loss of this release"),
        ({"loss": {"name": "Sphere", "radius": 1.0}}, "is not a loss"),
        ({"loss": {"name": "Power", "p": 7}}, "p must lie between 1 and 2"),
        ({"params": {"surprise": 1}}, "the model is broken"),
        ({"labels": ["a"]}, "1 labels instead of 30"),
        ({"estimator": "os.system"}, "the model is broken"),
        ({"outcome": "BEST"}, "the model is broken"),
        ({"loss": {"name": "Huber", "delta": "auto"}}, "do not say every size"),
        ({"space": {"name": "Sphere", "radius": "auto"}}, "do not say every size"),
        ({"n_features_in": True}, "n_features_in = True"),
        ({"n_features_in": 10**30}, "the model is broken"),
        ({"params": {"n_components": float("nan")}}, "the 'n_components' parameter of MDS"),
        ({"params": {"n_init": 10**29}}, "the 'n_init' parameter of MDS"),
        ({"params": {"n_components": [[2]]}}, "n_components is not a number"),
        ({"params": {"metric": "bray"}}, "the model is broken"),
        ({"metric_params": {"p": [1, 2]}}, "p is not a number"),
        ({"metric_params": {"surprise": 1}}, "the model is broken"),
        ({"labels": [["a"]] * 30}, "the labels are not a list of names"),
        ({"labels": "a" * 30}, "the labels are not a list of names"),
    ],
)
def test_wrong_headers_are_errors(tmp_path, change, says):
    with pytest.raises(FileError, match=f"(?i){says}"):
        load(altered(tmp_path, header=lambda header: {**header, **change}))


@pytest.mark.parametrize(
    "arrays",
    [
        lambda a: {**a, "embedding": a["embedding"][:-1]},
        lambda a: {**a, "points": a["points"][:-1]},
        lambda a: {**a, "landmarks": a["landmarks"] - 30},
        lambda a: {**a, "landmarks": a["landmarks"] + 30},
        lambda a: {**a, "landmarks": a["landmarks"] * 0},
        lambda a: {**a, "landmarks": a["landmarks"] * 1.0},
        lambda a: {**a, "references": a["references"][:-1]},
        lambda a: {**a, "references": a["references"] + 3000},
        lambda a: {**a, "references": a["references"][::-1]},
    ],
)
def test_wrong_landmarks_are_errors(tmp_path, arrays):
    with pytest.raises(FileError, match="the model is broken"):
        load(altered(tmp_path, arrays=arrays, name="landmarks"))


def test_a_model_of_landmarks_without_references_places_against_the_landmarks(tmp_path):
    def older(arrays):
        here = np.searchsorted(arrays["references"], arrays["landmarks"])
        older = {**arrays, "points": arrays["points"][here], "features": arrays["features"][here]}
        del older["references"]
        return older

    model = load(altered(tmp_path, arrays=older, name="landmarks"))
    np.testing.assert_array_equal(model.references_, model.landmarks_)
    places, new = model.embedding_[model.landmarks_], model._features + 0.1
    want = place_points(distances(new, model._features), places)
    np.testing.assert_allclose(model.transform(new), want, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "arrays", "params"),
    [
        ("mahalanobis", {"metric.VI": np.eye(2)}, {}),
        ("mahalanobis", {"metric.VI": np.ones(4)}, {}),
        ("mahalanobis", {"metric.VI": np.array("text")}, {}),
        ("minkowski", {"metric.w": np.ones(3)}, {}),
        ("minkowski", {"metric.w": np.ones((4, 4))}, {}),
        ("minkowski", {}, {"p": "many"}),
    ],
)
def test_arguments_that_do_not_suit_the_metric_are_an_error(tmp_path, name, arrays, params):
    def other(header):
        return {**header, "metric_params": {**header["metric_params"], **params}}

    path = altered(tmp_path, lambda found: {**found, **arrays}, other, name)
    with pytest.raises(FileError, match="the model is broken"):
        load(path)


def test_a_number_in_place_of_a_matrix_is_an_error(tmp_path):
    path = altered(
        tmp_path,
        lambda arrays: {name: array for name, array in arrays.items() if name != "metric.VI"},
        lambda header: {**header, "metric_params": {"VI": 1.0}},
        "mahalanobis",
    )
    with pytest.raises(FileError, match="VI of the metric mahalanobis has the shape"):
        load(path)


@pytest.mark.parametrize("depth", [200, 100_000])
def test_a_header_that_is_nested_without_end_is_an_error(tmp_path, depth):
    text = '{"unimds": "model", "version": 1, "params": ' + "[" * depth + "]" * depth + "}"
    np.savez(tmp_path / "m.npz", header=np.frombuffer(text.encode(), np.uint8))
    with pytest.raises(FileError, match=r"its header is missing or broken|the model is broken"):
        load(tmp_path / "m.npz")


@pytest.mark.parametrize("jobs", [float("nan"), 100_000, "many"])
@pytest.mark.parametrize("name", ["euclidean", "landmarks"])
def test_a_file_decides_nothing_about_threads(tmp_path, name, jobs):
    def many(header):
        params = {**header["params"], "n_jobs": jobs, "checkpoint": "elsewhere"}
        return {**header, "params": params, "metric_params": {"n_jobs": jobs}}

    def also(arrays):
        return {**arrays, "metric.n_jobs": np.array(100_000)}

    mds = load(altered(tmp_path, also, many, name))
    assert mds.n_jobs is None
    assert getattr(mds, "checkpoint", None) is None
    assert mds._metric.params == {}
    before = threading.active_count()
    assert np.array_equal(mds.transform(NEW), MODELS[name].fit(X).transform(NEW))
    assert threading.active_count() == before


def test_threads_are_not_saved(tmp_path):
    mds = MDS(n_jobs=2, metric="cityblock", metric_params={"n_jobs": 1}, n_init=1, random_state=0)
    save(mds.fit(X), tmp_path / "m")
    header, _ = read_archive(tmp_path / "m", "model")
    assert "n_jobs" not in header["params"]
    assert header["metric_params"] == {}
    assert np.array_equal(load(tmp_path / "m").transform(NEW), mds.transform(NEW))


def test_a_file_that_is_cut_off_is_an_error(tmp_path):
    path = altered(tmp_path)
    content = path.read_bytes()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        with pytest.raises(FileError):
            load(path)


# --- what a file must not change ------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [MDS(n_init=1), slow(LandmarkMDS(n_landmarks=10, n_init=1))],
    ids=["MDS", "LandmarkMDS"],
)
def test_a_loaded_model_that_is_fitted_again_looks_for_the_size_again(tmp_path, kind):
    kind = clone(kind).set_params(space=Sphere("auto"), loss=Huber("auto"), random_state=0)
    small = kind.fit(X)
    save(small, tmp_path / "m")
    again = load(tmp_path / "m")
    assert (again.space, again.loss) == (Sphere("auto"), Huber("auto"))
    assert (again.space_, again.loss_) == (small.space_, small.loss_)
    again.set_params(random_state=0).fit(100.0 * X)
    assert again.space_.radius > 20.0 * small.space_.radius


def test_a_model_with_the_paper_s_name_is_loaded(tmp_path):
    mds = MDS(variant="g-2-sMDS", space=Sphere("auto"), random_state=0, n_init=1).fit(X)
    save(mds, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.space == Sphere("auto")
    assert np.array_equal(again.transform(NEW), mds.transform(NEW))


@pytest.mark.parametrize(("name", "part"), [("euclidean", "map"), ("landmarks", "points")])
def test_a_map_that_is_not_its_points_is_an_error(tmp_path, name, part):
    path = altered(tmp_path, lambda a: {**a, part: a[part][::-1].copy()}, name=name)
    with pytest.raises(FileError, match=r"the map and the points .* are not the same"):
        load(path)


def test_a_size_of_another_kind_is_an_error(tmp_path):
    def other(header):
        asked = {**header["asked"], "space": {"name": "Sphere", "radius": "auto"}}
        return {**header, "asked": asked}

    with pytest.raises(FileError, match="cannot have found"):
        load(altered(tmp_path, header=other))


@pytest.mark.parametrize("ending", ["pkl", "pickle", "joblib", "rds"])
def test_endings_of_other_programs_are_refused(tmp_path, ending):
    mds = MDS(random_state=0, n_init=1).fit(X)
    with pytest.raises(FileError, match=rf"ends in .unimds or .npz, and .{ending} is the ending"):
        save(mds, tmp_path / f"m.{ending}")
    assert not list(tmp_path.iterdir())


SITES = [f"s{i}" for i in range(14)]
COUNTS = pd.DataFrame(RNG.poisson(3.0, size=(14, 5)) + 1.0, SITES, [*"abcde"])


PAIRS = [*product(["mds", "jl+mds"], ["sphere", "simplex"]), ("jl", "sphere")]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("method", "space"), PAIRS)  # a projection alone leaves the simplex
@pytest.mark.parametrize("form", [pd.DataFrame, csr_array])
def test_maps_of_distributions_come_back_and_place(tmp_path, method, space, form):
    rows = COUNTS if form is pd.DataFrame else csr_array(COUNTS.to_numpy())
    few = DistributionEmbedding(2, method=method, space=space, random_state=0).fit(rows[:10])
    save(few, tmp_path / "m")
    again = load(tmp_path / "m")
    assert type(again) is DistributionEmbedding
    assert again.get_params() == few.get_params() | {"loss": Squared()}
    assert np.array_equal(again.transform(rows[10:]), few.transform(rows[10:]))
    assert np.array_equal(again.embedding_, few.embedding_)
    assert again.space_ == few.space_
    if form is pd.DataFrame:
        assert again.labels_.tolist() == COUNTS.index[:10].tolist()
        assert again.feature_names_in_.tolist() == [*"abcde"]
        assert "s3" in report(again)
    if method != "jl":
        assert (again.cost_, again.stress_, again.loss_) == (few.cost_, few.stress_, few.loss_)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("points", np.zeros((10, 4))),
        ("points", np.full((10, 5), np.nan)),
        ("map", np.eye(10, 3)),
        ("embedding", np.zeros((10, 3))),
    ],
)
def test_a_broken_map_of_distributions_is_an_error(tmp_path, name, wrong):
    save(DistributionEmbedding(2, random_state=0).fit(COUNTS[:10]), tmp_path / "m")
    header, arrays = read_archive(tmp_path / "m", "model")
    write_archive(tmp_path / "n", "model", header, {**arrays, name: wrong})
    with pytest.raises(FileError, match="the model is broken"):
        load(tmp_path / "n")


# --- levels of measurement ------------------------------------------------------------------------

GROWN = np.exp(distances(X[:, :2])) - np.eye(len(X))
BETWEEN = np.exp(distances(NEW[:, :2], X[:, :2]))
AT_LEVELS = {
    "by name": MDS(level="ordinal"),
    "with parameters": MDS(level=Ordinal(ties="secondary", strictness=0.1)),
    "interval": MDS(level="interval"),
    "spline": MDS(level=MonotoneSpline(degree=1, knots=2)),
    "power": MDS(level="power"),
    "landmarks": LandmarkMDS(n_landmarks=15, refine=2, level=Ordinal(ties="secondary")),
}


def at_level(name):
    how = {"metric": "precomputed", "n_init": 1, "random_state": 0, "eps": 1e-3}
    return clone(AT_LEVELS[name]).set_params(**how).fit(GROWN)


@pytest.mark.filterwarnings("ignore:.* of the new dissimilarities lie beyond")
@pytest.mark.parametrize("name", AT_LEVELS)
@pytest.mark.parametrize("way", ["file", "pickle"])
def test_a_level_and_its_transformation_come_back(tmp_path, name, way):
    mds = at_level(name)
    if way == "file":
        save(mds, tmp_path / "m")
        again = load(tmp_path / "m")
    else:
        again = pickle.loads(pickle.dumps(mds))
    assert again.transformation_.level == mds.transformation_.level == as_level(again.level)
    assert np.array_equal(again.transformation_(GROWN), mds.transformation_(GROWN))
    assert np.array_equal(again.transform(BETWEEN), mds.transform(BETWEEN))
    assert again.score(BETWEEN) == mds.score(BETWEEN)
    assert (again.stress_, again.cost_) == (mds.stress_, mds.cost_)
    if name != "landmarks":
        assert again.result_.transformation is again.transformation_
        assert mds.disparities_.shape == GROWN.shape
        if way == "file":
            assert again.disparities_ is None
        else:
            assert np.array_equal(again.disparities_, mds.disparities_)
    assert repr(again.transformation_) == repr(mds.transformation_)
    assert clone(again).fit(GROWN).stress_ == mds.stress_


def test_a_degenerate_map_stays_known_as_one(tmp_path):
    groups = np.repeat([0.0, 1.0], 6)
    D = np.where(groups[:, None] == groups, 1.0, 2.0)
    D[0, 1] = D[1, 0] = 1.1
    np.fill_diagonal(D, 0.0)
    with pytest.warns(DegenerateWarning):
        mds = MDS(level="ordinal", metric="precomputed", n_init=1, random_state=0).fit(D)
    save(mds, tmp_path / "m")
    assert load(tmp_path / "m").degeneracy_ == mds.degeneracy_ is not None


@pytest.mark.parametrize("D", [[[0.0]], [[0.0, 2.0], [2.0, 0.0]]], ids=len)
def test_one_or_two_points_have_a_level_too(tmp_path, D):
    mds = MDS(1, level="ordinal", metric="precomputed", n_init=1, random_state=0).fit(D)
    save(mds, tmp_path / "m")
    again = load(tmp_path / "m")
    assert (again.transformation_ is None) == (mds.transformation_ is None) == (len(D) == 1)
    assert np.allclose(again.transform(D), mds.embedding_)


def test_rows_of_their_own_come_back_and_still_place_nothing(tmp_path):
    mds = MDS(level="ordinal", conditional="row", metric="precomputed", n_init=1, random_state=0)
    save(mds.fit(GROWN), tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.conditional == "row"
    with pytest.raises(ValueError, match='conditional="row" gives every row a transformation'):
        again.transform(BETWEEN)


def relevelled(told):
    def change(header):
        return header | {"asked": header["asked"] | {"level": told}}

    return change


def moved(name, change):
    return lambda arrays: arrays | {name: change(arrays[name].copy())}


def less(name):
    return lambda arrays: {key: value for key, value in arrays.items() if key != name}


def set_to(place, value):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("header", "arrays", "problem"),
    [
        (relevelled({"name": "Nominal"}), None, "'Nominal' is not a level of this release"),
        (relevelled({"name": "Sphere", "radius": 1.0}), None, "'Sphere' is not a level"),
        (relevelled({"name": "Ordinal", "ties": "odd"}), None, "use one of primary"),
        (relevelled({"name": "Ordinal", "strictness": 7.0}), None, "must lie from 0 to 1"),
        (relevelled({"name": "MonotoneSpline", "knots": 10**9}), None, "whole number from 0"),
        (relevelled({"name": "Ordinal", "more": 1}), None, "missing or wrong"),
        (None, less("given"), "'given'"),
        (None, less("disparities"), "'disparities'"),
        (None, moved("given", lambda a: a[::-1]), "one number for each of rising"),
        (None, moved("given", set_to(1, np.nan)), "given is not a list of finite numbers"),
        (None, moved("disparities", set_to(-1, np.inf)), "disparities is not a list of finite"),
        (None, moved("disparities", set_to(0, -1.0)), "disparities is not a list"),
        (None, moved("disparities", lambda a: a[:-1]), "one number for each of rising"),
        (None, moved("given", lambda a: a[None]), "given is not a list"),
        (None, moved("given", lambda a: a[:0]), "given is not a list"),
        (None, moved("given", lambda a: a.astype(np.int64)), "given is not a list"),
    ],
)
def test_a_level_of_a_stranger_is_checked(tmp_path, header, arrays, problem):
    save(at_level("with parameters"), tmp_path / "m")
    told, held = read_archive(tmp_path / "m", "model")
    told, held = (header or (lambda h: h))(told), (arrays or (lambda a: a))(held)
    write_archive(tmp_path / "x", "model", told, held)
    with pytest.raises(FileError, match=problem):
        load(tmp_path / "x")


def test_models_of_releases_without_levels_are_ratio(tmp_path):
    def without(header):
        asked = {name: part for name, part in header["asked"].items() if name != "level"}
        params = {k: v for k, v in header["params"].items() if k != "conditional"}
        return header | {"asked": asked, "params": params}

    mds = load(altered(tmp_path, header=without))
    assert (mds.level, mds.conditional, mds.transformation_) == ("ratio", "table", None)
    assert mds.transform(NEW).shape == (7, 2)


def test_a_level_of_the_users_cannot_be_saved(tmp_path):
    mds = MDS(level=Doubled(), metric="precomputed", n_init=1, random_state=0).fit(GROWN)
    with pytest.raises(ValueError, match="a custom level, whose code cannot be saved"):
        save(mds, tmp_path / "m")


def _several():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    tables = {name: distances(X * rng.uniform(0.5, 1.5, 2)) for name in ("Ann", "Bob", "Cem")}
    table = distances(rng.normal(size=(9, 2)), rng.normal(size=(5, 2)))
    frame = pd.DataFrame(table, index=list("abcdefghi"), columns=list("vwxyz"))
    ordinal = {"level": "ordinal", "eps": 1e-4, "random_state": 0}
    return {
        "identity": IndividualDifferences(2, model="identity", random_state=0).fit(tables),
        "sizes": IndividualDifferences(2, model="sizes", loss="huber", random_state=0).fit(tables),
        "indscal": IndividualDifferences(2, **ordinal).fit(tables),
        "idioscal": IndividualDifferences(2, model="idioscal", random_state=0).fit(tables),
        "metric": Unfolding(2, random_state=0).fit(frame),
        "ranks": Unfolding(2, **ordinal).fit(frame),
        "curve": Unfolding(2, conditional="table", **ordinal).fit(frame),
    }


@pytest.mark.slow
def test_models_of_several_tables_and_of_rows_and_columns_are_the_same_again(tmp_path):
    for name, fit in _several().items():
        save(fit, tmp_path / f"{name}.unimds")
        again = load(tmp_path / f"{name}.unimds")
        assert type(again) is type(fit)
        np.testing.assert_array_equal(again.embedding_, fit.embedding_)
        assert (again.stress_, again.cost_, again.outcome_) == (
            fit.stress_,
            fit.cost_,
            fit.outcome_,
        )
        assert (again.loss_, again.space_) == (fit.loss_, fit.space_)
        if isinstance(fit, IndividualDifferences):
            assert again.subjects_ == fit.subjects_
            np.testing.assert_array_equal(np.array(again.maps_), np.array(fit.maps_))
        else:
            new = np.abs(np.arange(10.0).reshape(2, 5) % 4 + 0.5)
            np.testing.assert_allclose(again.transform(new), fit.transform(new))


@pytest.mark.slow
def test_a_model_of_several_tables_that_is_broken_is_refused(tmp_path):
    fit = _several()["indscal"]
    save(fit, tmp_path / "m.unimds")
    header, arrays = read_archive(tmp_path / "m.unimds", "model")
    changes = [
        (header, arrays | {"weights_": arrays["weights_"][:2]}),
        (header, arrays | {"embedding_": arrays["embedding_"] * np.nan}),
        (header, arrays | {"sizes": arrays["sizes"] + 1}),
        (header | {"subjects": ["Ann"]}, arrays),
    ]
    for number, (told, parts) in enumerate(changes):
        write_archive(tmp_path / f"{number}.unimds", "model", told, parts)
        with pytest.raises(FileError, match="broken"):
            load(tmp_path / f"{number}.unimds")
