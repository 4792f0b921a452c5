"""Every loss and every space, and which cases are slow ones."""

from itertools import product

import pytest
from hypothesis import settings

from unimds import (
    Absolute,
    ChordalSphere,
    Euclidean,
    Huber,
    Hyperbolic,
    Power,
    Simplex,
    Sphere,
    Squared,
    SquaredDistance,
)

EXAMPLES = 25  # that Hypothesis tries for a test which does not say how many
LOSSES = [Squared(), Absolute(), Power(1.5), Huber(0.3), SquaredDistance()]
SPACES = [Euclidean(), Sphere(), ChordalSphere(), Hyperbolic(), Simplex()]


def name(part):
    """Return the class that an object or a name like "squared_distance" stands for."""
    return part.title().replace("_", "") if isinstance(part, str) else type(part).__name__


def slow(*values, **options):
    """Return a case of a parametrised test that is a slow one: mostly for what it compiles."""
    return pytest.param(*values, marks=pytest.mark.slow, **options)


def examples(count):
    """Have Hypothesis try so many examples with the slow tests, and a part of them without."""
    here = settings().max_examples  # of the profile that conftest.py has chosen
    return settings(deadline=None, max_examples=max(count * min(here, EXAMPLES) // EXAMPLES, 1))


def pair(loss, space, *values, quick=True, **options):
    """Return a case of a loss in a space: a slow one, unless other tests use the pair as well.

    Compiling a loss for a space takes longer than any test of it. Quick tests have each loss in the
    plane, each space with the squared loss, and one other pair. `quick=False` is for what the
    further values have compiled anew: weights, asymmetric tables, single precision, other
    dimensions.
    """
    names = name(loss), name(space)
    usual = names[0] == "Squared" or names[1] == "Euclidean" or names == ("Absolute", "Sphere")
    marks = () if usual and quick else pytest.mark.slow
    return pytest.param(loss, space, *values, marks=marks, **options)


every_pair = pytest.mark.parametrize(
    ("loss", "space"),
    [
        pair(loss, space, id=f"{name(space)}-{name(loss)}")
        for loss, space in product(LOSSES, SPACES)
    ],
)
