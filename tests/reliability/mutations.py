"""Changes the structure of model files of every kind at random and loads them. A program: a crash must not end the suite.

Entries become other values, change places, come twice, or go; names change; parts stand where others belong. Every attempt must
end in the stated error, or in a model that answers everything. Prints how many of each there were.
"""

from __future__ import annotations

import copy
import io
import json
import pickle
import random
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.store.document import document_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section

WILD: list[Any] = [
    *(-2, -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**62, 2**63, 2**64, -(2**63), 10**30, 10**400),
    *(0.5, -0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf"), None, True, False),
    *("", "x", "u", "a", "nan", "inf", "\ud800", "\0", "é" * 300, ["float", "nan"], ["list"], ["dict"], ["tuple", 1]),
    *([], {}, [0], [[]], {"splits": [], "leaves": 0}, [1] * 50),
]


def table(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "b": rng.choice(list("uvw"), n),
            "s": pd.Categorical.from_codes(rng.integers(0, 3, n), ["S", "M", "L"], ordered=True),
            "m": rng.random(n) < 0.5,
            "d": pd.to_datetime(rng.integers(0, 10**9, n), unit="s").astype("datetime64[us]"),
            "c": rng.normal(size=n).round(1),
        }
    )
    X.loc[rng.random(n) < 0.2, "a"] = np.nan
    X.loc[rng.random(n) < 0.2, "b"] = None
    return X


def models() -> dict[str, Callable[[], tuple[str, Any, Any]]]:
    """Every kind of model by name: its kind in a file, the model, and rows for it."""
    X = table()
    first = X["a"].fillna(0) + (X["b"] == "u") + X["m"]
    classes = np.where(first > 0.7, "p", np.where(X["c"] > 0.3, "q", "r"))
    numbers = (X["a"].fillna(0.3) * 3 + (X["b"] == "v") * 2 + X["c"].abs()).to_numpy()

    def of(est: Any, y: Any, kind: str = "estimator", part: str = "", rows: pd.DataFrame = X) -> Any:
        def make() -> tuple[str, Any, Any]:
            fitted = est.fit(rows, y)
            return kind, getattr(fitted, part) if part else fitted, rows

        return make

    def relational() -> tuple[str, Any, Any]:
        relations = {
            "edge": [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")],
            "node": [(x, 2.5 * k) for k, x in enumerate("abcde")],
        }
        paths = [(x, y) for x in "abcde" for y in "abcde" if x < y]
        fitted = tw.Foil(types={"edge": ["n", "n"], "node": ["n", "number"]}).fit({**relations, "path": paths}, "path")
        return "foil", fitted, (paths[:3], relations)

    plain = X[["a", "c"]]
    members = [("c45", tw.C45Classifier()), ("rules", tw.RipperClassifier(random_state=0))]
    return {
        "cart": of(tw.CARTClassifier(), classes),
        "numbers": of(tw.CARTRegressor(max_depth=3), numbers),
        "several": of(tw.CARTRegressor(max_depth=3), np.c_[numbers, numbers**2]),
        "fractions": of(tw.C45Classifier(pruned=False), classes),
        "soft": of(tw.C45Classifier(soft=True, confidence=1.0), classes),
        "smooth": of(tw.SoftTreeClassifier(restarts=0, max_depth=2), classes),
        "surrogates": of(tw.CARTClassifier(missing="surrogate"), classes),
        "branches": of(tw.TreeClassifier(missing="own", nominal="multiway", numeric="ternary", unseen="error"), classes),
        "candidates": of(tw.TreeClassifier(keep_candidates=True, max_depth=2), classes),
        "m5": of(tw.M5Regressor(), numbers),
        "blend": of(tw.M5Regressor(smoothing="blend", band=0.3), numbers),
        "scores": of(tw.LogisticTreeClassifier(iterations=3), classes),
        "ripper": of(tw.RipperClassifier(random_state=0), classes),
        "c45rules": of(tw.C45RulesClassifier(), classes),
        "part": of(tw.PartClassifier(), classes),
        "m5rules": of(tw.M5RulesRegressor(), numbers),
        "tree": of(tw.C45Classifier(pruned=False), classes, "tree", "tree_"),
        "rules": of(tw.PartClassifier(), classes, "rules", "ruleset_"),
        "columns": of(tw.TreeColumns(), classes, rows=plain),
        "neighbours": of(tw.TreeNeighborsClassifier(), classes, rows=plain),
        "forest": of(tw.RandomForestClassifier(3, max_depth=3, random_state=0), classes),
        "quantiles": of(tw.ExtraTreesRegressor(2, max_depth=3, keep_targets=True, random_state=0), numbers),
        "bagged rules": of(tw.BaggingClassifier(tw.PartClassifier(), 2, max_features=4, random_state=0), classes),
        "bagged equations": of(tw.BaggingRegressor(tw.M5Regressor(), 2, random_state=0), numbers),
        "boosted": of(tw.AdaBoostClassifier(n_estimators=3), classes),
        "boosted numbers": of(tw.AdaBoostRegressor(n_estimators=3), numbers),
        "cotraining": of(tw.CoTrainingClassifier((tw.C45Classifier(), tw.PartClassifier())), classes),
        "stack": of(tw.StackingClassifier(members, tw.C45Classifier(), cv=2), classes, "together"),
        "vote": of(tw.VotingRegressor([("m5", tw.M5Regressor()), ("tree", tw.TreeRegressor(max_depth=2))]), numbers, "together"),
        "lone forest": of(tw.RandomForestClassifier(2, max_depth=3, random_state=0), classes, "forest", "forest_"),
        "oblique": of(tw.ObliqueTreeClassifier(method="cart-lc", max_terms=3), classes),
        "curved": of(tw.ObliqueTreeClassifier(node="quadratic", max_depth=2), classes),
        "oblique numbers": of(tw.ObliqueTreeRegressor(max_depth=2), numbers),
        "quest": of(tw.QuestTreeClassifier(), classes),
        "soft tree": of(tw.SoftTreeClassifier(restarts=1, max_depth=2), classes),
        "optimal": of(tw.OptimalTreeClassifier(max_depth=2), classes),
        "clauses": relational,
    }


def paths(value: Any) -> list[tuple[Any, ...]]:
    """The ways to all entries."""
    out: list[tuple[Any, ...]] = []
    open_: list[tuple[Any, tuple[Any, ...]]] = [(value, ())]
    while open_:
        at, path = open_.pop()
        inside = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        for key, entry in inside:
            out.append((*path, key))
            open_.append((entry, (*path, key)))
    return out


def found(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(draw: random.Random, whole: Any, ways: list[tuple[Any, ...]]) -> Any:
    """The document with one to three changes."""
    out = copy.deepcopy(whole)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        path = draw.choice(ways)
        try:
            change(draw, out, found(out, path[:-1]), path[-1], ways)
        except (KeyError, IndexError, TypeError):  # what was there is gone
            continue
    return out


def change(draw: random.Random, whole: Any, holder: Any, key: Any, ways: list[tuple[Any, ...]]) -> None:
    value, how = holder[key], draw.randrange(8)
    if how == 0 and isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = value + draw.choice([1, -1, 2, -2, 10, -2 * value])
    elif how == 1 and isinstance(value, list) and len(value) > 1:
        i, j = draw.randrange(len(value)), draw.randrange(len(value))
        value[i], value[j] = value[j], value[i]
    elif how == 2 and isinstance(value, list) and value:
        value.insert(draw.randrange(len(value) + 1), copy.deepcopy(draw.choice(value)))
    elif how == 3:
        del holder[key]
    elif how == 4:
        holder[key] = copy.deepcopy(found(whole, draw.choice(ways)))
    elif how == 5 and isinstance(holder, dict):
        holder[draw.choice(["x", f"{key}_", "__class__", "kind", "n_nodes"])] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(draw.choice(WILD))


def ask_everything(model: Any, rows: Any) -> None:
    held = [model, *(getattr(model, name) for name in ("tree_", "ruleset_", "forest_", "clauses_") if hasattr(model, name))]
    asked = ["predict", "predict_proba", "apply", "transform", "votes", "predict_interval"]
    written = ["to_text", "to_rules", "to_python", "to_c", "to_sql", "to_prolog", "to_svg", "regions", "validate"]
    questions: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [(lambda: pickle.loads(pickle.dumps(model)), ())]
    if isinstance(model, (tw.Foil, tw.Clauses)):
        questions += [(model.predict if isinstance(model, tw.Foil) else model.holds, rows)]
        questions += [(each.evaluate, rows[1:]) for each in held if isinstance(each, tw.Clauses)]
    else:
        questions += [(getattr(each, name), (rows,)) for each in held for name in asked if hasattr(each, name)]
    questions += [(getattr(each, name), ()) for each in held for name in written if hasattr(each, name)]
    for question, arguments in questions:
        try:
            question(*arguments)
        except (ValueError, TypeError):  # a changed kind or level: the rows are not those of the model
            continue


def tried(make: Callable[[], tuple[str, Any, Any]], times: int, seed: int) -> Iterator[bool]:
    """Whether each of the damaged documents was taken for a model, which then answered."""
    kind, model, rows = make()
    whole = json.loads(document_bytes(to_section(kind, model._fitted() if kind in ("estimator", "foil") else model)))["model"]
    ways, draw = paths(whole), random.Random(seed)
    for _ in range(times):
        document = changed(draw, whole, ways)
        try:
            content = document_bytes(document)
        except (ValueError, TypeError, AttributeError):  # what our own writer does not write
            content = json.dumps({"format": "treewright-model", "version": 1, "checksum": "", "model": document}).encode()
        signal.setitimer(signal.ITIMER_PROF, 20)  # of the processor, so that a busy machine ends nothing
        try:
            loaded = read_model(io.BytesIO(content), "m.json", True)
        except tw.ModelFormatError:
            yield False
            continue
        ask_everything(loaded, rows)
        yield True


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "unlimited" not in sys.argv:  # sanitizers cannot start in a limited address space
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    times, seed = int(sys.argv[1]), int(sys.argv[2])
    for name, make in models().items():
        taken = list(tried(make, times, seed))
        print(name, len(taken), sum(taken), flush=True)
