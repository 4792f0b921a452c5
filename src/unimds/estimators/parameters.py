"""The solver's parameters: what each may be and what it means, written once for all estimators.

This is the only file that imports private modules of scikit-learn: it has no public way to
validate parameters, or to ask what `set_output` was told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from typing import Any, TypeVar, final

from sklearn.base import _fit_context
from sklearn.utils._param_validation import (
    Interval as Interval,
)
from sklearn.utils._param_validation import (
    StrOptions as StrOptions,
)
from sklearn.utils._param_validation import (
    make_constraint,
    validate_parameter_constraints,
)
from sklearn.utils._set_output import _get_output_config

from unimds.checkpoint import Checkpoint
from unimds.compiled.parts import Part
from unimds.estimators.elsewhere import check_metric
from unimds.levels import Level
from unimds.losses import LOSSES, Absolute, Loss, Squared, SquaredDistance, as_loss
from unimds.spaces import SPACES, ChordalSphere, Euclidean, Space, Sphere, as_space
from unimds.spaces.base import check_alias, seed_names

Documented = TypeVar("Documented", bound=Callable[..., Any])


def wants_pandas(estimator: Any) -> bool:
    """Return whether `set_output` asks for data frames of pandas."""
    return bool(_get_output_config("transform", estimator)["dense"] == "pandas")


@final
class Count(Interval):  # type: ignore[misc]
    """Whole numbers within bounds; True and False are no numbers."""

    def __init__(self, least: int | None, most: int | None = None):
        super().__init__(Integral, least, most, closed=_closed(least, most))

    def is_satisfied_by(self, val: Any) -> bool:
        """Return whether a value is such a number."""
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))


def _closed(least: int | None, most: int | None) -> str:
    return "right" if least is None else "left" if most is None else "both"


@final
class LossNames(StrOptions):  # type: ignore[misc]
    """Names of losses; `as_loss` judges the number that may follow a name."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Return whether a value is a name, or a name with a number."""
        return isinstance(val, str) and val.partition(":")[0] in self.options


COUNT = Count(1)
MACHINE_COUNT = Count(1, 2**63 - 1)
"""What compiled code can count to."""
ROUNDS = 100_000
"""The most starts and rounds of refinement: each takes the time of a descent, or of a sweep."""
AMOUNT = Interval(Real, 0, None, closed="left")


def init_names() -> tuple[str, ...]:
    """Return the kinds of start by their names."""
    return ("auto", "random", "shaken", *seed_names())


CONSTRAINTS: dict[str, list[Any]] = {
    "n_components": [COUNT],
    "loss": [LossNames(set(LOSSES)), Loss],
    "space": [StrOptions(set(SPACES)), Space],
    "level": [str, Level, type],  # `as_level` judges names, and knows those of other programs
    "conditional": [StrOptions({"table", "row"})],
    "init": [StrOptions(set(init_names())), "array-like"],
    "n_init": [StrOptions({"auto", "thorough"}), Count(1, ROUNDS)],
    "max_iter": [COUNT],
    "eps": [AMOUNT],
    "smoothing": [StrOptions({"auto"}), AMOUNT],
    "solver": [StrOptions({"auto", "sweeps"})],
    "accelerate": ["boolean"],
    "inner_iter": [MACHINE_COUNT],
    "dtype": [StrOptions({"float32", "float64"}), None],
    "n_jobs": [None, COUNT, Count(None, -1)],
    "random_state": ["random_state"],
    "callback": [callable, None],
    "verbose": ["verbose"],
    "checkpoint": [str, PathLike, Checkpoint, None],
}
"""What the parameters of `unimds.place_center` may be."""

DATA_CONSTRAINTS: dict[str, list[Any]] = {
    "variant": [str, None],
    "metric": [str, callable],
    "metric_params": [dict, None],
}
"""What else estimators of tables of features or distances take."""

MEANINGS = {
    "n_components": """int, default=2
        Dimension of the map. On a sphere S^k, in hyperbolic space H^k and on the simplex a point
        has k+1 coordinates.""",
    "loss": """str or Loss, default="squared"
        What a wrong distance costs: "squared", "absolute" (robust: survives corrupted distances),
        "huber", "squared_distance", "power" or a `Loss` such as ``Power(1.5)``. A number may follow
        "huber" and "power", as in "power:1.2".""",
    "space": """str or Space, default="euclidean"
        Where the map lies: "euclidean", "sphere", "chordal_sphere", "hyperbolic", "simplex" or a
        `Space` such as ``Sphere(radius="auto")``.""",
    "level": """str or Level, default="ratio"
        What is known of the dissimilarities: "ratio" (they are distances), "interval" (a straight
        line of them is), "ordinal" (only their order counts: nonmetric scaling), "spline" (a smooth
        rising curve), "power" (a power), or a `Level` such as ``Ordinal(ties="secondary")``.""",
    "conditional": """{"table", "row"}, default="table"
        Whether one transformation is for the whole table, or one for each row: where every row
        was ranked or rated by itself. For levels other than "ratio".""",
    "variant": """str, default=None
        A name from the paper instead of loss and space: "fMDS", "rMDS", "r2MDS", "c-1-sMDS",
        "c-2-sMDS", "g-1-sMDS" or "g-2-sMDS".""",
    "metric": """str or callable, default="euclidean"
        Distance between rows of features, as in `sklearn.metrics.pairwise_distances`;
        "hellinger", for counts (see `unimds.hellinger_distances`); or "precomputed" where ``fit``
        is given distances. A graph, and other objects that can only hold distances, need none.""",
    "metric_params": """dict, default=None
        Further arguments of the metric. ``{"standardise": "wisconsin"}`` divides counts of species
        by their maxima, and then sites by their totals, before they are compared; "sqrt" takes
        square roots, "sqrt,wisconsin" both. New points are standardised by the maxima of the map.\
""",
    "init": """str or array-like of shape (n, n_coordinates), default="auto"
        The seed: "classical", "spherical" or "hyperbolic" (the spectral seed of the space),
        "random", or the points themselves. "auto" is the spectral seed where the space has one.
        "shaken" is that seed, roughly, shaken on a sample: a single start that most often ends
        nearly as low as a race, and the quickest way to a good map of few points, with
        ``eps=1e-3``.""",
    "n_init": """int, "auto" or "thorough", default="auto"
        Number of starts, of which the best is returned. All but the first are random; a seed
        given by name or as points is the only start, but any number can be shaken. "auto" looks
        for the lowest minimum, with ``init="auto"`` or "random". Of up to 100 points and six
        coordinates it tries many starts, until the lowest map has been found 25 times, or for
        about half a second. Of up to 1,000 points, in up to three dimensions, it holds a
        tournament of up to 34, the better half of which goes on; of more, and with robust losses,
        it races several kinds of start briefly and finishes the best. "thorough" goes on until the
        lowest map of up to 300 points has been found 100 times, which may take half a minute, and
        does eight times as much where there are more; in more dimensions it tries eight starts.
        Either can be interrupted and returns the lowest map so far.""",
    "max_iter": """int, default=2000
        Maximum number of sweeps of one start; a quasi-Newton step counts as a sweep.""",
    "eps": """float, default=1e-7
        Stop when a sweep lowers the cost by less than this fraction.""",
    "smoothing": """float or "auto", default="auto"
        Rounds the kink of a robust loss; "auto" lowers the smoothing level by level until nothing
        of it is left. A positive number makes the loss that smooth, and cost and result belong to
        it; 0 is the paper's algorithm.""",
    "solver": """{"auto", "sweeps"}, default="auto"
        How the cost is lowered. "auto" moves all points together, by quasi-Newton steps, in
        Euclidean maps of two and more dimensions and on a sphere of known radius, and sweeps in all
        other maps; "sweeps" places point after point in every map, as the paper does. The cost
        never rises with either.""",
    "accelerate": """bool, default=True
        Carry the movement of sweeps on by momentum, and allow quasi-Newton steps. Without it the
        points are placed as in the paper.""",
    "inner_iter": """int, default=1
        Maximum number of steps of one placement; the paper repeats until the point settles.""",
    "dtype": """"float32", "float64" or None, default=None
        Precision to round the distances to; None takes them as they are. "float32" makes a copy
        of half the size of a float64 table, and sweeps over it take about half the time.""",
    "n_jobs": """int, default=None
        Number of threads, which share the starts, or the only start of a Euclidean map of 5,000 or
        more points. The result does not depend on it.""",
    "random_state": """int, RandomState or None, default=None
        Seed of everything random.""",
    "callback": """callable, default=None
        Called as ``callback(iteration, cost, embedding)`` after every sweep; a true return value
        ends the run.""",
    "verbose": """int, default=0
        1 shows a progress bar; it also says when code is compiled, and before
        a fit of very many points what it will take.""",
    "checkpoint": """str, PathLike or Checkpoint, default=None
        A file to keep the run in, written every half a minute, after ^C, and when the run ends at
        `max_iter`. If the file exists, the run goes on from it, to the same result; `max_iter` may
        be larger than before. `unimds.checkpoint.Checkpoint` says how often.""",
}
"""What the parameters mean."""


def documented(thing: Documented) -> Documented:
    """Fill in the meaning of parameters that a docstring names as ``{name}``.

    ``{others}`` stands for all other parameters of the signature that have a meaning here.

    Examples
    --------
    >>> @documented
    ... def run(max_iter=2000):
    ...     '''Run.
    ...
    ...     Parameters
    ...     ----------
    ...     {others}
    ...     '''
    >>> print(run.__doc__.splitlines()[4].strip())
    max_iter : int, default=2000
    """
    text = thing.__doc__ or ""  # python -OO leaves none
    told = {name: f"{name} : {meaning}" for name, meaning in MEANINGS.items()}
    for name, words in told.items():
        text = text.replace(f"{{{name}}}", words)
    others = [name for name in signature(thing).parameters if f" {name} : " not in text]
    words = "\n    ".join(told[name] for name in others if name in told)
    thing.__doc__ = text.replace("{others}", words)
    return thing


# made once: scikit-learn makes them at every check, which small tables would notice
_CHOICES = {name: [make_constraint(choice) for choice in CONSTRAINTS[name]] for name in CONSTRAINTS}


def check_parameters(caller: str, **given: Any) -> None:
    """Raise where a parameter is not what it may be; the message names it and its choices."""
    for name, value in given.items():
        if not any(choice.is_satisfied_by(value) for choice in _CHOICES[name]):
            validate_parameter_constraints({name: CONSTRAINTS[name]}, {name: value}, caller)


def validated_fit(method: Documented) -> Documented:
    """Have scikit-learn validate an estimator's parameters before a method runs."""
    validated = _fit_context(prefer_skip_nested_validation=True)(method)

    @wraps(method)
    def checked(self: Any, *args: Any, **named: Any) -> Any:
        check_metric(getattr(self, "metric", None))
        check_alias(self.space)
        return validated(self, *args, **named)

    return checked  # type: ignore[return-value]


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


def size_found(mds: Any) -> str:
    """Return the size of the space that a fit has estimated, such as "radius 2.03"; or nothing."""
    if not hasattr(mds, "space_") or not hasattr(mds, "space"):
        return ""
    _, asked = resolve_variant(getattr(mds, "variant", None), mds.loss, mds.space)
    if not asked.is_auto:
        return ""
    name = next(field.name for field in fields(mds.space_))
    return f"{name} {getattr(mds.space_, name):.4g}"


def _reconciled(what: str, variant: str, own: Part, named: Part, default: type[Part]) -> Any:
    if isinstance(own, type(named)):
        return own
    if isinstance(own, default):  # not given: nothing to contradict
        return named
    raise ValueError(
        f"variant={variant!r} means {what}={named}, but {what}={own} is given too; leave one out"
    )
