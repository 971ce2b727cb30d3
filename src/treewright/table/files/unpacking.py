"""How much a packed data file may unpack to: a small file must not fill the memory."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from treewright.errors import DataFormatError, out_of_range

RATIO = 200  # times its size, as for model files
GRACE = 1 << 26  # bytes that any file may unpack to


@dataclass(frozen=True, slots=True)
class Limit:
    """What a file of a size may unpack to, in bytes; ``given`` by an option, or by its size."""

    name: str
    size: int
    given: int | None = None

    @property
    def most(self) -> int:
        """The limit."""
        return GRACE + RATIO * self.size if self.given is None else self.given

    def check(self, unpacked: float) -> None:
        """Refuse more than the limit."""
        if unpacked > self.most:
            why = "" if self.given is not None else f", {RATIO} times its size and {GRACE >> 20} MiB"
            raise DataFormatError(
                f"it unpacks to more than {self.most} bytes{why}",
                self.name,
                remedy=f"if you trust it, allow more, such as --max-unpacked {10 * self.most} (in Python max_unpacked=)",
            )


def check_option(value: int | None) -> int | None:
    """Return the option if it is a number of bytes."""
    if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__") or value < 1):
        raise out_of_range("max_unpacked", value, "a number of bytes from 1 up, or None")
    return value


class _Counted(io.RawIOBase):
    def __init__(self, file: BinaryIO, limit: Limit) -> None:
        self._file, self._limit, self._size = file, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self._size += n
        self._limit.check(self._size)
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def counted_bytes(file: BinaryIO, limit: Limit) -> BinaryIO:
    """Return the bytes of a file that is being unpacked, up to the limit; more of them are an error."""
    return cast(BinaryIO, io.BufferedReader(_Counted(file, limit), 1 << 20))
