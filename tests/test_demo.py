"""The demonstration finds the globe, says so and draws it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from unimds import demo
from unimds.datasets import EARTH_RADIUS, corrupt, great_circle, load_cities
from unimds.files import FileError
from unimds.plots import plot_globe


@pytest.fixture(scope="module")
def globes() -> tuple[demo.Globe, demo.Globe]:
    cities = load_cities()
    D, wrong = corrupt(great_circle(cities.latlon), demo.SHARE, 0, 0.0, demo.FARTHEST)
    absolute, squared = (
        demo.find_globe(loss, D, wrong, cities.points) for loss in ("absolute", "squared")
    )
    return absolute, squared


@pytest.mark.slow
def test_the_absolute_loss_finds_the_globe(globes: tuple[demo.Globe, demo.Globe]) -> None:
    robust, _ = globes
    assert robust.radius == pytest.approx(EARTH_RADIUS, rel=1e-3)
    assert np.median(robust.errors) < 1.0  # km
    assert robust.errors.max() < 10.0
    assert robust.identified > 0.98


def test_the_squared_loss_does_not(globes: tuple[demo.Globe, demo.Globe]) -> None:
    robust, squared = globes
    assert np.median(squared.errors) > 100.0
    assert np.median(squared.errors) > 100.0 * np.median(robust.errors)
    assert squared.identified < robust.identified


def test_identified_is_the_share_of_the_largest_misses() -> None:
    miss = np.zeros((4, 4))
    wrong = np.zeros((4, 4), dtype=bool)
    for i, j, size in ((0, 1, 9.0), (0, 2, 8.0), (2, 3, 1.0)):
        miss[i, j] = miss[j, i] = size
    for i, j in ((0, 1), (2, 3)):
        wrong[i, j] = wrong[j, i] = True
    assert demo.share_identified(miss, wrong) == 0.5
    miss[2, 3] = miss[3, 2] = 10.0
    assert demo.share_identified(miss, wrong) == 1.0


def test_the_command_says_what_it_found_and_where_the_picture_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "globe.png"
    assert demo.main(["--output", str(path)]) == 0
    said = capsys.readouterr().out
    for words in ("6371.0 km", "100%", "495 of the distances", "absolute", "squared", str(path)):
        assert words in said
    assert said.isascii()  # any terminal can show it
    assert max(map(len, said.splitlines()[:-2])) <= 100
    picture = imread(path)
    assert picture.shape[0] > 300
    assert picture.shape[1] > 1000
    assert 0.02 < np.mean(picture[:, :, :3].min(axis=2) < 0.9) < 0.5  # neither blank nor a blot
    assert path.stat().st_size < 300_000
    page = path.with_suffix(".html").read_text(encoding="utf-8")
    assert str(path.with_suffix(".html")) in said
    assert "Yakutsk" in page


def test_a_file_that_is_not_its_own_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "precious.png"
    path.write_text("precious")
    with pytest.raises(SystemExit):
        demo.main(["--output", str(path)])
    assert "--force" in capsys.readouterr().err
    assert path.read_text() == "precious"
    demo.check_output(path, force=True)


def test_nor_is_a_page_that_is_not_its_own(tmp_path: Path) -> None:
    path = tmp_path / "globe.png"
    path.with_suffix(".html").write_text("precious")
    with pytest.raises(FileError, match=r"globe\.html: the file already exists"):
        demo.check_output(path, force=False)
    demo.check_output(path, force=True)


def test_its_own_picture_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo.PICTURE.write_text("the last one")
    demo.check_output(demo.PICTURE, force=False)


@pytest.mark.parametrize("name", ["no/such/folder/globe.png", "globe.doc", "folder.png"])
def test_a_place_that_cannot_hold_a_picture_is_refused_at_once(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SystemExit):
        demo.main(["--output", str(tmp_path / name), "--force"])
    assert name in capsys.readouterr().err


@pytest.mark.parametrize(
    ("km", "said"),
    [(1565.4, "1565 km"), (1.0, "1 km"), (0.5, "500 m"), (4e-5, "4 cm"), (0.0, "under 1 cm")],
)
def test_lengths_have_a_unit_that_suits_them(km: float, said: str) -> None:
    assert demo.length(km) == said


# --- without matplotlib ---------------------------------------------------------------------------


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("no_matplotlib")
def test_without_matplotlib_one_line_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = "drawing needs matplotlib: pip install 'unimds[plot]'"
    with pytest.raises(ImportError) as caught:
        plot_globe(load_cities().points)
    assert str(caught.value) == needed
    assert demo.main(["--output", str(tmp_path / "globe.png")]) == 1
    assert capsys.readouterr() == ("", needed + "\n")


@pytest.mark.usefixtures("no_matplotlib")
def test_plots_can_be_imported_without_matplotlib() -> None:
    importlib.reload(sys.modules["unimds.plots"])
