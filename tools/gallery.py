"""Draw the pictures of docs/gallery.md anew, by running the code on the page.

Run it with ``make gallery``; it takes a minute. A block may save files whose names begin with
"gallery-", and these go to docs/images.
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

PAGE = ROOT / "docs" / "gallery.md"


def main() -> None:
    matplotlib.use("Agg")
    code = [
        block for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "python"
    ]
    namespace: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in code:
            began = time.process_time()
            run(block, str(PAGE), namespace)
            print(f"line {block.line}: {time.process_time() - began:.1f} s", flush=True)
            for picture in sorted(Path(folder).glob("gallery-*")):
                shutil.move(picture, ROOT / "docs" / "images" / picture.name)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
