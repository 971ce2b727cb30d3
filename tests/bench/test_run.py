"""The benchmark runner without the cost of a benchmark: choosing cases, small measurements, the plan, what is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import contender, memory, optimal, relational, report, run, shape_tables, workloads
from bench.cases import CASES, Case, Growth, Task, chosen, duration
from bench.measure import measure
from bench.ours import OURS
from bench.peers import PEERS

ROOT = Path(run.__file__).resolve().parents[1]


def test_every_case_names_things_that_exist() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        assert {task.what for task in case.tasks} <= {"fit", "predict", "one row"}
        for side in case.sides:
            assert side.contender in PEERS | OURS
            known = {*workloads.GENERATORS, *workloads.READ, *shape_tables.TABLES, *optimal.TABLES, *relational.TABLES}
            assert side.workload in known or side.workload.partition("(")[0] in workloads.SIZED


def test_cases_are_chosen_by_group_case_or_workload() -> None:
    assert [case.name for case in chosen(["iris", "core-W3s"], "core")] == ["core-iris", "core-W3s"]
    assert [case.name for case in chosen(["W5"])] == ["core-W5", "engine-W5", "engine-W5-ydf"]
    assert [case.name for case in chosen(["engine-growth", "engine-threads"])] == ["engine-growth", "engine-threads"]
    with pytest.raises(ValueError, match="did you mean 'iris'"):
        chosen(["iirs"])
    with pytest.raises(ValueError, match="group 'nope' is unknown; there are core, engine"):
        chosen([], "nope")


def test_core_runs_unless_more_is_asked_for() -> None:
    assert {case.group for case in chosen([])} == {"core"}
    assert {case.group for case in chosen([], "engine")} == {"engine"}
    assert chosen([], everything=True) == CASES


def test_the_engine_has_the_whole_table_of_its_aims() -> None:
    aims = {
        (case.workload, case.ours, case.peer, task.what): (task.floor, task.goal)
        for case in chosen([], "engine")
        if isinstance(case, Case)
        for task in case.tasks
    }
    assert aims == {
        ("W1", "cart", "sklearn_cart", "fit"): (40, 60),
        ("W1", "cart", "sklearn_cart", "predict"): (1.5, 3),
        ("W1", "cart", "sklearn_cart", "one row"): (2, 10),
        ("W1", "cart", "ydf_cart", "fit"): (14, 22),
        ("W1", "cart_depth8", "sklearn_histogram_depth8", "fit"): (2.5, 4),
        ("W1", "cart_depth8", "lightgbm_256_leaves", "fit"): (3, 4.5),
        ("W2", "cart", "sklearn_cart", "fit"): (12, 25),
        ("W2", "cart", "ydf_cart", "fit"): (5, 9),
        ("W7", "cart", "sklearn_cart", "fit"): (10, 20),
        ("W5", "cart", "sklearn_cart", "fit"): (12, 20),
        ("W5", "cart", "ydf_cart", "fit"): (8, 14),
        ("W3", "cart", "ydf_cart", "fit"): (4, 8),
        ("W4", "cart", "ydf_cart", "fit"): (6, 12),
        ("iris", "cart", "sklearn_cart", "fit"): (1, 2),
    }


def test_a_slow_peer_is_measured_once_and_ours_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(workloads, "load", lambda name: None)
    monkeypatch.setattr(run, "measure", lambda case, side: asked.append(side.contender))
    monkeypatch.setattr(contender, "find_spec", lambda package: object())
    run.run(Case("core", "W8n", "sklearn_cart", "cart", slow=True), repeat=3)
    assert asked == ["sklearn_cart", "cart", "cart", "cart"]
    asked.clear()
    run.run(Case("core", "W8n", "sklearn_cart", "cart"), repeat=2)
    assert asked == ["sklearn_cart", "cart"] * 2


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TW_BENCH_CACHE", str(tmp_path / "cache"))


def test_a_measurement_of_a_peer() -> None:
    found = measure("sklearn_cart", "W8n", fits=2)
    assert (found.rows, found.columns) == (1500, 8)
    assert found.cpu["fit"] > 0 and found.wall["fit"] > 0
    assert found.memory is None  # a multiple of 48 kB would be about pages, not about the fit
    assert found.tree is None
    assert 0.6 < found.score < 1
    assert found.leaves is not None and found.leaves > 100


def test_one_fit_serves_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    from treewright import CARTClassifier

    sizes = []
    fit = CARTClassifier.fit
    monkeypatch.setattr(CARTClassifier, "fit", lambda self, X, y, **more: sizes.append(len(y)) or fit(self, X, y, **more))
    found = measure("cart", "w1(20_000)", tasks=("fit", "predict", "one row"))
    assert sizes == [100, 20_000]  # the first rows before the clock, then the fit
    assert set(found.cpu) == set(found.wall) == {"fit", "predict", "one row"}
    assert all(seconds > 0 for seconds in found.cpu.values())
    assert found.leaves is not None and found.tree is not None
    nodes = 2 * found.leaves - 1
    assert found.tree * 20_000 * 20 * 4 > nodes * 40  # a node has five doubles at least
    if found.memory is not None:  # nothing, where tests before this one have left enough to reuse
        assert found.memory >= 0


@pytest.mark.parametrize("name", ["sklearn_histogram_depth8", "lightgbm_256_leaves", "cart_depth8", "cart_two_threads"])
def test_the_other_contenders_of_the_engine(name: str) -> None:
    pytest.importorskip((PEERS | OURS)[name].package)
    found = measure(name, "w1(5_000)")
    assert 0.6 < found.score < 0.9
    if name == "lightgbm_256_leaves":
        assert found.leaves == 256
    if name == "cart_depth8":
        assert found.leaves is not None and 100 < found.leaves <= 256


@pytest.mark.parametrize("name", ["sklearn_cart_float", "cart_float", "cart_bootstrap", "cart_class_weights", "cart_priors"])
def test_the_contenders_of_weighted_shapes(name: str) -> None:
    pytest.importorskip((PEERS | OURS)[name].package)
    assert 0.6 < measure(name, "w1(5_000)").score < 0.9


def test_the_peak_is_the_resident_peak_since_it_was_forgotten() -> None:
    code = """
import numpy as np
from bench import memory
a = np.ones(25_000_000); del a
if memory.forget_peak():
    before = memory.peak()
    b = np.ones(5_000_000); del b
    print(memory.peak() - before)
"""
    if not memory.forget_peak():
        pytest.skip("this system does not let a process forget its peak")
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 38e6 < float(said.stdout) < 46e6


def test_workloads_of_any_size_are_made_by_name() -> None:
    assert workloads.load("w1(2_000)").n_train == 2_000
    with pytest.raises(ValueError, match=r"workload 'w9\(10\)' is unknown"):
        workloads.load("w9(10)")


def test_the_plan_names_what_runs_how_long_and_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contender, "find_spec", lambda package: object())
    core, *left_out = run.plan(chosen([]), 3).splitlines()
    assert core.startswith(f"core, {duration(chosen([]))}: core-W1s, core-W2s")
    assert f"not run: engine, {duration(chosen([], 'engine'))} (--only engine, or --all)" in left_out
    assert f"not run: rules, {duration(chosen([], 'rules'))} (--only rules, or --all)" in left_out
    assert run.plan(chosen(["engine-iris"]), 3) == "engine, about 1 min: engine-iris"


def test_a_missing_r_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import rscript

    monkeypatch.setattr(rscript.shutil, "which", lambda program: None)
    (case,) = chosen(["prune-W1s-10-folds"])
    assert run.plan([case], 1).splitlines()[1:] == [
        "rpart is not installed (apt-get install r-base-core r-cran-rpart), so these have no ratio: prune-W1s-10-folds"
    ]


def test_durations_grow_with_repeats_unless_slow() -> None:
    quick, slow = (Case("core", "W1s", "sklearn_cart", "cart", slow=slow, seconds=300) for slow in (False, True))
    assert [duration([quick], repeat) for repeat in (1, 3, 6)] == ["about 2 min", "about 5 min", "about 10 min"]
    assert duration([slow], 6) == "about 5 min"


def test_a_missing_java_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import peers

    monkeypatch.setattr(peers, "find_spec", lambda package: object())
    monkeypatch.setattr(peers, "which", lambda program: None)
    assert run.plan(chosen([], "c45"), 3).splitlines()[1:] == [
        "WEKA or Java is not installed (pip install -r bench/requirements.txt, and Java 17 from the system's packages), "
        "so these have no ratio: c45-W1s, c45-W3, c45-W4"
    ]
    monkeypatch.setattr(peers, "which", lambda program: f"/bin/{program}")
    assert len(run.plan(chosen([], "c45"), 3).splitlines()) == 1


def test_a_package_that_is_not_installed_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contender, "find_spec", lambda package: None if package == "ydf" else object())
    monkeypatch.setattr(workloads, "load", lambda name: None)
    monkeypatch.setattr(run, "measure", lambda case, side: side.contender)
    cases = chosen(["engine-W3", "engine-W4"])
    assert run.plan(cases, 3).splitlines()[1:] == [
        "ydf is not installed (pip install -r bench/requirements.txt), so these have no ratio: engine-W3, engine-W4"
    ]
    result = run.run(cases[0], repeat=2)
    assert result.runs == [[], ["cart", "cart"]]
    assert not result.complete


def test_a_contender_that_fails_says_so_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(case: object, side: object) -> None:
        raise run.CouldNotRun("scikit-learn failed (exit 1): why")

    monkeypatch.setattr(run, "measure", fails)
    run.run(Growth("core", "cart", ("W8n",), 1.25, "", 1), repeat=3)
    assert capsys.readouterr().err.splitlines() == ["core-growth: scikit-learn failed (exit 1): why"]


def test_a_whole_run_prints_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = Case("engine", "iris", "sklearn_cart", "cart", (Task("fit", 0.001, 1000), Task("one row", 0.001, 1000)), fits=2)
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    monkeypatch.setattr(run, "chosen", lambda *_: [small])
    monkeypatch.setattr(report, "README", readme)
    files = {kind: tmp_path / kind for kind in ("json", "markdown")}
    arguments = ["--repeat", "1", "--readme", "--json", str(files["json"]), "--markdown", str(files["markdown"])]
    assert run.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "engine-iris one row" in printed and printed.count("120 x 4") == 2
    written = json.loads(files["json"].read_text())
    assert [len(runs) for runs in written["results"][0]["runs"]] == [1, 1]
    assert {"treewright", "scikit-learn", "processor"} <= set(written["environment"])
    assert "| iris, 3 classes" not in files["markdown"].read_text()  # the case's own words, not those of the list
    assert "| iris, fully grown: predict one row | 120 x 4 | scikit-learn |" in files["markdown"].read_text()
    text = readme.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "| iris, fully grown | 120 x 4 | scikit-learn |" in text and "| W7, 7 classes, fully grown | - |" in text


def test_the_readme_is_not_written_without_its_cases(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["--readme"])
    assert "no case of the group engine is chosen" in capsys.readouterr().err
