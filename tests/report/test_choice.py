"""The section of a report on how a map was chosen."""

import re

import numpy as np
import pytest

from tests.support.tables import distances
from unimds import MDS, MDSSearchCV
from unimds.report import report

D = distances(np.random.default_rng(0).normal(size=(12, 4)))


@pytest.fixture(scope="module")
def search():
    grid = {"n_components": [1, 2], "loss": ["squared"]}
    own = MDS(metric="precomputed", n_init=1)
    return MDSSearchCV(own, grid, cv=4, random_state=0).fit(D)


def test_a_report_on_a_search_is_that_of_its_map_and_says_how_it_was_chosen(search):
    page, plain = report(search), report(search.best_estimator_)
    section = page[page.index('<section aria-labelledby="choice-title"') :]
    section = section[: section.index("</section>") + len("</section>")]
    assert page.replace(section, "") == plain
    assert search.sentence_ in section
    rows = re.findall(r"<tr><td>(.*?)</td></tr>", section)
    assert len(rows) == 3
    assert rows[search.best_index_].endswith("chosen")
    assert f"{search.cv_results_['mean_error'][0]:.4f}" in rows[0]
    assert rows[2].startswith(
        f"one distance for all pairs</td><td></td><td>{search.null_error_:.4f}"
    )


def test_other_reports_have_no_such_section(search):
    assert "How it was chosen" not in report(search.best_estimator_)
