"""The engine: compiled functions of one loss and one space, and the drivers that call them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from unimds.compiled.functions import Precision, compiled_function, once
from unimds.compiled.parts import check_fields, explained
from unimds.distances.coded import CodedTable
from unimds.kernels import by_code, drivers, moves, rows, steps
from unimds.kernels.moves import BLOCK
from unimds.kernels.rows import (
    APART,
    COST,
    ERRORS,
    MANY,
    MEASURED,
    MUTUAL,
    PULL,
    UNROLLED,
    Kind,
    Row,
)

Array = NDArray[Any]

__all__ = ["COST", "ERRORS", "MUTUAL", "UNROLLED", "Engine", "engine_for"]

ENTRIES = 2**17  # of a table that is made to be read once: it stays in the cache


@final
@dataclass(frozen=True)
class Engine:
    """All that is compiled for a loss, a space, a number of coordinates and a kind of table."""

    loss: Any
    space: Any
    k: int
    weighted: bool
    precision: Precision

    # --- compiled functions ---------------------------------------------------------------------

    @cached_property
    def form(self) -> int | str:
        """How rows work: the number of coordinates, `MANY` or `MEASURED`."""
        if not self.space.fuses():
            return MEASURED
        return self.k if self.k <= UNROLLED else MANY

    @cached_property
    def flat(self) -> bool:
        """Whether a step is a sum."""
        return bool(self.space.flat())

    def row(self, kind: Kind, count: int = 2) -> int:
        """Return the address of a row function, for two rows or for one."""
        known = self._rows.get((kind.name, count))
        if known is None:
            parts = type(self.loss), type(self.space)
            which = Row(kind, parts, self.form, count, self.weighted)
            if self.form == MANY:
                which = which._replace(used=rows.asked(self.space), width=rows.abreast(self.k))
            with explained(self.loss, self.space):
                known = self._rows[kind.name, count] = rows.row(which, self.precision)
        return known

    @cached_property
    def _rows(self) -> dict[tuple[str, int], int]:
        return {}

    @cached_property
    def move(self) -> int:
        """The address of what moves a point."""
        return self._in_space(moves.move)

    @cached_property
    def onward(self) -> int:
        """The address of what carries points on by momentum."""
        return self._in_space(moves.carry_on)

    def _in_space(self, function: Callable) -> int:
        with explained(self.space):
            return moves.in_space(
                function, type(self.space), self.form == MEASURED, self.precision.points
            )

    @cached_property
    def carry(self) -> int:
        """The address of what carries quasi-Newton steps along, or 0 in flat space."""
        if self.flat:
            return 0
        with explained(self.space):
            return steps.carrier(type(self.space), self.k)

    @cached_property
    def meet(self) -> int:
        """The address of what adds up pulls where all points are shaken at once."""
        parts = type(self.loss), type(self.space)
        with explained(self.loss, self.space):
            return rows.meet(parts, self.k, self.weighted, self.precision)

    @cached_property
    def fields(self) -> Array:
        """The numbers of space and loss, as compiled code reads them."""
        for part in (self.space, self.loss):
            check_fields(part)
        space, loss = self._numbers
        return np.array([*space, *loss, 0.0], dtype=np.float64)

    @cached_property
    def _numbers(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The fields of space and loss."""
        return astuple(self.space), astuple(self.loss)

    @cached_property
    def _names(self) -> list[str]:
        """The names of the loss's fields."""
        return [field.name for field in fields(self.loss)]

    # --- memory ---------------------------------------------------------------------------------

    @cached_property
    def padded(self) -> int:
        """Number of coordinates that compiled code sees."""
        return self.k + -self.k % rows.abreast(self.k) if self.form == MANY else self.k

    def _laid_out(self, X: Array) -> Array:
        """Return the points as rows read them: many coordinates are filled up with zeros.

        A row of points gets another length than a power of two, or their coordinates would take
        each other's place in the cache.
        """
        if self.padded == len(X) and self.form != MANY:
            return X
        n = X.shape[1]
        out = np.zeros((self.padded, n + 8 if n % 64 == 0 else n), dtype=X.dtype)
        out[: len(X), :n] = X
        return out

    @cached_property
    def _own(self) -> threading.local:
        return threading.local()

    def _memory(self) -> tuple[int, int, int]:
        """Return the addresses of scratch memory, sums and fields, of this thread."""
        own = self._own
        try:
            return own.memory
        except AttributeError:
            own.scratch = np.zeros(10 * BLOCK + 8 * self.padded + 64, dtype=self.precision.points)
            own.out = np.zeros(8 * self.padded + 64 + 2 * BLOCK)
            own.memory = own.scratch.ctypes.data, own.out.ctypes.data, self.fields.ctypes.data
            return own.memory

    def _table(self, D: Array, W: Array | None) -> tuple[int, int, int, int, int]:
        """Return the addresses of a table's parts, the bytes of their rows, and the layers."""
        n = D.shape[2]
        weights = (0, 0) if W is None else (W.ctypes.data, n * W.itemsize)
        return D.ctypes.data, weights[0], n * D.itemsize, weights[1], D.shape[1]

    def _run(self, driver: Callable[..., Any], *arguments: Any) -> Any:
        """Run a driver."""
        try:
            return driver(*arguments)
        except TypeError:  # Numba's error for a method that sometimes returns None
            with explained(self.loss, self.space):
                raise

    # --- drivers --------------------------------------------------------------------------------

    def sweep(
        self, D: Array, W: Array | None, first: int, X: Array, free: Array, band: Any, unit: float
    ) -> None:
        """Place every free point of the rows once, in place, by steps that are known to descend."""
        P, memory = self._laid_out(X), self._memory()
        functions = self.row(PULL), self.move
        self._run(
            drivers.sweep, *functions, _points(P), X.shape[1], len(X), self._table(D, W), first,
            len(D), free, (0, *band), unit, memory,
        )  # fmt: skip
        self._hand_back(P, X)

    def sweep_in_turn(
        self,
        D: Array,
        W: Array | None,
        first: int,
        X: Array,
        free: Array,
        steps: int,
        eps: float,
        unit: float,
    ) -> None:
        """Place every free point of the rows once, in place, by steps that are checked."""
        P, memory, tried = self._laid_out(X), self._memory(), self._tried()
        self._run(
            drivers.sweep_in_turn, self._checked, _points(P), X.shape[1], len(X),
            self._table(D, W), first, len(D), free, steps, eps, unit, tried.ctypes.data, memory,
        )  # fmt: skip
        self._hand_back(P, X)

    def place(
        self, D: Array, W: Array | None, X: Array, new: Array, steps: int, eps: float, unit: float
    ) -> tuple[Array, Array]:
        """Move the columns of `new` by their distances to `X`; return costs, and who has settled.

        Without any `steps` it is one step, which is not checked; then there are no costs.
        """
        P, N = self._laid_out(X), self._laid_out(new)
        memory, tried = self._memory(), self._tried()
        cost, settled = np.full(len(D), np.nan), np.zeros(len(D), dtype=bool)
        points, n, table = _points(P), X.shape[1], self._table(D, W)
        if not steps:
            functions = self.row(PULL, 1), self.move
            self._run(
                drivers.place_once,
                *functions,
                _points(N),
                points,
                n,
                len(X),
                table,
                len(D),
                unit,
                memory,
            )
            self._hand_back(N, new)
            return cost, settled
        self._run(
            drivers.place_rows, self._checked, _points(N), points, n, len(X), table, cost, settled,
            steps, eps, unit, tried.ctypes.data, memory,
        )  # fmt: skip
        self._hand_back(N, new)
        return cost, settled

    def total(
        self, kind: Kind, D: Array, W: Array | None, first: int, X: Array, unit: float
    ) -> tuple[float, ...]:
        """Return the sums of a row function over the rows, each pair once."""
        P, memory = self._laid_out(X), self._memory()
        self._run(
            drivers.total, self.row(kind), kind.sums, _points(P), X.shape[1], self._table(D, W),
            first, len(D), unit, memory,
        )  # fmt: skip
        return tuple(self._own.out[: kind.sums].tolist())

    def earlier(self, X: Array, first: int, count: int) -> Array:
        """Return the distances of some points to all earlier ones; what else is there is no number.

        The points are those from `first` on, one a row.
        """
        n = X.shape[1]
        if self.form in (MANY, MEASURED):
            rows = np.ascontiguousarray(X[:, first : first + count], dtype=np.float64)
            return self.space.between(rows, np.ascontiguousarray(X, dtype=np.float64))
        table = np.empty((count + count % 2, n), dtype=X.dtype)
        fields, size = self.fields.ctypes.data, table.itemsize
        row, into = self.row(APART), table.ctypes.data
        self._run(drivers.apart, row, _points(X), n, first, count, size, fields, into)
        return table[:count]

    def add_by_code(
        self, X: Array, codes: Array, W: Array, both: bool, total: Array, first: int = 0
    ) -> None:
        """Add the distance of every pair, times its weight in `W`, to the `total` of its code.

        Where `both`, the directions of a pair have a code each. Without `W` all pairs weigh one.
        Codes and weights may be of some points alone, from `first` on, and their earlier points.
        """
        n = X.shape[1]
        if self.form in (MANY, MEASURED) or len(codes) < n:
            for begin, U in self.earlier_rows(X, first, len(codes)):
                by_code.add_up_rows(U, codes, W, begin, first, both, total)
            return
        U, fields, row = np.empty((2, n), dtype=X.dtype), self.fields.ctypes.data, self.row(APART)
        rooms = fields, U.ctypes.data, U
        self._run(by_code.add_up_all, row, _points(X), n, codes, W, both, *rooms, total)

    def earlier_rows(self, X: Array, first: int, count: int) -> Iterator[tuple[int, Array]]:
        """Yield the distances of some points to those before them, a few at a time.

        The first of each is the number of the first point.
        """
        for some in gen_batches(count, max(2, ENTRIES // X.shape[1] // 2 * 2)):
            begin = first + some.start
            yield begin, self.earlier(X, begin, some.stop - some.start)

    def judged_by(self, judge: Any) -> Array:
        """Return the `fields`, followed by those of another loss of the same kind."""
        return self._judged_by_own if judge == self.loss else self._followed_by(judge)

    def _followed_by(self, judge: Any) -> Array:
        return np.append(self.fields[:-1], [*astuple(judge), 0.0])

    @cached_property
    def _judged_by_own(self) -> Array:
        return self._followed_by(self.loss)

    def pulls(
        self,
        D: Array | CodedTable,
        W: Array | None,
        first: int,
        rows: slice,
        X: Array,
        unit: float,
        judge: Any,
        slope: Array,
    ) -> tuple[float, float]:
        """Add the pulls on all points to `slope`, in its last row their weights.

        `D` has the rows of the points from `first` on, and some of these `rows` are meant. Return
        the costs by the loss and by `judge`. In a row only pairs with earlier points count.
        """
        n, begin, count = X.shape[1], first + rows.start, rows.stop - rows.start
        _, sums, _ = self._memory()
        others, fields = np.zeros(slope.shape, self.precision.points), self.judged_by(judge)
        memory, W = (others.ctypes.data, sums, fields.ctypes.data), None if W is None else W[rows]
        if isinstance(D, CodedTable):
            room = np.empty((2, D.layers, n), dtype=D.dtype)
            driver, coded = by_code.pulls, (D.codes, D.numbers, room)
        else:
            driver, coded, room = drivers.pulls, (), D[rows]
        smooth, exact = self._run(
            driver, self.row(MUTUAL), _points(X), n, self._table(room, W), *coded, begin, count,
            unit, memory, slope.ctypes.data,
        )  # fmt: skip
        slope += others
        return float(smooth), float(exact)

    def descend(
        self,
        D: Array,
        W: Array | None,
        X: Array,
        unit: float,
        judge: Any,
        limits: tuple[tuple[int, int, int, int], tuple[float, float]],
        costs: Array,
        state: tuple[Array, Array, Array],
    ) -> tuple[int, int]:
        """Take quasi-Newton steps, see `unimds.kernels.drivers.descend`; work in `X`."""
        whole, (eps, zero) = limits
        until = (*whole, 0), (zero, -np.inf), (0, 0)
        marks = np.array([[eps], [np.inf], [np.nan]])
        runs = np.empty((1, 0)), np.array([[0, 1]]), np.full((1, 1), np.nan), np.empty((1, 3))
        work = _Work(X, self.judged_by(judge), state)
        self._run(drivers.anneal, *self._stepping(work, D, W, unit, until, marks, costs, runs))
        _, done, why = runs[-1][0]
        return int(done), int(why)

    def anneal(
        self,
        D: Array,
        W: Array | None,
        X: Array,
        unit: float,
        losses: list[Any],
        limits: tuple[tuple[int, int, int, int], tuple[float, float], int],
        marks: Array,
        costs: Array,
        runs: tuple[Array, ...],
        state: tuple[Array, Array, Array],
    ) -> int:
        """Do so by one loss after another, all of the kind of the engine's, which judges."""
        (space, judge), names = self._numbers, self._names
        each = ([getattr(loss, name) for name in names] for loss in losses)  # astuple is slow
        rows = np.array([[*space, *values, *judge, 0.0] for values in each])
        whole, low, apart = limits
        work, until = _Work(X, rows, state), ((*whole, rows.strides[0]), low, (apart, 1))
        stepping = self._stepping(work, D, W, unit, until, marks, costs, runs)
        return int(self._run(drivers.anneal, *stepping))

    def _stepping(
        self, work: _Work, D: Array, W: Array | None, unit: float, *limits: Any
    ) -> tuple[Any, ...]:
        """Return the arguments of drivers that take quasi-Newton steps."""
        _, sums, _ = self._memory()
        told, pulls, at = work.measured.ctypes.data, work.others.ctypes.data, work.numbers_at
        fields, shares, trial = work.fields.ctypes.data, work.shares.ctypes.data, work.trial_at
        rooms = (
            (shares, at, 0), (told, at, 0), (0, trial, 0), (pulls, told, 0), (pulls, sums, fields),
            (told, at, fields),
        )  # fmt: skip
        n, table = work.X.shape[1], self._table(D, W)
        return (
            self._steps, _points(work.X), n, table, unit, rooms, work.where, *limits,
        )  # fmt: skip

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        """The functions of a quasi-Newton step."""
        helpers = (moves.plain(f, self.precision) for f in (moves.spread, moves.collect))
        return (*steps.step_functions(), *helpers, self.row(MUTUAL), self.carry)

    def carry_on(self, X: Array, previous: Array, beta: float) -> Array:
        """Return the points beyond `X` as seen from `previous`: exp_x(−β log_x(previous))."""
        out, memory = X.copy(), self._memory()
        who, nothing = (out.ctypes.data, X.shape[1], 0, 0), (0, 0, 0, 0)
        seen, how = _points(previous), float(beta)
        self._run(once, self.onward, who, seen, nothing, (0, 0, 0), how, memory)
        return out

    @cached_property
    def shakes_together(self) -> bool:
        """Whether all points of a sweep can be shaken at once."""
        return self.form not in (MANY, MEASURED)

    def shake_together(
        self, D: Array, W: Array | None, X: Array, sizes: Array, draws: Array, unit: float
    ) -> None:
        """Place all points at once against few others, for each of `sizes`; a table `by_shift`."""
        memory = self._memory()
        shifts = shifts_of(sizes, draws, X.shape[1])
        copies = np.empty((len(X), 2 * X.shape[1]), dtype=X.dtype)
        helpers = (moves.plain(f, self.precision) for f in (moves.twice, moves.take, moves.lift))
        functions = self.meet, *helpers, 0 if self.flat else self.move
        room = memory[0] + (len(X) + 3) * BLOCK * X.itemsize, *memory[1:]
        self._run(
            drivers.shake_together, functions, self.flat, copies.ctypes.data, _points(X),
            self._table(D, W), sizes, shifts, unit, memory, room,
        )  # fmt: skip

    def shake_in_turn(
        self, D: Array, W: Array | None, X: Array, sizes: Array, draws: Array, unit: float
    ) -> None:
        """Place one point after another against few others, once for each of `sizes`."""
        memory, table, k = self._memory(), self._table(D, W), len(X)
        shifts = shifts_of(sizes, draws, X.shape[1])
        P, few = self._laid_out(X), np.zeros((self.padded, BLOCK), dtype=X.dtype)
        sample = np.empty((D.shape[1], BLOCK), dtype=D.dtype)
        weights = None if W is None else np.empty((D.shape[1], BLOCK), dtype=W.dtype)
        functions = self.row(PULL, 1), self.move, moves.plain(moves.gather, self.precision)
        met = self._table(sample[None], None if weights is None else weights[None])
        self._run(
            drivers.shake_in_turn, *functions, _points(P), X.shape[1], k, table, _points(few), met,
            sizes, shifts, unit, memory,
        )  # fmt: skip
        self._hand_back(P, X)

    @property
    def _checked(self) -> tuple[int, int, int, int]:
        """The functions of a checked step."""
        return self.row(PULL, 1), self.row(COST, 1), self.move, self._in_space(moves.go)

    def _tried(self) -> Array:
        return np.zeros((self.padded, 3), dtype=self.precision.points)

    def _hand_back(self, P: Array, X: Array) -> None:
        if P is not X:
            X[:] = P[: len(X), : X.shape[1]]


@final
class _Work:
    """Memory that quasi-Newton steps work in, besides their `state`; it must outlive the call."""

    def __init__(self, X: Array, fields: Array, state: tuple[Array, Array, Array]):
        k, n = X.shape
        self.X, self.fields, self.state = X, fields, state
        self.measured, self.others = np.empty((k + 1, n)), np.zeros((k + 1, n), X.dtype)
        self.shares, self.pair = np.empty(steps.MEMORY), np.empty(2 * k)
        memory, numbers, free = state
        self.numbers_at, self.trial_at = numbers.ctypes.data, memory[steps.TRIAL].ctypes.data
        addresses = free.ctypes.data, self.pair.ctypes.data
        self.where = memory.ctypes.data, memory.shape[1], *addresses


def _points(X: Array) -> tuple[int, int, int]:
    """Return the address of points, the length of a row of coordinates and the number of rows."""
    return X.ctypes.data, X.shape[1], len(X)


@lru_cache(maxsize=256)
def _engine(loss: Any, space: Any, k: int, weighted: bool, *precision: Any) -> Engine:
    made = Engine(loss, space, k, weighted, Precision(*precision))
    # before threads share it: two of them could make two, and compiled code hold on to the one lost
    _ = made.fields, made._own, made._rows
    return made


def engine_for(
    loss: Any,
    space: Any,
    X: Array,
    D: Array | CodedTable | None = None,
    W: Array | None = None,
) -> Engine:
    """Return the engine for a configuration and a table."""
    table = X.dtype if D is None else D.dtype
    weights = X.dtype if W is None else W.dtype
    try:
        return _engine(loss, space, len(X), W is not None, X.dtype, table, weights)
    except TypeError:  # a field without a hash is no number
        check_fields(loss)
        check_fields(space)
        raise


def shifts_of(sizes: Array, draws: Array, n: int) -> Array:
    """Return shifts for every sweep, each from its own stretch of the circle of `n` points.

    `sizes` are the numbers of points that a point meets in a sweep; ``draws``, as many as their
    sum, lie between 0 and 1.
    """
    size = np.repeat(sizes, sizes)
    number = np.arange(size.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return 1 + np.minimum((number + draws) / size * (n - 1), n - 2).astype(np.intp)


def by_shift(D: Array, order: Array) -> Array:
    """Return the table with D[order[i], order[(i + s) mod n]] in row s − 1 and column i."""
    n, D = len(D), np.ascontiguousarray(D)
    twice = np.tile(order, 2).astype(np.float64)
    out = np.empty((n - 1, 1, n), D.dtype)
    tables, memory = (D.ctypes.data, out.ctypes.data, 0, 0), (0, twice.ctypes.data, 0)
    once(_turn(D.dtype), (0, 0, 0, 0), (0, n, 0), tables, (0, 0, 0), 1.0, memory)
    return out


@lru_cache(maxsize=2)
def _turn(dtype: Any) -> int:
    return compiled_function(moves.turn, Precision(dtype, dtype, dtype))
