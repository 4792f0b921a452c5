"""A result says what matters in a few lines."""

import numpy as np
import pytest

from unimds import MDS, place_center
from unimds.placecenter.result import Result
from unimds.quality import stress_1
from unimds.rivals import classical_mds

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


@pytest.mark.parametrize("options", [{}, {"loss": "absolute"}, {"memory_limit": 0}], ids=str)
def test_the_result_of_a_fit_has_the_stress(options):
    mds = MDS(random_state=0, n_init=1, **options).fit(X[:40])
    D = np.linalg.norm(X[:40, None] - X[:40], axis=2)
    assert mds.result_.stress == mds.stress_ == pytest.approx(stress_1(D, mds.embedding_))


def test_the_result_of_the_function_has_the_stress():
    D = np.linalg.norm(X[:40, None] - X[:40], axis=2)
    result = place_center(D, random_state=0)
    assert result.stress == pytest.approx(stress_1(D, result.embedding))
