"""What an Arrow file or stream unpacks to, by what it says of itself: Arrow unpacks a whole batch before it can be asked.

Only the few tables of its messages that tell sizes are read, as flatbuffers lay them out; Arrow itself checks everything else.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

_MAGIC = b"ARROW1"
_CONTINUES = 0xFFFFFFFF  # stands before the size of a message, since version 0.15
_DICTIONARY, _BATCH = 2, 3  # kinds of messages that hold buffers
_PLAIN = -1  # the size that stands before a buffer which is not packed


class _Table:
    """A table of a flatbuffer: its fields by number."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._fields = at - self._number("i", at)

    def _number(self, kind: str, at: int) -> int:
        if at < 0:
            raise struct.error("an offset points before the message")
        return int(struct.unpack_from(f"<{kind}", self._data, at)[0])

    def _place(self, field: int) -> int | None:
        known = self._number("H", self._fields)
        offset = self._number("H", self._fields + 4 + 2 * field) if 4 + 2 * field < known else 0
        return self._at + offset if offset else None

    def number(self, field: int, kind: str) -> int:
        """A number, 0 where it is absent."""
        place = self._place(field)
        return 0 if place is None else self._number(kind, place)

    def table(self, field: int) -> _Table | None:
        """A table, None where it is absent."""
        place = self._place(field)
        return None if place is None else _Table(self._data, place + self._number("I", place))

    def structs(self, field: int, kinds: str) -> Iterator[tuple[int, ...]]:
        """The entries of a list of structs."""
        place = self._place(field)
        if place is None:
            return
        start = place + self._number("I", place)
        size = struct.calcsize(f"<{kinds}")
        for i in range(self._number("I", start)):
            yield struct.unpack_from(f"<{kinds}", self._data, start + 4 + size * i)


def _root(data: bytes) -> _Table:
    return _Table(data, struct.unpack_from("<I", data)[0])


def _read(file: Any, at: int, size: int) -> bytes:
    if at < 0 or size < 0 or at + size > file.size():
        raise struct.error("a message lies outside the file")
    file.seek(at)
    return bytes(file.read(size))


def unpacked_size(file: Any) -> int:
    """Bytes that all batches of an Arrow file or stream unpack to, or a byte a cell if that is more; 0 for other files."""
    size = file.size()
    if size >= 18 and _read(file, 0, 6) == _MAGIC:
        footer_size = struct.unpack("<i", _read(file, size - 10, 4))[0]
        footer = _root(_read(file, size - 10 - footer_size, footer_size))
        total, room = 0, size
        for at, heading, _ in (block for field in (2, 3) for block in footer.structs(field, "qi4xq")):
            room -= max(heading, 8)
            if room < 0:
                raise struct.error("its messages lie over each other")
            total += _message_size(file, at, heading)[0]
        return total
    if size < 8 or _read(file, 0, 4) != struct.pack("<I", _CONTINUES):
        return 0
    total, at = 0, 0
    while at + 8 <= size:
        unpacked, length = _message_size(file, at)
        if length == 0:
            break
        total, at = total + unpacked, at + length
    return total


def _message_size(file: Any, at: int, most: int | None = None) -> tuple[int, int]:
    """What the message at a place unpacks to, and how many bytes it takes; 0 and 0 at the end. Its head has at most ``most``."""
    first, second = struct.unpack("<Ii", _read(file, at, 8))
    head, size = (8, second) if first == _CONTINUES else (4, first)
    if size == 0:
        return 0, 0
    message = _root(_read(file, at + head, size if most is None else min(size, most)))
    body, length = at + head + size, head + size + message.number(3, "q")
    if length < head + size:
        raise struct.error("a message ends before it begins")
    batch = message.table(2)
    if message.number(1, "B") == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    elif message.number(1, "B") != _BATCH:
        batch = None
    return (0 if batch is None else _batch_size(file, batch, body)), length


def _batch_size(file: Any, batch: _Table, body: int) -> int:
    packed = batch.table(3) is not None
    total = 0
    for at, size in batch.structs(2, "qq"):
        said = struct.unpack("<q", _read(file, body + at, 8))[0] if packed and size >= 8 else _PLAIN
        total += max(0, size if said == _PLAIN else said)
    cells = batch.number(0, "q") * sum(1 for _ in batch.structs(1, "qq"))
    return max(total, cells)
