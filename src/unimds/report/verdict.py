"""The quality of a map in plain words."""

from __future__ import annotations

import numpy as np

from unimds.report.fit import FULL, OTHERS, Fit
from unimds.report.subject import Subject

WORDS = ((0.025, "excellent"), (0.05, "good"), (0.1, "fair"), (0.2, "poor"))
"""Kruskal's words for Stress-1, each with its upper limit."""


def verdict(subject: Subject, fit: Fit | None) -> list[str]:
    """Return what readers should know about the map, in short paragraphs."""
    said = [*_quality(subject, fit), *_settled(subject)]
    return said if fit is None else [*said, *_bad_points(subject, fit)]


def stress_word(stress: float) -> str:
    """Return Kruskal's word for a Stress-1.

    Examples
    --------
    >>> stress_word(0.0), stress_word(0.04), stress_word(0.4)
    ('perfect', 'good', 'worse than poor')
    """
    if stress < 1e-6:
        return "perfect"
    return next((word for limit, word in WORDS if stress <= limit), "worse than poor")


def _quality(subject: Subject, fit: Fit | None) -> list[str]:
    said = []
    if subject.stress is not None:
        said.append(
            f"Stress-1 is {subject.stress:.2g}: {stress_word(subject.stress)}, in Kruskal's words. "
            f"Distances on the map are off by about {percent(subject.stress)} (root mean square)."
        )
    if fit is None:
        said.append("This report has no given distances, so it cannot judge single pairs.")
    else:
        said.append(f"Half of the distances are off by less than {percent(fit.off)}.")
    if fit is not None and subject.stress is not None and fit.off < 0.1 * subject.stress:
        said.append(
            "Most distances fit far better than Stress-1 suggests: a few are badly wrong, or the "
            "space cannot represent them. Select a point to see its worst-fitting distances."
        )
    return said


def percent(share: float) -> str:
    """Return a share in per cent, with two significant digits.

    Examples
    --------
    >>> percent(0.1234), percent(0.00123), percent(1e-9)
    ('12 %', '0.12 %', '0.01 %')
    """
    share = max(100.0 * share, 0.01)
    return f"{share:.0f} %" if share >= 9.95 else f"{share:.2g} %"


def _settled(subject: Subject) -> list[str]:
    if subject.outcome is None or subject.history is None:
        return []
    sweeps, seconds = len(subject.history) - 1, float(subject.history[-1, 0])
    said = f"{subject.outcome.value} It took {sweeps} sweeps and {seconds:.2g} seconds."
    if not subject.outcome.converged:
        said += " The map may still improve: let it run longer."
    return [said]


def bad_points(stress: np.ndarray, most: int = 8) -> list[int]:
    """Return the points that fit far worse than most points, the worst first.

    Examples
    --------
    >>> bad_points(np.array([0.1, 0.1, 0.11, 0.4, 0.09]))
    [3]
    """
    limit = max(2.0 * float(np.median(stress)), 0.05)
    order = np.argsort(-stress, kind="stable")[:most]
    return [int(i) for i in order if stress[i] > limit]


def _bad_points(subject: Subject, fit: Fit) -> list[str]:
    sampled = "" if subject.n <= FULL else f" (each judged by {OTHERS} other points)"
    if not bad_points(fit.stress):
        return [f"No point fits much worse than the other points{sampled}."]
    return [f"These points fit worst{sampled}:"]
