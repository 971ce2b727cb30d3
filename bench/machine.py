"""The machine that figures belong to: its processor, what is installed, and what else it is doing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("numpy", "pandas", "scikit-learn", "ydf", "lightgbm")


def environment() -> dict[str, str]:
    """The versions and the processor the figures belong to."""
    from treewright import __version__

    found = {
        "treewright": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": str(os.cpu_count()),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def load() -> float | None:
    """The load average of the last minute, our own measurements included."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def busy() -> float | None:
    """The CPU seconds that all processes have used since the machine started (Linux; elsewhere unknown)."""
    try:
        # user, nice, system, idle, iowait, irq, softirq, steal; what guests use is counted in user and nice already.
        ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except (OSError, ValueError, IndexError):
        return None
    return float(sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
