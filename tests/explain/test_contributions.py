"""Contributions as a value: what it holds, how it is looked at, and what is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.properties.test_derived_numbers import derived, made, over_several, tree_of_one
from tests.show.names import HOSTILE
from treewright import _core
from treewright.errors import visible
from treewright.inspect import contributions as module
from treewright.inspect.subsets import used_columns

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def iris() -> tuple[Any, pd.DataFrame]:
    data = tw.datasets.load_iris()
    return tw.RandomForestClassifier(n_estimators=8, random_state=1).fit(data.X, data.y), data.X


def numbers() -> tuple[Any, pd.DataFrame]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(80, 5)), columns=list("abcde"))
    X["f"] = rng.choice(["x", "y", None], 80)
    return tw.CARTRegressor(max_depth=5).fit(X, X["a"] * 3 + 4 * (X["f"] == "x") + X["b"] ** 2), X


def test_the_value() -> None:
    est, X = iris()
    found = est.contributions(X)
    assert found.names == tuple(X.columns)
    assert found.values.shape == (150, 4, 3)
    assert found.base.shape == (3,)
    assert found.classes == tuple(est.classes_)
    assert len(found) == 150
    assert found.base.sum() == pytest.approx(1)
    assert np.abs(found.values.sum(axis=2)).max() < 1e-12
    base, values = found.of("virginica")
    assert base == found.base[2]
    assert np.array_equal(values, found.values[:, :, 2])
    assert repr(found) == "<Contributions: 150 rows, 4 columns>"
    with pytest.raises(ValueError, match="of='rose' is none of"):
        found.of("rose")
    one = numbers()[0].contributions(numbers()[1])
    assert one.values.shape == (80, 6)
    assert one.base.shape == ()
    with pytest.raises(ValueError, match="of=1 is not allowed: these are contributions to one number"):
        one.of(1)


def test_classes_stand_in_the_order_of_the_estimator() -> None:
    X = pd.DataFrame({"a": np.arange(30.0)})
    y = pd.Series(pd.Categorical(["c", "a", "b"] * 10, categories=["c", "b", "a"]))
    est = tw.CARTClassifier(max_depth=3).fit(X, y)
    found = est.contributions(X)
    assert found.classes == tuple(est.classes_)
    np.testing.assert_allclose(found.answers, est.predict_proba(X), rtol=0, atol=1e-12)
    assert est.tree_.contributions(X).classes == est.tree_.classes == ("c", "b", "a")


def test_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    est, X = iris()
    found = est.contributions(X.iloc[:4])
    frame = found.to_frame()
    assert list(frame.columns) == list(X.columns)
    assert frame.index.names == ["row", "class"]
    assert np.array_equal(frame.loc[2].to_numpy(), found.values[2].T)
    one, rows = numbers()
    assert np.array_equal(one.contributions(rows).to_frame().to_numpy(), one.contributions(rows).values)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    table = found.to_frame()
    assert table.column_names == ["row", "class", *X.columns]
    assert table["row"].to_pylist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert table[X.columns[0]].to_pylist() == found.values[:, 0, :].ravel().tolist()
    assert one.contributions(rows).to_frame().column_names == ["row", *rows.columns]


def test_the_plot_of_a_row_leads_from_the_base_to_the_answer() -> None:
    est, X = numbers()
    found = est.contributions(X)
    for row in (0, 5, -1):
        ax = found.plot(row, max_columns=2)
        bars = ax.patches
        ends = [bar.get_x() + bar.get_width() for bar in bars]
        assert bars[0].get_x() == pytest.approx(found.base)
        assert ends[-1] == pytest.approx(est.predict(X)[row])
        assert [bar.get_x() for bar in bars[1:]] == pytest.approx(ends[:-1])
        assert len(bars) == 3
        assert ax.get_yticklabels()[-1].get_text().endswith("other columns")
        sizes = [abs(bar.get_width()) for bar in bars[:2]]
        assert sizes == pytest.approx(np.sort(np.abs(found.values[row]))[::-1][:2])
    gone = int(np.flatnonzero(X["f"].isna())[0])
    labels = [text.get_text() for text in found.plot(gone, max_columns=9).get_yticklabels()]
    assert "f missing" in labels
    assert any(label.startswith("a = ") for label in labels)


def test_the_plot_of_a_class() -> None:
    est, X = iris()
    found = est.contributions(X)
    assert found.plot(0).get_xlabel().startswith("share of setosa\nfrom")
    assert found.plot(0, of="virginica").get_xlabel().startswith("share of virginica\nfrom")


def test_the_plot_of_all_rows() -> None:
    est, X = iris()
    found = est.contributions(X)
    ax = found.plot()
    assert len(ax.patches) == 4 * 3
    mean = np.abs(found.values).mean(axis=0)
    order = np.argsort(-mean.sum(axis=1))
    assert [bar.get_width() for bar in ax.patches[:4]] == pytest.approx(mean[order, 0])
    assert [text.get_text() for text in ax.get_yticklabels()] == [X.columns[j] for j in order]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(est.classes_)
    assert len(found.plot(of="setosa", max_columns=2).patches) == 3
    other = found.plot(ax=ax)
    assert other is ax


def test_of_two_classes_the_second_is_plotted_unless_the_first_is_asked_for() -> None:
    _, X = numbers()
    found = tw.CARTClassifier(max_depth=3).fit(X, np.where(X["a"] > X["b"], "yes", "no")).contributions(X)
    assert found.classes == ("no", "yes")
    for of, said in ((None, "yes"), ("no", "no"), ("yes", "yes")):
        ax = found.plot(of=of)
        assert ax.get_xlabel() == f"mean size of the contribution to {said}"
        assert ax.get_legend() is None
    alone = tw.CARTClassifier().fit(X, ["no"] * len(X)).contributions(X).plot()
    assert alone.get_xlabel() == "mean size of the contribution to no"


def test_several_numbers_are_plotted_one_at_a_time() -> None:
    _, X = numbers()
    y = pd.DataFrame({"u": X["a"] * 2, "v": 100 * X["b"]})
    found = tw.CARTRegressor(max_depth=4).fit(X, y).contributions(X)
    assert found.outputs == ("u", "v")
    assert found.plot().get_xlabel() == "mean size of the contribution to u"
    ax = found.plot(of="v")
    assert ax.get_xlabel() == "mean size of the contribution to v"
    mean = np.abs(found.of("v")[1]).mean(axis=0)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(np.sort(mean[mean > 0])[::-1])
    one = numbers()[0].contributions(X).plot()
    assert one.get_xlabel() == "mean size of the contribution"
    assert found.plot(3, of="v").get_xlabel().startswith("v\nfrom")
    assert found.to_frame().index.names == ["row", "number"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_mathematics(name: str) -> None:
    X = pd.DataFrame({name: np.arange(12.0), "b": np.arange(12.0) % 3})
    y = [name] * 6 + ["b"] * 3 + ["c"] * 3
    found = tw.CARTClassifier().fit(X, y).contributions(X)
    for ax in (found.plot(0), found.plot()):
        ax.figure.canvas.draw()
        texts = [text.get_text() for text in ax.get_yticklabels()]
        assert not any(text.get_parse_math() for text in ax.get_yticklabels())
        assert any(text.startswith(visible(name)[:20].rstrip()) for text in texts)


def test_wrong_arguments_are_named() -> None:
    est, X = iris()
    found = est.contributions(X)
    for row in (150, -151, "a", 1.0, True):
        with pytest.raises(ValueError, match=r"row=.* is not allowed: it must be a position among 150 rows, from 0"):
            found.plot(row)
    with pytest.raises(ValueError, match="max_columns"):
        found.plot(max_columns=0)
    with pytest.raises(TypeError, match="ax=3 is no matplotlib Axes"):
        found.plot(ax=3)
    with pytest.raises(ValueError, match="there are no rows whose contributions could be averaged"):
        est.contributions(X.iloc[:0]).plot()
    with pytest.raises(ValueError, match="background has no rows"):
        est.contributions(X, X.iloc[:0])
    with pytest.raises(ValueError, match=r"columns|features"):
        est.contributions(X.iloc[:, :2])


def test_what_is_no_sum_over_leaves_is_refused_by_name() -> None:
    data = tw.datasets.load_iris()
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.normal(size=(200, 20)), columns=[f"c{j}" for j in range(20)])
    target = wide.sum(axis=1)
    cases: list[tuple[Any, Any, Any, str]] = [
        (tw.LogisticTreeClassifier(), data.X, data.y, "the leaves of this tree compute what they answer: give background="),
        (tw.RipperClassifier(), data.X, data.y, "rules are no sum over leaves: give background="),
        (tw.AdaBoostRegressor(tw.CARTRegressor(), n_estimators=3), wide, target, "the weighted median of members is no sum over"),
    ]
    for est, X, y, message in cases:
        with pytest.raises(ValueError, match=message):
            est.fit(X, y).contributions(X)
    with pytest.raises(ValueError, match=r"reads 20 columns: exact contributions go through all sets of them.*12 at most"):
        cases[-1][0].contributions(wide, wide.iloc[:3])


def test_divided_votes_are_refused_by_name() -> None:
    X = pd.DataFrame({"a": np.arange(40.0) % 7, "b": np.arange(40.0) % 5})
    y = np.where(X["a"] + X["b"] > 5, "p", "q")
    est = tw.BaggingClassifier(tw.C45Classifier(), n_estimators=3, random_state=1).fit(X, y)
    est.contributions(X)
    holes = X.mask(X["a"] == 3)
    with pytest.raises(ValueError, match="a member that divides a row among its leaves has one vote"):
        est.contributions(holes)
    found = est.contributions(holes.iloc[:5], X)
    np.testing.assert_allclose(found.answers, est.predict_proba(holes.iloc[:5]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["surrogates", "sums", "m5"])
def test_rules_of_every_kind_are_explained_by_the_columns_they_read(name: str) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd")).mask(rng.random((90, 4)) < 0.1)
    y = (X["a"].fillna(0) * 2 + X["b"].fillna(1)).to_numpy()
    if name == "sums":
        tree, X = summing()
    elif name == "surrogates":
        tree = tw.CARTRegressor(missing="surrogate", max_depth=3).fit(X, y).tree_
    else:
        tree = tw.M5Regressor(smoothing="none").fit(X, y).tree_
    rules = tree.to_rules()
    assert set(used_columns(rules)) <= set(used_columns(tree))
    rows, others = X.iloc[:3], X.iloc[3:12]
    told = rules.predict_proba if tree.classes is not None else rules.predict
    found = rules.contributions(rows, others)
    np.testing.assert_allclose(found.answers, told(rows), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.base, told(others).mean(axis=0), rtol=0, atol=1e-9)


def summing() -> tuple[tw.Tree, pd.DataFrame]:
    fill = [0.25, 1.0, 0.0]
    cells, labels = made(1, 60)
    X = pd.DataFrame({"a": cells[0], "b": cells[1], "c": pd.Categorical.from_codes(cells[2], ["u", "v", "w"])})
    fitted = tw.TreeClassifier(max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = tree_of_one(derived(cells, fill), labels, max_depth=3)
    tree = tw.Tree(_core.Tree.from_state(over_several(plain, fill)), fitted.schema, fitted.target).validate()
    return tree, X


def test_sums_over_several_columns_are_refused_by_name() -> None:
    tree, X = summing()
    with pytest.raises(ValueError, match=r"node 0 tests .*, a number made of several columns: give background="):
        tree.contributions(X)
    np.testing.assert_allclose(tree.contributions(X, X).answers, tree.predict_proba(X), rtol=0, atol=1e-12)
    packed = _core.Members(2)
    packed.add(tree._core, *tree.leaf_model.entries(), 1.0)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="node 0 tests a number made of several columns"):
        packed.contributions([np.zeros((1, 3))], 1, [], 0)


def test_a_frame_of_contributions_has_the_index_of_the_rows() -> None:
    classes, rows = iris()
    named = rows.iloc[3:6].set_axis(pd.Index(["p", "q", "r"], name="plant"))
    frame = classes.contributions(named).to_frame()
    assert frame.index.names == ["plant", "class"]
    assert frame.index.get_level_values(0).tolist() == [plant for plant in "pqr" for _ in range(3)]
    assert np.array_equal(frame.loc["q"].to_numpy(), classes.contributions(rows.iloc[[4]]).values[0].T)
    one, rows = numbers()
    twice = rows.iloc[:4].set_axis(pd.MultiIndex.from_product([["a", "b"], [7, 8]], names=["x", None]))
    assert one.contributions(twice).to_frame().index.equals(twice.index)
    assert one.contributions(rows.iloc[5:7]).to_frame().index.tolist() == [5, 6]
    assert one.tree_.contributions(rows.to_numpy()[5:7]).to_frame().index.tolist() == [0, 1]
    assert twice.index.names == ["x", None]
