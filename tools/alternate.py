"""Compare the speed of two checkouts: `python tools/alternate.py BASE` measures BASE and this one in turns.

Our sides of the cases of `bench` are measured without the peers, each in a process of its own and one process at a time, by the
checkout's own `bench.measure`: old, new, new, old, and so on, so that a change in the machine's load meets both. The same Python
runs both; PYTHONPATH must name this checkout, as `make alternate` has it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from bench.cases import CASES, GROUPS, Growth, chosen
from bench.ours import OURS
from bench.workloads import GENERATORS

ROOT = Path(__file__).resolve().parent.parent
COMPARED = ("engine", "c45", "rules", "models")
# What other threads do would count as ours; with a fixed seed sets of text have the same order in both.
FIXED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1") | {
    "PYTHONHASHSEED": "0"
}
# A measurement is the mean of as many fits as take about so long, at most so many.
LEAST_SECONDS, MOST_FITS = 0.4, 500
IMPORTS = {"import treewright": "import treewright", "its estimators": "import treewright; treewright.CARTClassifier"}
HEAD = f"{'case':58} {'old s':>10} {'new s':>10} {'ratio':>6} {'least':>6}  memory old, new"


class CouldNotRunError(RuntimeError):
    """A measurement failed."""


@dataclass
class Work:
    """What is measured in one process: a learner on a workload, or the time of an import."""

    group: str
    contender: str
    workload: str
    tasks: tuple[str, ...] = ("fit",)
    fits: int = 1
    runs: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {"old": [], "new": []})

    @property
    def name(self) -> str:
        """The name in the table."""
        return f"{self.group} {self.workload} {self.contender}".replace("  ", " ")

    def measure(self, checkout: Path) -> dict[str, Any]:
        """One measurement of a checkout, as `bench.measure` tells it."""
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result.json"
            if self.group == "import":
                cost = "time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"
                script = (
                    f"import json, resource, sys, time; began = time.process_time(); {IMPORTS[self.contender]}; cost = {cost}"
                )
                command = ["-c", f"{script}; json.dump(cost, open(sys.argv[1], 'w'))", str(result)]
            else:
                command = ["-m", "bench.measure", self.contender, self.workload, str(self.fits), str(result), *self.tasks]
            path = {"PYTHONPATH": os.pathsep.join((str(checkout / "src"), str(checkout)))}
            done = subprocess.run(
                [sys.executable, *command], cwd=checkout, env=os.environ | FIXED | path, capture_output=True, text=True
            )
            if done.returncode != 0 or not result.exists():
                said = done.stderr.strip().splitlines()
                raise CouldNotRunError(f"{self.name} in {checkout}: {said[-1] if said else f'exit {done.returncode}'}")
            found = json.loads(result.read_text())
        return found if isinstance(found, dict) else {"cpu": {"fit": found[0]}, "memory": found[1] / 1024}


def works(wanted: Iterable[str], small: bool) -> list[Work]:
    """Our sides of the cases that are named, by case, workload or group; every learner on every workload once."""
    groups = [name for name in wanted if name in GROUPS]
    names = [name for name in wanted if name not in (*GROUPS, "import")]
    picked = [case for case in CASES if case.group in groups]
    picked += [case for case in (chosen(names, everything=True) if names else []) if case not in picked]
    found: dict[tuple[str, str], Work] = {}
    if "import" in wanted:
        found |= {("import", name): Work("import", name, "") for name in IMPORTS}
    for case in picked:
        sides = [side for side in case.sides if side.contender in OURS]
        for side in sides[:1] if small and isinstance(case, Growth) else sides:
            shorter = f"{side.workload}s"
            workload = shorter if small and shorter in GENERATORS else side.workload
            work = found.setdefault((side.contender, workload), Work(case.group, side.contender, workload))
            if side == case.sides[-1]:
                work.tasks = tuple(dict.fromkeys([*work.tasks, *(task.what for task in case.tasks)]))
            work.fits = max(work.fits, case.fits)
    return list(found.values())


def alternate(work: Work, old: Path, new: Path, runs: int) -> None:
    """Measure both checkouts in turns, after a first time that counts for nothing and tells how many fits it takes."""
    first = work.measure(old)["cpu"]["fit"]
    if work.group != "import":
        work.fits = max(work.fits, min(MOST_FITS, math.ceil(LEAST_SECONDS / max(first, 1e-6))))
    for turn in range(runs):
        sides = [("old", old), ("new", new)]
        for side, checkout in sides if turn % 2 == 0 else sides[::-1]:
            work.runs[side].append(work.measure(checkout))


def ratios(work: Work, task: str) -> tuple[float, float, float, float]:
    """Median CPU seconds of old and new, the ratio of these, and that of the least."""
    old, new = ([run["cpu"][task] for run in work.runs[side]] for side in ("old", "new"))
    return median(old), median(new), median(new) / median(old), min(new) / min(old)


def row(work: Work, task: str, limit: float) -> str:
    """A line of the table: slower is what is so by the medians and by the least."""
    old, new, ratio, least = ratios(work, task)
    name = work.name if task == "fit" else f"{work.name}, {task}"
    memory = [[run["memory"] for run in work.runs[side] if run["memory"] is not None] for side in ("old", "new")]
    unit = " MB" if work.group == "import" else " x input"
    peaks = ", ".join(f"{median(runs):.2f}" for runs in memory) + unit if all(memory) and task == "fit" else ""
    over = (ratio > limit) + (least > limit)
    mark = ("", "  slower?", "  SLOWER")[over] + other_model(work)
    return f"{name:58} {old:10.5f} {new:10.5f} {ratio:6.3f} {least:6.3f}  {peaks}{mark}".rstrip()


def other_model(work: Work) -> str:
    """Says so where the two made models that differ in size or score."""
    seen = {(run.get("score"), run.get("leaves")) for side in work.runs.values() for run in side}
    return "  NOT THE SAME MODEL" if len(seen) > 1 else ""


def summary(done: list[Work]) -> list[str]:
    """A line a group: the geometric means of the ratios of its rows."""
    lines = []
    for group in dict.fromkeys(work.group for work in done):
        found = [ratios(work, task)[2:] for work in done if work.group == group for task in work.tasks]
        both = (geometric_mean(column) for column in zip(*found, strict=True))
        lines.append(f"{f'{group}, geometric mean of {len(found)}':58} {'':21} " + " ".join(f"{mean:6.3f}" for mean in both))
    return lines


def main() -> int:
    """Read the command line, measure, print; 1 if anything is slower or failed."""
    parser = argparse.ArgumentParser(description="Compare the speed of two checkouts, measured in turns.")
    parser.add_argument("old", type=Path, metavar="BASE", help="the other checkout, built; it counts as old")
    parser.add_argument("new", type=Path, nargs="?", default=ROOT, help="what counts as new (default: this checkout)")
    every = f"{', '.join(GROUPS)} or import"
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"cases or workloads of bench, or groups: {every}")
    parser.add_argument("--runs", type=int, default=9, metavar="N", help="measurements of each checkout (default 9)")
    parser.add_argument("--small", action="store_true", help="the smaller workloads, where there are any: a few minutes")
    parser.add_argument("--limit", type=float, default=1.05, help="a ratio that is above it is marked (default 1.05)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every measurement to FILE")
    given = parser.parse_args()
    old, new = given.old.resolve(), given.new.resolve()
    if given.runs < 1:
        parser.error(f"--runs {given.runs}: at least 1 is needed")
    for checkout in (old, new):
        if not (checkout / "bench" / "measure.py").exists():
            parser.error(f"{checkout} is no checkout")
    try:
        wanted = works(given.only or ["import", *COMPARED], given.small)
    except ValueError as problem:
        parser.error(str(problem))
    done: list[Work] = []
    print(HEAD, flush=True)
    for work in wanted:
        try:
            alternate(work, old, new, given.runs)
        except CouldNotRunError as problem:
            print(f"could not run: {problem}", flush=True)
            continue
        done.append(work)
        print("\n".join(row(work, task, given.limit) for task in work.tasks), flush=True)
    print("\n".join(["", *summary(done)]))
    if given.json:
        given.json.write_text(json.dumps([vars(work) for work in done], indent=1) + "\n")
    slower = any(min(ratios(work, task)[2:]) > given.limit for work in done for task in work.tasks)
    return 1 if slower or len(done) < len(wanted) or any(map(other_model, done)) else 0


if __name__ == "__main__":
    sys.exit(main())
