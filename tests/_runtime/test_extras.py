"""Optional packages: what they miss themselves is not hidden."""

from pathlib import Path

import pytest

from unimds._runtime.extras import require


def test_what_an_installed_package_misses_itself_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torn_package.py").write_text("import its_missing_friend")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="its_missing_friend"):
        require("torn_package", "plot")
