"""ID3, entropy and information gain: rows 14 to 42."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import recipes

from .arithmetic import (
    after,
    candidates,
    child,
    chosen,
    entropy,
    gain,
    groups,
    grown,
    id3,
    impurity_of,
    induce,
    nested,
    printed,
    rules_of,
    same,
    split_information,
)

PLAY_TENNIS = {
    "outlook": {
        "sunny": {"humidity": {"high": "no", "normal": "yes"}},
        "overcast": "yes",
        "rain": {"wind": {"weak": "yes", "strong": "no"}},
    }
}
SIX_SHAPES = {"shape": {"circle": {"color": {"red": "yes", "blue": "no"}}, "square": "no", "triangle": "no"}}


@pytest.fixture(scope="module")
def six() -> tw.datasets.Dataset:
    return tw.datasets.load_colour_shape_2()


@pytest.fixture(scope="module")
def tennis() -> tw.datasets.Dataset:
    return tw.datasets.load_play_tennis()


@pytest.fixture(scope="module")
def tennis_tree(tennis: tw.datasets.Dataset) -> tw.Tree:
    return id3(tennis.X, tennis.y)


def test_row_14_six_coloured_shapes(six: tw.datasets.Dataset) -> None:
    assert nested(id3(six.X, six.y).root) == SIX_SHAPES


def test_row_15_the_subsets_of_the_trace(six: tw.datasets.Dataset) -> None:
    tree = id3(six.X, six.y)
    leaves = tree.apply(six.X)
    for shape, members in (("triangle", {3, 4}), ("square", {2, 5})):
        leaf = child(tree.root, shape)
        assert {i + 1 for i in np.flatnonzero(leaves == leaf.id)} == members
        assert leaf.is_leaf
        assert leaf.value == {"no": 2.0}
    # Had they been the single instances of the text, the tree would be the same.
    as_in_the_text = six.X.index.isin([0, 1, 2, 5])
    assert nested(id3(six.X[as_in_the_text], six.y[as_in_the_text]).root) == SIX_SHAPES


def test_row_16_entropy_of_the_six_shapes(six: tw.datasets.Dataset) -> None:
    terms = [-p * math.log2(p) for p in (5 / 6, 1 / 6)]
    assert sorted(terms) == [printed("0.219195"), printed("0.430827")]
    assert id3(six.X, six.y).root.impurity == printed("0.650022")
    assert id3(six.X, six.y).root.impurity == printed("0.65")


def test_row_17_entropy_of_the_red_shapes(six: tw.datasets.Dataset) -> None:
    red = six.X["color"] == "red"
    terms = [-p * math.log2(p) for p in (1 / 3, 2 / 3)]
    assert terms == [printed("0.528321"), printed("0.389975")]
    true = id3(six.X[red], six.y[red]).root.impurity
    assert true == printed("0.918296")
    assert true != printed("0.9723")  # as in the text
    assert printed("0.9723") != 0.5383 + 0.3840  # whose terms do not add up to it either


@pytest.mark.parametrize("criterion", [name for name, part in tw.parts.criteria().items() if part["classes"]])
def test_row_18_a_pure_set_has_no_entropy(criterion: str) -> None:
    for weights in ((1,), (3,), (0.1,), (1e-9,), (7e15,)):
        value = impurity_of(criterion, *weights)
        assert value == 0.0
        assert math.copysign(1, value) == 1
    data = tw.datasets.load_colour_shape_2()
    binary = {"nominal": "subset"} if criterion == "twoing" else {}
    for leaf in grown(data.X, data.y, criterion=criterion, **binary).leaves():
        assert leaf.impurity == 0.0
        assert math.copysign(1, leaf.impurity) == 1


def test_row_19_gain_of_color(six: tw.datasets.Dataset) -> None:
    found = candidates(id3(six.X, six.y).root)["color"].gain
    assert found == printed("0.190875")
    assert found != printed("0.1638")  # as in the text


def test_row_20_gain_of_shape(six: tw.datasets.Dataset) -> None:
    root = id3(six.X, six.y).root
    assert child(root, "circle").impurity == 1.0
    assert candidates(root)["shape"].gain == printed("0.316689")
    assert chosen(root) == "shape"


@pytest.mark.parametrize("name", ["colour_shape", "colour_shape_2", "shapes", "play_tennis", "emails", "patrons"])
def test_row_21_gain_is_entropy_less_the_weighted_entropies(name: str) -> None:
    data = tw.datasets.load(name)
    root = id3(data.X, data.y).root
    y = list(data.y)
    assert list(candidates(root)) == list(data.X)
    for column, candidate in candidates(root).items():
        parts = groups(data.X[column], y).values()
        rest = sum(len(part) / len(y) * entropy(*(part.count(c) for c in set(y))) for part in parts)
        assert candidate.impurity == same(rest)
        assert candidate.gain == same(entropy(*(y.count(c) for c in set(y))) - rest)


@pytest.mark.parametrize("name", ["colour_shape", "colour_shape_2", "shapes", "play_tennis", "emails"])
def test_row_22_recursion_on_two_and_three_classes(name: str) -> None:
    data = tw.datasets.load(name)
    naive = induce(data.frame().to_dict("records"), list(data.X), data.target)
    tree = id3(data.X, data.y)
    known = [rule for rule in tree.to_rules() if rule.weight]  # branches of no rows are row 23's
    assert tree.predict(data.X).tolist() == list(data.y)

    def leaves(at: object, path: frozenset[str] = frozenset()) -> set[tuple[frozenset[str], object]]:
        if not isinstance(at, dict):
            return {(path, at)}
        ((column, branches),) = at.items()
        return set().union(*(leaves(below, path | {f"{column} = {v}"}) for v, below in branches.items()))

    assert {(frozenset(c.text() for c in rule.when), rule.says) for rule in known} == leaves(naive)


def test_row_23_empty_branch_repeats_the_majority() -> None:
    data = tw.datasets.load_play_tennis(low=True)
    tree = id3(data.X, data.y)
    low = child(tree.root, "sunny", "low")
    assert low.is_leaf
    assert low.weight == 0
    assert low.prediction == "no"
    assert low.value == child(tree.root, "sunny").value == {"no": 3.0, "yes": 2.0}
    asked = pd.DataFrame({"outlook": ["sunny"], "temperature": ["hot"], "humidity": ["low"], "wind": ["weak"]})
    assert tree.predict(asked).tolist() == ["no"]


def test_row_24_stops_when_no_attribute_is_left() -> None:
    X = pd.DataFrame({"a": list("xxxxxyy"), "b": list("uuuuuvv")}).astype("category")
    y = ["p", "n", "n", "n", "p", "n", "n"]
    tree = id3(X, y)
    leaf = child(tree.root, "x")
    while not leaf.is_leaf:
        leaf = child(leaf, "u")
    assert leaf.value == {"n": 3.0, "p": 2.0}
    assert leaf.prediction == "n"
    assert tree.predict(X).tolist() == ["n"] * 7
    assert tree.depth <= 2
    same_rows = pd.DataFrame({"a": ["x"] * 5}).astype("category")
    assert id3(same_rows, ["p", "n", "p", "n", "p"]).n_nodes == 1


def test_row_25_levels_may_be_declared_and_absent(tennis: tw.datasets.Dataset) -> None:
    low = tw.datasets.load_play_tennis(low=True)
    assert list(low.X["humidity"].cat.categories) == ["high", "normal", "low"]
    assert not (low.X["humidity"] == "low").any()
    # The text's legend has a "Medium" temperature, its rows "Mild": one level, not two.
    assert list(tennis.X["temperature"].cat.categories) == ["hot", "mild", "cool"]
    assert set(tennis.X["temperature"]) == {"hot", "mild", "cool"}
    declared = low.X.assign(temperature=low.X["temperature"].cat.add_categories("medium"))
    assert id3(declared, low.y).predict(low.X).tolist() == list(low.y)


def test_row_26_the_recursion_must_return_its_root(tennis: tw.datasets.Dataset, tennis_tree: tw.Tree) -> None:
    rows, columns = tennis.frame().to_dict("records"), list(tennis.X)
    assert nested(tennis_tree.root) == induce(rows, columns, "play")
    # Returning the last subtree instead loses every test on the way up: a single class is left.
    assert induce(rows, columns, "play", wrong=True) in ("yes", "no")


def test_row_27_the_second_formulation_gives_the_same_tree(tennis: tw.datasets.Dataset, tennis_tree: tw.Tree) -> None:
    assert induce(tennis.frame().to_dict("records"), list(tennis.X), "play") == PLAY_TENNIS
    assert nested(tennis_tree.root) == PLAY_TENNIS
    assert nested(grown(tennis.X, tennis.y, recipe=recipes.ID3).root) == PLAY_TENNIS


def test_row_28_play_tennis_tree(tennis: tw.datasets.Dataset, tennis_tree: tw.Tree) -> None:
    assert nested(tennis_tree.root) == PLAY_TENNIS
    assert tennis_tree.n_splits == 3
    assert tennis_tree.n_leaves == 5
    assert tennis_tree.predict(tennis.X).tolist() == list(tennis.y)
    low = tw.datasets.load_play_tennis(low=True)
    assert id3(low.X, low.y).n_leaves == 6
    assert rules_of(id3(low.X, low.y)) >= rules_of(tennis_tree)


def test_row_29_entropy_of_play(tennis_tree: tw.Tree) -> None:
    assert tennis_tree.root.impurity == printed("0.940286")
    assert tennis_tree.root.impurity == printed("0.94")


def test_row_30_outlook(tennis_tree: tw.Tree) -> None:
    root = tennis_tree.root
    assert child(root, "sunny").impurity == printed("0.970951")
    assert child(root, "overcast").impurity == 0.0
    assert child(root, "rain").impurity == printed("0.970951")
    found = candidates(root)["outlook"]
    assert found.impurity == printed("0.693536")
    assert found.gain == printed("0.246750")
    assert root.gain == found.gain
    assert found.gain != printed("0.246")  # the text subtracts rounded numbers


def test_row_31_humidity(tennis: tw.datasets.Dataset, tennis_tree: tw.Tree) -> None:
    by_humidity = id3(tennis.X[["humidity"]], tennis.y).root
    assert child(by_humidity, "high").impurity == printed("0.985228")
    assert child(by_humidity, "normal").impurity == printed("0.591673")
    found = candidates(tennis_tree.root)["humidity"]
    assert found.impurity == printed("0.788450")
    assert found.gain == printed("0.151836")
    assert found.gain != printed("0.151")


@pytest.mark.parametrize(("column", "figure"), [("wind", "0.048127"), ("temperature", "0.029223")])
def test_row_32_wind_and_temperature(tennis_tree: tw.Tree, column: str, figure: str) -> None:
    assert candidates(tennis_tree.root)[column].gain == printed(figure)


@pytest.mark.parametrize(
    ("branch", "figures"),
    [
        pytest.param("sunny", {"humidity": "0.970951", "temperature": "0.570951", "wind": "0.019973"}, id="row-33-sunny"),
        pytest.param("rain", {"wind": "0.970951", "temperature": "0.019973", "humidity": "0.019973"}, id="row-34-rain"),
    ],
)
def test_rows_33_and_34_gains_below_outlook(tennis_tree: tw.Tree, branch: str, figures: dict[str, str]) -> None:
    node = child(tennis_tree.root, branch)
    found = candidates(node)
    assert set(found) == set(figures)
    for column, figure in figures.items():
        assert found[column].gain == printed(figure)
    assert chosen(node) == next(iter(figures))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12).filter(any))
def test_row_35_entropy_of_many_values(weights: list[int]) -> None:
    found = impurity_of("info_gain", *weights)
    assert found == pytest.approx(entropy(*weights), abs=1e-12)
    occurring = sum(w > 0 for w in weights)
    assert 0 <= found <= math.log2(occurring) + 1e-12
    assert (found == 0) == (occurring == 1)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 8, 100])
def test_row_35_entropy_is_greatest_when_uniform(k: int) -> None:
    assert impurity_of("info_gain", *[1] * k) == same(math.log2(k))
    assert impurity_of("info_gain", 0.5, 0.5) == 1.0
    assert impurity_of("info_gain", 1, 1, 1, 1) == 2.0
    if k > 1:
        assert impurity_of("info_gain", 2, *[1] * (k - 1)) < math.log2(k)


def test_row_36_entropy_curve_of_two_classes() -> None:
    shares = np.linspace(0, 1, 101)
    curve = np.array([impurity_of("info_gain", round(p, 2), round(1 - p, 2)) for p in shares])
    assert curve[0] == curve[-1] == 0.0
    assert curve[50] == 1.0
    assert curve.argmax() == 50
    assert curve == pytest.approx(curve[::-1], abs=1e-12)
    assert (np.diff(curve[:51]) > 0).all()
    assert (np.diff(curve, 2) < 0).all()


def test_row_37_patrons_and_type() -> None:
    data = tw.datasets.load_patrons()
    root = id3(data.X, data.y).root
    assert chosen(root) == "patrons"
    assert child(root, "None").value == {"no": 2.0}
    assert child(root, "Some").value == {"yes": 4.0}
    assert child(root, "Full").value == {"yes": 2.0, "no": 4.0}
    assert child(root, "Full").impurity == printed("0.918296")
    found = candidates(root)
    assert found["patrons"].impurity == printed("0.459148")
    assert found["patrons"].gain == printed("0.540852")
    assert found["patrons"].impurity != printed("0.45")  # the text rounds 0.918 to 0.9 on the way
    assert found["type"].impurity == same(1)
    assert found["type"].gain == 0.0


def test_row_38_the_some_branch_has_no_entropy() -> None:
    # Four of four and none of four; the text prints four of four twice, which is not a distribution.
    assert sum((4 / 4, 0 / 4)) == 1
    assert sum((4 / 4, 4 / 4)) != 1
    assert impurity_of("info_gain", 4, 0) == entropy(4, 0) == 0.0
    data = tw.datasets.load_patrons()
    some = child(id3(data.X, data.y).root, "Some")
    assert some.value.get("no", 0) == 0
    assert some.impurity == 0.0


def test_row_39_surprise() -> None:
    assert -math.log2(0.2) == printed("2.321928")
    assert -math.log2(0.8) == printed("0.321928")
    assert math.log2(1) == 0
    assert impurity_of("info_gain", 2, 8) == printed("0.721928")
    assert impurity_of("info_gain", 0.2, 0.8) == printed("0.721928")
    # Certainty is no surprise, and the rarer the greater without end.
    surprises = [-math.log2(p) for p in (1, 0.5, 1e-3, 1e-300)]
    assert surprises == sorted(surprises)
    assert surprises[-1] > 900
    # Description length: n equally likely messages take log2 n bits each.
    assert impurity_of("info_gain", *[1] * 32) == same(5)


def test_row_40_entropy_is_the_expected_surprise_of_one_variable(tennis: tw.datasets.Dataset) -> None:
    for column in (*tennis.X, "play"):
        values = tennis.frame()[column]
        shares = values.value_counts(normalize=True)
        expected = sum(p * -math.log2(p) for p in shares)
        found = tw.ID3Classifier().fit(pd.DataFrame({"nothing": ["-"] * 14}), values).tree_.root.impurity
        assert found == same(expected)


def test_row_41_mutual_information_is_symmetric(tennis: tw.datasets.Dataset) -> None:
    play_by_outlook = id3(tennis.X[["outlook"]], tennis.y).root.gain
    outlook_by_play = id3(tennis.y.to_frame(), tennis.X["outlook"]).root.gain
    assert play_by_outlook == printed("0.246750")
    assert outlook_by_play == printed("0.246750")
    # The text subtracts H(A|B) from H(B): neither of the two.
    as_in_the_text = split_information(tennis.X["outlook"]) - after(tennis.X["outlook"], list(tennis.y))
    assert as_in_the_text != printed("0.246750")


@pytest.mark.parametrize("name", ["colour_shape", "colour_shape_2", "shapes", "play_tennis", "emails", "patrons"])
def test_row_42_least_conditional_entropy_is_greatest_gain(name: str) -> None:
    data = tw.datasets.load(name)
    tree = id3(data.X, data.y)
    nodes = 0
    for node in tree.nodes():
        if node.is_leaf:
            continue
        nodes += 1
        here = np.ones(len(data.X), bool)
        for condition in node.path:
            here &= (data.X[condition.column.name] == condition.text().split(" = ")[1]).to_numpy()
        y = list(data.y[here])
        rest = {column: after(data.X[column][here], y) for column in candidates(node)}
        found = candidates(node)
        for column, candidate in found.items():
            assert candidate.impurity == same(rest[column])
            assert candidate.gain == same(gain(data.X[column][here], y))
        taken = chosen(node)
        assert rest[taken] == same(min(rest.values()))
        assert found[taken].gain == max(candidate.gain for candidate in found.values())
    assert nodes == tree.n_splits > 0
