"""The ecologist's way on the command line: standardised counts, new sites, a Shepard diagram."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from tests.support.commands import ONE_START, run
from unimds import MDS
from unimds.files import read

COUNTS = pd.DataFrame(
    np.random.default_rng(0).poisson(3.0, size=(20, 6)),
    [f"site {i}" for i in range(20)],
    [f"species {j}" for j in range(6)],
)
BRAY = ("--metric", "braycurtis", *ONE_START)


@pytest.fixture
def sites(tmp_path):
    """Two files: the sites of a map, and new sites."""
    paths = tmp_path / "old.csv", tmp_path / "new.csv"
    for path, part in zip(paths, (COUNTS[:15], COUNTS[15:]), strict=True):
        part.to_csv(path, index_label="site")
    return paths


def test_new_sites_are_standardised_as_those_of_the_map(sites, tmp_path):
    old, new = sites
    out, model = tmp_path / "m.csv", tmp_path / "m.unimds"
    said = run("embed", old, *BRAY, "--standardise", "wisconsin", "-o", out, "--model", model)
    assert said.code == 0, said.err
    mds = MDS(metric="braycurtis", metric_params={"standardise": "wisconsin"}, n_init=1)
    mds.set_params(random_state=0).fit(COUNTS[:15])
    assert_allclose(read(out).values, mds.embedding_, atol=1e-9)
    said = run("place", model, new, "-o", tmp_path / "p.csv")
    assert "far from every point" not in said.err
    assert_allclose(read(tmp_path / "p.csv").values, mds.transform(COUNTS[15:]), atol=1e-9)


def test_what_cannot_be_standardised_is_told(sites, tmp_path):
    said = run("embed", sites[0], "--standardise", "log")
    assert said.code == 2
    assert "use 'sqrt', 'wisconsin' or 'sqrt,wisconsin'" in said.err
    (tmp_path / "d.csv").write_text("0,1,2\n1,0,2\n2,2,0\n")
    said = run("embed", tmp_path / "d.csv", "--standardise", "wisconsin")
    assert "holds distances, and --standardise is for counts" in said.err


@pytest.mark.parametrize("options", [(), ("--level", "ordinal"), ("--landmarks", "10")])
def test_a_shepard_diagram_is_drawn(sites, tmp_path, options):
    picture = tmp_path / "s.svg"
    said = run("embed", sites[0], *BRAY, *options, "-o", tmp_path / "m.csv", "--shepard", picture)
    assert said.code == 0, said.err
    assert str(picture) in said.err
    assert "distance on the map" in picture.read_text()


def test_a_shepard_diagram_has_the_ending_of_a_picture(sites):
    said = run("embed", sites[0], "--shepard", "s.html")
    assert said.code == 2
    assert "--shepard" in said.err
