"""Many-valued attributes, gain ratio, Gini, error and risk: rows 64 to 69 and 72."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import recipes

from .arithmetic import (
    candidates,
    chosen,
    counts,
    entropy,
    error,
    gini,
    grown,
    id3,
    impurity_of,
    printed,
    same,
    split_information,
)


def dated(data: tw.datasets.Dataset) -> pd.DataFrame:
    """The table with one more column, a date of its own for every row."""
    dates = [f"Jun_{day}_1996" for day in range(1, len(data.X) + 1)]
    return data.X.assign(date=pd.Categorical(dates, dates))


def test_row_64_birth_date_wins_by_gain_and_is_useless() -> None:
    emails = tw.datasets.load_emails()
    tree = id3(dated(emails), emails.y)
    assert chosen(tree.root) == "date"
    assert tree.root.split.family == "multiway"
    assert candidates(tree.root)["date"].impurity == 0.0
    assert tree.n_leaves == 10
    # Useless: any other date is unknown to it, however clear the e-mail.
    asked = dated(emails).assign(date="Jul_1_1996")
    learned = tw.ID3Classifier(missing="fraction").fit(dated(emails), emails.y)
    with pytest.warns(tw.UnseenLevelWarning):
        assert set(learned.predict(asked)) == {"L"}


def test_row_64_gain_ratio_prefers_a_good_attribute() -> None:
    emails = tw.datasets.load_emails(x6=True)
    tree = grown(dated(emails), emails.y, criterion="gain_ratio")
    assert chosen(tree.root) == "x6"
    found = candidates(tree.root)
    assert found["x6"].merit == same(1)
    assert found["x6"].gain == found["date"].gain
    assert found["date"].merit == same(entropy(6, 4) / math.log2(10))


def test_row_65_dates_on_play_tennis() -> None:
    data = tw.datasets.load_play_tennis()
    X = dated(data)
    for chooser in ("best", "above_average"):
        root = grown(X, data.y, criterion="gain_ratio", chooser=chooser).root
        found = candidates(root)["date"]
        assert found.gain == printed("0.940286")
        assert found.split_info == printed("3.807355")
        assert found.split_info == same(math.log2(14))
        assert found.merit == printed("0.246966")
        assert found.n_branches == 14
        assert chosen(root) == "date"  # the ratio alone does not cure it here
    two_cases = grown(X, data.y, criterion="gain_ratio", min_samples_leaf=2)
    assert "date" not in candidates(two_cases.root)
    assert chosen(two_cases.root) == "outlook"
    assert "date" not in two_cases.used_columns


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "error"])
def test_row_66_training_index_as_an_attribute(criterion: str) -> None:
    data = tw.datasets.load_play_tennis()
    X = data.X.assign(t=range(1, 15))
    tree = (
        tw.TreeClassifier(recipe="id3", criterion=criterion, categorical_features=["t"], keep_candidates=True)
        .fit(X, data.y)
        .tree_
    )
    assert candidates(tree.root)["t"].impurity == 0.0
    assert chosen(tree.root) == "t"
    assert tree.depth == 1
    # As an ordered number it can only be cut in two, and says little.
    assert candidates(id3(X, data.y).root)["t"].impurity > 0.5
    assert chosen(id3(X, data.y).root) == "outlook"


@pytest.mark.parametrize(
    ("column", "ratio", "information"),
    [
        ("outlook", "0.156428", "1.577406"),
        ("humidity", "0.151836", "1.000000"),
        ("wind", "0.048849", "0.985228"),
        ("temperature", "0.018773", "1.556657"),
    ],
)
def test_row_67_gain_ratios_of_play_tennis(column: str, ratio: str, information: str) -> None:
    data = tw.datasets.load_play_tennis()
    root = grown(data.X, data.y, criterion="gain_ratio").root
    found = candidates(root)[column]
    assert found.merit == printed(ratio)
    assert found.split_info == printed(information)
    assert found.split_info == same(split_information(data.X[column]))
    assert found.merit == same(found.gain / found.split_info)


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_row_67_split_information_of_equal_parts(n: int) -> None:
    X = pd.DataFrame({"x": pd.Categorical([f"v{i % n}" for i in range(4 * n)])})
    found = grown(X, ["a", "b"] * (2 * n), criterion="info_gain").root.candidates[0]
    assert found.split_info == same(math.log2(n))
    assert n != 2 or found.split_info == same(1)


def test_row_68_the_misprinted_ratio_does_not_cure_many_values() -> None:
    data = tw.datasets.load_play_tennis()
    assert recipes.ID3.criterion == "info_gain"
    root = grown(dated(data), data.y, criterion="gain_over_rest").root
    found = candidates(root)
    assert found["date"].merit == math.inf
    assert chosen(root) == "date"
    assert found["outlook"].merit == same(found["outlook"].gain / found["outlook"].impurity)
    assert found["outlook"].merit != printed("0.156428")  # the ratio of Quinlan
    emails = tw.datasets.load_emails(x6=True)
    with_date_first = dated(emails)[["date", "x6"]]
    assert chosen(grown(with_date_first, emails.y, criterion="gain_over_rest").root) == "date"
    assert chosen(grown(with_date_first, emails.y, criterion="gain_ratio").root) == "x6"


def test_row_69_gini_and_error_of_two_classes() -> None:
    assert impurity_of("gini", 3, 7) == printed("0.42")
    assert impurity_of("error", 3, 7) == printed("0.3")
    for p in np.linspace(0.01, 0.99, 25):
        assert impurity_of("gini", p, 1 - p) == same(2 * p * (1 - p))
        assert impurity_of("error", p, 1 - p) == same(1 - max(p, 1 - p))


@pytest.mark.parametrize("weights", [(1, 1), (3, 7), (1, 2, 3), (5, 0, 5, 1), (1, 1, 1, 1, 1), (10, 1, 1)])
def test_row_72_gini_error_and_risk_of_many_classes(weights: tuple[int, ...]) -> None:
    total = sum(weights)
    shares = [w / total for w in weights]
    pairs = sum(shares[i] * shares[j] for i in range(len(shares)) for j in range(i))
    assert impurity_of("gini", *weights) == same(2 * pairs)
    assert impurity_of("gini", *weights) == same(gini(*weights))
    assert impurity_of("error", *weights) == same(error(*weights))
    assert impurity_of("risk", *weights) == same(error(*weights))
    k = sum(w > 0 for w in weights)
    assert impurity_of("risk", *weights, loss=1 - np.eye(k)) == same(error(*weights))
    # Any other loss: rows are the truth, columns what is said.
    loss = np.arange(k * k, dtype=float).reshape(k, k) % 7
    np.fill_diagonal(loss, 0)
    kept = np.array([p for p in shares if p])
    assert impurity_of("risk", *weights, loss=loss) == same(min(kept @ loss))


def test_row_72_the_scale_of_gini_does_not_change_a_split() -> None:
    # For two classes the sum over pairs is p(1 - p), half of 2p(1 - p): the same column has the greatest fall.
    emails = tw.datasets.load_emails()
    found = candidates(grown(emails.X, emails.y, criterion="gini").root)

    def pairs(*weights: float) -> float:
        total = sum(weights)
        return sum(weights[i] * weights[j] for i in range(len(weights)) for j in range(i)) / total**2

    for column, candidate in found.items():
        parts = [counts(part) for _, part in emails.y.astype(str).groupby(emails.X[column], observed=True)]
        fall = pairs(6, 4) - sum(sum(part) / 10 * pairs(*part) for part in parts)
        assert candidate.gain == pytest.approx(2 * fall, abs=1e-12)
    assert pairs(6, 4) == same(0.24)


def test_row_72_risk_and_error_choose_alike() -> None:
    data = tw.datasets.load_play_tennis()
    by_error, by_risk = (grown(data.X, data.y, criterion=name) for name in ("error", "risk"))
    assert str(by_error) == str(by_risk)
    # A false "yes" ten times as bad as a false "no": the leaf of the whole table says no.
    dear = tw.TreeClassifier(criterion="risk", loss=[[0, 10], [1, 0]], max_depth=0).fit(data.X, data.y)
    assert dear.classes_.tolist() == ["no", "yes"]
    assert set(dear.predict(data.X)) == {"no"}
    assert dear.tree_.root.impurity == same(9 / 14)
