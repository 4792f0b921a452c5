"""The sections of a report on how far to trust a map, and the regions on it."""

import json
import re

import numpy as np
import pytest

from unimds import MDS, Sphere
from unimds.report import report, write_report
from unimds.spaces import distances
from unimds.trust import DecidingPair, bootstrap, deciding_pairs, permutation_test, perturbation

RNG = np.random.default_rng(0)
NAMES = [f"<{i}>" for i in range(12)]


def table(n=12, k=2):
    D = np.triu(distances(RNG.normal(size=(n, k))) * RNG.uniform(0.9, 1.1, (n, n)), 1)
    return D + D.T


MAP = MDS(metric="precomputed", n_init=1, random_state=0).fit(table())


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def part(page, name):
    start = page.index(f'<section aria-labelledby="{name}-title"')
    return page[start : page.index("</section>", start)]


def test_a_permutation_test_has_a_section_with_its_histogram():
    test = permutation_test(MAP, n_permutations=39, random_state=0)
    told = part(report(MAP, structure=test), "structure")
    assert "There is structure." in told
    assert "of 39 permuted tables none has so little" in told
    assert f"the data: {test.observed:.3g}" in told
    bars = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>', told)
    assert bars
    assert all(0.0 <= float(x) <= 480.0 and float(height) > 0.0 for x, _, _, height in bars)
    assert "structure-title" not in report(MAP)


def test_equal_stresses_make_a_histogram_too():
    test = permutation_test(
        MDS(metric="precomputed", n_init=1), 1.0 - np.eye(6), n_permutations=9, random_state=0
    )
    assert "<rect" in part(report(MAP, structure=test), "structure")


def regions_in(page):
    """Return the axes of the outlines of regions, the only layer."""
    (layer,) = data_of(page)["layers"]
    assert layer["name"] == "regions of 90 %"
    return layer["lines"][0]["at"]


def test_stability_has_a_section_and_regions_on_the_map():
    found = bootstrap(MAP, n_maps=20, random_state=0)
    page = report(MAP, stability=found, labels=NAMES)
    told = part(page, "stability")
    assert f"stability {found.stability:.3f}" in told
    worst = int(np.argmax(found.regions().radii))
    assert f'<th scope="row">&lt;{worst}&gt;</th>' in told
    assert told.count("<tr>") == 11
    regions = regions_in(page)
    assert len(regions) == 2
    assert regions[0].count(None) == 12  # a gap after each outline
    assert data_of(report(MAP))["layers"] == []


def test_noise_is_told_as_noise():
    found = perturbation(MAP, n_maps=5, random_state=0)
    told = part(report(MAP, stability=found), "stability")
    assert "Noise of 5 %" in told
    assert "places that points have with such noise" in told


def test_regions_on_a_globe_and_in_space():
    D = np.minimum(table(10, 3), 3.0)
    globe = MDS(metric="precomputed", space=Sphere(), n_init=1, random_state=0).fit(D)
    page = report(globe, stability=bootstrap(globe, n_maps=5, random_state=0))
    axes = np.array([[np.nan if v is None else v for v in axis] for axis in regions_in(page)])
    np.testing.assert_allclose(np.nansum(axes**2, axis=0)[~np.isnan(axes[0])], 1.0, atol=1e-2)
    solid = MDS(3, metric="precomputed", n_init=1, random_state=0).fit(D)
    page = report(solid, stability=bootstrap(solid, n_maps=5, random_state=0))
    assert len(regions_in(page)) == 3
    high = MDS(3, metric="precomputed", space=Sphere(), n_init=1, random_state=0).fit(D)
    page = report(high, stability=bootstrap(high, n_maps=5, random_state=0))
    assert data_of(page)["layers"] == []
    assert "stability-title" in page


def test_pairs_that_decide_have_a_section():
    pairs = deciding_pairs(MAP, top=3)
    told = part(report(MAP, deciding=pairs, labels=NAMES), "deciding")
    assert f"&lt;{pairs[0].i}&gt; – &lt;{pairs[0].j}&gt;" in told
    assert told.count("<tr>") == 4
    alone = [DecidingPair(0, 1, 1.0, 1.0, 0.0, np.inf, 0)]
    assert "the map falls apart" in part(report(MAP, deciding=alone), "deciding")
    assert "deciding-title" not in report(MAP, deciding=[])


def test_files_other_maps_and_new_points(tmp_path):
    found = bootstrap(MAP, n_maps=5, random_state=0)
    write_report(MAP, tmp_path / "map.html", stability=found)
    assert "How certain are the places?" in (tmp_path / "map.html").read_text(encoding="utf-8")
    other = MDS(metric="precomputed", n_init=1, random_state=0).fit(table())
    with pytest.raises(ValueError, match="stability is that of another map"):
        report(other, stability=found)
    with pytest.raises(ValueError, match="nothing on how far to trust it"):
        report(MAP, new=table()[:1], stability=found)
