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
