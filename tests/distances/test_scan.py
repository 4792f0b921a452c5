"""The first look at a table tells the truth, whatever is in it."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.memory import most_allocated
from unimds.distances.validate import PATCH, Scan, rounding, scan

NEAR = [1.0 + 1e-9, 1.0 + 1e-7, 1.0 + 1e-6, 1.0 + 1e-5, 1.0 + 1e-4]  # on both sides of rounding
SIZES = [0.0, -0.0, 1.0, *NEAR, 2.5, 1e-30, 5e-324, 1e-45, 3e38, 1e308]
ODD = [-1.0, -1e-30, -3e38, -1e308, np.inf, -np.inf, np.nan]
DTYPES = [np.float32, np.float64]


def one_by_one(D):
    """Return the same from one entry, and one pair of entries, after the other."""
    n, exact = len(D), [[float(x) for x in row] for row in D]
    places = [(i, j) for i in range(n) for j in range(n)]
    negative = [i * n + j for i, j in places if exact[i][j] < 0.0 and i != j]
    infinite = [i * n + j for i, j in places if math.isinf(exact[i][j])]
    largest = max((abs(exact[i][j]) for i, j in places if not math.isnan(exact[i][j])), default=0.0)
    same = D.dtype.type(rounding(D.dtype) * largest)
    missing = uneven = asymmetric = one_sided = upper = lower = 0
    for i, j in places:
        there, back = exact[i][j], exact[j][i]
        with np.errstate(over="ignore"):
            gap = abs(D.dtype.type(there - back))  # rounding twice changes no difference
        missing += math.isnan(there) and i != j
        uneven += gap > 0.0
        asymmetric += gap > same
        one_sided += math.isnan(there) != math.isnan(back)
        upper += i < j and there != 0.0
        lower += i > j and there != 0.0
    first = negative[0] if negative else -1, infinite[0] if infinite else -1
    answers = map(bool, (uneven, asymmetric, one_sided, upper, lower))
    return Scan(*first, missing, largest, *answers)


def by_hand(D):
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
        asymmetric=bool((gap > D.dtype.type(rounding(D.dtype) * largest)).any()),
        one_sided=bool((missing != missing.T).any()),
        upper=bool((np.triu(D, 1) != 0.0).any()),
        lower=bool((np.tril(D, -1) != 0.0).any()),
    )


def quietly(D):
    """Return what a scan finds, which must be plain numbers, without a warning on the way."""
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        seen = scan(D)
    assert [type(value) for value in seen] == [int, int, int, float, *[bool] * 5]
    assert math.copysign(1.0, seen.largest) == 1.0  # zero has no sign
    return seen


@st.composite
def tables(draw):
    dtype, n = draw(st.sampled_from(DTYPES)), draw(st.integers(0, 9))
    values = st.sampled_from(draw(st.sampled_from([SIZES, SIZES[:8], SIZES + ODD])))
    with np.errstate(over="ignore", under="ignore"):
        D = draw(arrays(np.float64, (n, n), elements=values)).astype(dtype)
    if draw(st.booleans()):  # the same both ways, but for some entries
        D = np.where(np.tri(n, dtype=bool), D, D.T)
        for i in draw(st.lists(st.integers(0, n * n - 1), max_size=3)) if n else ():
            D.flat[i] = dtype(draw(st.sampled_from([0.0, 2.0, np.nan, -1.0])))
    if draw(st.booleans()):
        np.fill_diagonal(D, draw(st.sampled_from([0.0, -0.0, 3.0, -3.0, np.inf, np.nan])))
    layout = draw(st.sampled_from(["C", "F", "every other"]))
    if layout == "every other":
        D = np.repeat(np.repeat(D, 2, axis=0), 2, axis=1)[::2, ::2]
    D = np.asarray(D, order=layout) if layout in "CF" else D
    D.flags.writeable = draw(st.booleans())
    return D


@given(tables())
@example(np.array([[0.0, np.inf], [np.inf, 0.0]]))
@example(np.array([[0.0, np.inf], [-np.inf, 0.0]]))
@example(np.array([[0.0, 1e308], [-1e308, 0.0]]))
@example(np.array([[np.nan, 1.0], [1.0, -1.0]]))
@example(np.array([[-0.0, -0.0], [-0.0, -0.0]]))
def test_small_tables(D):
    writeable = D.flags.writeable
    assert quietly(D) == one_by_one(D)
    assert D.flags.writeable == writeable


@pytest.mark.parametrize(("dtype", "most"), [(np.float32, 1e-5), (np.float64, 1e-8)])
@pytest.mark.parametrize("largest", [1.0, 0.7, 1e30])
def test_rounding_ends_at_one_number(dtype, most, largest):
    D = np.zeros((3, 3), dtype=dtype)
    D[0, 1] = D[1, 0] = largest
    D[2, 0] = most * float(D[0, 1])
    assert quietly(D) == one_by_one(D)
    assert scan(D).uneven
    assert not scan(D).asymmetric
    D[2, 0] = np.nextafter(D[2, 0], dtype(np.inf))
    assert quietly(D) == one_by_one(D)
    assert scan(D).asymmetric


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [63, 200, PATCH, 2 * PATCH + 70])
def test_one_odd_entry_is_found_wherever_it_is(n, dtype):
    rng = np.random.default_rng(n)
    plain = np.triu(rng.random((n, n)), 1).astype(dtype)
    plain += plain.T
    for value in (np.nan, -1.0, np.inf, 9.0):
        i, j = rng.choice(n, 2, replace=False)
        D = plain.copy()
        D[i, j] = value
        assert quietly(D) == by_hand(D)
    assert quietly(plain) == by_hand(plain)


@pytest.mark.parametrize("order", ["C", "F"])
@given(
    entries=st.lists(
        st.tuples(
            st.integers(0, PATCH + 8), st.integers(0, PATCH + 8), st.sampled_from(SIZES + ODD)
        ),
        max_size=6,
    )
)
def test_a_table_of_several_squares(entries, order):
    D = np.zeros((PATCH + 9, PATCH + 9), order=order)
    for i, j, value in entries:
        D[i, j] = value
    assert quietly(D) == by_hand(D)


def test_a_triangle_is_told_whichever_way_it_is_in_memory():
    below = np.tri(5, k=-1)
    for D in (below, below.T, np.asfortranarray(below), np.ascontiguousarray(below.T)):
        assert quietly(D) == by_hand(D)
        assert D.flags.writeable  # as before


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_file_is_read_in_little_memory(tmp_path, dtype):
    n = 3 * PATCH
    D = np.random.default_rng(0).random((n, n)).astype(dtype)
    D[3, 5] = np.nan
    np.save(tmp_path / "D.npy", D)
    mapped = np.load(tmp_path / "D.npy", mmap_mode="r")
    assert quietly(mapped) == by_hand(D)
    assert most_allocated(lambda: scan(mapped)) < 3 * PATCH**2 * D.itemsize
