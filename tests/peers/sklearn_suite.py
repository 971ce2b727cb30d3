"""scikit-learn's own tests of its trees, with our estimators in the place of its own, and what they cannot be asked."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from typing import Any

import sklearn.tree

import treewright as tw


@dataclass(eq=False, repr=False)
class ExtraTreeClassifier(tw.TreeClassifier):
    """scikit-learn's defaults of a tree for a forest."""

    splitter: str = "random"
    max_features: Any = "sqrt"


@dataclass(eq=False, repr=False)
class ExtraTreeRegressor(tw.TreeRegressor):
    """The same for numbers."""

    splitter: str = "random"
    max_features: Any = 1.0


class DecisionTreeClassifier(tw.TreeClassifier):
    """A tree under scikit-learn's name."""


class DecisionTreeRegressor(tw.TreeRegressor):
    """The same for numbers."""


OURS = {each.__name__: each for each in (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)}
SUITE = "sklearn.tree.tests.test_tree"


def load() -> Any:
    """The suite as a module of its own, which found our estimators when it imported scikit-learn's."""
    spec = importlib.util.find_spec(SUITE)
    assert spec is not None and spec.loader is not None
    suite = importlib.util.module_from_spec(spec)
    theirs = {name: getattr(sklearn.tree, name) for name in OURS}
    before = sys.modules.get(SUITE)
    try:
        for name, each in OURS.items():
            setattr(sklearn.tree, name, each)
        sys.modules[SUITE] = suite
        spec.loader.exec_module(suite)
    finally:
        for name, each in theirs.items():
            setattr(sklearn.tree, name, each)
        sys.modules.pop(SUITE) if before is None else sys.modules.__setitem__(SUITE, before)
    return suite


# Tests of scikit-learn's insides, by what of them they use.
PRIVATE: dict[str, str] = {}

# Where our trees answer otherwise: a pattern of the test's name with its parameters, and the reason.
OTHERWISE: dict[str, str] = {}
