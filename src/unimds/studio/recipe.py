"""The Python and the shell lines that make a map again, to the bit."""

from __future__ import annotations

import hashlib
import io
import shlex
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.files import Table
from unimds.studio.steps import Made, Step

Array = NDArray[Any]

INLINE = 40
"""Numbers of a start that stand in the script itself; more are in a file beside it."""
SCRIPT, SHELL, START, MAP = "map.py", "map.sh", "start.npy", "map.csv"


@final
@dataclass(frozen=True, eq=False)
class Source:
    """A file that was opened: its name and content, how it was read, and the table it holds."""

    name: str
    data: bytes
    table: Table
    names: list[str]
    how: Mapping[str, str] = field(default_factory=dict)
    joined: bool = True  # whether distances hold the points together, as `unimds embed` wants it


@final
class Recipe(NamedTuple):
    """Python lines, shell lines, and the files that the Python lines read besides the table."""

    python: str
    shell: str
    files: dict[str, bytes]


def recipe(source: Source, made: Made, space: Any) -> Recipe:
    """Return the lines that make a map again; the file lies beside them, under its own name."""
    files: dict[str, bytes] = {}
    first = made.chain[0].step.start
    if first is not None and not _stands_inside(first):
        files[_beside(source, START)] = _as_file(first)
    return Recipe(_script(source, made, space), _shell(source, made), files)


def _beside(source: Source, name: str) -> str:
    """Return the name of a file beside the table, which must not take the table's place."""
    return f"new-{name}" if source.name.casefold() == name else name


def archive(source: Source, found: Recipe) -> bytes:
    """Return a zip file of the table, the lines, and what they read."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as folder:
        lines = {SCRIPT: found.python.encode(), SHELL: found.shell.encode()}
        own = {_beside(source, name): data for name, data in lines.items()}
        for name, data in {source.name: source.data, **own, **found.files}.items():
            folder.writestr(name, data)
    return content.getvalue()


# --- Python ---------------------------------------------------------------------------------------


def _script(source: Source, made: Made, space: Any) -> str:
    chain, table = made.chain, source.table
    body: list[str] = []
    for at, one in enumerate(chain):
        before = chain[at - 1] if at else None
        body += ["", f"# {at + 1}. {_words(one, before, source)}"]
        body += _data(one.step, before, table)
        body += _start(one.step, before, source)
        body += _call(one.step, table)
    from unimds.spaces import in_coordinates

    names, _ = in_coordinates(made.points, space)
    labels = "table.labels"
    if made.step.left_out and table.labels is not None:
        labels = "[table.labels[i] for i in kept]"
    digest = hashlib.sha256(np.ascontiguousarray(made.points).tobytes()).hexdigest()
    to = _beside(source, MAP)
    end = [
        "",
        f'write("{to}", points, labels={labels}, names={names!r})',
        f'same = "{digest}"',
        'print("the same map to the bit:", sha256(points.tobytes()).hexdigest() == same)',
        "",
    ]
    how = "".join(f", {name}={value!r}" for name, value in source.how.items())
    head = [
        f'"""The map of {source.name}, as it was in unimds studio. Writes {to}."""',
        "",
        *_imports([one.step for one in chain], body),
        "",
        f"table = read({source.name!r}{how})",
    ]
    return "\n".join([*head, *body, *end])


def _imports(steps: list[Step], body: list[str]) -> list[str]:
    text = "\n".join(body)
    curved = {type(step.settings.place).__name__ for step in steps} - {"Euclidean"}
    found = ["from hashlib import sha256"]
    found += ["from itertools import count"] if "count(1)" in text else []
    found += ["", "import numpy as np"] if "np." in text else []
    found += ["", f"from unimds import {', '.join(['MDS', *sorted(curved)])}"]
    return [*found, "from unimds.files import read, write"]


def _words(one: Made, before: Made | None, source: Source) -> str:
    """Return what a step does, for a comment: names of points are data, and stand in one line."""
    if before is None:
        said = "from the file" if one.step.start is None else "from points that were moved by hand"
    else:
        said = "on from there" + _changes(one.step, before.step, source.names)
    return said + (f", stopped after {one.step.limit} sweeps" if one.step.limit else "")


def _changes(step: Step, before: Step, names: list[str]) -> str:
    def told(i: int) -> str:
        return "".join(c if c.isprintable() else " " for c in names[i])[:40]

    said = ""
    for i in sorted(set(step.left_out) - set(before.left_out)):
        said += f", without {told(i)}"
    for i, j in sorted(set(step.missing) - set(before.missing)):
        said += f", without the pair {told(i)} – {told(j)}"
    for i in sorted(set(step.fixed) - set(before.fixed)):
        said += f", {told(i)} fixed"
    for i in sorted(set(before.fixed) - set(step.fixed)):
        said += f", {told(i)} free"
    return said if len(said) <= 300 else ", with other data"


def _data(step: Step, before: Made | None, table: Table) -> list[str]:
    """Return the lines that make the data of a step, unless they are those of the step before."""
    if before is not None and (before.step.left_out, before.step.missing) == (
        step.left_out,
        step.missing,
    ):
        return []
    name, weighted = ("D" if table.precomputed else "X"), table.weights is not None
    found = [f"{name} = table.values" + (".copy()" if step.missing and table.precomputed else "")]
    if weighted:
        found.append("weights = table.weights")
    if step.missing:
        marked, mark = (name, "np.nan") if table.precomputed else ("weights", "0.0")
        if not table.precomputed:
            found.append("weights = np.ones((table.n, table.n))")
        pairs = ", ".join(f"({i}, {j})" for i, j in step.missing)
        found += [f"for i, j in [{pairs}]:", f"    {marked}[i, j] = {marked}[j, i] = {mark}"]
    if step.left_out:
        found.append(f"kept = np.delete(np.arange(table.n), {list(step.left_out)})")
        rows = "np.ix_(kept, kept)"
        found.append(f"{name} = {name}[{rows if table.precomputed else 'kept'}]")
        if weighted or (step.missing and not table.precomputed):
            found.append(f"weights = weights[{rows}]")
    return found


def _start(step: Step, before: Made | None, source: Source) -> list[str]:
    """Return the line that makes the start of a step, if it has one."""
    if step.start is None:
        return []
    if before is None:
        if _stands_inside(step.start):
            return [f"start = np.array({step.start.tolist()!r})"]
        return [f'start = np.load("{_beside(source, START)}")  # it comes with the zip file']
    if step.left_out == before.step.left_out:
        return ["start = points"]
    gone = np.isin(before.step.kept(source.table.n), step.left_out)
    return [f"start = np.delete(points, {np.flatnonzero(gone).tolist()}, axis=0)"]


def _call(step: Step, table: Table) -> list[str]:
    arguments = [f"{name}={value!r}" for name, value in step.arguments(table).items()]
    if step.limit is not None:
        stop = f"lambda *_, sweeps=count(1): next(sweeps) >= {step.limit}"
        arguments.append(f"callback={stop}")
    fit = ["D" if table.precomputed else "X"]
    if table.weights is not None or (step.missing and not table.precomputed):
        fit.append("weights=weights")
    anchors = step.anchors(table.n)
    if anchors is not None:
        places = ", ".join(f"{row}: {list(place)!r}" for row, place in anchors.items())
        fit.append(f"fixed={{{places}}}")
    fit += [] if step.start is None else ["init=start"]
    return [
        "mds = MDS(",
        *(f"    {argument}," for argument in arguments),
        ")",
        f"points = mds.fit_transform({', '.join(fit)})",
    ]


def _stands_inside(start: Array) -> bool:
    return start.size <= INLINE and start.dtype == np.float64


def _as_file(start: Array) -> bytes:
    content = io.BytesIO()
    np.save(content, start, allow_pickle=False)
    return content.getvalue()


# --- the shell ------------------------------------------------------------------------------------


def _shell(source: Source, made: Made) -> str:
    """Return the command that makes a map, or one that runs the script if no command can."""
    if not _is_plain(source, made):
        script = _beside(source, SCRIPT)
        return f"# The map has steps that `unimds embed` does not know.\npython {script}\n"
    line = ["unimds", "embed", source.name]
    for name, value in source.how.items():
        line += [f"--{name}", value]
    line += made.step.settings.options(source.table.precomputed)
    line += [] if made.step.limit is None else ["--max-iter", str(made.step.limit)]
    return shlex.join([*line, "--output", _beside(source, MAP)]) + "\n"


def _is_plain(source: Source, made: Made) -> bool:
    step = made.step
    changed = step.left_out or step.missing or step.fixed or step.start is not None
    if changed or not source.joined:
        return False
    return step.limit is None or _stops_alike(step)


def _stops_alike(step: Step) -> bool:
    """Whether a limit of sweeps does what stopping did.

    Of a search it is a limit of each start; and a robust loss in many dimensions shares its sweeps
    out beforehand.
    """
    from unimds.losses import as_loss

    settings = step.settings
    robust = bool(as_loss(settings.loss).anneals)
    return settings.start in ("auto", "random") and not (robust and settings.dim > 3)
