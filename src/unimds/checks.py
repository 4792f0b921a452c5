"""The conformance suite: rules that every loss, every space and every level must satisfy.

The built-in losses, spaces and levels pass it; run it on yours. A failure is an `AssertionError`
that names the class, the rule and the numbers.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import check_part_class, explained, kernel
from unimds.kernels.engine import COST, engine_for
from unimds.levels.base import Bound, Level
from unimds.losses import Loss, Squared
from unimds.spaces.base import Space, distances

Array = NDArray[Any]

__all__ = ["check_level", "check_loss", "check_space"]


# --- losses ---------------------------------------------------------------------------------------


@kernel
def _loss_at(loss, u, r):
    return loss.value(u, r), loss.weight(u, r), loss.radius(u, r), loss.residual(u, r)


def check_loss(loss: Loss, *, symmetric: bool = False) -> None:
    r"""Check that a loss is sound: its compiled code, its derivative and its majorizer.

    On a grid of distances :math:`u` and targets :math:`r`: compiled methods agree with Python;
    values and weights are finite and not negative; :math:`2 w (u - \rho)` is the numerical
    derivative of the value; :math:`w (t - \rho)^2` plus a constant touches the value at
    :math:`t = u` and lies above it for every :math:`t`; the rule of ``degree`` holds; a smoothed
    loss approaches the loss as ``smoothing`` falls.

    Parameters
    ----------
    loss : Loss
        The loss to check.
    symmetric : bool, default=False
        Check also that its arguments can be exchanged, :math:`f(u, r) = f(r, u)`. Only levels of
        measurement other than "ratio" need this.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which, and at which distances.
    PartError
        If the loss cannot be compiled.

    Examples
    --------
    >>> from unimds import Absolute
    >>> from unimds.checks import check_loss
    >>> check_loss(Absolute())
    """
    check_part_class(type(loss))
    loss = loss.resolved(1.0)
    grid = [0.0, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.3, 2.0, 7.0, 40.0]
    for smoothing in (1.0, 0.1, 1e-3) if loss.anneals else (0.0,):
        soft = loss.smoothed(smoothing)
        with explained(soft):
            for u in grid:
                for r in grid:
                    _check_pair(soft, u, r)
    _check_degree(loss.smoothed(0.1))
    if loss.anneals:
        _check_smoothing(loss)
    if symmetric:
        at = "value(u, r) = value(r, u), which levels other than ratio need"
        _true(loss, at, loss.is_symmetric(), (loss.value(1.0, 2.0), loss.value(2.0, 1.0)))


def _check_pair(loss: Loss, u: float, r: float) -> None:
    at = f"at u={u:g}, r={r:g}"
    value, weight, radius, residual = _loss_at(loss, u, r)
    _true(loss, f"value is finite and not negative {at}", 0.0 <= value < np.inf, value)
    _true(loss, f"weight is finite and not negative {at}", 0.0 <= weight < np.inf, weight)
    _true(loss, f"radius is finite and not negative {at}", 0.0 <= radius < np.inf, radius)
    plain = loss.value(u, r), loss.weight(u, r), loss.radius(u, r), loss.residual(u, r)
    _close(loss, f"compiled and plain Python agree {at}", (value, weight, radius, residual), plain)
    # the kink of the distance at 0 belongs to the space, not to the loss
    if u > 0.0:
        h = 1e-5 * u
        slope = (loss.value(u + h, r) - loss.value(u - h, r)) / (2.0 * h)
        scale = max(abs(slope), weight * max(u, radius), 1e-12)
        slack = 1e-4 * scale + 1e-14 * abs(value) / h  # plus rounding
        gap = abs(2.0 * weight * (u - radius) - slope)
        _true(loss, f"2·weight·(u − radius) is the slope of value {at}", gap <= slack, gap)
    t = np.concatenate([np.linspace(0.0, 3.0 * (u + r) + 1.0, 200), [u, r]])
    above = value + weight * ((t - radius) ** 2 - (u - radius) ** 2)
    below = np.array([loss.value(float(x), r) for x in t])
    worst = int(np.argmin(above - below))
    slack = 1e-9 * (abs(value) + abs(below[worst]) + weight * (t[worst] + radius + u) ** 2)
    _true(
        loss,
        f"the majorizer {at} lies above the loss at t={t[worst]:g}",
        above[worst] >= below[worst] - slack,
        above[worst] - below[worst],
    )


def _check_degree(loss: Loss) -> None:
    if loss.degree is not None:
        for factor in (0.25, 10.0):
            scaled = loss.scaled(factor)
            got = scaled.value(factor * 3.0, factor * 1.0)
            want = factor**loss.degree * loss.value(3.0, 1.0)
            _close(loss, f"scaled({factor}).value is {factor}**degree times value", got, want)


def _check_smoothing(loss: Loss) -> None:
    """Check that the smoothed loss is never below the loss, and falls to it with smoothing."""
    for u, r in ((1.0, 3.0), (3.0, 1.0), (1.0, 1.0)):
        values = [loss.smoothed(s).value(u, r) for s in (1.0, 0.1, 1e-2, 1e-4, 1e-8)]
        exact = loss.smoothed(0.0).value(u, r)
        falls = all(a >= b - 1e-12 for a, b in zip(values, [*values[1:], exact], strict=True))
        _true(loss, f"smoothing only raises the value, at u={u:g}, r={r:g}", falls, values)
        _close(
            loss,
            f"smoothing → 0 gives the loss, at u={u:g}, r={r:g}",
            1.0 + values[-1],
            1.0 + exact,
            1e-3,
        )


# --- spaces ---------------------------------------------------------------------------------------


@kernel
def _log(space, p, x, u, v):
    slope = np.empty(1)
    space.measure(p, x, u, slope)
    space.gather(p, x, slope, v)
    space.project(p, v)


@kernel
def _exp(space, p, v):
    space.exp(p, v)


@kernel
def _length(space, v):
    total = 0.0
    for a in range(v.shape[0]):
        total += space.sign(a) * v[a] * v[a]
    return np.sqrt(max(total, 0.0))


def check_space(space: Space, n_components: int = 2, *, seed: int = 0) -> None:
    r"""Check that a space is sound: its distance, logarithm and exponential agree.

    On random points: the distance is symmetric, zero from a point to itself and obeys the
    triangle inequality; it is the length of the logarithm times ``unit``; ``pair`` agrees with
    ``measure`` if the space ``fuses``; the exponential inverts the logarithm and never leaves the
    space; in a ``flat`` space it is addition; close points keep their digits; compiled methods
    agree with Python; ``scaled``, ``sized`` and ``isometry`` do what they say; and if unit steps
    are said to descend, no placement raises the cost.

    Parameters
    ----------
    space : Space
        The space to check; its size must be a number, not "auto".
    n_components : int, default=2
        Dimension to check it in.
    seed : int, default=0
        Seed of the random points.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which.
    PartError
        If the space cannot be compiled.

    Examples
    --------
    >>> from unimds import Sphere
    >>> from unimds.checks import check_space
    >>> check_space(Sphere(radius=2.0))
    """
    check_part_class(type(space))
    _true(space, 'its size is a number, not "auto"', not space.is_auto, space)
    rng = np.random.default_rng(seed)
    X = np.asarray(space.random(30, n_components, space.unit, rng), dtype=float)
    width = space.n_coordinates(n_components)
    _true(space, f"random gives rows of {width} coordinates", X.shape == (30, width), X.shape)
    with explained(space):
        _on_space(space, X, "random points")
        _check_metric(space, X)
        for i in range(10):
            _check_walk(space, X[i], X[i + 10])
            if space.fuses():
                _check_pair_of_points(space, X[i], X[i + 10])
        _check_near(space, X)
        _check_sizes(space, X)
        _check_isometry(space, X, rng)
        _check_descent(space, n_components, rng)


def _check_metric(space: Space, X: Array) -> None:
    D = distances(X, space=space)
    scale = D.max()
    _true(space, "distances are finite and not negative", bool((D >= 0.0).all()), D.min())
    _close(space, "dist(x, y) = dist(y, x)", D, D.T, 1e-12)
    _true(space, "dist(x, x) = 0", np.abs(np.diagonal(D)).max() <= 1e-7 * scale, np.diagonal(D))
    detour = (D[:, :, None] + D[None]).min(axis=1)
    _true(
        space,
        "dist obeys the triangle inequality",
        bool((detour + 1e-9 * scale >= D).all()),
        float((D - detour).max()),
    )
    plain, slope = np.empty(len(X)), np.empty(len(X))
    space.measure(X[0].copy(), np.ascontiguousarray(X.T), plain, slope)
    _close(space, "compiled and plain Python agree on distances", D[0], plain, 1e-9)


def _check_walk(space: Space, p: Array, x: Array) -> None:
    u, v = np.empty(1), np.empty(p.size)
    _log(space, p, np.ascontiguousarray(x[:, None]), u, v)
    _close(space, "dist = unit · length of log", u[0], space.unit * _length(space, v), 1e-8)
    again = v.copy()
    space.project(p, again)
    _close(space, "a logarithm is a tangent vector: project leaves it alone", again, v, 1e-8)
    end = p.copy()
    _exp(space, end, v.copy())
    gap = distances(end[None], x[None], space=space)[0, 0]
    _true(space, "exp(log(x)) = x", gap <= 1e-6 * max(u[0], space.unit), gap)
    for length in (1e-9, 0.3, 2.0):
        end = p.copy()
        _exp(space, end, length * v)
        _on_space(space, end[None], "a point reached by exp")
    stay = p.copy()
    _exp(space, stay, np.zeros_like(v))
    _close(space, "exp(0) stays", stay, p, 1e-12)
    if space.flat():
        _check_flat(space, p, x)


def _check_flat(space: Space, p: Array, x: Array) -> None:
    end, v = p.copy(), x.copy()
    space.project(p, v)
    _close(space, "in a flat space, project leaves all vectors alone", v, x, 1e-12)
    _exp(space, end, v.copy())
    _close(space, "in a flat space, exp(p, v) = p + v", end, p + x, 1e-12)
    _true(space, "in a flat space, bend() = 0", space.bend() == 0.0, space.bend())


def _check_pair_of_points(space: Space, p: Array, x: Array) -> None:
    """Check that the loop over points with few coordinates agrees with the general loop."""
    u, v = np.empty(1), np.empty(p.size)
    _log(space, p, np.ascontiguousarray(x[:, None]), u, v)
    sign = np.array([space.sign(a) for a in range(p.size)])
    near, far, inner = (float(sign @ t) for t in ((x - p) ** 2, (x + p) ** 2, x * p))
    dist, slope, lean = space.pair(near, far, inner, float(np.sum((x - p) ** 2)))
    step = slope * (x - p)
    space.project(p, step)
    _close(space, "pair and measure give the same distance", dist, u[0], 1e-8)
    _close(space, "pair's slope and the chord give the logarithm", step, v, 1e-8)
    _close(space, "pair's third number is its slope over the distance", lean * dist, slope, 1e-8)


def _check_near(space: Space, X: Array) -> None:
    """Walk 1e-7 and twice as far, where a formula that cancels has no digits left."""
    u, v = np.empty(1), np.empty(X.shape[1])
    for p, x in zip(X[:10], X[10:20], strict=True):
        _log(space, p, np.ascontiguousarray(x[:, None]), u, v)
        near = []
        for length in (1e-7, 2e-7):
            end = p.copy()
            _exp(space, end, length * v)
            near.append(distances(p[None], end[None], space=space)[0, 0])
        _close(space, "close points keep their digits", 2.0 * near[0], near[1], 1e-4)


def _check_sizes(space: Space, X: Array) -> None:
    D = distances(X, space=space)
    scaled = space.scaled(4.0)
    if scaled is not None:
        Y = 4.0 * X if space.scales_coordinates else X
        _close(
            space,
            "scaled(4) makes distances 4 times as large",
            distances(Y, space=scaled),
            4.0 * D,
            1e-9,
        )


def _check_isometry(space: Space, X: Array, rng: np.random.Generator) -> None:
    try:
        isometry = space.isometry(X, X[rng.permutation(len(X))])
    except TypeError:  # not every space knows its isometries
        return
    moved = isometry(X)
    _close(
        space,
        "an isometry keeps distances",
        distances(moved, space=space),
        distances(X, space=space),
        1e-6,
    )
    back = space.isometry(moved, X)(moved)
    _close(space, "isometry(A, B) brings a moved copy back", back, X, 1e-6)


def _check_descent(space: Space, n_components: int, rng: np.random.Generator) -> None:
    """Check that no placement raises the squared cost, whatever the distances.

    The hardest case is a few points far apart whose distances do not fit.
    """
    longest = min(space.diameter, 8.0 * space.unit)
    loss, rounding = Squared(), (1e-12 * longest) ** 2
    # in negative curvature a unit step rarely raises the cost: many trials of the worst kind
    cases = [*product((2, 3, 4, 6), (1.0, 0.3, 0.1, 0.0) * 3), *[(3, 0.0)] * 200]
    for n, share in cases:
        table = np.triu(rng.uniform(0.0, share * longest, size=(n, n)), 1)
        table = (table + table.T)[:, None, :]
        Y = np.asarray(space.random(n, n_components, longest, rng), dtype=float)
        Y = np.ascontiguousarray(Y.T)
        cost, engine = np.inf, engine_for(loss, space, Y, table)
        for placed in range(3 * n):
            (new,) = engine.total(COST, table, None, 0, Y, 1.0)
            falls = new <= cost * (1.0 + 1e-10) + rounding
            _true(space, "no placement raises the cost; do unit steps descend?", falls, (cost, new))
            cost = new
            free = np.arange(n) == placed % n
            if space.unit_step_descends():
                engine.sweep(table, None, 0, Y, free, (0, n), 1.0)
            else:
                engine.sweep_in_turn(table, None, 0, Y, free, 1, 0.0, 1.0)
        _on_space(space, np.ascontiguousarray(Y.T), "points that have been placed")


# --- levels ---------------------------------------------------------------------------------------


def check_level(level: Level, *, seed: int = 0) -> None:
    r"""Check that a level of measurement is sound: its projection, and what it says of itself.

    On random dissimilarities, with and without ties, and random weights: the first disparities are
    positive and rise; the projection of :math:`t` is finite, rises, changes nothing of what it is
    given, and is its own projection; it grows with :math:`t` if the level ``is_cone``; if it
    ``is_convex``, nothing of the family is nearer to :math:`t`; ties are kept or parted as
    ``keeps_ties`` says; ``nearest`` stays in the family and within the bound, and never ends
    farther from :math:`t` than it began.

    Parameters
    ----------
    level : Level
        The level to check.
    seed : int, default=0
        Seed of the random numbers.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which.

    Examples
    --------
    >>> from unimds import Ordinal
    >>> from unimds.checks import check_level
    >>> check_level(Ordinal("tertiary"))
    """
    rng, parted = np.random.default_rng(seed), False
    for size, tied in product((1, 2, 5, 30), (False, True)):
        for _ in range(5):
            d = np.sort(rng.integers(1, 2 + size // 2, size) if tied else rng.random(size) + 0.1)
            case = _case(level, d.astype(float), rng)
            _check_first(level, case)
            t = case.targets(rng)
            r = _check_projection(level, case, t)
            parted |= bool(tied and np.ptp(r[case.d == case.d[0]]) > 0.0)
            others = [level.project(case.known, case.targets(rng), case.w) for _ in range(10)]
            if level.is_convex:
                _check_nothing_nearer(level, "project(t)", case, t, r, others)
            for now in others[:3]:
                _check_bounded(level, case, t, now, rng)
    if not level.keeps_ties:
        _true(level, "equal dissimilarities may differ, as keeps_ties is False", parted, "no case")


class _Case(NamedTuple):
    """Dissimilarities as a level gets them, what it knows of them, and weights."""

    d: Array
    first: Array
    known: Any
    w: Array

    def targets(self, rng: np.random.Generator) -> Array:
        """Return random numbers that rise more or less, in the unit of the first disparities."""
        about = rng.choice([0.3, 1.0, 3.0]) * self.first
        return np.asarray(about * np.exp(rng.normal(size=self.d.size)))


def _case(level: Level, d: Array, rng: np.random.Generator) -> _Case:
    counts = np.ones(d.size)
    if level.keeps_ties:
        d, times = np.unique(d, return_counts=True)
        counts = times.astype(float)
    first = np.asarray(level.first(d, counts, 2), dtype=float)
    return _Case(d, first, level.prepare(d, first), rng.uniform(0.1, 3.0, d.size))


def _check_first(level: Level, case: _Case) -> None:
    first = case.first
    sound = first.shape == case.d.shape and np.isfinite(first).all() and bool((first > 0.0).all())
    _true(level, "first disparities are positive numbers, one for each", sound, first)
    _true(level, "first disparities rise", _rises(case.d, first), first)


def _check_projection(level: Level, case: _Case, t: Array) -> Array:
    """Return the projection of `t`, which obeys all rules."""
    given, weights = t.copy(), case.w.copy()
    r = np.asarray(level.project(case.known, given, weights))
    kept = bool((given == t).all() and (weights == case.w).all())
    _true(level, "project leaves its arguments as they are", kept, "others")
    sound = r.shape == t.shape and bool(np.isfinite(r).all())
    _true(level, "a projection has a finite number for each target", sound, r)
    _true(level, "a projection rises with the dissimilarities", _rises(case.d, r), r)
    _in_family(level, "a projection is its own projection", case, r)
    if level.is_cone:
        grown = level.project(case.known, 3.0 * t, case.w)
        _close(level, "project(3 t) = 3 project(t), as is_cone is True", grown, 3.0 * r, 1e-6)
    return r


def _in_family(level: Level, rule: str, case: _Case, r: Array) -> None:
    _close(level, rule, level.project(case.known, r, case.w), r, 1e-6)


def _rises(d: Array, r: Array) -> bool:
    """Return whether the means of ties rise, up to rounding."""
    _, group, counts = np.unique(d, return_inverse=True, return_counts=True)
    means = np.bincount(group, r) / counts
    return bool((np.diff(means) >= -1e-9 * np.abs(r).max()).all())


def _check_nothing_nearer(
    level: Level, what: str, case: _Case, t: Array, r: Array, others: list[Array]
) -> None:
    """Check that no way from `r` to others leads nearer to `t`: Σ w (t − r)(s − r) ≤ 0."""
    for s in others:
        slope = float(case.w @ ((t - r) * (s - r)))
        slack = 1e-6 * float(case.w @ (np.abs(t - r) * np.abs(s - r)))
        rounding = 1e-9 * float(case.w @ (t * t))
        rule = f"nothing of the family is nearer to t than {what}, as is_convex is True"
        _true(level, rule, slope <= slack + rounding, f"{r}, but {s} lies the better way")


def _check_bounded(
    level: Level, case: _Case, t: Array, now: Array, rng: np.random.Generator
) -> None:
    """Check `nearest` with the bounds that keep the size of disparities."""
    power = rng.choice([0.0, 0.5, 1.0])
    slope = rng.uniform(0.1, 3.0, t.size) * np.sign(now) * np.abs(now) ** power
    bound = Bound(slope, float(slope @ now))
    r = np.asarray(level.nearest(case.known, t, case.w, bound, now))
    reached = float(slope @ r)
    _true(
        level,
        f"nearest stays within the bound, slope @ r ≥ {bound.least:g}",
        reached >= bound.least - 1e-9 * abs(bound.least),
        reached,
    )
    far, before = (float(case.w @ (x - t) ** 2) for x in (r, now))
    near = far <= before + 1e-9 * (before + float(case.w @ (t * t)))
    _true(level, f"nearest is not farther than now, Σ w (r − t)² = {before:g}", near, far)
    _in_family(level, "nearest gives disparities of the family", case, r)
    if level.is_convex:
        targets = [case.targets(rng) for _ in range(10)]
        within = [level.nearest(case.known, other, case.w, bound, now) for other in targets]
        if level.is_cone:  # others meet the bound, and these do not
            free = (level.project(case.known, other, case.w) for other in targets)
            within += [s for s in free if slope @ s >= bound.least]
        _check_nothing_nearer(level, "nearest within the bound", case, t, r, within)


# --- error messages -------------------------------------------------------------------------------


def _true(part: object, rule: str, holds: object, got: object) -> None:
    if not holds:
        raise AssertionError(f"{type(part).__name__} breaks a rule: {rule}; got {got}")


def _close(part: object, rule: str, got: Any, want: Any, rtol: float = 1e-9) -> None:
    got, want = np.atleast_1d(np.asarray(got, dtype=float)), np.atleast_1d(np.asarray(want, float))
    tolerance = rtol * max(float(np.max(np.abs(want), initial=0.0)), 1e-300)
    wrong = np.argwhere(~(np.abs(got - want) <= tolerance))
    if len(wrong):
        at = tuple(wrong[0])
        raise AssertionError(
            f"{type(part).__name__} breaks a rule: {rule}; got {got[at]:.10g}, not {want[at]:.10g}"
        )


def _on_space(space: Space, X: Array, what: str) -> None:
    try:
        space.check_points(X, what)
    except ValueError as error:
        _true(space, f"points stay on the space; {what}", False, error)
