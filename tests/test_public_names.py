"""Public names and their parameters change only on purpose."""

from difflib import unified_diff

from tools.public_names import TARGET, snapshot


def test_public_names_are_those_that_were_written_down():
    written, found = (text.splitlines() for text in (TARGET.read_text("utf-8"), snapshot()))
    changes = unified_diff(written, found, "written down", "found", lineterm="", n=0)
    assert written == found, (
        "public names have changed; if they are meant to, run `python tools/public_names.py` and "
        "tell it in CHANGELOG.md:\n" + "\n".join(changes)
    )
