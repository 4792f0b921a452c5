"""The documentation is true: its code runs, and prints what it says."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.pages import BLOCK, ROOT, check_page

PAGES = {
    "README.md": 5,
    "docs/choosing.md": 1,
    "docs/selecting.md": 5,
    "docs/trust.md": 6,
    "docs/levels.md": 10,
    "docs/ecology.md": 13,
    "docs/gallery.md": 15,
    "docs/genetics.md": 4,
    "docs/networks.md": 4,
    "docs/psychology.md": 5,
    "docs/interpret.md": 6,
    "docs/tables.md": 9,
    "docs/migrating.md": 5,
    "docs/extending.md": 6,
    "docs/distributions.md": 1,
    "docs/landmarks.md": 2,
    "docs/files.md": 4,
    "docs/objects.md": 8,
    "docs/report.md": 2,
    "docs/notebooks.md": 2,
    "docs/scale.md": 1,
    "docs/spherical-jl.md": 1,
    "docs/stress.md": 3,
}
"""Pages with code, and how many blocks of it there are at least; test_commands.py has those with
commands."""
TEXTS = sorted(
    str(page.relative_to(ROOT)) for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
)
"""Everything that is written for people."""
PUBLIC = (
    "unimds",
    "unimds.anndata",
    "unimds.checks",
    "unimds.cluster",
    "unimds.constraints",
    "unimds.dissimilarity",
    "unimds.experiments",
    "unimds.files",
    "unimds.interpret",
    "unimds.levels",
    "unimds.losses",
    "unimds.models",
    "unimds.plots",
    "unimds.quality",
    "unimds.report",
    "unimds.rivals",
    "unimds.select",
    "unimds.spaces",
    "unimds.trust",
)
"""Modules with names for users."""
SLOW = (
    *("docs/distributions.md", "docs/extending.md", "docs/landmarks.md"),
    *(
        "docs/ecology.md",
        "docs/gallery.md",
        "docs/genetics.md",
        "docs/levels.md",
        "docs/migrating.md",
        "docs/networks.md",
        "docs/psychology.md",
        "docs/report.md",
        "docs/scale.md",
        "docs/selecting.md",
        "docs/tables.md",
        "docs/trust.md",
    ),
)
"""Pages whose code takes long to compile or to run."""


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.slow) if p in SLOW else p for p in PAGES]
)
def test_the_code_on_the_page_runs_and_prints_what_it_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # pages write files
    text = (ROOT / page).read_text(encoding="utf-8")
    assert check_page(text, page) == text.count("```python") >= PAGES[page]


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```\n```text\n2\n```\n",
        "```python\nprint(1)\n```\n",
        "- a list\n\n  ```python\n  assert False\n  ```\n",
    ],
)
def test_a_page_that_is_wrong_is_noticed(text: str) -> None:
    with pytest.raises(AssertionError):
        check_page(text, "a page")


def links(text: str) -> list[str]:
    """Return where the links of a page lead, within the project."""
    found = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text))
    return [link for link in found if not re.match(r"https?:", link)]


def anchors(text: str) -> set[str]:
    """Return the names of the sections of a page, as they stand in a link."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    nowhere = []
    for link in links(text):
        path, _, section = link.partition("#")
        target = page.parent / path if path else page
        if not target.is_file() or (
            section and section not in anchors(target.read_text(encoding="utf-8"))
        ):
            nowhere.append(link)
    return nowhere


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_to_files_and_sections(page: str) -> None:
    assert dead(ROOT / page) == []


def test_dead_links_are_noticed(tmp_path: Path) -> None:
    good, page = tmp_path / "good.md", tmp_path / "page.md"
    good.write_text("```{note}\n```\n# Its title: `code`\n```{note}\n```\n")
    page.write_text("[a](good.md#its-title-code) [b](bad.md) [c](good.md#no) [d](#nor-here)\n")
    assert dead(page) == ["bad.md", "good.md#no", "#nor-here"]


def test_the_index_lists_every_page_once() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, re.M | re.S)
    listed = [line for tree in trees for line in tree.split("\n") if line and line[0] != ":"]
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)


@pytest.mark.parametrize("module", PUBLIC)
def test_the_reference_has_every_public_name(module: str) -> None:
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, re.M))
    assert set(import_module(module).__all__) <= listed


def test_the_speed_of_landmarks_stands_only_where_it_is_measured() -> None:
    page = BLOCK.sub("", (ROOT / "docs/landmarks.md").read_text(encoding="utf-8"))
    assert re.findall(r"n\^[\d.]+|\b[\d.]+ (?:GB|MB|s|ms)\b|\bminutes\b", page) == []
    assert "performance.md#very-many-points" in links(page)


def test_the_quality_of_landmarks_is_what_was_measured() -> None:
    page, table = (
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("landmarks", "landmarks-measured")
    )
    rows = [re.findall(r"([+-][\d.]+) % \|", line) for line in table.splitlines()]
    columns = zip(*([float(cell) for cell in row] for row in rows if row), strict=True)
    farthest, refined, _, random_refined = (f"{max(column):.1g}" for column in columns)
    assert re.findall(r"([\d.]+) %", page) == [refined, farthest, random_refined]


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs/images").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 300_000 for picture in pictures)
