"""Cards of static pictures: every split says yes and no, ∅ is explained, long lists of levels are named, numbers are plotted."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.show.histogram import histograms
from treewright.show.node_text import NodeText

SVG = "{http://www.w3.org/2000/svg}"
LEVELS = [f"a level named {k}" for k in range(10)]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def levelled() -> tuple[tw.Tree, pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    weight = np.arange(1.0, 11)
    X = pd.DataFrame({"kind": rng.choice(LEVELS, 400, p=weight / weight.sum()), "x": rng.random(400)})
    y = np.where(X.kind.isin(LEVELS[::3]) ^ (rng.random(400) < 0.05), "in", "out")
    return tw.CARTClassifier(max_depth=2).fit(X, y).tree_, X, y


def test_every_split_says_yes_and_no() -> None:
    data = tw.datasets.load_iris()
    tree = tw.CARTClassifier().fit(data.X, data.y).tree_
    said = texts(tree.to_svg())
    assert said.count("yes") == said.count("no") == tree.n_splits


def test_the_sign_of_missing_cells_is_explained() -> None:
    data = tw.datasets.load_play_tennis()
    tree = tw.TreeClassifier(recipe="id3", missing="majority").fit(data.X, data.y).tree_
    assert not any("∅" in text for text in texts(tree.to_svg()))
    X = data.X.copy()
    X.loc[[0, 3], "outlook"] = None
    for policy in ("majority", "fraction"):
        said = texts(tw.TreeClassifier(recipe="id3", missing=policy).fit(X, data.y).tree_.to_svg())
        assert said[:3] == ["no", "yes", "∅ missing cells"]
        assert any("∅" in text for text in said[3:])


def test_long_lists_of_levels_are_counted_and_named(levelled: tuple[tw.Tree, pd.DataFrame, np.ndarray]) -> None:
    tree, X, y = levelled
    split = tree.root.split
    sides = [[name for name in LEVELS if split.levels[name] == branch] for branch in (0, 1)]
    said = texts(tree.to_svg(max_depth=1))
    assert f"kind: {len(sides[0])} of 10 levels?" in said
    rest = [f" + {len(side) - 3}" if len(side) > 3 else "" for side in sides]
    for word, more in zip(("yes", "no"), rest, strict=True):
        (line,) = [text for text in said if text.startswith(f"{word}: ")]
        assert line.endswith(more) and line.startswith(f"{word}: a ")
    # With rows the tallest bars are named first.
    counts = X.kind.value_counts()
    tall = [sorted(side, key=lambda name: -counts[name]) for side in sides]
    nodes = NodeText(tree)
    found = histograms(tree, nodes, X, y, [0])[0]
    for word, side, line in zip(("yes", "no"), tall, nodes.level_names(0, found.levels), strict=True):
        assert line.startswith(f"{word}: {', '.join(side[:3])}")
    # In full it is in the title of the card, and of a few levels nothing is counted.
    assert "kind in {" in tree.to_svg() and " levels?" not in "".join(texts(_few().to_svg()))


def _few() -> tw.Tree:
    return tw.CARTClassifier().fit(pd.DataFrame({"k": list("abcd") * 5}), list("uvuu") * 5).tree_


def test_bars_stand_by_branch(levelled: tuple[tw.Tree, pd.DataFrame, np.ndarray]) -> None:
    tree, X, y = levelled
    found = histograms(tree, NodeText(tree), X, y, [0])[0]
    codes = tree.columns[0].levels
    branches = [tree.root.split.levels[codes[code]] for code in found.levels]
    assert list(found.branches) == branches == sorted(branches)
    counts = X.kind.value_counts()
    assert [sum(bar) for bar in found.bins] == [counts[codes[code]] for code in found.levels]
    lines = [rect for rect in ET.fromstring(tree.to_svg(X=X, y=y, max_depth=1)).iter(f"{SVG}rect") if rect.get("height") == "2.4"]
    full, hollow = lines[:2]
    assert full.get("fill") == "#1a1a1a" and hollow.get("fill") == "#ffffff"
    assert float(full.get("x")) + float(full.get("width")) < float(hollow.get("x"))


def test_numbers_are_plotted_with_the_mean_of_each_branch() -> None:
    data = tw.datasets.load_diabetes()
    tree = tw.CARTRegressor(max_depth=1).fit(data.X, data.y).tree_
    found = histograms(tree, NodeText(tree), data.X, data.y, [0])[0]
    x, y = np.asarray(data.X[tree.root.split.column], float), np.asarray(data.y, float)
    wanted, *_ = np.histogram2d(x, y, [20, 8])
    assert np.abs(np.asarray(found.bins) - wanted).sum() <= 6 and found.target == (y.min(), y.max())
    paths = [
        path for path in ET.fromstring(tree.to_svg(X=data.X, y=data.y)).iter(f"{SVG}path") if path.get("stroke-width") == "1.6"
    ]
    (x0, y0, x1), (x2, y2, x3) = [
        (float(a), float(b), float(c)) for a, b, c, _ in (path.get("d")[1:].replace("L", " ").split() for path in paths)
    ]
    assert x1 == pytest.approx(x2, abs=0.01) and x0 < x1 < x3
    lower, upper = (child.value for child in tree.root.children)
    assert (y0 - y2) / 38 == pytest.approx((upper - lower) / np.ptp(y), abs=0.001)
    assert texts(tree.to_svg())[:3] == ["mean of progression", *(f"{child.value:.4g}" for child in tree.root.children)]


def test_the_text_of_a_tree_says_what_its_bar_shows() -> None:
    data = tw.datasets.load_iris()
    tree = tw.CARTClassifier(max_depth=1).fit(data.X, data.y == "setosa").tree_
    assert tree.to_text().splitlines()[-1] == "bar: █ True, ░ False"
    assert tree.to_text(ascii=True).splitlines()[-1] == "bar: # True, . False"
    assert "bar:" not in tree.to_text(width=50)  # there is none
    many = tw.CARTClassifier(max_depth=1).fit(np.arange(60.0)[:, None], [f"k{k}" for k in range(30)] * 2).tree_
    assert "bar:" not in many.to_text()
