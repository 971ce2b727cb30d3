"""Arrays of floats take a short way to their answers; it says what the long way says, answers and errors alike."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw

METHODS = ("predict", "predict_proba", "apply", "decision_path")


class Longer(np.ndarray):
    """A subclass of ndarray, which takes the long way."""


def fitted(missing: str = "learned", seed: int = 0) -> tuple[tw.TreeClassifier, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(300, 4)), 1)
    X[rng.random(X.shape) < 0.1] = 0.0 if missing == "refuse" else np.nan
    y = np.array(["no", "yes", "maybe"])[rng.integers(0, 3, 300)]
    return tw.TreeClassifier(missing=missing).fit(X, y), X


def answers(est: Any, X: Any) -> list[np.ndarray]:
    found = [getattr(est, name)(X) for name in METHODS]
    return [np.asarray(one.toarray() if hasattr(one, "toarray") else one) for one in found]


@pytest.mark.parametrize("missing", ["learned", "own", "fraction", "majority", "refuse"])
@pytest.mark.parametrize("count", [0, 1, 7, 300])
@pytest.mark.parametrize(
    "change",
    [
        lambda X: X,
        lambda X: X.astype(np.float32),
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X[::-1],
        lambda X: X.astype(">f8"),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.longdouble),
        lambda X: np.nan_to_num(X * 10).astype(np.int64),
        lambda X: np.nan_to_num(np.abs(X)).astype(np.uint8),
        lambda X: np.lib.stride_tricks.as_strided(np.zeros(4), X.shape, (0, 8)),
    ],
)
def test_the_short_way_answers_as_the_long_way(missing: str, count: int, change: Callable[[np.ndarray], np.ndarray]) -> None:
    est, X = fitted(missing)
    X = change(X[:count])
    for short, long in zip(answers(est, X), answers(est, X.view(Longer)), strict=True):
        assert type(short) is np.ndarray
        assert short.dtype == long.dtype
        assert np.array_equal(short, long)
    loaded = pickle.loads(pickle.dumps(est))
    assert np.array_equal(loaded.predict(X), est.predict(X))


def said(est: Any, name: str, X: Any) -> tuple[type, str]:
    with pytest.raises(Exception) as caught:
        getattr(est, name)(X)
    return caught.type, str(caught.value)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_short_way_complains_as_the_long_way(name: str, kind: Any, order: Any) -> None:
    est, X = fitted("refuse")
    X = np.asarray(X.astype(kind), order=order)
    infinite, later, holed = X.copy(order="K"), X.copy(order="K"), X.copy(order="K")
    infinite[5, 2] = -np.inf
    later[299, 0] = np.inf
    later[0, 3] = np.inf  # of several the one in the first column is named
    holed[17, 3] = np.nan
    for bad, words in [
        (infinite, "column 'x2' holds infinity in row 5"),
        (later, "column 'x0' holds infinity in row 299"),
        (holed, "column 'x3' is missing (NaN) in row 17"),
        (X[:, :3], "X has 3 features, but TreeClassifier is expecting 4 features"),
        (X[0], "Expected 2D array, got 1D array instead"),
        (X[None], "Expected 2D array, got 3D array instead"),
        (X.astype(complex), "Complex data not supported"),
    ]:
        kinds, text = said(est, name, bad)
        assert issubclass(kinds, ValueError)
        assert words in text
        assert said(est, name, bad.view(Longer)) == (kinds, text)
    assert said(tw.TreeClassifier(), name, X)[0] is NotFittedError


def test_names_are_still_asked_for() -> None:
    import pandas as pd

    est, X = fitted()
    named = tw.TreeClassifier().fit(pd.DataFrame(X, columns=list("abcd")), est.predict(X))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)


def test_a_column_of_levels_is_not_taken_for_numbers() -> None:
    X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    est = tw.TreeClassifier(categorical_features=[0]).fit(X, [0, 1, 0, 0])
    assert est.predict(X).tolist() == [0, 1, 0, 0]
    with pytest.warns(tw.UnseenLevelWarning):
        est.predict(np.array([[9.0, 0.0]]))
