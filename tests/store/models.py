"""Small fitted models of every kind, and the rows they are asked about."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

ESTIMATORS = sorted(
    name for name, home in tw._HOMES.items() if home == "treewright.estimators" and name.endswith(("Classifier", "Regressor"))
)


def table(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """Every kind of column, with missing cells and awkward levels."""
    rng = np.random.default_rng(seed)
    size = pd.Categorical.from_codes(rng.integers(0, 3, n), ["S", "M", "L"], ordered=True)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "town \u2028'\"{,": rng.choice(["Bonn", "Jena ", "Köln\n", '"'], n),
            "size": size,
            "since": pd.to_datetime(rng.integers(0, 10**9, n), unit="s").astype("datetime64[us]"),
            "wait": pd.to_timedelta(rng.integers(0, 10**6, n), unit="s").astype("timedelta64[us]"),
            "member": rng.random(n) < 0.5,
        }
    )
    X.loc[rng.random(n) < 0.15, "age"] = np.nan
    X.loc[rng.random(n) < 0.15, X.columns[1]] = None
    return X


def numbers(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n)).round(3)


def classes(X: pd.DataFrame) -> pd.Series:
    late = X["since"] > dt.datetime(1985, 1, 1)
    return pd.Series(np.where(X["age"].fillna(0) > 50, "old", np.where(late, "late", "früh")), name="what")


def _mixed(make: Callable[[], Any]) -> tuple[Any, Any]:
    X = table()
    y = classes(X) if hasattr(make(), "predict_proba") else X["age"].fillna(50) / 7
    return make().fit(X, y), table(200, 5)


def _plain(make: Callable[[], Any]) -> tuple[Any, Any]:
    X, y = numbers()
    return make().fit(X, y if not hasattr(make(), "predict_proba") else (y > 0).astype(np.int8)), numbers(200)[0]


def _several() -> tuple[Any, Any]:
    X, y = numbers()
    both = pd.DataFrame({"a": y, "b ,": np.abs(y)})
    return tw.CARTRegressor(max_depth=3).fit(X, both), numbers(200)[0]


_MEMBERS = [("c45", tw.C45Classifier()), ("rules", tw.RipperClassifier())]
_NUMBERS = [("m5", tw.M5Regressor()), ("tree", tw.TreeRegressor(max_depth=2))]


def fitted() -> dict[str, tuple[Any, Any]]:
    """Name to a fitted estimator and rows for it."""
    return {
        "cart-mixed": _mixed(tw.CARTClassifier),
        "cart-plain": _plain(tw.CARTClassifier),
        "regressor-mixed": _mixed(tw.CARTRegressor),
        "regressor-plain": _plain(lambda: tw.CARTRegressor(max_depth=4)),
        "memorising": _mixed(lambda: tw.MemorisingTreeClassifier(missing="majority", order=[3, 5, 2, 1, 0, 4])),
        "backtracking": _mixed(lambda: tw.BacktrackingTreeClassifier(missing="learned", max_thresholds=4, max_depth=3)),
        "c45-soft": _plain(lambda: tw.C45Classifier(soft=True, confidence=1.0, min_samples_leaf=3)),
        "c45-mixed": _mixed(tw.C45Classifier),
        "id3": _mixed(lambda: tw.ID3Classifier(missing="most_common", max_depth=3)),
        "candidates": _plain(lambda: tw.TreeClassifier(keep_candidates=True, numeric="ternary", max_depth=3)),
        "own": _mixed(lambda: tw.TreeClassifier(missing="own", nominal="multiway", unseen="error", max_depth=3)),
        "rpart": _mixed(lambda: tw.CARTClassifier(recipe="rpart", min_samples_leaf=3, cp=0.0)),
        "loss": _plain(lambda: tw.TreeClassifier(criterion="risk", loss=np.array([[0, 1], [5, 0]]), max_depth=2)),
        "recipe": _plain(lambda: tw.TreeRegressor(recipe=tw.Recipe("mine", relation="<"), max_depth=2)),
        "m5": _mixed(tw.M5Regressor),
        "m5-before": _mixed(tw.M5Regressor),  # its file was written when deviations were not kept
        "m5-blend": _mixed(lambda: tw.M5Regressor(smoothing="blend", band=0.3)),
        "several": _several(),
        "quantiles": _plain(lambda: tw.CARTRegressor(max_depth=2, keep_targets=True)),
        "one-leaf": _plain(lambda: tw.CARTClassifier(max_depth=0)),
        "reptree": _mixed(lambda: tw.REPTreeClassifier(random_state=0)),
        "reptree-numbers": _plain(lambda: tw.REPTreeRegressor(random_state=0)),
        "optimal": _mixed(lambda: tw.OptimalTreeClassifier(max_depth=2)),
        "optimal-numbers": _plain(lambda: tw.OptimalTreeRegressor(max_depth=2, max_steps=50)),
        "oblique": _mixed(lambda: tw.ObliqueTreeClassifier(method="cart-lc", max_terms=3)),
        "oblique-curved": _mixed(lambda: tw.ObliqueTreeClassifier(node="quadratic", max_depth=2)),
        "oblique-numbers": _plain(lambda: tw.ObliqueTreeRegressor(restarts=2, max_depth=3)),
        "quest": _mixed(tw.QuestTreeClassifier),
        "soft": _mixed(lambda: tw.SoftTreeClassifier(restarts=1)),
        "soft-numbers": _plain(lambda: tw.SoftTreeRegressor(restarts=1)),
        "lmt": _mixed(lambda: tw.LogisticTreeClassifier(iterations=3)),
    }


def fitted_without_tree() -> dict[str, tuple[Any, Any]]:
    """The same of estimators that hold rules, or several trees."""
    return {
        "ripper": _mixed(lambda: tw.RipperClassifier(random_state=0)),
        "irep": _mixed(lambda: tw.IrepClassifier(random_state=0)),
        "part": _mixed(tw.PartClassifier),
        "c45rules": _mixed(tw.C45RulesClassifier),
        "m5rules": _mixed(tw.M5RulesRegressor),
        "columns": _plain(tw.TreeColumns),
        "forest-mixed": _mixed(lambda: tw.RandomForestClassifier(4, max_depth=4)),
        "forest-numbers": _plain(lambda: tw.RandomForestRegressor(3, max_depth=3, keep_targets=True)),
        "extra-mixed": _mixed(lambda: tw.ExtraTreesClassifier(3, max_depth=4)),
        "extra-numbers": _plain(lambda: tw.ExtraTreesRegressor(3, max_depth=3)),
        "bagging": _mixed(lambda: tw.BaggingClassifier(tw.C45Classifier(), 3, max_features=4)),
        "bagging-rules": _mixed(lambda: tw.BaggingClassifier(tw.PartClassifier(), 3)),
        "bagging-numbers": _mixed(lambda: tw.BaggingRegressor(tw.M5Regressor(), 3, max_features=4)),
        "committee": _mixed(lambda: tw.CommitteeClassifier(folds=3)),
        "committee-numbers": _plain(lambda: tw.CommitteeRegressor(folds=3)),
        "adaboost": _mixed(lambda: tw.AdaBoostClassifier(n_estimators=5)),
        "adaboost-trials": _mixed(
            lambda: tw.AdaBoostClassifier(tw.C45Classifier(min_samples_leaf=5), n_estimators=5, algorithm="c5.0")
        ),
        "adaboost-numbers": _plain(lambda: tw.AdaBoostRegressor(n_estimators=5)),
        "cotraining": _mixed(lambda: tw.CoTrainingClassifier((tw.C45Classifier(), tw.PartClassifier()))),
        "stacking": _mixed(lambda: tw.StackingClassifier(_MEMBERS, tw.LogisticTreeClassifier(iterations=3), cv=3)),
        "stacking-numbers": _plain(lambda: tw.StackingRegressor(_NUMBERS)),
        "voting": _mixed(lambda: tw.VotingClassifier(_MEMBERS, voting="soft")),
        "voting-numbers": _plain(lambda: tw.VotingRegressor(_NUMBERS)),
        "neighbours": _plain(tw.TreeNeighborsClassifier),
    }


Asked = tuple[list[tuple[Any, ...]], dict[str, Any]]


def people() -> Asked:
    """Pairs of people, and relations that they stand in; a name has quotes and ends of lines, an age is a number."""
    names = ["ann", "bob 'the\n2nd'", "eve", "tom", "ida", "joe", "kim \u2028", "una"]
    ages = [78, 51.5, 49, 30, 28, 25, 8, 3]
    parent = [(names[a], names[b]) for a, b in ((0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (4, 7))]
    pairs = [(a, b) for a in names for b in names]
    return pairs, {"parent": parent, "person": pd.DataFrame({"who": names, "years": ages, "town": list("uvuvuvuv")})}


def relational() -> dict[str, tuple[Any, Asked]]:
    """Name to fitted FOILs and clauses, each with tuples and the relations to ask about them."""
    pairs, relations = people()
    up = {child: parent for parent, child in relations["parent"]}
    descent, young = [], [(name,) for name, age, _ in relations["person"].itertuples(index=False) if age < 29]
    for person in up:
        parent = person
        while parent in up:
            parent = up[parent]
            descent.append((parent, person))
    recursive = tw.Foil().fit({**relations, "ancestor": descent}, "ancestor")
    numbers = tw.Foil(negation="comparisons", types={"years": "number"}, max_depth=2, coding_limit=False)
    written = """
        "kin of"(x, y) :- parent(x, y), not person(y, z, 'v').
        "kin of"(x, 'ann') :- parent(x, y), person(x, years, 'v'), years >= 28.5, x != y.
    """
    clauses = tw.Clauses.parse(written.replace('"', "'"))
    return {
        "foil-recursive": (recursive, (pairs, relations)),
        "foil-numbers": (numbers.fit({**relations, "young": young}, "young"), ([pair[:1] for pair in pairs[::8]], relations)),
        "clauses": (clauses, (pairs, relations)),
        "clauses-scored": (recursive.clauses_.scored({**relations}, descent, pairs[:9:8]), (pairs, relations)),
    }
