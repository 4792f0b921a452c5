"""The claims of the paper's experiment section, judged by the tables and curves measured here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from unimds.experiments import methods as m
from unimds.experiments.figures import FIGURES
from unimds.experiments.runs import Row, read_curves, read_table

PC, OURS, SMACOF, LBFGS = (method.label for method in (m.PAPER, m.OURS, m.SMACOF, m.LBFGS))
CD, CD_RAND, ELAD = m.CD_SVD.label, m.CD_RAND.label, m.ELAD.label
KAPPAS = tuple(method.label for method in m.SMACOF_Q)

SAME = 0.001  # costs with a smaller relative difference count as equal
CLEARLY = 0.02  # "better" and "worse" mean at least this much, so that noise does not decide


class Evidence:
    """The tables and curves of a folder."""

    def __init__(self, folder: Path):
        self.tables = {name: read_table(folder, name) for name in FIGURES}
        self.curves = {name: read_curves(folder, name) for name in FIGURES}

    def settings(self, figure: str) -> list[str]:
        """Return the settings of a figure, in order."""
        return list(dict.fromkeys(row.setting for row in self.tables[figure]))

    def row(self, figure: str, setting: str, method: str) -> Row:
        """Return a line of a table."""
        return next(
            row for row in self.tables[figure] if (row.setting, row.method) == (setting, method)
        )

    def cost(self, figure: str, setting: str, method: str) -> float:
        """Return the final cost of a method."""
        return self.row(figure, setting, method).cost

    def ratio(self, figure: str, setting: str, method: str, other: str) -> float:
        """Return the cost of a method divided by that of another method."""
        return self.cost(figure, setting, method) / self.cost(figure, setting, other)

    def ratios(self, figure: str, method: str, other: str) -> list[float]:
        """Return the ratio of costs in every setting of a figure."""
        return [self.ratio(figure, s, method, other) for s in self.settings(figure)]

    def reach(self, figure: str, setting: str, method: str, cost: float) -> float:
        """Return the seconds that a method took to reach a cost; infinity if it never did."""
        curve = self.curves[figure][setting, method]
        return next((s for s, c in curve if c <= cost * (1.0 + SAME)), float("inf"))

    def speed(self, figure: str, setting: str, method: str, other: str) -> float:
        """Return how many times faster a method reaches the lowest cost that both reach."""
        goal = max(self.cost(figure, setting, method), self.cost(figure, setting, other))
        return self.reach(figure, setting, other, goal) / self.reach(figure, setting, method, goal)

    def best_rival(self, figure: str, setting: str) -> Row:
        """Return the rival of the paper with the lowest cost; neither form of PC is a rival."""
        return self._best(figure, setting, (PC, OURS, LBFGS))

    def best_other(self, figure: str, setting: str) -> Row:
        """Return the method with the lowest cost apart from PC, also of those that we added."""
        return self._best(figure, setting, (PC, OURS))

    def _best(self, figure: str, setting: str, without: tuple[str, ...]) -> Row:
        rows = (r for r in self.tables[figure] if r.setting == setting and r.method not in without)
        return min(rows, key=lambda row: row.cost)


Judge = Callable[[Evidence], tuple[str, bool]]
"""Returns the measurement, as text, and whether the claim holds."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, and the reason if it does not hold."""

    figure: str
    says: str
    judge: Judge
    why_not: str = ""


def each(labels: Iterable[str], values: Iterable[float], form: str = ".3g") -> str:
    """Return values with their labels, as a readable list."""
    return ", ".join(
        f"{value:{form}} ({label})" for label, value in zip(labels, values, strict=True)
    )


def _lowest_in(*figures: str) -> Judge:
    def judge(e: Evidence) -> tuple[str, bool]:
        labels, ratios = [], []
        for figure in figures:
            for setting in e.settings(figure):
                labels.append(setting)
                ratios.append(e.best_rival(figure, setting).cost / e.cost(figure, setting, PC))
        text = f"lowest cost of a rival over PC's cost: {each(labels, ratios, '.4g')}"
        return text, all(ratio >= 1.0 - SAME for ratio in ratios)

    return judge


def _rmds_runtime(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("rmds-convergence")
    to_smacof = e.speed("rmds-convergence", setting, PC, SMACOF)
    to_cd = e.speed("rmds-convergence", setting, PC, CD)
    text = f"time relative to PC: SMACOF {to_smacof:.2g}, CD {to_cd:.2g}"
    return text, to_smacof > 0.1 and to_cd > 5.0


def _smacof_first_lower(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("rmds-convergence")
    curves = e.curves["rmds-convergence"]
    first = curves[setting, PC][1][0]  # the time of PC's first sweep
    by_then = min((c for s, c in curves[setting, SMACOF] if s <= first), default=float("inf"))
    ahead = by_then < curves[setting, PC][1][1]
    ratio = e.ratio("rmds-convergence", setting, SMACOF, PC)
    text = (
        f"SMACOF {'is' if ahead else 'is not'} below PC after PC's first sweep, "
        f"and ends at {ratio:.3f} times PC's cost"
    )
    return text, ahead and ratio > 1.0


def _advantage_over_cd_by_k(e: Evidence) -> tuple[str, bool]:
    settings = e.settings("rmds-k")
    gaps = [e.cost("rmds-k", s, CD) - e.cost("rmds-k", s, PC) for s in settings]
    text = (
        f"CD's cost minus PC's: {each(settings, gaps)}; ratios show the opposite trend: "
        f"{each(settings, e.ratios('rmds-k', CD, PC))}"
    )
    return text, gaps == sorted(gaps, reverse=True)


def _oscillates(figure: str) -> Judge:
    def judge(e: Evidence) -> tuple[str, bool]:
        rows = [e.row(figure, setting, CD) for setting in e.settings(figure)]
        shares = [row.rises / row.sweeps for row in rows]
        text = f"share of CD's steps that raise the cost: {each(e.settings(figure), shares, '.0%')}"
        return text, shares[-1] > 0.25

    return judge


def _smacof_fast_but_higher(figure: str, except_last: bool = False) -> Judge:
    def judge(e: Evidence) -> tuple[str, bool]:
        settings = e.settings(figure)
        ratios = e.ratios(figure, SMACOF, OURS)
        speeds = [e.speed(figure, setting, SMACOF, PC) for setting in settings]
        text = (
            f"SMACOF's cost over unimds': {each(settings, ratios)}; over PC's: "
            f"{each(settings, e.ratios(figure, SMACOF, PC))}; time of PC over SMACOF's to the "
            f"lowest cost that both reach: {each(settings, speeds, '.2g')}"
        )
        counted = e.ratios(figure, SMACOF, PC)[: -1 if except_last else None]
        return text, min(speeds) > 1.0 and min(counted) > 1.0 + CLEARLY

    return judge


def _cd_svd_stays(e: Evidence) -> tuple[str, bool]:
    settings = e.settings("rmds-noise")
    gains = [
        e.curves["rmds-noise"][s, CD][-1][1] / e.curves["rmds-noise"][s, CD][0][1] for s in settings
    ]
    text = f"CD+SVD's last cost over the cost of its seed: {each(settings, gains)}"
    return text, min(gains) > 1.0 - CLEARLY


def _cd_rand_better(e: Evidence) -> tuple[str, bool]:
    ratios = e.ratios("rmds-noise", CD_RAND, CD)
    text = f"CD+rand's cost over CD+SVD's: {each(e.settings('rmds-noise'), ratios)}"
    return text, max(ratios) < 1.0 - CLEARLY


def _smacof_worse_with_noise(e: Evidence) -> tuple[str, bool]:
    ratios = e.ratios("rmds-noise", SMACOF, PC)
    ours = e.ratios("rmds-noise", SMACOF, OURS)
    settings = e.settings("rmds-noise")
    text = (
        f"SMACOF's cost over PC's: {each(settings, ratios)}; over unimds': {each(settings, ours)}"
    )
    return text, ratios == sorted(ratios) and ratios[-1] > 1.0 + CLEARLY


def _same_minimum(*figures: str) -> Judge:
    def judge(e: Evidence) -> tuple[str, bool]:
        labels = [setting for figure in figures for setting in e.settings(figure)]
        ratios = [ratio for figure in figures for ratio in e.ratios(figure, SMACOF, PC)]
        text = f"SMACOF's cost over PC's: {each(labels, ratios, '.5g')}"
        return text, all(abs(ratio - 1.0) <= SAME for ratio in ratios)

    return judge


def _within_a_second(*figures: str) -> Judge:
    def judge(e: Evidence) -> tuple[str, bool]:
        labels, gaps = [], []
        for figure in figures:
            for setting in e.settings(figure):
                goal = max(e.cost(figure, setting, name) for name in (PC, SMACOF))
                labels.append(setting)
                gaps.append(
                    e.reach(figure, setting, PC, goal) - e.reach(figure, setting, SMACOF, goal)
                )
        text = f"PC's seconds minus SMACOF's: {each(labels, gaps, '.2g')}"
        return text, all(0.0 <= gap < 1.0 for gap in gaps)

    return judge


def _cd_poor_but_for_50(e: Evidence) -> tuple[str, bool]:
    ratios = e.ratios("fmds-k", CD, PC)
    text = f"CD's cost over PC's: {each(e.settings('fmds-k'), ratios)}"
    poor = [ratio > 1.0 + CLEARLY for ratio in ratios]
    return text, poor == [True, True, False, True]


def _cd_slower_and_higher(e: Evidence) -> tuple[str, bool]:
    settings = e.settings("fmds-noise")
    ratios = e.ratios("fmds-noise", CD, PC)
    speeds = [e.speed("fmds-noise", setting, PC, CD) for setting in settings]
    text = (
        f"CD's cost over PC's: {each(settings, ratios)}; its time over PC's to the lowest cost "
        f"that both reach: {each(settings, speeds, '.2g')}"
    )
    return text, min(ratios) > 1.0 + CLEARLY and min(speeds) > 1.0


def _cd_poor_at_small_k(e: Evidence) -> tuple[str, bool]:
    ratios = e.ratios("r2mds-k", CD, PC)
    text = f"CD's cost over PC's: {each(e.settings('r2mds-k'), ratios)}"
    return text, ratios[0] > 1.0 + CLEARLY


def _cd_good_at_medium_k(e: Evidence) -> tuple[str, bool]:
    middle = e.settings("r2mds-k")[1:-1]
    ratios = [e.ratio("r2mds-k", setting, CD, PC) for setting in middle]
    ours = [e.ratio("r2mds-k", setting, CD, OURS) for setting in middle]
    text = f"CD's cost over PC's: {each(middle, ratios)}; over unimds': {each(middle, ours)}"
    return text, max(ratios) < 1.0 + CLEARLY


def _small_kappa_faster_but_higher(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("g1smds")
    ratio = e.ratio("g1smds", setting, KAPPAS[0], PC)
    speed = e.speed("g1smds", setting, KAPPAS[0], PC)
    text = f"{KAPPAS[0]}: {ratio:.3f} times PC's cost; PC's time over its time: {speed:.2g}"
    return text, ratio > 1.0 and speed > 1.0


def _large_kappa_slower(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("g1smds")
    ratio = e.ratio("g1smds", setting, KAPPAS[-1], PC)
    speed = e.speed("g1smds", setting, PC, KAPPAS[-1])
    text = f"{KAPPAS[-1]}: {ratio:.3f} times PC's cost; its time over PC's: {speed:.2g}"
    return text, abs(ratio - 1.0) < CLEARLY and speed > 1.0


def _best_kappa_equals_pc(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("c2smds")
    best = min(KAPPAS, key=lambda kappa: e.cost("c2smds", setting, kappa))
    ratio = e.ratio("c2smds", setting, best, PC)
    speed = e.speed("c2smds", setting, PC, best)
    text = f"{best}: {ratio:.5f} times PC's cost; its time over PC's: {speed:.2g}"
    return text, abs(ratio - 1.0) <= SAME and 0.2 < speed < 5.0


def _large_kappa_worse(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("c2smds")
    ratios = [e.ratio("c2smds", setting, kappa, PC) for kappa in KAPPAS]
    speeds = [e.speed("c2smds", setting, PC, kappa) for kappa in KAPPAS]
    text = (
        f"cost over PC's: {each(KAPPAS, ratios, '.5g')}; "
        f"time over PC's: {each(KAPPAS, speeds, '.2g')}"
    )
    return text, ratios[-1] > 1.0 + CLEARLY


def _elad_poor(e: Evidence) -> tuple[str, bool]:
    (setting,) = e.settings("g1smds")
    others = {name: e.ratio("g1smds", setting, ELAD, name) for name in (PC, *KAPPAS)}
    text = f"its cost over that of each other method: {each(others, others.values(), '.4g')}"
    return text, min(others.values()) > 1.0 + CLEARLY


def _kappa_differs(e: Evidence) -> tuple[str, bool]:
    best = [
        min(KAPPAS, key=lambda kappa: e.cost(figure, e.settings(figure)[0], kappa))
        for figure in ("g1smds", "c2smds")
    ]
    return f"lowest: {best[0]} for g-1-sMDS, {best[1]} for c-2-sMDS", best[0] != best[1]


def _among_the_best(e: Evidence) -> tuple[str, bool]:
    worst = max(
        (e.cost(figure, setting, PC) / e.best_rival(figure, setting).cost, figure, setting)
        for figure in FIGURES
        for setting in e.settings(figure)
    )
    ours = max(
        (e.cost(figure, setting, OURS) / e.best_other(figure, setting).cost, figure, setting)
        for figure in FIGURES
        for setting in e.settings(figure)
    )
    text = (
        "relative to the best rival, "
        f"PC's cost is at most {worst[0]:.3f} ({worst[1]}, {worst[2]}); "
        f"relative to all methods, that of unimds is at most {ours[0]:.4f} ({ours[1]}, {ours[2]})"
    )
    return text, worst[0] < 1.0 + CLEARLY


CLAIMS = (
    Claim(
        "rmds-convergence",
        "PC ends at the lowest cost of all methods.",
        _lowest_in("rmds-convergence"),
    ),
    Claim(
        "rmds-convergence",
        "PC takes about as long as SMACOF to reach the same cost, and far less than CD.",
        _rmds_runtime,
        "A sweep of PC in the paper's form is long, since it repeats every placement until the "
        "point no longer moves, and CD passes its lowest cost early. But CD never reaches PC's "
        "final cost.",
    ),
    Claim(
        "rmds-convergence",
        "SMACOF is lower at first, but ends higher: it minimises another cost.",
        _smacof_first_lower,
    ),
    Claim("rmds-k", "PC's lead over CD is larger for smaller k.", _advantage_over_cd_by_k),
    Claim("rmds-k", "CD's cost oscillates at the largest k.", _oscillates("rmds-k")),
    Claim(
        "rmds-k",
        "SMACOF is the fastest to a low cost but does not end lowest.",
        _smacof_fast_but_higher("rmds-k"),
        "The kink of the absolute loss stops PC early in the paper's form: a point stays where it "
        "meets a few of its distances exactly. From k = 20 on PC ends above SMACOF. Annealing "
        "removes the problem: unimds ends below both.",
    ),
    Claim(
        "rmds-noise",
        "CD+SVD is poor and does not improve with iterations.",
        _cd_svd_stays,
        "With geometrically decreasing steps it does improve, since the seed is far from the best "
        "Euclidean matrix. The paper does not say which steps it used.",
    ),
    Claim(
        "rmds-noise",
        "CD+rand does much better than CD+SVD.",
        _cd_rand_better,
        "CD is convex before the projection to k dimensions, so given enough steps both seeds "
        "reach nearly the same matrix; the random seed starts farther away.",
    ),
    Claim(
        "rmds-noise",
        "The more noise, the higher SMACOF ends above PC.",
        _smacof_worse_with_noise,
        "PC's lead is largest when few distances are wrong, since the absolute loss can ignore a "
        "few. At 90 % hardly any distance is right, and no loss can tell right from wrong.",
    ),
    Claim("rmds-noise", "PC ends lowest at every level of noise.", _lowest_in("rmds-noise")),
    Claim(
        "fmds-k",
        "SMACOF and PC reach the same minimum.",
        _same_minimum("fmds-k", "fmds-noise"),
        "Where both converge, they agree. At the largest k neither has converged when its "
        "iterations end, and PC is ahead.",
    ),
    Claim(
        "fmds-k",
        "SMACOF is a little faster than PC, by less than a second.",
        _within_a_second("fmds-k", "fmds-noise"),
        "In the paper's form PC repeats every placement until the point no longer moves, and at "
        "large k points move slowly. Where the difference is negative, PC is faster.",
    ),
    Claim(
        "fmds-k",
        "CD is poor except at k = 50.",
        _cd_poor_but_for_50,
        "Here CD is poor at every k.",
    ),
    Claim(
        "fmds-noise",
        "CD is slower and ends higher.",
        _cd_slower_and_higher,
        "CD does end higher. PC reaches CD's final cost in a sweep or two, which in the paper's "
        "form take about as long as CD does; CD never reaches the costs below it.",
    ),
    Claim(
        "r2mds-k",
        "CD falls behind PC at small k though it minimises the same cost.",
        _cd_poor_at_small_k,
    ),
    Claim(
        "r2mds-k",
        "At medium k CD is as good as PC, or slightly better.",
        _cd_good_at_medium_k,
        "The noise fills all 200 dimensions, and truncating the matrix to k dimensions costs the "
        "same share at every k.",
    ),
    Claim("r2mds-k", "CD's cost oscillates at the largest k.", _oscillates("r2mds-k")),
    Claim(
        "r2mds-k",
        "SMACOF is the fastest, but ends much higher unless k is very large.",
        _smacof_fast_but_higher("r2mds-k", except_last=True),
        "As for rMDS, the paper's form gets stuck at the kink of its cost and ends above SMACOF "
        "from k = 20 on.",
    ),
    Claim(
        "g1smds",
        "SMACOF-Q with a small κ is faster than PC but ends higher.",
        _small_kappa_faster_but_higher,
    ),
    Claim(
        "g1smds",
        "With a large κ SMACOF-Q comes near PC's cost but is slower.",
        _large_kappa_slower,
    ),
    Claim(
        "c2smds",
        "With the best κ SMACOF-Q matches PC in cost and roughly in time.",
        _best_kappa_equals_pc,
    ),
    Claim(
        "c2smds",
        "With a larger κ SMACOF-Q is much worse.",
        _large_kappa_worse,
        "It is far slower, since κ shortens its steps, but given enough time it reaches PC's cost.",
    ),
    Claim(
        "g1smds",
        "The method of Elad, Keller and Kimmel is consistently worse than both.",
        _elad_poor,
        "Our implementation ends where SMACOF-Q does, above PC: the cost that it minimises, the "
        "squared error, has nearly the same minimum here.",
    ),
    Claim(
        "c2smds",
        "For some κ SMACOF-Q matches PC, but the best κ depends on the cost.",
        _kappa_differs,
        "Normalised after each step, SMACOF-Q reaches nearly the same cost with every κ here; κ "
        "only changes the time.",
    ),
    Claim(
        "all",
        "PC is always among the best, whatever the cost, the data and the noise.",
        _among_the_best,
        "The claim holds for unimds. The paper's own form falls behind where it gets stuck at the "
        "kink of the absolute loss.",
    ),
)
