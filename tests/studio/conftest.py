"""What all tests of the studio share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a fresh folder: the worker writes its file there, as do those of other tests."""
    monkeypatch.chdir(tmp_path)
