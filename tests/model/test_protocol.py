"""Every learned model is asked by one protocol; a class that fulfils it is predicted, described and exported by the same code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli import main
from treewright.cli.model_text import headline
from treewright.export.labels import class_labels, inputs_of
from treewright.export.program import ANSWER, REFUSED, Answer, Program
from treewright.model.protocol import Model
from treewright.model.rule import Rule
from treewright.model.rules import RuleSet
from treewright.table import TableSchema, TargetSchema
from treewright.table.files import read_file

FACTS = ("schema", "target", "kind", "has_nodes", "classes", "sizes", "size_text")
METHODS = ("predict", "predict_proba", "apply", "explain", "reasons", "to_rules", "program", "document", "data", "save")


def table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.normal(size=80), "c": rng.choice(list("pqr"), 80)})
    return X, np.where((X["x"] > 0) & (X["c"] != "q"), "yes", "no")


@pytest.mark.parametrize("est", [tw.CARTClassifier(), tw.RipperClassifier(random_state=0), tw.C45Classifier(soft=True)])
def test_what_estimators_learn_fulfils_the_protocol(est: Any, tmp_path: Path) -> None:
    X, y = table()
    with pytest.raises(ValueError, match="is not fitted yet"):
        _ = est._model
    model = est.fit(X, y)._model
    assert isinstance(model, Model) and model._model is model and model.kind in ("tree", "rules")
    assert all(hasattr(model, name) for name in (*FACTS, *METHODS))
    assert model.predict(X).tolist() == est.predict(X).tolist()
    assert np.array_equal(model.predict_proba(X), est.predict_proba(X))
    assert len(model.reasons(X)) == len(X) and model.explain(X.iloc[0]).says == est.predict(X)[0]
    assert isinstance(model.to_rules(), RuleSet) and model.data()["target"] == "target"
    assert model.program(est._class_order()) == est._program()
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json") == model
    assert model.document()["kind"] == model.kind


class Constant(Model):
    """A kind of model that no other code knows of: one class, whatever the row."""

    kind = "constant"

    def __init__(self, schema: TableSchema, target: TargetSchema, code: int) -> None:
        self.schema, self.target, self.code = schema, target, code

    def predict(self, X: Any) -> Any:
        assert self.classes is not None
        return np.array([self.classes[self.code]] * len(X), object)

    def predict_proba(self, X: Any) -> Any:
        return np.eye(len(self.classes or ()))[[self.code] * len(X)]

    def predict_cells(self, cells: Any, threads: int = 1) -> Any:
        return self.predict(range(cells[1]))

    def shares_of_cells(self, cells: Any, threads: int = 1) -> Any:
        return self.predict_proba(range(cells[1]))

    def apply(self, X: Any) -> Any:
        return np.zeros(len(X), np.int64)

    def to_rules(self) -> RuleSet:
        assert self.classes is not None
        return RuleSet((), self.schema, self.target, True, Rule((), self.classes[self.code]))

    @property
    def sizes(self) -> dict[str, int]:
        return {"n_answers": 1}

    @property
    def size_text(self) -> str:
        return "1 answer"

    def program(self, order: Sequence[int] | None = None) -> Any:
        shares = tuple(float(k == self.code) for k in range(len(self.classes or ())))
        return Program(
            inputs=inputs_of(self.schema),
            target=self.target.name,
            classes=class_labels(self.classes),
            order=tuple(range(len(shares))) if order is None else tuple(order),
            column=[ANSWER],
            cuts=[()],
            to=[()],
            less=[False],
            missing=[REFUSED],
            answer=[0],
            answers=[Answer(self.code, shares)],
            ways={},
        )


def test_another_class_is_asked_described_and_exported_by_the_same_code(tmp_path: Path) -> None:
    X, y = table()
    tree = tw.CARTClassifier().fit(X, y).tree_
    model = Constant(tree.schema, tree.target, 1)
    space: dict[str, Any] = {}
    exec(model.to_python(), space)
    assert [space["predict"](row) for row in X.to_dict("records")] == model.predict(X).tolist()
    assert "'yes'" in model.to_sql() and "yes" in model.to_javascript() and "yes" in model.to_c()
    assert headline("constant", model) == "constant: 1 answer"
    X.to_csv(tmp_path / "rows.csv", index=False)
    kinds = read_file(str(tmp_path / "rows.csv"), like=model).table.schema
    assert kinds.names == ["x", "c"]
    with pytest.raises(TypeError, match="holds no tree"):
        tw.plot_tree(model)


def test_a_tree_alone_is_exported_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    est = tw.CARTClassifier().fit(*table())
    est.tree_.save(tmp_path / "tree.json")
    assert main(["export", str(tmp_path / "tree.json"), "--to", "python", "-q"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == est.to_python().rstrip("\n")
    tw.RipperClassifier().fit(*table()).ruleset_.save(tmp_path / "rules.json")
    assert main(["export", str(tmp_path / "rules.json"), "--to", "dot", "-q"]) == 2
    assert "this model is a list of rules, not a tree" in capsys.readouterr().err
