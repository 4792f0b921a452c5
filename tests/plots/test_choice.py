"""The picture of a choice."""

import numpy as np
import pytest

from tests.support.tables import distances
from unimds import MDS, MDSSearchCV
from unimds.plots import plot_choice

D = distances(np.random.default_rng(0).normal(size=(15, 4)))


def searched(grid):
    return MDSSearchCV(MDS(metric="precomputed"), grid, cv=3, random_state=0, refit=False).fit(D)


def lines(ax):
    """Return the lines of candidates by their names."""
    return {box.get_label(): box.lines[0] for box in ax.containers}


def test_every_space_is_a_line_of_errors_by_dimension():
    found = searched({"space": ["euclidean", "sphere"], "n_components": [2, 1]})
    ax = found.plot(title="How many?")
    drawn = lines(ax)
    assert list(drawn) == ["euclidean", "sphere"]
    flat = [found.cv_results_["mean_error"][row] for row in (1, 0)]
    assert drawn["euclidean"].get_ydata() == pytest.approx(flat)
    assert drawn["euclidean"].get_xdata().round() == pytest.approx([1.0, 2.0])
    assert (ax.get_xlabel(), ax.get_title()) == ("dimensions", "How many?")
    assert ax.get_xticks() == pytest.approx([1.0, 2.0])


def test_the_chosen_candidate_has_a_ring_and_one_distance_a_line():
    found = searched({"n_components": [1, 2]})
    by_name = {line.get_label(): line for line in plot_choice(found).get_lines()}
    assert by_name["chosen"].get_ydata() == pytest.approx([-found.best_score_])
    assert by_name["one distance"].get_ydata() == pytest.approx([found.null_error_] * 2)


def test_candidates_of_one_dimension_stand_side_by_side_by_name():
    ax = plot_choice(searched({"loss": ["squared", "absolute"]}))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["squared", "absolute"]


def test_what_is_no_search_has_nothing_to_draw():
    with pytest.raises(TypeError, match="MDS has nothing to draw: give a fitted MDSSearchCV"):
        plot_choice(MDS())
