"""How wide a text is on a terminal, and how it is cut where it is too wide."""

from __future__ import annotations

import re
from unicodedata import category, combining, east_asian_width

# Where wide and combining characters live, and many others; outside these ranges every character takes one column.
ODD = re.compile("[\u0300-\u1fff\u200b-\u200f\u202a-\u202e\u2066-\u2069\u2300-\u23ff\u2600-\u27ff\u2b00-\u2bff\u2e80-\U0010ffff]")
_DIGITS = "0123456789.,"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii() or ODD.search(text) is None:
        return len(text)
    return sum(0 if combining(ch) or category(ch) == "Cf" else 2 if east_asian_width(ch) in "WF" else 1 for ch in text)


def cut_to(text: str, room: int, dots: str = "…") -> str:
    """Cut the middle out of a text that takes more than ``room`` columns; numbers inside it are kept whole or left out."""
    if len(text) * 2 <= room or cells(text) <= room:
        return text
    keep = max(0, room - len(dots))
    head = _prefix(text, keep - keep // 3)
    tail = _prefix(text[::-1], keep // 3)[::-1]
    if room < len(dots):
        return dots[:room]
    return f"{_whole(head, text[len(head) :])}{dots}{_whole(tail[::-1], text[::-1][len(tail) :])[::-1]}"


def _prefix(text: str, room: int) -> str:
    text = text[:room]
    while cells(text) > room:
        text = text[:-1]
    return text


def _whole(kept: str, rest: str) -> str:
    """What is kept of a text, without the beginning of a number that goes on in the rest; a text of digits is a name."""
    if not (kept and rest and kept[-1] in _DIGITS and rest[0] in _DIGITS):
        return kept
    return kept.rstrip(_DIGITS) if (kept + rest).strip(_DIGITS) else kept


def wrapped(text: str, width: int, indent: str = "   ") -> str:
    """Break lines at blanks so that none is wider; what follows is indented, and words that are wider stay whole."""
    out: list[str] = []
    for line in text.split("\n"):
        while cells(line) > width:
            fits = len(_prefix(line, width + 1))
            first = len(line) - len(line.lstrip(" "))
            at = line.rfind(" ", first, fits)
            if at < 0 and (at := line.find(" ", max(first, fits))) < 0:
                break
            out.append(line[:at].rstrip(" "))
            line = indent + line[at:].lstrip(" ")
        out.append(line)
    return "\n".join(out)


# A name, what it is compared with, and a note.
_ASKED = re.compile(r"(.*)( (?:<=|<|>=|>|=|≤|≥) [^ ]+\?)( \[.*\])?", re.DOTALL)
_NAME = 4  # columns that are left of a name at least


def cut_question(text: str, room: int, dots: str = "…") -> str:
    """Cut the name of the column in a question; where that is not enough the note goes, then what it is compared with."""
    if cells(text) <= room:
        return text
    found = _ASKED.fullmatch(text)
    if found is None:
        return cut_to(text, room, dots)
    name, compared, note = found[1], found[2], found[3] or ""
    for tail in (compared + note, compared + " " + dots) if note else (compared,):
        if (free := room - cells(tail)) >= min(cells(name), _NAME if tail.endswith("]") else len(dots) + 1):
            return cut_to(name, free, dots) + tail
    return _prefix(name, max(0, room - len(dots) - 1)) + f"{dots}?"[: max(0, room)]
