"""Names beside points, where there is room for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds._extras import require
from unimds.plots.axes import PAPER, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

Array = NDArray[np.floating[Any]]

# Where a name may stand, seen from its point: shift and alignment, the usual places first.
PLACES = (
    ((1.0, 0.0), "left", "center"),
    ((-1.0, 0.0), "right", "center"),
    ((0.0, 1.0), "center", "bottom"),
    ((0.0, -1.0), "center", "top"),
    ((0.7, 0.7), "left", "bottom"),
    ((0.7, -0.7), "left", "top"),
    ((-0.7, 0.7), "right", "bottom"),
    ((-0.7, -0.7), "right", "top"),
)


def write_names(
    ax: Axes, places: Array, names: Sequence[str | None], avoid: Array, gap: float = 4.0
) -> None:
    """Write names beside their points: never over another name, and over as few points as can be.

    The layout of the figure must be final, as room is measured in pixels. `gap` is the distance of
    a name from its point, in typographic points.
    """
    figure: Any = ax.figure
    figure.draw_without_rendering()
    points = np.asarray(ax.transData.transform(avoid))
    # less than the gap: a name keeps clear of others' points
    margin = 0.6 * gap * figure.dpi / 72.0
    taken: list[Bbox] = []
    for place, name in zip(places, names, strict=True):
        if not name:
            continue
        texts = [_name_at(ax, place, name, gap, *where) for where in PLACES]
        boxes = [text.get_window_extent() for text in texts]
        free = [k for k, box in enumerate(boxes) if not any(map(box.overlaps, taken))]
        cost = [_covered(box, points, margin) + _outside(box, ax.bbox) for box in boxes]
        best = min(free, key=cost.__getitem__, default=None)
        for k, text in enumerate(texts):
            if k != best:
                text.remove()
        if best is not None:
            taken.append(boxes[best])


def _name_at(
    ax: Axes, place: Array, name: str, gap: float, shift: tuple[float, float], ha: str, va: str
) -> Any:
    text = ax.annotate(
        plain(name),
        (place[0], place[1]),
        xytext=(gap * shift[0], gap * shift[1]),
        textcoords="offset points",
        ha=ha,
        va=va,
        fontsize="small",
        annotation_clip=False,
    )
    text.set_in_layout(False)  # otherwise the axes would shrink, and the names meet after all
    effects = require("matplotlib.patheffects", "plot")
    text.set_path_effects([effects.withStroke(linewidth=2.0, foreground=PAPER, alpha=0.8)])
    return text


def _covered(box: Bbox, points: Array, margin: float) -> int:
    """Return how many points lie in a box or closer to it than `margin`."""
    low, high = np.array(box.min) - margin, np.array(box.max) + margin
    return int(((points > low) & (points < high)).all(axis=1).sum())


def _outside(box: Bbox, frame: Bbox) -> bool:
    """Whether a box leaves a frame."""
    return bool(np.any(box.min < frame.min) or np.any(box.max > frame.max))
