"""The oracle itself, held against figures worked out by hand in the textbooks (true values where a book misprints)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from .examples import E1, E2, PATRONS, SPAM, SUNNY, TENNIS, TENNIS_DATES, TENNIS_LOW
from .families import nominal_splits
from .reference import (
    Candidate,
    Column,
    Node,
    Options,
    Problem,
    Table,
    between,
    chi_square_tail,
    divide,
    entropy,
    equal_frequency,
    equal_width,
    error,
    evaluate,
    gini,
    grow,
    independence,
    mdlp,
    missing_to,
    nodes,
    refuse,
    search,
    total,
    view,
)
from .tables import make_table

ID3 = Options(criterion="info_gain", nominal="multiway", missing="refuse")


def near(value: float, digits: float = 5e-7) -> object:
    """The figures are given to six places."""
    return pytest.approx(value, rel=0, abs=digits)


def best(table: Table, options: Options, name: str, rows: list[int] | None = None) -> Candidate:
    index = [column.name for column in table.columns].index(name)
    chosen = table.all_rows() if rows is None else [(row, 1) for row in rows]
    found = search(Problem(table, options), index, chosen).best
    assert found is not None
    return found


def where(table: Table, **cells: str) -> list[int]:
    by_name = {column.name: column for column in table.columns}
    return [
        row
        for row in range(len(table.target))
        if all(by_name[name].levels[by_name[name].cells[row]] == level for name, level in cells.items())
    ]


def shape(table: Table, node: Node) -> object:
    """A tree as nested dicts: column -> level -> subtree or class."""
    if node.is_leaf:
        return table.classes[int(node.prediction)]
    column = table.columns[node.candidate.split.column]
    return {column.name: {level: shape(table, child) for level, child in zip(column.levels, node.children, strict=True)}}


# --- row 1, 14-20: the coloured shapes


def test_e1() -> None:
    assert best(E1, ID3, "color").gain == near(0.41997, 5e-6)
    assert best(E1, ID3, "shape").gain == near(0.17095, 5e-6)
    assert shape(E1, grow(Problem(E1, ID3))) == {
        "color": {"red": {"shape": {"circle": "+", "square": "-", "triangle": "-"}}, "blue": "+"}
    }


def test_e2() -> None:
    assert where(E2, shape="triangle") == [2, 3]
    assert where(E2, shape="square") == [1, 4]
    assert entropy([1, 5]) == near(0.650022)
    assert entropy([1, 2]) == near(0.918296)
    assert math.copysign(1.0, entropy([0, 3])) == 1.0
    assert entropy([0, 3]) == 0.0
    assert entropy([1, 1]) == 1.0
    assert best(E2, ID3, "color").gain == near(0.190875)
    assert best(E2, ID3, "shape").gain == near(0.316689)
    assert shape(E2, grow(Problem(E2, ID3))) == {
        "shape": {"circle": {"color": {"red": "+", "blue": "-"}}, "square": "-", "triangle": "-"}
    }


# --- rows 28-34, 23: play-tennis


def test_tennis_gains() -> None:
    assert entropy([5, 9]) == near(0.940286)
    assert entropy([3, 2]) == near(0.970951)
    assert (entropy([4, 3]), entropy([1, 6])) == (near(0.985228), near(0.591673))
    gains = {"Outlook": 0.246750, "Humidity": 0.151836, "Wind": 0.048127, "Temperature": 0.029223}
    for name, gain in gains.items():
        assert best(TENNIS, ID3, name).gain == near(gain)
    assert entropy([5, 9]) - best(TENNIS, ID3, "Outlook").gain == near(0.693536)
    assert entropy([5, 9]) - best(TENNIS, ID3, "Humidity").gain == near(0.788450)


@pytest.mark.parametrize(
    ("level", "gains"),
    [
        ("Sunny", {"Humidity": 0.970951, "Temperature": 0.570951, "Wind": 0.019973}),
        ("Rain", {"Wind": 0.970951, "Temperature": 0.019973, "Humidity": 0.019973}),
    ],
)
def test_tennis_branches(level: str, gains: dict[str, float]) -> None:
    for name, gain in gains.items():
        assert best(TENNIS, ID3, name, where(TENNIS, Outlook=level)).gain == near(gain)


def test_tennis_tree() -> None:
    root = grow(Problem(TENNIS, ID3))
    assert shape(TENNIS, root) == {
        "Outlook": {
            "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
            "Overcast": "Yes",
            "Rain": {"Wind": {"Strong": "No", "Weak": "Yes"}},
        }
    }
    assert sum(node.is_leaf for node in nodes(root)) == 5
    assert all(node.impurity == 0.0 for node in nodes(root) if node.is_leaf)


def test_declared_level_without_rows_repeats_the_parent() -> None:
    root = grow(Problem(TENNIS_LOW, ID3))
    low = root.children[0].children[2]
    assert sum(node.is_leaf for node in nodes(root)) == 6
    assert low.weight == 0
    assert TENNIS_LOW.classes[int(low.prediction)] == "No"
    assert low.value == [3, 2]


# --- row 37: patrons


def test_patrons() -> None:
    assert entropy([4, 2]) == near(0.918296)
    assert best(PATRONS, ID3, "Patrons").gain == near(0.540852)
    assert 1.0 - best(PATRONS, ID3, "Patrons").gain == near(0.459148)
    assert best(PATRONS, ID3, "Type").gain == 0.0


# --- rows 44-48, 73: the ten e-mails


def test_spam_counts() -> None:
    counts = {"x1": (4, 1, 2, 3), "x2": (3, 3, 3, 1), "x3": (4, 2, 2, 2), "x4": (3, 3, 3, 1), "x5": (3, 2, 3, 2)}
    for name, (true_l, true_s, false_l, false_s) in counts.items():
        yes, no = where(SPAM, **{name: "T"}), where(SPAM, **{name: "F"})
        assert [sum(SPAM.target[r] == k for r in part) for part in (yes, no) for k in (0, 1)] == [
            true_l,
            true_s,
            false_l,
            false_s,
        ]


@pytest.mark.parametrize(
    ("node", "left"),
    [
        ({}, {"x1": 0.846439, "x2": 0.924511, "x3": 0.950978, "x4": 0.924511, "x5": 0.970951}),
        ({"x1": "F"}, {"x2": 0.0, "x3": 0.950978, "x4": 0.649022, "x5": 0.950978}),
        ({"x1": "T"}, {"x2": 0.4, "x3": 0.4, "x4": 0.550978, "x5": 0.550978}),
    ],
)
def test_spam_conditional_entropy(node: dict[str, str], left: dict[str, float]) -> None:
    rows = where(SPAM, **node)
    before = entropy([sum(SPAM.target[row] == k for row in rows) for k in (0, 1)])
    for name, value in left.items():
        assert before - best(SPAM, ID3, name, rows).gain == near(value)


def test_spam_zero_gain_and_gini() -> None:
    assert best(SPAM, ID3, "x5").gain == 0.0
    assert best(SPAM, ID3, "x3").gain == near(0.019973)
    by_gini = replace(ID3, criterion="gini")
    for name, value in {"x1": 0.4, "x2": 0.45, "x3": 0.466667, "x4": 0.45, "x5": 0.48}.items():
        assert 0.48 - best(SPAM, by_gini, name).gain == near(value)


def test_spam_tree_with_lowest_index_ties() -> None:
    root = grow(Problem(SPAM, ID3))
    assert shape(SPAM, root) == {
        "x1": {
            "T": {"x2": {"T": "L", "F": {"x3": {"T": "L", "F": "S"}}}},
            "F": {"x2": {"T": "S", "F": "L"}},
        }
    }
    assert sum(not node.is_leaf for node in nodes(root)) == 4


# --- rows 65, 67: gain ratio


def test_gain_ratio() -> None:
    ratio = replace(ID3, criterion="gain_ratio")
    date = best(TENNIS_DATES, ratio, "Date")
    assert (date.gain, date.split_info, date.merit) == (near(0.940286), near(3.807355), near(0.246966))
    expected = {
        "Outlook": (0.156428, 1.577406),
        "Humidity": (0.151836, 1.0),
        "Wind": (0.048849, 0.985228),
        "Temperature": (0.018773, 1.556657),
    }
    for name, (merit, information) in expected.items():
        found = best(TENNIS, ratio, name)
        assert (found.merit, found.split_info) == (near(merit), near(information))
    root = grow(Problem(TENNIS_DATES, replace(ratio, chooser="above_average")))
    assert root.candidate.split.column == 0
    # Only a minimum leaf weight removes the dates: no two branches hold two rows.
    careful = grow(Problem(TENNIS_DATES, replace(ratio, chooser="above_average", min_samples_leaf=2)))
    assert careful.candidate.split.column == 1


def test_two_class_impurities() -> None:
    assert gini([3, 7]) == near(0.42)
    assert error([3, 7]) == near(0.3)


# --- rows 84-87: a missing cell at the Sunny node


@pytest.mark.parametrize(
    ("policy", "gain"),
    [
        ("ignore", 0.811278),
        ("most_common", 0.321928),
        ("most_common_in_class", 0.970951),
        ("spread", 0.429505),
        ("fraction", 0.649022),
        ("majority", 0.649022),
    ],
)
def test_missing_humidity(policy: str, gain: float) -> None:
    assert best(SUNNY, replace(ID3, missing=policy), "Humid").gain == near(gain)


def test_missing_humidity_ratio() -> None:
    found = best(SUNNY, replace(ID3, missing="fraction", criterion="gain_ratio"), "Humid")
    assert (found.split_info, found.merit) == (near(1.370951), near(0.473411))


def test_missing_humidity_fractions() -> None:
    problem = Problem(SUNNY, replace(ID3, missing="spread"))
    found = search(problem, 1, SUNNY.all_rows()).best
    assert found.weights == (Fraction(15, 4), Fraction(5, 4))
    seen = view(SUNNY, 1, "spread", SUNNY.all_rows())
    assert [total(part) for part in divide(seen, found.split)] == [Fraction(15, 4), Fraction(5, 4)]
    assert missing_to(seen, found.split) == {"all"}


def test_missing_humidity_homes() -> None:
    learned = best(SUNNY, replace(ID3, missing="learned"), "Humid")
    assert learned.split.home == 1
    assert learned.gain == near(0.970951)
    own = best(SUNNY, replace(ID3, missing="own"), "Humid")
    assert own.split.branches == 3
    assert own.gain == near(0.970951)
    with pytest.raises(ValueError, match="Humid"):
        Problem(SUNNY, ID3)


# --- row 98: significance


def test_chi_square() -> None:
    for name, (statistic, degrees, p) in {"Outlook": (3.546667, 2, 0.169766), "Humidity": (2.8, 1, 0.094264)}.items():
        found = best(TENNIS, ID3, name)
        seen = view(TENNIS, found.split.column, "refuse", TENNIS.all_rows())
        got = independence(TENNIS, divide(seen, found.split))
        assert (got[0], got[1], got[2]) == (near(statistic), degrees, near(p))
    assert grow(Problem(TENNIS, replace(ID3, significance=0.05))).is_leaf
    assert not grow(Problem(TENNIS, replace(ID3, significance=0.2))).is_leaf


def test_chi_square_tail() -> None:
    # Percentage points of the usual tables.
    for statistic, degrees, p in [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (7.814728, 3, 0.05), (13.276704, 4, 0.01)]:
        assert chi_square_tail(statistic, degrees) == near(p)


# --- parts without a printed figure


def test_thresholds_keep_the_inequality() -> None:
    up = math.nextafter(1.0, 2.0)
    assert between(1.0, 2.0) == 1.5
    assert between(1.0, up) < up
    assert 1.0 < between(1.0, up, "<") <= up
    assert between(0.0, 5e-324) == 0.0
    assert between(0.0, 5e-324, "<") == 5e-324
    assert between(-1.7e308, 1.7e308) == 0.0
    assert (between(1.0, 2.0, "<=", "observed"), between(1.0, 2.0, "<", "observed")) == (1.0, 2.0)


def test_discretisations() -> None:
    assert equal_width([0.0, 1.0, 9.0], 3) == (3.0, 6.0)
    assert equal_width([4.0, 4.0], 3) == ()
    assert equal_frequency([(float(v), 1) for v in range(6)], 3) == (1.5, 3.5)
    # One heavy value passes two goals at once and gives one cut; nothing follows the last value.
    assert equal_frequency([(0.0, 8), (1.0, 1), (2.0, 1)], 4) == (0.5,)
    assert equal_frequency([(0.0, 1), (1.0, 9)], 2) == ()
    separable = [(float(v), 1, int(v >= 10)) for v in range(20)]
    assert mdlp(separable, 2) == ((9.5,), False)
    assert mdlp([(float(v), 1, v % 2) for v in range(20)], 2)[0] == ()


def test_mdlp_boundary_of_the_test() -> None:
    # 2 + 2 rows: gain 1, cost (log2 3 + log2 7 - 2) / 4 = 0.598; 1 + 1 rows: cost (0 + log2 7 - 2) / 2 = 0.404.
    assert mdlp([(0.0, 2, 0), (1.0, 2, 1)], 2)[0] == (0.5,)
    assert mdlp([(0.0, 1, 0), (1.0, 1, 1)], 2)[0] == (0.5,)
    # Classes 0 1 0 of 2 rows each: gain .2516, cost (log2 5 + log2 7 - (2 * .9183 - 2 * 1)) / 6 = .8822.
    assert mdlp([(0.0, 2, 0), (1.0, 2, 1), (2.0, 2, 0)], 2)[0] == ()


def test_ternary_interval_concept() -> None:
    xs = tuple(i / 10 for i in range(10))
    table = Table((Column("x", xs),), tuple(int(0.3 <= x < 0.7) for x in xs), (1,) * 10, ("out", "in"))
    three = grow(Problem(table, Options(numeric="ternary")))
    two = grow(Problem(table, Options(numeric="threshold")))
    assert (len(nodes(three)), len(nodes(two))) == (4, 5)
    # One cut is enough here, and a pair cannot do better.
    easy = replace(table, target=tuple(int(x >= 0.5) for x in xs))
    assert grow(Problem(easy, Options(numeric="ternary"))).candidate.split.family == "threshold"


def test_parity_needs_a_split_of_zero_gain() -> None:
    cells = ((0, 0, 1, 1), (0, 1, 0, 1))
    table = Table(tuple(Column(f"x{i}", cell, ("f", "t")) for i, cell in enumerate(cells)), (0, 1, 1, 0), (1,) * 4, ("a", "b"))
    root = grow(Problem(table, ID3))
    assert root.candidate.gain == 0.0
    assert root.candidate.split.column == 0
    assert len(nodes(root)) == 7
    assert grow(Problem(table, replace(ID3, min_gain=1e-9))).is_leaf


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "error", "risk", "twoing", "variance"])
def test_ordered_cuts_equal_all_subsets(criterion: str) -> None:
    """Breiman's theorem: with two classes or a variance, the cuts of one order contain a best division."""
    for seed in range(60):
        table = make_table(Random(seed), classes=criterion != "variance", missing=False, max_columns=1)
        if table.columns[0].numeric or table.n_classes > 2:
            continue
        loss = ((0.0, 3.0), (1.0, 0.0)) if criterion == "risk" else None
        problem = Problem(table, Options(criterion=criterion, loss=loss))
        seen = view(table, 0, "learned", table.all_rows())
        levels = sorted({int(cell) for _, _, cell in seen.known})
        found = search(problem, 0, table.all_rows())
        if len(levels) < 2:
            assert found.best is None
            continue
        pattern = next(iter(nominal_splits(seen, problem.options)))
        scores = []
        for size in range(1, len(levels)):
            for part in combinations(levels, size):
                split = replace(pattern, assign=tuple((level, int(level not in part)) for level in levels))
                scores.append(evaluate(problem, seen, split).score)
        assert found.best.score == pytest.approx(max(scores), rel=1e-9, abs=1e-15)


def test_best_first_takes_the_largest_decrease() -> None:
    root = grow(Problem(TENNIS, replace(ID3, max_leaf_nodes=4)))
    assert sum(node.is_leaf for node in nodes(root)) == 4
    assert not root.children[0].is_leaf
    assert root.children[2].reason == "max_leaf_nodes"


def test_presence_when_nothing_else_divides() -> None:
    table = Table((Column("x", (1.0, 1.0, None, None)),), (0, 0, 1, 1), (1,) * 4, ("a", "b"))
    for policy in ("learned", "own"):
        root = grow(Problem(table, Options(missing=policy)))
        assert root.candidate.split.family == "presence"
        assert root.candidate.gain == 1.0
    for policy in ("fraction", "spread", "majority", "ignore", "most_common", "most_common_in_class"):
        assert grow(Problem(table, Options(missing=policy))).is_leaf


def test_refusals() -> None:
    numbers = Table((Column("x", (1.0, 2.0)),), (0.5, 1.5), (1, 1))
    for options in (
        Options(criterion="variance"),
        Options(criterion="twoing", nominal="multiway"),
        Options(criterion="twoing", numeric="ternary"),
        Options(criterion="twoing", numeric="discretised"),
        Options(criterion="twoing", missing="own"),
    ):
        with pytest.raises(ValueError):
            refuse(TENNIS, options)
    for options in (
        Options(criterion="gini"),
        Options(criterion="variance", missing="most_common_in_class"),
        Options(criterion="variance", significance=0.05),
        Options(criterion="variance", numeric="discretised", discretise="mdlp"),
    ):
        with pytest.raises(ValueError):
            refuse(numbers, options)
