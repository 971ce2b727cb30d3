"""A section as bytes, for pickle, joblib and copies: its plain values as JSON, its arrays as they lie in memory, and a checksum.

The bytes are checked like a file. Nothing in them names code; the pickle around them may, as any pickle.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from treewright.errors import ModelFormatError
from treewright.store.damage import Damage, need, take
from treewright.store.kinds import from_section, to_section
from treewright.store.values import beside

_MAGIC = b"treewright 1\n\0\0\0"
_HEAD = struct.Struct("<QQ")  # checksum of the rest, length of the JSON
_MARK = "\0"  # stands for an array in the JSON
_TYPES = frozenset(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)) | {"f4", "f8"}


def to_bytes(section: dict[str, Any]) -> bytes:
    """Return a section as bytes."""
    arrays: list[bytes] = []
    plain = json.dumps(_without_arrays(section, arrays), separators=(",", ":")).encode("ascii")
    plain += b" " * (-len(plain) % 8)
    check = zlib.crc32(plain)
    for content in arrays:
        check = zlib.crc32(content, check)
    return b"".join([_MAGIC, _HEAD.pack(check, len(plain)), plain, *arrays])


@contextmanager
def trusting_nothing() -> Iterator[None]:
    """Say of damage found inside that a pickled model was meant."""
    try:
        yield
    except Damage as error:
        raise ModelFormatError(
            str(error), "the pickled model", "it is damaged: pickle it again, or fit the model again"
        ) from error


def reduced(kind: str, value: Any) -> tuple[Any, ...]:
    """Return what pickle needs to write a value of that kind."""
    with beside([]) as more:
        return restored, (kind, to_bytes(to_section(kind, value)), more)


def restored(kind: Any, content: Any, more: Any) -> Any:
    """Return the value that was pickled, after checking all of it."""
    with trusting_nothing(), beside(take(more, list)):
        return from_section(section_of(content), need(kind, isinstance(kind, str), "its kind is no name"))


def _without_arrays(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, np.ndarray):
        little = value.dtype.newbyteorder("<")
        content = np.ascontiguousarray(value, little).tobytes()
        arrays.append(content + b"\0" * (-len(content) % 8))
        return {_MARK: [value.dtype.str[1:], len(value)]}
    if isinstance(value, dict):
        return {name: _without_arrays(entry, arrays) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without_arrays(entry, arrays) for entry in value] if any(map(_holds, value)) else value
    return value


def _holds(value: Any) -> bool:
    return isinstance(value, (np.ndarray, dict, list))


def section_of(content: Any) -> Any:
    """Return the section of bytes that were made by ``to_bytes``."""
    start = len(_MAGIC) + _HEAD.size
    need(
        content, type(content) is bytes and content[: len(_MAGIC)] == _MAGIC and len(content) >= start, "it does not begin as one"
    )
    check, length = _HEAD.unpack_from(content, len(_MAGIC))
    rest = memoryview(content)[start:]
    need(check, zlib.crc32(rest) == check, "its checksum is wrong")
    need(length, length <= len(rest) and length % 8 == 0, "it is cut short")
    arrays = _Arrays(rest[length:])
    try:
        plain = json.loads(bytes(rest[:length]), object_hook=arrays.take)
    except (ValueError, RecursionError) as error:
        raise Damage(str(error)) from error
    need(arrays, arrays.at == len(arrays.content), "something follows its end")
    return plain


class _Arrays:
    """The arrays of a section, one after the other."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.at = content, 0

    def take(self, form: dict[str, Any]) -> Any:
        """Return the next array for a mark, anything else as it is."""
        if _MARK not in form:
            return form
        mark = form[_MARK]
        fits = (
            isinstance(mark, list)
            and len(mark) == 2
            and isinstance(mark[0], str)
            and mark[0] in _TYPES
            and type(mark[1]) is int
            and mark[1] >= 0
        )
        need(form, fits and len(form) == 1, "an array is described wrongly")
        dtype = np.dtype(mark[0]).newbyteorder("<")
        size = dtype.itemsize * mark[1]
        need(size, self.at + size <= len(self.content), "an array is cut short")
        array = np.frombuffer(self.content, dtype, mark[1], self.at)
        self.at += size + -size % 8
        return array if sys.byteorder == "little" else array.astype(dtype.newbyteorder("="))
