"""An MDS problem in a convenient unit of length: distances, a loss and a space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import PLAIN
from unimds.compiled.parts import explained
from unimds.distances.coded import CodedTable
from unimds.distances.pairs import Pairs
from unimds.distances.table import DistanceTable, HeldTable, LocalTable
from unimds.kernels.engine import UNROLLED
from unimds.levels import Level
from unimds.losses import Loss
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.frame import Frame, Rows, contiguous, is_shared
from unimds.placecenter.majorization.apart import Apart
from unimds.placecenter.majorization.pulls import add_pulls
from unimds.placecenter.solvable import check_digits, check_not_too_smooth, check_room
from unimds.placecenter.targets import GIVEN, Targets, scaled_pairs
from unimds.spaces.base import Space, check_auto, check_curved
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.sphere import Sphere

Array = NDArray[Any]

ADAPTED = 1e-7  # error of a distance that counts as none where targets adapt, without an end
BISECTIONS = 12  # of a typical distance, the most that an error counts as
SINGLE_FROM = 200  # points from which single precision saves time worth its rounding
# in a typical distance, and in the longest, where the size is free: coordinates grow with the power
# of e, and lose so many digits that beyond this the cost is not the map's any more
MOST_UNITS, MOST_ACROSS = 10.0, 18.0


@final
@dataclass(frozen=True, eq=False)
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
        pairs, targets = scaled_pairs(pairs, level, loss, n_components, by_row, fixed)
        sized = type(space).unit_length is not Space.unit_length
        # the unit of disparities is free, so that a size of the space says nothing of itself
        free = sized and targets.fixed is None
        if free and loss.degree is None and not space.is_auto:
            raise ValueError(
                f"{loss} has no degree, so that disparities in {space} have no unit; use a size of "
                '"auto", or give the loss a degree'
            )
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
        frame, pairs = self.frame.at(loss, space), self.pairs
        if inner_iter == 1 and space.unit_step_descends():
            pairs.table.move(partial(frame.sweep, None, eps), X, pairs.free)
        else:  # steps that look at the cost of a point need all others at rest
            pairs.table.move_in_turn(partial(frame.sweep, inner_iter, eps), X, pairs.free)

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
        frame = self.frame.at(self.frame.loss, space)
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
        few = not is_shared(self.pairs.n) and self.n_coordinates <= UNROLLED
        return self.held and few and not self.adapts

    @property
    def anneals_compiled(self) -> bool:
        """Whether compiled code can descend by one loss after another, on a line too."""
        return self._pulls_suffice and self.descends_compiled and not PLAIN

    def descend_compiled(
        self, X: Array, loss: Loss, limits: Any, costs: Array, state: Any
    ) -> tuple[int, int]:
        """Take quasi-Newton steps, see `unimds.kernels.steps`; `X` is memory to work in."""
        frame, (_, D, W) = self.frame.at(loss, self.frame.space), contiguous((0, *self._whole))
        judge, engine = self.frame.loss, frame.engine(X, D, W)
        return engine.descend(D, W, X, frame.unit, judge, limits, costs, state)

    def anneal_compiled(
        self, X: Array, losses: list[Loss], tables: Array | None, limits: Any, *rest: Any
    ) -> int:
        """Take quasi-Newton steps by one loss after another; `X` is memory to work in.

        `tables` are the distances for each of several descents, if these have tables of their own.
        """
        frame, (_, D, W) = self.frame, contiguous((0, *self._whole))
        apart = 0 if tables is None else tables.strides[0]
        D = D if tables is None else tables[0]
        engine = frame.engine(X, D, W)
        return engine.anneal(D, W, X, frame.unit, losses, (*limits, apart), *rest)

    def pulls(self, X: Array, smooth: Loss, threads: int = 1) -> tuple[Array, tuple[float, float]]:
        """Return the pull on every point by `smooth`, in a last row its weights; and the `costs`.

        The pull on a point of Euclidean space is Σ w (1 − ρ/u) (x_j − x_i): the gradient of the
        cost is −2 times the pulls. Points in one place do not pull at each other.
        """
        frame, found, costs = self.frame, np.zeros((len(X) + 1, X.shape[1])), np.zeros(2)
        if len(X) > UNROLLED:  # in Euclidean space
            for tile in self.pairs.table.tiles():
                parts = (X, frame.loss, smooth, frame.unit, found[:-1], found[-1])
                costs += add_pulls(contiguous(tile), *parts)
            return found, (float(costs[0]), float(costs[1]))
        at, share = self.frame.at(smooth, frame.space), 1.0 / self.pairs.layers
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
        frame = self.frame.at(loss, space)
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
        frame = self.frame.at(self.frame.loss, space)
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
        check_not_too_smooth(self.frame)
        check_digits(self.frame, self.pairs.weighing.total, self._cost_of_error(0.1))

    @cached_property
    def exact_cost(self) -> float:
        """The cost of being wrong by rounding everywhere: what counts as zero."""
        rounding = 1e-11 if self.pairs.dtype == np.float64 else 1e-6
        rounding = ADAPTED if self.adapts else rounding
        return self._cost_of_error(rounding) * self.pairs.weighing.lightest

    def cost_of_errors(self, share: float) -> float:
        """Return the cost of being wrong everywhere by a share of a typical distance."""
        return self._cost_of_error(share) * self.pairs.weighing.total

    def error_of(self, cost: float) -> float:
        """Return the error, the same in every pair, that costs so much; in the unit of distances.

        Examples
        --------
        >>> from unimds.distances.pairs import as_pairs
        >>> from unimds.losses import Squared
        >>> from unimds.spaces.euclidean import Euclidean
        >>> pairs = as_pairs(8.0 * (1.0 - np.eye(3)))
        >>> problem = Problem.make(pairs, Squared(), Euclidean(), 2)
        >>> round(problem.error_of(3 * 0.5**2 / problem.frame.cost_unit), 6)
        0.5
        """
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            share = 0.5 * (low + high)
            low, high = (share, high) if self.cost_of_errors(share) < cost else (low, share)
        return high * self.pairs.typical

    def with_errors(self, sizes: Array, rng: np.random.Generator) -> Array:
        """Return tables in memory with random errors, normal and of these sizes."""
        D, _ = self._whole
        return np.abs(D + sizes[:, None, None, None] * rng.standard_normal((sizes.size, *D.shape)))

    def _cost_of_error(self, share: float) -> float:
        """Return the cost of a typical distance that is wrong by a share of it."""
        loss, r = self.frame.loss, self.frame.scale
        with explained(loss):
            value = float(loss.value(r * (1.0 + share), r)) - float(loss.value(r, r))
        return max(value, 0.0)


def _rows_of(table: DistanceTable) -> Iterable[Rows]:
    """Return the rows of a table as compiled code reads them, or looks them up."""
    return (
        [(0, table, table.W)] if isinstance(table, CodedTable) else map(contiguous, table.tiles())
    )
