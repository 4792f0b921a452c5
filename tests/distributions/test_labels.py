"""Labels of distributions: they reach the table of distances, the map, its pictures and reports."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from tests.plots.test_join import groups, new
from unimds import MDS, DistributionEmbedding, hellinger_distances
from unimds.plots import plot_embedding
from unimds.report import report

SITES = [f"W{i:02d}" for i in range(6)] + [f"H{i:02d}" for i in range(6)]
COUNTS = pd.DataFrame(
    np.random.default_rng(0).poisson(3.0, size=(12, 5)) + np.eye(12, 5), SITES, list("abcde")
)
HABITAT = pd.Series(["wet"] * 6 + ["heath"] * 6, SITES, name="habitat").sample(
    frac=1.0, random_state=1
)


def by_site(ax, kind):
    return groups(ax)[kind].round(9).tolist()


def test_a_frame_of_counts_gives_a_frame_of_distances():
    H = hellinger_distances(COUNTS)
    assert list(H.index) == list(H.columns) == SITES
    np.testing.assert_array_equal(H.to_numpy(), hellinger_distances(COUNTS.to_numpy()))
    some = hellinger_distances(COUNTS.iloc[:3], COUNTS)
    assert (list(some.index), list(some.columns)) == (SITES[:3], SITES)
    assert list(hellinger_distances(COUNTS.iloc[:3], COUNTS.to_numpy()).columns) == list(range(12))
    # labels that repeat name no point: a frame of them could not be read again
    assert isinstance(hellinger_distances(COUNTS.set_axis(["x"] * 12)), np.ndarray)


@pytest.mark.parametrize("space", ["sphere", "simplex"])
def test_colours_and_columns_follow_the_labels(space):
    few = DistributionEmbedding(2, space=space, random_state=0).fit(COUNTS)
    assert few.labels_.tolist() == SITES
    by_label = plot_embedding(few, color=HABITAT, ax=new())
    by_place = plot_embedding(few, color=HABITAT[SITES].to_numpy(), ax=new())
    assert by_site(by_label, "wet") == by_site(by_place, "wet")
    data = data_of(report(few, columns=HABITAT.to_frame()))
    assert data["labels"] == SITES
    column = data["columns"][0]
    assert [column["names"][c] for c in column["codes"]] == HABITAT[SITES].tolist()
    assert len(data["shepard"]["given"]) == 66
    plain = DistributionEmbedding(2, space=space, random_state=0).fit(COUNTS.to_numpy())
    assert plain.labels_ is None


def test_a_map_of_hellinger_distances_follows_the_labels():
    flat = MDS(metric="precomputed", random_state=0).fit(hellinger_distances(COUNTS))
    assert flat.labels_.tolist() == SITES
    by_label = plot_embedding(flat, color=HABITAT, ax=new())
    assert by_site(by_label, "wet") == flat.embedding_[:6].round(9).tolist()


def test_projected_distributions_are_drawn_and_reported():
    few = DistributionEmbedding(2, method="jl", random_state=0).fit(COUNTS)
    assert few.labels_.tolist() == SITES
    drawn = plot_embedding(few, color=HABITAT, ax=new())
    assert sum(map(len, groups(drawn).values())) == 12
    assert data_of(report(few))["labels"] == SITES


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
