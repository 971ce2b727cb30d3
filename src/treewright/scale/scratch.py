"""Files that hold what memory should not: mapped, and without a name wherever the system lets a file lose it."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Scratch:
    """A folder of files that nobody else reads, and that are gone with the process, however it ends."""

    def __init__(self, folder: Any = None) -> None:
        self.folder = tempfile.mkdtemp(prefix="treewright-", dir=folder)
        self._files: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file in self._files:
            file.close()
            with suppress(OSError):
                os.unlink(file.name)
        with suppress(OSError):
            os.rmdir(self.folder)

    def file(self) -> Any:
        """A file to write and map. It has no name any more where open files may be unlinked."""
        descriptor, name = tempfile.mkstemp(dir=self.folder)
        file = open(descriptor, "w+b", buffering=0)  # noqa: SIM115 - closed with the folder
        with suppress(OSError):
            os.unlink(name)
        file_of = _Named(file, name)
        self._files.append(file_of)
        return file_of

    def array(self, dtype: Any, shape: Sequence[int]) -> NDArray[Any]:
        """Zeros in a file, whose room is taken at once: later it might be gone while they are written."""
        if 0 in shape:
            return np.zeros(shape, dtype)
        file = self.file()
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        with explained(self.folder, size):
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                os.truncate(file.fileno(), size)
        return np.memmap(file.stream, dtype, "r+", 0, tuple(shape))


class _Named:
    """An open file that knows the name it had."""

    def __init__(self, stream: Any, name: str) -> None:
        self.stream, self.name = stream, name

    def fileno(self) -> int:
        return int(self.stream.fileno())

    def close(self) -> None:
        self.stream.close()


class Appended:
    """Arrays written one after the other to a file, and mapped once all of them are there."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch, self._file, self._end = scratch, scratch.file(), 0
        self._places: list[tuple[int, np.dtype[Any], int]] = []
        self._bytes: NDArray[np.uint8] | None = None

    def add(self, array: NDArray[Any]) -> int:
        """Write an array; its number."""
        view = memoryview(np.ascontiguousarray(array)).cast("B")
        self._places.append((self._end, array.dtype, len(array)))
        with explained(self._scratch.folder, len(view)):
            while len(view):
                view = view[self._file.stream.write(view) :]
        self._end = self._file.stream.tell()
        return len(self._places) - 1

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
