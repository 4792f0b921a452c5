"""A result says what matters in a few lines."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from benchmarks.tables import FOLDER, read
from unimds import MDS, place_center
from unimds.placecenter.result import Result
from unimds.quality import stress_1
from unimds.rivals import classical_mds
from unimds.spaces import distances

X = np.random.default_rng(0).normal(size=(300, 5))


def test_a_result_prints_its_figures_not_its_points():
    result = MDS(random_state=0).fit(X).result_
    text = repr(result)
    assert len(text.splitlines()) <= 3
    assert len(text) < 300
    for part in ("300 points", f"cost={result.cost:.6g}", f"stress={result.stress:.4g}"):
        assert part in text
    for part in (f"n_iter={result.n_iter}", "loss=Squared()", "space=Euclidean()", "Converged"):
        assert part in text


def test_a_result_without_a_stress_leaves_it_out():
    result = classical_mds(np.abs(X[:9, :1] - X[:9, :1].T), 1)
    assert isinstance(result, Result)
    assert ("stress=" in repr(result)) == (result.stress is not None)


def test_a_result_equals_itself_and_no_other():
    D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    one, other = (place_center(D, level="interval", random_state=0) for _ in range(2))
    assert one == one
    assert one != other
    assert one not in [other]
    assert len({one, other, one}) == 2


@pytest.mark.parametrize("count", [0, -1, 2.5])
def test_the_number_of_different_maps_must_be_one_or_more(count):
    starts = place_center(distances(X[:8]), random_state=0).starts
    assert len(starts.different(1)) == 1
    with pytest.raises(ValueError, match=rf"count={count} must be a whole number, 1 or more"):
        starts.different(count)


@pytest.mark.parametrize("options", [{}, {"loss": "absolute"}, {"memory_limit": 0}], ids=str)
def test_the_result_of_a_fit_has_the_stress(options):
    mds = MDS(random_state=0, n_init=1, **options).fit(X[:40])
    D = np.linalg.norm(X[:40, None] - X[:40], axis=2)
    assert mds.result_.stress == mds.stress_ == pytest.approx(stress_1(D, mds.embedding_))


def test_the_result_of_the_function_has_the_stress():
    D = np.linalg.norm(X[:40, None] - X[:40], axis=2)
    result = place_center(D, random_state=0)
    assert result.stress == pytest.approx(stress_1(D, result.embedding))


@pytest.mark.sample(7)
@pytest.mark.parametrize("unit", [1e-150, 1e-3, 1.0, 1e150])
@pytest.mark.parametrize("kind", ["plain", "asymmetric", "weighted", "missing", "equal weights"])
def test_the_stress_that_the_cost_tells_is_that_of_all_pairs(kind, unit):
    rng = np.random.default_rng(0)
    D, weights = distances(rng.normal(size=(9, 5))), None
    if kind == "asymmetric":
        D *= rng.uniform(0.8, 1.2, D.shape)
    if kind == "missing":
        D[1, 2] = D[2, 1] = np.nan
    if "weight" in kind:
        weights = np.full(D.shape, 1.0 if kind == "equal weights" else 3.0)
    result = place_center(unit * D, 2, weights=weights, random_state=0, max_iter=20)
    want = stress_1(D, result.embedding / unit, weights=weights)
    assert result.stress == pytest.approx(want, rel=1e-12)


def kruskal(D, points):
    """Stress-1 by its definition: the disparities are the regression on the distances."""
    d, u = (table[np.triu_indices(len(D), 1)] for table in (D, distances(points)))
    disparities = IsotonicRegression().fit_transform(d, u)
    return np.sqrt(((u - disparities) ** 2).sum() / (u**2).sum())


def test_the_stress_of_ranks_is_that_of_kruskal():
    D = distances(X[:25])
    mds = MDS(level="ordinal", metric="precomputed", random_state=0).fit(D)
    assert mds.stress_ == pytest.approx(kruskal(D, mds.embedding_), rel=1e-4)


def test_the_stress_of_ranks_is_the_one_that_vegan_publishes():
    """metaMDS(dune) ends at 0.1183186, the lowest that is known."""
    dune = read(FOLDER / "dune-20-meadows.txt").D
    mds = MDS(level="ordinal", metric="precomputed", random_state=0).fit(dune)
    assert mds.stress_ == pytest.approx(0.1183186, abs=1e-6)


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_a_perfect_map_at_a_level_has_no_stress(level):
    mds = MDS(level=level, metric="precomputed", random_state=0).fit(distances(X[:12, :2]))
    assert mds.stress_ < 1e-3
