"""Cases that once crashed, lied or hung, each with the kind of thing that was wrong."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw


def test_a_python_tie_breaker_is_asked_on_the_calling_thread() -> None:
    import threading

    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((4000, 1)), 3, axis=1)
    asked: set[int] = set()

    def last(names: list[str], path: Any) -> str:
        asked.add(threading.get_ident())
        return names[-1]

    tree = tw.CARTClassifier(ties=last, n_jobs=4, max_depth=6).fit(X, rng.integers(0, 2, 4000)).tree_
    assert tree.used_columns == ["x2"]
    assert asked == {threading.get_ident()}


@pytest.mark.parametrize("scale", [1e300, 1e200, 1.0, 1e-200])
def test_gains_beyond_the_range_of_doubles(scale: float) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
    y = np.array([1, -1, 0.1, -0.01]) * scale
    est = tw.TreeRegressor(chooser="above_average").fit(X, y)
    assert est.predict(X) == pytest.approx(y, rel=1e-12)
    assert np.all(np.isfinite(est.feature_importances_))
    assert tw.CARTRegressor(max_leaf_nodes=3).fit(X, y).tree_.n_leaves == 3


def test_a_row_that_is_divided_does_not_change_the_others() -> None:
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [np.nan]])
    est = tw.TreeClassifier(criterion="risk", loss=[[0, 1], [10, 0]], missing="fraction", min_samples_leaf=2)
    est.fit(X, [0, 0, 1, 1, 1, 0])
    alone = est.predict([[0.0]])[0]
    assert alone == 1  # saying 0 to one third of class 1 would cost ten times as much
    assert est.predict([[0.0], [np.nan]])[0] == alone


@pytest.mark.parametrize("least", [10**18, 10**19, 10**30])
def test_huge_limits_are_limits(least: int) -> None:
    X = np.arange(10.0)[:, None]
    with pytest.warns(tw.TreewrightWarning, match="a split needs"):
        assert tw.CARTClassifier(min_samples_leaf=least).fit(X, [0, 1] * 5).tree_.n_leaves == 1
    assert tw.CARTClassifier(max_leaf_nodes=least).fit(X, [0, 1] * 5).tree_.n_leaves == 10


@pytest.mark.parametrize("value", [1.0, 1.5, 0.0, -1, True, "3", np.nan])
def test_minima_are_counts_or_shares(value: Any) -> None:
    with pytest.raises(ValueError, match=r"min_samples_leaf=.*is not allowed"):
        tw.CARTClassifier(min_samples_leaf=value).fit([[0.0], [1.0]], [0, 1])


def test_losses_follow_the_classes_that_occur() -> None:
    y = pd.Categorical(["a", "b", "b", "a"], ["b", "a", "zz"])
    est = tw.TreeClassifier(criterion="risk", loss=[[0, 5], [1, 0]], max_depth=0).fit(np.zeros((4, 1)), y)
    assert est.classes_.tolist() == ["a", "b"]
    assert est.predict([[0.0]]).tolist() == ["a"]  # saying b to an a costs 5


def test_numbers_beside_text_in_a_list_stay_numbers() -> None:
    est = tw.CARTClassifier().fit([[1, "a"], [10, "a"], [2, "b"], [20, "b"]], [0, 1, 0, 1])
    assert [column.kind for column in est.tree_.columns] == ["number", "nominal"]
    assert est.predict([[3, "a"], [15, "b"]]).tolist() == [0, 1]


def test_masks_are_not_dropped() -> None:
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(ValueError, match="masked"):
        tw.CARTRegressor().fit(X, np.ma.masked_array([0.0, 1e9, 1.0], [False, True, False]))
    with pytest.raises(ValueError, match="masked"):
        tw.CARTRegressor().fit(X, [0, 1, 2], sample_weight=np.ma.masked_array([1.0, 1.0, 1.0], [False, True, False]))


def test_a_polars_categorical_declares_no_order() -> None:
    """Its levels stand in a pool of the whole process; an Enum does declare them."""
    pl.Series(["yes", "zebra", "no"], dtype=pl.Categorical)
    X = pl.DataFrame({"x": ["a", "a"]})
    assert tw.CARTClassifier().fit(X, pl.Series(["no", "yes"], dtype=pl.Categorical)).predict(X).tolist() == ["no", "no"]
    declared = pl.Series(["no", "yes"], dtype=pl.Enum(["yes", "no"]))
    assert tw.CARTClassifier().fit(X, declared).predict(X).tolist() == ["yes", "yes"]


def test_python_dates_are_dates() -> None:
    X = pd.DataFrame({"day": [dt.date(2024, 1, d) for d in (1, 2, 3)] + [None]}, dtype=object)
    est = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    assert est.tree_.columns[0].kind == "date"
    assert est.predict(X).tolist() == [0, 0, 1, 1]


def test_scikit_learn_names_of_criteria() -> None:
    X = np.arange(4.0)[:, None]
    assert tw.CARTClassifier(criterion="entropy").fit(X, [0, 0, 1, 1]).tree_.root.impurity == 1.0
    assert tw.CARTRegressor(criterion="squared_error").fit(X, [0, 0, 1, 1]).tree_.root.impurity == 0.25
    with pytest.raises(ValueError, match="criterion 'ginni' is unknown; did you mean 'gini'"):
        tw.CARTClassifier(criterion="ginni").fit(X, [0, 0, 1, 1])


def test_wide_and_deep_trees_are_written_in_linear_time() -> None:
    """Hang guards, far above what it takes: writing was once quadratic in the levels and in the depth."""
    levels = [f"level {i}" for i in range(5000)]
    wide = tw.ID3Classifier().fit(pd.DataFrame({"n": pd.Categorical(levels, levels)}), [i % 2 for i in range(5000)]).tree_
    chain = tw.CARTClassifier().fit(np.arange(1500.0)[:, None], np.arange(1500)).tree_
    assert chain.depth > 1000
    begin = time.monotonic()
    for tree in (wide, chain):
        assert len([line for line in tree.to_text().splitlines() if not line.startswith("bar: ")]) == tree.n_nodes
        assert len(tree.to_rules()) == len(tree.regions()) == tree.n_leaves
        assert len(tree.trace()) == tree.n_splits
        assert repr(tree.root)
    assert time.monotonic() - begin < 20


def test_the_chi_square_tail_of_many_degrees() -> None:
    from scipy.stats import chi2

    from treewright import _core

    for degrees in (1, 2, 7, 100, 1e4, 1e6, 1e8):
        for off in (-2, 0, 0.5, 3):
            x = max(degrees + off * np.sqrt(2 * degrees), 0.1)
            assert _core.chi_square_tail(x, degrees) == pytest.approx(chi2.sf(x, degrees), rel=1e-6, abs=1e-12)


def test_progress_into_a_file_is_whole_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from treewright.progress import Bar

    clock = iter(np.arange(0, 100, 0.3))
    monkeypatch.setattr("treewright.progress.time.monotonic", lambda: next(clock))
    with Bar("growing") as bar:
        for done in range(0, 101, 5):
            bar(done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert 5 <= len(lines) <= 10
    assert all("\r" not in line and line.startswith("growing") for line in lines)


def test_a_name_is_not_a_target() -> None:
    data = tw.datasets.load_iris()
    with pytest.raises(ValueError, match="y='species' is a name, not values"):
        tw.CARTClassifier().fit(data.X, "species")


def test_a_dictionary_of_columns_is_not_a_table() -> None:
    data = tw.datasets.load_iris()
    model = tw.CARTClassifier(max_depth=1).fit(data.X, data.y)
    columns = {name: data.X[name].tolist() for name in data.X}
    with pytest.raises(TypeError, match=r"a dict of columns was passed.*pandas\.DataFrame"):
        model.predict(columns)
    with pytest.raises(TypeError, match="a dict of columns was passed"):
        tw.CARTClassifier().fit(columns, data.y)


def test_columns_in_another_order_are_told_how_to_be_reordered() -> None:
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2]})
    model = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"Use X\[list\(model\.feature_names_in_\)\]"):
        model.predict(X[["b", "a"]])
    assert model.predict(X[["b", "a"]][list(model.feature_names_in_)]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["keep_candidates", "verbose", "grouped", "pruned", "raising", "collapse", "penalty", "soft"])
@pytest.mark.parametrize("value", ["a", "False", None, 0.5, [True]])
def test_switches_are_true_or_false(name: str, value: Any) -> None:
    if name in ("collapse", "penalty") and value is None:
        return  # as the recipe says
    with pytest.raises(ValueError, match=f"{name}=.* is not allowed: it must be (True or False|a whole number)"):
        tw.C45Classifier(**{name: value}).fit(np.arange(4.0)[:, None], [0, 0, 1, 1])


def test_a_tree_can_be_asked_whether_it_is_whole() -> None:
    from dataclasses import replace

    data = tw.datasets.load_play_tennis()
    tree = tw.ID3Classifier().fit(data.X, data.y).tree_
    assert tree.validate() is tree
    schema, target = tree.schema, tree.target
    columns = schema.columns
    fewer = replace(columns[0], levels=columns[0].levels[:-1])
    damaged = {
        "its target has 1": tw.Tree(tree._core, schema, replace(target, classes=target.classes[:1] if target.classes else None)),
        "its target has 0": tw.Tree(tree._core, schema, replace(target, classes=None)),
        "columns of its schema": tw.Tree(tree._core, replace(schema, columns=columns[1:]), target),
        "those it was grown from": tw.Tree(tree._core, replace(schema, columns=(fewer, *columns[1:])), target),
        "knows levels that no column has": tw.Tree(tree._core, replace(schema, known=((99,), *schema.known[1:])), target),
        "knows levels": tw.Tree(tree._core, replace(schema, known=schema.known[1:]), target),
    }
    for words, broken in damaged.items():
        with pytest.raises(ValueError, match=f"the tree is damaged: .*{words}"):
            broken.validate()


@pytest.mark.parametrize("nominal", ["multiway", "subset"])
def test_huge_targets_do_not_stop_the_plain_engine(nominal: str) -> None:
    """A gain of nothing times an infinite unit was no number, which nothing is greater than."""
    X = pd.DataFrame({"flat": [0.0, 1, 0, 1, 0, 1], "c": list("aabbcc"), "n": [1.0, 1, 2, 2, 3, 3]})
    y = np.array([1, 1, -1, -1, 0.5, 0.5]) * 1e300
    est = tw.TreeRegressor(nominal=nominal, keep_candidates=True).fit(X, y)
    assert est.predict(X) == pytest.approx(y, rel=1e-12)
    gains = [candidate.gain for node in est.tree_.nodes() for candidate in node.candidates]
    assert gains
    assert np.all(np.isfinite(gains))


def test_many_values_by_many_classes_are_refused_before_memory_is_asked_for() -> None:
    n = 50_000
    X = pd.DataFrame({"id": [f"i{k}" for k in range(n)]})
    for make in (tw.CARTClassifier, tw.ID3Classifier):
        with pytest.raises(MemoryError, match=r"column 'id' has 50000 values, the target 10000 classes: .*leave the column out"):
            make().fit(X, np.arange(n) % 10_000)
    with pytest.raises(MemoryError, match="column 'x0' has 50000 values"):
        tw.TreeClassifier(numeric="ternary").fit(np.arange(float(n))[:, None], np.arange(n) % 10_000)


@pytest.mark.parametrize("recipe", ["c45", "j48", tw.Recipe("mine", collapse=True)])
def test_recipes_that_count_errors_refuse_numbers(recipe: Any) -> None:
    X = pd.DataFrame({"a": ["p", "q"] * 6, "b": np.arange(12.0)})
    with pytest.raises(ValueError, match=r"numeric target has none; use e.g. recipe='cart'"):
        tw.TreeRegressor(recipe=recipe).fit(X, np.arange(12.0))


def test_text_of_many_levels_is_linear() -> None:
    """Every level was compared with every other: minutes for a split of three nodes."""
    levels = np.arange(100_000).astype(str)
    model = tw.CARTClassifier(max_depth=1).fit(pd.DataFrame({"s": levels}), np.arange(100_000) % 2)
    assert "s in" in model.tree_.to_text() and len(str(model.tree_.to_rules())) > 500_000
