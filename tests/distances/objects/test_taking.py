"""Arrays, lists, stacks and dicts: what is taken, and what to write instead of the rest."""

import networkx
import numpy as np
import pandas as pd
import pytest

from tests.support.tables import D, N
from unimds import MDS, LandmarkMDS, place_center

PRECOMPUTED = MDS(metric="precomputed", random_state=0)


STACKS = {
    "array": np.stack([D] * 12),
    "list of arrays": [D] * 12,
    "list of lists": [D.tolist()] * 12,
    "list of frames": [pd.DataFrame(D)] * 12,
}


@pytest.mark.parametrize("stack", STACKS.values(), ids=list(STACKS))
def test_a_stack_of_tables_is_told_what_to_do(stack):
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        PRECOMPUTED.fit(stack)
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        place_center(stack)
    with pytest.raises(ValueError, match=r"X has three dimensions, 12 × 6 × 6, .*\(12, -1\)"):
        MDS().fit(stack)


def test_the_advice_for_stacks_works():
    stack = np.stack([D] * 12)
    assert PRECOMPUTED.fit_transform(np.nanmean(stack, axis=0)).shape == (N, 2)
    X = np.random.default_rng(0).normal(size=(12, 6, 6))
    assert MDS(random_state=0).fit_transform(np.reshape(X, (12, -1))).shape == (12, 2)


def test_a_dict_of_path_lengths_says_what_to_write():
    graph = networkx.cycle_graph(8)
    paths = dict(networkx.all_pairs_shortest_path_length(graph))
    for estimator in (MDS(metric="precomputed"), MDS(), LandmarkMDS()):
        with pytest.raises(TypeError, match=r"is a dict, .*pandas.DataFrame\(dict\(paths\)\)"):
            estimator.fit(paths)
    with pytest.raises(TypeError, match="is a dict"):
        place_center(paths)
    D = pd.DataFrame(dict(paths))
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(D.loc[D.columns])
    assert list(mds.labels_) == list(graph)
