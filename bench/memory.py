"""The peak memory of this process, and setting it back to what is in use now (Linux; elsewhere it only rises)."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak() -> int:
    """The highest resident memory so far, in bytes."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return highest if sys.platform == "darwin" else highest * 1024


def forget_peak() -> bool:
    """Set the peak back to the present use; False where the system does not let us."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
