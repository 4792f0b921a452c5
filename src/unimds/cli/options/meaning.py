"""What options mean: the objects that they name, and errors for what they cannot mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from unimds.cli.guide import check_level
from unimds.cli.messages import usage

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.levels import Level
    from unimds.losses import Loss
    from unimds.spaces import Space


def parts(
    variant: str | None, loss: str | None, space: str | None, size: str | None
) -> tuple[Loss, Space]:
    """Return the loss and the space that the options name."""
    from unimds.estimators.parameters import resolve_variant
    from unimds.losses import as_loss
    from unimds.spaces import as_space

    with usage("--loss"):
        own_loss = as_loss("squared" if loss is None else loss)
    with usage("--space"):
        own_space = as_space("euclidean" if space is None else space)
    with usage("--variant"):
        named, target = resolve_variant(variant, own_loss, own_space)
    with usage("--curvature" if hasattr(target, "curvature") else "--radius"):
        return named, target if size is None else _sized(target, size)


def level_of(name: str, ties: str | None, strictness: float | None) -> Level:
    """Return the level of measurement that the options name."""
    from unimds.levels import Ordinal, as_level

    check_level(name)
    if name == "ordinal":
        with usage("--ties"):
            level = Ordinal() if ties is None else Ordinal(ties)
        with usage("--strictness"):
            return level if strictness is None else Ordinal(level.ties, strictness)
    for option, value in (("--ties", ties), ("--strictness", strictness)):
        if value is not None:
            raise typer.BadParameter(
                f"{option} is for --level ordinal, and the level is {name}; give --level ordinal, "
                f"or leave {option} out"
            )
    return as_level(name)


def metric_params(standardise: str | None, table: Table, file: str) -> dict[str, Any] | None:
    """Return the arguments of the metric that the options name."""
    from unimds.distances.standard import STANDARDISE, steps_of

    if standardise is None:
        return None
    with usage("--standardise"):
        steps_of(standardise)
    if table.precomputed:
        raise ValueError(
            f"{file} holds distances, and --standardise is for counts, one point per row; leave it "
            "out, or give the counts"
        )
    return {STANDARDISE: standardise}


def starts_of(text: str, *words: str) -> int | str:
    """Return the number of starts that --n-init names, or one of the words that it may be."""
    if text in words:
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    known = ", ".join(words)
    raise typer.BadParameter(f"--n-init must be {known} or a number of starts, not {text!r}")


def check_jobs(jobs: int | None) -> None:
    """Raise if a number of threads is none."""
    if jobs == 0:
        raise typer.BadParameter("--jobs 0: give a number of threads, or -1 for all cores")


def check_name(option: str, name: str, known: tuple[str, ...]) -> None:
    """Raise if an option does not know a name."""
    if name not in known:
        raise typer.BadParameter(f"use one of {', '.join(known)}, not {name!r}", param_hint=option)


def check_conditional(name: str) -> None:
    """Raise if this is not what a transformation can be for."""
    if name not in ("table", "row"):
        raise typer.BadParameter(f"use table or row, not {name!r}", param_hint="--conditional")


def check_coordinates(name: str, space: Space, n_components: int) -> None:
    """Raise, before a long run, if a map cannot be written in these coordinates."""
    from unimds.spaces.coordinates import as_coordinates

    with usage("--coordinates"):
        as_coordinates(name, space, n_components)


def _sized(space: Space, size: str) -> Space:
    from dataclasses import fields, replace

    names = [field.name for field in fields(space)]
    if not names:
        raise ValueError(f"{space} has no size; choose another --space")
    return replace(space, **{names[0]: size if size == "auto" else _number(size)})


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"a number is needed, not {text!r}") from None


def check_alone(option: str, **others: Any) -> None:
    """Raise if another option is given that does not work with `option`."""
    for name, value in others.items():
        if value:
            other = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{other} does not work with {option}; leave one of them out")


def is_default(ctx: typer.Context, name: str) -> bool:
    """Whether an option was left out."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT"
