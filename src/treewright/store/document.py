"""The text of a model file: canonical, one entry per line, with a checksum of everything below it; and how it is read.

Reading goes through four gates: the kind and size of the file, the shape of the text (nesting and keys, counted as the bytes come
in), the checksum, and the parser. Whatever passes is only a tree of plain values; what it says is checked by the kinds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown
from treewright.store.damage import Damage, need

FORMAT, VERSION = "treewright-model", 1
LARGEST = 1 << 31  # bytes of a document
_RATIO_MOST = 200  # times larger than its gzip file, beyond a first megabyte of grace
_DEEP, _KEYS = 24, 100_000
_BLOCK = 1 << 20
_ENTRIES, _LINE = 20, 100  # of a long list on one line; signs of a short thing
_MAGIC = b"\x1f\x8b"
_HEAD = re.compile(rb'\{\n"format": "treewright-model",\n"version": ([0-9]{1,9}),\n"checksum": "sha256:([0-9a-f]{64})",\n')
_FOREIGN = {b"\x80": "a pickle", b"PK": "a ZIP archive", b"<": "HTML or XML", b"\x1f\x9d": "a compress file", b"BZh": "bzip2"}


def document_bytes(section: dict[str, Any]) -> bytes:
    """Return the whole file, unpacked, for a model."""
    body = b'"model": %s\n}\n' % _text(section, "").encode("ascii")
    digest = hashlib.sha256(body).hexdigest()
    return b'{\n"format": "%s",\n"version": %d,\n"checksum": "sha256:%s",\n%s' % (FORMAT.encode(), VERSION, digest.encode(), body)


def gzip_bytes(document: bytes) -> bytes:
    """Return a document as a gzip file without name and time."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    return compressor.compress(document) + compressor.flush()


def _text(value: Any, indent: str) -> str:
    """Return the text of a value: short ones on one line, long lists of numbers or words in lines of equal count."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" or (value.dtype.kind in "iu" and value.dtype != np.uint64):
            return f"[{_core.number_lines(value.astype(np.float64 if value.dtype.kind == 'f' else np.int64), _ENTRIES)}]"
        value = value.tolist()
    if isinstance(value, dict) and value:
        deeper = indent + " "
        rows = [f"{json.dumps(name)}: {_text(entry, deeper)}" for name, entry in value.items()]
        if len(rows) <= 2 and sum(map(len, rows)) < _LINE and not any("\n" in row for row in rows):
            return "{" + ", ".join(rows) + "}"
        return "{\n" + ",\n".join(deeper + row for row in rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, (list, dict)) for entry in value):
        rows = [_text(entry, indent) for entry in value]
        return "[" + ("," if sum(map(len, rows)) < _LINE else ",\n").join(rows) + "]"
    if isinstance(value, list):
        lines = (_dumps(value[at : at + _ENTRIES])[1:-1] for at in range(0, len(value), _ENTRIES))
        return "[" + ",\n".join(lines) + "]"
    return _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def open_regular(path: str) -> BinaryIO:
    """Open a regular file; refuse pipes, devices and folders, which have no size that could be checked."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Damage("it is not a regular file")
    return os.fdopen(handle, "rb")


def read_document(file: BinaryIO, edited: bool = False) -> dict[str, Any]:
    """Return the section of the model in a document, the text of which has been checked."""
    text = _whole_text(file)
    head = _HEAD.match(text)
    if head is not None and int(head[1]) == VERSION and not edited:
        found = hashlib.sha256(memoryview(text)[head.end() :]).hexdigest().encode()
        need(head, found == head[2], "its checksum is wrong: it is damaged or was edited")
    whole = _parsed(text)
    need(whole, isinstance(whole, dict) and whole.get("format") == FORMAT, f"it is JSON, but its format is not {FORMAT!r}")
    version = whole.get("version")
    need(version, type(version) is int and version > 0, f"version {shown(version)} is no version")
    need(
        version, version <= VERSION, f"it is of version {version}, and this treewright reads up to {VERSION}: install a newer one"
    )
    need(text, text.endswith(b"\n}\n") or edited, "it does not end as treewright ends it: it was edited")
    need(head, head is not None or edited, "its head is not as treewright writes it: it was edited")
    need(
        whole, whole.keys() == {"format", "version", "checksum", "model"}, "its entries are not format, version, checksum, model"
    )
    model = whole["model"]
    return dict(need(model, isinstance(model, dict), "its model is no object"))


def _whole_text(file: BinaryIO) -> bytes:
    shape = _core.JsonShape(_DEEP, _KEYS)
    out: list[bytes] = []
    size = 0
    for block in _blocks(file):
        if not out:
            need(block, block[:1] == b"{", f"it is {_foreign(block)}, not a model file of treewright")
        size += len(block)
        need(size, size <= LARGEST, f"it is larger than {LARGEST} bytes")
        try:
            shape.feed(block)
        except ValueError as error:
            raise Damage(str(error)) from error
        out.append(block)
    need(out, bool(out), "it is empty")
    return b"".join(out)


def _foreign(block: bytes) -> str:
    return next((what for sign, what in _FOREIGN.items() if block.startswith(sign)), "something else")


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    first = file.read(_BLOCK)
    if not first.startswith(_MAGIC):
        while first:
            yield first
            first = file.read(_BLOCK)
        return
    inflate = zlib.decompressobj(31)
    packed_size, size = len(first), 0
    block = first
    while block:
        try:
            plain = inflate.decompress(block, _BLOCK)
        except zlib.error as error:
            raise Damage(f"its gzip packing is damaged ({error})") from error
        size += len(plain)
        need(plain, size <= (1 << 20) + _RATIO_MOST * packed_size, f"it unpacks to more than {_RATIO_MOST} times its size")
        if plain:
            yield plain
        block = inflate.unconsumed_tail
        if not block and not inflate.eof:
            block = file.read(_BLOCK)
            packed_size += len(block)
    need(inflate, inflate.eof, "it is cut short")
    need(inflate, not inflate.unused_data and not file.read(1), "something follows the end of the model")


def _parsed(text: bytes) -> Any:
    """The values of a text; long lists of numbers are arrays where columns stand, and were read without an object per number."""
    mark = "numbers"
    while mark.encode() in text:
        mark += "'"
    short, lists = _core.lift_numbers(text, mark)
    try:
        return _put_back(_plain(short), mark, dict(enumerate(lists)), False)
    except Damage:
        return _plain(text)  # whose lines are those of the file


def _put_back(value: Any, mark: str, lists: dict[int, NDArray[Any]], arrays: bool) -> Any:
    """The value with the lists that were taken out of its text: as arrays within columns, as lists elsewhere.

    A key may be the mark in other signs of JSON, as escapes: every list is put back once, and what is no place of one is refused.
    """
    if isinstance(value, dict):
        if mark in value:
            at = value[mark]
            need(value, len(value) == 1 and type(at) is int and at in lists, "it holds a mark that was not set")
            found = lists.pop(at)
            return found if arrays else found.tolist()
        return {
            name: _put_back(one, mark, lists, arrays or (name == "columns" and type(one) is dict)) for name, one in value.items()
        }
    return [_put_back(one, mark, lists, False) for one in value] if isinstance(value, list) else value


def _plain(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_doubles)
    except UnicodeDecodeError as error:
        raise Damage(f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise Damage(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Damage(str(error)) from error


def _no_constant(name: str) -> Any:
    raise Damage(f"{name} is not JSON")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    need(out, len(out) == len(pairs), f"a key stands twice among {shown([name for name, _ in pairs])}")
    return out
