"""Prolog files that hold facts, such as ``parent(ann, 'Bob').``: what is not a fact is an error with its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from treewright.errors import DataFormatError, shown
from treewright.table.relations.given import Relation, letters

_SKIPPED = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NAME = re.compile(r"[^\W\d_A-Z]\w*|'(?:[^'\\\n]|\\.|'')*'")
_CONSTANT = re.compile(
    r"(?P<number>[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?!\w)|(?P<atom>[^\W\d_A-Z]\w*|\[\])|(?P<quoted>'(?:[^'\\\n]|\\.|'')*'|\"(?:[^\"\\\n]|\\.|\"\")*\")"
)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
LARGEST = 1 << 30


def unquoted(text: str) -> str:
    """What a quoted atom says."""
    quote = text[0]
    inner = text[1:-1].replace(quote * 2, quote)
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), inner)


def read_facts(path: Path) -> list[Relation]:
    """The relations of a file of facts, in the order in which they first occur."""
    if path.stat().st_size > LARGEST:
        raise DataFormatError(f"it is larger than {LARGEST} bytes", str(path), remedy="give large relations as Parquet or CSV")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFormatError(f"byte {error.start} is not UTF-8", str(path), remedy="save it as UTF-8") from error
    reader = _Reader(text, str(path))
    rows: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    while (fact := reader.fact()) is not None:
        name, args = fact
        rows.setdefault((name, len(args)), []).append(args)
    return [
        Relation(name, letters(arity), tuple(map(list, zip(*tuples, strict=True))), named=False)
        for (name, arity), tuples in rows.items()
    ]


class _Reader:
    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.at = text, path, 0

    def _skip(self) -> None:
        if (found := _SKIPPED.match(self.text, self.at)) is not None:
            self.at = found.end()

    def _refuse(self, what: str, remedy: str = "only facts are read, such as parent(ann, bob).") -> DataFormatError:
        line = self.text.count("\n", 0, self.at) + 1
        return DataFormatError(what, self.path, line, remedy=remedy)

    def _here(self) -> str:
        return shown(self.text[self.at : self.at + 20].split("\n")[0])

    def _sign(self, sign: str) -> bool:
        self._skip()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def fact(self) -> tuple[str, tuple[Any, ...]] | None:
        self._skip()
        if self.at >= len(self.text):
            return None
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self._refuse(f"{self._here()} is no fact")
        name = unquoted(found[0]) if found[0][0] == "'" else found[0]
        if not name:
            raise self._refuse("a fact has no name")
        self.at = found.end()
        if not self._sign("("):
            raise self._refuse(f"{name!r} has no arguments")
        args = [self._constant()]
        while self._sign(","):
            args.append(self._constant())
        if not self._sign(")"):
            raise self._refuse(f"{self._here()} stands where a comma or a closing parenthesis is wanted")
        if not self._sign("."):
            raise self._refuse(f"{self._here()} stands where the full stop of {name!r} is wanted")
        return name, tuple(args)

    def _constant(self) -> Any:
        self._skip()
        found = _CONSTANT.match(self.text, self.at)
        if found is None:
            raise self._refuse(f"{self._here()} is no constant", "arguments of facts are atoms, quoted texts or numbers")
        self.at = found.end()
        if found["number"]:
            try:
                return int(found["number"]) if re.fullmatch(r"[+-]?\d+", found["number"]) else float(found["number"])
            except ValueError as error:  # Python's limit of digits
                raise self._refuse(f"a number has {len(found['number'])} digits", "write it as quoted text") from error
        if self.text.startswith("(", self.at):
            raise self._refuse(
                f"{found[0]!r} has arguments of its own",
                "terms are not taken apart: give every list or term a constant as its name",
            )
        return unquoted(found["quoted"]) if found["quoted"] else found["atom"]
