"""The rule prefers what is simpler, unless something else predicts better for certain."""

import numpy as np
import pytest

from unimds import Absolute, Euclidean, Hyperbolic, Ordinal, Ratio, Sphere, Squared
from unimds.select.rule import chosen, excess_over, simplicity
from unimds.select.words import NO_BETTER, Candidate, Outcome

BASE = np.array([0.20, 0.24, 0.22, 0.26, 0.18])


def picked(*rows, order=None):
    errors = np.array([BASE + np.asarray(row) for row in rows])
    return chosen(errors, order or list(range(len(rows))), "one_standard_error", 1.0)


def test_a_gain_in_every_fold_is_certain_though_folds_differ_more():
    assert BASE.std() > 0.02
    assert picked(np.full(5, 0.02), np.zeros(5)) == 1


def test_a_gain_in_some_folds_is_not():
    assert picked([0.03, -0.02, 0.02, -0.02, 0.01], np.zeros(5)) == 0


def test_a_difference_that_nobody_would_see_is_none():
    assert picked(np.full(5, 5e-4), np.zeros(5)) == 0


def test_of_equals_the_simplest_is_chosen_wherever_it_stands():
    assert picked(np.zeros(5), np.zeros(5), order=[(3,), (2,)]) == 1


def test_candidates_that_failed_do_not_count():
    assert picked(np.full(5, np.nan), np.full(5, 0.3), np.zeros(5)) == 2


def test_the_excess_is_paired():
    excess = excess_over(np.array([BASE + 0.1, BASE]), BASE)
    assert excess.mean == pytest.approx([0.1, 0.0])
    assert excess.error == pytest.approx([0.0, 0.0])


def test_fewer_dimensions_then_flat_then_ratio_then_squared():
    ways = [
        (2, Euclidean(), Ratio(), Squared()),
        (2, Euclidean(), Ratio(), Absolute()),
        (2, Euclidean(), Ordinal(), Squared()),
        (2, Sphere("auto"), Ratio(), Squared()),
        (3, Euclidean(), Ratio(), Squared()),
    ]
    keys = [simplicity(*way) for way in ways]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def outcome(kinds, errors, chosen, structure=True, n=30):
    who = [Candidate(k, s, loss, Ratio()) for k, s, loss in kinds]
    return Outcome(who, errors, chosen, int(np.argmin(errors)), 1.0, structure, n).sentence()


def test_the_sentence_on_dimensions():
    kinds = [(k, Euclidean(), Squared()) for k in (1, 2, 3, 4)]
    assert outcome(kinds, [0.5, 0.3, 0.2, 0.21], 2) == (
        "Three dimensions predict held-out distances 33 % better than the plane; a fourth "
        "dimension gains nothing."
    )
    assert outcome(kinds, [0.5, 0.3, 0.2, 0.19], 3) == (
        "Four dimensions predict held-out distances 5.0 % better than three dimensions."
    )
    assert outcome(kinds, [0.5, 0.5, 0.5, 0.51], 0) == (
        "One dimension predicts held-out distances 50 % better than one typical distance for all "
        "pairs; a second dimension gains nothing."
    )
    assert outcome(kinds, [0.5, 0.2, 0.19, 0.2], 1).endswith(
        "; the 5.0 % that a third dimension gains are within the standard error."
    )


def test_the_sentence_on_spaces():
    spaces = (Euclidean(), Sphere("auto"), Hyperbolic("auto"))
    kinds = [(k, space, Squared()) for space in spaces for k in (2, 3, 4)]
    errors = [0.9, 0.5, 0.5, 0.8, 0.44, 0.45, 0.9, 0.9, 0.9]
    assert outcome(kinds, errors, 4) == (
        "Three dimensions on a sphere predict held-out distances 12 % better than three dimensions "
        "of flat space; a fourth dimension gains nothing."
    )


def test_the_sentence_on_levels_says_once_what_is_common():
    both = [Candidate(k, Euclidean(), Squared(), lv) for lv in (Ratio(), Ordinal()) for k in (1, 2)]
    assert Outcome(both, [0.9, 0.8, 0.4, 0.1], 3, 3, 1.0, True, 30).sentence() == (
        "The plane at the level ordinal predicts held-out distances 75 % better than one dimension."
    )


def test_the_sentence_on_losses():
    kinds = [(2, Euclidean(), loss) for loss in (Squared(), Absolute())]
    assert outcome(kinds, [0.4, 0.2], 1) == (
        "The plane with the absolute loss predicts held-out distances 50 % better than the plane "
        "with the squared loss."
    )


def test_the_sentence_where_there_is_no_structure():
    kinds = [(1, Euclidean(), Squared())]
    none, levels = "there is no structure that a map can show", 'try the levels "interval" and'
    told = outcome(kinds, [1.2], 0, structure=False)
    assert told.startswith(f"{NO_BETTER}: {none}, or the numbers are no distances: {levels}")
    told = outcome(kinds, [1.2], 0, structure=False, n=5)
    assert f"{none}, or 5 points are too few to show it, or " in told
    both = [Candidate(1, Euclidean(), Squared(), level) for level in (Ratio(), Ordinal())]
    assert Outcome(both, [1.2, 1.1], 0, 1, 1.0, False, 30).sentence() == f"{NO_BETTER}: {none}."
