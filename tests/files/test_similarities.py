"""Similarities that are given as distances: known by their numbers, in files and in Python."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from tests.support.commands import run
from unimds import MDS, place_center
from unimds.files import FileWarning, SimilarityWarning, read
from unimds.files.meaning.similarities import seem_similar

ITEMS = ["calm", "glad", "sad", "angry", "tired", "tense", "bored", "proud", "shy", "sorry"]
N = len(ITEMS)


def ratings():
    """Ratings of likeness from 1 to 7 of items on a circle, the same both ways, 7 for itself."""
    turn = 2.0 * np.pi * np.random.default_rng(4).random(N)
    X = np.column_stack([np.cos(turn), np.sin(turn)])
    far = squareform(pdist(X))
    return np.round(7.0 - 6.0 * far / far.max(), 2)


def confusions():
    """Counts, not the same both ways, the largest of each row on the diagonal."""
    rng = np.random.default_rng(1)
    near = np.exp(-1.5 * (7.0 - ratings()) / 2.0)
    return rng.poisson(60.0 * near).astype(float) + 60.0 * np.eye(N)


def with_diagonal(S, value):
    S = S.copy()
    np.fill_diagonal(S, value)
    return S


def cooccurrences():
    """How many of 12 subjects sorted two items into one pile."""
    near = (ratings() - 1.0) / 6.0
    S = np.round(12.0 * near**2)
    return with_diagonal(S, 0.0)


def written(S, path):
    pd.DataFrame(S, index=ITEMS, columns=ITEMS).to_csv(path)
    return path


ZERO = {
    "ratings": with_diagonal(ratings(), 0.0),
    "confusions": with_diagonal(confusions(), 0.0),
    "sorting": cooccurrences(),
    "no diagonal": with_diagonal(ratings(), np.nan),
}


@pytest.mark.parametrize("name", ZERO)
def test_similarities_get_the_same_question_in_files_and_in_python(tmp_path, name):
    S, path = ZERO[name], tmp_path / "items.csv"
    written(S, path)
    with pytest.warns(FileWarning, match=r"are these similarities\?.*give kind='distances'"):
        assert read(path).kind == "distances"
    with pytest.warns(SimilarityWarning, match=r"D: .* are these similarities\?"):
        MDS(metric="precomputed", random_state=0, n_init=1).fit(S)
    with pytest.warns(SimilarityWarning):
        place_center(S, random_state=0, n_init=1)


def test_the_command_asks_once_and_takes_an_answer(tmp_path):
    path = written(ZERO["ratings"], tmp_path / "items.csv")
    said = run("embed", path, "--init", "random").err
    assert said.count("are these similarities?") == 1
    assert "to confirm distances, give --kind distances" in said
    assert "similarities" not in run("embed", path, "--kind", "distances").err


def test_pairs_and_condensed_vectors_are_checked_too(tmp_path):
    S = ratings()
    i, j = np.triu_indices(N, 1)
    for name in ("value", "mean", "rating"):
        pairs = pd.DataFrame(
            {"stim1": [ITEMS[a] for a in i], "stim2": [ITEMS[b] for b in j], name: S[i, j]}
        )
        path = tmp_path / f"{name}.csv"
        pairs.to_csv(path, index=False)
        with pytest.warns(FileWarning, match=r"similarities\? .*give kind='pairs'") as told:
            assert read(path).kind == "pairs"
        assert len(told) == 1  # the name of the column raises no question of its own
        assert read(path, kind="pairs").n == N
        pairs.assign(**{name: 8.0 - pairs[name]}).to_csv(path, index=False)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*the 'rating' of a pair")
            assert read(path).kind == "pairs"
    for path in (tmp_path / "vector.txt", tmp_path / "vector.npy"):
        (np.savetxt if path.suffix == ".txt" else np.save)(path, S[i, j])
        with pytest.warns(FileWarning, match=r"similarities\? .*give kind='distances'"):
            read(path)
        assert read(path, kind="distances").n == N


def test_a_square_as_r_prints_it_is_checked_too(tmp_path):
    path, S = tmp_path / "printed.txt", ratings()
    rows = [
        " ".join([name, *(f"{x:g}" for b, x in enumerate(S[a]) if b != a)])
        for a, name in enumerate(ITEMS)
    ]
    path.write_text("\n".join([" ".join(ITEMS), *rows]))
    with pytest.warns(FileWarning, match=r"are these similarities\?"):
        assert read(path).n == N


def test_no_distances_are_taken_for_similarities():
    rng = np.random.default_rng(0)
    X, counts = rng.normal(size=(30, 10)), rng.poisson(rng.gamma(0.5, 4.0, size=(30, 20)))
    for metric in ("euclidean", "sqeuclidean", "cosine", "correlation", "cityblock"):
        assert not seem_similar(squareform(pdist(X, metric))), metric
    for metric in ("braycurtis", "jaccard", "canberra"):
        assert not seem_similar(squareform(pdist(counts, metric))), metric
    for graph in (
        nx.star_graph(12),
        nx.karate_club_graph(),
        nx.balanced_tree(2, 4),
        nx.wheel_graph(9),
        nx.cycle_graph(9),
    ):
        assert not seem_similar(np.array(nx.floyd_warshall_numpy(graph))), graph
    for n in (12, 20, 40):
        for _ in range(50):
            table = rng.random((n, n))
            assert not seem_similar(table + table.T)
    assert not seem_similar(np.ones((12, 12)))
    assert not seem_similar(np.full((12, 12), np.nan))


# --- diagonals and negative numbers ---------------------------------------------------------------


def refused(D):
    with pytest.raises(ValueError, match=r"^D\[") as told:
        MDS(metric="precomputed").fit(D)
    return str(told.value)


def test_a_diagonal_says_what_the_numbers_are():
    assert "is D a table of similarities? Then write 7 − s in" in refused(ratings())
    assert "does the scale begin at 1? Then subtract 1 from every number" in refused(8 - ratings())
    assert "(c[i, j] + c[j, i]) / (c[i, i] + c[j, j])" in refused(confusions())
    taken = confusions().max() - confusions()  # leaves a diagonal that is not zero
    assert "numpy.fill_diagonal(D, 0)" in refused(taken)
    R = np.corrcoef(np.random.default_rng(0).normal(size=(6, 40)))
    assert "are these correlations? Then write 1 − r" in refused(R)
    assert "is D a table of similarities? Then write 1 − r" in refused(np.abs(R))


def test_the_remedies_lead_to_a_map():
    c = confusions()
    own = np.diag(c)
    D = 1.0 - (c + c.T) / (own[:, None] + own)
    np.fill_diagonal(D, 0.0)
    for table in (D, 7.0 - ratings(), 8.0 - ratings() - 1.0):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert MDS(metric="precomputed", random_state=0).fit(table).stress_ < 0.5


@pytest.mark.parametrize("code", [-9.0, -99.0, -1.0])
def test_codes_for_what_is_missing_are_guessed(code):
    D = 7.0 - ratings()
    D[1, 2] = D[2, 1] = D[5, 0] = D[0, 5] = code
    assert f"if {code:g} stands for a number that is missing, write NaN" in refused(D)
    D[1, 2] = -0.25
    assert "missing" not in refused(D)
