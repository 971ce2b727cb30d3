"""The benchmark runner without the cost of a benchmark: choosing cases, one small measurement, the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import run
from bench.cases import CASES, Case, chosen
from bench.measure import measure
from bench.ours import OURS
from bench.peers import PEERS
from bench.report import HEADER, Result, row, table
from bench.workloads import GENERATORS


def test_every_case_names_things_that_exist() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.peer in PEERS and case.ours in OURS and case.workload in GENERATORS


def test_cases_are_chosen_by_group_case_or_workload() -> None:
    assert chosen([], None) == CASES
    assert [case.name for case in chosen(["iris", "core-W3s"], "core")] == ["core-iris", "core-W3s"]
    with pytest.raises(ValueError, match="did you mean 'iris'"):
        chosen(["iirs"], None)
    with pytest.raises(ValueError, match="group 'nope' is unknown; there are core"):
        chosen([], "nope")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setenv("TW_BENCH_CACHE", str(tmp_path))
    return Case("core", "W8n", "sklearn_cart", "cart", fits=2)


def test_a_measurement_and_its_line(small: Case) -> None:
    found = measure(small.peer, small.workload, small.fits)
    assert (found.rows, found.columns) == (1500, 8)
    assert found.cpu > 0 and found.wall > 0 and found.memory >= 0
    assert 0.6 < found.score < 1 and found.leaves > 100
    alone = Result(small, "scikit-learn", peer=[found])
    both = Result(small, "scikit-learn", peer=[found], ours=[found])
    assert len(row(alone)) == len(HEADER)
    assert row(alone)[4:8] == ["-"] * 4
    assert row(both)[5:7] == ["1.00", "1.00"]
    assert "1,500 x 8" in table([alone, both])


def test_a_contender_that_is_not_installed_is_named_once(
    small: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "find_spec", lambda package: None)
    result = run.run(small, repeat=3)
    assert not result.peer and not result.ours
    assert capsys.readouterr().err.splitlines() == [
        "core-W8n: scikit-learn is not installed (pip install -r bench/requirements.txt)",
        "core-W8n: treewright CART is not installed (pip install .)",
    ]
