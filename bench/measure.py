"""One measurement in a process of its own: `python -m bench.measure CONTENDER WORKLOAD FITS RESULT.json`.

Imports, the reading of the workload and a fit of its first rows (which loads whatever is loaded late) come before the
clock; the building of the learner's own table is inside it.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench import memory, workloads
from bench.ours import OURS
from bench.peers import PEERS
from bench.workloads import Array

# Enough rows to have every class, few enough to cost nothing.
_FIRST_ROWS = 100


@dataclass(frozen=True)
class Measurement:
    """Seconds are per fit; `memory` is the growth of the peak during the fits over the size of the input in float32."""

    cpu: float
    wall: float
    memory: float
    peak_reset: bool
    score: float
    leaves: int
    rows: int
    columns: int


def measure(contender: str, workload: str, fits: int) -> Measurement:
    """Fit a contender on the training rows of a workload and score it on the test rows."""
    whole = workloads.load(workload)
    one = (PEERS | OURS)[contender].ready(whole)
    train, (num, nom, y) = whole.train, whole.test
    rows, columns = len(train[2]), num.shape[1] + nom.shape[1]
    one.fit(*(part[:_FIRST_ROWS] for part in train))

    gc.collect()
    reset = memory.forget_peak()
    before = memory.peak()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(fits):
        model = one.fit(*train)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    growth = memory.peak() - before

    score = _score(y, one.predict(model, num, nom), whole.task)
    size = growth / (rows * columns * 4)
    return Measurement(cpu / fits, wall / fits, size, reset, score, one.leaves(model), rows, columns)


def _score(truth: Array, said: Array, task: str) -> float:
    """Accuracy, or R² for a regression."""
    if task == "class":
        return float(np.mean(truth == said))
    truth, said = truth.astype(np.float64), said.astype(np.float64)
    return float(1 - np.sum((truth - said) ** 2) / np.sum((truth - truth.mean()) ** 2))


if __name__ == "__main__":
    _, contender, workload, fits, result = sys.argv
    Path(result).write_text(json.dumps(asdict(measure(contender, workload, int(fits)))))
