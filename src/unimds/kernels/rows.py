"""Rows: what a point has to do with all others, for every loss, every space, any coordinates.

A row function goes through a range of points once, for two points at a time (their loads are
shared) or for one, and adds up what `pull`, `cost` or `errors` tells of each pair. It is
made from a text: the loop over points stays, the loops over rows and coordinates are written out.

- Up to `UNROLLED` coordinates all of a pair stays in registers, in one loop.
- More coordinates are worked off in blocks, four or five coordinates at a time: the squares of
  differences, then the pairs, then the pulls. Zeros fill up the coordinates to a multiple of that.
- A space with a `measure` of its own is asked for a block of distances at a time.

`meeting` writes a row of another kind, for subsampled sweeps: many points meet two others each.

Loops compute all cases and then choose, since a loop with branches does not vectorise. Sums within
a call are in the precision of the points; calls add them to doubles.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np

from unimds.compiled.functions import (
    ARGUMENTS,
    Precision,
    align_stack,
    beyond,
    carray,
    compiled_function,
    named_code,
    part_reader,
)
from unimds.compiled.parts import Part, inlined, part_type
from unimds.kernels.moves import BLOCK
from unimds.spaces.base import Space

UNROLLED = 6
"""Coordinates up to which a row is one loop."""

MANY, MEASURED = "many", "measured"


def abreast(k: int) -> int:
    """Return how many of many coordinates are worked off at a time: what needs fewer zeros.

    Less would load and store more, and more would need more registers than there are.

    Examples
    --------
    >>> abreast(8), abreast(10), abreast(20)
    (4, 5, 4)
    """
    return min((4, 5), key=lambda width: -k % width)


# --- one pair -------------------------------------------------------------------------------------


@inlined
def pull(dist, slope, lean, away, r, given, loss, space):
    """Return the pull's coefficient, w, w·bend·(dist − ρ)₊ and the parting of a pair.

    The pull of x on p is its coefficient times (x − p): w (1 − ρ/dist) log_p(x) before projection.
    Points that coincide have no direction; they part by w·ρ. All are zero if `r` is missing.
    """
    number = type(r)
    none, cut, bend = number(0), number(space.cut_locus()), number(space.bend())
    w, rho, known = loss.weight(dist, r) * given, loss.radius(dist, r), r == r
    w, rho = w if known else none, rho if known else none
    excess = w * bend * max(dist - rho, none) if bend > none else none
    coefficient, parting = w * (slope - rho * lean), w * rho
    # a centre beyond the cut locus moves to it; it weighs more, so that the slope stays the same
    heavier = w * (rho - dist) / max(cut - dist, number(1e-9) * cut)
    w = heavier if rho > cut else w
    return coefficient if away else none, w, excess, none if away else parting


@inlined
def cost(dist, slope, lean, away, r, given, loss, space):
    """Return the cost of a pair."""
    return (given * loss.value(dist, r) if r == r else type(r)(0),)


@inlined
def mutual(dist, slope, lean, away, r, given, loss, space, judge):
    """Return coefficient, w, and costs by two losses of a pair that pulls both of its points."""
    coefficient, w, _, _ = pull(dist, slope, lean, away, r, given, loss, space)
    (smooth,) = cost(dist, slope, lean, away, r, given, loss, space)
    (exact,) = cost(dist, slope, lean, away, r, given, judge, space)
    return coefficient, w, smooth, exact


@inlined
def errors(dist, slope, lean, away, r, given, loss, space):
    """Return weight·|residual|, weight, wρu and wu²: for the mean error and the space's size."""
    none, known, w = type(r)(0), r == r, given * loss.weight(dist, r)
    residual, above = given * abs(loss.residual(dist, r)), w * loss.radius(dist, r) * dist
    below = w * dist * dist
    return (
        residual if known else none,
        given if known else none,
        above if known else none,
        below if known else none,
    )


@inlined
def met(near, far, inner, gap, space):
    """Return distance, slope, lean and whether the points differ, from the pair's invariants."""
    dist, slope, lean = space.pair(near, far, inner, gap)
    return dist, slope, lean, gap > type(near)(0)


@final
@dataclass(frozen=True)
class Kind:
    """What a row adds up: the function of a pair and the number of its sums.

    It may add up pulls as well; if these are `mutual`, the points of the row are pulled too, and
    each meets only earlier points. A row that `stores` leaves the distances themselves in the
    scratch memory.
    """

    name: str
    of_pair: Callable
    sums: int
    pulls: bool = False
    mutual: bool = False
    stores: bool = False


PULL, COST = Kind("pull", pull, 3, pulls=True), Kind("cost", cost, 1)
ERRORS = Kind("errors", errors, 4)
MUTUAL = Kind("mutual", mutual, 3, pulls=True, mutual=True)
APART = Kind("apart", met, 0, stores=True)


# --- the text of a row ----------------------------------------------------------------------------

HEAD = f"def function({', '.join(ARGUMENTS)}):"

INVARIANTS = {
    "near": "e{a} * d{a} * d{a}",
    "far": "e{a} * (x{a} + {p}{a}) * (x{a} + {p}{a})",
    "inner": "e{a} * {p}{a} * x{a}",
    "gap": "d{a} * d{a}",
}


def pair_sum(term: str, axes: Any, row: str) -> str:
    """Return a sum over the coordinates."""
    return " + ".join(term.format(a=a, p=row) for a in axes)


def _named(letter: str, axes: Any) -> str:
    """Return the names of a point's coordinates."""
    return ", ".join(f"{letter}{a}" for a in axes)


@lru_cache(maxsize=256)
def met_by(space: type[Space], k: int) -> Any:
    """Return what `met` computes as an inlined function of the coordinates of two points, x and p.

    All rows of a space share it, since compiling takes as long as a text is; for the same reason
    it has only the invariants that the space asks for.
    """
    axes, plain = range(k), space.sign is Space.sign
    used = {*asked(space)} - {"gap"} if plain else {*asked(space), "gap"}
    lines = [f"def function({_named('x', axes)}, {_named('p', axes)}, space):"]
    for a in axes:
        lines.append(f"d{a} = x{a} - p{a}")
        if not plain:
            lines.append(f"e{a} = space.sign({a})")
    for name, term in INVARIANTS.items():
        terms = pair_sum(term.replace("e{a} * ", "") if plain else term, axes, "p")
        lines.append(f"{name} = {terms if name in used else 'near'}")
    lines.append("dist, slope, lean = space.pair(near, far, inner, gap)")
    lines.append("return dist, slope, lean, gap > type(near)(0)")
    name = f"met_{k}_{part_type(space).digest}"
    return inlined(named_code("\n    ".join(lines), __file__, name, {"__name__": __name__}))


def _at(pointer: str, axis: int, stride: str, place: str) -> str:
    """Return the coordinate of a point; the shorter the text, the sooner it is compiled."""
    shift = ("", f"{stride} + ")[axis] if axis < 2 else f"{axis} * {stride} + "
    return f"{pointer}[{shift}{place}]"


def _rows(count: int) -> list[tuple[str, str, str, str]]:
    """Return for each row the names of its point, index, distances and weights."""
    return [("p", "i", "r", "w"), ("q", "j", "s", "z")][:count]


def _target(at: str, r: str, w: str, weighted: bool) -> Iterator[str]:
    """Yield the given distance and weight of a pair."""
    yield f"given = real({r}[{at}]) * unit"
    yield f"weight = real({w}[{at}])" if weighted else "weight = one"


def _begin(kind: Kind, rows: int, axes: Any) -> Iterator[str]:
    yield "align_stack()"
    yield "loss, space, unit = loss_at(fields), space_at(fields), real(unit)"
    yield "none, one = real(0.0), real(1.0)"
    for row, index, _, _ in _rows(rows):
        for s in range(kind.sums):
            yield f"{row}s{s} = none"
        for a in axes:
            yield f"{row}{a} = {_at('P', a, 'stride', index)}"


def _end(kind: Kind, rows: int, k: str) -> Iterator[str]:
    for number, (row, *_) in enumerate(_rows(rows)):
        shift = f"{number} * ({k} + {kind.sums}) + {k}" if kind.pulls else f"{number * kind.sums}"
        for s in range(kind.sums):
            yield f"out[{shift} + {s}] += {row}s{s}"


def _add(kind: Kind, row: str) -> Iterator[str]:
    for s in range(kind.sums):
        yield f"{row}s{s} += t[{s + kind.pulls}]"


def unrolled(kind: Kind, k: int, rows: int, weighted: bool) -> Iterator[str]:
    """Yield the lines of a row that is one loop."""
    axes = range(k)
    yield from _begin(kind, rows, axes)
    for a in axes:
        for row, *_ in _rows(rows) if kind.pulls else ():
            yield f"{row}v{a} = none"
    if kind.mutual:
        yield "judge = judge_at(fields)"
        yield "missing, last = real(nan), j if i != j else 0  # the same point counts once"
    yield "for m in range(start, stop):"
    for a in axes:
        yield f"    x{a} = {_at('X', a, 'n', 'm')}"
    for a in range(k + 1) if kind.mutual else ():
        yield f"    m{a} = {_at('scratch', a, 'n', 'm')}"
    for row, _, r, w in _rows(rows):
        for a in axes if kind.pulls else ():
            yield f"    d{a} = x{a} - {row}{a}"
        yield f"    u, slope, lean, away = met({_named('x', axes)}, {_named(row, axes)}, space)"
        if kind.stores:
            yield f"    scratch[{'n' if row == 'q' else '0'} + m] = u"
            continue
        for line in _target("m", r, w, weighted):
            yield f"    {line}"
        if kind.mutual:  # a loop that ends with a whole vector of points meets some too many
            yield f"    given = given if m < {'i' if row == 'p' else 'last'} else missing"
        judge = ", judge" if kind.mutual else ""
        yield f"    t = of_pair(u, slope, lean, away, given, weight, loss, space{judge})"
        for a in axes if kind.pulls else ():
            yield f"    {row}v{a} += t[0] * d{a}"
        for a in axes if kind.mutual else ():
            yield f"    m{a} -= t[0] * d{a}"
        if kind.mutual:
            yield f"    m{k} += t[1]"
        for line in _add(kind, row):
            yield f"    {line}"
    for a in range(k + 1) if kind.mutual else ():
        yield f"    {_at('scratch', a, 'n', 'm')} = m{a}"
    for number, (row, *_) in enumerate(_rows(rows) if kind.pulls else ()):
        for a in axes:
            yield f"out[{number * (k + kind.sums) + a}] += {row}v{a}"
    yield from _end(kind, rows, str(k))


def many(kind: Kind, used: tuple[str, ...], rows: int, weighted: bool, width: int) -> Iterator[str]:
    """Yield the lines of a row that works off blocks, `width` coordinates at a time.

    `used` are the invariants that the space asks for.
    """
    axes = range(width)
    yield from _begin(kind, rows, ())
    yield "for low in range(start, stop, size):"
    yield "    count = min(size, stop - low)"
    yield f"    for t in range({rows * (1 + len(used))} * size):"
    yield "        scratch[t] = none"
    yield f"    for a in range(0, k, {width}):"
    for a in axes:
        yield f"        e{a} = space.sign(a + {a})"
        for row, index, _, _ in _rows(rows):
            yield f"        {row}{a} = P[(a + {a}) * stride + {index}]"
    yield "        for m in range(count):"
    for a in axes:
        yield f"            x{a} = X[(a + {a}) * n + low + m]"
    for number, (row, *_) in enumerate(_rows(rows)):
        for a in axes:
            yield f"            d{a} = x{a} - {row}{a}"
        for place, name in enumerate(used):
            at = f"{number * (1 + len(used)) + place} * size + m"
            yield f"            scratch[{at}] += {pair_sum(INVARIANTS[name], axes, row)}"
    yield "    for m in range(count):"
    for number, (row, _, r, w) in enumerate(_rows(rows)):
        first = number * (1 + len(used))
        values = {name: f"scratch[{first + place} * size + m]" for place, name in enumerate(used)}
        values.setdefault("gap", values["near"])
        invariants = ", ".join(values.get(name, "one") for name in INVARIANTS)
        yield f"        u, slope, lean, away = met({invariants}, space)"
        for line in _target("low + m", r, w, weighted):
            yield f"        {line}"
        yield "        t = of_pair(u, slope, lean, away, given, weight, loss, space)"
        if kind.pulls:
            yield f"        scratch[{first + len(used)} * size + m] = t[0]"
        for line in _add(kind, row):
            yield f"        {line}"
    if kind.pulls:
        yield f"    for a in range(0, k, {width}):"
        for row, index, _, _ in _rows(rows):
            for a in axes:
                yield f"        {row}{a} = P[(a + {a}) * stride + {index}]"
                yield f"        {row}v{a} = none"
        yield "        for m in range(count):"
        for a in axes:
            yield f"            x{a} = X[(a + {a}) * n + low + m]"
        for number, (row, *_) in enumerate(_rows(rows)):
            yield f"            c = scratch[{number * (1 + len(used)) + len(used)} * size + m]"
            for a in axes:
                yield f"            {row}v{a} += c * (x{a} - {row}{a})"
        for number, (row, *_) in enumerate(_rows(rows)):
            for a in axes:
                yield f"        out[{number} * (k + {kind.sums}) + a + {a}] += {row}v{a}"
    yield from _end(kind, rows, "k")


def measured(kind: Kind, rows: int, weighted: bool) -> Iterator[str]:
    """Yield the lines of a row in a space that measures a block of distances itself."""
    yield from _begin(kind, rows, ())
    yield "dist, slope = carray(scratch, size), carray(beyond(scratch, size), size)"
    yield "coef, point = carray(beyond(scratch, 2 * size), size), beyond(scratch, 3 * size)"
    yield "p, v = carray(point, k), carray(beyond(point, k), k)"
    yield "for low in range(start, stop, size):"
    yield "    count = min(size, stop - low)"
    yield "    block = carray(beyond(X, low), (k, n))  # only its first columns are read"
    for number, (row, index, r, w) in enumerate(_rows(rows)):
        yield "    for a in range(k):"
        yield f"        p[a] = P[a * stride + {index}]"
        yield "    space.measure(p, block, dist[:count], slope[:count])"
        yield "    for m in range(count):"
        yield "        u = dist[m]"
        for line in _target("low + m", r, w, weighted):
            yield f"        {line}"
        yield "        away = u > none"
        yield "        lean = slope[m] / u if away else none"
        yield "        t = of_pair(u, slope[m], lean, away, given, weight, loss, space)"
        if kind.pulls:
            yield "        coef[m] = t[0]"
        for line in _add(kind, row):
            yield f"        {line}"
        if kind.pulls:
            yield "    space.gather(p, block, coef[:count], v)"
            yield "    for a in range(k):"
            yield f"        out[{number} * (k + {kind.sums}) + a] += v[a]"
    yield from _end(kind, rows, "k")


def meeting(k: int, weighted: bool) -> Iterator[str]:
    """Yield the lines of a function that adds up, in `scratch`, the pulls of two shifts, i and j.

    The points of X stand there twice in a row, so that no shift leads beyond the end.
    """
    axes = range(k)
    yield "align_stack()"
    yield "loss, space, unit = loss_at(fields), space_at(fields), real(unit)"
    yield "one = real(1.0)"
    yield "for m in range(stop - start):"
    yield "    at = start + m"
    for a in axes:
        yield f"    p{a} = {_at('X', a, 'n', 'at')}"
    for by, r, w, t in (("i", "r", "w", "t"), ("j", "s", "z", "o")):
        yield f"    to = at + {by}"
        for a in axes:
            yield f"    x{a} = {_at('X', a, 'n', 'to')}"
            yield f"    {t}d{a} = x{a} - p{a}"
        yield f"    u, slope, lean, away = met({_named('x', axes)}, {_named('p', axes)}, space)"
        for line in _target("at", r, w, weighted):
            yield f"    {line}"
        yield f"    {t} = of_pair(u, slope, lean, away, given, weight, loss, space)"
    for a in axes:
        yield f"    scratch[{a * BLOCK} + m] += t[0] * td{a} + o[0] * od{a}"
    for s in range(PULL.sums):
        yield f"    scratch[{(k + s) * BLOCK} + m] += t[{s + 1}] + o[{s + 1}]"


# --- compiled rows --------------------------------------------------------------------------------


def asked(space: Any) -> tuple[str, ...]:
    """Return the invariants that the space's `pair` reads; `near` tells ties in any case."""
    code = space.pair.__code__
    read = {"near", *code.co_cellvars}
    for step in dis.get_instructions(code):
        if "LOAD_FAST" in step.opname:  # some instructions of newer Pythons load two
            read |= {step.argval} if isinstance(step.argval, str) else {*step.argval}
    given = dict(zip(code.co_varnames[1:], INVARIANTS, strict=False))  # by any name
    return tuple(name for own, name in given.items() if own in read or name in read)


class Row(NamedTuple):
    """Which row function: what it adds up, for which loss and space, and how it works."""

    kind: Kind
    parts: tuple[type[Part], type[Part]]
    form: int | str
    rows: int = 2
    weighted: bool = False
    used: tuple[str, ...] = ()
    width: int = 0


@lru_cache(maxsize=1024)
def row(which: Row, precision: Precision) -> int:
    """Return the address of a compiled row function."""
    return compiled_function(row_function(which, precision.points), precision)


@lru_cache(maxsize=256)
def meet(parts: tuple[type[Part], type[Part]], k: int, weighted: bool, precision: Precision) -> int:
    """Return the address of a compiled `meeting`."""
    name, lines = f"meet_{k}_{'w' if weighted else ''}", meeting(k, weighted)
    function = written_function(lines, name, PULL, parts, met_by(parts[1], k), precision.points)
    return compiled_function(function, precision)


def row_function(which: Row, dtype: Any) -> Callable:
    """Return a row function before it is compiled."""
    kind, parts, form, rows, weighted, used, width = which
    meets: Any = met
    if form == MEASURED:
        lines = measured(kind, rows, weighted)
    elif form == MANY:
        lines = many(kind, used, rows, weighted, width)
        form = f"{MANY}{width}"
    else:
        lines, meets = unrolled(kind, int(form), rows, weighted), met_by(parts[1], int(form))
    name = "_".join([kind.name, str(form), str(rows), "w" if weighted else ""])
    return written_function(lines, name, kind, parts, meets, dtype)


def written_function(
    lines: Iterator[str],
    name: str,
    kind: Kind,
    parts: tuple[type[Part], type[Part]],
    meets: Any,
    dtype: Any,
) -> Callable:
    """Return the function, for a loss and a space, that is written down in lines."""
    single, (loss, space) = dtype == np.float32, map(part_type, parts)
    names = {
        "__name__": __name__,
        "real": np.float32 if single else np.float64,
        "nan": np.nan,
        "size": BLOCK,
        "align_stack": align_stack,
        "carray": carray,
        "beyond": beyond,
        "met": meets,
        "of_pair": kind.of_pair,
        "loss_at": part_reader(parts[0], single, len(space.params)),
        "judge_at": part_reader(parts[0], single, len(space.params) + len(loss.params)),
        "space_at": part_reader(parts[1], single, 0),
    }
    full = f"{name}_{loss.digest}_{space.digest}"
    return named_code("\n    ".join([HEAD, *lines]), __file__, full, names)
