"""Formulas as MathML, which every browser draws by itself: the pages need no network."""

from __future__ import annotations

import re
from itertools import cycle
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

BAR = re.compile(r"<mo( [^>]*)?>(?=[|‖]</mo>)")
"""The bars of absolute values and norms, which browsers would stretch and space one by one."""


def formula(tex: str, as_block: bool) -> str:
    """Return a formula in MathML; of its bars, every other one closes what the one before opens."""
    forms = cycle(("prefix", "postfix"))
    return BAR.sub(
        lambda _: f'<mo stretchy="false" form="{next(forms)}">', tex2mathml(tex, as_block=as_block)
    )


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(formula(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    drawn = formula(node.astext(), as_block=True)
    writer.body.append(
        f'<div class="math" style="overflow: auto hidden; padding: 0.6em 0">{drawn}</div>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
