"""Notebooks, run by a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.pages import ROOT


def executed(notebook: Any, folder: Path, patience: int = 600) -> Any:
    """Run all cells of a notebook in a folder, and return it with its outputs."""
    import nbclient

    where = {"metadata": {"path": str(folder)}}
    return nbclient.NotebookClient(
        notebook, timeout=patience, kernel_name="python3", resources=where
    ).execute()


def of_cells(*sources: str) -> Any:
    """Return a notebook with these cells of code."""
    from nbformat import v4

    first = f"import sys\nsys.path[:0] = [{str(ROOT / 'src')!r}]"
    return v4.new_notebook(cells=[v4.new_code_cell(text) for text in (first, *sources)])


def shown(notebook: Any, cell: int) -> list[dict[str, str]]:
    """Return what a cell of code shows, as bundles of kinds of content."""
    return [
        output["data"] for output in notebook.cells[cell].outputs if output.get("data") is not None
    ]


def streams(notebook: Any) -> str:
    """Return all that was written on standard output and standard error."""
    return "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream"
    )
