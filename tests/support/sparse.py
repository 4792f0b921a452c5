"""Sparse tables that must stay sparse and unchanged, and the checks of scikit-learn."""

import warnings
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.utils.estimator_checks import check_estimator

SPARSE = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix]


def failed_checks(estimator):
    """Run scikit-learn's checks and return those that fail, each with all that was said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of their data earn a warning, which is all right
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    return {
        result["check_name"]: f"{result['exception']} {result['exception'].__cause__}"
        for result in results
        if result["status"] == "failed"
    }


def forbid_dense(monkeypatch, n_features):
    """Let no sparse table with all the features become a dense one, except for single rows."""

    def guarded(original):
        def toarray(self, *args, **kwargs):
            whole = self.ndim == 2 and self.shape[0] > 1 and self.shape[1] == n_features
            assert not whole, "a sparse table became dense"
            return original(self, *args, **kwargs)

        return toarray

    for kind in (*SPARSE, sp.coo_array, sp.coo_matrix):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(kind, name, guarded(getattr(kind, name)))


def untidy(dense, kind=sp.csr_array):
    """A sparse table of a person's own making: entries in any order, each in two parts."""
    whole = kind(dense)
    rng = np.random.default_rng(0)
    at = np.concatenate(
        [rng.permutation(np.tile(np.arange(*ends), 2)) for ends in pairwise(whole.indptr)]
    )
    return kind((0.5 * whole.data[at], whole.indices[at], 2 * whole.indptr), shape=whole.shape)


class unchanged:
    """Check that a sparse table is left as it was, to the order of its entries."""

    def __init__(self, table):
        self.table = table

    def __enter__(self):
        self.before = self.table.copy()

    def __exit__(self, *error):
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(self.table, name), getattr(self.before, name))
