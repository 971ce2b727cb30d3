"""The exact cases: their tables, what is compared, and what is said where objectives differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench import optimal, report, run
from bench.cases import CASES, Case, Task
from bench.figures import Result, lines, means
from bench.measure import Measurement


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame = pd.DataFrame({
        "size": [1.0, 2.0, 3.0, 4.0, np.nan, 3.0],
        "same": [2.0, 4.0, 6.0, 8.0, np.nan, 6.0],
        "flag": pd.Categorical(["t", "f", "t", "f", "t", "f"]),
        "colour": pd.Categorical(["red", None, "blue", "red", "green", "blue"]),
        "one": pd.Categorical(["a"] * 6),
        "y": pd.Categorical(["p", "q", "p", "q", "p", "q"]),
    })  # fmt: skip
    frame.to_parquet(tmp_path / "small.parquet")
    monkeypatch.setattr(optimal, "_FOLDER", tmp_path)
    return tmp_path


def test_columns_of_zeros_and_ones(table: Path) -> None:
    made = optimal.binary("small")
    num, _, y = made.train
    wanted = [
        # size <= 1, 2, 3, where a missing cell says no; `same` says the same
        [1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 1],
        [0, 1, 0, 1, 0, 1],  # flag, one test for two levels
        [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0], [1, 0, 0, 1, 0, 0],  # colour: ?, blue, green, red
    ]  # fmt: skip
    np.testing.assert_array_equal(num.T, wanted)
    np.testing.assert_array_equal(y, [0, 1, 0, 1, 0, 1])
    np.testing.assert_array_equal(made.test[0], num)


def test_columns_of_numbers(table: Path) -> None:
    num = optimal.numbers("small").train[0]
    np.testing.assert_allclose(num[:, 0], [1, 2, 3, 4, 2.6, 3])
    assert num.shape == (6, 2)


def test_a_table_that_is_not_here_is_named(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TW_BENCH_CACHE", str(table / "cache"))
    case = next(case for case in CASES if case.name == "optimal-binary_iris-depth4")
    assert not run.run(case, repeat=1).complete
    assert "optimal-binary_iris-depth4: the table iris.parquet is not among the shared tables here" in capsys.readouterr().err


def test_shared_tables_have_the_columns_that_were_recorded(shared: Path) -> None:
    shapes = {"iris": (150, 34), "breast-w": (699, 41), "vote": (435, 48), "monks-2": (432, 15), "car": (1728, 21)}
    for name, shape in shapes.items():
        assert optimal.binary(name).train[0].shape == shape


def test_ours_tells_its_errors_and_by_how_much_it_was_late() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (60, 4)).astype(np.int32)
    made = optimal._whole("made", x, ((x[:, 0] ^ x[:, 1]) | (x[:, 2] & x[:, 3])).astype(np.int32))
    ready = optimal.ours(made, 4)
    assert ready.told is not None and ready.told(ready.fit(*made.train)) == 0
    late = optimal.overshoot(made)
    assert late.told is not None and late.told(late.fit(*made.train)) < 0  # done long before


def measured(cpu: float, told: float | None, peak: int = 100) -> Measurement:
    return Measurement({"fit": cpu}, {"fit": cpu}, None, None, 0.9, None, 100, 4, None, None, told, peak)


def result(name: str, peer: Any, ours: Any) -> Result:
    case = Case("optimal", name, "pystreed_depth3", "optimal_depth3", (Task("fit", 0.5, 1),), exact=True)
    return Result(case, [[peer], [ours]])


def test_objectives_that_differ_are_marked_and_ratios_are_averaged() -> None:
    found = [
        result("a", measured(4.0, 7), measured(1.0, 7, 150)),
        result("b", measured(1.0, 5), measured(4.0, 6)),
        result("c", measured(1.0, 5), measured(1.0, None)),
        result("d", measured(0.019, 0), measured(0.001, 0, 900)),  # an instant
    ]
    marks = [lines(each)[0].mark for each in found]
    assert marks == ["equal", "OBJECTIVES DIFFER: 5, ours 6", "not proven", "equal"]
    (mean,) = means(found)
    assert (mean.cases, mean.ratio, mean.mark) == (3, pytest.approx(1.0), "goal")
    assert (mean.worst.case.workload, mean.peak) == ("b", 1.5)
    text = report.table(found)
    assert "OBJECTIVES DIFFER: 5, ours 6" in text and text.count("optimal-b") == 2
    assert means([result("d", measured(0.01, 0), measured(0.001, 0))]) == []


def test_a_search_that_takes_too_long_is_ended() -> None:
    case = Case("optimal", "W8n", "sklearn_cart", "cart", exact=True, limit=0.05)
    with pytest.raises(run.CouldNotRun, match=r"was ended after 0\.05 s"):
        run.measure(case, case.sides[1])
    assert all(case.limit == 180 for case in CASES if isinstance(case, Case) and case.exact)


def test_a_long_search_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def measure(case: Case, side: Any) -> Measurement:
        asked.append(side.contender)
        return measured(11.0 if side.contender == "sklearn_cart" else 9.0, 0)

    monkeypatch.setattr(run, "measure", measure)
    monkeypatch.setattr(run, "_installed", lambda side: True)
    monkeypatch.setattr(run.workloads, "load", lambda name: None)
    run.run(Case("optimal", "W8n", "sklearn_cart", "cart", exact=True, limit=100), repeat=3)
    assert asked == ["sklearn_cart", "cart", "cart", "cart"]
