"""The paper's names for its problems."""

from __future__ import annotations

from typing import Any

from unimds.compiled.parts import Part
from unimds.losses import Absolute, Loss, Squared, SquaredDistance, as_loss
from unimds.spaces import ChordalSphere, Euclidean, Space, Sphere, as_space

VARIANTS: dict[str, tuple[Loss, Space]] = {
    "fMDS": (Squared(), Euclidean()),
    "rMDS": (Absolute(), Euclidean()),
    "r2MDS": (SquaredDistance(), Euclidean()),
    "c-1-sMDS": (Absolute(), ChordalSphere()),
    "c-2-sMDS": (Squared(), ChordalSphere()),
    "g-1-sMDS": (Absolute(), Sphere()),
    "g-2-sMDS": (Squared(), Sphere()),
}
"""Loss and space of each variant; c is chordal, g geodesic, 1 and 2 the power of the error."""


def resolve_variant(
    variant: str | None, loss: str | Loss, space: str | Space
) -> tuple[Loss, Space]:
    """Return loss and space, from the name of a variant where one is given.

    A loss or space given beside a variant must be of the kind it names: this is how
    ``variant="g-1-sMDS", space=Sphere(radius="auto")`` says the radius.

    Examples
    --------
    >>> resolve_variant("g-1-sMDS", "squared", "euclidean")
    (Absolute(smoothing=0.0), Sphere(radius=1.0))
    """
    own_loss, own_space = as_loss(loss), as_space(space)
    if variant is None:
        return own_loss, own_space
    named = {name.lower(): parts for name, parts in VARIANTS.items()}
    if variant.lower() not in named:
        names = ", ".join(map(repr, VARIANTS))
        raise ValueError(f"variant={variant!r} is not known: use one of {names}")
    named_loss, named_space = named[variant.lower()]
    return (
        _reconciled("loss", variant, own_loss, named_loss, default=Squared),
        _reconciled("space", variant, own_space, named_space, default=Euclidean),
    )


def _reconciled(what: str, variant: str, own: Part, named: Part, default: type[Part]) -> Any:
    if isinstance(own, type(named)):
        return own
    if isinstance(own, default):  # not given: nothing to contradict
        return named
    raise ValueError(
        f"variant={variant!r} means {what}={named}, but {what}={own} is given too; leave one out"
    )
