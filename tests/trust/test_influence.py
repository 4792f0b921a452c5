"""The pairs that decide: by their pull, and by leaving them out."""

import numpy as np
import pytest

from unimds import MDS
from unimds.losses import LOSSES, Huber
from unimds.quality import align
from unimds.spaces import distances
from unimds.trust import deciding_pairs
from unimds.trust import influence as module
from unimds.trust.influence import slopes

QUICK = MDS(metric="precomputed", n_init=1, random_state=0)


def noisy(n=12, seed=0):
    rng = np.random.default_rng(seed)
    T = np.triu(distances(rng.normal(size=(n, 2))) * rng.uniform(0.9, 1.1, (n, n)), 1)
    return T + T.T


def test_a_wrong_distance_decides_most():
    D = noisy()
    D[2, 7] = D[7, 2] = 3.0 * D[2, 7]
    first, *others = deciding_pairs(QUICK, D, top=4)
    assert (first.i, first.j) == (2, 7)
    assert first.farthest in (2, 7)
    assert first.move > 3.0 * others[0].move
    assert [pair.move for pair in others] == sorted((p.move for p in others), reverse=True)


def test_the_move_is_that_of_the_map_without_the_pair():
    D = noisy()
    mds = MDS(metric="precomputed", random_state=0).fit(D)
    pair = deciding_pairs(mds, top=1)[0]
    assert pair.given == D[pair.i, pair.j]
    assert pair.mapped == pytest.approx(distances(mds.embedding_)[pair.i, pair.j])
    assert pair.slope == pytest.approx(2.0 * (pair.mapped - pair.given))
    D[pair.i, pair.j] = D[pair.j, pair.i] = np.nan
    other = align(MDS(metric="precomputed", random_state=0).fit(D), mds)
    far = np.linalg.norm(other - mds.embedding_, axis=1)
    assert pair.move == pytest.approx(np.sqrt(np.mean(far**2)), rel=1e-2)
    assert pair.farthest == far.argmax()


def test_candidates_find_what_all_pairs_do():
    D = noisy(10)
    all_pairs = deciding_pairs(QUICK, D, top=2, n_candidates=45)
    assert deciding_pairs(QUICK, D, top=2, n_candidates=15)[0] == all_pairs[0]


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_slopes_are_finite_differences(name):
    loss = LOSSES[name]() if name != "huber" else Huber(0.3)
    u, r = np.array([1.0, 2.0, 0.5]), np.array([1.5, 1.0, 0.4])
    step = 1e-6
    expected = [
        (loss.value(a + step, b) - loss.value(a - step, b)) / (2.0 * step)
        for a, b in zip(u, r, strict=True)
    ]
    np.testing.assert_allclose(slopes(loss, u, r), expected, rtol=1e-4)


def test_missing_pairs_weights_and_both_directions():
    D, W = noisy(), np.ones((12, 12))
    D[0, 1] = D[1, 0] = np.nan
    W[2, 3] = W[3, 2] = 0.0
    found = deciding_pairs(QUICK, D, weights=W, top=5)
    assert {(0, 1), (2, 3)}.isdisjoint({(pair.i, pair.j) for pair in found})
    both = noisy() * np.random.default_rng(0).uniform(0.9, 1.1, (12, 12))
    assert len(deciding_pairs(QUICK, both, top=3)) == 3


def test_a_pair_that_holds_the_points_together_decides_everything():
    T = np.full((8, 8), np.nan)
    D = noisy(8)
    T[:4, :4], T[4:, 4:] = D[:4, :4], D[4:, 4:]
    T[3, 4] = T[4, 3] = D[3, 4]
    found = deciding_pairs(MDS(1, metric="precomputed", n_init=1), T, top=1, n_candidates=13)
    assert (found[0].i, found[0].j, found[0].move) == (3, 4, np.inf)


def test_errors_and_interruptions(monkeypatch):
    with pytest.raises(ValueError, match="top=0 must be a whole number, 1 or more"):
        deciding_pairs(QUICK, noisy(), top=0)
    with pytest.raises(ValueError, match="n_candidates=2 must be a whole number, 5 or more"):
        deciding_pairs(QUICK, noisy(), top=5, n_candidates=2)
    original, count = module.aligned, []

    def interrupted(*args):
        count.append(args)
        if len(count) == 4:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(module, "aligned", interrupted)
    with pytest.warns(RuntimeWarning, match="Interrupted: 3 of 6 pairs were done"):
        assert len(deciding_pairs(QUICK, noisy(), top=2)) == 2
