"""The paper's data, and the runs of methods on them: measured rightly, kept safely."""

import json
import signal
from dataclasses import asdict, replace
from importlib import import_module

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tests.support.by_hand import angles, straight
from unimds import Absolute, ChordalSphere, Euclidean, Sphere, Squared, SquaredDistance
from unimds.estimators.place_center import place_center
from unimds.experiments import FIGURES, Scale, Store, reproduce
from unimds.experiments import methods as m
from unimds.experiments.data import (
    Setting,
    near_euclidean,
    near_sphere,
    noisy_points,
    non_euclidean,
    perturb,
    subspace,
)
from unimds.experiments.methods import CURVE_POINTS, METHODS, Effort, Method, measure, thinned
from unimds.experiments.runs import read_curves, read_table, write_tables, write_text
from unimds.placecenter.result import Outcome, Result
from unimds.rivals import classical_mds, smacof
from unimds.starts.race import SINGLE_FROM


def generator():
    return np.random.default_rng(7)


def rank(matrix):
    """Number of dimensions, by a gap of eight decades."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(values > 1e-8 * values[0]))


def centred(D):
    """The matrix of inner products that distances belong to."""
    D2 = D**2
    return -0.5 * (D2 - D2.mean(axis=0) - D2.mean(axis=1)[:, None] + D2.mean())


# --- the data -------------------------------------------------------------------------------------


def test_the_subspace_has_its_dimension():
    X, basis = subspace(300, 200, 10, generator())
    assert (X.shape, basis.shape) == ((300, 10), (200, 10))
    np.testing.assert_allclose(basis.T @ basis, np.eye(10), atol=1e-12)
    assert rank(X) == 10
    # Gaussian of variance one in every dimension: five standard errors
    assert np.abs(X.mean(axis=0)).max() < 5.0 / np.sqrt(300)
    assert np.abs(X.var(axis=0) - 1.0).max() < 5.0 * np.sqrt(2.0 / 300)


def test_another_seed_draws_another_subspace():
    one, other = (subspace(5, 200, 10, np.random.default_rng(seed))[1] for seed in (0, 1))
    cosines = np.linalg.svd(one.T @ other, compute_uv=False)
    assert cosines.max() < 0.7  # ten dimensions of two hundred hardly meet


@pytest.mark.parametrize("noise", [0.3, 0.1])
def test_noise_is_as_large_as_stated_in_every_dimension(noise):
    clean = noisy_points(3000, 20, 4, 0.0, generator())
    assert rank(clean) == 4
    error = noisy_points(3000, 20, 4, noise, generator()) - clean
    # the variation of each dimension is not the same, and the noise follows it
    ratio = error.std(axis=0) / clean.std(axis=0)
    assert clean.std(axis=0).max() > 1.5 * clean.std(axis=0).min()
    np.testing.assert_allclose(ratio, noise, rtol=0.1)
    # a Poisson variable of mean one, less its mean: it is −1 and 0 with probability 1/e each
    counts = error / (noise * clean.std(axis=0)) + 1.0
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    for count, probability in enumerate(np.exp(-1.0) / np.array([1.0, 1.0, 2.0, 6.0])):
        assert np.mean(counts.round() == count) == pytest.approx(probability, abs=0.01)


def test_the_euclidean_data_are_those_of_noisy_points():
    D = near_euclidean(50, 3)
    points = noisy_points(50, 200, 10, 0.3, np.random.default_rng(3))
    np.testing.assert_allclose(D, straight(points), atol=1e-12)
    assert rank(centred(D)) == 49  # the noise fills every dimension
    assert rank(centred(near_euclidean(50, 3, noise=0.0))) == 10


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.3, 0.9, 1.0])
def test_exactly_a_share_of_the_distances_gets_longer(share):
    # distances of about 100: that Poisson noise of this mean is zero will not happen
    D = 60.0 + 20.0 * straight(subspace(80, 20, 3, generator())[0])
    np.fill_diagonal(D, 0.0)
    before = D.copy()
    wrong = perturb(D, share, generator())
    np.testing.assert_array_equal(D, before)
    np.testing.assert_array_equal(wrong, wrong.T)
    above = (wrong - D)[np.triu_indices(80, 1)]
    assert np.count_nonzero(above) == round(share * 3160)
    assert (above >= 0.0).all()
    assert (np.diag(wrong) == 0.0).all()


def test_the_noise_on_distances_is_as_large_as_they_are():
    pairs = np.triu_indices(300, 1)
    D = non_euclidean(300, 0.0, 5)
    assert rank(centred(D)) == 10
    above = (non_euclidean(300, 0.9, 5) - D)[pairs]
    np.testing.assert_allclose(above, above.round(), atol=1e-12)
    mean = D[pairs].mean()
    errors = np.sort(above)[above.size // 10 :]  # those that were chosen, whole numbers ≥ 0
    assert errors.mean() == pytest.approx(mean, rel=0.01)
    assert errors.var() == pytest.approx(mean, rel=0.05)  # as a Poisson variable


@pytest.mark.parametrize(
    ("space", "distances", "gram"),
    [
        (Sphere(), angles, np.cos),
        (ChordalSphere(), straight, lambda chord: 1.0 - 0.5 * chord**2),
    ],
    ids=["geodesic", "chordal"],
)
def test_spherical_data_lie_on_a_sphere(space, distances, gram):
    D = near_sphere(100, space, 2)
    points = noisy_points(100, 201, 11, 0.3, np.random.default_rng(2))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    np.testing.assert_allclose(D, distances(points), atol=1e-7)
    assert D.max() <= space.diameter
    assert D.max() > 0.5 * space.diameter
    # without noise S¹⁰, in a space of eleven dimensions
    assert rank(gram(near_sphere(100, space, 2, noise=0.0))) == 11


@pytest.mark.parametrize(
    "make",
    [
        near_euclidean,
        lambda n, seed: non_euclidean(n, 0.1, seed),
        lambda n, seed: near_sphere(n, Sphere(), seed),
    ],
    ids=["near_euclidean", "non_euclidean", "near_sphere"],
)
def test_data_are_symmetric_and_reproducible(make):
    D = make(40, 0)
    assert D.shape == (40, 40)
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0.0).all()
    assert (D[~np.eye(40, dtype=bool)] > 0.0).all()
    np.testing.assert_array_equal(D, make(40, 0))
    assert np.abs(D - make(40, 1)).max() > 0.1


# --- the figures ----------------------------------------------------------------------------------

TEN, DIMENSIONS, FLAT = [10], [2, 20, 50, 150], Euclidean()
PAPER = {
    "rmds-convergence": (TEN, Absolute(), FLAT),
    "rmds-k": (DIMENSIONS, Absolute(), FLAT),
    "rmds-noise": (4 * TEN, Absolute(), FLAT),
    "fmds-k": (DIMENSIONS, Squared(), FLAT),
    "fmds-noise": (4 * TEN, Squared(), FLAT),
    "r2mds-k": (DIMENSIONS, SquaredDistance(), FLAT),
    "g1smds": (TEN, Absolute(), Sphere()),
    "c2smds": (TEN, Squared(), ChordalSphere()),
}


def test_there_are_all_the_figures():
    assert list(FIGURES) == list(PAPER)
    assert all(FIGURES[name].name == name for name in PAPER)
    assert (Scale().n, Scale().seed) == (300, 0)
    assert (Scale.quick(3).n, Scale.quick(3).seed) == (60, 3)


@pytest.mark.parametrize("name", PAPER)
def test_a_figure_has_the_settings_of_the_paper(name):
    dimensions, loss, space = PAPER[name]
    settings = list(FIGURES[name].settings(160, 4))
    assert [setting.n_components for setting in settings] == dimensions
    shares = [0.02, 0.1, 0.3, 0.9]
    if name.endswith("noise"):
        assert [setting.name for setting in settings] == [f"noise={share:.0%}" for share in shares]
    else:
        assert [setting.name for setting in settings] == [f"k={k}" for k in dimensions]
    for share, setting in zip(4 * shares, settings, strict=False):
        assert (setting.loss, setting.space) == (loss, space)
        if space != FLAT:
            want = near_sphere(160, space, 4)
        elif name.endswith("noise"):
            want = non_euclidean(160, share, 4)
        else:
            want = near_euclidean(160, 4)
        np.testing.assert_array_equal(setting.D, want)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "D", [near_euclidean(300, 0), non_euclidean(300, 0.1, 0)], ids=["near", "perturbed"]
)
def test_smacof_and_both_forms_of_placecenter_find_the_same_minimum_of_fmds(D):
    setting = Setting("k=10", D, 10, Squared(), Euclidean())
    results = [method.run(setting, Effort()) for method in (m.SMACOF, m.PAPER, m.OURS)]
    seed = classical_mds(D, 10)
    for result in results:
        assert result.history[0, 1] == pytest.approx(seed.cost, rel=1e-9)
    costs = [0.5 * np.sum((straight(result.embedding) - D) ** 2) for result in results]
    assert max(costs) < 0.7 * seed.cost
    assert max(costs) <= 1.001 * min(costs)


# --- runs -----------------------------------------------------------------------------------------

SETTING = Setting("k=3", near_euclidean(250, 0), 3, Absolute(), Euclidean())
EFFORT = Effort(max_iter=9)


def made(costs, embedding=None):
    """The result of a method with such a history, a second each."""
    history = np.column_stack([np.arange(len(costs)) + 1.0, costs])
    X = np.zeros((250, 3)) if embedding is None else embedding
    return Result(X, -1.0, history, history, Outcome.FINISHED, Absolute(), Euclidean())


@pytest.mark.usefixtures("threads_of_blas")
def test_a_run_is_judged_by_its_map_and_compiled_beforehand():
    X, calls = generator().normal(size=(250, 3)), []

    def run(setting, effort):
        threads = {pool["num_threads"] for pool in threadpool_info()}
        calls.append((len(setting.D), effort, threads))
        assert setting.n_components == 3  # code for other dimensions is other code
        return made([9.0, 8.0, 8.5, 8.5, 7.0, 7.5], X)

    measured = measure("figure", SETTING, Method("name", "label", run), EFFORT)
    assert measured.cost == pytest.approx(0.5 * np.abs(straight(X) - SETTING.D).sum(), rel=1e-12)
    assert (measured.seconds, measured.sweeps, measured.rises) == (6.0, 5, 2)
    assert measured.message == Outcome.FINISHED.value
    assert measured.curve == list(zip(range(1, 7), [9.0, 8.0, 8.5, 8.5, 7.0, 7.5], strict=True))
    names = (measured.figure, measured.setting, measured.method, measured.label)
    assert names == ("figure", "k=3", "name", "label")
    (few, brief, _), (all_, full, _) = calls
    assert SINGLE_FROM < few < all_ == 250
    assert brief.max_iter < full.max_iter == 9
    assert all(threads <= {1} for _, _, threads in calls)  # one core, also for linear algebra


@pytest.mark.parametrize("warming_up", [True, False], ids=["beforehand", "measured"])
@pytest.mark.parametrize("fit", [place_center, smacof])
def test_a_run_that_was_interrupted_is_no_run(fit, warming_up):
    # methods return their best so far then, which must not be kept as if they had ended
    def run(setting, effort):
        now = (effort != EFFORT) is warming_up
        ctrl_c = (lambda *_: signal.raise_signal(signal.SIGINT)) if now else None
        return fit(setting.D, 4, max_iter=9, callback=ctrl_c)

    with pytest.raises(KeyboardInterrupt):
        measure("figure", SETTING, Method("name", "label", run), EFFORT)


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    costs = 1.0 + 1.0 / np.arange(1.0, 20_001.0)
    curve = thinned(made(costs))
    assert len(curve) <= CURVE_POINTS
    assert curve[:10] == [(i + 1.0, float(f"{costs[i]:.8g}")) for i in range(10)]
    assert curve[-1] == (20_000.0, float(f"{costs[-1]:.8g}"))
    assert thinned(made([3.0])) == [(1.0, 3.0)]


@pytest.fixture
def method():
    return Method("name", "a label, with a comma", lambda setting, effort: made([3.0, 2.0]))


def test_a_run_that_is_kept_comes_back(tmp_path, method):
    run = measure("figure", SETTING, method, EFFORT)
    store = Store(tmp_path / "new" / "folder", asdict(Scale()))
    assert store.get("figure", SETTING.name, method.name) is None
    store.put(run)
    store = Store(tmp_path / "new" / "folder", asdict(Scale()))
    again = store.get("figure", SETTING.name, method.name)
    assert asdict(again) == {**asdict(run), "curve": [list(point) for point in run.curve]}
    ours = replace(run, method=m.OURS.name, label=m.OURS.label, cost=0.5 * run.cost)
    write_tables(tmp_path, "figure", [ours, again])
    first, second = read_table(tmp_path, "figure")
    assert (first.method, first.above) == (m.OURS.label, 0.0)
    assert (second.method, second.above) == (run.label, 100.0)
    assert second.cost == pytest.approx(run.cost, rel=1e-9)
    kept = [second.seconds, second.sweeps, second.rises, second.message]
    assert kept == [run.seconds, run.sweeps, run.rises, run.message]
    assert read_curves(tmp_path, "figure")["k=3", run.label] == run.curve


@pytest.mark.parametrize("text", ["", '{"figure": "figure", "set', "[]", "{}", '{"other": 1}'])
def test_a_file_that_is_no_run_counts_as_missing(tmp_path, method, text):
    store = Store(tmp_path, {})
    write_text(store.path("figure", SETTING.name, method.name), text)
    assert store.get("figure", SETTING.name, method.name) is None


@pytest.mark.parametrize(
    "other",
    [Scale(seed=1), Scale(n=60), Scale(effort=Effort(eps=1e-8)), Scale.quick()],
    ids=["seed", "n", "effort", "quick"],
)
def test_runs_with_other_settings_do_not_mix(tmp_path, other):
    Store(tmp_path, asdict(Scale()))
    before = (tmp_path / "settings.json").read_bytes()
    assert json.loads(before)["n"] == 300
    with pytest.raises(ValueError, match="choose another folder"):
        Store(tmp_path, asdict(other))
    assert (tmp_path / "settings.json").read_bytes() == before


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "file"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, 1000 * "new" + "\ud800")
    assert path.read_text() == "old"
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [file.name for file in path.parent.iterdir()] == ["file"]


@pytest.mark.slow
def test_from_python_one_is_told_of_every_run_also_of_those_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("unimds.experiments.reproduce"), "draw_runs", print)
    scale = Scale(14, 0, Effort(max_iter=3, sweeps=3, sgd_passes=3))
    figure = FIGURES["c2smds"]
    title, labels = figure.title, [METHODS[name].label for name in figure.methods]

    def told():
        log = []
        done = reproduce(tmp_path, ["c2smds"], scale, lambda *what: log.append(what), log.append)
        assert list(done) == ["c2smds"]
        assert log[::2] == [(title, "k=10", label) for label in labels]
        assert log[1::2] == done["c2smds"]
        assert [run.label for run in done["c2smds"]] == labels
        return done["c2smds"]

    first, again = told(), told()
    assert all(run.sweeps <= 3 for run in first)
    assert [run.seconds for run in again] == [run.seconds for run in first]


def test_an_unknown_figure_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(ValueError, match="no figure 'none'; choose among rmds-convergence, rmds-k"):
        reproduce(tmp_path / "folder", ["c2smds", "none"])
    assert not (tmp_path / "folder").exists()
