"""Trees as SVG: well formed, deterministic, accessible, every name escaped, nothing overlaps, what is drawn is what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.show.names import HOSTILE
from treewright.errors import visible
from treewright.show.draw import tree_picture
from treewright.show.picture import Box, Text, blend, fitted, text_width
from treewright.show.scene import count_text

SVG = "{http://www.w3.org/2000/svg}"


def iris(**options: object) -> tw.Tree:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(**options).fit(data.X, data.y).tree_


def noisy_xor(leaves: int) -> tw.Tree:
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (rng.random(3000) < 0.1)
    return tw.CARTClassifier(max_leaf_nodes=leaves).fit(X, y).tree_


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_it_is_an_accessible_image() -> None:
    root = ET.fromstring(iris().to_svg())
    assert root.attrib["role"] == "img"
    title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and about is not None
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], about.attrib["id"]]
    assert title.text == "Decision tree for species"
    assert about.text == "17 nodes, 9 leaves, depth 5, 150 rows. It asks first: petal length (cm) <= 2.45?"
    assert len(root.attrib["viewBox"].split()) == 4
    # Every node says in full what it is; text is text; nothing is fetched or run.
    assert len([g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]) == 17
    allowed = {f"{SVG}{name}" for name in ("svg", "title", "desc", "rect", "g", "text", "path")}
    assert {element.tag for element in root.iter()} <= allowed
    assert not any(key.startswith("on") or "href" in key for element in root.iter() for key in element.attrib)


def test_what_a_card_says() -> None:
    said = texts(iris(max_depth=1).to_svg())
    assert said == [
        *("setosa", "versicolor", "virginica"),
        *("petal length (cm) ≤ 2.45?", "150 rows"),
        *("setosa", "50 rows   100%", "versicolor", "100 rows   50%"),
        *("yes", "no"),
    ]


def test_branches_of_many_carry_their_values_and_missing_cells_their_sign() -> None:
    data = tw.datasets.load_play_tennis()
    X = data.X.copy()
    X.loc[[0, 3], "outlook"] = None
    whole = tw.TreeClassifier(recipe="id3", missing="majority", max_depth=1).fit(X, data.y).tree_
    assert texts(whole.to_svg())[-3:] == ["sunny ∅", "overcast", "rain"]
    parts = tw.TreeClassifier(recipe="id3", missing="fraction", max_depth=1).fit(X, data.y).tree_
    assert texts(parts.to_svg())[-3:] == ["sunny ∅ 33%", "overcast ∅ 33%", "rain ∅ 33%"]


def test_the_same_bytes_in_another_process() -> None:
    code = (
        "import treewright as tw; d = tw.datasets.load_iris(); "
        "print(tw.CARTClassifier().fit(d.X, d.y).tree_.to_svg(X=d.X, y=d.y, row=d.X.iloc[[70]]), end='')"
    )
    source = str(Path(tw.__file__).resolve().parents[1])
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env={"PYTHONPATH": source, "PYTHONHASHSEED": seed}, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(runs) == 1


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_x1_names_are_shown_literally(name: str) -> None:
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    y = pd.Series([name, "b", "b", "a"], name=name)
    for estimator in (tw.ID3Classifier(), tw.CARTClassifier()):
        tree = estimator.fit(X, y).tree_
        for kind in ("tree", "icicle"):
            document = tree.to_svg(kind=kind, X=X, y=y, row=X.iloc[[0]])
            root = ET.fromstring(document)
            allowed = {"svg", "title", "desc", "rect", "g", "text", "path"}
            assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
            shown = "".join(element.text or "" for element in root.iter())
            assert visible(name)[:100].replace(" <= ", " ≤ ") in shown
            assert len(document) < 60_000


def test_hostile_width_is_escaped() -> None:
    root = ET.fromstring(iris(max_depth=1).to_svg(width='1"><script>'))
    assert root.attrib["width"] == '1"><script>'
    assert ET.fromstring(iris(max_depth=1).to_svg(width="85mm")).attrib["width"] == "85mm"


@pytest.mark.parametrize("tree", [iris(), noisy_xor(60)], ids=["iris", "60 leaves"])
@pytest.mark.parametrize("align", [False, True])
def test_cards_do_not_overlap(tree: tw.Tree, align: bool) -> None:
    picture = tree_picture(tree, kind="tree", align_leaves=align)
    cards = [group.shapes[0] for group in picture.groups if group.title]
    assert len(cards) == tree.n_nodes
    boxes = [(card.x, card.y, card.x + card.width, card.y + card.height) for card in cards if isinstance(card, Box)]
    for i, a in enumerate(boxes):
        assert a[0] >= 0 and a[1] >= 0 and a[2] <= picture.width and a[3] <= picture.height
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    if align:
        assert len({b[1] for b, node in zip(boxes, tree.nodes(), strict=True) if node.is_leaf}) == 1


def test_text_stays_in_its_card() -> None:
    data = tw.datasets.load_breast_cancer()
    picture = tree_picture(tw.CARTClassifier().fit(data.X, data.y).tree_)
    for group in picture.groups:
        if not group.title:
            continue
        card = group.shapes[0]
        assert isinstance(card, Box)
        for shape in group.shapes:
            if isinstance(shape, Text):
                assert shape.x >= card.x
                assert shape.x + text_width(shape.text, shape.size) <= card.x + card.width + 1e-6


def test_large_trees_are_icicles_and_say_so() -> None:
    tree = noisy_xor(200)
    assert any(text.startswith("width = rows") for text in texts(tree.to_svg()))
    assert tree.to_svg() == tree.to_svg(kind="icicle")
    assert not any(text.startswith("width = rows") for text in texts(tree.to_svg(kind="tree")))
    assert any(text.startswith("counts are left out") for text in texts(tree.to_svg(kind="tree")))


def test_boxes_of_an_icicle_tile_their_parent() -> None:
    tree = noisy_xor(100)
    picture = tree_picture(tree, kind="icicle")
    boxes = [group.shapes[0] for group in picture.groups if group.title]
    assert sum(box.width for box in boxes if isinstance(box, Box)) <= 700.0 * (tree.depth + 1)
    by_level: dict[float, float] = {}
    for box in boxes:
        assert isinstance(box, Box)
        by_level[box.y] = by_level.get(box.y, 0.0) + box.width
    first, second, *_ = (by_level[y] for y in sorted(by_level))
    assert first == pytest.approx(second) == pytest.approx(700.0)


def test_depth_limit_leaves_stubs() -> None:
    tree = iris()
    said = texts(tree.to_svg(max_depth=2))
    assert [text for text in said if text.startswith("▸")] == ["▸ 5 leaves", "▸ 3 leaves"]


@pytest.mark.parametrize(("width", "points"), [("85mm", 240.94), ("17cm", 481.89), ("3in", 216), ("300pt", 300), ("400px", 300)])
def test_text_is_never_too_small_to_read(width: str, points: float) -> None:
    data = tw.datasets.load_breast_cancer()
    tree = tw.CARTClassifier().fit(data.X, data.y).tree_
    for kind in ("tree", "icicle"):
        root = ET.fromstring(tree.to_svg(kind=kind, width=width))
        wide = float(root.attrib["viewBox"].split()[2])
        assert points / wide * 8 >= 6 - 1e-3
        assert root.attrib["width"] == width
    assert any(text.startswith("▸") for text in texts(tree.to_svg(width="85mm")))
    assert not any(text.startswith("▸") for text in texts(tree.to_svg(width="100%")) + texts(tree.to_svg()))


def test_a_row_and_its_way() -> None:
    data = tw.datasets.load_iris()
    tree = iris()
    row = data.X.iloc[[70]]
    picture = tree_picture(tree, row=row)
    marked = {i for i, group in enumerate(g for g in picture.groups if g.title) if group.shapes[0].line == "#1a1a1a"}
    assert marked == set(tree.decision_path(row).indices.tolist())
    with pytest.raises(ValueError, match="row has 2 rows"):
        tree.to_svg(row=data.X.iloc[:2])


def test_histograms_count_every_row_of_the_node() -> None:
    from treewright.show.histogram import histograms
    from treewright.show.node_text import NodeText

    data = tw.datasets.load_iris()
    tree = iris()
    words = NodeText(tree)
    inner = [node.id for node in tree.nodes() if not node.is_leaf]
    found = histograms(tree, words, data.X, data.y, inner)
    assert set(found) == set(inner)
    for id in inner:
        by_class = np.sum(found[id].bins, axis=0)[:3]
        weights = tree.node(id).value
        assert isinstance(weights, dict)
        assert by_class.tolist() == [weights.get(label, 0) for label in tree.target.classes or ()]
    values = data.X[words.splits.source(0).column.name].to_numpy()
    counts, ends = np.histogram(values, len(found[0].bins))
    assert np.sum(found[0].bins, axis=1).tolist() == counts.tolist()
    assert (found[0].low, found[0].high) == (ends[0], ends[-1])
    with pytest.raises(ValueError, match="X has 150 rows and y has 3"):
        tree.to_svg(X=data.X, y=data.y[:3])


def test_single_leaves_empty_branches_and_odd_numbers_are_drawn() -> None:
    X = np.zeros((4, 1))
    ET.fromstring(tw.CARTClassifier().fit(X, [0, 0, 1, 1]).tree_.to_svg())
    for y in ([1e308, -1e308, 0, 1.0], [5.0] * 4, [1e-320, 0, 0, 0]):
        tree = tw.CARTRegressor().fit(np.arange(4.0)[:, None], y).tree_
        for kind in ("tree", "icicle"):
            document = tree.to_svg(kind=kind, X=np.arange(4.0)[:, None])
            ET.fromstring(document)
            assert not re.search(r'"-?(nan|inf)', document)
    low = tw.datasets.load_play_tennis(low=True)
    tree = tw.ID3Classifier().fit(low.X, low.y).tree_
    assert "no rows" in texts(tree.to_svg())


def test_numbers_are_written_for_people() -> None:
    assert [count_text(n) for n in (1, 1234, 12345, 1234567, 0.25, 12345.5)] == [
        *("1", "1234", "12\u2009345", "1\u2009234\u2009567", "0.25", "12\u2009345.5"),
    ]
    assert blend("#000000", 0.5) in ("#808080", "#7f7f7f")
    assert fitted("short", 10, 100) == "short"
    assert text_width(fitted("w" * 100, 10, 60), 10) <= 60


def test_unknown_kind() -> None:
    with pytest.raises(ValueError, match="kind='pie' is not allowed: it must be one of 'auto', 'tree', 'icicle'"):
        iris().to_svg(kind="pie")


def test_numbers_of_equations_have_a_key() -> None:
    data = tw.datasets.load_diabetes()
    tree = tw.M5Regressor().fit(data.X, data.y).tree_
    picture = tree.to_svg()
    assert ">LM 1: " in picture
    cut = tree.to_svg(max_depth=0)
    assert ">LM 1: " not in cut or tree.n_leaves == 1


def test_leaves_with_scores_claim_no_share_of_rows() -> None:
    data = tw.datasets.load_iris()
    for est, claims in ((tw.CARTClassifier(max_depth=1), True), (tw.LogisticTreeClassifier(), False)):
        texts = re.findall(r"<text[^>]*>([^<]*)", est.fit(data.X, data.y).tree_.to_svg())
        assert texts and any("%" in text for text in texts) == claims


def test_the_bar_of_a_spread_is_seen_on_every_card() -> None:
    x = np.arange(40.0)
    svg = tw.CARTRegressor(max_leaf_nodes=4).fit(x[:, None], x + np.tile([0.0, 3.0], 20)).tree_.to_svg()
    fills = re.findall(r'<rect[^>]*height="4"[^>]*fill="(#\w+)"', svg)
    cards = re.findall(r'<rect[^>]*stroke[^>]*fill="(#\w+)"', svg) + re.findall(r'<rect[^>]*fill="(#\w+)"[^>]*stroke', svg)
    assert fills and cards and not set(fills) & set(cards)


def test_cuts_are_marked_below_the_line_of_a_histogram() -> None:
    from treewright.show.histogram import histogram_shapes, histograms
    from treewright.show.node_text import NodeText
    from treewright.show.picture import Path as Line

    data, tree = tw.datasets.load_iris(), iris()
    words = NodeText(tree)
    found = histograms(tree, words, data.X, data.y, [0])[0]
    lines = [each for each in histogram_shapes(words, 0, found, 10.0, 50.0, 120.0) if isinstance(each, Line)]
    base = next(each for each in lines if each.fill is None)
    marks = [each for each in lines if each.fill is not None]
    assert base.points == [(10.0, 70.0), (130.0, 70.0)]
    assert len(marks) == len(words.cuts(0)) == 1
    at = 10 + 120 * (words.cuts(0)[0] - found.low) / (found.high - found.low)
    assert marks[0].points == [(pytest.approx(at), 70.0), (pytest.approx(at - 3.5), 76.0), (pytest.approx(at + 3.5), 76.0)]
