"""Measure peers and ourselves on the same arrays in the same run: `python -m bench.run --help`.

Each measurement is a child process with one thread (two where two are compared with one); the sides of a case take turns,
so that a change in the machine's load meets all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from bench import report, workloads
from bench.cases import CASES, GROUPS, PUBLISHED, AnyCase, Side, chosen, duration
from bench.figures import Result
from bench.machine import environment
from bench.measure import Measurement
from bench.ours import OURS
from bench.peers import PEERS

_ROOT = Path(__file__).resolve().parents[1]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")


_CONTENDERS = PEERS | OURS


class CouldNotRun(RuntimeError):
    """The process of a contender failed."""


def measure(case: AnyCase, side: Side) -> Measurement:
    """Run one measurement in a child process."""
    entry = _CONTENDERS[side.contender]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        tasks = [task.what for task in case.tasks]
        command = [sys.executable, "-m", "bench.measure", side.contender, side.workload, str(case.fits), str(result), *tasks]
        try:
            done = subprocess.run(
                command, cwd=_ROOT, env=os.environ | _ONE_THREAD, capture_output=True, text=True, timeout=case.limit
            )
        except subprocess.TimeoutExpired as problem:
            raise CouldNotRun(f"{entry.title} was ended after {problem.timeout:g} s") from problem
        if done.returncode != 0 or not result.exists():
            said = done.stderr.strip().splitlines()
            raise CouldNotRun(f"{entry.title} failed (exit {done.returncode}): {said[-1] if said else 'no message'}")
        return Measurement(**json.loads(result.read_text()))


def run(case: AnyCase, repeat: int) -> Result:
    """Measure the sides of a case in turns; one that is not installed is left out, one that fails says so once."""
    result = Result(case)
    try:
        for side in case.sides:
            workloads.load(side.workload)
    except workloads.NotHere as problem:
        print(f"{case.name}: {problem}", file=sys.stderr, flush=True)
        return result
    failed = {side for side in case.sides if not _installed(side)}
    for turn in range(repeat):
        for side, runs in zip(case.sides, result.runs, strict=True):
            if side in failed or (turn > 0 and (side.once or _takes_long(case, runs))):
                continue
            try:
                runs.append(measure(case, side))
            except CouldNotRun as problem:
                print(f"{case.name}: {problem}", file=sys.stderr, flush=True)
                failed.add(side)
    return result


def _takes_long(case: AnyCase, runs: Sequence[Measurement]) -> bool:
    """Whether a case of limited time is so slow that a second measurement would add nothing to the first."""
    return case.limit is not None and any(run.wall["fit"] > case.limit / 10 for run in runs)


def _installed(side: Side) -> bool:
    return _CONTENDERS[side.contender].installed


def plan(wanted: Sequence[AnyCase], repeat: int) -> str:
    """Which cases are going to run and about how long they take, group by group.

    If nothing was asked for, the other groups are named too. A package that is not installed has a line of its own.
    """
    said = []
    for group in GROUPS:
        mine, every = ([case for case in cases if case.group == group] for cases in (wanted, CASES))
        if mine:
            said.append(f"{group}, {duration(mine, repeat)}: {', '.join(case.name for case in mine)}")
        elif list(wanted) == chosen([]):
            said.append(f"not run: {group}, {duration(every, repeat)} (--only {group}, or --all)")
    absent: dict[tuple[str, str], list[str]] = {}
    for case in wanted:
        entries = (_CONTENDERS[side.contender] for side in case.sides if not _installed(side))
        for missing in dict.fromkeys((entry.package, entry.remedy) for entry in entries):
            absent.setdefault(missing, []).append(case.name)
    for (package, advice), names in absent.items():
        remedy = "make build" if package == "treewright" else advice
        said.append(f"{package} is not installed ({remedy}), so these have no ratio: {', '.join(names)}")
    return "\n".join(said)


def _listed(case: AnyCase) -> str:
    sides = dict.fromkeys(_CONTENDERS[side.contender].title for side in case.sides)
    return f"{case.name:27} {' and '.join(sides)}" + " (slow)" * case.slow


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run the cases, print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="Measure peers and ourselves.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases or workloads (default: those of the group core)")
    groups = parser.add_mutually_exclusive_group()
    groups.add_argument("--only", metavar="GROUP", help=f"only the cases of this group: {' or '.join(GROUPS)}")
    groups.add_argument("--all", action="store_true", help="the cases of all groups")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="measurements per side (default 3; slow peers once)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every measurement to FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to FILE as Markdown")
    parser.add_argument("--readme", action="store_true", help=f"also put the tables of the group {PUBLISHED} into README.md")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    given = parser.parse_args(arguments)
    if given.repeat < 1:
        parser.error(f"--repeat {given.repeat}: at least 1 is needed")
    if given.list:
        print("\n".join(map(_listed, CASES)))
        return 0
    try:
        wanted = chosen(given.cases, given.only, given.all)
    except ValueError as problem:
        parser.error(str(problem))
    if given.readme and not any(case.group == PUBLISHED for case in wanted):
        parser.error(f"--readme: no case of the group {PUBLISHED} is chosen; add --only {PUBLISHED}")
    print(plan(wanted, given.repeat), file=sys.stderr, flush=True)
    results = []
    for case in wanted:
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        results.append(run(case, given.repeat))
    print(report.table(results))
    _write(results, given)
    return 0 if all(result.complete for result in results) else 1


def _write(results: list[Result], given: argparse.Namespace) -> None:
    found, today = environment(), date.today()
    if given.json:
        everything = {"environment": found, "date": today.isoformat(), "results": [asdict(result) for result in results]}
        given.json.write_text(json.dumps(everything, indent=1) + "\n")
    if given.markdown:
        given.markdown.write_text(report.markdown(results, found, today) + "\n")
    if given.readme:
        block = report.markdown(report.published(results), found, today)
        report.README.write_text(report.rewritten(report.README.read_text(), block))


if __name__ == "__main__":
    sys.exit(main())
