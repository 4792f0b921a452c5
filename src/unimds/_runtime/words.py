"""Numbers in words."""

from __future__ import annotations


def counted(n: int, what: str) -> str:
    """Return a number of things for people.

    Examples
    --------
    >>> counted(1, "table"), counted(3, "table")
    ('1 table', '3 tables')
    """
    return f"{n} {what}{'' if n == 1 else 's'}"
