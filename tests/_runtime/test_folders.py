"""The cache folder is that of the system, unless the user names another."""

from pathlib import Path

import pytest

from unimds._runtime import folders


@pytest.mark.parametrize(
    ("platform", "variable", "place"),
    [
        ("linux", "XDG_CACHE_HOME", "own/unimds"),
        ("win32", "LOCALAPPDATA", "own/unimds"),
        ("linux", None, "home/.cache/unimds"),
        ("darwin", None, "home/Library/Caches/unimds"),
        ("win32", None, "home/AppData/Local/unimds"),
    ],
)
def test_each_system_has_its_folder(platform, variable, place, tmp_path, monkeypatch):
    for name in ("UNIMDS_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(folders.sys, "platform", platform)
    monkeypatch.setattr(folders.Path, "home", lambda: tmp_path / "home")
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "own"))
    assert folders.cache_folder() == tmp_path / place


def test_the_user_may_name_another(monkeypatch):
    monkeypatch.setenv("UNIMDS_CACHE", "/somewhere")
    assert folders.cache_folder() == Path("/somewhere")
