"""A bad parameter gets an error that names it, the need and the remedy."""

import re

import numpy as np
import pytest

from tests.support.tables import POINTS, D
from unimds import MDS, ChordalSphere, Huber, LandmarkMDS, Sphere
from unimds.losses import as_loss


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loss", "cubic"),
        ("loss", 2),
        ("loss", Huber),
        ("space", "torus"),
        ("space", None),
        ("space", Sphere),
        ("n_components", 0),
        ("n_components", -1),
        ("n_components", 1.5),
        ("n_components", "2"),
        ("n_components", True),
        ("loss", "cubic:2"),
        ("max_iter", True),
        ("n_init", True),
        ("n_init", 10**29),
        ("inner_iter", 10**30),
        ("n_jobs", True),
        ("eps", -1e-3),
        ("eps", np.nan),
        ("eps", "small"),
        ("max_iter", 0),
        ("max_iter", 2.5),
        ("n_init", 0),
        ("n_init", "many"),
        ("smoothing", -1.0),
        ("smoothing", np.nan),
        ("smoothing", "none"),
        ("inner_iter", 0),
        ("inner_iter", 1.5),
        ("accelerate", "yes"),
        ("n_jobs", 1.5),
        ("random_state", "seed"),
        ("random_state", -1),
        ("callback", 3),
        ("verbose", -1),
    ],
)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_bad_parameters(embed, loss, name, value):
    message = rf"The '{name}' parameter of \w+ must be .* Got {re.escape(repr(value))} instead"
    with pytest.raises(ValueError, match=message):
        embed(D, **{"loss": loss, name: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "xMDS"}, "variant='xMDS' is not known: use one of 'fMDS', 'rMDS', 'r2MDS'"),
        ({"variant": 3}, "'variant' parameter .* Got 3 instead"),
        (
            {"variant": "rMDS", "space": "sphere"},
            r"variant='rMDS' means space=Euclidean\(\), but space=Sphere.* leave one out",
        ),
        (
            {"variant": "fMDS", "loss": "absolute"},
            r"variant='fMDS' means loss=Squared\(\), but loss=Absolute.* leave one out",
        ),
        (
            {"variant": "g-1-sMDS", "space": ChordalSphere()},
            r"variant='g-1-sMDS' means space=Sphere.*, but space=ChordalSphere.* leave one out",
        ),
        ({"metric": 3}, "'metric' parameter .* Got 3 instead"),
        ({"metric": "euclidian"}, "(?i)metric.*euclidian"),
        ({"metric_params": 3}, "'metric_params' parameter .* Got 3 instead"),
    ],
    ids=lambda options: str(options) if isinstance(options, dict) else "",
)
def test_bad_parameters_of_the_estimator(options, message):
    with pytest.raises(ValueError, match=message):
        MDS(**{"metric": "precomputed", **options}).fit(POINTS if "metric" in options else D)


@pytest.mark.parametrize("name", ["power", "power:1.2", "huber:0.3"])
def test_losses_by_name_with_a_number(embed, name):
    by_name = embed(D, loss=name)
    assert by_name.loss == as_loss(name)
    np.testing.assert_array_equal(by_name.embedding, embed(D, loss=as_loss(name)).embedding)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("power:3", "p must lie between 1 and 2"),
        ("squared:2", "only huber and power take a number"),
        ("huber:", "a number is needed after the colon"),
    ],
)
def test_a_number_that_does_not_suit_the_loss(embed, loss, message):
    with pytest.raises(ValueError, match=message):
        embed(D, loss=loss)


@pytest.mark.parametrize("name", ["refine", "n_landmarks", "sample_size"])
def test_counts_of_landmarks_are_no_switches(name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter .* Got True instead"):
        LandmarkMDS(**{name: True}).fit(POINTS)


def test_rounds_of_refinement_beyond_reason_are_refused():
    with pytest.raises(ValueError, match=r"'refine' parameter .* range \[0, 100000\]"):
        LandmarkMDS(refine=10**29).fit(POINTS)


def test_counts_that_machines_can_hold_are_taken(embed):
    few, many = (embed(D, inner_iter=count, max_iter=count) for count in (10**6, 2**63 - 1))
    np.testing.assert_array_equal(few.embedding, many.embedding)
