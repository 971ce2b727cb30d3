"""Group T, threads, determinism and processes; and S1, indices beyond 31 bits."""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing as mp
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learn import values


def table(seed: int, n: int = 5000) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    x[rng.random(x.shape) < 0.05] = np.nan
    X = pd.DataFrame(x, columns=list("abcd")).assign(s=rng.choice(["u", "v", "w", "x"], n))
    return X, np.nan_to_num(x[:, 0]) + (X["s"] == "v") + rng.normal(size=n)


def fingerprint(est: Any) -> str:
    return hashlib.sha256(pickle.dumps(est.tree_)).hexdigest()


@pytest.mark.parametrize("seed", range(6))
def test_T1_threads_give_the_same_bytes(seed: int) -> None:
    X, y = table(seed, 4000)
    params: dict[str, Any] = {"max_depth": 8, "max_leaf_nodes": 40 if seed % 2 else None}
    classes = (y > 0.5).astype(int)
    weights = np.random.default_rng(seed).random(len(y))
    found = set()
    for n_jobs in (1, 2, 3, 7, 16, -1):
        for _ in range(2):
            est = tw.CARTRegressor(n_jobs=n_jobs, **params).fit(X, y, sample_weight=weights)
            other = tw.CARTClassifier(n_jobs=n_jobs, ties="seeded", random_state=1, **params).fit(X, classes)
            found.add((fingerprint(est), fingerprint(other)))
    assert len(found) == 1


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_T2_shuffled_rows_give_the_same_bytes(kind: str) -> None:
    X, y = table(3)
    y = y * 10.0 ** np.random.default_rng(0).integers(-6, 7, len(y)) if kind == "numbers" else (y > 0.5).astype(int)
    est = (tw.CARTRegressor if kind == "numbers" else tw.CARTClassifier)(n_jobs=2)
    weights = np.random.default_rng(1).random(len(y))
    order = np.random.default_rng(2).permutation(len(y))
    one = fingerprint(est.fit(X, y, sample_weight=weights))
    assert one == fingerprint(est.fit(X.iloc[order], y[order], sample_weight=weights[order]))


CHILD = """
import hashlib, pickle, numpy as np, pandas as pd, treewright as tw
rng = np.random.default_rng(0)
X = pd.DataFrame({"a": rng.normal(size=500), "s": rng.choice(list("pqrstuvw"), 500), "b": rng.integers(0, 9, 500)})
y = np.where(rng.random(500) < 0.2, "no", np.where(X["a"] > 0, "yes", "maybe"))
print([hashlib.sha256(pickle.dumps(e.fit(X, y).tree_)).hexdigest() for e in (
    tw.CARTClassifier(ties="seeded"), tw.ID3Classifier(), tw.TreeClassifier(max_features="sqrt", random_state=4))])
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )


def test_T3_hash_seeds_and_processes() -> None:
    found = {run(CHILD, PYTHONHASHSEED=seed).stdout for seed in ("0", "1", "random")}
    assert len(found) == 1
    assert len(found.pop()) > 100


def test_T4_many_threads_ask_one_model() -> None:
    X, y = table(9, 800)
    est = tw.TreeClassifier(missing="fraction", max_depth=6).fit(X, (y > 0.5).astype(int))
    est = pickle.loads(pickle.dumps(est))  # nothing is cached yet
    right = pickle.loads(pickle.dumps(est))
    answers = (right.predict(X), right.predict_proba(X), right.apply(X))
    start = threading.Barrier(32)

    def ask(worker: int) -> bool:
        start.wait(timeout=20)
        ok = True
        for i in range(10):
            which = (worker + i) % 5
            if which == 0:
                ok &= np.array_equal(est.predict(X), answers[0])
            elif which == 1:
                ok &= np.array_equal(est.predict_proba(X), answers[1])
            elif which == 2:
                ok &= np.array_equal(est.apply(X), answers[2])
            elif which == 3:
                ok &= est.decision_path(X).shape[0] == 800 and len(est.tree_.to_text()) > 10
            else:
                ok &= pickle.loads(pickle.dumps(est)).tree_ == right.tree_
        return bool(ok)

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(ask, range(32)))


def test_T4_many_threads_fit_at_once() -> None:
    X, y = table(4, 2000)
    one = fingerprint(tw.CARTRegressor(max_depth=6).fit(X, y))
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda n: fingerprint(tw.CARTRegressor(max_depth=6, n_jobs=n % 3 + 1).fit(X, y)), range(12)))
    assert set(found) == {one}


def in_child(est: Any, X: Any, y: Any, answers: Any) -> None:
    same = np.array_equal(est.predict(X), answers)
    again = tw.CARTRegressor(n_jobs=2).fit(X, y)
    answers_again = np.array_equal(again.predict(X), answers)
    os._exit(0 if same and answers_again else 3)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_T6_fork_after_fit() -> None:
    X, y = table(5, 60_000)
    est = tw.CARTRegressor(n_jobs=2, max_depth=None).fit(X[:5000], y[:5000])
    tw.CARTRegressor(n_jobs=2, max_depth=2).fit(X, y)  # long enough to have been watched
    answers = est.predict(X[:5000])
    child = mp.get_context("fork").Process(target=in_child, args=(est, X[:5000], y[:5000], answers))
    child.start()
    child.join(30)
    stuck = child.is_alive()
    if stuck:
        child.kill()
    assert not stuck
    assert child.exitcode == 0


def fit_one(seed: int) -> str:
    X, y = table(seed, 1500)
    return fingerprint(tw.CARTRegressor(max_depth=6, n_jobs=2).fit(X, y))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_T7_fit_inside_joblib(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = [fit_one(seed) for seed in range(3)]
    there = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit_one)(seed) for seed in range(3))
    assert there == here


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100000 100000", 1),
        ("50000 100000", 1),
        ("200000 100000", 2),
        ("250000 100000", 2),
        ("max 100000", 8),
        ("rubbish", 8),
        ("", 8),
    ],
)
def test_T7_all_processors_means_those_of_the_container(text: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values.os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr("builtins.open", lambda *a, **k: io.StringIO(text))
    assert values.allowed_processors() == expected
    assert values.threads(-1) == expected
    assert values.threads(-100) == 1
    assert values.threads(None) == 1


def test_T7_no_control_group_and_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", missing)
    monkeypatch.setattr(values.os, "sched_getaffinity", lambda _: {0, 5, 6})
    assert values.threads(-1) == 3
    monkeypatch.delattr(values.os, "sched_getaffinity")
    monkeypatch.setattr(values.os, "cpu_count", lambda: None)
    assert values.threads(-1) == 1


INTERRUPT = """
import json, os, signal, sys, time
import numpy as np
import treewright as tw
from treewright.learn import settings
settings.ENGINE = sys.argv[2]
rows = 1_000_000 if settings.ENGINE == "sorted" else 300_000
rng = np.random.default_rng(0)
X = rng.normal(size=(rows, 20))
y = X @ rng.normal(size=20) + rng.normal(size=rows)
est = tw.CARTRegressor(n_jobs=int(sys.argv[1]))
print("ready", flush=True)
try:
    est.fit(X, y)
    print("finished")
except KeyboardInterrupt:
    ended = time.time()
    left = [name for name in vars(est) if name.endswith("_")]
    small = est.fit(X[:500], y[:500]).predict(X[:500])
    print(json.dumps([ended, left, bool(np.abs(small - y[:500]).max() < 1e-9)]))
"""


@pytest.mark.parametrize(
    ("delay", "n_jobs", "engine"), [(0.05, 1, "sorted"), (0.4, 2, "sorted"), (0.7, 1, "plain"), (1.2, 2, "plain")]
)
def test_T8_ctrl_c_during_fit(delay: float, n_jobs: int, engine: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", INTERRUPT, str(n_jobs), engine], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode == 0
    assert out.strip() != "finished"
    ended, left, works = json.loads(out)
    assert ended - sent < 0.5
    assert left == []
    assert works


def test_T8_ctrl_c_in_a_tie_breaker_and_progress() -> None:
    def stop(names: Any, path: Any) -> Any:
        raise KeyboardInterrupt

    est = tw.CARTClassifier(ties=stop)
    with pytest.raises(KeyboardInterrupt):
        est.fit([[0, 0], [1, 1]], [0, 1])
    assert not hasattr(est, "tree_")
    assert est.set_params(ties="first").fit([[0, 0], [1, 1]], [0, 1]).tree_.n_leaves == 2


def test_S1_more_than_two_to_the_31_cells(tmp_path: Path) -> None:
    """Offsets beyond 31 bits in predict (all columns) and fit (the last ones); a sparse file, so little is read."""
    rows, columns = 70_000, 31_000
    assert rows * columns > 2**31
    X = np.memmap(tmp_path / "cells", np.int8, "w+", shape=(rows, columns))
    X[-50:, -1] = 1
    y = np.zeros(rows, int)
    y[-50:] = 1
    small = np.zeros((4, columns), np.int8)
    small[2:, -1] = 1
    est = tw.CARTClassifier().fit(small, [0, 0, 1, 1])
    assert est.tree_.used_columns == [f"x{columns - 1}"]
    assert np.array_equal(est.predict(X), y)
    narrow = tw.CARTClassifier().fit(X[:, -2:], y)
    assert narrow.tree_.n_leaves == 2
    assert np.array_equal(narrow.predict(X[:, -2:]), y)
    reverse = tw.CARTClassifier().fit(X[::-1, ::-1][:, :2], y[::-1])
    assert reverse.tree_.n_leaves == 2
    assert reverse.tree_.used_columns == ["x0"]
    del X
