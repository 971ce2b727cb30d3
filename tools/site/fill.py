"""Write into pages what their code prints: ``python -m tools.site.fill docs/learn/entropy.md ...``.

A block of Python that has an empty ``text`` block behind it gets what it prints, and so does every block
whose output has changed.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from pathlib import Path

from tools.site.blocks import quiet, run, same


def fill(path: Path) -> bool:
    """Rewrite one page; return whether anything changed."""
    text = path.read_text(encoding="utf-8")
    parts, at = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for block, printed in run(path, text, Path(folder)):
            said = block.session if block.session is not None else block.prints
            if said is None or same(printed, said):
                continue
            lines = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").split("\n"))
            parts += [text[at : block.start], lines]
            at = block.end
    changed = "".join([*parts, text[at:]])
    path.write_text(changed, encoding="utf-8")
    return changed != text


if __name__ == "__main__":
    quiet()
    for name in sys.argv[1:]:
        try:
            print(name, "changed" if fill(Path(name)) else "as it was")
        except Exception:
            print(name, "failed:", *traceback.format_exc().splitlines()[-8:], sep="\n    ")
