"""Missing values at the sunny node of play-tennis: rows 83 to 88."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

from .arithmetic import candidates, child, entropy, grown, id3, printed, same


@pytest.fixture(scope="module")
def sunny() -> tw.datasets.Dataset:
    return tw.datasets.load_sunny_missing()


def humidity(sunny: tw.datasets.Dataset, missing: str, **parameters: Any) -> Any:
    return candidates(grown(sunny.X, sunny.y, missing=missing, **parameters).root)["humidity"]


def test_row_83_the_five_sunny_days(sunny: tw.datasets.Dataset) -> None:
    assert sunny.X["temperature"].tolist() == ["hot", "hot", "mild", "cool", "mild"]
    assert sunny.X["wind"].tolist() == ["weak", "strong", "weak", "weak", "strong"]
    assert list(sunny.y) == ["no", "no", "no", "yes", "yes"]
    assert sunny.X["humidity"].isna().tolist() == [False, False, False, True, False]
    assert sunny.X["humidity"].dropna().tolist() == ["high", "high", "high", "normal"]
    whole = tw.datasets.load_play_tennis()
    days = whole.X["outlook"] == "sunny"
    assert (whole.X[days].index + 1).tolist() == [1, 2, 8, 9, 11]
    assert whole.X[days]["temperature"].tolist() == sunny.X["temperature"].tolist()
    assert whole.X[days]["wind"].tolist() == sunny.X["wind"].tolist()
    with pytest.raises(ValueError, match="humidity"):
        tw.ID3Classifier().fit(sunny.X, sunny.y)


@pytest.mark.parametrize(
    ("missing", "figure"),
    [
        pytest.param("ignore", "0.811278", id="row-84"),
        pytest.param("most_common", "0.321928", id="row-85"),
        pytest.param("most_common_in_class", "0.970951", id="row-86"),
        pytest.param("spread", "0.429505", id="row-87"),
        pytest.param("fraction", "0.649022", id="row-87-c45"),
    ],
)
def test_rows_84_to_87_gain_of_humidity(sunny: tw.datasets.Dataset, missing: str, figure: str) -> None:
    found = humidity(sunny, missing)
    assert found.gain == printed(figure)
    assert found.merit == found.gain
    # The columns without a missing cell do not care.
    others = candidates(grown(sunny.X, sunny.y, missing=missing).root)
    assert others["temperature"].gain == printed("0.570951")
    assert others["wind"].gain == printed("0.019973")


def test_row_84_the_instance_takes_no_part_below(sunny: tw.datasets.Dataset) -> None:
    root = grown(sunny.X, sunny.y, missing="ignore").root
    assert root.split.column == "humidity"
    assert sum(node.weight for node in root.children) == 4
    assert humidity(sunny, "ignore").gain == same(entropy(3, 1))


@pytest.mark.parametrize(
    ("missing", "high", "normal"),
    [
        pytest.param("most_common", {"no": 3.0, "yes": 1.0}, {"yes": 1.0}, id="row-85"),
        pytest.param("most_common_in_class", {"no": 3.0}, {"yes": 2.0}, id="row-86"),
        pytest.param("spread", {"no": 3.0, "yes": 0.75}, {"yes": 1.25}, id="row-87"),
        pytest.param("fraction", {"no": 3.0, "yes": 0.75}, {"yes": 1.25}, id="row-87-c45"),
    ],
)
def test_rows_85_to_87_where_the_instance_goes(
    sunny: tw.datasets.Dataset, missing: str, high: dict[str, float], normal: dict[str, float]
) -> None:
    root = grown(sunny.X[["humidity"]], sunny.y, missing=missing).root
    assert child(root, "high").value == pytest.approx(high, abs=1e-12)
    assert child(root, "normal").value == pytest.approx(normal, abs=1e-12)


def test_row_87_c45_ratio(sunny: tw.datasets.Dataset) -> None:
    found = humidity(sunny, "fraction", criterion="gain_ratio")
    assert found.gain == printed("0.649022")
    assert found.gain == same(0.8 * entropy(3, 1))
    assert found.split_info == printed("1.370951")
    assert found.split_info == same(entropy(3, 1, 1))
    assert found.merit == printed("0.473411")


def test_row_87_naive_fraction_by_hand(sunny: tw.datasets.Dataset) -> None:
    by_hand = entropy(3, 2) - 3.75 / 5 * entropy(3, 0.75) - 1.25 / 5 * entropy(1.25)
    assert humidity(sunny, "spread").gain == same(by_hand)


def mix(node: tw.Node, row: dict[str, Any]) -> dict[Any, float]:
    """Class shares by summing over all leaves that a row reaches, a missing cell down every branch by its weight."""
    if node.is_leaf:
        total = sum(node.value.values())
        return {label: weight / total for label, weight in node.value.items()}
    known = row[node.split.column]
    below = node.children
    shares = [w.weight / sum(c.weight for c in below) for w in below]
    if known is not None:
        shares = [float(i == node.split.levels[known]) for i in range(len(below))]
    out: dict[Any, float] = {}
    for part, share in zip(below, shares, strict=True):
        for label, p in mix(part, row).items():
            out[label] = out.get(label, 0.0) + share * p
    return out


def as_frame(rows: list[dict[str, Any]], like: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(like)).astype(like.dtypes.to_dict())


def test_row_88_a_missing_humidity_at_the_sunny_node() -> None:
    data = tw.datasets.load_play_tennis()
    model = tw.ID3Classifier(missing="fraction", keep_candidates=True).fit(data.X, data.y)
    assert model.tree_.to_rules().to_text() == id3(data.X, data.y).to_rules().to_text()
    asked = as_frame([{"outlook": "sunny", "temperature": "cool", "humidity": None, "wind": "weak"}], data.X)
    shares = model.predict_proba(asked)
    assert shares.tolist() == [[same(3 / 5), same(2 / 5)]]
    assert model.predict(asked).tolist() == ["no"]
    reached = np.flatnonzero(model.decision_path(asked).toarray()[0])
    sunny = child(model.tree_.root, "sunny")
    assert set(reached) == {0, sunny.id, *(leaf.id for leaf in sunny.children)}


@pytest.mark.parametrize("missing", ["fraction", "spread"])
def test_row_88_instances_are_divided_further_and_answers_summed(missing: str) -> None:
    data = tw.datasets.load_play_tennis()
    X = data.X.copy()
    X.loc[8, "humidity"] = None  # d9
    X.loc[5, "wind"] = None
    X.loc[3, "outlook"] = None
    model = tw.ID3Classifier(missing=missing).fit(X, data.y)
    tree = model.tree_
    assert sum(leaf.weight for leaf in tree.leaves()) == same(14)
    assert any(leaf.weight % 1 > 1e-6 for leaf in tree.leaves())
    levels = [[*X[column].cat.categories, None] for column in X]
    rows = [dict(zip(X, cells, strict=True)) for cells in np.array(np.meshgrid(*levels)).T.reshape(-1, 4).tolist()]
    assert len(rows) == 4 * 4 * 3 * 3
    shares = model.predict_proba(as_frame(rows, X))
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-12)
    for row, found in zip(rows, shares, strict=True):
        by_hand = mix(tree.root, row)
        assert found.tolist() == [same(by_hand.get("no", 0.0)), same(by_hand.get("yes", 0.0))]
