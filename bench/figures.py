"""What the measurements of a case say: medians, ratios, limits, and whether what was aimed at is reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log
from statistics import geometric_mean, linear_regression, median

from bench.cases import AnyCase, Case, Growth, Seconds, Task, Threads
from bench.measure import Measurement
from bench.ours import OURS
from bench.peers import PEERS

# Cores that other work may keep busy on a machine that still counts as quiet.
_QUIET = 0.1
# CPU seconds below which a ratio of exact searches is one of starting and stopping.
_INSTANT = 0.02


@dataclass
class Result:
    """The measurements of one case, a list per side; a side without any could not be run."""

    case: AnyCase
    runs: list[list[Measurement]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.runs = self.runs or [[] for _ in self.case.sides]

    @property
    def complete(self) -> bool:
        """Whether every side was measured."""
        return all(self.runs)


@dataclass(frozen=True)
class Line:
    """One task of a peer against ours; what was not measured is None."""

    case: Case
    task: Task
    peer: str
    size: tuple[int, int] | None
    ratio: float | None
    wall_ratio: float | None
    peer_cpu: float | None
    our_cpu: float | None
    memory: float | None = None
    less_tree: float | None = None
    peer_score: float | None = None
    our_score: float | None = None
    peer_leaves: float | None = None
    our_leaves: float | None = None
    peer_told: float | None = None
    our_told: float | None = None
    peak: float | None = None

    @property
    def mark(self) -> str | None:
        """Where the CPU ratio stands: `below floor`, `floor` or `goal`; of an exact case whether the objectives agree."""
        if not self.case.exact:
            return mark(self.ratio, self.task)
        if self.ratio is None:
            return None
        if self.peer_told is None or self.our_told is None:
            return "not proven"
        return "equal" if self.peer_told == self.our_told else f"OBJECTIVES DIFFER: {self.peer_told:g}, ours {self.our_told:g}"

    @property
    def counts(self) -> bool:
        """Whether the ratio of an exact case says something: not where both take next to no time."""
        return self.case.exact and self.ratio is not None and max(self.peer_cpu or 0, self.our_cpu or 0) >= _INSTANT


@dataclass(frozen=True)
class Mean:
    """All exact cases of a peer: the geometric mean of the ratios that count, the worst of them, and where the mean stands."""

    group: str
    peer: str
    task: Task
    ratio: float
    cases: int
    worst: Line
    peak: float | None

    @property
    def mark(self) -> str | None:
        """Where the mean stands: `below floor`, `floor` or `goal`."""
        return mark(self.ratio, self.task)


@dataclass(frozen=True)
class Figure:
    """A figure of ours alone that must not be above a limit; one that is `void` says nothing."""

    case: Growth | Threads | Seconds
    value: float | None
    note: str = ""
    void: bool = False

    @property
    def mark(self) -> str | None:
        """`within` or `over` the limit, `meaningless` where the machine was not quiet."""
        if self.value is None:
            return None
        return "meaningless" if self.void else "within" if self.value <= self.case.at_most else "over"


def mark(ratio: float | None, task: Task) -> str | None:
    """Where a ratio stands between its floor and its goal; None without a ratio or a floor."""
    if ratio is None or task.floor is None:
        return None
    if ratio < task.floor:
        return "below floor"
    return "floor" if task.goal is None or ratio < task.goal else "goal"


def exponent(rows: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log seconds over log rows, by least squares."""
    return linear_regression([log(n) for n in rows], [log(s) for s in seconds]).slope


def lines(result: Result) -> list[Line]:
    """The lines of a peer against ours, one per task; memory, scores and leaves stand with the fit."""
    case = result.case
    assert isinstance(case, Case)
    peer, ours = result.runs
    size = next(((run.rows, run.columns) for run in peer + ours), None)
    found = []
    for task in case.tasks:
        cpu = [_middle(run.cpu[task.what] for run in runs) for runs in (peer, ours)]
        wall = [_middle(run.wall[task.what] for run in runs) for runs in (peer, ours)]
        of_fit = _of_fit(peer, ours) if task.what == "fit" else {}
        found.append(Line(case, task, (PEERS | OURS)[case.peer].title, size, _ratio(*cpu), _ratio(*wall), *cpu, **of_fit))
    return found


def _of_fit(peer: list[Measurement], ours: list[Measurement]) -> dict[str, float | None]:
    memory, tree = _middle(run.memory for run in ours), _middle(run.tree for run in ours)
    return {
        "memory": memory,
        "less_tree": None if memory is None or tree is None else memory - tree,
        "peer_score": _middle(run.score for run in peer),
        "our_score": _middle(run.score for run in ours),
        "peer_leaves": _middle(run.leaves for run in peer),
        "our_leaves": _middle(run.leaves for run in ours),
        "peer_told": _middle(run.told for run in peer),
        "our_told": _middle(run.told for run in ours),
        "peak": _ratio(_middle(run.peak for run in ours), _middle(run.peak for run in peer)),
    }


def means(results: Iterable[Result]) -> list[Mean]:
    """The geometric means of the exact cases, a peer each; they have one task, and its floor and goal are those of the mean."""
    counted = [line for result in results if isinstance(result.case, Case) for line in lines(result) if line.counts]
    found = []
    for peer in dict.fromkeys(line.peer for line in counted):
        mine = [line for line in counted if line.peer == peer]
        worst = min(mine, key=lambda line: line.ratio or 0)
        mean = geometric_mean(line.ratio or 0 for line in mine)
        peak = max((line.peak for line in mine if line.peak is not None), default=None)
        found.append(Mean(worst.case.group, peer, worst.task, mean, len(mine), worst, peak))
    return found


def other_work(results: Iterable[Result]) -> float | None:
    """The cores that other work kept busy during our fits and the peers', on average over their time."""
    fits = [(run, result.case.fits) for result in results for runs in result.runs for run in runs]
    spans = [(run.wall["fit"] * times, run.others) for run, times in fits if run.others is not None]
    return sum(wall * others for wall, others in spans) / sum(wall for wall, _ in spans) if spans else None


def figure(result: Result) -> Figure:
    """The figure of ours alone."""
    case = result.case
    assert not isinstance(case, Case)
    if not result.complete:
        return Figure(case, None)
    if isinstance(case, Seconds):
        return _seconds(case, result.runs[0])
    return _growth(case, result.runs) if isinstance(case, Growth) else _threads(case, result.runs)


def _seconds(case: Seconds, runs: list[Measurement]) -> Figure:
    leaves = _middle(run.leaves for run in runs)
    values = [run.cpu["fit"] if run.told is None else run.told for run in runs]
    return Figure(case, median(values), "" if leaves is None else f"{leaves:,.0f} leaves")


def _growth(case: Growth, runs: list[list[Measurement]]) -> Figure:
    rows = [side[0].rows for side in runs]
    seconds = [median(run.cpu["fit"] for run in side) for side in runs]
    note = ", ".join(f"{n:,} rows {s:.3g} s" for n, s in zip(rows, seconds, strict=True))
    return Figure(case, exponent(rows, seconds), note)


def _threads(case: Threads, runs: list[list[Measurement]]) -> Figure:
    fewer, more = (median(run.wall["fit"] for run in side) for side in runs)
    every = [run for side in runs for run in side]
    load = max((run.load for run in every if run.load is not None), default=None)
    others = None if any(run.others is None for run in every) else max(run.others or 0.0 for run in every)
    note = ("load average unknown" if load is None else f"load average {load:.1f}") + ", other work "
    note += "unknown" if others is None else f"{others:.2f} cores"
    return Figure(case, more / fewer, note, void=others is None or others > _QUIET)


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _ratio(peer: float | None, ours: float | None) -> float | None:
    return peer / ours if peer is not None and ours else None
