"""A bad seed gets an error that names the object, the need and the remedy."""

import numpy as np
import pytest

from tests.support.tables import POINTS, D, N


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.where(np.arange(N)[:, None] == 4, np.nan, POINTS), "init: row 4 is not finite"),
        (np.where(np.arange(N)[:, None] == 4, np.inf, POINTS), "init: row 4 is not finite"),
        (np.ones((N, 3)), r"init must have the shape \(6, 2\), one row per point; got \(6, 3\)"),
        (np.ones((5, 2)), r"init must have the shape \(6, 2\), one row per point; got \(5, 2\)"),
        (np.ones(2), r"init must have the shape \(6, 2\), one row per point; got \(2,\)"),
        ([["a", "b"]] * N, "init must hold numbers only"),
        ("pca", r"'init' parameter .* among .*'random'.* Got 'pca' instead"),
        ("spherical", r"""init='spherical' is not a seed for Euclidean; use "auto" for its own"""),
        (3, "'init' parameter .* array-like. Got 3 instead"),
    ],
    ids=["NaN", "inf", "width", "height", "flat", "text", "unknown", "of another space", "number"],
)
def test_bad_seeds(embed, init, message):
    with pytest.raises(ValueError, match=message):
        embed(D, init=init)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("sphere", "init: row 0 has length 3.46.*divide each row by its length"),
        ("chordal_sphere", "init: row 0 has length 3.46.*divide each row by its length"),
        ("simplex", "init: row 0 has length 3.46.*divide each row by its length"),
        ("hyperbolic", "init: row 0 has t² − ‖x‖² = -4.*use from_poincare"),
    ],
    ids=["sphere", "chordal_sphere", "simplex", "hyperbolic"],
)
def test_seeds_off_the_space(embed, space, message):
    with pytest.raises(ValueError, match=message):
        embed(D, space=space, init=np.full((N, 3), 2.0))


def test_seeds_with_a_negative_probability(embed):
    seed = np.tile([[0.6, 0.8, 0.0], [0.6, 0.0, -0.8]], (3, 1))
    with pytest.raises(ValueError, match="init: row 1 has a negative entry"):
        embed(D, space="simplex", init=seed)
