"""Trees as text: lines in their columns and inside the width, missing routes and spreads said, names harmless, work linear."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.show.bars import class_letters, shared_out
from treewright.show.cells import cells, cut_to

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def tennis(**options: object) -> tw.Tree:
    data = tw.datasets.load_play_tennis()
    return tw.ID3Classifier(**options).fit(data.X, data.y).tree_


def iris(**options: object) -> tw.Tree:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(**options).fit(data.X, data.y).tree_


def test_play_tennis_as_in_the_readme() -> None:
    assert tennis().to_text().splitlines() == [
        "outlook?              no 5  yes 9  ██████████░░░░░░",
        "├─ sunny   humidity?  no 3  yes 2  ██████░░░░░░░░░░",
        "│  ├─ high ───→ no    no 3  yes 0  ░░░░░░░░░░░░░░░░",
        "│  └─ normal ─→ yes   no 0  yes 2  ████████████████",
        "├─ overcast ──→ yes   no 0  yes 4  ████████████████",
        "└─ rain   wind?       no 2  yes 3  ██████████░░░░░░",
        "   ├─ weak ───→ yes   no 0  yes 3  ████████████████",
        "   └─ strong ─→ no    no 2  yes 0  ░░░░░░░░░░░░░░░░",
        "bar: █ yes, ░ no",
    ]


def test_the_ascii_twin_has_the_same_lines() -> None:
    twin = tennis().to_text(ascii=True)
    assert twin.isascii()
    table = str.maketrans({"├": "|", "│": "|", "└": "`", "─": "-", "→": ">", "█": "#", "░": "."})
    assert twin == tennis().to_text().translate(table)


def test_ascii_writes_other_letters_as_escapes() -> None:
    X = pd.DataFrame({"größe": [1.0, 2.0]})
    text = tw.CARTClassifier().fit(X, ["ß", "z"]).tree_.to_text(ascii=True)
    assert text.isascii()
    assert "gr\\xf6\\xdfe <= 1.5?" in text
    assert "> \\xdf" in text


def test_three_classes_have_letters() -> None:
    text = iris(max_depth=2).to_text().splitlines()
    assert text[0].endswith("setosa 50  versicolor 50  virginica 50  ssssssvvvvviiiii")
    assert text[1].endswith("setosa 50  versicolor  0  virginica  0  ssssssssssssssss")
    assert text[-1] == "bar: s setosa, v versicolor, i virginica"
    assert not any(line.startswith("bar:") for line in iris(max_depth=2).to_text(width=60).splitlines())  # there is none


def test_letters_are_distinct() -> None:
    assert class_letters(("setosa", "versicolor", "virginica")) == ["s", "v", "i"]
    assert class_letters(("a", "a ", "a  ", "b")) == ["a", "b", "c", "d"]
    many = class_letters(tuple(f"class {i}" for i in range(60)))
    assert len(set(many)) == 60


@given(st.lists(st.floats(0.0001, 1e6), min_size=1, max_size=20), st.integers(8, 40))
def test_cells_are_shared_out_whole(weights: list[float], n: int) -> None:
    out = shared_out([w / sum(weights) for w in weights], n)
    assert sum(out) == n
    assert min(out) >= (1 if len(weights) * 2 <= n else 0)


def test_regression_says_its_spread_on_one_scale() -> None:
    X = np.arange(8.0)[:, None]
    tree = tw.CARTRegressor(max_depth=1).fit(X, [0, 0, 0, 0, 10, 12, 10, 12.0]).tree_
    assert tree.root.spread == pytest.approx(np.std([0, 0, 0, 0, 10, 12, 10, 12.0]))
    assert tree.to_text().splitlines() == [
        "x0 <= 3.5?        8 rows  ▒▒▒▒▒▒▒█▒▒▒▒▒▒▒░",
        "├─ yes ─→ 0 ± 0   4 rows  █░░░░░░░░░░░░░░░",
        "└─ no ──→ 11 ± 1  4 rows  ░░░░░░░░░░░░░▒█▒",
        "bar: █ mean, ▒ one standard deviation, from -0.04527 to 12",
    ]
    assert [rule.text("y") for rule in tree.to_rules()] == [
        "if x0 <= 3.5 then y = 0  (4 rows, ± 0)",
        "if x0 > 3.5 then y = 11  (4 rows, ± 1)",
    ]


NUMERIC = sorted(name for name, part in tw.parts.criteria().items() if not part["classes"])


@pytest.mark.parametrize("criterion", NUMERIC)
def test_spread_is_in_the_unit_of_the_target(criterion: str) -> None:
    """Node.spread is read from the impurity: a numeric criterion has to say what its impurity measures."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.poisson(9, 60).astype(float)
    near, far = (tw.CARTRegressor(criterion=criterion, max_depth=1).fit(X, y * scale).tree_.node(0) for scale in (1, 4))
    off = y - near.value
    expected = {"absolute_error": np.abs(off).mean(), "worst_case": np.abs(off).max()}.get(criterion, np.sqrt((off**2).mean()))
    assert near.spread == pytest.approx(expected, rel=1e-9 if criterion != "poisson" else 0.2)
    assert far.spread == pytest.approx(4 * near.spread, rel=1e-9)


def test_huge_and_equal_targets_have_text() -> None:
    X = np.arange(4.0)[:, None]
    for y in ([1e308, -1e308, 1e308, -1e308], [5.0] * 4, [1e-320, 0, 0, 0]):
        assert tw.CARTRegressor().fit(X, y).tree_.to_text()


def with_missing(policy: str) -> tw.Tree:
    data = tw.datasets.load_play_tennis()
    X = data.X.copy()
    X.loc[[0, 3], "outlook"] = None
    return tw.TreeClassifier(recipe="id3", missing=policy, max_depth=1).fit(X, data.y).tree_


def test_routes_of_missing_cells_are_said() -> None:
    edges = [line.split(" ─")[0] for line in with_missing("fraction").to_text().splitlines()[1:-1]]
    assert edges == ["├─ sunny (or 33% of missing)", "├─ overcast (or 33% of missing)", "└─ rain (or 33% of missing)"]
    assert "(outlook = sunny or 33% of missing)" in with_missing("fraction").to_rules().to_text()
    whole = with_missing("majority").to_text()
    assert whole.count("(or missing)") == 1
    own = with_missing("own").to_text()
    assert "missing ─" in own and "(or" not in own
    assert "missing" not in tennis().to_text()


def test_shares_of_missing_cells_multiply_along_a_path() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.random(60)})
    X.loc[::7, "a"] = np.nan
    tree = tw.TreeClassifier(missing="fraction", max_depth=2).fit(X, (X["a"] * 3).fillna(1).astype(int) % 2).tree_
    rules = [rule for rule in tree.to_rules() if rule.when]
    shares = [rule.when[0].missing_share for rule in rules]
    assert sum(shares) == pytest.approx(1.0)
    assert shares == pytest.approx([rule.support for rule in rules])


WORDS = st.text(st.characters(codec="utf-8"), max_size=90)


@given(
    st.lists(WORDS, min_size=2, max_size=2, unique=True),
    st.lists(WORDS, min_size=3, max_size=3, unique=True),
    st.integers(20, 130),
    st.booleans(),
)
def test_no_line_is_wider_than_asked(names: list[str], labels: list[str], width: int, ascii: bool) -> None:
    X = pd.DataFrame({names[0]: [1.0, 2, 3, 4, 5, 6], names[1]: pd.Series(["p" * 50, "q", "r"] * 2)})
    tree = tw.ID3Classifier().fit(X, [labels[i] for i in (0, 1, 2, 0, 0, 1)]).tree_
    lines = tree.to_text(width=width, ascii=ascii).split("\n")
    # Where letters stand for the classes, they are explained, and so are bars.
    assert len(lines) - tree.n_nodes in (0, 1, len(set(labels)))
    assert max(cells(line) for line in lines) <= width
    plain = "\n".join(lines).replace("\u2068", "").replace("\u2069", "").replace("\n", "")  # what keeps words to themselves
    assert not any(unicodedata.category(ch) in ("Cc", "Cf", "Zl", "Zp") for ch in plain)


def test_columns_stand_under_each_other() -> None:
    """Lines wider than 60 characters once left their column."""
    X = pd.DataFrame(
        {"a column whose name is rather long, as those of exported questionnaires are": [1.0, 2, 3, 4], "b": [1.0, 1, 2, 2]}
    )
    for tree in (tw.CARTClassifier().fit(X, [0, 1, 1, 0]).tree_, tw.CARTClassifier().fit(X[["b"]], [0, 0, 1, 1]).tree_):
        for width in (60, 100, 120, None):
            lines = tree.to_text(width=width).split("\n")
            assert len({re.search(r"0 \d", line).start() for line in lines if re.search(r"0 \d  1 \d", line)}) == 1


def test_counts_have_the_room_that_questions_leave() -> None:
    names = [f"class number {k}" for k in range(5)]
    tree = tw.CARTClassifier(max_depth=1).fit(np.arange(10.0)[:, None], names * 2).tree_
    first = tree.to_text(width=120).split("\n")[0]
    assert first.endswith("  ".join(f"{name} 2" for name in names))  # no bar, no count cut
    wider = tree.to_text(width=150).split("\n")[0]
    assert wider.startswith(first)
    assert len(wider) == len(first) + 2 + 16


NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.parametrize("ascii", [False, True])
def test_numbers_are_whole_or_left_out(ascii: bool) -> None:
    """Counts once were cut in the middle, so that the number of one class stood behind the name of another."""
    tree = iris(max_depth=3)
    asked = {"2.45", "1.75", "4.95", "4.85"}
    nodes = [tree.root]
    for node in nodes:
        nodes[nodes.index(node) + 1 : nodes.index(node) + 1] = node.children
    for width in range(20, 110, 3):
        for line, node in zip(tree.to_text(width=width, ascii=ascii).split("\n"), nodes, strict=False):
            held = [f"{node.value.get(label, 0):.0f}" for label in tree.target.classes]
            counts = [number for number in NUMBER.findall(line) if number not in asked]
            assert counts in (held, [f"{node.weight:.0f}"])


def test_room_is_taken_from_the_bar_then_from_names_then_from_counts() -> None:
    tree = iris(max_depth=1)
    first = [tree.to_text(width=width).split("\n")[0] for width in (100, 80, 60, 44, 36)]
    assert first == [
        "petal length (cm) <= 2.45?  setosa 50  versicolor 50  virginica 50  ssssssvvvvviiiii",
        "petal length (cm) <= 2.45?  setosa 50  versicolor 50  virginica 50",
        "petal length (cm) <= 2.45?  set…a 50  ver…r 50  vir…a 50",
        "petal length (cm) <= 2.45?  s 50  v 50  i 50",
        "petal length (cm) <= 2.45?  150 rows",
    ]
    assert tree.to_text(width=44).split("\n")[3:] == ["s = setosa", "v = versicolor", "i = virginica"]


def test_many_classes_in_little_room() -> None:
    names = [f"class number {k}" for k in range(12)]
    tree = tw.CARTClassifier(max_depth=1).fit(np.arange(24.0)[:, None], names * 2).tree_
    rows = [tree.to_text(width=width).split("\n")[0].split("?")[1].strip() for width in (200, 60, 30, 20)]
    assert rows[0].startswith("class number 0 2  class number 1 2") and rows[0].split("  ")[-2].endswith("and 6 more classes")
    assert rows[1:] == ["class… 0 2  class… 1 2  +10", "cl… 2  +11", "24 rows"]


def test_words_from_right_to_left_do_not_move_numbers() -> None:
    X = pd.DataFrame({"عمر": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1, 2, 2]})
    text = tw.CARTClassifier().fit(X, ["לא עכשיו", "כן", "כן", "לא עכשיו"]).tree_.to_text().rpartition("\n")[0]
    assert text.startswith("\u2068عمر\u2069 <= 1.5?")
    assert "\u2068כן\u2069 2  \u2068לא עכשיו\u2069 2" in text.split("\n")[0]
    bare = text.replace("\u2068", "").replace("\u2069", "")
    assert len({cells(line) for line in bare.split("\n")}) == len({cells(line) for line in text.split("\n")}) == 1


def test_wide_characters_keep_their_column() -> None:
    X = pd.DataFrame({"年齢": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1, 2, 2]})
    lines = tw.CARTClassifier().fit(X, ["はい", "no", "no", "はい"]).tree_.to_text().split("\n")[:-1]
    assert lines[0].startswith("年齢 <= 1.5?")
    assert len({cells(line[: line.rindex("no ")]) for line in lines}) == 1
    assert len({cells(line) for line in lines}) == 1


def test_cutting() -> None:
    assert cut_to("abcdefghij", 10) == "abcdefghij"
    assert cut_to("abcdefghijk", 10) == "abcdef…ijk"
    assert cells(cut_to("年" * 50, 11)) <= 11
    assert cut_to("abc", 0) == ""
    assert cut_to("a name and 123456", 14) == "a name an…"  # rather than the end of a number
    assert cut_to("12345678", 5) == "123…8"  # which is a name


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07", "a\nb", "\u202egnp", "\u2028", "[red]x[/red]", "\x9b31m", "a\tb", "\x00"])
def test_x2_names_cannot_steer_the_terminal(name: str) -> None:
    X = pd.DataFrame({f"n{name}": [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    tree = tw.ID3Classifier().fit(X, [name, "b", "b", "a"]).tree_
    for text in (tree.to_text(), str(tree), tree.to_rules().to_text(), repr(tree.root), repr(tree.to_rules())):
        assert all(line.isprintable() for line in text.split("\n"))
        assert name.isprintable() or name not in text
    assert len(tree.to_text().split("\n")) == tree.n_nodes + 1
    if name.isprintable():
        assert name in tree.to_text()


def test_depth_limit_counts_what_it_hides() -> None:
    tree = iris()
    for depth in range(tree.depth + 1):
        text = tree.to_text(max_depth=depth)
        hidden = sum(int(n) for n in re.findall(r"… (\d+) more nodes", text))
        assert text.count("\n") + hidden == tree.n_nodes and text.endswith("\nbar: s setosa, v versicolor, i virginica")


def test_colour_changes_nothing_but_colours() -> None:
    tree = iris(max_depth=3)
    coloured = tree.to_text(color=True)
    assert "\x1b[38;5;" in coloured
    assert ESCAPE.sub("", coloured) == tree.to_text()
    assert "\x1b" not in tree.to_text()


def test_deep_nodes_say_how_deep_they_are() -> None:
    chain = tw.CARTClassifier().fit(np.arange(3000.0)[:, None], np.arange(3000)).tree_
    text = chain.to_text(width=100)
    assert chain.depth > 1000
    assert max(map(len, text.split("\n"))) <= 100
    assert "…" in text
    full = chain.to_text(width=None).split("\n")
    assert len(full) == chain.n_nodes
    assert max(map(len, full)) < 600
    assert any(line.startswith(f"…{chain.depth} ") for line in full)
    assert sum(map(len, full)) < 600 * chain.n_nodes


def test_equations_are_wrapped_and_name_few_levels() -> None:
    """An equation over a column of hundreds of levels once was one line of a hundred kilobytes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"customer": [f"customer {k % 300}" for k in range(600)], "a": rng.normal(size=600)})
    y = np.where(X.a > 0, 3 * X.a + (np.arange(600) % 300) / 50, 1.0)
    tree = tw.M5Regressor().fit(X, y).tree_
    text = tree.to_text(width=90)
    assert "LM 1: target = " in text and re.search(r"or \d+ more\)", text)
    assert max(map(len, text.split("\n"))) <= 90


def test_equations_can_be_read_in_full() -> None:
    levels = [f"l{k:02d}" for k in range(24)]
    X = pd.DataFrame({"c": levels * 5, "x": np.arange(120.0) % 7})
    y = (X["c"] >= "l10") * 9 + X["x"] / 3
    model = tw.M5Regressor().fit(X, y.rename("y"))
    listed = f"(c = {' or '.join(levels[10:])})"
    assert "or l16 or 7 more)" in model.tree_.to_text()
    for text in (model.tree_.to_text(exact=True, width=None), model.tree_.to_rules().to_text(), model.explain(X[:1]).to_text()):
        assert listed in text
    (coefficient,) = (term.coefficient for term in model.tree_.node(0).equation.terms if term.column == "x")
    assert repr(coefficient) in model.tree_.to_text(exact=True, width=None)


def test_shortened_names_of_classes_are_told_apart() -> None:
    X, y = np.arange(6.0)[:, None], ["category 1 of all"] * 3 + ["category 2 of all"] * 3
    first, *_, legend, last = tw.CARTClassifier().fit(X, y).tree_.to_text(width=40).splitlines()
    assert first.split() == ["x0", "<=", "2.5?", "c", "3", "a", "3"]
    assert (legend.split(maxsplit=2)[-1], last.split(maxsplit=2)[-1]) == ("category 1 of all", "category 2 of all")


def test_the_most_frequent_classes_are_named_in_declared_order() -> None:
    counts = [3, 9, 1, 8, 7, 2, 9, 6, 1]
    y = np.repeat([f"k{k}" for k in range(9)], counts)
    tree = tw.CARTClassifier(max_depth=1).fit(np.arange(float(len(y)))[:, None], y).tree_
    said = [tree.to_text(width=width).split("\n")[0].split("?")[1].strip() for width in (200, 46, 40, 36, 31)]
    assert said[0].split("  ")[:7] == ["k0 3", "k1 9", "k3 8", "k4 7", "k6 9", "k7 6", "and 3 more classes"]
    for text in said[1:]:
        named = [piece.split() for piece in text.split("  ") if piece.startswith("k")]
        order = sorted(range(9), key=lambda k: -counts[k])[: len(named)]
        assert [name for name, _ in named] == [f"k{k}" for k in sorted(order)]
        assert f"+{9 - len(named)}" in text
