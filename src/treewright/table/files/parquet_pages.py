"""What the pages of a Parquet column unpack to, by their own headers: Arrow makes room for what those say, not the footer.

A header is a struct of Thrift's compact protocol; of its fields two numbers are read, the others are passed over.
"""

from __future__ import annotations

import struct
from typing import Any

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS = (4, 5, 6)
_UNPACKED, _PACKED = 2, 3  # fields of a header
_FIRST, _MOST = 1 << 9, 1 << 24  # bytes that are read for a header: at first, and at most


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def byte(self) -> int:
        if self.at >= len(self._data):
            raise EOFError
        self.at += 1
        return self._data[self.at - 1]

    def skip(self, n: int) -> None:
        self.at += n
        if self.at > len(self._data):
            raise EOFError

    def varint(self) -> int:
        out, shift = 0, 0
        while (byte := self.byte()) & 0x80:
            out, shift = out | (byte & 0x7F) << shift, shift + 7
            if shift > 63:
                raise struct.error("a number of a page header does not end")
        return out | byte << shift

    def integer(self) -> int:
        number = self.varint()
        return number >> 1 ^ -(number & 1)


def _header(data: bytes) -> tuple[int, int, int]:
    """Unpacked and packed size of the page, and the bytes of its header; EOFError where the data end before it does."""
    read, sizes = _Bytes(data), {_UNPACKED: 0, _PACKED: 0}
    fields = [0]  # the last one of every open struct
    while fields:
        head = read.byte()
        if head == 0:
            fields.pop()
            continue
        fields[-1] = fields[-1] + (head >> 4) if head >> 4 else read.integer()
        kind = head & 15
        if kind in _INTEGERS:
            number = read.integer()
            if len(fields) == 1 and fields[0] in sizes:
                sizes[fields[0]] = number
        elif kind == _STRUCT:
            fields.append(0)
        elif kind == _BINARY:
            read.skip(read.varint())
        elif kind in (_BYTE, _DOUBLE):
            read.skip(1 if kind == _BYTE else 8)
        elif kind not in (_TRUE, _FALSE):
            raise struct.error("a page header holds what none has")
    if sizes[_PACKED] < 0:
        raise struct.error("a page ends before it begins")
    return max(0, sizes[_UNPACKED]), sizes[_PACKED], read.at


def pages_size(file: Any, chunk: Any) -> int:
    """Bytes that the pages of a column chunk unpack to."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    end = min(at + chunk.total_compressed_size, file.size())
    total = 0
    while 0 <= at < end:
        room = _FIRST
        while True:
            file.seek(at)
            data = file.read(min(room, end - at))
            try:
                unpacked, packed, length = _header(data)
                break
            except EOFError:
                if len(data) < room or room >= _MOST:
                    raise struct.error("a page header does not end") from None
                room *= 8
        total, at = total + unpacked, at + length + packed
    return total
