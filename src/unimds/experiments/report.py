"""Write the report on the paper's claims from the tables of a folder.

``python -m unimds.experiments.report FOLDER REPORT.md`` writes it; links to figures are relative to
the folder of the report.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from textwrap import fill
from typing import Any

from unimds.experiments import jl
from unimds.experiments.claims import CLAIMS, OURS, SAME, Evidence
from unimds.experiments.figures import FIGURES
from unimds.experiments.runs import write_text


def report(folder: Path, relative_to: Path) -> str:
    """Return the report as Markdown."""
    evidence = Evidence(folder)
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    where = Path(os.path.relpath(folder, relative_to)).as_posix()
    parts = [_introduction(settings), _claims(evidence), _lead(evidence)]
    parts += [_figure(evidence, name, where) for name in FIGURES]
    if (folder / f"{jl.NAME}.csv").exists():
        parts.append(_theorem(folder, where))
    return "\n".join(parts)


INTRODUCTION = """
This page repeats every experiment of *A Unified Algorithmic Framework for Multi-Dimensional
Scaling* (Agarwal, Phillips, Venkatasubramanian) with {n} points; the seed of the data is {seed}.
The command `make reproduce` writes it from the tables of `unimds reproduce`; no number is typed by
hand.

"PC" is PlaceCenter in the paper's form: its pseudo-code, started from the classical seed (on
spheres, the spherical seed). "unimds" is PlaceCenter as this library runs it, with annealing,
quasi-Newton steps or momentum and, in up to three dimensions, several seeds. "L-BFGS" is SciPy's,
annealed in the same way. `unimds.experiments.data` documents our decisions where the paper gives no
details.

All methods are compiled beforehand and run on one core. The clock starts before the seed and stops
while a rival's cost is computed. One function, `unimds.quality.total_cost`, judges all maps, and a
rival is judged by the best map it found. Methods that converge run until an iteration lowers the
cost by less than {eps:g} of its value, or for {max_iter:,} iterations ({sweeps} for the paper's
form of PC, whose sweeps are long). CD takes {cd_steps} steps of decreasing length and SGD takes
{sgd_passes} passes, the settings that worked best for them here (see
`unimds.experiments.methods`). Costs count every pair once, which is half of the paper's double sum.
The times were measured on a shared machine: read them as rough ratios.
"""


def _introduction(settings: dict[str, Any]) -> str:
    values = {**settings, **settings["effort"]}
    paragraphs = INTRODUCTION.format(**values).strip().split("\n\n")
    filled = "\n\n".join(fill(" ".join(text.split()), 100) for text in paragraphs)
    return f"# Reproduction of the paper's experiments\n\n{filled}\n"


def _claims(evidence: Evidence) -> str:
    lines = ["## Claims", "", "| claim | figure | measured | |", "|---|---|---|---|"]
    reasons = []
    for claim in CLAIMS:
        measured, holds = claim.judge(evidence)
        link = claim.figure if claim.figure not in FIGURES else f"[{claim.figure}](#{claim.figure})"
        verdict = "holds" if holds else "**does not hold**"
        lines.append(f"| {claim.says} | {link} | {measured} | {verdict} |")
        if not holds:
            reasons.append(f"- *{claim.says}* {claim.why_not}".rstrip())
    if reasons:
        lines += ["", "Why some claims do not hold:", "", *reasons]
    return "\n".join([*lines, ""])


def _lead(evidence: Evidence) -> str:
    worst = min(
        (row.above, figure, row.setting, row.method)
        for figure, table in evidence.tables.items()
        for row in table
        if row.method != OURS
    )
    verdict = "holds" if worst[0] >= -100.0 * SAME else "**does not hold**"
    return f"""## unimds compared with other methods

In every setting of every figure, unimds should end no higher than any other method, within
{SAME:.1%}: {verdict}. The closest is {worst[3]} in {worst[1]}, {worst[2]}: {worst[0]:+.3f} %
relative to unimds. The column "above unimds" in the tables below has the figure for each run.
"""


def _figure(evidence: Evidence, name: str, where: str) -> str:
    lines = [
        f"## {name}",
        "",
        f"{FIGURES[name].title}.",
        "",
        f"![{FIGURES[name].title}: cost against seconds for each method]({where}/{name}.png)",
        "",
        "| setting | method | cost | above unimds | seconds | sweeps |",
        "|---|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.setting} | {row.method} | {row.cost:.6g} | {row.lead} | "
        f"{row.seconds:.3g} | {row.sweeps} |"
        for row in evidence.tables[name]
    ]
    return "\n".join([*lines, ""])


def _theorem(folder: Path, where: str) -> str:
    table = jl.read_draws(folder)
    kept = min(float(row["within"]) for row in table if float(row["promised"]) < 1.0)
    lines = [
        f"## {jl.NAME}",
        "",
        "The paper proves that random projections from sphere to sphere preserve all angles, but",
        "shows no experiment. This table has the largest relative error of an angle over all",
        "pairs, in several draws. ε is the error that the exact bound of `spherical_jl_min_dim`",
        f"promises with probability {1.0 - jl.DELTA:.0%}; it was kept in at least {kept:.0%} of",
        "the draws at every dimension.",
        "",
        f"![{jl.TITLE} against the number of coordinates]({where}/{jl.NAME}.png)",
        "",
        "| method | coordinates | largest error, median | worst draw | mean over pairs | ε |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['method']} | {row['coordinates']} | {row['median_largest']} | {row['worst']} | "
        f"{row['mean']} | {row['promised'] if float(row['promised']) < 1.0 else '–'} |"
        for row in table
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the report."""
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    write_text(target, report(folder, target.parent))


if __name__ == "__main__":
    main()
