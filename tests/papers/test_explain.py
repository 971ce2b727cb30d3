"""Missing cells four ways on one tree, and why a row gets its answer (acceptance rows 84 to 88)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw


@pytest.fixture(scope="module")
def tennis() -> tuple[pd.DataFrame, pd.Series]:
    table = tw.datasets.load_play_tennis()
    return table.X, table.y


def one(X: pd.DataFrame, **cells: object) -> pd.DataFrame:
    row = X.iloc[[0]].copy()
    for name, value in cells.items():
        row[name] = pd.Categorical([value], categories=X[name].cat.categories) if hasattr(X[name], "cat") else [value]
    return row


def test_row_88_outlook_is_missing(tennis: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = tennis
    est = tw.C45Classifier().fit(X, y)
    why = est.explain(one(X, outlook=None, humidity="high", wind="weak"))
    assert why.notes == ("outlook is missing: 5/14 sunny, 4/14 overcast, 5/14 rain",)
    assert [part.factors for part in why.parts] == [("5/14",), ("4/14",), ("5/14",)]
    assert [part.says for part in why.parts] == ["no", "yes", "yes"]
    assert sum(part.share for part in why.parts) == pytest.approx(1)
    assert why.says == "yes"
    assert why.shares == pytest.approx({"no": 5 / 14, "yes": 9 / 14})
    assert str(why).splitlines()[:6] == [
        "outlook=missing  humidity=high  wind=weak  and 1 column that makes no difference",
        "  outlook is missing: 5/14 sunny, 4/14 overcast, 5/14 rain",
        "  5/14 × outlook = sunny and humidity = high → no (no 3)",
        "  4/14 × outlook = overcast → yes (yes 4)",
        "  5/14 × outlook = rain and wind = weak → yes (yes 3)",
        "  → yes (vote: yes 64%, no 36%)",
    ]


def test_row_88_two_missing_cells_multiply(tennis: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = tennis
    est = tw.C45Classifier().fit(X, y)
    row = one(X, outlook=None, humidity=None, wind="strong")
    why = est.explain(row)
    assert "humidity is missing: 3/5 high, 2/5 normal" in why.notes
    assert [part.factors for part in why.parts] == [("5/14", "3/5"), ("5/14", "2/5"), ("4/14",), ("5/14",)]
    assert list(why.shares.values()) == pytest.approx(est.predict_proba(row)[0])
    assert why.says == est.predict(row)[0]


def test_a_known_row_has_one_part(tennis: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = tennis
    why = tw.ID3Classifier().fit(X, y).explain(X.iloc[[0]])
    assert why.parts[0].conditions() == ["outlook = sunny", "humidity = high"]
    assert why.says == why.parts[0].says == "no"
    assert why.notes == ()
    assert why.parts[0].share == 1


@pytest.mark.parametrize("policy", ["ignore", "most_common", "most_common_in_class", "fraction"])
def test_rows_84_to_87_four_ways(tennis: tuple[pd.DataFrame, pd.Series], policy: str) -> None:
    X, y = tennis
    holes = X.copy()
    holes.loc[holes.index[8], "humidity"] = None  # d9, sunny: one of the five
    est = tw.ID3Classifier(missing=policy).fit(holes, y)
    row = one(X, outlook=None)
    why = est.explain(row)
    assert why.says == est.predict(row)[0]
    assert list(why.shares.values()) == pytest.approx(est.predict_proba(row)[0])
    if policy == "fraction":
        assert why.notes[0] == "outlook is missing: 5/14 sunny, 4/14 overcast, 5/14 rain"
        assert len(why.parts) == 3
        # Of the sunny days three of four known ones are humid; d9 itself went down both branches.
        sunny = est.explain(one(X, outlook="sunny", humidity=None))
        assert sunny.notes == ("humidity is missing: 0.750 high, 0.250 normal",)
        assert len(sunny.parts) == 2
    else:
        assert len(why.parts) == 1
        assert why.notes[0] == "outlook is missing: it goes with outlook = sunny"


def test_explanations_agree_with_answers() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["u", "v", "w"], 200), "c": rng.normal(size=200)})
    for name in X:
        X.loc[rng.random(200) < 0.2, name] = None
    y = np.where((X["a"].fillna(0) > 0) ^ (X["b"] == "u"), "p", "q")
    z = X["a"].fillna(0) + (X["b"] == "u")
    for est in (
        tw.C45Classifier(),
        tw.C45Classifier(soft=True),
        tw.CARTClassifier(max_depth=4),
        tw.ID3Classifier(missing="own", max_depth=4),
        tw.C45Classifier(grouped=True),
    ):
        est.fit(X, y)
        shares = est.predict_proba(X)
        for i, (said, share) in enumerate(zip(est.predict(X), shares, strict=True)):
            why = est.explain(X.iloc[[i]])
            assert why.says == said
            assert [why.shares[label] for label in est.classes_] == pytest.approx(share)
    est = tw.TreeRegressor(missing="fraction", max_depth=3).fit(X, z)
    assert [est.explain(X.iloc[[i]]).says for i in range(len(X))] == pytest.approx(est.predict(X))
    assert "a is missing" in str(est.explain(X.iloc[np.flatnonzero(X["a"].isna())[:1]]))


def test_near_a_soft_threshold() -> None:
    X = pd.DataFrame({"x": np.arange(1.0, 21.0)})
    est = tw.C45Classifier(soft=True).fit(X, np.repeat(["a", "b"], 10))
    why = est.explain(pd.DataFrame({"x": [10.0]}))
    assert why.notes == ("x = 10 is near 10: 0.500 below, 0.500 above",)
    assert [part.share for part in why.parts] == pytest.approx([0.5, 0.5])


def test_one_tree_answers_in_several_ways(tennis: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = tennis
    est = tw.ID3Classifier(missing="fraction").fit(X, y)
    row = one(X, outlook=None)
    assert est.explain(row).notes == ("outlook is missing: 5/14 sunny, 4/14 overcast, 5/14 rain",)
    for policy in ("ignore", "most_common", "most_common_in_class", "majority"):
        other = est.tree_.with_missing(policy)
        why = est.explain(row, missing=policy)
        assert why.notes == ("outlook is missing: it goes with outlook = sunny",)
        assert why.says == other.predict(row)[0]
        # Nothing else is another tree, and back is back.
        assert np.array_equal(other.predict_proba(X), est.tree_.predict_proba(X))
        assert other.with_missing("fraction") == est.tree_
    whole = tw.ID3Classifier().fit(X, y)
    assert whole.explain(row, missing="fraction").shares == est.explain(row).shares
    with pytest.raises(ValueError, match="missing"):
        est.explain(row, missing="refuse")
    with pytest.raises(ValueError, match="a part of how this tree was grown: fit with missing='fraction'"):
        tw.TreeClassifier(missing="own").fit(X, y).tree_.with_missing("fraction")
    with pytest.raises(ValueError, match="missing 'most' is unknown"):
        est.tree_.with_missing("most")
