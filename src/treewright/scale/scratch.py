"""Files that hold what memory should not: mapped, and without a name wherever the system lets a file lose it."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 64  # bytes, at whose multiples arrays begin


@dataclass(frozen=True)
class File:
    """An open file, and its name, if it still has one."""

    stream: Any
    name: str | None


class Scratch:
    """Files in a folder that nobody else reads, and that are gone with the process, however it ends."""

    def __init__(self, folder: Any = None) -> None:
        self.folder = tempfile.gettempdir() if folder is None else os.fspath(folder)
        self._files: list[File] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file in self._files:
            file.stream.close()
            if file.name is not None:
                with suppress(OSError):
                    os.unlink(file.name)

    def file(self) -> File:
        """A file to write and map. It has no name any more where open files may be unlinked."""
        descriptor, name = tempfile.mkstemp(prefix="treewright-", dir=self.folder)
        left: str | None = name
        with suppress(OSError):
            os.unlink(name)
            left = None
        self._files.append(File(open(descriptor, "w+b", buffering=0), left))  # noqa: SIM115 - closed with the others
        return self._files[-1]

    def array(self, dtype: Any, shape: Sequence[int]) -> NDArray[Any]:
        """Zeros in a file, whose room is taken at once: later it might be gone while they are written."""
        if 0 in shape:
            return np.zeros(shape, dtype)
        file = self.file()
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        with explained(self.folder, size):
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.stream.fileno(), 0, size)
            else:
                os.truncate(file.stream.fileno(), size)
        return np.memmap(file.stream, dtype, "r+", 0, tuple(shape))


class Appended:
    """Arrays written one after the other to a file, and mapped once all of them are there."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch, self._file, self._end = scratch, scratch.file(), 0
        self._places: list[tuple[int, np.dtype[Any], int]] = []
        self._bytes: NDArray[np.uint8] | None = None

    def add(self, array: NDArray[Any]) -> int:
        """Write an array; its number."""
        view = memoryview(np.ascontiguousarray(array).view(np.uint8).data)
        self._places.append((self._end, array.dtype, len(array)))
        with explained(self._scratch.folder, len(view)):
            for piece in (view, memoryview(bytes(-len(view) % _ALIGNED))):
                while len(piece):
                    piece = piece[self._file.stream.write(piece) :]
        self._end = self._file.stream.tell()
        return len(self._places) - 1

    def drop(self) -> None:
        """Give the room back; nothing that was written may be looked at any more."""
        self._bytes = None
        self._file.stream.truncate(0)

    def __getitem__(self, number: int) -> NDArray[Any]:
        """An array that was written, mapped."""
        begin, dtype, count = self._places[number]
        if count == 0:
            return np.zeros(0, dtype)
        if self._bytes is None or len(self._bytes) < self._end:
            self._bytes = np.memmap(self._file.stream, np.uint8, "r", 0, (self._end,))
        return self._bytes[begin : begin + count * dtype.itemsize].view(dtype)


class explained:  # noqa: N801 - reads as a word
    """Says which folder is full, and how much was wanted."""

    def __init__(self, folder: str, size: int) -> None:
        self.folder, self.size = folder, size

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OSError(
                error.errno,
                f"the scratch folder {self.folder!r} has no room for {self.size:,} more bytes: "
                "set scratch= to a folder that has, or the variable TMPDIR",
            ) from error
