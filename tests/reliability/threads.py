"""The threaded part of the core, for the thread sanitizer: growing, routing and asking one model, all from several threads.

A program (``make tsan``): pytest and its libraries have races of their own, which are not ours to report.
"""

from __future__ import annotations

import pickle
import threading

import numpy as np

import treewright as tw


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 4))
    X[rng.random(X.shape) < 0.02] = np.nan
    y = (np.nan_to_num(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    z = np.nan_to_num(X[:, 2]) + rng.normal(size=len(X))
    for make, target in (
        (lambda jobs: tw.CARTClassifier(n_jobs=jobs, max_depth=9), y),
        (lambda jobs: tw.CARTRegressor(n_jobs=jobs, min_samples_leaf=50), z),
        (lambda jobs: tw.TreeClassifier(n_jobs=jobs, missing="fraction", max_depth=5), y),
    ):
        one, many = make(1).fit(X[:20_000], target[:20_000]), make(4).fit(X[:20_000], target[:20_000])
        assert one.tree_ == many.tree_
        assert np.array_equal(one.apply(X), many.apply(X))
    small = X[:3000], y[:3000]
    one, many = (
        tw.RandomForestClassifier(20, max_depth=6, n_jobs=jobs, oob_score=True, random_state=0).fit(*small) for jobs in (1, 4)
    )
    assert one.forest_ == many.forest_ and one.oob_score_ == many.oob_score_
    assert np.array_equal(one.forest_.predict_proba(X), many.forest_.predict_proba(X, 4))
    model = pickle.loads(pickle.dumps(tw.CARTClassifier(n_jobs=2, max_depth=8).fit(X, y)))  # nothing is cached yet
    right = pickle.loads(pickle.dumps(model)).predict(X)
    start, wrong = threading.Barrier(8), []

    def ask(worker: int) -> None:
        start.wait()
        for _ in range(3):
            if not np.array_equal(model.predict(X), right) or pickle.loads(pickle.dumps(model)).tree_ != model.tree_:
                wrong.append(worker)

    threads = [threading.Thread(target=ask, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    print("no race")


if __name__ == "__main__":
    main()
