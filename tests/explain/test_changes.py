"""What single changes would alter the answer, against trying every value: whatever is divided, stands in or is soft."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.inspect import changes

VALUES: dict[str, list[Any]] = {"u": np.arange(-0.5, 9, 0.25).tolist(), "v": np.arange(-0.5, 9, 0.25).tolist(), "c": list("abcd")}
MODELS = {
    "c45": tw.C45Classifier(pruned=False),
    "j48": tw.C45Classifier(variant="j48"),
    "soft": tw.C45Classifier(soft=True),
    "surrogates": tw.CARTClassifier(missing="surrogate", max_depth=6),
    "learned": tw.CARTClassifier(max_depth=6),
    "ternary": tw.TreeClassifier(missing="fraction", numeric="ternary", max_depth=3),
}


def table(seed: int, n: int = 120) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    codes = np.where(rng.random(n) < 0.5, y, rng.integers(0, 4, n)) % 4
    X = pd.DataFrame(
        {
            "u": y + rng.integers(0, 6, n) * 1.0,
            "c": pd.Categorical.from_codes(codes, categories=list("abcd")),
            "v": y * 0.5 + rng.integers(0, 6, n),
        }
    )
    for name in X:
        X.loc[rng.random(n) < 0.15, name] = None
    return X, np.array(["k0", "k1", "k2"])[y]


def reached(model: Any, row: pd.DataFrame, said: Any) -> dict[tuple[str, Any], list[Any]]:
    """Which answers each column alone can bring about, by trying."""
    out: dict[tuple[str, Any], list[Any]] = {}
    for name, values in VALUES.items():
        many = pd.concat([row] * len(values), ignore_index=True)
        many[name] = pd.Categorical(values, categories=row[name].cat.categories) if name == "c" else np.array(values)
        for value, answer in zip(values, model.predict(many), strict=True):
            if answer != said:
                out.setdefault((name, answer), []).append(value)
    return out


@pytest.mark.parametrize("kind", MODELS)
def test_all_flips_are_told_and_none_is_false(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST", 100)
    flips = divided = 0
    for seed in range(6):
        X, y = table(seed)
        model = MODELS[kind].fit(X, y)
        rows = X.iloc[:8].copy()
        rows.iloc[0] = None
        rows.loc[1, "c"] = None
        for i in range(len(rows)):
            row = rows.iloc[[i]]
            found = model.explain(row)
            assert found.says == model.predict(row)[0]
            want = reached(model, row, found.says)
            told = {(change.column, change.says): change for change in found.changes}
            assert set(told) >= set(want)
            for key in set(told) - set(want):  # what lies between the values tried
                assert kind == "soft" and key[0] != "c"
            assert [change.far for change in found.changes] == sorted(change.far for change in found.changes)
            for (name, answer), values in want.items():
                now = row[name].iloc[0]
                if name == "c":
                    assert told[name, answer].condition.removeprefix("c = ").split(" or ") == values
                elif kind != "soft" and now == now:
                    nearest = min(values, key=lambda value: abs(value - now))
                    assert first_end(told[name, answer].condition, name, nearest > now) == pytest.approx(nearest, abs=0.26)
            flips += len(want)
            divided += found.divided
    assert flips > 60
    assert divided or kind in ("surrogates", "learned")


def first_end(condition: str, name: str, above: bool) -> float:
    """The end of the first interval of a condition that a value from outside comes to."""
    words = condition.split(" or ")[0].split()
    if words[0] == name:
        assert (words[1][0] == ">") == above
        return float(words[2])
    return float(words[0] if above else words[4])


def test_of_two_numbers_the_nearer_comes_first() -> None:
    grid = np.array([(a, b) for a in range(20) for b in range(20)], float)
    model = tw.CARTClassifier().fit(grid, np.where((grid[:, 0] > 9) & (grid[:, 1] > 9), "in", "out"))
    found = model.explain([[11.0, 15.0]])
    assert [(change.column, change.condition, change.says) for change in found.changes] == [
        ("x0", "x0 <= 9.5", "out"),
        ("x1", "x1 <= 9.5", "out"),
    ]
    assert found.changes[0].far < found.changes[1].far < 1
    assert [change.column for change in model.explain([[15.0, 11.0]]).changes] == ["x1", "x0"]


def test_any_known_value_may_alter_what_a_missing_one_says() -> None:
    X = pd.DataFrame({"x": [None] * 6 + [1.0, 2.0, 3.0, 4.0]})
    model = tw.TreeClassifier(missing="own").fit(X, ["p"] * 6 + ["q"] * 4)
    (change,) = model.explain(X.iloc[[0]]).changes
    assert (change.condition, change.says) == ("x is known", "q")


def test_large_trees_and_rows_of_missing_cells_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (X.sum(axis=1) + rng.normal(size=3000)) > 0
    model = tw.C45Classifier(pruned=False, min_samples_leaf=1).fit(X, y)
    row = np.full((1, 4), np.nan)
    found = model.explain(row)
    assert len(found.parts) > 50
    lines = found.to_text().splitlines()
    assert len(lines) < 60
    assert any(line.startswith(f"  … and {len(found.parts) - 20} more parts, ") for line in lines)
    assert len(found.to_text(max_parts=None).splitlines()) > len(found.parts)
    assert len(found.to_sentence().splitlines()) == 1
    nearest = model.explain(X[:1]).changes[0]
    assert len(np.unique(model.tree_.state()["cut_at"])) > 64 * 1.2
    monkeypatch.setattr(changes, "_WORK", 100)  # 64 values a column, the nearest
    assert model.explain(X[:1]).changes[0] == nearest


def test_a_column_that_is_tested_for_presence_alone() -> None:
    X = pd.DataFrame({"a": [1.0, np.nan] * 40})
    tree = tw.TreeClassifier(missing="learned").fit(X, ["u", "v"] * 40)
    assert "a is known" in str(tree.explain(X.iloc[[0]]))
    assert "a is missing" in str(tree.explain(X.iloc[[1]]))


def test_ends_of_soft_conditions_say_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies between two answers belongs to neither, and surely to no third one."""
    monkeypatch.setattr(changes, "MOST", 100)
    told = 0
    for seed in range(6):
        X, y = table(seed)
        model = MODELS["soft"].fit(X, y)
        for i in range(12):
            row = X.iloc[[i]]
            for change in model.explain(row).changes:
                for condition in change.tests:
                    ends = [bound for bound in (condition.low, condition.high) if bound is not None]
                    for bound in ends:
                        inner = np.inf if bound is condition.low else -np.inf
                        at = bound.at if bound.inclusive else np.nextafter(bound.at, inner)
                        other = row.copy()
                        other[change.column] = at
                        told += 1
                        assert model.predict(other).tolist() == [change.says]
    assert told > 100
