"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from typing import Any


def write_whole(path: Any, contents: bytes) -> None:
    """Write a file whole or not at all: the old one stays until the new one is safe on the disk.

    A link leads to the file that is written, and a file keeps its permissions. What is no file (a pipe, a device) is written to.
    """
    target = os.path.realpath(path)
    mode = _mode(target)
    try:
        if mode is None or stat.S_ISREG(mode):
            _replace(target, mode, contents)
        else:
            with open(target, "wb") as stream:  # of a folder the system says so
                stream.write(contents)
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None  # what was asked for, not the file beside it
        raise


def _replace(path: str, mode: int | None, contents: bytes) -> None:
    handle, unfinished = tempfile.mkstemp(prefix=".treewright-", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, _usual() if mode is None else stat.S_IMODE(mode))
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _usual() -> int:
    """The permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
