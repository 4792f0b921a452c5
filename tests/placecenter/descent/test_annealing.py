"""Levels of smoothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unimds.losses import as_loss
from unimds.placecenter.descent.annealing import (
    LEVELS_PER_DECADE,
    SLOW_DECADES,
    SLOW_LEVELS,
    falling,
    slowly,
)

ABSOLUTE = as_loss("absolute")


@given(first=st.floats(1e-12, 1e12), floor=st.floats(1e-9, 2.0))
def test_slow_levels_fall_from_the_first_to_the_last(first, floor):
    levels = falling(first, ABSOLUTE, floor * first)
    slow = slowly(levels)
    assert (slow[0], slow[-1]) == (levels[0], levels[-1])
    assert np.all(np.diff(slow) < 0.0)


def test_only_the_first_levels_are_denser():
    levels = falling(1.0, ABSOLUTE)
    end = 1.001 * 10.0**-SLOW_DECADES
    assert [level for level in slowly(levels) if level < 0.99 * end] == [
        level for level in levels if level < 0.99 * end
    ]
    first = [level for level in slowly(levels) if level > end]
    steps = np.log10(first[:-1]) - np.log10(first[1:])
    np.testing.assert_allclose(steps, 1.0 / SLOW_LEVELS)
    assert SLOW_LEVELS > 2 * LEVELS_PER_DECADE
