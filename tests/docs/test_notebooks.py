"""The example notebooks run in a real kernel, and show what they say."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.support.notebooks import executed, of_cells, shown, streams
from tests.support.pages import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.ipynb"))

TINY = """
import time
import numpy as np
from unimds import MDS
from unimds._runtime.watch import Progress, tell

bar = Progress(1, "working")
for _ in range(4):
    time.sleep(0.12)
    bar.step(0.25)
bar.done()
tell("Well <done>.")
"""


def test_a_notebook_shows_a_bar_of_its_own_and_the_map(tmp_path: Path) -> None:
    show = "MDS(n_init=1, random_state=0, verbose=1).fit(np.eye(4))"
    notebook = executed(of_cells(TINY, show), tmp_path)
    assert streams(notebook) == ""  # nothing on standard error, which notebooks paint red
    bar, message = shown(notebook, 1)  # one output, drawn over itself four times
    assert bar["text/plain"].startswith("█" * 24 + " working 100 %")
    assert '<progress value="1.000"' in bar["text/html"]
    assert message == {"text/plain": "Well <done>."}
    *_, fit, ended, card = shown(notebook, 2)
    assert "sweep" in fit["text/plain"]
    assert ended["text/plain"].startswith("Converged")
    assert "MDS(" in card["text/plain"]
    assert card["text/html"].index("<iframe") < card["text/html"].index("sk-estimator")
    assert "Stress-1 is" in card["text/html"]


def test_there_are_two_examples_without_outputs() -> None:
    assert [path.name for path in EXAMPLES] == ["choose-and-trust.ipynb", "first-map.ipynb"]
    for path in EXAMPLES:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert not any(cell.get("outputs") for cell in notebook.cells)
        assert path.name in (ROOT / "examples/README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    notebook = executed(nbformat.read(path, as_version=4), tmp_path)
    assert streams(notebook) == ""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    everything = [output["data"] for cell in code for output in cell.outputs]
    pages = [data["text/html"] for data in everything if "<iframe" in data.get("text/html", "")]
    assert len(pages) == 2
    assert any("Stress-1 is" in page for page in pages)
    assert sum("image/png" in data for data in everything) == {"first-map": 1}.get(path.stem, 2)
    if path.stem == "choose-and-trust":
        assert 'title="Report: Fourteen colours"' in pages[-1]
        assert everything[-1]["text/plain"].startswith('<Report "Fourteen colours"')
