"""Draw the rooms of the package as layers, from the imports that are really there.

    python tools/draw_layers.py           # writes docs/images/layers.svg

The layers are those of [tool.importlinter] in pyproject.toml; what a room imports comes from the
graph of imports by grimp. Of several rooms only those are named that are not reached through
another; an import that points upward is red.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import grimp
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[1]
HIDDEN = {"__main__", "_public"}  # they only point at other rooms
WIDTH, GAP, HEIGHT = 6.0, 0.12, 0.72
INK, PAPER, PALE, WRONG = "#1F2933", "#E3EDF7", "#5B6B7B", "#C0392B"


def layers() -> list[list[str]]:
    """Return the rooms of each layer, low to high."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    rows = [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]
    shown = [[room for room in row if room not in HIDDEN] for row in reversed(rows)]
    return [row for row in shown if row]


def imports(rooms: set[str]) -> dict[str, set[str]]:
    """Return the rooms that each room imports."""
    graph = grimp.build_graph("unimds")
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for module in graph.modules:
        room = [*module.split("."), ""][1]
        for imported in graph.find_modules_directly_imported_by(module) if room in rooms else ():
            other = [*imported.split("."), ""][1]
            if other in rooms and other != room:
                found[room].add(other)
    return found


def needed(found: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Return the arrows that no chain of other arrows replaces."""

    def reachable(room: str, seen: set[str]) -> set[str]:
        for other in found[room] - seen:
            seen |= {other} | reachable(other, seen | {other})
        return seen

    return {
        (room, other)
        for room, others in found.items()
        for other in others
        if not any(other in reachable(between, set()) for between in others - {other})
    }


def purpose(room: str) -> str:
    """Return how a room's docstring begins, up to its first colon or stop."""
    folder = ROOT / "src" / "unimds" / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").splitlines()[0]
    return re.split(r"[:.]", text)[0].replace("``", "")


def draw(ax: Axes) -> None:
    """Draw a row of boxes for each layer, and beside it what its rooms import."""
    rows = layers()
    height = {room: y for y, row in enumerate(rows) for room in row}
    arrows = needed(imports(set(height)))
    for y, row in enumerate(rows):
        width = (WIDTH - GAP * (len(row) - 1)) / len(row)
        for i, room in enumerate(row):
            left = i * (width + GAP)
            corner, middle = (left, y - 0.5 * HEIGHT), left + 0.5 * width
            ax.add_patch(plt.Rectangle(corner, width, HEIGHT, facecolor=PAPER, edgecolor=INK))
            ax.text(middle, y + 0.14, room, ha="center", va="center", color=INK, fontsize=11)
            size = {1: 8, 2: 7}.get(len(row), 6)
            words = {"ha": "center", "va": "center", "color": PALE, "fontsize": size}
            ax.text(middle, y - 0.17, purpose(room), **words)
        below = sorted({other for room, other in arrows if room in row}, key=height.get)
        upward = any(height[other] >= y for other in below)
        told = f"imports {', '.join(reversed(below))}" if below else "imports no other room"
        ax.text(WIDTH + 0.25, y, told, va="center", fontsize=9, color=WRONG if upward else INK)
    ax.set_xlim(-0.1, WIDTH + 4.6)
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.set_axis_off()


if __name__ == "__main__":
    figure, axes = plt.subplots(figsize=(11, 10))
    draw(axes)
    figure.savefig(ROOT / "docs" / "images" / "layers.svg", bbox_inches="tight")
