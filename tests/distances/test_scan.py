"""The first look at a table tells the truth, whatever is in it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unimds.distances.validate import OUTER, Scan, scan

ODD = [0.0, -0.0, 1.0, 1.0 + 1e-9, 2.5, 1e-30, -1.0, np.inf, -np.inf, np.nan]


def by_hand(D, rounding):
    """Return the same with numpy, in many passes and copies."""
    n = len(D)
    off = ~np.eye(n, dtype=bool)
    negative, infinite = np.argwhere((D < 0.0) & off), np.argwhere(np.isinf(D))
    known = np.abs(D[~np.isnan(D)])
    largest = float(known.max(initial=0.0))
    with np.errstate(invalid="ignore"):
        gap = np.abs(D - D.T)
    missing = np.isnan(D)
    return Scan(
        negative=int(negative[0] @ [n, 1]) if len(negative) else -1,
        infinite=int(infinite[0] @ [n, 1]) if len(infinite) else -1,
        missing=int((missing & off).sum()),
        largest=largest,
        uneven=bool((gap > 0.0).any()),
        asymmetric=bool((gap > D.dtype.type(rounding * largest)).any()),
        one_sided=bool((missing != missing.T).any()),
        upper=bool((np.triu(D, 1) != 0.0).any()),
        lower=bool((np.tril(D, -1) != 0.0).any()),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data(), n=st.integers(1, 9))
def test_small_tables(data, n, dtype):
    D = data.draw(arrays(np.float64, (n, n), elements=st.sampled_from(ODD))).astype(dtype)
    if data.draw(st.booleans()):
        D = np.triu(D) + np.triu(D, 1).T
    if data.draw(st.booleans()):
        D = np.asfortranarray(D)
    assert scan(D) == by_hand(D, 1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [63, 64, 65, 200, OUTER + 70])
def test_one_odd_entry_is_found_wherever_it_is(n, dtype):
    rng = np.random.default_rng(n)
    plain = np.triu(rng.random((n, n)), 1).astype(dtype)
    plain += plain.T
    for value in (np.nan, -1.0, np.inf, 9.0):
        i, j = rng.choice(n, 2, replace=False)
        D = plain.copy()
        D[i, j] = value
        assert scan(D) == by_hand(D, 1e-5)
    assert scan(plain) == by_hand(plain, 1e-5)


def test_a_triangle_is_told_whichever_way_it_is_in_memory():
    below = np.tri(5, k=-1)
    for D in (below, below.T, np.asfortranarray(below), np.ascontiguousarray(below.T)):
        assert scan(D) == by_hand(D, 1e-8)
        assert D.flags.writeable  # as before
