"""What the benchmark says about measurements: marks, ratios, limits, the exponent, and the tables of README.md."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from bench import report
from bench.cases import CASES, Case, Growth, Task, Threads
from bench.figures import Result, exponent, figure, lines, mark, other_work
from bench.measure import Measurement
from bench.ours import OURS

HERE = {"treewright": "1.2", "python": "3.13", "system": "Linux", "processor": "A fast one", "cores": "2", "numpy": "2.0"}
DAY = date(2031, 5, 7)


def measurement(cpu: float = 1.0, wall: float = 1.0, **others: Any) -> Measurement:
    given = {
        "cpu": {"fit": cpu, "one row": cpu / 1e5}, "wall": {"fit": wall, "one row": wall / 1e5}, "memory": 2.0, "tree": 0.25,
        "score": 0.75, "leaves": 1_234, "rows": 1_000, "columns": 5, "load": 1.1, "others": 0.01,
    }  # fmt: skip
    return Measurement(**given | others)


def case(*tasks: Task, less_tree: float | None = 2.5) -> Case:
    return Case("engine", "W1", "sklearn_cart", "cart", tasks, words="fully grown", less_tree=less_tree)


@pytest.mark.parametrize(
    ("ratio", "said"),
    [(39.9, "below floor"), (40.0, "floor"), (59.9, "floor"), (60.0, "goal"), (99.0, "goal"), (None, None)],
)
def test_marks(ratio: float | None, said: str | None) -> None:
    assert mark(ratio, Task("fit", 40, 60)) == said


def test_marks_without_floor_or_goal() -> None:
    assert mark(3.0, Task("fit")) is None
    assert mark(3.0, Task("fit", 2)) == "floor"


def test_ratios_are_of_medians_and_every_task_has_a_line() -> None:
    peer = [measurement(cpu, wall) for cpu, wall in ((80.0, 90.0), (100.0, 300.0), (500.0, 100.0))]
    ours = [measurement(cpu, wall, memory=3.0, tree=0.5, score=0.8) for cpu, wall in ((2.0, 4.0), (1.0, 4.0), (9.0, 4.0))]
    fit, row = lines(Result(case(Task("fit", 40, 60), Task("one row", 2, 10)), [peer, ours]))
    assert (fit.ratio, fit.wall_ratio, fit.mark) == (50.0, 25.0, "floor")
    assert (fit.memory, fit.less_tree, fit.peer_score, fit.our_score) == (3.0, 2.5, 0.75, 0.8)
    assert (row.ratio, row.mark, row.memory, row.our_score) == (pytest.approx(50.0), "goal", None, None)


def test_every_case_can_be_told_of() -> None:
    compared = [each for each in CASES if isinstance(each, Case)]
    text = report.table([Result(each) for each in compared])
    assert any(each.peer in OURS for each in compared)  # one of ours against another
    assert all(f"{each.name} " in text for each in compared)


def test_a_side_without_measurements_has_dashes() -> None:
    text = report.table([Result(case(Task("fit", 40, 60)), [[measurement()], []])])
    line = text.splitlines()[2].split()
    assert line[:5] == ["engine-W1", "1,000", "x", "5", "scikit-learn"]
    assert line[5:12] == ["-", "40", "60", "-", "-", "-", "-"]
    assert line[12:] == ["0.7500", "-", "1", "s", "-", "1,234", "-"]


@pytest.mark.parametrize(("memory", "cell"), [(2.75, "2.50"), (2.76, "2.51 (over 2.5)"), (None, "-")])
def test_memory_beyond_its_limit_is_marked(memory: float | None, cell: str) -> None:
    result = Result(case(Task()), [[measurement()], [measurement(memory=memory)]])
    assert f"| {cell} |" in report.markdown([result], HERE, DAY)


def test_seconds_have_a_unit_that_suits_them() -> None:
    result = Result(case(Task("fit"), Task("one row")), [[measurement(65.2)], [measurement(0.4)]])
    fit, row = (line.split("|")[-3:-1] for line in report.markdown([result], HERE, DAY).splitlines()[4:6])
    assert [cell.strip() for cell in fit] == ["65.2 s", "400 ms"]
    assert [cell.strip() for cell in row] == ["652 us", "4 us"]


def test_the_exponent_is_the_slope_of_the_logarithms() -> None:
    rows = [100_000, 400_000, 1_000_000, 4_000_000]
    assert exponent(rows, [3e-6 * n**1.2 for n in rows]) == pytest.approx(1.2)
    # Least squares, not first against last: the middle counts.
    assert exponent([1, 10, 100, 1000], [1, 100, 100, 1000]) == pytest.approx(0.9)


def test_growth_is_judged_by_the_medians() -> None:
    growth = Growth("engine", "cart", ("a", "b"), 1.25, "growth", 1)
    small = [measurement(cpu, rows=100) for cpu in (1.0, 7.0, 1.0)]
    for seconds, value, said in ((10.0, 1.0, "within"), (20.0, 1.301, "over")):
        found = figure(Result(growth, [small, [measurement(seconds, rows=1_000)]]))
        assert (found.value, found.mark) == (pytest.approx(value, abs=1e-3), said)
        assert found.note == f"100 rows 1 s, 1,000 rows {seconds:g} s"
    assert figure(Result(growth, [small, []])).mark is None


@pytest.mark.parametrize(
    ("wall", "others", "said"),
    [(0.6, 0.02, "within"), (0.7, 0.02, "over"), (0.6, 0.5, "meaningless"), (0.6, None, "meaningless")],
)
def test_two_threads_count_only_on_a_quiet_machine(wall: float, others: float | None, said: str) -> None:
    threads = Threads("engine", "cart", "cart_two_threads", "W1", 0.65, "two threads", 1)
    found = figure(Result(threads, [[measurement()], [measurement(wall=wall, others=others, load=2.34)]]))
    assert (found.value, found.mark) == (wall, said)
    assert found.note == f"load average 2.3, other work {'unknown' if others is None else f'{others:.2f} cores'}"


def test_other_work_is_averaged_over_time() -> None:
    runs = [[measurement(wall=9.0, others=0.0)], [measurement(wall=1.0, others=1.0), measurement(others=None)]]
    assert other_work([Result(case(Task()), runs)]) == pytest.approx(0.1)
    assert other_work([Result(case(Task()))]) is None


def test_markdown_says_where_and_when() -> None:
    text = report.markdown([Result(case(Task("fit", 40, 60)), [[measurement(50.0)], [measurement()]])], HERE, DAY)
    assert text.splitlines()[0] == (
        "Measured on 2031-05-07: A fast one, 2 cores, Linux; treewright 1.2, python 3.13, numpy 2.0."
        " Other work kept 0.01 cores busy during the fits."
    )
    head, rule, row = (line.strip("| ").split(" | ") for line in text.splitlines()[2:5])
    assert len(head) == len(rule) == len(row) and set(rule) == {"---"}
    assert dict(zip(head, row, strict=True)) == {
        "work": "W1, fully grown", "rows x columns": "1,000 x 5", "peer": "scikit-learn", "CPU ratio": "50.00", "floor": "40",
        "goal": "60", "mark": "floor", "wall ratio": "1.00", "memory": "2.00", "less tree": "1.75", "peer score": "0.7500",
        "our score": "0.7500", "peer CPU": "50 s", "our CPU": "1 s",
    }  # fmt: skip


def test_only_what_stands_between_the_marks_is_rewritten() -> None:
    old = f"a\n{report.BEGIN}\nx \\1\n{report.END}\nb\n"
    assert report.rewritten(old, r"y \1") == f"a\n{report.BEGIN}\ny \\1\n{report.END}\nb\n"
    for wrong in ("no marks", old + old):
        with pytest.raises(ValueError, match=r"found it [02] times"):
            report.rewritten(wrong, "y")


def _fixed(block: str) -> list[list[str]]:
    """The tables of a block, reduced to what no measurement changes."""
    tables = [[line.strip("| ").split(" | ") for line in part.splitlines()] for part in block.split("\n\n") if part[:1] == "|"]
    keep = ("work", "peer", "floor", "goal", "figure", "at most")
    found = []
    for head, rule, *rows in tables:
        found += [head, rule]
        found += [[cell for name, cell in zip(head, row, strict=True) if name in keep] for row in rows]
    return found


def test_the_tables_of_the_readme_are_laid_out_as_the_report_makes_them() -> None:
    text = report.README.read_text()
    inside = text[text.index(report.BEGIN) + len(report.BEGIN) : text.index(report.END)].strip()
    made = report.markdown(report.published([]), HERE, DAY)
    assert _fixed(inside) == _fixed(made)
    assert len(_fixed(made)) > 15
    assert inside.endswith(report.NOTE)
