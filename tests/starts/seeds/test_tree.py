"""Starts from the tree of a table: neighbour joining, its layout, and what it leads to."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import check_grad
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from unimds import Hyperbolic, place_center
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.spaces import distances
from unimds.starts.seeds.tree import Limbs, Tree, joined, laid_out, tree_start


def tree_table(parents, lengths=None):
    """Return the path lengths between the nodes of a tree, given the parents of nodes 1, 2, …"""
    n = len(parents) + 1
    lengths = np.ones(n - 1) if lengths is None else lengths
    edges = csr_array((lengths, (np.arange(1, n), parents)), shape=(n, n))
    return shortest_path(edges, directed=False)


def binary(n):
    return tree_table([(i - 1) // 2 for i in range(1, n)])


def recursive(n, seed, lengths=False):
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(i)) for i in range(1, n)]
    return tree_table(parents, rng.uniform(0.2, 1.8, n - 1) if lengths else None)


def stress(D, result):
    u = distances(result.embedding, space=result.space)
    return np.sqrt(((u - D) ** 2).sum() / (u**2).sum())


def problem_of(D, curvature=1.0, k=2):
    return Problem.posed(as_pairs(D), Squared(), Hyperbolic(curvature), k)


def grown(problem):
    """Return rows of points from the tree of a table, in the user's unit."""
    X = tree_start(problem, [])
    return None if X is None else problem.frame.outer(X)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("hidden", [0, 20])
def test_neighbour_joining_finds_a_tree_from_its_distances(seed, hidden):
    D = recursive(60, seed, lengths=True)[hidden:, hidden:]  # the first nodes have no points
    tree = joined(D)
    np.testing.assert_allclose(tree.paths(), D, atol=1e-9)
    assert (tree.parent[1:] < np.arange(1, tree.parent.size)).all()


def test_the_root_is_the_middle_of_the_points():
    tree = joined(tree_table(range(8)))  # a path of nine nodes
    assert tree.node[4] == 0
    assert tree.radius == pytest.approx(4.0)


def points_of(tree, unit):
    """Return the points of a layout that has not settled."""
    limbs = Limbs(tree, tree.paths(), unit)
    frames, _, _ = limbs._frames(np.zeros(limbs.first.size))
    return limbs._points(frames)


@pytest.mark.parametrize("unit", [0.3, 1.0, 5.0])
def test_a_path_is_laid_out_exactly(unit):
    lengths = np.array([1.0, 2.0, 0.5, 1.5, 1.0])
    D = tree_table(range(5), lengths)
    u = distances(points_of(joined(D), unit), space=Hyperbolic(unit**-2))
    np.testing.assert_allclose(u, D, atol=1e-7)


@pytest.mark.parametrize("unit", [0.3, 1.0, 5.0])
def test_a_star_has_its_leaves_evenly_around_it(unit):
    D = tree_table(np.zeros(6, dtype=int))
    X = points_of(joined(D), unit)
    u = distances(X, space=Hyperbolic(unit**-2))
    np.testing.assert_allclose(u[0], D[0], atol=1e-12)
    angles = np.sort(np.arctan2(X[1:, 2], X[1:, 1]))
    np.testing.assert_allclose(np.diff(angles), np.pi / 3.0)


def test_strong_curvature_spreads_the_edges_of_a_node_evenly():
    """As in Sarkar's construction; weak curvature gives room by the number of points."""
    parents = np.array([0, 0, 0, 0, 0, 1, 1, 1, 5, 5, 5])  # three leaves, and a branch with five
    tree = Tree(parents, np.append(0.0, np.ones(10)), np.arange(11))
    strong, weak = (np.diff(laid_out(tree, unit)[1:5]) for unit in (0.01, 100.0))
    np.testing.assert_allclose(strong, np.pi / 2.0, rtol=1e-6)
    np.testing.assert_allclose(weak, 2.0 * np.pi * np.array([3.0, 1.0, 1.0]) / 8.0, rtol=0.05)


def test_slopes_are_those_of_the_cost():
    D = recursive(12, 0, lengths=True)
    limbs = Limbs(joined(D), 1.1 * D, 0.8)
    at = np.random.default_rng(0).normal(scale=0.2, size=limbs.first.size) * limbs.scale
    _, slope = limbs.cost(at)
    off = check_grad(lambda z: limbs.cost(z)[0], lambda z: limbs.cost(z)[1], at, epsilon=1e-5)
    assert off < 1e-4 * np.linalg.norm(slope)


@pytest.mark.sample(1)
@pytest.mark.parametrize("k", [2, 3])
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_starts_are_points_of_the_space_for_any_table(k, data):
    """With ties, zeros, distances of any size and missing pairs."""
    n = data.draw(st.integers(4, 9))
    lengths = st.sampled_from([0.0, 1e-12, 0.5, 1.0, 1.0, 2.0])
    lengths = data.draw(arrays(float, n - 1, elements=lengths))
    parents = [data.draw(st.integers(0, i - 1)) for i in range(1, n)]
    D = tree_table(parents, lengths + 1e-300)  # an edge of length zero would be none
    D[D < 1e-200] = 0.0
    noise = data.draw(arrays(float, (n, n), elements=st.floats(0.0, 0.2)))
    D *= 1.0 + noise + noise.T
    assume(D.max() > 0.1)  # a table of zeros has no scale to choose a curvature by
    D *= data.draw(st.sampled_from([1e-130, 1e-3, 1.0, 1e3, 1e150]))
    missing = np.triu(data.draw(arrays(bool, (n, n))), 2)  # the points still hang together
    D[missing | missing.T] = np.nan
    largest = np.nanmax(D)
    wide = data.draw(st.sampled_from([0.1, 5.0, 39.9]))  # of the map, in units of length
    X = grown(problem_of(D, float((wide / largest) * (wide / largest)), k))
    if X is not None:
        assert np.isfinite(X).all()
        Hyperbolic().check_points(X, "the start")


def test_a_table_without_a_tree_has_no_such_start():
    rng = np.random.default_rng(0)
    random = np.triu(rng.random((40, 40)), 1)
    assert grown(problem_of(random + random.T)) is None
    plane = rng.normal(size=(40, 2))
    assert grown(problem_of(distances(plane))) is None
    twins = np.zeros((5, 5))
    twins[0, 1:] = twins[1:, 0] = 1.0
    assert grown(problem_of(twins)) is not None
    assert grown(problem_of(binary(31))) is not None


def test_a_tree_that_fits_no_better_than_a_known_map_is_no_start():
    space = Hyperbolic(1.0)
    X = place_center(binary(31), space=space, random_state=0).embedding
    problem = problem_of(distances(X, space=space))
    assert tree_start(problem, []) is not None  # its distances are nearly those of a tree
    assert tree_start(problem, [problem.inner(X)]) is None


@pytest.mark.sample(2)
@pytest.mark.parametrize(("curvature", "highest"), [(1.0, 0.0382), (4.0, 0.009), (9.0, 0.01)])
@pytest.mark.parametrize("random_state", range(2))
def test_a_binary_tree_of_63_nodes_is_not_tangled(curvature, highest, random_state):
    D = binary(63)
    space = Hyperbolic(curvature)
    result = place_center(D, space=space, random_state=random_state)
    assert stress(D, result) <= highest  # from other starts 0.040, 0.074 and 0.096


@pytest.mark.sample(3)
@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("curvature", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(
    "D",
    [binary(31), recursive(50, 0), recursive(60, 1, lengths=True)],
    ids=["binary", "recursive", "of all lengths"],
)
def test_fits_of_trees_are_never_above_the_descent_from_their_tree(D, curvature):
    D = D / np.median(D[D > 0.0]) * 5.0
    X = grown(problem_of(D, curvature))
    space = Hyperbolic(curvature)
    alone = place_center(D, space=space, init=X)
    raced = place_center(D, space=space, random_state=0)
    assert raced.cost <= alone.cost * (1.0 + 1e-12)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "D",
    [binary(63), recursive(60, 0), recursive(60, 1, lengths=True)[20:, 20:]],
    ids=["binary", "recursive", "of all lengths, with hidden nodes"],
)
def test_an_estimated_curvature_settles_on_a_tree(D):
    result = place_center(D, space=Hyperbolic("auto"), random_state=0)
    assert result.converged
    fixed = place_center(D, space=Hyperbolic(result.space.curvature), random_state=0)
    assert result.cost <= fixed.cost * (1.0 + 1e-6)


@pytest.mark.slow
def test_a_tree_in_three_dimensions_leaves_the_plane():
    D = recursive(60, 2)
    plane, space = (place_center(D, k, space=Hyperbolic(1.0), random_state=0) for k in (2, 3))
    assert space.cost < 0.9 * plane.cost


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
def test_many_points_get_their_tree_from_a_sample():
    D = recursive(620, 3)
    D *= 8.0 / np.median(D)
    result = place_center(D, space=Hyperbolic(1.0), random_state=0, max_iter=300)
    assert stress(D, result) < 0.15


@pytest.mark.slow
def test_a_curvature_that_stays_does_so_after_an_interruption(tmp_path):
    path, how = tmp_path / "tree.ckpt", {"space": Hyperbolic("auto"), "random_state": 0}
    D = binary(63)
    whole = place_center(D, **how)
    place_center(D, **how, checkpoint=path, callback=lambda n, *_: n == 2)
    assert path.exists()
    ended = place_center(D, **how, checkpoint=path)
    assert ended.space == whole.space
    assert ended.cost == whole.cost


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("how", [{"n_init": 1}, {"init": "shaken"}], ids=str)
def test_the_curvature_of_a_tree_is_not_taken_without_its_start(how):
    D = recursive(60, 1, lengths=True)
    result = place_center(D, space=Hyperbolic("auto"), random_state=0, **how)
    assert result.stress < 0.1  # at the curvature of the tree 0.14 and 0.24
