"""Pictures of subject weights and joint maps."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from unimds import MDS, IndividualDifferences, Unfolding
from unimds.plots import plot_joint, plot_subject_weights
from unimds.spaces import Euclidean, distances

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(9, 2)), rng.uniform(0.4, 1.6, size=(5, 2))
    found = np.stack([distances(X * c) for c in C])
    noise = np.triu(rng.uniform(0.0, found.max(), size=(9, 9)), 1)
    found[4] = noise + noise.T
    return dict(zip(["Ann", "Bob", "Cem", "Dee", "Eve"], found, strict=True))


def test_every_subject_stands_at_its_weights_and_a_bad_fit_is_hollow(tables):
    fit = IndividualDifferences(2, loss="absolute", random_state=0).fit(tables)
    ax = plot_subject_weights(fit)
    good, bad = ax.collections
    np.testing.assert_allclose(good.get_offsets(), fit.weights_[:4])
    np.testing.assert_allclose(bad.get_offsets(), fit.weights_[4:])
    assert {text.get_text() for text in ax.texts} == set(tables)
    assert ax.get_xlabel() == "weight of dimension 1"


def test_sizes_are_bars(tables):
    fit = IndividualDifferences(2, model="sizes", random_state=0).fit(tables)
    ax = fit.plot_weights()
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, fit.weights_)
    assert [text.get_text() for text in ax.get_xticklabels()] == list(tables)


def test_what_has_no_weights_is_refused(tables):
    fit = IndividualDifferences(2, model="identity", random_state=0).fit(tables)
    with pytest.raises(TypeError, match="no weights"):
        plot_subject_weights(fit)
    with pytest.raises(TypeError, match="no columns"):
        plot_joint(MDS())


@pytest.mark.parametrize("space", ["euclidean", "sphere", "hyperbolic"])
def test_a_joint_map_has_rows_and_columns_in_every_space(space):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.2, 1.5, size=(20, 5)), columns=list("vwxyz"))
    fit = Unfolding(2, space=space, random_state=0, n_init=1, eps=1e-3).fit(frame)
    ax = plot_joint(fit)
    legend = ax.get_legend()
    assert {"rows", "columns"} <= {text.get_text() for text in legend.get_texts()}
    texts = {text.get_text() for text in ax.texts}
    assert texts & set("vwxyz")
    assert "3" not in texts  # rows that are only numbered have no names


def test_names_of_columns_come_first_where_there_is_no_room_for_all():
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(120, 2)), rng.normal(size=(6, 2)) * 0.5
    fit = SimpleNamespace(
        row_embedding_=rows,
        column_embedding_=columns,
        embedding_=np.vstack([rows, columns]),
        space_=Euclidean(),
        labels_=np.array([f"person {i}" for i in range(120)]),
        column_labels_=np.array(list("uvwxyz")),
    )
    texts = [text.get_text() for text in plot_joint(fit).texts]
    assert texts[:6] == list("uvwxyz")
    assert len(texts) < 126
