"""Rules and nodes have one number everywhere, counted from 0: where they are listed, asked for, drawn, edited."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.cli import main
from treewright.explore.write import model_document


@pytest.fixture(scope="module")
def iris() -> Any:
    return tw.datasets.load_iris()


def test_nodes(iris: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tw.CARTClassifier(keep_candidates=True).fit(iris.X, iris.y)
    tree = model.tree_
    row = iris.X.iloc[[70]]
    (leaf,) = model.apply(row)
    path = tree.decision_path(row).indices.tolist()
    assert [node.id for node in next(path for path in tree.paths() if path[-1].id == leaf)] == path
    assert [step.node for step in model.explain(row).steps] == path[1:]
    assert [tree.node(id).id for id in range(tree.n_nodes)] == list(range(tree.n_nodes))
    assert {step.node: step.column for step in tree.trace()} == {
        node.id: node.split.column for node in tree.nodes() if node.split is not None
    }
    assert {rule.leaf for rule in tree.to_rules()} == {node.id for node in tree.leaves()}
    document = model_document(model)
    assert document["nodes"]["weight"] == [node.weight for node in tree.nodes()]
    inner = path[-2]
    edited = model.edit(iris.X, iris.y)
    edited.cut(inner)
    assert edited.tree.node(inner).is_leaf and not tree.node(inner).is_leaf
    model.save(tmp_path / "model.json")
    assert main(["show", str(tmp_path / "model.json"), "--why", str(inner), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["node"] == inner
    assert found["candidates"][0]["column"] == tree.node(inner).split.column
    assert main(["show", str(tmp_path / "model.json"), "--json"]) == 0
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    assert [node["node"] for node in nodes] == [node.id for node in tree.nodes()]


def test_rules() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = np.where((X[:, 0] > 0.8) | (X[:, 2] > 0.9), "a", np.where(X[:, 1] > 0.8, "b", "c"))
    model = tw.RipperClassifier(random_state=0).fit(X, y)
    rules = model.ruleset_
    assert len(rules) > 2
    decides = model.apply(X)
    frame = rules.to_frame()
    page = rules._repr_mimebundle_()["text/html"]
    listed = re.findall(r'<tr><td style="text-align:left">(\d*)</td><td style="text-align:left">([^<]*)<', page)
    markdown = [line.split(" | ")[0].lstrip("| ") for line in rules.to_markdown().splitlines()[2:]]
    document = model_document(model)
    for at, rule in enumerate(rules):
        some = np.flatnonzero(decides == at)
        explained = model.explain(X[some[:1]])
        assert rules[at] is rule and explained.rule == at and f"rule {at} decides" in explained.to_text()
        assert frame.index[at] == at and frame.loc[at, "weight"] == rule.weight
        assert listed[at][0] == str(at) == markdown[at]
        assert [len(document["says"]["rules"][2 * at]), len(rule.when)] == [len(rule.when)] * 2  # "rule at" there
        assert rules.drop(at).rules == tuple(each for each in rules if each is not rule)
    assert listed[-1][0] == markdown[-1] == ""
    default = np.flatnonzero(decides == -1)
    assert model.explain(X[default[:1]]).rule == -1 and frame.index[-1] == -1


def test_the_docs_say_so_once() -> None:
    docs = Path(__file__).parent.parent.parent / "docs"
    assert [page.name for page in sorted(docs.glob("*.md")) if "One number everywhere" in page.read_text()] == ["rules.md"]
