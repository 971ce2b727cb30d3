"""A small fault: where it is planted, and what stands there instead."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A piece of a file, in bytes, and what takes its place."""

    path: str
    begin: int
    end: int
    instead: str
    kind: str

    def planted(self, text: bytes) -> bytes:
        """The text of the file with the fault in it."""
        return text[: self.begin] + self.instead.encode() + text[self.end :]

    def told(self, text: bytes) -> str:
        """The line before and after, with its number."""
        number = text.count(b"\n", 0, self.begin) + 1
        first = text.rfind(b"\n", 0, self.begin) + 1
        after = self.planted(text)
        lines = [(each[first:].split(b"\n", 1)[0]).decode().strip() for each in (text, after)]
        if lines[0] == lines[1]:  # what was added stands on the next line
            lines[1] += " ⏎ " + after[first:].split(b"\n", 2)[1].decode().strip()
        return f"{self.path}:{number} ({self.kind})\n    - {lines[0]}\n    + {lines[1]}"
