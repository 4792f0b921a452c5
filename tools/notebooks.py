"""Run the example notebooks and write them as HTML pages, to look at.

``python tools/notebooks.py [--out FOLDER] [--theme dark]``; it needs nbconvert.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("."))
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    chosen = parser.parse_args()
    for path in sorted((ROOT / "examples").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
        page, _ = HTMLExporter(theme=chosen.theme).from_notebook_node(notebook)
        (chosen.out / f"{path.stem}.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
