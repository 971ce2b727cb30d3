"""Pruning paths hold whatever the tree (R1), and wrong requests are told what to do instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw


def check_path(path: Any) -> None:
    """Alphas never fall and are never negative, trees are nested, the last is the root alone, training errors never fall."""
    assert path.alpha[0] >= 0 and np.all(np.diff(path.alpha) >= 0)
    assert path.n_leaves[0] == path.tree.n_leaves and path.n_leaves[-1] == 1
    assert np.all(np.diff(path.n_leaves) < 0)
    assert np.all(np.diff(path.training_error) >= -1e-12)
    parent, step = path.tree.state()["parent"], path.node_steps
    assert np.all(step[1:] <= step[parent[1:]])  # whatever has ended stays so
    assert path.node_steps.max() == len(path) - 1


def noisy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("risk", ["error", "impurity"])
@pytest.mark.parametrize("numbers", [False, True])
def test_r1_paths_are_nested(risk: str, numbers: bool) -> None:
    X, y = noisy(600)
    learner = tw.CARTRegressor if numbers else tw.CARTClassifier
    tree = learner().fit(X, X[:, 1] + y if numbers else y).tree_
    path = tree.pruning_path(risk=risk)
    if risk == "error" or numbers:
        check_path(path)
    sizes = [path.tree_at(step).n_leaves for step in range(0, len(path), 7)]
    assert sizes == path.n_leaves[::7].tolist()


def test_r1_one_leaf() -> None:
    tree = tw.CARTClassifier().fit([[1.0], [1.0]], [0, 1]).tree_
    path = tree.pruning_path()
    assert (path.alpha.tolist(), path.n_leaves.tolist(), path.training_error.tolist()) == ([0.0], [1], [0.5])
    for method in ("pessimistic", "minimum_error", "description_length"):
        assert tree.prune(method) == tree
    assert tree.prune("limits", max_depth=3) == tree
    for method in ("reduced_error", "cost_complexity", "critical_value"):
        assert tree.prune(method, [[3.0]], [0]) == tree
    assert tree.pruning_path([[3.0]], [0], method="reduced_error").n_leaves.tolist() == [1]
    est = tw.CARTClassifier().fit([[1.0]] * 4, [0, 1, 1, 0])
    assert est.prune("cost_complexity", [[1.0]] * 4, [0, 1, 1, 0], folds=2).tree_.n_leaves == 1


def test_r1_equal_alphas_are_one_step() -> None:
    """Eight copies of one pattern: all their links are equally weak and are cut at once."""
    copies = 8
    X = np.array([[c, v] for c in range(copies) for v in (0, 0, 0, 1, 1)], float)
    y = np.array([0, 0, 0, 1, 1] * copies)
    tree = tw.CARTClassifier(max_features=None).fit(X, y).tree_
    path = tree.pruning_path()
    check_path(path)
    assert len(path) <= 3
    wide = np.eye(copies)[np.repeat(np.arange(copies), 5)]
    again = tw.CARTClassifier().fit(np.hstack([wide, X[:, 1:]]), (y + X[:, 0].astype(int)) % 2).tree_.pruning_path()
    check_path(again)
    assert len(again) < again.n_leaves[0]


def test_r1_splits_without_gain_go_first() -> None:
    """Parity needs splits that gain nothing; a constant target's none. The smallest tree of equal error is alpha 0."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)])
    y = np.array([0, 1, 1, 0])
    path = tw.CARTClassifier().fit(X, y).tree_.pruning_path()
    assert path.n_leaves.tolist() == [4, 1] and path.alpha[1] == pytest.approx(0.5 / 3)
    tree = tw.CARTClassifier(min_samples_leaf=2).fit(np.arange(8.0)[:, None], [0, 1, 0, 0, 0, 0, 0, 1]).tree_
    path = tree.pruning_path()
    assert path.alpha.tolist()[:2] == [0.0, 0.0] and path.n_leaves[1] == 1
    assert tree.prune("cost_complexity", alpha=0.0).n_leaves == 1


@pytest.mark.parametrize("shape", ["bushy", "chain"])
def test_r1_fifty_thousand_leaves(shape: str) -> None:
    """Any shape of a large tree: nothing recurses, and nothing is quadratic (which would take minutes)."""
    if shape == "chain":  # half as deep as it has leaves: growing it is what takes the time
        X, y = np.arange(12_000, dtype=np.float32)[:, None], np.arange(12_000) % 2
    else:
        X, y = noisy(230_000)
    tree = tw.CARTClassifier().fit(X, y).tree_
    assert tree.depth > 5_000 if shape == "chain" else tree.n_leaves >= 50_000
    rows = X[::20], 1 - y[::20]
    path = tree.pruning_path(*rows)
    check_path(path)
    assert tree.pruning_path(*rows, method="reduced_error").n_leaves[-1] < tree.n_leaves / 2


def test_deep_chain_is_pruned_by_every_method() -> None:
    n = 4000
    X, y = np.arange(n, dtype=float)[:, None], (np.arange(n) % 2)
    tree = tw.CARTClassifier(min_impurity=0.0).fit(X, y).tree_
    assert tree.depth > 1000
    rows = X + 0.25, 1 - y
    for method, given in [
        ("reduced_error", rows),
        ("cost_complexity", rows),
        ("critical_value", rows),
        ("pessimistic", ()),
        ("minimum_error", ()),
        ("description_length", ()),
    ]:
        assert tree.prune(method, *given).n_leaves <= tree.n_leaves
    assert tree.prune("reduced_error", *rows, order="greedy").n_leaves < tree.n_leaves


def test_rows_in_parts_count_in_parts() -> None:
    """A missing cell that goes down all branches is judged on each with its share."""
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    tree = tw.TreeClassifier(missing="fraction").fit(X, [0, 0, 0, 1]).tree_
    path = tree.pruning_path([[np.nan]], [1])
    assert path.pruning is not None
    np.testing.assert_allclose(path.pruning.error, [0.75, 1.0])


def test_unknown_classes_of_pruning_rows_are_always_wrong() -> None:
    X, y = noisy(50)
    tree = tw.CARTClassifier().fit(X, y).tree_
    path = tree.pruning_path(X[:4], [70, 70, 80, 90])
    assert path.pruning is not None and path.pruning.error.tolist() == [1.0] * len(path)


def test_pruning_rows_may_be_weighted() -> None:
    X, y = noisy(300)
    A, b = noisy(80, seed=1)
    weight = np.random.default_rng(2).integers(0, 3, 80)
    tree = tw.CARTClassifier().fit(X, y).tree_
    twice = tree.prune("reduced_error", np.repeat(A, weight, axis=0), np.repeat(b, weight))
    assert tree.prune("reduced_error", A, b, sample_weight=weight) == twice
    est = tw.CARTClassifier().fit(X, y)
    assert est.prune("reduced_error", A, b, sample_weight=weight).tree_ == twice


def test_training_rows_as_pruning_rows_are_noticed() -> None:
    X, y = noisy(100)
    est = tw.CARTClassifier().fit(X, y)
    for method in ("reduced_error", "cost_complexity", "critical_value"):
        with pytest.warns(tw.TreewrightWarning, match="held out"):
            est.tree_.prune(method, X, y)
    assert est.prune("cost_complexity", X, y, folds=5).tree_.n_leaves < est.tree_.n_leaves


def test_estimators_keep_what_they_were() -> None:
    X, y = noisy(300)
    est = tw.CARTClassifier().fit(X, y)
    before = est.tree_
    pruned = est.prune("cost_complexity", X, y, folds=5, rule="1se", validation=noisy(50, 9))
    assert est.tree_ is before and not hasattr(est, "pruning_path_")
    assert isinstance(pruned, tw.CARTClassifier) and pruned.predict(X).shape == (300,)
    assert pruned.tree_ == pruned.pruning_path_.tree_at(pruned.pruning_path_.chosen)
    assert pruned.pruning_path_.validation is not None and pruned.pruning_path_.cv is not None
    assert not hasattr(pruned.prune("limits", max_depth=1), "pruning_path_")
    same = est.prune("cost_complexity", X, y, folds=5, rule="1se")
    assert same.tree_ == pruned.tree_
    for threads in (2, 5):
        many = tw.CARTClassifier(n_jobs=threads).fit(X, y).prune("cost_complexity", X, y, folds=5, rule="1se")
        assert many.tree_ == pruned.tree_
        assert np.array_equal(many.pruning_path_.cv.error, pruned.pruning_path_.cv.error)


def test_w5_a_class_of_one_row_is_cross_validated() -> None:
    """W5: fewer rows of a class than folds: a warning, no crash, and every class keeps its column."""
    X, y = noisy(60)
    y = np.where(np.arange(60) == 7, 2, y)
    est = tw.CARTClassifier().fit(X, y)
    with pytest.warns(tw.TreewrightWarning, match="smallest class has 1 row, fewer than folds=10"):
        pruned = est.prune("cost_complexity", X, y, folds=10)
    assert pruned.predict_proba(X).shape == (60, 3) and pruned.classes_.tolist() == [0, 1, 2]
    with pytest.warns(tw.TreewrightWarning, match="every row is a fold"):
        tw.CARTRegressor().fit(X[:6], X[:6, 0]).prune("cost_complexity", X[:6], X[:6, 0], folds=10)


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("reduced_eror", (), {}, "method 'reduced_eror' is unknown; did you mean 'reduced_error'"),
    ("reduced_error", (), {}, "'reduced_error' needs rows: pass X and y of a pruning set"),
    ("reduced_error", ("X",), {}, "rows need a target"),
    ("cost_complexity", (), {}, "give alpha= or leaves="),
    ("cost_complexity", (), {"alpha": -1.0}, "alpha=-1.0 is not allowed"),
    ("cost_complexity", (), {"alpha": float("nan")}, "alpha=nan is not allowed"),
    ("cost_complexity", (), {"alpha": "0.1"}, "alpha='0.1' is not allowed"),
    ("cost_complexity", (), {"alpha": 0.1, "leaves": 3}, "give one of them"),
    ("cost_complexity", (), {"leaves": 0}, "leaves=0 is not allowed"),
    ("cost_complexity", ("X", "y"), {"alpha": 0.1}, "looks at the tree alone"),
    ("cost_complexity", ("X", "y"), {"rule": "2se"}, "rule '2se' is unknown"),
    ("cost_complexity", ("X", "y"), {"alhpa": 2}, "option of 'cost_complexity' 'alhpa' is unknown; did you mean 'alpha'"),
    ("cost_complexity", (), {"alpha": 0.1, "risk": "gini"}, "risk 'gini' is unknown"),
    ("error_based", (), {}, "'error_based' needs rows: pass X and y of the rows the tree was grown from"),
    ("error_based", ("X", "y"), {"confidence": 0.0}, "confidence=0.0 is not allowed"),
    ("error_based", ("X", "y"), {"confidence": 0.7, "estimate": "j48"}, "confidence=0.7 is not allowed"),
    ("pessimistic", ("X", "y"), {}, "'pessimistic' looks at the tree alone"),
    ("pessimistic", (), {"slack": -1}, "slack=-1 is not allowed"),
    ("minimum_error", (), {"m": -2}, "m=-2 is not allowed"),
    ("description_length", (), {"precision": 0.1}, "precision is for numbers"),
    ("limits", (), {"max_depth": 1.5}, "max_depth=1.5 is not allowed"),
    ("critical_value", (), {}, "give value="),
]


@pytest.mark.parametrize(("method", "rows", "options", "message"), WRONG)
def test_wrong_requests_are_answered(method: str, rows: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    X, y = noisy(60)
    given = [X[:20] if word == "X" else 1 - y[:20] for word in rows]
    est = tw.CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        est.tree_.prune(method, *given, **options)
    if "rule" not in options:
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            est.prune(method, *given, **options)


def test_wrong_requests_of_estimators_are_answered() -> None:
    X, y = noisy(60)
    est = tw.CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="folds= would choose it"):
        est.prune("cost_complexity", X, y, folds=5, alpha=0.1)
    with pytest.raises(ValueError, match="must be the training rows: they weigh 40, the tree was grown from 60"):
        est.prune("cost_complexity", X[:40], y[:40], folds=5)
    with pytest.raises(ValueError, match="needs a path of trees"):
        est.prune("limits", max_depth=2, validation=(X, y))
    with pytest.raises(ValueError, match="not of 'critical_value'"):
        est.prune("critical_value", X, y, folds=3)
    with pytest.raises(ValueError, match="pass the training rows"):
        est.prune("cost_complexity", folds=3)
    with pytest.raises(ValueError, match="training errors only"):
        est.tree_.pruning_path().choose()
    with pytest.raises(ValueError, match="makes one tree, no path"):
        est.tree_.pruning_path(method="limits")
    with pytest.raises(ValueError, match="X has 60 rows and y has 59"):
        est.tree_.prune("reduced_error", X, y[:59])
    with pytest.raises(ValueError, match="soft=False"):
        tw.C45Classifier(soft=True).fit(X, y).prune("limits", max_depth=1)
    with pytest.raises(ValueError, match="cannot be grown anew on folds"):
        est.tree_.prune("cost_complexity", X, y, folds=3)
    with pytest.raises(ValueError, match="cannot be grown anew on folds"):
        est.tree_.pruning_path(X, y, folds=3)
    with pytest.raises(IndexError, match="step 99 does not exist"):
        est.tree_.pruning_path().tree_at(99)
    with pytest.raises(TypeError, match="a tuple of 1"):
        est.tree_.pruning_path(validation=(X,))


def test_paths_are_shown_as_tables() -> None:
    X, y = noisy(300)
    path = tw.CARTRegressor().fit(X, X[:, 1] + y).prune("cost_complexity", *noisy_numbers(40)).pruning_path_
    lines = str(path).splitlines()
    assert lines[0].split() == ["step", "n", "leaves", "alpha", "training", "error", "pruning", "error", "pruning", "se"]
    assert len({len(line) for line in lines if "more" not in line}) == 1 and len(lines) < 30
    (mark,) = (line for line in lines if line.startswith("*"))
    assert int(mark.split()[1]) == path.chosen
    assert sum(int(line.split()[1]) for line in lines if "more" in line) + len(lines) - 1 - sum(
        "more" in line for line in lines
    ) == len(path)
    assert repr(path).startswith("<PruningPath: cost_complexity, ")


def noisy_numbers(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = noisy(n, seed=5)
    return X, X[:, 1] + y
