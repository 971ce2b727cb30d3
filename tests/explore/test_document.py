"""What goes into the page, and what does not: no cell of a row unless asked for, no name that could be markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import modest
from tests.show.names import HOSTILE
from treewright.explore.facts import _round_ends
from treewright.explore.modules import script, source
from treewright.explore.write import model_document
from treewright.explore.write import page as page_of


def held(content: bytes) -> Any:
    packed = re.search(rb'id="document">([^<]*)</script>', content)
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def numbers_in(value: Any) -> set[float]:
    """Every number of a document."""
    if isinstance(value, dict):
        return set().union(*map(numbers_in, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(numbers_in, value)) if value else set()
    return {float(value)} if isinstance(value, (int, float)) else set()


@pytest.fixture(scope="module")
def table() -> Any:
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"a": rng.normal(100, 30, 300), "b": rng.normal(0, 1e-3, 300), "c": rng.choice(["u", "v"], 300)})
    y = np.where((X.a > 100) ^ (X.c == "u"), "p", "q")
    y[rng.random(300) < 0.1] = "q"
    return X, y


def test_X9_no_cell_is_in_the_page_unless_asked_for(table: Any, tmp_path: Path) -> None:
    X, y = table
    model = tw.CARTClassifier(min_samples_leaf=5).fit(X[:200], y[:200])
    model.explore(tmp_path / "page.html", X, y)
    document = held((tmp_path / "page.html").read_bytes())
    cells = np.sort(np.abs([*X.a.tolist(), *X.b.tolist()]))
    assert document["rows"] is None and document["n_rows"] == 300
    told = np.abs(sorted(numbers_in(document)))
    near = cells[np.clip(np.searchsorted(cells, told), 1, len(cells) - 1)[:, None] - [0, 1]]
    assert np.all(np.abs(near - told[:, None]) > 1e-9 * near)  # not even rounded
    model.explore(tmp_path / "page.html", X, y, include_rows=40)
    rows = held((tmp_path / "page.html").read_bytes())["rows"]
    assert rows["number"][0] == 1 and rows["number"][-1] == 300 and len(rows["number"]) == 40
    assert rows["columns"][0] == X.a.iloc[np.array(rows["number"]) - 1].tolist()
    assert [["p", "q"][k] for k in rows["target"]] == y[np.array(rows["number"]) - 1].tolist()
    model.explore(tmp_path / "page.html", X, include_rows=True)
    assert len(held((tmp_path / "page.html").read_bytes())["rows"]["number"]) == 300


def test_X3_the_policy_names_the_only_script_and_the_only_style(table: Any) -> None:
    X, y = table
    content = page_of(model_document(tw.CARTClassifier().fit(X, y))).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)
    assert policy is not None and policy[1].startswith("default-src 'none'; ") and "unsafe" not in policy[1]
    code = re.findall(r'<script type="module">(.*?)</script>', content, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", content, re.DOTALL)
    for texts, name in ((code, "script-src"), (style, "style-src")):
        (text,) = texts
        assert f"{name} 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy[1]
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", content) == []
    assert re.findall(r"\.(?:innerHTML|outerHTML|insertAdjacentHTML|write)\b|\beval\b|new Function", content) == []


def test_the_page_is_the_same_bytes_for_the_same_model(table: Any) -> None:
    X, y = table
    pages = {page_of(model_document(tw.CARTClassifier().fit(X, y), X, y)) for _ in range(2)}
    assert len(pages) == 1


def test_names_do_not_reach_the_markup() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=60) for name in HOSTILE})
    y = pd.Series(np.where(X.iloc[:, 0] > 0, HOSTILE[1], HOSTILE[2]), name=HOSTILE[3])
    content = page_of(model_document(tw.CARTClassifier().fit(X, y), X, y)).decode()
    plain = page_of(model_document(tw.CARTClassifier().fit(X.set_axis(range(X.shape[1]), axis=1), y), title="t")).decode()
    packed = re.compile(r'(id="document">)[^<]*|<title>.*?</title>')
    assert packed.sub(r"\1", content) == packed.sub(r"\1", plain)
    assert held(content.encode())["target"] == HOSTILE[3]


def test_rows_that_are_not_the_training_rows_judge(table: Any) -> None:
    X, y = table
    model = tw.CARTClassifier().fit(X[:200], y[:200])
    own = model_document(model, X[:200], y[:200])
    assert own["given"] == {"training": True} and "validation" not in own["path"]
    other = model_document(model, X[200:], y[200:])
    wrong = float(np.mean(model.predict(X[200:]) != y[200:]))
    assert other["path"]["validation"][0] == pytest.approx(wrong, rel=1e-5)
    assert other["given"]["weight"][0] == 100 and len(other["given"]["loss"]) == model.tree_.n_nodes
    both = model_document(model, X[:200], y[:200], validation=(X[200:], y[200:]), folds=3)
    assert both["path"]["validation"] == other["path"]["validation"] and len(both["path"]["cv"]) == len(other["path"]["alpha"])
    assert both["path"]["best"] == model.pruning_path(X[:200], y[:200], folds=3).choose("best")


@pytest.mark.parametrize("smoothing", ["m5", "blend"])
def test_other_rows_judge_equations_by_what_they_say(smoothing: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, (600, 2))
    y = np.where(X[:, 0] > 0, 4 * X[:, 1], -3 * X[:, 0]) + 0.2 * rng.normal(size=600)
    weight = rng.integers(0, 3, 300).astype(float)
    est = tw.M5Regressor(smoothing=smoothing).fit(X[:300], y[:300])
    tree, (X_, y_) = est.tree_, (X[300:], y[300:])
    assert model_document(est, X[:300], y[:300])["given"] == {"training": True}
    given = model_document(est, validation=(X_, y_, weight))["given"]
    leaf, off = est.apply(X_), est.predict(X_) - y_
    asked = [node for node in tree.leaves() if weight[leaf == node.id].any()]
    assert len(asked) > 1
    for node in asked:
        own = weight * (leaf == node.id)
        assert given["weight"][node.id] == own.sum()
        assert given["off"][node.id] == pytest.approx(np.sqrt(np.sum(own * off**2) / own.sum()), rel=1e-5)
    assert given["weight"][0] == 0  # nothing is said of the nodes above
    assert model_document(tree, X_, y_)["given"]["training"] is False


@pytest.mark.parametrize("criterion", ["variance", "absolute_error", "worst_case", "poisson"])
def test_other_rows_are_off_in_the_unit_of_the_spread(criterion: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 3, (400, 1))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    est = tw.CARTRegressor(criterion=criterion, max_depth=2).fit(X[:200], y[:200])
    given = model_document(est, validation=(X[200:], y[200:]))["given"]
    for node in est.tree_.leaves():
        own, said = y[200:][est.apply(X[200:]) == node.id], node.prediction
        log = np.where(own > 0, own * np.log(np.maximum(own, 1) / said), 0)
        expected = {
            "variance": np.sqrt(np.mean((own - said) ** 2)),
            "poisson": np.sqrt(2 * np.mean(log - own + said) * said),
        }.get(criterion, np.mean(np.abs(own - said)))
        assert given["off"][node.id] == pytest.approx(expected, rel=1e-4)


def test_histograms_count_the_rows_of_nodes(table: Any) -> None:
    X, y = table
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    document = model_document(model, X, y)
    for id, (low, high, groups, counts) in document["histograms"].items():
        assert low < high and groups == 2 and sum(counts) == model.tree_.node(id).weight


def test_what_cannot_be_explored_is_said(table: Any, tmp_path: Path) -> None:
    X, y = table
    model = tw.CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="include_rows= puts rows into the page: pass them as X"):
        model.explore(tmp_path / "x.html", include_rows=True)
    with pytest.raises(ValueError, match="include_rows=-3 is not allowed"):
        model.explore(tmp_path / "x.html", X, y, include_rows=-3)
    with pytest.raises(ValueError, match="X has 300 rows and y has 299"):
        model.explore(tmp_path / "x.html", X, y[1:])
    with pytest.raises(ValueError, match="y belongs to rows"):
        model.explore(tmp_path / "x.html", None, y)
    with pytest.raises(ValueError, match="pass the training rows"):
        model.explore(tmp_path / "x.html", folds=3)
    with pytest.raises(ValueError, match="a list of rules has one size"):
        tw.RipperClassifier().fit(X, y).explore(tmp_path / "x.html", folds=3)
    assert list(tmp_path.iterdir()) == []


def test_trees_without_splits_and_lists_without_rules(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    document = model_document(tw.CARTClassifier().fit(X, ["p", "p", "p"]), X)
    assert document["path"] is None and document["nodes"]["count"] == [0]
    document = model_document(tw.RipperClassifier().fit(X, ["p", "p", "q"]), X)
    assert document["nodes"]["first"][-1] == 0 and document["kind"] == "rules"


@pytest.mark.parametrize("model", [tw.CARTClassifier(), tw.RipperClassifier()])
def test_a_level_that_training_did_not_show_is_warned_of_once(model: Any) -> None:
    X = pd.DataFrame({"a": list("xyz") * 20, "b": np.arange(60.0)})
    model.fit(X, np.where(X.a == "x", "p", "q"))
    with pytest.warns(tw.TreewrightWarning, match="never seen in training") as caught:
        model_document(model, X.replace({"a": {"z": "new"}}), np.where(X.a == "x", "p", "q"))
    assert len(caught) == 1


def test_modules_are_joined_in_the_order_of_need() -> None:
    text = script("main")
    names = re.findall(r"^const \$(\w+) = \(\(\) => \{$", text, re.MULTILINE)
    assert names[-1] == "main" and len(set(names)) == len(names)
    for name in names:
        for needed in re.findall(r'^import \{.*\} from "\./(\w+)\.js";$', source(f"{name}.js"), re.MULTILINE):
            assert names.index(needed) < names.index(name)
    assert "import " not in re.sub(r"//.*", "", text)


def test_the_widget_has_the_same_modules(table: Any) -> None:
    pytest.importorskip("anywidget")
    X, y = table
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    widget = model.explore(X=X, y=y)
    assert script("main").split("\n")[0] in widget._esm and "export default { render: $widget.render };" in widget._esm
    assert json.loads(gzip.decompress(base64.b64decode(widget.document)))["target"] == "target"
    assert widget.selected_node == -1 and widget.row is None
    assert "html, body" not in widget._css


@modest(300)
@given(
    st.floats(-1e15, 1e15),
    st.one_of(st.floats(0, 1e6), st.sampled_from([1e-3, 1e-9, 1.0, 999.0, 1e3, 86_400e6])),
    st.sampled_from([2, 20]),
)
def test_a_scale_reaches_beyond_its_cells_by_less_than_a_step(least: float, span: float, steps: int) -> None:
    most = least + span
    low, high = _round_ends(least, most, steps)
    assert low <= least <= most <= high
    if most - least > 1e-300:
        step = 10.0 ** math.floor(math.log10(most - least)) / steps
        if abs(least) < 1e6 and span > 1e-3:  # no cell is told
            assert [end / step for end in (low, high)] == pytest.approx([round(end / step) for end in (low, high)], abs=1e-6)
        assert high - low <= 2 * (most - least) + 2e-11 * max(abs(least), abs(most))


def test_the_mark_of_the_best_tree() -> None:
    """The curve of a tree that was searched for says what no other can beat."""
    iris = tw.datasets.load_iris()
    whole = tw.OptimalTreeClassifier(max_depth=2).fit(iris.X, iris.y)
    path = model_document(whole, iris.X, iris.y)["path"]
    assert path["bound"] == path["training"][0] == pytest.approx(6 / 150) and path["proven"] is True
    ended = tw.OptimalTreeClassifier(max_depth=3, max_steps=30).fit(iris.X, iris.y)
    path = model_document(ended, iris.X, iris.y)["path"]
    assert path["bound"] == pytest.approx(ended.lower_bound_ / 150, rel=1e-5) and path["proven"] is False
    for other in (tw.CARTClassifier(max_depth=2), tw.OptimalTreeClassifier(max_depth=2, cost_per_leaf=2)):
        assert "bound" not in model_document(other.fit(iris.X, iris.y), iris.X, iris.y)["path"]
