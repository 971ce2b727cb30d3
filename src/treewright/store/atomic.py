"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any


def write_whole(path: Any, contents: bytes) -> None:
    """Write a file whole or not at all: the old one stays until the new one is safe on the disk."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, unfinished = tempfile.mkstemp(prefix=".treewright-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(unfinished, 0o666 & ~mask)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise
