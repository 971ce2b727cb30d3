"""What a tree keeps when it is cut, answers missing cells another way, or is given gates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli import main
from treewright.model.gates import SoftThreshold
from treewright.model.leaves import Means
from treewright.model.leaves.base import Floats


class Doubled(Means):
    """A kind of leaves of its own: twice the mean."""

    @property
    def predictions(self) -> Floats:
        return 2 * self.nodes.value


@pytest.mark.parametrize("change", ["prune", "leaves", "merge", "majority", "refuse"])
def test_leaves_stay_of_their_kind(change: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    plain = tw.TreeRegressor(max_depth=4).fit(X, X[:, 0].round()).tree_
    tree = tw.Tree(plain._core, plain.schema, plain.target, Doubled(plain._core, plain.schema, plain.target))
    changes = {
        "prune": lambda one: one.prune("limits", max_depth=2),
        "leaves": lambda one: one.prune("cost_complexity", leaves=3),
        "merge": lambda one: one.merge_leaves(),
        "majority": lambda one: one.with_missing("majority"),
        "refuse": lambda one: one.with_missing("refuse"),
    }
    changed = changes[change](tree)
    assert type(changed.leaf_model) is Doubled
    np.testing.assert_array_equal(changed.predict(X), 2 * changes[change](plain).predict(X))


def test_leaves_that_compute_take_no_gates() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    tree = tw.M5Regressor().fit(X, np.where(X[:, 0] > 0, X[:, 1], 5 - X[:, 1])).tree_
    split = tree.root.split
    assert split is not None
    with pytest.raises(ValueError, match="takes no gates"):
        tree.with_gates({0: SoftThreshold(0, split.column, -1.0, split.cuts[0], 1.0)})


def test_files_of_such_trees_have_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    tree = tw.M5Regressor(smoothing="none").fit(X, np.where(X[:, 0] > 0, X[:, 1], 5 - X[:, 1])).tree_
    split = tree.root.split
    assert split is not None
    tree.save(tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    gate = {"node": [0], "column": [split.column], "lower": [-1.0], "cut": list(split.cuts), "upper": [1.0]}
    section = document.get("model", document)
    section["gates"] = {"kind": "soft_thresholds", **gate}
    (tmp_path / "tree.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="compute what they answer"):
        tw.load(tmp_path / "tree.json", edited=True)


@pytest.fixture(scope="module")
def softened() -> tuple[tw.C45Classifier, pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    y = np.where(X["a"] + rng.normal(size=300) / 2 > 0, "yes", "no")
    est = tw.C45Classifier(soft=True, pruned=False, min_samples_leaf=10).fit(X, y)
    assert est.tree_.gates
    return est, X, y


def test_what_was_fitted_soft_stays_soft(softened: tuple[tw.C45Classifier, pd.DataFrame, np.ndarray], tmp_path: Path) -> None:
    est, X, _ = softened
    shares = est.predict_proba(X)
    est.set_params(soft=False)  # of the next fit
    try:
        np.testing.assert_array_equal(est.predict_proba(X), shares)
        with pytest.raises(ValueError, match="soft thresholds belong to the tree"):
            est.prune("cost_complexity", leaves=2)
        est.save(tmp_path / "soft.json")
    finally:
        est.set_params(soft=True)
    assert '"gates"' not in (tmp_path / "soft.json").read_text()
    np.testing.assert_array_equal(tw.load(tmp_path / "soft.json").predict_proba(X), shares)


def test_the_command_line_does_not_cut_soft_trees(
    softened: tuple[tw.C45Classifier, pd.DataFrame, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    est, _, _ = softened
    est.save(tmp_path / "soft.json")
    assert main(["prune", str(tmp_path / "soft.json"), "--leaves", "2", "-o", str(tmp_path / "cut.json")]) != 0
    assert "soft thresholds belong to the tree" in capsys.readouterr().err
    assert not (tmp_path / "cut.json").exists()
