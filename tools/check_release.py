"""Check a release: one version everywhere, and nothing missing from the files or too much in them.

``make release`` runs it. Without arguments it checks the sources; each argument is a wheel or an
sdist to check too. ``--tag v1.2.3`` says which version it must be, ``--notes`` prints the
changelog's entry for that version.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASED = re.compile(r"^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", re.M)
NEEDED = (
    *("py.typed", "data/cities.csv", "report/page/page.html", "report/page/page.css"),
    *("studio/page/index.html", "studio/page/style.css", "studio/page/main.js"),
)
"""Files of the package that are not code, and that a wheel can lack without any import failing."""
IN_SDIST = (
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "Makefile",
    "tests/conftest.py",
    "tools/smoke.py",
    "man/unimds.1",
)


def found(pattern: str, path: Path) -> str:
    """Return what a pattern finds in a file, or "missing"."""
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.M)
    return match[1] if match else "missing"


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file states."""
    package = root / "src/unimds/__init__.py"
    told = {
        "unimds.__version__": found(r'^__version__ = "(.+)"$', package),
        "CITATION.cff": found(r'^version: "?([^"\n]+)"?$', root / "CITATION.cff"),
        "CHANGELOG.md": found(RELEASED.pattern, root / "CHANGELOG.md"),
    }
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    if "version" in settings["project"].get("dynamic", []):
        source = root / settings["tool"]["hatch"]["version"]["path"]
        told["pyproject.toml"] = found(r'^__version__ = "(.+)"$', source)
    else:
        told["pyproject.toml"] = settings["project"].get("version", "missing")
    return told


def source_faults(root: Path, tag: str | None = None) -> list[str]:
    """Return where the sources, or the tag, disagree about version and date."""
    told = versions(root)
    if tag is not None:
        told["the tag"] = tag.removeprefix("v")
    faults = []
    if len(set(told.values())) > 1:
        faults.append("versions differ: " + ", ".join(f"{k} {v}" for k, v in told.items()))
    changelog = RELEASED.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    date = found(r'^date-released: "?([\d-]+)"?$', root / "CITATION.cff")
    if changelog is not None and date != changelog[2]:
        faults.append(f"dates differ: CHANGELOG.md {changelog[2]}, CITATION.cff {date}")
    return faults


def package_files(root: Path) -> set[str]:
    """Return the files that the package consists of, relative to ``src``."""
    source = root / "src"
    return {
        path.relative_to(source).as_posix()
        for path in (source / "unimds").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def wheel_faults(path: Path, root: Path) -> list[str]:
    """Return what a wheel lacks, or has too much of."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    inside = {name for name in names if ".dist-info/" not in name}
    expected = package_files(root) | {f"unimds/{name}" for name in NEEDED}
    faults = [f"{path.name} lacks {name}" for name in sorted(expected - inside)]
    faults += [f"{path.name} should not hold {name}" for name in sorted(inside - expected)]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        faults.append(f"{path.name} lacks its licence")
    return faults


def sdist_faults(path: Path, root: Path) -> list[str]:
    """Return what a source distribution lacks."""
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    expected = {f"src/{name}" for name in package_files(root)} | set(IN_SDIST)
    return [f"{path.name} lacks {name}" for name in sorted(expected - names)]


def file_faults(path: Path, root: Path) -> list[str]:
    """Return what is wrong with a file that would be released."""
    version = versions(root)["unimds.__version__"]
    faults = wheel_faults(path, root) if path.suffix == ".whl" else sdist_faults(path, root)
    if not path.name.startswith(f"unimds-{version}"):
        faults.append(f"{path.name} is not of version {version}")
    return faults


def notes(root: Path) -> str:
    """Return the changelog's entry for the last release."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = RELEASED.search(text)
    return (
        "" if heading is None else re.split(r"^## ", text[heading.end() :], flags=re.M)[0].strip()
    )


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Check, and say what is wrong."""
    parser = argparse.ArgumentParser(description="Check a release.")
    parser.add_argument("files", nargs="*", type=Path, help="wheels and source distributions")
    parser.add_argument("--tag", help="the tag that is to be released, such as v1.2.3")
    parser.add_argument("--notes", action="store_true", help="print the changelog's entry")
    given = parser.parse_args(arguments)
    if given.notes:
        print(notes(root))
        return 0
    faults = source_faults(root, given.tag or None)
    for path in given.files:
        faults += file_faults(path, root)
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if not faults:
        print(f"unimds {versions(root)['unimds.__version__']}: ready for release")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
