"""Before a release: one version everywhere, and wheels that are complete."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import check_release  # noqa: E402
from check_release import file_faults, notes, source_faults, versions  # noqa: E402

FILES = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "src/unimds/__init__.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of what the check reads, and two files of a package."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in check_release.NEEDED:
        path = tmp_path / "src/unimds" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_sources_agree_on_the_version() -> None:
    assert check_release.ROOT == ROOT
    assert source_faults(ROOT) == []
    assert len(versions(ROOT)) == 4


@pytest.mark.parametrize("name", FILES[1:])
def test_another_version_is_noticed(project: Path, name: str) -> None:
    version = versions(project)["unimds.__version__"]
    edit(project / name, version, "9.9.9")
    assert ["versions differ" in fault for fault in source_faults(project)] == [True]


def test_a_version_typed_into_the_settings_is_noticed(project: Path) -> None:
    edit(project / "pyproject.toml", 'dynamic = ["version"]', 'version = "9.9.9"')
    assert "pyproject.toml 9.9.9" in source_faults(project)[0]


def test_a_version_that_is_nowhere_is_noticed(project: Path) -> None:
    (project / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    assert "CHANGELOG.md missing" in source_faults(project)[0]
    assert notes(project) == ""


def test_other_dates_and_tags_are_noticed(project: Path, capsys: pytest.CaptureFixture) -> None:
    version = versions(project)["unimds.__version__"]
    assert check_release.main(["--tag", f"v{version}"], project) == 0
    assert check_release.main(["--tag", "v9.9.9"], project) == 1
    assert "the tag 9.9.9" in capsys.readouterr().err
    (project / "CITATION.cff").write_text(f"version: {version}\ndate-released: 1999-12-31\n")
    assert "CITATION.cff 1999-12-31" in source_faults(project)[0]


def test_the_notes_are_the_entry_of_the_release(project: Path) -> None:
    released = (
        "## [Unreleased]\n\n- later\n\n## [2.0] - 2030-01-01\n\n- now\n\n## [1.0] - 2029-01-01\n"
    )
    (project / "CHANGELOG.md").write_text(released)
    assert notes(project) == "- now"


def wheel(project: Path, *names: str) -> Path:
    version = versions(project)["unimds.__version__"]
    path = project / f"unimds-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*names, f"unimds-{version}.dist-info/licenses/LICENSE"):
            archive.writestr(name, "")
    return path


def test_wheels_hold_the_package_and_nothing_else(project: Path) -> None:
    whole = ["unimds/__init__.py", *(f"unimds/{name}" for name in check_release.NEEDED)]
    assert file_faults(wheel(project, *whole), project) == []
    assert [fault.split()[1:] for fault in file_faults(wheel(project, *whole[:-1]), project)] == [
        ["lacks", whole[-1]]
    ]
    more = wheel(project, *whole, "tests/test_a.py")
    assert file_faults(more, project) == [f"{more.name} should not hold tests/test_a.py"]
    other = more.rename(project / "unimds-0.0.1-py3-none-any.whl")
    assert "is not of version" in file_faults(other, project)[-1]


def test_source_distributions_hold_what_the_tests_need(project: Path) -> None:
    version = versions(project)["unimds.__version__"]
    path, needed = project / f"unimds-{version}.tar.gz", set(check_release.IN_SDIST)
    needed |= {f"src/{name}" for name in check_release.package_files(project)}
    for left_out in (None, "tests/conftest.py"):
        with tarfile.open(path, "w:gz") as archive:
            for name in needed - {left_out}:
                archive.addfile(tarfile.TarInfo(f"unimds-{version}/{name}"), io.BytesIO())
        expected = [] if left_out is None else [f"{path.name} lacks {left_out}"]
        assert file_faults(path, project) == expected
