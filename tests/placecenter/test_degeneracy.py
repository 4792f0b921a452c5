"""Degenerate maps are named, and no others."""

import warnings

import numpy as np
import pytest

from unimds import place_center
from unimds.placecenter.degeneracy import DegenerateWarning
from unimds.spaces import distances


@pytest.mark.parametrize("times", [2, 3])
def test_equal_objects_that_lie_in_one_place_are_no_reason_to_warn(times):
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), times, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegenerateWarning)
        found = place_center(distances(X), level="ordinal", random_state=0)
    assert found.degeneracy is None
