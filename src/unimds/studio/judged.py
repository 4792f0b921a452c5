"""What the page shows of a map: plain lists and words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from unimds.estimators.mds import MDS
from unimds.interpret.procrustes import procrustes_test
from unimds.plots.views import MapView, view_of
from unimds.quality import align
from unimds.report.fit import Goodness, fit_of, losses
from unimds.report.subject import Subject, subject_of
from unimds.report.verdict import verdict
from unimds.spaces import Simplex, Space
from unimds.studio.numbers import plain

Array = NDArray[Any]

WORST = 100
"""Pairs in the list of the worst."""
TABLES = 2500
"""Points up to which the server keeps the distances that a map is compared with."""
LINES = 400
"""Points of the course of the cost that are shown."""


# --- a view ---------------------------------------------------------------------------------------


def seen(points: Array, space: Space, before: MapView | None = None) -> MapView:
    """Return the view of a map; axes that have no sign of their own point as they did before."""
    view = view_of(points, space)
    if before is not None and before.points.shape == view.points.shape:
        view = replace(view, points=view.points * signs(view, before.points))
    return view


def signs(view: MapView, shown: Array) -> Array:
    """Return 1 or −1 for each axis of a view: principal axes may be shown the other way round."""
    ways = np.ones(view.points.shape[1])
    if view.kind == "plane" and "principal" in view.note:
        ways[np.sum(view.points * shown, axis=0) < 0.0] = -1.0
    return ways


def frame_of(view: MapView) -> dict[str, Any]:
    """Return all of a view but its points."""
    lines = {"edge": [plain(line, 4) for line in view.edge]}
    lines |= {"grid": [plain(line, 4) for line in view.grid]}
    return {"kind": view.kind, "note": view.note, **lines}


# --- a map ----------------------------------------------------------------------------------------


def judged(mds: MDS, kept: Array, labels: list[str], weights: Array | None) -> dict[str, Any]:
    """Return how well a map fits, point by point and pair by pair; points by number in the file."""
    subject = subject_of(mds, None, labels)
    fit = fit_of(subject, weights)
    sample = fit.sample
    pairs = {name: plain(getattr(sample, name)) for name in ("given", "target", "mapped")}
    run = mds.history_[np.unique(np.linspace(0, len(mds.history_) - 1, LINES).astype(int))]
    curves = [] if subject.scaled is None else subject.scaled.curves[:1]
    return {
        "tables": _tables(subject, weights),
        "kept": kept.tolist(),
        "share": plain(fit.share),
        "worst": _worst(subject, fit, kept, weights),
        "shepard": {"i": kept[sample.i].tolist(), "j": kept[sample.j].tolist(), **pairs},
        "curve": [[plain(np.asarray(part)) for part in curve] for curve in curves],
        "history": plain(run),
        # a list of points that would follow has a place of its own on the page
        "verdict": [said for said in verdict(subject, fit) if not said.endswith(":")],
    }


def _tables(subject: Subject, weights: Array | None) -> tuple[Array, Array] | None:
    """Return the given distances and what the map is compared with, if they are not too many.

    They are NaN where a pair does not count.
    """
    if subject.n > TABLES or subject.table is None or subject.compared is None:
        return None
    every = np.arange(subject.n)
    found = []
    for table in dict.fromkeys((subject.table, subject.compared)):
        block = table.block(every, every, np.float32)[0][:, 0]
        found.append(block if weights is None else np.where(weights > 0.0, block, np.nan))
    return found[0], found[-1]


def _worst(
    subject: Subject, fit: Goodness, kept: Array, weights: Array | None
) -> list[dict[str, Any]]:
    """Return the pairs that cost most, each once."""
    cost = losses(subject.loss, fit.mapped, np.nan_to_num(fit.target))
    if weights is not None:
        rows = np.arange(len(cost))[:, None]
        cost *= weights[rows, fit.partners] + weights[fit.partners, rows]
    cost[fit.partners < 0] = -1.0
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for at in np.argsort(-cost, axis=None, kind="stable"):
        i, k = divmod(int(at), cost.shape[1])
        j = int(fit.partners[i, k])
        if j < 0 or len(found) == WORST:
            break
        numbers = {name: plain(getattr(fit, name)[i, k]) for name in ("given", "target", "mapped")}
        pair = {"i": int(kept[min(i, j)]), "j": int(kept[max(i, j)]), **numbers}
        found.setdefault((min(i, j), max(i, j)), pair)
    return list(found.values())


# --- two maps -------------------------------------------------------------------------------------


def compared(one: Array, other: Array, spaces: tuple[Space, Space]) -> dict[str, Any]:
    """Return two maps of the same points as they are drawn, the other turned onto the one."""
    space, another = spaces
    same = type(space) is type(another) and one.shape == other.shape
    words = "The maps lie in different spaces; the pictures are turned onto each other."
    if same:
        other = _turned(other, one, space)
        found = procrustes_test(one, other, space=space, n_permutations=0)
        words = repr(found).splitlines()[0]
    first, second = seen(one, space), seen(other, another)
    there = second.points if same and first.kind == second.kind else _onto(second, first)
    gap = np.linalg.norm(_wide(there) - _wide(first.points), axis=1)
    return {
        "first": {**frame_of(first), "points": plain(first.points)},
        "second": {**frame_of(second), "points": plain(there)},
        "moved": plain(gap),
        "words": words,
    }


def _turned(other: Array, one: Array, space: Space) -> Array:
    """Return a map turned onto another, within its space."""
    if not isinstance(space, Simplex):
        return np.asarray(align(other, one, space=space))
    # a turn would leave the simplex: its outcomes can only be exchanged
    _, order = linear_sum_assignment(one.T @ other, maximize=True)
    return np.asarray(other[:, order])


def _wide(points: Array) -> Array:
    """Return points of a picture with three coordinates."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))


def _onto(view: MapView, other: MapView) -> Array:
    """Return the points of a flat view, turned and stretched onto those of another view.

    A globe or a disk stays as it is.
    """
    if view.kind not in ("plane", "space", "line") or other.points.shape[1] > view.points.shape[1]:
        return view.points
    there = _wide(other.points)[:, : view.points.shape[1]]
    here = view.points - view.points.mean(axis=0)
    left, size, right = np.linalg.svd(here.T @ (there - there.mean(axis=0)))
    square = float(np.sum(here**2))
    scale = float(size.sum()) / square if square > 0.0 else 1.0
    return np.asarray(scale * here @ left @ right + there.mean(axis=0))
