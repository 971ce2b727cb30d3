"""Threads that predict while another one fits see one fit or the other."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treewright as tw


def test_predicting_while_fitting() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    targets = [np.where(X[:, 0] > 0, "yes", "no"), np.where(X[:, 1] > 0, "a longer name", "b")]
    est = tw.CARTClassifier(max_depth=2).fit(X, targets[0])
    answers = [tw.CARTClassifier(max_depth=2).fit(X, y).predict(X).tolist() for y in targets]
    shares = [tw.CARTClassifier(max_depth=2).fit(X, y).predict_proba(X).tolist() for y in targets]
    over = threading.Event()
    faults: list[object] = []

    def ask() -> None:
        while not over.is_set():
            try:
                if est.predict(X).tolist() not in answers or est.predict_proba(X).tolist() not in shares:
                    faults.append("neither fit answers so")
            except Exception as error:
                faults.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(150):
        est.fit(X, targets[number % 2])
    over.set()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_fit_that_fails_leaves_the_one_before_it() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    est = tw.CARTClassifier().fit(X, X[:, 0] > 0)
    before = {name: value for name, value in vars(est).items() if name != "max_depth"}
    with pytest.raises(ValueError, match="max_depth"):
        est.set_params(max_depth="deep").fit(X, X[:, 0] > 0)
    assert {name: value for name, value in vars(est).items() if name != "max_depth"} == before
    assert est.predict(X).tolist() == (X[:, 0] > 0).tolist()
