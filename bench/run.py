"""Measure peers and ourselves on the same arrays in the same run: `python -m bench.run --help`.

Each measurement is a child process with one thread; peer and ours take turns, so that a change in the machine's load
meets both.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from bench import workloads
from bench.cases import CASES, Case, chosen
from bench.measure import Measurement
from bench.ours import OURS
from bench.peers import PEERS
from bench.report import Result, table

_ROOT = Path(__file__).resolve().parents[1]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
_PACKAGES = ("treewright", "numpy", "pandas", "scikit-learn", "ydf", "lightgbm")


class CouldNotRun(RuntimeError):
    """A contender is not installed or its process failed."""


def measure(contender: str, case: Case) -> Measurement:
    """Run one measurement in a child process."""
    entry = (PEERS | OURS)[contender]
    if find_spec(entry.package) is None:
        remedy = "pip install -r bench/requirements.txt" if contender in PEERS else "pip install ."
        raise CouldNotRun(f"{entry.title} is not installed ({remedy})")
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "bench.measure", contender, case.workload, str(case.fits), str(result)]
        done = subprocess.run(command, cwd=_ROOT, env=os.environ | _ONE_THREAD, capture_output=True, text=True)
        if done.returncode != 0 or not result.exists():
            said = done.stderr.strip().splitlines()
            raise CouldNotRun(f"{entry.title} failed (exit {done.returncode}): {said[-1] if said else 'no message'}")
        return Measurement(**json.loads(result.read_text()))


def run(case: Case, repeat: int) -> Result:
    """Measure both sides of a case in turns; a side that cannot run says so once and is left out."""
    workloads.load(case.workload)
    result = Result(case, PEERS[case.peer].title)
    sides = {case.peer: result.peer, case.ours: result.ours}
    for _ in range(1 if case.slow else repeat):
        for contender, runs in list(sides.items()):
            try:
                runs.append(measure(contender, case))
            except CouldNotRun as problem:
                print(f"{case.name}: {problem}", file=sys.stderr, flush=True)
                del sides[contender]
    return result


def environment() -> dict[str, str]:
    """The versions and the processor the figures belong to."""
    found = {"python": platform.python_version(), "system": platform.platform(), "processor": _processor()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run the cases, print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="Measure peers and ourselves.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases or workloads (default: all)")
    parser.add_argument("--only", metavar="GROUP", help="only the cases of this group, such as core")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="measurements per side (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every measurement to FILE")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    given = parser.parse_args(arguments)
    if given.repeat < 1:
        parser.error(f"--repeat {given.repeat}: at least 1 is needed")
    if given.list:
        for case in CASES:
            print(f"{case.name:12} {PEERS[case.peer].title} and {OURS[case.ours].title}" + " (slow)" * case.slow)
        return 0
    try:
        wanted = chosen(given.cases, given.only)
    except ValueError as problem:
        parser.error(str(problem))
    results = []
    for case in wanted:
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        results.append(run(case, given.repeat))
    print(table(results))
    if given.json:
        report = {"environment": environment(), "results": [asdict(result) for result in results]}
        given.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if all(result.peer and result.ours for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
