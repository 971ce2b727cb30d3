"""One measurement in a process of its own: `python -m bench.measure CONTENDER WORKLOAD FITS RESULT.json TASK...`.

Imports, the reading of the workload and a fit of its first rows (which loads whatever is loaded late) come before the
clock; the building of the learner's own table is inside it. All tasks are measured on the model of one fit.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import machine, memory, workloads
from bench.contender import Contender
from bench.ours import OURS
from bench.peers import PEERS
from bench.workloads import Array, Workload

# Enough rows to have every class, few enough to cost nothing.
_FIRST_ROWS = 100
# Below a megabyte of input the peak is made of pages that have nothing to do with it.
_LEAST_INPUT = 1_000_000
# How often a prediction is made inside the clock: of all training rows, and of one row.
_PREDICTS, _ONE_ROWS = 3, 1_000


@dataclass(frozen=True)
class Measurement:
    """Seconds of every task, and what else was seen of the fit.

    `memory` is the growth of the peak during the fits and `tree` the size of the finished tree, both over the size of the
    input in float32; `load` is the load average before the fit, `others` the cores that other work kept busy during it, `told` a
    figure that is not seconds, `peak` the resident bytes of the process at their highest during the fits. What the system or the
    learner does not tell is None.
    """

    cpu: dict[str, float]
    wall: dict[str, float]
    memory: float | None
    tree: float | None
    score: float
    leaves: int | None
    rows: int
    columns: int
    load: float | None
    others: float | None
    told: float | None = None
    peak: int | None = None


def measure(contender: str, workload: str, fits: int = 1, tasks: Sequence[str] = ("fit",)) -> Measurement:
    """Fit a contender on the training rows of a workload, score it on the test rows, and time the other tasks."""
    whole = workloads.load(workload)
    one = (PEERS | OURS)[contender].ready(whole)
    train, (num, nom, y) = whole.train, whole.test
    rows, columns = len(train[2]), num.shape[1] + nom.shape[1]
    _warm_up(one, whole)

    gc.collect()
    load, busy = machine.load(), machine.busy()
    can_forget = memory.forget_peak()
    before = memory.peak()
    model, cpu, wall = _timed(lambda: one.fit(*train), fits)
    highest = memory.peak()
    growth = max(0, highest - before)  # Linux adds up the pages of threads in batches, so that a peak may seem to fall
    busy_after = machine.busy()

    took = {"fit": (cpu, wall)}
    if "predict" in tasks:
        took["predict"] = _timed(lambda: one.predict(model, *train[:2]), _PREDICTS)[1:]
    if "one row" in tasks:
        took["one row"] = _timed_one_row(one, model, num, nom)

    size = rows * columns * 4
    return Measurement(
        cpu={task: took[task][0] for task in tasks},
        wall={task: took[task][1] for task in tasks},
        memory=growth / size if can_forget and size >= _LEAST_INPUT else None,
        tree=one.size(model) / size if one.size else None,
        score=_score(y, one.predict(model, num, nom), whole.task),
        leaves=one.leaves(model) if one.leaves else None,
        rows=rows,
        columns=columns,
        load=load,
        told=one.told(model) if one.told else None,
        peak=highest if can_forget else None,
        others=None if busy is None or busy_after is None else max(0.0, (busy_after - busy) / (wall * fits) - cpu / wall),
    )


def _warm_up(one: Contender, whole: Workload) -> None:
    num, nom, y = (part[:_FIRST_ROWS] for part in whole.train)
    one.predict(one.fit(num, nom, y), num, nom)


def _timed(work: Callable[[], Any], times: int) -> tuple[Any, float, float]:
    """What the work gave the last time, and the CPU and wall seconds of one time."""
    given = None
    wall, cpu = time.perf_counter(), _cpu()
    for _ in range(times):
        given = work()
    cpu, wall = _cpu() - cpu, time.perf_counter() - wall
    return given, cpu / times, wall / times


def _cpu() -> float:
    """CPU seconds of this process and of those it started and waited for (R is one)."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _timed_one_row(one: Contender, model: Any, num: Array, nom: Array) -> tuple[float, float]:
    """The seconds of one prediction of one row: another row each time, as in service."""
    rows = [(num[i : i + 1], nom[i : i + 1]) for i in np.resize(np.arange(len(num)), _ONE_ROWS)]

    def all_rows() -> None:
        for row in rows:
            one.predict(model, *row)

    _, cpu, wall = _timed(all_rows, 1)
    return cpu / _ONE_ROWS, wall / _ONE_ROWS


def _score(truth: Array, said: Array, task: str) -> float:
    """Accuracy, or R² for a regression."""
    if task == "class":
        return float(np.mean(truth == said))
    truth, said = truth.astype(np.float64), said.astype(np.float64)
    return float(1 - np.sum((truth - said) ** 2) / np.sum((truth - truth.mean()) ** 2))


if __name__ == "__main__":
    _, contender, workload, fits, result, *tasks = sys.argv
    Path(result).write_text(json.dumps(asdict(measure(contender, workload, int(fits), tasks))))
