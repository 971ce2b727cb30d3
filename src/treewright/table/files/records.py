"""Lines of delimited text divided into cells: a quote at the start of a cell opens it, two quotes inside are one.

Arrow reads the files; this is for the first lines, from which the dialect is learned, and for finding the place of an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Record:
    cells: list[str] = field(default_factory=list)
    characters: list[str] = field(default_factory=list)
    quoted: bool = False  # inside quotes at the end of what was fed

    def feed(self, line: str, delimiter: str) -> None:
        """Go on with one more line of the record, which may end inside quotes."""
        at, fresh = 0, not self.quoted
        while True:
            if self.quoted:
                end = line.find('"', at)
                if end < 0:
                    self.characters.append(line[at:])
                    return
                self.characters.append(line[at:end])
                at = end + 1
                self.quoted = line.startswith('"', at)
                if self.quoted:
                    self.characters.append('"')
                    at += 1
                continue
            if fresh and line.startswith('"', at):
                self.quoted, fresh, at = True, False, at + 1
                continue
            end = line.find(delimiter, at)
            self.characters.append(line[at:] if end < 0 else line[at:end])
            if end < 0:
                self.characters[-1] = self.characters[-1].rstrip("\r\n")
            self.cells.append("".join(self.characters))
            self.characters.clear()
            if end < 0:
                return
            at, fresh = end + len(delimiter), True


def records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    """Return every record with the number of its first line; empty lines are left out.

    A last record whose quote is never closed has None for its cells.
    """
    record, begin = _Record(), 1
    for number, line in enumerate(lines, 1):
        if not record.quoted:
            begin = number
            bare = line.rstrip("\r\n")
            if not bare:
                continue
            if '"' not in bare:
                yield number, bare.split(delimiter)
                continue
        record.feed(line, delimiter)
        if not record.quoted:
            yield begin, record.cells
            record = _Record()
    if record.quoted:
        yield begin, None
