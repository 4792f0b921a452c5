"""A bad parameter gets an error that names it, the need and the remedy."""

import re

import numpy as np
import pytest

from tests.support.tables import POINTS, D
from unimds import MDS, ChordalSphere, Huber, Sphere


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
