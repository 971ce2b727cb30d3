"""The code that exports carry: plain files beside the writers, with sections that only some programs need.

A line ``-- only NAME --`` in a comment begins a section for programs with that need, ``-- without NAME --`` one for all others,
and ``-- end --`` ends it. Such lines, and other notes between double dashes, are for readers of the files and are not carried.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files

_NOTE = re.compile(r"\s*(?:#|//|/\*) -- (.+) --(?: \*/)?\s*")


@cache
def _lines(name: str) -> list[str]:
    return files("treewright.export").joinpath(name).read_text(encoding="utf-8").splitlines(keepends=True)


def carried(name: str, needs: Collection[str] = ()) -> str:
    """The text of a file for a program with some needs."""
    out: list[str] = []
    kept = True
    for line in _lines(name):
        note = _NOTE.fullmatch(line)
        if note is None:
            out += [line] * kept
            continue
        kind, _, need = note[1].partition(" ")
        if kind in ("only", "without") and need.isidentifier():
            kept = (need in needs) == (kind == "only")
        elif note[1] == "end":
            kept = True
    return "".join(out)
