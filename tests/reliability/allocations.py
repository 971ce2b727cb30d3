"""Lets the n-th allocation of the core fail, for every n, in everything that is done with a small tree. A program, run with
``failing_new`` loaded before everything else.

Each failure must be a MemoryError that leaves nothing allocated and nothing half done; the next call must work.
"""

from __future__ import annotations

import ctypes
import gc
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

shim = ctypes.CDLL(None)
shim.still_alive.restype = ctypes.c_long


def tasks(folder: Path) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """What is done, and how its result is told from another."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=120), rng.integers(0, 4, 120)]).astype(object)
    X[:, 1] = np.array(list("abcd"))[X[:, 1].astype(int)]
    X[rng.random(120) < 0.1, 0] = None
    y, z = rng.integers(0, 3, 120), rng.normal(size=120)
    plain = rng.normal(size=(400, 3))
    est = tw.CARTClassifier().fit(X, y)
    spread = tw.C45Classifier().fit(X, y)
    est.save(folder / "m.json")
    packed = pickle.dumps(est)

    equations = tw.M5Regressor().fit(X, z)
    part = tw.PartClassifier().fit(X, y)

    def tree_bytes(model: Any) -> bytes:
        return pickle.dumps(model.tree_ if hasattr(model, "tree_") else model.ruleset_)

    def fit(make: Callable[[], Any], *data: Any) -> Callable[[], Any]:
        def run() -> Any:
            model = make()
            try:
                return model.fit(*data)
            except MemoryError:
                assert not hasattr(model, "tree_") and not hasattr(model, "ruleset_"), "half a model"
                raise

        return run

    classes = plain[:, 0] > 0
    return {
        "fit, sorted engine": (fit(tw.CARTClassifier, X, y), tree_bytes),
        "fit, two threads": (fit(lambda: tw.CARTClassifier(n_jobs=2), plain, classes), tree_bytes),
        "fit, numbers": (fit(tw.CARTRegressor, plain[:150], plain[:150, 1]), tree_bytes),
        "fit, best first": (fit(lambda: tw.CARTRegressor(max_leaf_nodes=9), X, z), tree_bytes),
        "fit, C4.5": (fit(tw.C45Classifier, X, y), tree_bytes),
        "fit, plain engine": (fit(lambda: tw.TreeClassifier(keep_candidates=True, missing="own"), X, y), tree_bytes),
        "fit, M5": (fit(tw.M5Regressor, X[:60], z[:60]), tree_bytes),
        "fit, LMT": (fit(lambda: tw.LogisticTreeClassifier(iterations=1), X[:24], y[:24]), tree_bytes),
        "fit, RIPPER": (fit(lambda: tw.RipperClassifier(random_state=0), X[:60], y[:60]), tree_bytes),
        "fit, PART": (fit(tw.PartClassifier, X[:24], y[:24]), tree_bytes),
        "fit, C4.5rules": (fit(tw.C45RulesClassifier, X[:60], y[:60]), tree_bytes),
        "predict, equations": (lambda: equations.predict(X), bytes),
        "predict, rules in parts": (lambda: part.predict_proba(X), bytes),
        "pickle, equations": (lambda: pickle.loads(pickle.dumps(equations)), tree_bytes),
        "SQL": (lambda: spread.to_sql("duckdb"), str.encode),
        "SQL, rules": (lambda: part.to_sql("duckdb"), str.encode),
        "predict": (lambda: est.predict(X), bytes),
        "predict, in parts": (lambda: spread.predict_proba(X), bytes),
        "predict, two threads": (lambda: tw.Tree.apply(est.tree_, X, 2), bytes),
        "decision path": (lambda: est.decision_path(X), lambda m: m.indices.tobytes()),
        "load": (lambda: tw.load(folder / "m.json"), tree_bytes),
        "save": (lambda: est.save(folder / "again.json"), lambda _: (folder / "again.json").read_bytes()),
        "pickle": (lambda: pickle.loads(pickle.dumps(est)), tree_bytes),
        "unpickle": (lambda: pickle.loads(packed), tree_bytes),
        "merge leaves": (est.tree_.merge_leaves, pickle.dumps),
        "text": (est.tree_.to_text, str.encode),
        "rules": (lambda: est.tree_.to_rules().predict(X), bytes),
        "C": (est.tree_.to_c, str.encode),
        "Python": (est.tree_.to_python, str.encode),
    }


def main(only: list[str]) -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        tried = 0
        for task, (run, told) in tasks(Path(name)).items():
            if only and task not in only:
                continue
            right = told(run())
            again = told(run())
            assert right == again
            gc.collect()
            before = shim.still_alive()
            n = 0
            while True:
                n += 1
                shim.fail_at(ctypes.c_long(n))
                try:
                    result = run()
                    shim.fail_at(ctypes.c_long(0)) if not shim.has_failed() else None
                    if not shim.has_failed():
                        break
                    # A part that the result does not need: it must be the right one all the same.
                    shim.fail_at(ctypes.c_long(0))
                    assert told(result) == right, (task, n)
                    del result
                except MemoryError:
                    shim.fail_at(ctypes.c_long(0))
                if shim.still_alive() != before:
                    gc.collect()
                assert shim.still_alive() == before, f"{task}: allocation {n} failed, {shim.still_alive() - before} stay"
            shim.fail_at(ctypes.c_long(0))
            assert told(result) == right, task
            del result
            tried += n - 1
            print(f"{task}: {n - 1}", flush=True)
        print(f"survived {tried}")


if __name__ == "__main__":
    main(sys.argv[1:])
