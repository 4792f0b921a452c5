"""How a map was chosen, as a section of the page: where a search by held-out pairs has found it."""

from __future__ import annotations

from html import escape
from typing import Any

NOTE = (
    "The error of pairs that the maps have not seen, as a share of their distances; how much it is "
    "above the lowest one, fold by fold; and the standard error of that."
)


def chosen_map(search: Any) -> Any:
    """Return the map that a search has chosen, or what it is given if that is no search."""
    return search.best_estimator_ if is_search(search) else search


def is_search(mds: Any) -> bool:
    """Whether this is a search by held-out pairs, which has made a map."""
    return hasattr(mds, "best_estimator_") and hasattr(mds, "null_error_")


def choice_section(search: Any) -> str:
    """Return the section; empty if there was no search."""
    if not is_search(search):
        return ""
    found = search.cv_results_
    names = list(dict.fromkeys(name for one in found["params"] for name in one))
    heads = [*names, "error", "above the lowest", "standard error", ""]
    rows = [_cells(search, row, names) for row in range(len(found["params"]))]
    rows.append(["one distance for all pairs", *[""] * (len(names) - 1)])
    rows[-1] += [f"{search.null_error_:.4f}", "", "", ""]
    body = "\n".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return (
        '<section aria-labelledby="choice-title" id="choice">\n'
        '<h2 id="choice-title">How it was chosen</h2>\n'
        f"<p>{escape(search.sentence_)}</p>\n"
        f'<p class="quiet">{escape(NOTE)}</p>\n'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>\n</section>"
    )


def _cells(search: Any, row: int, names: list[str]) -> list[str]:
    """Return a candidate as a row of the table."""
    found, one = search.cv_results_, search.cv_results_["params"][row]
    numbers = (found[name][row] for name in ("mean_error", "excess", "excess_standard_error"))
    cells = ["–" if number != number else f"{number:.4f}" for number in numbers]
    mark = "chosen" if row == search.best_index_ else ""
    return [str(one.get(name, "")) for name in names] + [*cells, mark]
