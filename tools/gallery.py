"""Draw the pictures of the gallery and of the pages for users anew, by running the code on them.

Run it with ``make gallery``; it takes two minutes. A block may save pictures whose names begin with
that of the page, and these go to docs/images.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import matplotlib

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.support.pages import blocks, run  # noqa: E402

PAGES = ("gallery", "psychology", "genetics", "networks")


def main() -> None:
    matplotlib.use("Agg")
    for page in PAGES:
        draw(page)


def draw(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = [block for block in blocks(text) if block.language == "python"]
    namespace: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in code:
            began = time.process_time()
            run(block, page, namespace)
            print(f"{page}, line {block.line}: {time.process_time() - began:.1f} s", flush=True)
            for picture in sorted(Path(folder).glob(f"{page}-*.*")):
                shutil.move(picture, ROOT / "docs" / "images" / picture.name)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
