"""Ten e-mails and the search for their tree: rows 43 to 54, 58 and 73."""

from __future__ import annotations

import pytest

import treewright as tw

from .arithmetic import (
    after,
    candidates,
    child,
    chosen,
    conditions,
    counts,
    gini,
    groups,
    grown,
    id3,
    nested,
    printed,
    same,
)

PRINTED_TREE = {
    "x1": {
        "T": {"x3": {"T": "L", "F": {"x4": {"T": "L", "F": "S"}}}},
        "F": {"x2": {"T": "S", "F": "L"}},
    }
}
TERMS = ["research", "cheap", "travel", "conference", "price"]


@pytest.fixture(scope="module")
def emails() -> tw.datasets.Dataset:
    return tw.datasets.load_emails()


@pytest.fixture(scope="module")
def tree(emails: tw.datasets.Dataset) -> tw.Tree:
    return id3(emails.X, emails.y)


def ratio(emails: tw.datasets.Dataset, column: str, value: str) -> tuple[int, int]:
    """Legitimate and spam among the e-mails with this value."""
    part = groups(emails.X[column], emails.y)[value]
    return part.count("L"), part.count("S")


def test_row_43_ten_emails(emails: tw.datasets.Dataset, tree: tw.Tree) -> None:
    assert emails.X.shape == (10, 5)
    assert all(list(emails.X[column].cat.categories) == ["T", "F"] for column in emails.X)
    assert emails.y.value_counts().to_dict() == {"L": 6, "S": 4}
    assert tree.root.value == {"L": 6.0, "S": 4.0}


@pytest.mark.parametrize(
    ("column", "true", "false"),
    [
        ("x1", (4, 1), (2, 3)),
        ("x2", (3, 3), (3, 1)),
        ("x3", (4, 2), (2, 2)),
        ("x4", (3, 3), (3, 1)),
        ("x5", (3, 2), (3, 2)),
    ],
)
def test_row_44_root_splits(emails: tw.datasets.Dataset, column: str, true: tuple[int, int], false: tuple[int, int]) -> None:
    root = id3(emails.X[[column]], emails.y).root
    for value, (legitimate, spam) in (("T", true), ("F", false)):
        assert child(root, value).value == {"L": float(legitimate), "S": float(spam)}
        assert ratio(emails, column, value) == (legitimate, spam)


def test_row_44_x2_and_x4_are_equal_and_worse_than_x1(tree: tw.Tree) -> None:
    found = candidates(tree.root)
    assert found["x2"].gain == found["x4"].gain < found["x1"].gain


@pytest.mark.parametrize(
    ("column", "figure"),
    [("x1", "0.846439"), ("x2", "0.924511"), ("x3", "0.950978"), ("x4", "0.924511"), ("x5", "0.970951")],
)
def test_row_45_conditional_entropies(tree: tw.Tree, column: str, figure: str) -> None:
    assert candidates(tree.root)[column].impurity == printed(figure)


def test_row_46_x3_is_better_than_x5(tree: tw.Tree) -> None:
    found = candidates(tree.root)
    assert found["x3"].impurity == printed("0.950978")
    assert found["x5"].impurity == printed("0.970951")
    assert found["x3"].gain == printed("0.019973")
    assert found["x5"].gain == 0.0


@pytest.mark.parametrize(
    ("value", "figures", "ids"),
    [
        pytest.param("F", {"x2": "0.000000", "x3": "0.950978", "x4": "0.649022", "x5": "0.950978"}, {"x2"}, id="row-47"),
        pytest.param("T", {"x2": "0.400000", "x3": "0.400000", "x4": "0.550978", "x5": "0.550978"}, {"x2", "x3"}, id="row-48"),
    ],
)
def test_rows_47_and_48_below_x1(tree: tw.Tree, value: str, figures: dict[str, str], ids: set[str]) -> None:
    node = child(tree.root, value)
    found = candidates(node)
    assert set(found) == set(figures)
    for column, figure in figures.items():
        assert found[column].impurity == printed(figure)
    best = min(candidate.impurity for candidate in found.values())
    assert {column for column, candidate in found.items() if candidate.impurity == same(best)} == ids
    assert chosen(node) == "x2"


def test_row_47_x2_is_true_in_three_of_five(tree: tw.Tree) -> None:
    node = child(tree.root, "F")
    assert child(node, "T").weight / node.weight == 0.6
    assert [leaf.impurity for leaf in node.children] == [0.0, 0.0]


def test_row_49_lowest_index_wins_ties(emails: tw.datasets.Dataset, tree: tw.Tree) -> None:
    assert nested(tree.root) == {
        "x1": {
            "T": {"x2": {"T": "L", "F": {"x3": {"T": "L", "F": "S"}}}},
            "F": {"x2": {"T": "S", "F": "L"}},
        }
    }
    assert tree.n_splits == 4
    assert tree.predict(emails.X).tolist() == list(emails.y)


def test_row_49_printed_tree_by_explicit_ties(emails: tw.datasets.Dataset) -> None:
    asked = []

    def as_printed(tied: list[str], path: list[tuple[str, int]]) -> str:
        asked.append((tuple(tied), tuple(path)))
        return {("x2", "x3"): "x3", ("x2", "x4", "x5"): "x4"}[tuple(tied)]

    tree = id3(emails.X, emails.y, ties=as_printed)
    assert nested(tree.root) == PRINTED_TREE
    assert tree.n_splits == 4
    assert tree.predict(emails.X).tolist() == list(emails.y)
    assert asked == [(("x2", "x3"), (("x1", 0),)), (("x2", "x4", "x5"), (("x1", 0), ("x3", 1)))]
    node = child(tree.root, "T", "F")
    assert emails.X.index[tree.decision_path(emails.X).toarray()[:, node.id] == 1].tolist() == [2, 8]  # m3 and m9
    assert [candidates(node)[column].impurity for column in ("x2", "x4", "x5")] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(6))
def test_row_49_other_ties_are_consistent_too(emails: tw.datasets.Dataset, seed: int) -> None:
    tree = id3(emails.X, emails.y, ties="seeded", random_state=seed)
    assert tree.n_splits == 4
    assert tree.predict(emails.X).tolist() == list(emails.y)


def test_row_50_the_sixth_term_alone_is_enough() -> None:
    emails = tw.datasets.load_emails(x6=True)
    tree = id3(emails.X, emails.y)
    assert nested(tree.root) == {"x6": {"T": "L", "F": "S"}}
    assert tree.n_splits == 1
    assert tree.predict(emails.X).tolist() == list(emails.y)
    without = child(tree.root, "F")
    assert without.value.get("L", 0) == 0  # none of four, where the text prints 0/0
    assert without.weight == 4


def test_row_51_class_ratios_in_one_order(emails: tw.datasets.Dataset) -> None:
    # The text writes 1:4, 2:3 and 1:2, the first and last spam to legitimate, the other the reverse.
    assert ratio(emails, "x1", "T")[::-1] == (1, 4)
    assert ratio(emails, "x1", "F") == (2, 3)
    legitimate, spam = ratio(emails, "x3", "T")
    assert spam / legitimate == 1 / 2


def test_row_52_terms_of_the_example_rule(emails: tw.datasets.Dataset) -> None:
    assert ", ".join(TERMS[:3]) in emails.about
    named = emails.X.set_axis(TERMS, axis=1)
    # A tree in which the e-mails with x2, x1 and x3 are a leaf, and x4 is not used: its rule speaks of these terms.
    tree = id3(named[["cheap", "research", "travel", "price"]], [str(i) for i in range(10)], max_depth=3)
    assert "conference" not in tree.to_rules().used
    rule = next(rule for rule in tree.to_rules() if {"cheap = T", "research = T", "travel = T"} <= conditions(rule))
    assert conditions(rule) == {"cheap = T", "research = T", "travel = T"}
    assert not {"buy", "bargain"} & set(TERMS)


@pytest.mark.parametrize("name", ["emails", "play_tennis"])
def test_row_53_one_refinement_a_step_never_taken_back(name: str) -> None:
    data = tw.datasets.load(name)
    tree = id3(data.X, data.y)
    steps = tree.trace()
    assert [step.number for step in steps] == list(range(tree.n_splits))
    leaves = {0}
    for step in steps:
        node = tree.node(step.node)
        assert node.id in leaves  # what is refined was a leaf until now
        leaves = leaves - {node.id} | {below.id for below in node.children}
        assert step.n_leaves == len(leaves)
        assert step.column == node.split.column
        assert step.gain == node.gain == max(candidate.gain for candidate in node.candidates)
    assert leaves == {leaf.id for leaf in tree.leaves()}


def test_row_53_stopping_earlier_gives_the_same_first_steps() -> None:
    data = tw.datasets.load_breast_cancer()
    all_steps = tw.CARTClassifier(max_leaf_nodes=12).fit(data.X, data.y).tree_.trace()
    assert len(all_steps) == 11
    for n in range(2, 12):
        steps = tw.CARTClassifier(max_leaf_nodes=n).fit(data.X, data.y).tree_.trace()
        assert [(s.path, s.column, s.gain) for s in steps] == [(s.path, s.column, s.gain) for s in all_steps[: n - 1]]


@pytest.mark.parametrize("nominal", ["one_vs_rest", "subset"])
def test_row_54_binary_splits_of_discrete_attributes(nominal: str) -> None:
    data = tw.datasets.load_play_tennis()
    tree = grown(data.X, data.y, nominal=nominal)
    assert tree.predict(data.X).tolist() == list(data.y)
    for node in tree.nodes():
        assert len(node.children) in (0, 2)
        if node.children:
            assert sum(below.weight for below in node.children) == node.weight
    assert tree.root.split.column == "outlook"
    # Overcast against the others is the best division of three levels either way.
    first, second = (below.value for below in tree.root.children)
    assert {"yes": 4.0} in (first, second)
    assert tree.root.gain == same(0.9402859586706311 - 10 / 14)


def test_row_58_size_is_the_number_of_inner_nodes(tree: tw.Tree) -> None:
    emails = tw.datasets.load_emails(x6=True)
    assert id3(emails.X, emails.y).n_splits == 1
    assert tree.n_splits == 4
    assert tree.n_splits == sum(not node.is_leaf for node in tree.nodes())


@pytest.mark.parametrize(
    ("column", "figure"), [("x1", "0.4000"), ("x2", "0.4500"), ("x3", "0.4667"), ("x4", "0.4500"), ("x5", "0.4800")]
)
def test_row_73_gini_of_the_root_splits(emails: tw.datasets.Dataset, column: str, figure: str) -> None:
    root = grown(emails.X, emails.y, criterion="gini").root
    assert root.impurity == printed("0.48")
    assert root.impurity == same(gini(*counts(emails.y)))
    assert candidates(root)[column].impurity == printed(figure)
    assert candidates(root)[column].impurity == same(after(emails.X[column], list(emails.y), gini))
