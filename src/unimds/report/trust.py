"""How far to trust the map, as sections of the page: where that was studied."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.report.sections import section, table
from unimds.trust import DecidingPair, PermutationTest, Stability

Array = NDArray[Any]

SHOWN = 10
"""Points and pairs that a table shows, at most."""
WIDE, HIGH, FOOT = 480, 130, 34
"""Size of the histogram, and of the room for its numbers."""
CONFIDENCE = 0.9


def of_structure(test: PermutationTest) -> str:
    """Return the section on whether there is structure at all."""
    what = "Stress-1" if test.statistic == "stress_1" else "the relative cost"
    how = "dissimilarities" if test.permute == "pairs" else "values of each feature"
    quiet = (
        f"Bars: {what} of {test.n_permutations} tables with the {how} in another order, each with "
        "a map of its own. Line: that of the data."
    )
    parts = [f"<p>{escape(test.sentence)}</p>", histogram(test), f'<p class="quiet">{quiet}</p>']
    return section("structure", "Is there structure?", *parts)


def histogram(test: PermutationTest) -> str:
    """Return the histogram of the permuted stress as a picture, with a line for the data."""
    low = min(float(test.permuted.min()), test.observed)
    high = max(float(test.permuted.max()), test.observed)
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    low, high = low - room, high + room
    bins = int(np.clip(test.n_permutations // 4, 12, 40))
    counts, edges = np.histogram(test.permuted, bins=bins, range=(low, high))
    top = HIGH - FOOT

    def at(value: float) -> float:
        return round(WIDE * (value - low) / (high - low), 1)

    width, tall = round(WIDE / bins - 1.0, 1), (top - 6.0) * counts / counts.max()
    bars = "".join(
        f'<rect x="{at(left)}" y="{top - up:.1f}" width="{width}" height="{up:.1f}"/>'
        for left, up in zip(edges[:-1].tolist(), tall.tolist(), strict=True)
        if up
    )
    marks = "".join(
        f'<text x="{x}" y="{top + 14}" text-anchor="{anchor}">{value:.3g}</text>'
        for x, anchor, value in ((0, "start", low), (WIDE, "end", high))
    )
    here = at(test.observed)
    side = "start" if here < WIDE / 2 else "end"
    name = f"{test.n_permutations} permuted tables, and the data at {test.observed:.3g}"
    return (
        f'<svg class="bars" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{name}">'
        f'<g class="all">{bars}</g><line class="zero" x1="0" x2="{WIDE}" y1="{top}" y2="{top}"/>'
        f'<line class="own" x1="{here}" x2="{here}" y1="0" y2="{top}"/>{marks}'
        f'<text class="own" x="{here}" y="{top + 29}" text-anchor="{side}">'
        f"the data: {test.observed:.3g}</text></svg>"
    )


def of_stability(found: Stability, labels: Sequence[Any]) -> str:
    """Return the section on where else the points could be."""
    radii = found.regions(CONFIDENCE).radii
    worst = np.argsort(-radii, kind="stable")[:SHOWN]
    typical = float(np.median(radii))
    said = (
        f"{found.method}, {len(found.maps)} maps: stability {found.stability:.3f}, cross-validity "
        f"{found.cross_validity:.3f}, dispersion {found.dispersion:.3f}. Half of the points are "
        f"known to within {typical:.3g}; the least certain is {labels[worst[0]]}, to within "
        f"{radii[worst[0]]:.3g}."
    )
    rows = [[str(labels[i]), f"{found.errors[i]:.3g}", f"{radii[i]:.3g}"] for i in worst]
    noise = found.method.startswith("Noise")
    quiet = (
        "The regions on the map hold 90 % of the places that points have with such noise."
        if noise
        else "The regions on the map contain the true places of 90 % of the points, if the map "
        "suits the data; the last column is the longest half axis."
    )
    parts = [
        f"<p>{escape(said)}</p>",
        table(["least certain", "standard error", "90 % within"], rows),
        f'<p class="quiet">{escape(quiet)}</p>',
    ]
    return section("stability", "How certain are the places?", *parts)


def of_deciding(pairs: Sequence[DecidingPair], labels: Sequence[Any]) -> str:
    """Return the section on the pairs that decide."""
    rows = [
        [
            f"{labels[pair.i]} – {labels[pair.j]}",
            f"{pair.given:.4g}",
            f"{pair.mapped:.4g}",
            "the map falls apart" if np.isinf(pair.move) else f"{pair.move:.3g}",
            str(labels[pair.farthest]),
        ]
        for pair in pairs[:SHOWN]
    ]
    head = ["pair", "given", "on the map", "the map moves by", "farthest"]
    said = (
        "How far the points move, as the root of the mean square, if the pair is left out, and "
        "which of them moves farthest."
    )
    parts = [table(head, rows), f'<p class="quiet">{said}</p>']
    return section("deciding", "Which pairs decide?", *parts)
