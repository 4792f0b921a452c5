"""Sections that a report has only if something was computed."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from unimds import MDS
from unimds.interpret import drift_vectors, fit_properties, procrustes_test
from unimds.report import report, write_report

X = np.random.default_rng(0).normal(size=(12, 2))
MAP = MDS(n_init=1, random_state=0).fit(X)
ABOUT = {"<east>": X[:, 0], "side": ["a", "b"] * 6}


def test_properties_have_a_section_where_they_were_fitted():
    found = fit_properties(MAP, ABOUT, n_permutations=99, random_state=0)
    page = report(MAP, properties=found)
    start = page.index('<section aria-labelledby="properties-title"')
    part = page[start : page.index("</section>", start)]
    assert "The map explains &lt;east&gt; best: R² = 1.00, p = 0.01." in part
    assert '<th scope="row">&lt;east&gt;</th>' in part
    assert '<th scope="row">side b</th>' in part
    assert f"<td>{found['side'].r2:.3f}</td>" in part
    assert "99 permutations" in part
    assert "properties-title" not in report(MAP)


def test_without_permutations_there_are_no_p_values():
    found = fit_properties(MAP, {**ABOUT, "one": np.ones(12)}, n_permutations=0)
    page = report(MAP, properties=found)
    assert "best: R² = 1.00." in page
    assert "permutations" not in page[page.index("properties-title") : page.index("settings-title")]


def test_properties_in_a_file_and_not_of_new_points(tmp_path):
    found = fit_properties(MAP, ABOUT, n_permutations=0)
    write_report(MAP, tmp_path / "map.html", properties=found)
    assert "What the directions mean" in (tmp_path / "map.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="takes no D, weights, edges or properties"):
        report(MAP, new=X[:1], properties=found)


def test_another_map_has_a_section(tmp_path):
    other = MDS(n_init=1, random_state=0).fit(X + np.random.default_rng(1).normal(0, 0.1, X.shape))
    found = procrustes_test(MAP, other, n_permutations=19, random_state=0)
    write_report(MAP, tmp_path / "map.html", procrustes=found)
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    part = page[page.index('id="procrustes"') :]
    assert f"a correlation of {found.correlation:.3f}; p = 0.05 by 19 permutations." in part
    worst = int(np.argmax(found.residuals))
    first = f'<tbody><tr><th scope="row">{worst}</th><td>{found.residuals[worst]:.4g}</td></tr>'
    assert first in part
    assert 'id="procrustes"' not in report(MAP)


def test_asymmetry_has_a_section():
    D = squareform(pdist(X))
    D[0, 1:] += 0.5
    found = drift_vectors(D, MAP.embedding_)
    page = report(MAP, drift=found)
    part = page[page.index('id="drift"') :]
    assert f"{found.share:.1%} of the table's sum of squares is asymmetric." in part.replace(
        "&#x27;", "'"
    )
    assert f'<tbody><tr><th scope="row">{int(np.argmax(found.lengths))}</th>' in part
    assert 'id="drift"' not in report(MAP)
    with pytest.raises(ValueError, match="give new alone"):
        report(MAP, new=X[:1], drift=found)
