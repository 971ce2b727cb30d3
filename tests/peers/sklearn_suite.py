"""scikit-learn's own tests of its trees, with our estimators in the place of its own, and what they cannot be asked."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from typing import Any

import sklearn.ensemble
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
FORESTS = {name: getattr(tw, name) for name in sklearn.ensemble.__all__ if name.startswith(("RandomForest", "ExtraTrees"))}
SUITE = "sklearn.tree.tests.test_tree"
MONOTONIC = "sklearn.tree.tests.test_monotonic_tree"


def load(name: str = SUITE) -> Any:
    """A suite as a module of its own, which found our estimators when it imported scikit-learn's."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    suite = importlib.util.module_from_spec(spec)
    ours = [(sklearn.tree, each, made) for each, made in OURS.items()]
    ours += [(sklearn.ensemble, each, made) for each, made in FORESTS.items()]
    theirs = [(module, each, getattr(module, each)) for module, each, _ in ours]
    before = sys.modules.get(name)
    try:
        for module, each, made in ours:
            setattr(module, each, made)
        sys.modules[name] = suite
        spec.loader.exec_module(suite)
    finally:
        for module, each, made in theirs:
            setattr(module, each, made)
        sys.modules.pop(name) if before is None else sys.modules.__setitem__(name, before)
    return suite


# Tests of scikit-learn's insides, by what of them they use.
PRIVATE = {
    "test_absolute_errors_precomputation_function": "_py_precompute_absolute_errors",
    "test_arrays_persist": "the arrays of its Cython tree keep that alive; ours are a copy",
    "test_build_pruned_tree_infinite_loop": "_build_pruned_tree_py",
    "test_build_pruned_tree_py": "_build_pruned_tree_py",
    "test_check_n_classes": "_check_n_classes",
    "test_check_node_ndarray": "_check_node_ndarray",
    "test_check_value_ndarray": "_check_value_ndarray",
    "test_criterion_copy": "CRITERIA_CLF",
    "test_different_bitness_joblib_pickle": "CythonTree",
    "test_different_bitness_pickle": "CythonTree",
    "test_realloc": "sklearn.tree._utils",
    "test_splitter_serializable": "DENSE_SPLITTERS",
}

_OUTPUTS = "classifiers predict one target; several numbers are judged by their variance"
_SHARE = "0.30000000000000004 of 30 rows are 9 rows, not 9.000000000000002"

# Where our trees do otherwise: a pattern of the test's name with its parameters, and the reason.
OTHERWISE = {
    r"test_friedman_mse_deprecation": "friedman_mse is taken without a warning",
    r"test_multioutput\[(?!(Decision|Extra)TreeRegressor-(squared_error|friedman_mse))": _OUTPUTS,
    r"test_classes_shape|test_class_weights\[": _OUTPUTS,
    r"test_class_weight_errors|multilabel-(?!(Decision|Extra)TreeRegressor)": _OUTPUTS,
    r"(Classifier|squared_error|Regressor|poisson)-multilabel|test_prune_tree_\w+_are_subtrees\[.*multilabel": _OUTPUTS,
    r"test_min_weight_fraction_leaf(_with_min_samples_leaf)?_on_sparse_input\[.*Classifier": _OUTPUTS,
    r"test_min_weight_fraction_leaf(_with_min_samples_leaf)?_on_sparse_input\[.*TreeRegressor": _SHARE,
    r"test_missing_values_best_splitter_on_equal_nodes_no_missing": "missing cells of which training had none go where most "
    "rows went, to the left where as many went either way",
    r"test_missing_values_best_splitter_missing_both_classes_has_nan": "of equal homes for missing cells the left one is taken",
    r"test_missing_value_errors": "sparse tables may have missing cells",
    r"test_random_splitter_missing_values_uses_non_missing_min_max\[single": "one value beside missing cells is split by these",
    r"test_almost_constant_feature": "columns whose values differ by 1e-7 are compared as they are",
    r"test_min_sample_split_1_error": "min_samples_split=1 restricts nothing, and is taken",
    r"test_big_input": "numbers beyond 32-bit floats are compared as they are",
    r"test_huge_allocations": "max_leaf_nodes and max_depth ask for no memory in advance",
    r"test_sample_weight_invalid": "a single weight of 0 is refused as weights of 0",
    r"test_error$": "refused with other words",
    r"test_pickle$": "a tree has no spare room, which `capacity` tells",
}

# Those that pass on some draws of the suite.
BY_CHANCE = {_SHARE}
