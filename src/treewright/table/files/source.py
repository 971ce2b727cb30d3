"""Where the bytes of a data file come from: a path, standard input, a pipe; plain or gzip; UTF-8, or what a byte-order mark says.

A source can be opened again and again, so that a reader that fails can look for the place.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import select
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from treewright.errors import DataFormatError
from treewright.table.files.unpacking import Limit, counted_bytes

HEAD = 1 << 18  # bytes looked at to learn what a file is
CHUNK = 1 << 20
LONGEST_LINE = 1 << 23  # bytes
WAIT = 30  # seconds that a pipe may stay empty
_GZIP = b"\x1f\x8b"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class _Unbroken:
    """Bytes in pieces that never end in CR: after one Arrow drops the LF that begins the next piece, also between quotes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.close = file, file.close

    @property
    def closed(self) -> bool:
        return self._file.closed

    def read(self, size: int) -> bytes:
        piece = bytearray(self._file.read(size))
        while piece.endswith(b"\r") and (more := self._file.read(64)):
            piece += more
        return bytes(piece)


@dataclass(slots=True)
class Source:
    """A data file.

    Attributes
    ----------
    name : str
        What to call it in messages.
    path : str or None
        Where it is; None if its contents are in memory.
    contents : bytes or None
        Its bytes, where it cannot be opened again or was written in another encoding.
    compressed : bool
        Whether it is a gzip file.
    max_unpacked : int or None
        How many bytes it may unpack to, where an option says so.
    encoding, mark : str, bytes
        The encoding it was written in, and its byte-order mark.
    """

    name: str
    path: str | None
    contents: bytes | None
    compressed: bool
    max_unpacked: int | None = None
    encoding: str = "utf-8"
    mark: bytes = b""

    def as_written(self, contents: bytes) -> bytes:
        """Return text in UTF-8 as this file is written: in its encoding, behind its byte-order mark."""
        return self.mark + (
            contents if self.encoding == "utf-8" else contents.decode().encode(self.encoding, "xmlcharrefreplace")
        )

    @property
    def limit(self) -> Limit:
        """What the file may unpack to."""
        size = len(self.contents) if self.contents is not None else os.path.getsize(cast(str, self.path))
        return Limit(self.name, size, self.max_unpacked)

    def open(self) -> BinaryIO:
        """Open the plain bytes, a UTF-8 byte-order mark left out."""
        plain = self._raw()
        mark = plain.read(len(codecs.BOM_UTF8))
        if mark != codecs.BOM_UTF8:
            plain.close()
            plain = self._raw()
        return plain

    def _raw(self) -> BinaryIO:
        memory = None if self.contents is None else io.BytesIO(self.contents)
        if self.compressed:
            return counted_bytes(cast(BinaryIO, gzip.GzipFile(self.path, "rb", fileobj=memory)), self.limit)
        return io.FileIO(cast(str, self.path)) if memory is None else memory

    def arrow(self, unbroken: bool = False) -> Any:
        """Open the plain bytes for Arrow; ``unbroken``, where a CR LF may stand between quotes, costs a little more."""
        import pyarrow as pa

        if unbroken:
            return pa.PythonFile(_Unbroken(self.open()), mode="r")
        if self.contents is not None:
            stream = pa.BufferReader(self.contents)
        else:
            stream = pa.OSFile(self.path)
        return pa.CompressedInputStream(stream, "gzip") if self.compressed else stream

    def head(self, size: int = HEAD) -> bytes:
        """Return the first bytes."""
        with self.open() as file:
            return file.read(size)

    def chunks(self) -> Iterator[bytes | bytearray]:
        """Return the plain bytes piece by piece, in memory that is reused: a piece is overwritten by the next."""
        buffer = bytearray(CHUNK)
        with self.open() as file:
            while n := file.readinto(buffer):  # type: ignore[attr-defined]
                yield buffer if n == CHUNK else bytes(memoryview(buffer)[:n])

    def lines(self) -> Iterator[bytes]:
        """Return the lines with their ends, which may be LF, CR LF or CR."""
        with self.open() as file:
            rest, number = b"", 0
            while chunk := file.read(CHUNK):
                pieces = (rest + chunk).splitlines(keepends=True)
                rest = pieces.pop() if not pieces[-1].endswith(b"\n") else b""
                number += len(pieces)
                if len(rest) > LONGEST_LINE:
                    raise self.too_long(number + 1)
                yield from pieces
            yield from rest.splitlines(keepends=True)

    def rows(self, offset: int = 0) -> bytes:
        """Return what follows the first ``offset`` bytes; refuse a line without an end before it fills the memory."""
        pieces: list[bytes] = []
        since, skip = 0, offset
        for chunk in self.chunks():
            piece, skip = bytes(chunk[skip:]), max(0, skip - len(chunk))
            end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
            since = since + len(piece) if end < 0 else len(piece) - end - 1
            if since > LONGEST_LINE:
                raise self.too_long(sum(each.count(b"\n") for each in (*pieces, piece)) + 1)
            pieces.append(piece)
        return b"".join(pieces)

    def too_long(self, line: int) -> DataFormatError:
        """Build the error for a line without an end."""
        limit = f"the line is longer than {LONGEST_LINE >> 20} MiB"
        return DataFormatError(limit, self.name, line, remedy="is this a table with one row a line?")


def find_source(path: str | os.PathLike[str], encoding: str | None = None, max_unpacked: int | None = None) -> Source:
    """Find the bytes of a path ("-" for standard input); refuse what is no data file."""
    name = os.fspath(path)
    source = _in_memory(sys.stdin.buffer.read(), "<stdin>") if name == "-" else _on_disk(name)
    source.max_unpacked = max_unpacked
    with decompressing(source.name):
        return _transcoded(source, encoding)


@contextmanager
def decompressing(name: str) -> Iterator[None]:
    """Turn the errors of a damaged gzip file into one that says so."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (EOFError, OSError, zlib.error) as error:
        what = str(error).partition("\n")[0][:120]
        raise DataFormatError(
            f"the file cannot be read ({what})", name, remedy="is it damaged? fetch or pack it again"
        ) from error


def _in_memory(contents: bytes, name: str) -> Source:
    return Source(name, None, contents, contents[:2] == _GZIP)


def _on_disk(name: str) -> Source:
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise FileNotFoundError(error.errno, "there is no such file", name) from error
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(2, "there is no such file", name) from error
    if stat.S_ISDIR(mode):
        raise DataFormatError("this is a directory", name, remedy="name one of the files in it")
    if stat.S_ISFIFO(mode):
        return _in_memory(_piped(name), name)
    if not stat.S_ISREG(mode):
        raise DataFormatError("this is a device, not a file", name, remedy="use - for standard input")
    with open(name, "rb") as file:
        return Source(name, name, None, file.read(2) == _GZIP)


def _piped(name: str) -> bytes:
    """Read a named pipe, once somebody has begun to write to it."""
    with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:  # opened to wait, it would wait for ever
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        if not waiting.poll(1000 * WAIT):
            what = f"nobody has written to this pipe for {WAIT} seconds"
            raise DataFormatError(what, name, remedy="start the program that writes to it, then read")
        os.set_blocking(pipe.fileno(), True)
        return pipe.read()


def _transcoded(source: Source, encoding: str | None) -> Source:
    """Read a file of another encoding into memory as UTF-8."""
    with source._raw() as file:
        start = file.read(4)
    for mark, marked in _MARKS:
        if start.startswith(mark):
            source.mark = mark
            encoding = marked if marked != "utf-8" or encoding is None else encoding
            break
    if encoding is None or codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig"):
        return source
    with source._raw() as file:
        contents = file.read()
    try:
        text = contents.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = contents[: error.start].count("\n".encode(encoding)) + 1
        raise DataFormatError(f"not {encoding} text ({error.reason})", source.name, line, remedy="name its encoding") from error
    return Source(source.name, None, text.encode(), False, encoding=encoding, mark=source.mark)


def decoded(contents: bytes, source: Source, line: int = 1) -> str:
    """Return bytes as text; refuse what is not UTF-8, with its line."""
    try:
        return contents.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line + contents[: error.start].count(b"\n")
        raise DataFormatError(
            f"byte {contents[error.start]:#04x} is not UTF-8 text",
            source.name,
            at,
            remedy="give its encoding, such as encoding='latin-1' (--encoding latin-1)",
        ) from error
