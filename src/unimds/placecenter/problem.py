"""An MDS problem in a convenient unit of length: distances, a loss and a space."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.compiled.functions import PLAIN
from unimds.compiled.parts import explained
from unimds.distances.coded import CodedTable
from unimds.distances.pairs import Pairs
from unimds.distances.table import DistanceTable, HeldTable, LocalTable
from unimds.distances.tiles import Tile
from unimds.kernels.engine import COST, ERRORS, MUTUAL, UNROLLED, Engine, engine_for
from unimds.kernels.rows import Kind
from unimds.levels import Level
from unimds.losses import Loss
from unimds.placecenter.apart import Apart
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.pulls import add_pulls
from unimds.placecenter.targets import GIVEN, Targets, scaled_pairs
from unimds.spaces.base import Space, check_auto, check_curved
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.sphere import Sphere

Array = NDArray[Any]
Rows = tuple[int, Array | CodedTable, Array | None]
"""A tile, or a table that compiled code looks up."""

SHARED_FROM, STRIPES = 5000, 8  # points from which threads share a table, and its parts
ADAPTED = 1e-7  # error of a distance that counts as none where targets adapt, without an end
SINGLE_FROM = 200  # points from which single precision saves time worth its rounding
LEAST_COST = 1e-250  # of a fair error at all pairs: below it, costs of good maps have no digits
# in a typical distance, and in the longest, where the size is free: coordinates grow with the power
# of e, and lose so many digits that beyond this the cost is not the map's any more
MOST_UNITS, MOST_ACROSS = 10.0, 18.0
MOST_SMOOTHING = 1e8  # of the largest error that matters: beyond it, no digit of the cost tells


@final
@dataclass(frozen=True)
class Frame:
    """A loss and a space in a unit of length in which distances are about one.

    The unit is a power of two, so that changing to it and back is exact: data in kilometres and
    in metres take the same steps. All compiled loops are called from here. Configurations are
    coordinate-major, ``X[axis, point]``; given distances keep their own unit.

    Attributes
    ----------
    loss, space : Loss, Space
        In the frame's unit.
    unit : float
        What a given distance is multiplied by.
    scale : float
        A typical distance in the frame's unit: about 1 where loss and space allow it.
    cost_unit : float
        What a cost in the frame's unit is multiplied by, to be one in the user's.
    resize : bool
        Whether the size of the space is a first guess, to be estimated.
    """

    loss: Loss
    space: Space
    unit: float
    scale: float
    cost_unit: float
    resize: bool = False

    @classmethod
    def make(cls, loss: Loss, space: Space, typical: float) -> Frame:
        """Bring loss and space to the unit of a typical distance; "auto" becomes a number."""
        loss, resize = loss.resolved(typical), space.is_auto
        space = space.sized(typical) if resize else space
        unit = 1.0 if loss.degree is None else _working_unit(typical)
        inner = _in_unit(space, unit)
        if inner is None:  # the data keep their own unit
            inner, unit = space, 1.0
        with np.errstate(over="ignore"):  # squares of 1e155 are not numbers any more
            cost_unit = float(np.float64(1.0 / unit) ** (loss.degree or 0.0))
        return cls(loss.scaled(unit), inner, unit, typical * unit, cost_unit, resize)

    # --- compiled loops over the rows of a tile ------------------------------------------------

    def engine(
        self, X: Array, D: Array | CodedTable | None = None, W: Array | None = None
    ) -> Engine:
        """Return the compiled loops for a configuration and a table."""
        return engine_for(self.loss, self.space, X, D, W)

    def sweep(
        self,
        steps: int | None,
        eps: float,
        tile: Tile,
        X: Array,
        free: Array,
        band: tuple[int, int],
    ) -> None:
        """Place every free point of the rows once, in place."""
        first, D, W = _in_order(tile)
        free = free if free.flags.writeable else free.copy()  # or Numba would compile once more
        engine = self.engine(X, D, W)
        if steps is None:
            engine.sweep(D, W, first, X, free, band, self.unit)
        else:
            engine.sweep_in_turn(D, W, first, X, free, steps, eps, self.unit)

    def costs(self, smooth: Loss, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the cost of the rows by the loss as given and by `smooth`."""
        (exact,) = self._total(COST, tile, X)
        if smooth == self.loss:
            return exact, exact
        return exact, *replace(self, loss=smooth)._total(COST, tile, X)

    def sums(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the sums of `unimds.kernels.rows.errors` over the rows."""
        return self._total(ERRORS, tile, X)

    def _total(self, kind: Kind, tile: Tile, X: Array) -> tuple[float, ...]:
        first, D, W = _in_order(tile)
        return self.engine(X, D, W).total(kind, D, W, first, X, self.unit)

    def add_pulls(self, tile: Rows, X: Array, judge: Loss, pulls: Array, threads: int) -> Array:
        """Add the pulls of the pairs of some rows, see `Engine.pulls`; return their costs.

        Threads share the stripes of a large table, whose sums are added in their order: the result
        does not depend on how many threads there are.
        """
        first, D, W = tile
        engine, stripes = self.engine(X, D, W), _stripes(first, len(D), X.shape[1])
        if len(stripes) == 1:
            return np.array(engine.pulls(D, W, first, stripes[0], X, self.unit, judge, pulls))

        def work(rows: slice) -> tuple[Array, tuple[float, float]]:
            found = np.zeros_like(pulls)
            return found, engine.pulls(D, W, first, rows, X, self.unit, judge, found)

        if threads > 1 and len(stripes) > 1:
            engine.row(MUTUAL)  # compiled before threads ask for it
            with ThreadPoolExecutor(threads) as pool:
                parts = list(pool.map(work, stripes))
        else:
            parts = [work(rows) for rows in stripes]
        for found, _ in parts:
            pulls += found
        return np.asarray(np.sum([costs for _, costs in parts], axis=0))

    def place(
        self, D: Array, W: Array | None, X: Array, P: Array, steps: int | None, eps: float
    ) -> tuple[Array, Array]:
        """Move the columns of `P` by their distances to `X`; return costs, and who has settled."""
        _, D, W = _in_order((0, D[:, None, :], None if W is None else W[:, None, :]))
        return self.engine(X, D, W).place(D, W, X, P, steps or 0, eps, self.unit)

    def extrapolate(self, X: Array, previous: Array, beta: float, free: Array) -> Array:
        """Return the points beyond `X` as seen from `previous`."""
        X, previous = (
            np.ascontiguousarray(X),
            np.ascontiguousarray(previous),
        )  # as compiled code reads
        out = self.engine(X).carry_on(X, previous, beta)
        out[:, ~free] = X[:, ~free]
        return out

    # --- to and from the user's units ---------------------------------------------------------

    @property
    def factor(self) -> float:
        """What coordinates in the user's unit are multiplied by."""
        return self.unit if self.space.scales_coordinates else 1.0

    def inner(self, embedding: Array, dtype: Any = np.float64) -> Array:
        """Return a configuration from rows of points in the user's unit."""
        points = self.space.project_points(np.asarray(embedding, dtype=np.float64) * self.factor)
        return np.ascontiguousarray(points.T, dtype=dtype)

    def outer(self, X: Array) -> Array:
        """Return rows of points in the user's unit."""
        points: Array = np.ascontiguousarray(X.T, dtype=np.float64)
        if X.dtype == np.float32:
            points = self.space.project_points(points)
        return points / self.factor

    def outer_all(self, X: Array, space: Space) -> tuple[Array, Loss, Space]:
        """Return rows of points, the loss and a space, all in the user's unit."""
        return self.outer(X), self.loss.scaled(1.0 / self.unit), self.outer_space(space)

    def outer_space(self, space: Space) -> Space:
        """Return a space in the user's unit."""
        outer = _in_unit(space, 1.0 / self.unit)
        assert outer is not None  # it came to the frame's unit
        return outer

    def smoothing_in(self, factor: float, smoothing: float) -> float:
        """Return a level of smoothing in a unit in which distances are `factor` times as large."""
        return float(self.loss.smoothed(smoothing).scaled(factor).smoothing)  # type: ignore[attr-defined]


@final
@dataclass(frozen=True)
class Problem:
    """Distances to be met by points of a space, judged by a loss.

    Attributes
    ----------
    pairs : Pairs
        The given distances, in their own unit.
    frame : Frame
        Loss and space.
    n_components : int
        Dimension of the map.
    single : bool
        Whether points may be in single precision, if the distances are and the space allows it.
    targets : Targets
        What the distances of the map are compared with: the given distances of `pairs`, or others
        that adapt to the map.
    """

    pairs: Pairs
    frame: Frame
    n_components: int
    single: bool = False
    targets: Targets = GIVEN

    @classmethod
    def make(cls, pairs: Pairs, loss: Loss, space: Space, n_components: int) -> Problem:
        """Bring distances, loss and space to a common unit."""
        frame = Frame.make(loss, space, pairs.typical)
        return cls(pairs, frame, n_components, single=pairs.n >= SINGLE_FROM)

    @classmethod
    def scaled(
        cls,
        pairs: Pairs,
        loss: Loss,
        space: Space,
        n_components: int,
        level: Level,
        by_row: bool = False,
        anchors: Anchors | None = None,
    ) -> Problem:
        """Return the problem of finding a map and a transformation of the dissimilarities."""
        check_room(pairs, n_components)
        fixed = None if anchors is None else anchors.apart(space)
        sized = type(space).unit_length is not Space.unit_length
        # the unit of disparities is free, so that a size of the space says nothing of itself
        free = sized and fixed is None
        if free and loss.degree is None and not space.is_auto:
            raise ValueError(
                f"{loss} has no degree, so that disparities in {space} have no unit; use a size of "
                '"auto", or give the loss a degree'
            )
        pairs, targets = scaled_pairs(pairs, level, loss, n_components, by_row, fixed)
        problem = replace(cls.make(pairs, loss, space, n_components), targets=targets)
        return problem.within(problem.frame.space, resize=True) if free else problem

    @classmethod
    def posed(cls, pairs: Pairs, loss: Loss, space: Space, n_components: int) -> Problem:
        """Return the problem of finding a map; raise where there is none, or none in numbers."""
        check_room(pairs, n_components)
        if space.is_auto:
            check_auto(space, pairs.typical)
        else:
            check_curved(space, pairs.largest)
            space.check_distances(pairs.largest)
        return cls.make(pairs, loss, space, n_components)

    def on(self, index: Array, *, single: bool = False) -> Problem:
        """Return the problem of some of the points, in `single` precision if that suffices."""
        dtype = np.float32 if single and self.single_suffices else None
        pairs, single = self.pairs.subset(index, dtype), self.single or single
        return replace(self, pairs=pairs, single=single, targets=GIVEN)

    def in_double(self) -> Problem:
        """Return the problem with points in double precision, whatever the distances are."""
        return replace(self, single=False)

    def within(self, space: Space, *, resize: bool = False) -> Problem:
        """Return the problem in another space."""
        return replace(self, frame=replace(self.frame, space=space, resize=resize))

    def flatter(self) -> Problem:
        """Return the problem in a space where points pass each other more easily, or itself."""
        space = self.frame.space.flatter(self.frame.scale)
        return self if space is None else self.within(space)

    # --- targets that adapt --------------------------------------------------------------------

    @property
    def adapts(self) -> bool:
        """Whether the targets adapt to the map."""
        return self.targets is not GIVEN

    def aimed(self, r: Array) -> Problem:
        """Return the problem of meeting some targets."""
        return replace(self, pairs=self.targets.aimed(self.pairs, r)) if self.adapts else self

    def adapted(self, X: Array, loss: Loss, space: Space, r: Array) -> Array:
        """Return the targets that fit a configuration better, or as well."""
        return self.targets.adapted(self._apart(X, space), loss, self.frame.unit, r)

    def normalised(self, X: Array, space: Space, r: Array) -> tuple[Array, Space, Array]:
        """Return configuration, space and targets at the size of the data, if they can grow."""
        growth = self.targets.growth(r)
        if growth == 1.0:
            return X, space, r
        if self.frame.resize:
            return X, space.sized(space.unit * growth), r * growth
        if space.scales_coordinates and self.pairs.free.all():
            return X * X.dtype.type(growth), space, r * growth
        return X, space, r

    def fitted(self, X: Array, loss: Loss, space: Space, r: Array) -> Array:
        """Return the targets in the unit in which they fit a configuration best."""
        return self.targets.fitted(self._apart(X, space), loss, self.frame.unit, r)

    def _apart(self, X: Array, space: Space) -> Apart:
        """Return the distances of a configuration."""
        return Apart(space, X)

    # --- what descends ------------------------------------------------------------------------

    def sweep(self, X: Array, loss: Loss, space: Space, inner_iter: int, eps: float) -> None:
        """Place every free point once, in place."""
        frame, pairs = self._at(loss, space), self.pairs
        if inner_iter == 1 and space.unit_step_descends():
            pairs.table.move(partial(frame.sweep, None, eps), X, pairs.free)
        else:  # steps that look at the cost of a point need all others at rest
            pairs.table.move_in_turn(partial(frame.sweep, inner_iter, eps), X, pairs.free)

    def _at(self, loss: Loss, space: Space) -> Frame:
        """Return the frame with a loss and a space, which mostly are its own."""
        own = loss is self.frame.loss and space is self.frame.space
        return self.frame if own else replace(self.frame, loss=loss, space=space)

    @property
    def _whole(self) -> tuple[Array, Array | None]:
        return self.pairs.table.whole()

    def costs(self, X: Array, smooth: Loss, space: Space) -> tuple[float, float]:
        """Return the cost by the loss as given and by `smooth`."""
        return self.measured(X, smooth, space)[1]

    def measured(
        self, X: Array, smooth: Loss, space: Space
    ) -> tuple[Array | None, tuple[float, float]]:
        """Return the `costs`, and the `pulls` by `smooth` where they come with them."""
        compiled = self.moves_together and len(X) <= UNROLLED and not PLAIN
        if compiled and space == self.frame.space:
            return self.pulls(X, smooth)  # by code that is compiled in any case
        frame = self._at(self.frame.loss, space)
        exact, smoothed = self.pairs.table.total(partial(frame.costs, smooth), X)
        return None, (float(exact), float(smoothed))

    @cached_property
    def moves_together(self) -> bool:
        """Whether points move together, by their `pulls`: on a line sweeps end lower."""
        return self.n_components > 1 and self._pulls_suffice

    @cached_property
    def _pulls_suffice(self) -> bool:
        """Whether the `pulls` on the points tell how to lower the cost."""
        # not a subclass, which may measure and move in another way
        kind, few = type(self.frame.space), self.n_coordinates <= UNROLLED
        on_sphere = kind is Sphere and few and not self.frame.resize
        local = isinstance(self.pairs.table, LocalTable)
        # one compiled row knows the loss as given and the smoothed one, as two of a kind
        loss = self.frame.loss
        alike = type(loss.smoothed(self.frame.scale)) is type(loss)
        return local and alike and (kind is Euclidean or on_sphere)

    @property
    def held(self) -> bool:
        """Whether all distances are in the memory of this process, or mapped to it."""
        return isinstance(self.pairs.table, HeldTable)

    @property
    def descends_compiled(self) -> bool:
        """Whether compiled code can descend without coming back for every step."""
        few = self.pairs.n < SHARED_FROM and self.n_coordinates <= UNROLLED
        return self.held and few and not self.adapts

    @property
    def anneals_compiled(self) -> bool:
        """Whether compiled code can descend by one loss after another, on a line too."""
        return self._pulls_suffice and self.descends_compiled and not PLAIN

    def descend_compiled(
        self, X: Array, loss: Loss, limits: Any, costs: Array, state: Any
    ) -> tuple[int, int]:
        """Take quasi-Newton steps, see `unimds.kernels.steps`; `X` is memory to work in."""
        frame, (_, D, W) = self._at(loss, self.frame.space), _in_order((0, *self._whole))
        judge, engine = self.frame.loss, frame.engine(X, D, W)
        return engine.descend(D, W, X, frame.unit, judge, limits, costs, state)

    def anneal_compiled(
        self, X: Array, losses: list[Loss], limits: Any, costs: Array, state: Any
    ) -> int:
        """Take quasi-Newton steps by one loss after another; `X` is memory to work in."""
        frame, (_, D, W) = self.frame, _in_order((0, *self._whole))
        return frame.engine(X, D, W).anneal(D, W, X, frame.unit, losses, limits, costs, state)

    def pulls(self, X: Array, smooth: Loss, threads: int = 1) -> tuple[Array, tuple[float, float]]:
        """Return the pull on every point by `smooth`, in a last row its weights; and the `costs`.

        The pull on a point of Euclidean space is Σ w (1 − ρ/u) (x_j − x_i): the gradient of the
        cost is −2 times the pulls. Points in one place do not pull at each other.
        """
        frame, found, costs = self.frame, np.zeros((len(X) + 1, X.shape[1])), np.zeros(2)
        if len(X) > UNROLLED:  # in Euclidean space
            for tile in self.pairs.table.tiles():
                parts = (X, frame.loss, smooth, frame.unit, found[:-1], found[-1])
                costs += add_pulls(_in_order(tile), *parts)
            return found, (float(costs[0]), float(costs[1]))
        at, share = self._at(smooth, frame.space), 1.0 / self.pairs.layers
        with np.errstate(over="ignore", invalid="ignore"):  # a trial may lead too far
            for rows in _rows_of(self.pairs.table):
                costs += at.add_pulls(rows, X, frame.loss, found, threads)
        found *= share
        return found, (float(costs[1] * share), float(costs[0] * share))

    def mean_residual(self, X: Array) -> float:
        """Return the mean error of the pairs, in the unit of the loss's smoothing."""
        residuals, weights, _, _ = self.pairs.table.total(self.frame.sums, X) / self.pairs.layers
        return residuals / weights if weights > 0.0 else 0.0

    def resized(self, X: Array, loss: Loss, space: Space) -> Space:
        """Return the space at the size that lowers the majorizer of the cost the most."""
        frame = self._at(loss, space)
        _, _, above, below = self.pairs.table.total(frame.sums, X) / self.pairs.layers
        factor = above / below if above > 0.0 and below > 0.0 else 1.0
        at = np.ascontiguousarray(X, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # momentum may lead too far
            across = space.between(np.ascontiguousarray(at[:, :1]), at).max(initial=0.0)
        least = max(self.frame.scale / MOST_UNITS, min(across / MOST_ACROSS, space.unit))
        try:
            grown = space.sized(max(space.unit * factor, least))
            frame.outer_space(grown)
        except ValueError:  # as good as flat: the user's unit has no number for its curvature
            return space
        return grown

    def extrapolate(self, X: Array, previous: Array, beta: float, space: Space) -> Array:
        """Return the points beyond `X` as seen from `previous`."""
        frame = self._at(self.frame.loss, space)
        return frame.extrapolate(X, previous, beta, self.pairs.free)

    # --- what is known beforehand -------------------------------------------------------------

    @cached_property
    def n_coordinates(self) -> int:
        """Number of coordinates of a point."""
        return self.frame.space.n_coordinates(self.n_components)

    @cached_property
    def dtype(self) -> Any:
        """Precision of the arithmetic: that of the distances where that pays and suffices."""
        single = self.single and self.single_suffices and self.pairs.dtype == np.float32
        return np.dtype(np.float32 if single else np.float64)

    @property
    def single_suffices(self) -> bool:
        """Whether the numbers of the problem lie within the range of single precision."""
        # a loss without a degree leaves the data in their own unit, however large; and so may D be
        pairs = self.pairs
        largest = max(pairs.largest, 1.0 / pairs.typical)
        scales = self.frame.loss.degree is not None and largest < 1e30
        light, heavy = pairs.weighing.lightest / pairs.n**2, pairs.weighing.total
        weighs = (light > 1e-30 or light == 0.0) and heavy < 1e30
        return self.frame.space.single_precision and scales and weighs

    def inner(self, embedding: Array) -> Array:
        """Return a configuration from rows of points in the user's unit."""
        return self.frame.inner(embedding, self.dtype)

    def cost_of(self, embedding: Array, space: Space) -> float:
        """Return the cost of rows of points in the user's unit, in double precision."""
        X = np.ascontiguousarray(embedding.T) * self.frame.factor
        cost, _ = self.costs(X, self.frame.loss, space)
        return cost * self.frame.cost_unit

    def is_exact(self, X: Array) -> bool:
        """Whether a configuration matches every distance up to rounding."""
        cost, _ = self.costs(X, self.frame.loss, self.frame.space)
        return cost <= self.exact_cost

    def is_near(self, X: Array) -> bool:
        """Whether a configuration matches distances up to some per cent."""
        cost, _ = self.costs(X, self.frame.loss, self.frame.space)
        return cost <= self.cost_of_errors(0.05)

    def check_costs(self) -> None:
        """Raise where costs tell nothing of a map.

        The loss must have been compiled before: its methods are called as Python here, which does
        not explain the mistakes in them.
        """
        _check_smoothing(self.frame)
        _check_digits(self)

    @cached_property
    def exact_cost(self) -> float:
        """The cost of being wrong by rounding everywhere: what counts as zero."""
        rounding = 1e-11 if self.pairs.dtype == np.float64 else 1e-6
        rounding = ADAPTED if self.adapts else rounding
        return self._cost_of_error(rounding) * self.pairs.weighing.lightest

    def cost_of_errors(self, share: float) -> float:
        """Return the cost of being wrong everywhere by a share of a typical distance."""
        return self._cost_of_error(share) * self.pairs.weighing.total

    def _cost_of_error(self, share: float) -> float:
        """Return the cost of a typical distance that is wrong by a share of it."""
        loss, r = self.frame.loss, self.frame.scale
        with explained(loss):
            value = float(loss.value(r * (1.0 + share), r)) - float(loss.value(r, r))
        return max(value, 0.0)


def _rows_of(table: DistanceTable) -> Iterable[Rows]:
    """Return the rows of a table as compiled code reads them, or looks them up."""
    return [(0, table, table.W)] if isinstance(table, CodedTable) else map(_in_order, table.tiles())


def _in_order(tile: Tile) -> Tile:
    """Return a tile whose rows follow each other in memory, as compiled code reads them."""
    first, D, W = tile
    return first, np.ascontiguousarray(D), None if W is None else np.ascontiguousarray(W)


def _stripes(first: int, count: int, n: int) -> list[slice]:
    """Return parts of the rows with equally many pairs, by the size of the table alone."""
    if n < SHARED_FROM:
        return [slice(0, count)]
    pairs = np.linspace(first**2, (first + count) ** 2, STRIPES + 1)
    ends = np.sqrt(pairs).round().astype(int) - first
    return [slice(int(a), int(b)) for a, b in pairwise(ends) if b > a]


def _working_unit(typical: float) -> float:
    """Return the power of two that makes a typical distance about one."""
    return float(2.0 ** -np.clip(round(np.log2(typical)), -1000, 1000))


def _in_unit(space: Space, unit: float) -> Space | None:
    """Return the space with its distances multiplied by `unit`, or None where it cannot be."""
    return space.scaled(unit) if unit != 1.0 else space


def check_room(pairs: Pairs, n_components: int) -> None:
    """Raise where the points cannot fill the dimensions."""
    n = pairs.n
    # up to three points get their answer in any dimension: loops over small groups rely on it
    if n_components >= n > 3:
        raise ValueError(
            f"a map of {n_components} dimensions needs more than {n_components} points, and there "
            f"are {n}; {n} points always fit in {n - 1} dimensions: use {n - 1} or fewer"
        )
    if pairs.largest == 0.0 and n > 1:
        warn("all distances are zero: all points are put in one place", UserWarning)


def own_smoothing(loss: Loss) -> float:
    """Return the smoothing that a loss was given."""
    return float(getattr(loss, "smoothing", 0.0))


def _check_smoothing(frame: Frame) -> None:
    """Raise where a loss is so smooth that every map costs the same."""
    smoothing, scale = own_smoothing(frame.loss), frame.scale
    if not (frame.loss.anneals and smoothing > 0.0):
        return
    error = abs(float(frame.loss.residual(2.0 * scale, scale)))
    if smoothing > MOST_SMOOTHING * error > 0.0:
        given = frame.smoothing_in(1.0 / frame.unit, smoothing)
        raise ValueError(
            f"smoothing={given:g} is {smoothing / error:.0e} times the error of a distance that is "
            "twice as long as given: all maps would cost the same; use a smaller smoothing"
        )


def _check_digits(problem: Problem) -> None:
    """Raise where costs are so small that they are no more than rounding."""
    total, error = problem.pairs.weighing.total, problem._cost_of_error(0.1)
    if not (total > 0.0 and error > 0.0) or total * error > LEAST_COST:
        return
    if total < error:
        raise ValueError(
            f"the weights add up to {total:g}, so little that costs lose their digits; multiply "
            "all weights by one large number: the best map stays the same"
        )
    frame = problem.frame
    raise ValueError(
        f"{frame.loss.scaled(1.0 / frame.unit)} costs {error * frame.cost_unit:g} where a typical "
        "distance is wrong by a tenth, so little that costs lose their digits; use a loss with "
        "larger values"
    )
