"""What single changes would alter the answer of trees whose nodes add columns up, against trying many values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.oblique.tables import circle, diagonal, mixed
from treewright.inspect import changes

MODELS: dict[str, Any] = {
    "planes": tw.ObliqueTreeClassifier(method="ldt", pruned=False, max_depth=4),
    "quadratic": tw.ObliqueTreeClassifier(node="quadratic", pruned=False, max_depth=3),
    "sphere": tw.ObliqueTreeClassifier(node="sphere", pruned=False, max_depth=3),
    "machines": tw.ObliqueTreeClassifier(method="lmdt", pruned=False, max_depth=2),
    "fact": tw.ObliqueTreeClassifier(method="fact", pruned=False, max_depth=3),
    "network": tw.ObliqueTreeClassifier(node="network", pruned=False, max_depth=2),
    "gates": tw.SoftTreeClassifier(restarts=0),
}
TRIED = {"a b": np.linspace(-6, 12, 145), "big": np.linspace(-100_150, -99_850, 121), "day": np.arange(0, 1000, 7)}


@pytest.mark.parametrize("kind", MODELS)
def test_all_flips_are_told_and_none_is_false(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST", 100)
    X, y = mixed(300)
    model = MODELS[kind].fit(X, y)
    flips = ends = 0
    for i in range(12):
        row = X.iloc[[i]]
        found = model.explain(row)
        told = {(change.column, change.says): change for change in found.changes}
        assert [change.far for change in found.changes] == sorted(change.far for change in found.changes)
        for change in found.changes:
            if change.column in ("c", "flag"):
                continue
            for condition in change.tests:
                for bound in (condition.low, condition.high):
                    if bound is not None:  # what lies at the end said is said of it
                        inner = np.inf if bound is condition.low else -np.inf
                        other = changed(row, change.column, bound.at if bound.inclusive else np.nextafter(bound.at, inner))
                        assert model.predict(other).tolist() == [change.says]
                        ends += 1
        for name, values in TRIED.items():
            said = np.array([model.predict(changed(row, name, value, days=True))[0] for value in values])
            for answer in set(said) - {found.says}:
                hit = list(told[name, answer].tests)
                inside = np.any([between(condition, name, values) for condition in hit], axis=0)
                assert np.all(said[inside] == answer)
                assert np.sum(inside) > 0.5 * np.sum(said == answer) or len(hit) == 0
                flips += 1
    assert flips > 10 and ends > 10


def changed(row: Any, name: str, value: float, days: bool = False) -> Any:
    other = row.copy()
    if name != "day":
        other[name] = value
    elif days:
        other[name] = np.datetime64("2024-01-01") + np.timedelta64(int(value), "D")
    else:
        other[name] = np.datetime64(round(np.ceil(value)), "us")
    return other


def between(condition: Any, name: str, values: np.ndarray) -> np.ndarray:
    if name == "day":
        values = (np.datetime64("2024-01-01", "us") + values.astype(int) * np.timedelta64(1, "D")).astype(np.int64)
    low, high = condition.interval()
    return (values >= low) & (values <= high)


def test_the_nearest_change_is_named_in_few_digits() -> None:
    X, y = diagonal()
    model = tw.ObliqueTreeClassifier().fit(X, np.where(y, "above", "below"))
    found = model.explain([[0.3, 0.4]])
    assert found.says == "below"
    for change, end in zip(found.changes, (0.6, 0.7), strict=True):
        name, sign, number = change.condition.split()
        assert sign == ">" and float(number) == pytest.approx(end, abs=0.02) and len(number) <= 6
        assert change.says == "above" and name in ("x0", "x1")
    assert "would be above" in str(found) or "above" in str(found)


def test_a_curve_is_left_on_either_side() -> None:
    X, y = circle()
    model = tw.ObliqueTreeClassifier(node="sphere", pruned=False).fit(X, np.where(y, "in", "out"))
    change = next(change for change in model.explain([[0.0, 0.1]]).changes if change.column == "x0")
    low, high = sorted(float(bound.at) for condition in change.tests for bound in (condition.low, condition.high) if bound)
    edge = np.sqrt(2 / np.pi - 0.01)
    assert low == pytest.approx(-edge, abs=0.03) and high == pytest.approx(edge, abs=0.03)
