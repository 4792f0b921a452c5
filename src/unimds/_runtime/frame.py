"""A page within a page: an isolated frame, for notebooks and what they are exported to."""

from __future__ import annotations

import zlib
from base64 import b64encode
from html import escape
from importlib.resources import files

UNTRUSTED = "Trust this notebook, or run this cell, to see what belongs here."
"""What stands in place of a frame where a notebook's page leaves it out."""


def framed(page: str, title: str, style: str) -> str:
    """Return a page as a frame that cannot reach the page around it, and needs no other file.

    Notebooks that do not trust their outputs remove the frame, and keep the text within it, which
    browsers that show the frame do not show.

    Parameters
    ----------
    page : str
        The whole page.
    title : str
        What it is, for readers who cannot see it.
    style : str
        The size of the frame, as CSS.

    Examples
    --------
    >>> print(framed("<p>it's</p>", "a <page>", "height: 2em").partition("<script>")[0])
    <iframe class="unimds" title="a &lt;page&gt;" sandbox="allow-scripts allow-downloads"
    style="height: 2em; border: 0; display: block" srcdoc='<p>it&#39;s</p>'>Trust this
    notebook, or run this cell, to see what belongs here.</iframe>
    """
    # a single quote is rarer in pages than a double one: this keeps the output small
    page = page.encode("utf-8", "replace").decode()  # half a surrogate pair could not be saved
    source = page.replace("&", "&amp;").replace("'", "&#39;")
    script = (files("unimds._runtime") / "frame.js").read_text(encoding="utf-8")
    return (
        f'<iframe class="unimds" title="{escape(title)}" sandbox="allow-scripts allow-downloads" '
        f"style=\"{style}; border: 0; display: block\" srcdoc='{source}'>{UNTRUSTED}</iframe>"
        f"<script>{script}</script>"
    )


UNPACK = """<!DOCTYPE html><meta charset="utf-8"><script>
(async () => {
  const bytes = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
  const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const page = await new Response(whole).text();
  document.open(); document.write(page); document.close();
})().catch(() => { document.body.append("This browser is too old: save the page to a file."); });
</script>"""


def packed(page: str) -> str:
    """Return a page that unpacks a large one, and is less than half as large.

    Examples
    --------
    >>> page = "<p>Many words.</p>" * 10_000
    >>> len(packed(page)) < 0.01 * len(page)
    True
    """
    return UNPACK % b64encode(zlib.compress(page.encode(), 9)).decode()
