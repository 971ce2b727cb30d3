"""What may go wrong while many members are learned: nothing is half fitted, and errors say what to do."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import treewright as tw
from tests.ensembles.tables import mixed

ENSEMBLES = [
    lambda base: tw.BaggingClassifier(base, 6),
    lambda base: tw.BaggingClassifier(base, 6, n_jobs=2),
    lambda base: tw.CommitteeClassifier(base, folds=4),
    lambda base: tw.AdaBoostClassifier(base, n_estimators=6),
]


class Fails(Exception):
    """What a criterion of a user may raise."""


def failing(after: int) -> Any:
    calls = [0]

    def score(node: Any, branches: Any) -> float:
        calls[0] += 1
        if calls[0] > after:
            raise Fails("no more")
        return float(np.abs(branches - branches.mean(axis=0)).sum())

    return score


@pytest.mark.parametrize("make", ENSEMBLES)
def test_a_member_that_fails_leaves_the_model_before_it(make: Any) -> None:
    X, y, _ = mixed(120, missing=0.0)
    X = X[["size", "age"]]
    good = make(tw.TreeClassifier(max_depth=2)).fit(X, y)
    before, said = dict(vars(good)), good.predict_proba(X)
    good.estimator = tw.TreeClassifier(criterion=failing(40), max_depth=3)
    with pytest.raises(Fails, match="no more"):
        good.fit(X, y)
    assert {name: value for name, value in vars(good).items() if name != "estimator"}.keys() == before.keys() - {"estimator"}
    assert good.forest_ is before["forest_"] and np.array_equal(good.predict_proba(X), said)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forest_that_was_to_grow_keeps_its_trees_where_that_fails(n_jobs: int) -> None:
    X, y, _ = mixed(120)
    est = tw.RandomForestClassifier(4, warm_start=True, n_jobs=n_jobs).fit(X, y)
    four = est.forest_
    for given, wanted in ((y[:50], 8), (y, 2)):
        with pytest.raises(ValueError, match=r"inconsistent|less than the 4 members"):
            est.set_params(n_estimators=wanted).fit(X, given)
        assert est.forest_ is four
    assert est.set_params(n_estimators=6).fit(X, y).forest_.members[:4] == four.members


def test_members_with_a_fit_of_their_own_are_refused() -> None:
    class Mine(tw.C45Classifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            return super().fit(X, y, sample_weight)

    class Sure(tw.C45Classifier):
        def predict_proba(self, X: Any) -> Any:
            return np.round(super().predict_proba(X))

    class Named(tw.C45Classifier):
        def greet(self) -> str:
            return "a class of its own that changes nothing"

    X, y, _ = mixed(60)
    for ensemble in (tw.BaggingClassifier, tw.CommitteeClassifier, tw.AdaBoostClassifier, tw.CoTrainingClassifier):
        with pytest.raises(TypeError, match=r"Mine\(\) has a fit of its own"):
            ensemble(Mine()).fit(X, y)
        with pytest.raises(TypeError, match=r"Sure\(\) has a predict_proba of its own"):
            ensemble(Sure()).fit(X, y)
    assert tw.BaggingClassifier(Named(), 2).fit(X, y).forest_ == tw.BaggingClassifier(tw.C45Classifier(), 2).fit(X, y).forest_


def test_the_error_of_a_member_says_which_it_was() -> None:
    X, y, _ = mixed(60)
    X["size"] = X["size"].fillna(0.0)
    with pytest.raises(ValueError, match=r"missing='refuse'"):
        tw.BaggingClassifier(tw.TreeClassifier(missing="refuse"), 3).fit(X, y)
    with pytest.raises(ValueError, match=r"member 1 of AdaBoostClassifier: .*unseen"):
        tw.AdaBoostClassifier(tw.PartClassifier(unseen="whatever")).fit(X, y)


@pytest.mark.parametrize(
    "base",
    [
        *(tw.TreeClassifier(), tw.C45Classifier(), tw.RipperClassifier(), tw.PartClassifier(), tw.C45RulesClassifier()),
        *(tw.REPTreeClassifier(), tw.LogisticTreeClassifier(), tw.IrepClassifier(), tw.ID3Classifier()),
    ],
)
def test_a_sample_may_have_one_class(base: Any) -> None:
    # The rare class is in few samples; members that never saw it still know that it exists.
    X = pd.DataFrame({"a": [float(i) for i in range(30)], "b": list("uvw") * 10})
    y = ["rare"] + ["often"] * 29
    for ensemble in (tw.BaggingClassifier(base, 12), tw.CommitteeClassifier(base, folds=np.arange(30))):
        ensemble.fit(X, y)
        assert ensemble.classes_.tolist() == ["often", "rare"]
        assert any(0 not in rows for rows in ensemble.estimators_samples_)
        assert ensemble.predict_proba(X).shape == (30, 2)
        assert np.allclose(ensemble.predict_proba(X).sum(axis=1), 1.0)


def test_levels_that_a_sample_lacks_are_known() -> None:
    X = pd.DataFrame({"a": ["u"] * 20 + ["v"] * 20 + ["w"], "b": np.arange(41.0)})
    y = ["no"] * 20 + ["yes"] * 20 + ["no"]
    for base in (tw.TreeClassifier(unseen="error"), tw.C45Classifier(unseen="error"), tw.PartClassifier(unseen="error")):
        bagged = tw.BaggingClassifier(base, 8, max_features=1).fit(X, y)
        assert any(40 not in rows for rows in bagged.estimators_samples_)
        assert len(bagged.predict(X)) == 41
        with pytest.raises(ValueError, match="never"):
            bagged.predict(pd.DataFrame({"a": ["never"], "b": [1.0]}))


INTERRUPTED = """
import sys
import numpy as np
import treewright as tw
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 12)), rng.integers(0, 2, 20_000)
est = {
    "forest": tw.RandomForestClassifier(100_000, n_jobs=int(sys.argv[2]), oob_score=True),
    "rules": tw.BaggingClassifier(tw.RipperClassifier(), 100_000, n_jobs=int(sys.argv[2])),
    "boosting": tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=6), n_estimators=100_000),
}[sys.argv[1]]
est.set_params(n_estimators=2).fit(X[:50], y[:50])
before = est.forest_
est.set_params(n_estimators=100_000)
print("ready", flush=True)
try:
    est.fit(X, y)
    print("finished")
except KeyboardInterrupt:
    print(est.forest_ is before, est.n_estimators)
"""


@pytest.mark.parametrize(("kind", "threads"), [("forest", 1), ("forest", 2), ("rules", 2), ("boosting", 1)])
def test_ctrl_c_leaves_the_model_before_it(kind: str, threads: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, kind, str(threads)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=90)  # a hang guard: all members would take hours
        assert said == "True 100000\n"
    finally:
        child.kill()


@pytest.mark.parametrize(
    ("ensemble", "said"),
    [
        (tw.BaggingClassifier(LogisticRegression()), "must be an estimator of treewright"),
        (tw.BaggingClassifier(tw.C45Classifier), "must be an estimator of treewright"),
        (tw.BaggingClassifier(tw.M5Regressor()), "must be a classifier"),
        (tw.BaggingRegressor(tw.C45Classifier()), "must be a regressor"),
        (tw.BaggingClassifier(tw.TreeNeighborsClassifier()), "TreeNeighborsClassifier"),
        (tw.BaggingClassifier(max_features=0), "max_features=0"),
        (tw.BaggingClassifier(max_features=9), "max_features=9"),
        (tw.BaggingClassifier(max_samples=1.5), "max_samples=1.5"),
        (tw.BaggingClassifier(voting="loud"), "voting"),
        (tw.BaggingClassifier(bootstrap=False, oob_score=True), "oob_score"),
        (tw.RandomForestClassifier(bootstrap=False, oob_score=True), "oob_score"),
        (tw.RandomForestClassifier(bootstrap="sometimes"), "bootstrap='sometimes'"),
        (tw.RandomForestRegressor(bootstrap="balanced"), "bootstrap='balanced'"),
        (tw.RandomForestClassifier(0), "n_estimators=0"),
        (tw.RandomForestClassifier(10**9), "n_estimators=1000000000"),
        (tw.RandomForestClassifier(oob_score="yes"), "oob_score='yes'"),
        (tw.CommitteeClassifier(folds=1), "folds"),
        (tw.AdaBoostClassifier(algorithm="m2"), "algorithm"),
        (tw.AdaBoostClassifier(judge="jury"), "judge"),
        (tw.AdaBoostClassifier(learning_rate=0), "learning_rate=0"),
        (tw.AdaBoostRegressor(loss="huber"), "loss"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_refused(ensemble: Any, said: str) -> None:
    X, classes, numbers = mixed(60)
    with pytest.raises((ValueError, TypeError), match=said):
        ensemble.fit(X, numbers if "Regressor" in type(ensemble).__name__ else classes)
    assert not hasattr(ensemble, "forest_")
