"""The quality of a map in plain words."""

from __future__ import annotations

import numpy as np

from unimds.distances.pairs import seem_similarities
from unimds.distances.table import HeldTable
from unimds.files.meaning.similarities import ASKED
from unimds.levels import Ordinal
from unimds.losses import Loss
from unimds.placecenter.result import Outcome
from unimds.plots.fit import MUCH, r2_told
from unimds.report.fit import FULL, MET, OTHERS, Goodness
from unimds.report.level import Scaled, kruskals_word, meaning
from unimds.report.subject import Placed, Run, Subject
from unimds.spaces import Simplex, distances
from unimds.spaces.coordinates import dimension_of

NOTHING = 1e-6
"""A Stress-1 that counts as none."""

UNEVEN = 1e-6
"""A smaller difference of two directions, relative to the largest distance, is rounding."""
WORTH = 0.05
"""A point with a smaller Stress-1 fits, however well other points do."""


def verdict(subject: Subject, fit: Goodness | None) -> list[str]:
    """Return what readers should know about the map, in short paragraphs."""
    if subject.placed is not None:
        return _new_points(subject, subject.placed, fit)
    said = [*_degenerate(subject), *_quality(subject, fit), *_similarities(subject)]
    said += [*_settled(subject), *_asymmetry(subject), *_empty(subject)]
    return said if fit is None else [*said, *_bad_points(subject, fit)]


def in_short(subject: Subject) -> list[str]:
    """Return the stress in words and how the fit ended: what is known without looking at pairs."""
    robust = is_robust(subject.loss, _typical(subject))
    said = [*_degenerate(subject), *_stress(subject, None, robust)]
    return [*said, *_settled(subject)]


def _degenerate(subject: Subject) -> list[str]:
    """Say that the map is degenerate, and what to do about it."""
    why = None if subject.scaled is None else subject.scaled.degeneracy
    return [] if why is None else [f"{str(why).rstrip('.')}."]


def _empty(subject: Subject) -> list[str]:
    """Say which points are rows of zeros, if the metric cannot place them."""
    names = [subject.labels[i] for i in subject.empty]
    if not names:
        return []
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    are = "is empty (all zeros)" if len(names) == 1 else "are empty (all zeros)"
    metric = subject.settings.get("metric", "this metric")
    return [
        f"{few} {are}: by {metric}, an empty point is at the distance 1 from every other point, "
        f"which says nothing about its place: remove {'it' if len(names) == 1 else 'them'}."
    ]


# --- numbers --------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """Return a share in per cent, with two significant digits.

    Examples
    --------
    >>> percent(0.1234), percent(0.00123), percent(1.0)
    ('12 %', '0.12 %', '100 %')
    """
    share *= 100.0
    return f"{share:.0f} %" if share >= 9.95 else f"{share:.2g} %"


def estimated(value: float, error: float) -> str:
    """Return a number with its standard error, as far as the error lets its digits be known.

    Examples
    --------
    >>> estimated(0.36321, 0.00042), estimated(0.36321, 0.0), estimated(9704360123.0, 21e6)
    ('0.3632 ± 0.0004', '0.363', '9.70e+09 ± 2e+07')
    """
    if not 0.0 < error < abs(value):
        return f"{value:.3g}"
    digits = max(1, int(np.floor(np.log10(abs(value))) - np.floor(np.log10(error))) + 1)
    known = f"{value:#.{digits}g}".replace(".e", "e").rstrip(".")  # zeros at the end count
    return f"{known} ± {error:.1g}"


def in_seconds(seconds: float) -> str:
    """Return a time for people, with two significant digits.

    Examples
    --------
    >>> in_seconds(0.0412), in_seconds(1.0), in_seconds(128.0)
    ('0.041 seconds', '1 second', '130 seconds')
    """
    two = float(f"{seconds:.2g}")
    return f"{two:g} second{'s' * (two != 1.0)}"


# --- the map --------------------------------------------------------------------------------------


def is_robust(loss: Loss, typical: float) -> bool:
    """Whether the pull of a wrong distance grows less than its error: the squared loss's does not.

    Examples
    --------
    >>> from unimds import Absolute, Huber, Squared
    >>> is_robust(Absolute(), 1.0), is_robust(Huber(0.1), 1.0), is_robust(Squared(), 1.0)
    (True, True, False)
    """
    loss = loss.resolved(typical)
    near, far = (
        abs(loss.value(1.1 * typical, wrong) - loss.value(0.9 * typical, wrong))
        for wrong in (1000.0 * typical, 2000.0 * typical)
    )
    return bool(far < 1.95 * near)


def _quality(subject: Subject, fit: Goodness | None) -> list[str]:
    """Begin with what the loss is good at: typical errors if it is robust, or else the squares."""
    robust = is_robust(subject.loss, _typical(subject))
    stress, typical = _stress(subject, fit, robust), _errors(subject, fit)
    stress += _few_pairs(subject, fit)
    if _degenerate(subject):  # nothing else would tell anything
        return stress
    return [*typical, *stress] if robust and fit is not None else [*stress, *typical]


def _typical(subject: Subject) -> float:
    """Return a typical distance on the map."""
    some = subject.points[:200]
    typical = float(np.median(distances(some[:1], some, space=subject.space)))
    return typical if typical > 0.0 else 1.0


def _stress(subject: Subject, fit: Goodness | None, robust: bool) -> list[str]:
    if subject.stress is None:
        return []
    if not subject.errs:
        return _no_stress(subject.scaled)
    stress, off = estimated(subject.stress, subject.stress_error), percent(subject.stress)
    missed = _missed(subject.scaled)
    said = f"Stress-1 is {stress}: distances on the map {missed} about {off} (root mean square)."
    if subject.scaled is not None:
        said += f" {meaning(subject.scaled.level)}"
    if subject.stress_error > 0.0:
        said += " It is estimated from a sample of pairs, with the standard error after ±."
    if robust:
        return [
            f"{said} It squares the errors: a few wrong distances, which this loss tolerates, can "
            "make it large."
        ]
    return [said, *_judged(subject.stress, subject.scaled, fit)]


def _few_pairs(subject: Subject, fit: Goodness | None) -> list[str]:
    """Say that many maps fit, if fewer distances are known than a map has free coordinates."""
    n, known = subject.n, 1.0 if fit is None else fit.known
    if known == 1.0:
        return []
    k = dimension_of(subject.space, subject.points.shape[1])
    free = n * k - (0 if isinstance(subject.space, Simplex) else k * (k + 1) // 2)
    pairs = n * (n - 1) // 2
    some = round(known * pairs)
    if some >= free:
        return []
    return [
        f"Only {some:,} of {pairs:,} distances are known, too few to determine a map of {n:,} "
        "points: many maps fit them as well. Add distances before you trust this one."
    ]


def _missed(scaled: Scaled | None) -> str:
    return "are off by" if scaled is None else "differ from their disparities by"


def _no_stress(scaled: Scaled | None) -> list[str]:
    """Say what a map without any stress has achieved."""
    if scaled is None:
        return ["Stress-1 is 0: the map has all given distances."]
    if isinstance(scaled.level, Ordinal) and scaled.level.ties != "tertiary":
        return ["Stress-1 is 0: the distances on the map have the order of the dissimilarities."]
    return [f"Stress-1 is 0: the map has all disparities. {meaning(scaled.level)}"]


def _judged(stress: float, scaled: Scaled | None, fit: Goodness | None) -> list[str]:
    """Say what to compare the Stress-1 with: the words of Kruskal are for ordinal maps only."""
    if scaled is None:
        return [] if fit is None else [_compared(stress, fit)]
    how = "More points raise it, more dimensions lower it."
    said = [
        f"{kruskals_word(stress)} {how}"
        if scaled.is_kruskals
        else f"Compare this Stress-1 with other maps of the same data at the same level. {how}"
    ]
    if fit is None:
        return said
    fitted, linear = r2_told(scaled.level, 1.0 - stress**2, fit.linear)
    return [*said, f"The share that the map explains: {fitted}; {linear}."]


def _compared(stress: float, fit: Goodness) -> str:
    """Say what to compare the Stress-1 of a metric map with."""
    said = (
        f"Compare this Stress-1 with {fit.flat:.3g}, its value if all distances on the map were "
        "equal, and with other maps of the same data. More points raise it, more dimensions "
        "lower it."
    )
    if stress >= fit.flat:
        said += (
            " It is not lower, although equal distances fit in no map of few dimensions: the given "
            "distances hardly differ, or a few of them are far off. Look at the Shepard diagram "
            "before you trust this map."
        )
    return said


WITHOUT_DISTANCES = (
    "This report was made without the given distances, so it cannot judge single points or pairs; "
    "pass them as D."
)


def _errors(subject: Subject, fit: Goodness | None) -> list[str]:
    if fit is None:
        return [subject.instead or WITHOUT_DISTANCES]
    missed, off = _missed(subject.scaled), max(fit.off, 1e-4)  # nobody tells smaller ones apart
    said = [
        f"Half of the distances {missed} less than {percent(off)}, and {percent(fit.met)} of all "
        f"distances by less than {percent(MET)}."
    ]
    if subject.stress is not None and fit.off < 0.1 * subject.stress > 0.1 * NOTHING:
        said.append(
            "Most distances fit far better than Stress-1 suggests: a few are badly wrong, or the "
            "space cannot represent them. Select a point to see its worst-fitting distances."
        )
    return said


# --- the run --------------------------------------------------------------------------------------


def _settled(subject: Subject) -> list[str]:
    run = subject.run
    if run is None:
        return []
    said = " ".join([run.outcome.value, *_unsettled(subject, run), *_course(run), *_size(subject)])
    if subject.landmarks is None:
        return [said]
    return [f"The fit of the {run.n:,} landmarks came first. {said}", _placed(subject)]


def _unsettled(subject: Subject, run: Run) -> list[str]:
    what = "The map" if subject.landmarks is None else "The landmarks"
    return [] if run.outcome.converged else [f"{what} may still improve: let the fit run longer."]


def _course(run: Run) -> list[str]:
    """Say how the map was found: by a search from many starts, or by one descent."""
    sweeps, seconds = len(run.history) - 1, float(run.history[-1, 0])
    if run.starts < 2:
        return [f"It took {sweeps} sweep{'s' * (sweeps != 1)} and {in_seconds(seconds)}."]
    said = [
        f"The lowest map was found from {run.found} of {run.starts} starts.",
        f"The search took {in_seconds(seconds)}.",
    ]
    alone = "There may be a lower one: try other random states."
    return [said[0], alone, said[1]] if run.found == 1 else said


def _size(subject: Subject) -> list[str]:
    """Say which size of the space was estimated."""
    return [f"The {subject.size} was estimated from the distances."] if subject.size else []


def _placed(subject: Subject) -> str:
    """Say what became of the points that are no landmarks."""
    refined = "refining" in subject.phases
    cut = subject.interrupted and subject.run is not None and subject.run.outcome.converged
    said = "The other points were placed against the landmarks"
    if refined and cut:
        said += (
            f", then all points against samples of each other. {Outcome.INTERRUPTED.value} It came "
            "while all points were refined: the map may still improve"
        )
    elif refined:
        said += ", then all points against samples of each other"
    seconds = in_seconds(sum(subject.phases.values()))
    took = f" The whole map took {seconds}." * bool(subject.phases)
    return f"{said}.{took}"


def _similarities(subject: Subject) -> list[str]:
    """Ask whether the given numbers are similarities."""
    if subject.table is None or not seem_similarities(subject.table):
        return []
    return [f"{ASKED[0].upper()}{ASKED[1:]}."]


def _asymmetry(subject: Subject) -> list[str]:
    """Say that the two directions of some pairs differ, and where most."""
    if not isinstance(subject.table, HeldTable) or subject.n > FULL:
        return []
    D = subject.table.whole()[0][:, 0]
    gap = np.nan_to_num(np.abs(D - D.T))
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    if gap[i, j] <= UNEVEN * np.nanmax(np.abs(D), initial=0.0):
        return []
    one, other = subject.labels[i], subject.labels[j]
    return [
        f"The given distances are not symmetric, such as {D[i, j]:.4g} from {one} to {other}, but "
        f"{D[j, i]:.4g} back: both directions of a pair count half."
    ]


# --- new points -----------------------------------------------------------------------------------


def misfits(placed: Placed, most: int = 8) -> list[int]:
    """Return the new points that fit far worse than the map does, the worst first.

    Examples
    --------
    >>> misfits(Placed(3, 1.0, 0.1, np.array([0.1, 0.3, 0.15])))
    [1]
    """
    order = np.argsort(-placed.own, kind="stable")[:most]
    return [int(i) for i in order if placed.own[i] > max(MUCH * placed.stress, WORTH)]


def _new_points(subject: Subject, placed: Placed, fit: Goodness | None) -> list[str]:
    """Judge new points by their own distances, and compare them with the map."""
    many = placed.count > 1
    who = f"{placed.count:,} new points were" if many else "1 new point was"
    said = [
        f"{who} placed on a map of {subject.n - placed.count:,} points, which did not move. Each "
        "new point is judged by its distances to points of the map.",
        f"Stress-1 of these distances is {subject.stress:.3g}; Stress-1 of the map itself is "
        f"{placed.stress:.3g}.",
        *([] if fit is None else _errors(subject, fit)[:1]),
    ]
    count = int(np.sum(placed.own > max(MUCH * placed.stress, WORTH)))
    if not count:
        point = "No new point fits" if many else "The new point does not fit"
        return [*said, f"{point} more than twice as badly as the map."]
    if not many:
        return [*said, "The new point fits more than twice as badly as the map:"]
    shown = len(misfits(placed))
    some = f"the worst {shown} of {count:,}" if count > shown else "the worst first"
    return [*said, f"These new points fit more than twice as badly as the map; {some}:"]


# --- points ---------------------------------------------------------------------------------------


def bad_points(share: np.ndarray, most: int = 8) -> list[int]:
    """Return the points with far more than an equal share of the squared error, the worst first.

    Examples
    --------
    >>> bad_points(np.array([0.1, 0.1, 0.15, 0.55, 0.1]))
    [3]
    """
    order = np.argsort(-share, kind="stable")[:most]
    return [int(i) for i in order if share[i] > MUCH / len(share)]


def _bad_points(subject: Subject, fit: Goodness) -> list[str]:
    if not fit.share.any() or not subject.errs:
        return []
    sampled = "" if subject.n <= FULL else f" (each judged by {OTHERS:,} other points)"
    equal = f"an equal share of the squared error, {percent(1.0 / subject.n)}"
    worst, count = len(bad_points(fit.share)), int(np.sum(fit.share > MUCH / subject.n))
    if worst:
        some = f"the worst {worst} of {count:,}" if count > worst else "the worst first"
        return [f"These points have more than twice {equal}{sampled}; {some}:"]
    return [
        f"No point has more than twice {equal}{sampled}: the point stress lies between "
        f"{percent(fit.share.min())} and {percent(fit.share.max())}."
    ]
