"""Measure how often fits of small tables end in the lowest map.

Run it with ``make bench-small``; it writes docs/small-measured.md. Each of the tables of
`benchmarks.tables` is embedded on a line, in the plane, in space, on a circle and on a sphere, by
the squared and the absolute loss, with several random states. The costs are compared with the
lowest that many random starts, hops from the best of them, and all these fits have found.

``python benchmarks/small.py lowest --starts 5000`` looks for the lowest costs, which takes hours:
it goes on where an earlier run stopped, with the jobs that have had the fewest starts. What it
finds is kept in benchmarks/small-lowest.json, with the number of random starts; costs only fall.
``python benchmarks/small.py thorough`` measures ``n_init="thorough"`` on a sample of the jobs.
``--minutes 30`` measures whole tables, small and large ones in turn, for so long. What is measured
is kept in benchmarks/small-fits.jsonl, and the next run goes on from there: delete that file to
measure anew. ``--searched 5000`` leaves out tables for whose lowest maps fewer random starts have
looked. ``--tables ekman,random`` chooses tables by the beginning of their names,
``--only circle,absolute`` places or losses, and ``--more-than 25`` tables of more points.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from tables import Table, tables

from unimds import place_center, spaces
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import as_loss
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.problem import Problem
from unimds.starts.hopping.base import hopped
from unimds.starts.hopping.ways import hopping

HERE = Path(__file__).parent
PAGE, LOWEST = HERE.parent / "docs" / "small-measured.md", HERE / "small-lowest.json"
FITS = HERE / "small-fits.jsonl"
SAME, FAR, EXACT = 1e-6, 1e-3, 1e-6
FEW, SOME = 25, 60
SMACOF_STARTS = 200
SLICE, HOPPED, VAIN = 500, 3, 10  # random starts, of which the best hop on, ten times n in vain
WORST = 12  # rows of the list of where fits end higher
STRIDE = 11  # from one table to the next that is measured: small and large ones in turn
SPREAD = 3.0  # the largest distance on a sphere of radius 1
PLACES = {
    "line": ("euclidean", 1),
    "plane": ("euclidean", 2),
    "space": ("euclidean", 3),
    "circle": ("sphere", 1),
    "sphere": ("sphere", 2),
}
LOSSES = ("squared", "absolute")
Job = tuple[Table, str, str]


def posed(D: np.ndarray, place: str) -> tuple[np.ndarray, dict]:
    """Return the distances and what `place_center` needs to embed them there."""
    space, k = PLACES[place]
    if space == "sphere":
        return D * (SPREAD / D.max()), {"space": spaces.Sphere(), "n_components": k}
    return D, {"space": spaces.Euclidean(), "n_components": k}


def long_search(D: np.ndarray, place: str, loss: str, begun: int, starts: int) -> float:
    """Return the lowest cost of some random starts, and of long hopping from the best of them.

    Other starts follow those of an earlier search, which are `begun` in number.
    """
    D, options = posed(D, place)
    rng = np.random.default_rng([2024, begun])
    problem = Problem.posed(as_pairs(D), as_loss(loss), options["space"], options["n_components"])
    problem = problem.on(rng.permutation(len(D)))
    ways = hopping(problem, Plan(), Watch(None, 0, 1e-7).silent(), rng)
    found, lowest = [], np.inf
    for _ in range(starts):
        found.append(ways.fresh(lowest, rng))
        lowest = min(lowest, found[-1].cost)
    best = sorted(found, key=lambda one: one.cost)[:HOPPED]
    best = [hopped(ways, start, rng, VAIN * len(D)) for start in best]
    lowest = min([lowest, *(one.cost for one in best)])
    nearby = ways.nearby()
    if nearby is not None:
        lowest = min([lowest, *(hopped(nearby, one, rng, VAIN * len(D)).cost for one in best)])
    return lowest * problem.frame.cost_unit


def fits(
    D: np.ndarray, place: str, loss: str, states: int, n_init: str
) -> tuple[list[float], float]:
    """Return the costs of fits with several random states, and the seconds of one fit."""
    D, options = posed(D, place)
    begin = time.process_time()
    costs = [
        place_center(D, loss=loss, random_state=state, n_init=n_init, **options).cost
        for state in range(states)
    ]
    return costs, (time.process_time() - begin) / states


@njit(cache=False)
def smacof(D, X, steps, eps):
    """Majorize raw stress from `X`, as R's smacof does with its defaults; return the stress."""
    n, k = X.shape
    last = np.inf
    for _ in range(steps):
        stress, new = 0.0, np.zeros_like(X)
        for i in range(n):
            for j in range(i):
                u = 0.0
                for a in range(k):
                    u += (X[i, a] - X[j, a]) ** 2
                u = np.sqrt(u)
                stress += (u - D[i, j]) ** 2
                ratio = D[i, j] / u if u > 1e-12 else 0.0
                for a in range(k):
                    pull = ratio * (X[i, a] - X[j, a])
                    new[i, a] += pull
                    new[j, a] -= pull
        if last - stress < eps * stress:
            return stress
        last, X = stress, new / n
    return last


def smacof_starts(D: np.ndarray) -> tuple[float, float]:
    """Return the lowest stress of 200 random starts in the plane, and the seconds of all."""
    rng, scale = np.random.default_rng(0), D[D > 0].mean()
    smacof(D[:3, :3], rng.normal(size=(3, 2)), 2, 1e-6)
    begin = time.process_time()
    runs = [
        smacof(D, scale * rng.normal(size=(len(D), 2)), 1000, 1e-6) for _ in range(SMACOF_STARTS)
    ]
    return min(runs), time.process_time() - begin


def measure(states: int, n_init: str, job: Job) -> dict:
    """Return all that is measured of one table in one place by one loss."""
    table, place, loss = job
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        costs, seconds = fits(table.D, place, loss, states, n_init)
    found = {"name": table.name, "n": len(table.D), "key": key_of(job), "kind": f"{place}, {loss}"}
    found |= {"costs": costs, "seconds": seconds, "n_init": n_init}
    scaled, _ = posed(table.D, place)
    power = 2 if loss == "squared" else 1
    found["apart"] = 0.5 * float(np.sum(scaled**power))  # the cost of all points in one place
    if (place, loss) == ("plane", "squared"):
        stress, took = smacof_starts(table.D)
        found |= {"smacof": stress, "smacof_seconds": took}
    return found


# The lowest costs that were ever found, and how many random starts looked for them


class Known(NamedTuple):
    """The lowest cost of a job, and of how many random starts and the hops from them."""

    cost: float = np.inf
    starts: int = 0


def key_of(job: Job) -> str:
    """Return the name of a job in the file."""
    table, place, loss = job
    return f"{table.name}, {place}, {loss}"


def all_known() -> dict[str, Known]:
    """Return what the file holds."""
    kept = json.loads(LOWEST.read_text()) if LOWEST.exists() else {}
    return {key: Known(*found) for key, found in kept.items()}


def learn(found: dict[str, Known]) -> dict[str, Known]:
    """Add to what the file holds, which another run may have changed; return all of it."""
    kept = all_known()
    for key, (cost, starts) in found.items():
        before = kept.get(key, Known())
        kept[key] = Known(min(cost, before.cost), starts + before.starts)
    lines = [f" {json.dumps(key)}: {json.dumps(kept[key])}" for key in sorted(kept)]
    new = LOWEST.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    new.replace(LOWEST)
    return kept


def look(jobs: list[Job], starts: int) -> None:
    """Look for lower costs, slice by slice, until every job has had so many random starts."""
    while jobs := [job for job in jobs if had(job) < starts]:
        job = min(jobs, key=had)
        table, place, loss = job
        before = all_known().get(key_of(job), Known())
        many = min(SLICE, starts - before.starts)
        cost = long_search(table.D, place, loss, before.starts, many)
        learn({key_of(job): Known(cost, many)})
        fall = (before.cost - cost) / before.cost if 0.0 < before.cost < np.inf else 0.0
        told = f"lower by {fall:.1e}" if fall > SAME else ""
        print(key_of(job), before.starts + many, told, flush=True)


def had(job: Job) -> int:
    """Return how many random starts a job has had."""
    return all_known().get(key_of(job), Known()).starts


# The page


def above(row: dict, kept: dict[str, Known]) -> np.ndarray:
    """Return by which shares of the lowest cost some fits ended above it."""
    least = kept[row["key"]].cost
    scale = max(least, EXACT * row["apart"])  # an exact map has no share of its cost
    return np.maximum(np.array(row["costs"]) - least, 0.0) / scale


def line(name: str, rows: list[dict], kept: dict[str, Known]) -> str:
    """Return a line of the table: how many fits ended in the lowest map, and how far others."""
    high, seconds = np.concatenate([above(row, kept) for row in rows]), [r["seconds"] for r in rows]
    share, far = np.mean(high <= SAME), np.mean(high > FAR)
    return (
        f"| {name} | {high.size} | {100 * share:.1f} | {100 * far:.1f} | {100 * high.max():.2f} "
        f"| {1e3 * np.median(seconds):.0f} | {1e3 * np.max(seconds):.0f} |"
    )


def worst(rows: list[dict], kept: dict[str, Known]) -> str:
    """Return a list of where fits end higher most often."""
    ends = [(np.mean(above(row, kept) <= SAME), row["key"], row) for row in rows]
    lines = [
        f"| {key} | {row['n']} | {100 * share:.0f} | {100 * np.max(above(row, kept)):.3f} |"
        for share, key, row in sorted(ends, key=lambda end: end[:2])[:WORST]
        if share < 1.0
    ]
    head = "| | n | in the lowest map, % | most above, % |\n|---|---:|---:|---:|"
    return "\n".join(["## Where fits end higher most often\n", head, *lines])


HEAD = (
    "| | fits | in the lowest map, % | over 0.1 % above, % | most, % | median, ms | most, ms |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)


def by_size(rows: list[dict]) -> dict[str, list[dict]]:
    """Return the rows of few and of more points."""
    return {
        f"n ≤ {FEW}": [row for row in rows if row["n"] <= FEW],
        f"{FEW} < n ≤ {SOME}": [row for row in rows if row["n"] > FEW],
    }


def page(rows: list[dict], kept: dict[str, Known], options: argparse.Namespace) -> str:
    """Return the page."""
    parts = []
    for title, some in by_size(rows).items():
        if some:
            lines = [
                line(kind, chosen, kept)
                for kind in map(", ".join, product(PLACES, LOSSES))
                if (chosen := [row for row in some if row["kind"] == kind])
            ]
            total = line("**all**", some, kept)
            parts.append("\n".join([f"## {title}\n", HEAD, *lines, total]))
    names = {row["name"] for row in rows}
    starts = [kept[row["key"]].starts for row in rows]
    many = f"{min(starts)} to {max(starts)} random starts\n(mean {np.mean(starts):.0f})"
    many = many if min(starts) < max(starts) else f"{starts[0]:,} random starts"
    return f"""# Small tables, measured

Written by `make bench-small`; do not edit. {len(names)} of {len(tables())} tables of 5 to 60
objects, published and made (`python benchmarks/tables.py` lists them with their sources), each
embedded with `n_init="auto"` and {options.states} random states. A fit is *in the lowest map* if
its cost is within 1e-6 of the lowest that is known: of {many}
and long hops from the best of them, and of all fits here and before.
Where the lowest cost is less than 1e-6 of the cost of all points in one place, differences are told
as shares of that. Times are CPU times of one fit, on a
machine that had other work to do.

{(2 * chr(10)).join(parts)}

{worst(rows, kept)}

{beside_smacof(rows, kept)}
"""


THOROUGH = "## Thorough search"


def thorough_section(rows: list[dict], kept: dict[str, Known]) -> str:
    """Return the section on `n_init="thorough"`."""
    lines = [line(title, some, kept) for title, some in by_size(rows).items() if some]
    return f"""{THOROUGH}

Written by `python benchmarks/small.py thorough`; do not edit. `n_init="thorough"`, one random
state, on {len(rows)} of the tables, places and losses, evenly drawn.

{(chr(10)).join([HEAD, *lines, line("**all**", rows, kept)])}
"""


def beside_smacof(rows: list[dict], kept: dict[str, Known]) -> str:
    """Return how 200 random starts of SMACOF compare, in the plane by the squared loss."""
    some = [row for row in rows if "smacof" in row]
    if not some:
        return ""
    higher, times = 0, []
    for row in some:
        least = kept[row["key"]].cost
        higher += row["smacof"] > least * (1.0 + FAR) + EXACT * row["apart"]
        times.append(row["smacof_seconds"] / row["seconds"])
    return f"""## Beside SMACOF

In the plane, by the squared loss, {SMACOF_STARTS} random starts of SMACOF (compiled, with the
defaults of R's smacof: at most 1,000 iterations, until stress falls by less than 1e-6) end more
than 0.1 % above the lowest map on {higher} of {len(some)} tables. All of them together take
{np.median(times):.1f} times as long as one of our fits (median; {np.min(times):.2f} to
{np.max(times):.1f})."""


def main() -> None:
    """Measure and write the page or its last section, or look for lower costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["page", "lowest", "thorough"], default="page")
    parser.add_argument("--starts", type=int, default=500)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--tables", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--more-than", type=int, default=0)
    parser.add_argument("--searched", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs, told = chosen_jobs(options), PAGE.read_text() if PAGE.exists() else ""
    if options.what == "lowest":
        look(jobs, options.starts)
        return
    if options.what == "thorough":
        drawn = np.random.default_rng(0).permutation(len(jobs))[: options.sample]
        rows = measured([jobs[i] for i in sorted(drawn)], 1, "thorough", options)
        kept = learn({row["key"]: Known(min(row["costs"])) for row in rows})
        text = told.partition(f"\n{THOROUGH}")[0] + "\n" + thorough_section(rows, kept)
    else:
        rows = measured(jobs, options.states, "auto", options)
        kept = learn({row["key"]: Known(min(row["costs"])) for row in rows})
        _, title, section = told.partition(f"\n{THOROUGH}")
        text = page(rows, kept, options) + title + section
    if options.tables or options.only or options.more_than:
        print(text)
    else:
        PAGE.write_text(text)


def measured(jobs: list[Job], states: int, n_init: str, options: argparse.Namespace) -> list[dict]:
    """Return what is measured of all tables, or of as many as there is time for."""
    rows = {row["key"]: row for row in kept_rows(states, n_init)}
    names = mixed(sorted({table.name for table, _, _ in jobs}))
    some, begun = [[job for job in jobs if job[0].name == name] for name in names], time.monotonic()
    with ProcessPoolExecutor(options.processes) as pool:
        for own in some:
            if time.monotonic() - begun > 60.0 * options.minutes:
                break
            missing = [job for job in own if key_of(job) not in rows]
            for row in pool.map(partial(measure, states, n_init), missing):
                rows[row["key"]] = row
                with FITS.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(row["key"], f"{row['seconds']:.3f} s", flush=True)
    whole = [own for own in some if all(key_of(job) in rows for job in own)]
    return [rows[key_of(job)] for own in whole for job in own]


def mixed(names: list[str]) -> list[str]:
    """Return names in another order, in which neighbours are not alike."""
    return [name for first in range(STRIDE) for name in names[first::STRIDE]]


def kept_rows(states: int, n_init: str) -> list[dict]:
    """Return what earlier runs have measured with the same options."""
    rows = map(json.loads, FITS.read_text().splitlines() if FITS.exists() else [])
    return [row for row in rows if (len(row["costs"]), row["n_init"]) == (states, n_init)]


def chosen_jobs(options: argparse.Namespace) -> list[Job]:
    """Return the jobs that were asked for, the largest first."""
    begun, only = tuple(options.tables.split(",")), options.only.split(",") if options.only else []
    some = [t for t in tables() if t.name.startswith(begun) and len(t.D) > options.more_than]
    jobs = [job for job in product(some, PLACES, LOSSES) if _chosen(only, job[1:])]
    unknown = {job[0].name for job in jobs if had(job) < options.searched}
    jobs = [job for job in jobs if job[0].name not in unknown]
    return sorted(jobs, key=lambda job: -len(job[0].D))


def _chosen(only: list[str], names: tuple[str, str]) -> bool:
    """Whether a place and a loss are asked for; nothing asks for all of them."""
    places, losses = ([one for one in kind if one in only] for kind in (PLACES, LOSSES))
    return (not places or names[0] in places) and (not losses or names[1] in losses)


if __name__ == "__main__":
    main()
