"""Group S: index arithmetic, memory that runs out, and memory that is given back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import treewright as tw

SOURCE = str(Path(tw.__file__).resolve().parents[1])
HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def test_S2_narrowing_conversions_do_not_compile() -> None:
    """The core is compiled with warnings about conversions, as errors in this repository's own builds; rows are never ``int``."""
    recipe = (ROOT / "CMakeLists.txt").read_text()
    assert "-Wconversion -Wsign-conversion" in recipe
    assert "-Werror" in recipe
    assert "-DTREEWRIGHT_STRICT=$(STRICT)" in (ROOT / "Makefile").read_text()
    loops = re.compile(r"for \(int \w+ = [^;]*; [^;]*(size\(\)|rows|nodes)")
    found = [path.name for path in (ROOT / "src" / "core").rglob("*.?pp") if loops.search(path.read_text())]
    assert found == []


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("g++") is None, reason="needs g++ and a preloaded library"
)
def test_S5_every_allocation_may_fail(tmp_path: Path) -> None:
    """MemoryError each time, nothing leaked, nothing half done, and the next call works."""
    library = tmp_path / "failing_new.so"
    source = HERE / "failing_new.cpp"
    subprocess.run(["g++", "-O1", "-std=c++20", "-shared", "-fPIC", "-o", str(library), str(source)], check=True, timeout=120)
    environment = {**os.environ, "PYTHONPATH": SOURCE, "LD_PRELOAD": str(library)}
    argv = [sys.executable, str(HERE / "allocations.py")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"
    assert int(done.stdout.split()[-1]) > 500


MANY_SHARES = """
import resource, sys
import numpy as np
import treewright as tw
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
classes = 4096
rows = 2**32 // classes + 3
def cells(numbers):
    return ((np.asarray(numbers)[:, None] >> np.arange(12)) & 1).astype(np.float32)
X = np.memmap(sys.argv[1], np.float32, "w+", shape=(rows, 12))
X[:] = cells(np.arange(rows) % classes)
for missing in ("learned", "fraction"):
    est = tw.TreeClassifier(missing=missing).fit(cells(np.arange(classes)), np.arange(classes))
    assert est.tree_.n_leaves == classes
    said = est.predict(X)
    assert np.array_equal(said, np.arange(rows) % classes)
    assert np.array_equal(est.apply(X[-5:]), est.apply(X)[-5:])
    shares = est.predict_proba(X[-100:])
    assert np.array_equal(shares.argmax(axis=1), said[-100:]) and (shares.sum(axis=1) == 1).all()
    X[::1000, 0] = np.nan
    assert np.array_equal(est.predict(X)[1:999], said[1:999])
    X[::1000] = cells(np.arange(rows)[::1000] % classes)
print("bounded", rows)
"""


def test_S4_more_shares_than_two_to_the_32_are_never_held_at_once(tmp_path: Path) -> None:
    """Rows times classes: 2^32 and some; rows in a file, rows that go several ways among them, memory for a sixteenth."""
    done = subprocess.run(
        [sys.executable, "-c", MANY_SHARES, str(tmp_path / "cells")],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": SOURCE},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[0] == "bounded"


REFIT = """
import resource, numpy as np, treewright as tw
rng = np.random.default_rng(0)
X = rng.normal(size=(150_000, 40)).astype(np.float32)
y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
tw.CARTClassifier(max_depth=2).fit(X[:100], y[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tw.CARTClassifier(max_depth=8).fit(X, y)
once = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(4):
    tw.CARTClassifier(max_depth=8).fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((once - before) * 1024 / X.nbytes, (after - once) * 1024 / X.nbytes)
"""


def test_S6_memory_of_a_fit_is_bounded_and_given_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFIT],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": SOURCE},
        check=True,
    )
    grown, more = map(float, done.stdout.split())
    assert grown <= 2.5
    assert more <= 0.3
