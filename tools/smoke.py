"""Try an installed unimds: fit, draw, report, and run the command line.

It imports nothing from the checkout, so it tells whether a wheel is complete: copy it to another
folder and run it there with the Python that unimds is installed for. ``--core`` tries what needs no
extra; ``--modules`` imports every module as well.
"""

from __future__ import annotations

import argparse
import pkgutil
import shutil
import subprocess
import sysconfig
import tempfile
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np

import unimds
from unimds import MDS, models
from unimds.datasets import great_circle, load_cities

TABLE = ",Ulm,Bonn,Kiel\nUlm,0,305,650\nBonn,305,0,430\nKiel,650,430,0\n"


def fits() -> MDS:
    """Return a map of the cities, whose table is a file of the package."""
    assert unimds.__version__ == version("unimds")
    assert "site-packages" in Path(unimds.__file__).parts, "this is not an installed unimds"
    mds = MDS(space="sphere", metric="precomputed", random_state=0)
    mds.fit(great_circle(load_cities().latlon, radius=1.0))
    assert mds.embedding_.shape == (100, 3)
    assert mds.stress_ < 1e-6
    return mds


def keeps(mds: MDS, folder: Path) -> None:
    """Write the model to a file and read it back."""
    models.save(mds, folder / "map.unimds")
    assert np.array_equal(models.load(folder / "map.unimds").embedding_, mds.embedding_)


def names_the_missing_extra(mds: MDS, folder: Path) -> None:
    """Ask for a report where plotly is not installed."""
    from unimds.report import write_report

    told = ""
    try:
        write_report(mds, folder / "map.html")
    except ImportError as error:
        told = str(error)
    assert "pip install 'unimds[report]'" in told, "plotly is installed, or not asked for"


def draws(mds: MDS, folder: Path) -> None:
    """Draw the map."""
    import matplotlib

    matplotlib.use("agg")
    from unimds.plots import plot_embedding

    plot_embedding(mds).figure.savefig(folder / "map.png")
    assert (folder / "map.png").read_bytes().startswith(b"\x89PNG")


def reports(mds: MDS, folder: Path) -> None:
    """Write a report and read it back: it holds the names, and asks for nothing from outside."""
    from unimds.report import write_report

    write_report(mds, folder / "map.html", labels=load_cities().names)
    page = (folder / "map.html").read_text(encoding="utf-8")
    assert "Yellowknife" in page
    assert "<script src=" not in page


def command(*arguments: str, folder: Path) -> str:
    """Run the command ``unimds`` of this Python."""
    program = shutil.which("unimds", path=sysconfig.get_path("scripts"))
    assert program, "the command unimds is not installed"
    done = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, encoding="utf-8", errors="replace"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(folder: Path) -> None:
    """Run the command line."""
    assert unimds.__version__ in command("--version", folder=folder)
    (folder / "cities.csv").write_text(TABLE, encoding="utf-8")
    command("embed", "cities.csv", "-o", "map.csv", folder=folder)
    lines = (folder / "map.csv").read_text(encoding="utf-8").splitlines()
    assert [line.partition(",")[0] for line in lines] == ["label", "Ulm", "Bonn", "Kiel"]


def imports_every_module() -> int:
    """Import every module, and return how many there are."""
    names = [module.name for module in pkgutil.walk_packages(unimds.__path__, "unimds.")]
    names = [name for name in names if not name.endswith(".__main__")]  # those run
    for name in names:
        import_module(name)
    return len(names)


def main() -> None:
    """Try what there is."""
    parser = argparse.ArgumentParser(description="Try an installed unimds.")
    parser.add_argument("--core", action="store_true", help="only what needs no extra")
    parser.add_argument("--modules", action="store_true", help="import every module as well")
    given = parser.parse_args()
    if given.modules:
        print(f"imported {imports_every_module()} modules")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mds = fits()
        keeps(mds, folder)
        if given.core:
            names_the_missing_extra(mds, folder)
        else:
            draws(mds, folder)
            reports(mds, folder)
            commands(folder)
    print(f"unimds {unimds.__version__} works: {Path(unimds.__file__).parent}")


if __name__ == "__main__":
    main()
