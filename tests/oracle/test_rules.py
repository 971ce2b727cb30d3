"""Rule learners against their definitions: IREP, both readings of RIPPER, and C4.5rules, on small noisy tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.oracle.covering import COHEN, IREP, JRIP, MISSING, Covering, Settings
from tests.oracle.sifting import sifted
from treewright.model.condition import Condition
from treewright.model.rules import cells_of

NOMINAL = [False, False, True, True, False]


def coded(seed: int) -> tuple[Any, Any]:
    """A table of codes, no two rows alike, and noisy classes."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(40, 90)), int(rng.integers(2, 4))
    numbers, levels = rng.integers(0, rng.integers(4, 20), (n, 2)), rng.integers(0, 4, (n, 2))
    said = (numbers[:, 0] > numbers[:, 0].mean()) + ((levels[:, 0] == 1) & (numbers[:, 1] < numbers[:, 1].mean()))
    y = np.where(rng.random(n) < rng.choice([0.05, 0.15, 0.3]), rng.integers(0, k, n), said % k)
    codes = np.column_stack([numbers, levels, rng.permutation(n)])
    for j in range(4):
        codes[:, j] = np.unique(codes[:, j], return_inverse=True)[1]
    if seed % 3 == 0:
        codes[:, :4] = np.where(rng.random((n, 4)) < 0.1, MISSING, codes[:, :4])
    return codes, y


def literals(condition: Condition) -> set[tuple[int, str, int]]:
    """A condition of the core as literals; an interval is two."""
    if condition.levels is not None:
        return {(condition.index, "=", code) for code in condition.levels}
    ends = (("<=", condition.high), (">=", condition.low))
    return {(condition.index, test, int(end.at)) for test, end in ends if end is not None}


def tightest(rule: list[tuple[int, str, int]]) -> set[tuple[int, str, int]]:
    out: dict[tuple[int, str], int] = {}
    for column, test, code in rule:
        key = (column, test)
        out[key] = min(out.get(key, code), code) if test == "<=" else max(out.get(key, code), code)
    return {(column, test, code) for (column, test), code in out.items()}


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("jrip", {}),
    ("jrip", {"rounds": 3, "folds": 2, "stop": "explains"}),
    ("jrip", {"prune": False, "rounds": 1}),
    ("jrip", {"stop": "error", "surplus": 0.0, "rounds": 0}),
    ("cohen", {}),
    ("cohen", {"rounds": 0, "folds": 4}),
    ("cohen", {"rounds": 1, "surplus": 0.0}),
    ("irep", {}),
]


@pytest.mark.parametrize(("variant", "options"), WAYS)
def test_covering_is_its_definition(variant: str, options: dict[str, Any]) -> None:
    found = 0
    for seed in range(12):
        codes, y = coded(seed)
        X = pd.DataFrame({f"x{j}": np.where(column == MISSING, np.nan, column) for j, column in enumerate(codes.T)})
        if variant == "irep":
            est, settings = tw.IrepClassifier(random_state=seed, categorical_features=[2, 3]), IREP
        else:
            est = tw.RipperClassifier(variant=variant, random_state=seed, categorical_features=[2, 3], **options)
            settings = Settings(**{**(JRIP if variant == "jrip" else COHEN), **options})
        rules = est.fit(X, y).ruleset_
        naive = Covering(codes, NOMINAL, np.unique(y, return_inverse=True)[1], est._learner.options()["seed"], settings)
        labels = sorted(set(y.tolist()))
        wanted = [(labels[label], tightest(rule)) for label, rule in naive.learn()]
        assert [(r.says, set().union(*(literals(c) for c in r.when))) for r in rules] == wanted, seed
        assert est.optimised_ == naive.optimised
        found += len(wanted)
    assert found > 12


def nominal_table(seed: int, grouped: bool) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 80)), int(rng.integers(2, 5))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 10, n) * 1.0,
            "b": rng.normal(size=n).round(1),
            "c": pd.Categorical.from_codes(rng.integers(0, 6 if grouped else 4, n), list("pqrstu")[: 6 if grouped else 4]),
            "d": pd.Categorical.from_codes(rng.integers(0, 2, n), list("vw")),
        }
    )
    if seed % 2:
        X.loc[rng.random(n) < 0.1, "a"] = np.nan
        X.loc[rng.random(n) < 0.1, "c"] = None
    said = (X["a"].fillna(3) > 5).astype(int) + X["c"].isin(["p", "s"]).astype(int)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, k, n), said % k)
    return X, np.array(list("wxyz"), object)[y]


@pytest.mark.parametrize(("grouped", "harmful"), [(False, (63, 68, 400)), (True, (134, 177, 265))])
def test_sifting_is_its_definition(grouped: bool, harmful: tuple[int, ...]) -> None:
    """Of some tables rules go in the end because they do harm."""
    compared = dropped = 0
    for seed in (*range(45), *harmful):
        X, y = nominal_table(seed, grouped)
        tree = tw.C45Classifier(pruned=False, min_samples_leaf=2, grouped=grouped).fit(X, y).tree_
        wanted = sifted(tree, cells_of(X, tree.schema), y, grouped)
        if wanted is None:
            continue
        est = tw.C45RulesClassifier(min_samples_leaf=2, grouped=grouped, random_state=1).fit(X, y)
        held = est.ruleset_.matches(X).T
        facts = zip(est.ruleset_, held, est.estimated_errors_, strict=True)
        assert [(r.says, own.tolist(), pytest.approx(error)) for r, own, error in facts] == [
            (draft.says, draft.covers.tolist(), draft.error) for draft in wanted[0]
        ], seed
        assert est.ruleset_.otherwise.says == wanted[1], seed
        compared += 1
        dropped += wanted[2]
    assert compared > 40
    assert dropped >= len(harmful)
