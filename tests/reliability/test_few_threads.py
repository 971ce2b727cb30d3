"""Where the system has no more threads, work goes on with those there are."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os
import resource
import threading
import numpy as np
import treewright as tw
X = np.random.default_rng(0).normal(size=(4000, 8))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
expected = tw.CARTClassifier().fit(X, y).tree_
tuned = tw.tune(tw.CARTClassifier(), X, y, folds=4, max_depth=[1, 2])
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
if os.getuid() == 0:
    os.setuid(65534)  # the limit is not for root
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
else:
    print("threads are not limited here")
    raise SystemExit(0)
assert tw.CARTClassifier(n_jobs=4).fit(X, y).tree_ == expected
assert expected.predict(X, threads=4).tolist() == expected.predict(X).tolist()
again = tw.tune(tw.CARTClassifier(n_jobs=4), X, y, folds=4, max_depth=[1, 2])
assert again.cv.error.tolist() == tuned.cv.error.tolist()
print("same")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are Linux's")
def test_trees_without_threads() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    if "not limited" in run.stdout:
        pytest.skip("threads are not limited here")
    assert run.stdout.strip().endswith("same")
