"""The code blocks of a page: where they stand, what they print, and which pictures they draw.

One implementation for three users: the tests compare what is printed with the page, the site takes the pictures, and
``python -m tools.site.fill`` writes what is printed into the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<prints>.*?)^```$)?|^```console\n(?P<session>.*?)^```$", re.M | re.S
)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+\.(?:svg|png))\)")
PAGE = re.compile(r'src="([^"/:]+\.html)"|\]\(([^)/:]+\.html)\)')
VARIES = re.compile(r"[\d.]+ (m?s(?=$|   →)|kB)", re.M)  # times, and sizes of files, which grow by every new parameter


@dataclass(frozen=True)
class Block:
    """A block of a page: Python code with what it prints, or a console session; `start` and `end` frame what is printed."""

    code: str
    prints: str | None
    session: str | None
    start: int
    end: int


def pages() -> list[Path]:
    """Return every page with code: the README and all of the docs."""
    return sorted([ROOT / "README.md", *DOCS.rglob("*.md")])


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page in their order."""
    found = []
    for match in BLOCK.finditer(text):
        printed = "session" if match["session"] is not None else "prints"
        start, end = match.span(printed)
        found.append(Block(match["code"], match["prints"], match["session"], start, end))
    return found


def made(text: str) -> list[str]:
    """Return the names of pictures and pages beside a page: files that its blocks write, unless they are kept in docs."""
    names = [*PICTURE.findall(text), *("".join(pair) for pair in PAGE.findall(text))]
    return sorted({name for name in names if "/" not in name})


def run(path: Path, text: str, folder: Path) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page in a folder, one after the other in one name space, and yield each with what it printed."""
    names: dict[str, object] = {"__name__": "__docs__"}
    for block in blocks(text):
        if block.session is not None:
            yield block, _session(block.session, folder)
            continue
        printed = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(block.code, str(path), "exec"), names)
        yield block, printed.getvalue()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _session(session: str, folder: Path) -> str:
    """Run the lines that begin with $ and return them with what they print."""
    from treewright.cli import main

    lines = []
    for entry in re.split(r"^\$ ", session, flags=re.M)[1:]:
        command = entry.partition("\n")[0]
        printed = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main(shlex.split(command)[1:])
        lines.append(f"$ {command}\n{printed.getvalue().replace(f'{folder.resolve()}{os.sep}', '')}")
    return "".join(lines)


def same(printed: str, page: str) -> bool:
    """Return whether what was printed is what the page says; times and sizes of files may differ, and blanks at ends of lines."""
    return _lines(printed) == _lines(page)


def _lines(text: str) -> list[str]:
    text = re.sub(r"\n\s*\n\$ ", "\n$ ", VARIES.sub("VARIES", text).strip())  # blank lines between commands do not count
    return [line.rstrip() for line in text.split("\n")]


def quiet() -> None:
    """Draw without a window, and the same bytes each time."""
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "treewright"
