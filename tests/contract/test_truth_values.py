"""Truth values are two levels to learners that split by levels, from every container; CART and M5 read them as 0 and 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw

RARE = np.zeros(1000, bool)  # too few for a threshold, which would need a tenth of the rows per class or 25
RARE[:10] = True
SAID = np.where(RARE, "p", "q")
BY_LEVEL: list[Any] = [
    tw.C45Classifier,
    lambda: tw.C45Classifier(variant="j48"),
    lambda: tw.C45Classifier(grouped=True),
    tw.ID3Classifier,
    tw.MemorisingTreeClassifier,
    tw.BacktrackingTreeClassifier,
]
CONTAINERS = {
    "numpy": RARE[:, None],
    "list": [[bool(flag)] for flag in RARE],
    "objects": RARE.astype(object)[:, None],
    "pandas": pd.DataFrame({"x0": RARE}),
    "nullable": pd.DataFrame({"x0": pd.array(RARE, dtype="boolean")}),
    "polars": pl.DataFrame({"x0": RARE}),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("make", BY_LEVEL)
def test_a_rare_truth_is_a_branch(make: Any, container: str) -> None:
    X = CONTAINERS[container]
    est = make().fit(X, SAID)
    assert str(est.tree_.to_rules()).startswith("if x0 = False then target = q")
    split = est.tree_.root.split
    assert (split.family, split.levels) == ("multiway", {False: 0, True: 1})
    assert np.array_equal(est.predict(X), SAID)
    for again in ([[True], [False]], [[1], [0]], [[1.0], [0.0]]):
        table = again if container in ("numpy", "list", "objects") else pd.DataFrame(again, columns=["x0"])
        assert est.predict(table).tolist() == ["p", "q"]


@pytest.mark.parametrize("make", [tw.RipperClassifier, tw.PartClassifier, tw.C45RulesClassifier, tw.REPTreeClassifier])
def test_learners_of_rules_read_levels(make: Any) -> None:
    est = make().fit(CONTAINERS["pandas"], SAID)
    columns = est.tree_.columns if hasattr(est, "tree_") else est.ruleset_.schema.columns
    assert [(column.kind, column.levels) for column in columns] == [("nominal", (False, True))]
    assert np.array_equal(est.predict(CONTAINERS["pandas"]), SAID)


def test_missing_truths_are_divided() -> None:
    cells = np.array([[True]] * 6 + [[False]] * 6 + [[None]] * 2, object)
    est = tw.C45Classifier().fit(cells, ["p"] * 6 + ["q"] * 6 + ["p"] * 2)
    assert [child.weight for child in est.tree_.root.children] == [7, 7]
    assert est.predict_proba([[None]])[0] == pytest.approx([8 / 14, 6 / 14])


def test_one_truth_declares_both_and_the_other_is_never_a_surprise() -> None:
    flags = pd.DataFrame({"flag": [True] * 8, "x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    est = tw.C45Classifier().fit(flags, list("ppppqqqq"))
    assert est.tree_.columns[0].levels == (False, True)
    assert est.predict(flags.assign(flag=False)).tolist() == list("ppppqqqq")


def test_text_in_a_file_is_a_truth_too(tmp_path: Path) -> None:
    path = tmp_path / "flags.csv"
    path.write_text("flag,said\n" + "".join(f"{str(flag).lower()},{said}\n" for flag, said in zip(RARE, SAID, strict=True)))
    table = tw.read_table(path)
    assert tw.C45Classifier().fit(table.select(["flag"]), table["said"]).tree_.n_nodes == 3


def test_saved_models_keep_the_levels(tmp_path: Path) -> None:
    est = tw.C45Classifier().fit(CONTAINERS["pandas"], SAID)
    est.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert again.tree_.columns[0].levels == (False, True)
    assert again.predict(pd.DataFrame({"x0": [True, False]})).tolist() == ["p", "q"]


def test_cart_cuts_and_says_the_same() -> None:
    X = CONTAINERS["pandas"]
    cut = tw.CARTClassifier().fit(X, SAID).tree_
    named = tw.CARTClassifier(categorical_features=["x0"]).fit(X, SAID).tree_
    assert cut.root.split.family == "threshold"
    assert str(cut.to_rules()) == str(named.to_rules())


def test_two_level_columns_grow_the_tree_of_their_truths(shared: Path) -> None:
    votes = pd.read_parquet(shared / "data" / "vote.parquet")
    X, y = votes.iloc[:, :-1], votes.iloc[:, -1]
    truths = X.apply(lambda column: pd.array([None if code < 0 else bool(code) for code in column.cat.codes], dtype="boolean"))
    for variant in ("r8", "j48"):
        ours, theirs = (tw.C45Classifier(variant=variant).fit(table, y).tree_ for table in (truths, X))
        assert [(node.weight, node.value) for node in ours.nodes()] == [(node.weight, node.value) for node in theirs.nodes()]
