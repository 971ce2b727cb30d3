"""Small faults of C++ and JavaScript, found by their signs outside comments, texts and directives.

Both are kept in a format in which an operator of two sides stands between spaces, and brackets of types do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.mutants.fault import Fault

_HIDDEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![\w])'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<=[=(,:?&|] )/(?:\\.|[^/\\\n])+/[a-z]*|(?<=\()/(?:\\.|[^/\\\n])+/[a-z]*""",
    re.S | re.M,
)
_UNTOUCHED = re.compile(r"^\s*(?:static_assert|template|import |export \{|using |namespace |requires )")
_SIGNS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r" < ", (" <= ", " >= "), "comparison"),
    (r" <= ", (" < ", " > "), "comparison"),
    (r" > ", (" >= ", " <= "), "comparison"),
    (r" >= ", (" > ", " < "), "comparison"),
    (r" == ", (" != ",), "comparison"),
    (r" != ", (" == ",), "comparison"),
    (r" === ", (" !== ",), "comparison"),
    (r" !== ", (" === ",), "comparison"),
    (r" && ", (" || ",), "and, or"),
    (r" \|\| ", (" && ",), "and, or"),
    (r" \+ ", (" - ",), "arithmetic"),
    (r"(?<=[\w)\]]) - ", (" + ",), "arithmetic"),
    (r"(?<=[\w)\]]) \* ", (" / ",), "arithmetic"),
    (r" / ", (" * ",), "arithmetic"),
    (r"!(?=[\w(])", ("",), "not"),
    (r"\btrue\b", ("false",), "constant"),
    (r"\bfalse\b", ("true",), "constant"),
    (r"\bbreak;", ("continue;",), "loop"),
    (r"\bcontinue;", ("break;",), "loop"),
)
_WHOLE = re.compile(r"(?<![\w.$#])\d+(?![\w.])")
_STEP = re.compile(r"^[ \t]*([\w.\[\]\->]+ [+\-*]= [^;{}]*;)", re.M)
_IF = re.compile(r"\bif (?:constexpr )?\(")


def text_faults(path: str, source: bytes) -> list[Fault]:
    """All faults that are planted one at a time, in the order of the text."""
    text = source.decode("latin-1")  # a sign a byte
    bare = _HIDDEN.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    found = [Fault(path, *piece) for piece in _pieces(bare) if not _UNTOUCHED.match(_line(bare, piece[0]))]
    return sorted(set(found))


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]


def _pieces(bare: str) -> Iterator[tuple[int, int, str, str]]:
    for sign, others, kind in _SIGNS:
        for found in re.finditer(sign, bare):
            for other in others:
                yield found.start(), found.end(), other, kind
    for found in _WHOLE.finditer(bare):
        yield found.start(), found.end(), str(int(found[0]) + 1), "constant"
    for found in _STEP.finditer(bare):
        if "\0" not in found[1]:
            yield found.start(1), found.end(1), ";", "left out"
    for found in _IF.finditer(bare):
        end = _closing(bare, found.end())
        if "constexpr" not in found[0] and "\0" not in bare[found.end() : end] and ";" not in bare[found.end() : end]:
            yield found.end(), end, f"!({bare[found.end() : end]})", "branches"


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before a place."""
    depth = 1
    while depth > 0 and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1
