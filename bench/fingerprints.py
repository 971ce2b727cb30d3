"""Fingerprints of the workloads: `python -m bench.fingerprints` makes every one and writes `hashes.json`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from bench import workloads
from bench.workloads import Array, Workload

HASHES = Path(__file__).with_name("hashes.json")

# Smaller calls of the large generators, cheap enough for the test suite.
SMALL = ("w1(10_000)", "w2(10_000)", "w5(1_000)", "w7(5_000)")


def of_array(values: Array) -> dict[str, Any]:
    """The hash of an array's shape, type and bytes, and the sum of its known cells, to tell rounding from error."""
    digest = hashlib.sha256(f"{values.shape} {values.dtype.str}".encode())
    digest.update(np.ascontiguousarray(values).data)
    return {"sha256": digest.hexdigest(), "sum": float(np.nansum(values, dtype=np.float64))}


def of(workload: Workload) -> dict[str, dict[str, Any]]:
    """The fingerprints of the three arrays of a workload."""
    return {part: of_array(getattr(workload, part)) for part in ("num", "nom", "y")}


def write() -> None:
    """Make all workloads and write their fingerprints."""
    found = {name: of(workloads.load(name)) for name in workloads.GENERATORS}
    found |= {name: of(workloads.make(name)) for name in SMALL}
    HASHES.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    write()
