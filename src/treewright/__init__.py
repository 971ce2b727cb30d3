"""Decision trees and rules people can read, from the table they have, at native speed.

Importing this package loads the standard library only; everything heavier is loaded when a name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "AdaBoostClassifier": "treewright.estimators",
    "AdaBoostRegressor": "treewright.estimators",
    "BacktrackingTreeClassifier": "treewright.estimators",
    "BaggingClassifier": "treewright.estimators",
    "BaggingRegressor": "treewright.estimators",
    "C45Classifier": "treewright.estimators",
    "C45RulesClassifier": "treewright.estimators",
    "CARTClassifier": "treewright.estimators",
    "CARTRegressor": "treewright.estimators",
    "CoTrainingClassifier": "treewright.estimators",
    "CommitteeClassifier": "treewright.estimators",
    "CommitteeRegressor": "treewright.estimators",
    "ExtraTreesClassifier": "treewright.estimators",
    "ExtraTreesRegressor": "treewright.estimators",
    "ID3Classifier": "treewright.estimators",
    "IrepClassifier": "treewright.estimators",
    "LogisticTreeClassifier": "treewright.estimators",
    "M5Regressor": "treewright.estimators",
    "M5RulesRegressor": "treewright.estimators",
    "MemorisingTreeClassifier": "treewright.estimators",
    "OptimalTreeClassifier": "treewright.estimators",
    "OptimalTreeRegressor": "treewright.estimators",
    "ObliqueTreeClassifier": "treewright.estimators",
    "ObliqueTreeRegressor": "treewright.estimators",
    "OmnivariateTreeClassifier": "treewright.estimators",
    "PartClassifier": "treewright.estimators",
    "QuestTreeClassifier": "treewright.estimators",
    "REPTreeClassifier": "treewright.estimators",
    "REPTreeRegressor": "treewright.estimators",
    "RandomForestClassifier": "treewright.estimators",
    "RandomForestRegressor": "treewright.estimators",
    "RipperClassifier": "treewright.estimators",
    "Edit": "treewright.estimators",
    "Distilled": "treewright.estimators",
    "distil": "treewright.estimators",
    "replay": "treewright.estimators",
    "SoftTreeClassifier": "treewright.estimators",
    "SoftTreeRegressor": "treewright.estimators",
    "StackingClassifier": "treewright.estimators",
    "StackingRegressor": "treewright.estimators",
    "TreeClassifier": "treewright.estimators",
    "TreeColumns": "treewright.estimators",
    "TreeNeighborsClassifier": "treewright.estimators",
    "TreeRegressor": "treewright.estimators",
    "VotingClassifier": "treewright.estimators",
    "VotingRegressor": "treewright.estimators",
    "Foil": "treewright.estimators",
    "Clause": "treewright.model",
    "Clauses": "treewright.model",
    "Forest": "treewright.model",
    "Tree": "treewright.model",
    "Node": "treewright.model",
    "RuleSet": "treewright.model",
    "Rule": "treewright.model",
    "Recipe": "treewright.recipe",
    "recipes": "treewright.recipes",
    "parts": "treewright.parts",
    "errors": "treewright.errors",
    "datasets": "treewright.datasets",
    "scale": "treewright.scale",
    "TreewrightWarning": "treewright.errors",
    "UnseenLevelWarning": "treewright.errors",
    "OptimalityGap": "treewright.learn.optimality",
    "optimality_gap": "treewright.learn.optimality",
    "PruningPath": "treewright.prune",
    "Difference": "treewright.inspect.difference",
    "Drift": "treewright.inspect.drift",
    "diff": "treewright.inspect.difference",
    "SmallestTrees": "treewright.course",
    "VersionSpace": "treewright.course",
    "count_conjunctions": "treewright.course",
    "count_functions": "treewright.course",
    "count_trees": "treewright.course",
    "smallest_trees": "treewright.course",
    "Calibration": "treewright.evaluate",
    "Comparison": "treewright.evaluate",
    "Frontier": "treewright.evaluate",
    "LearningCurve": "treewright.evaluate",
    "Tuned": "treewright.evaluate",
    "calibration": "treewright.evaluate",
    "compare": "treewright.evaluate",
    "frontier": "treewright.evaluate",
    "learning_curve": "treewright.evaluate",
    "plot_calibration": "treewright.evaluate",
    "tune": "treewright.evaluate",
    "binomial_vote": "treewright.show.curves",
    "plot_impurity": "treewright.show.plots",
    "plot_importances": "treewright.show.forest_plots",
    "plot_learning": "treewright.show.errors",
    "plot_member_votes": "treewright.show.forest_plots",
    "plot_members": "treewright.show.forest_plots",
    "plot_node_kinds": "treewright.show.kind_plots",
    "plot_node_terms": "treewright.show.kind_plots",
    "plot_oob_errors": "treewright.show.forest_plots",
    "plot_pruning": "treewright.show.errors",
    "plot_regions": "treewright.show.areas",
    "plot_smooth": "treewright.show.smooth",
    "plot_tree": "treewright.show.plots",
    "plot_votes": "treewright.show.plots",
    "read_table": "treewright.table.files",
    "load": "treewright.store.files",
    "from_lightgbm": "treewright.adopt",
    "from_sklearn": "treewright.adopt",
    "from_xgboost": "treewright.adopt",
    "DataFormatError": "treewright.errors",
    "ModelFormatError": "treewright.errors",
}

__all__ = ["__version__", *sorted(_HOMES)]

if TYPE_CHECKING:
    from treewright import datasets, errors, parts, recipes, scale
    from treewright.adopt import from_lightgbm, from_sklearn, from_xgboost
    from treewright.course import SmallestTrees, VersionSpace, count_conjunctions, count_functions, count_trees, smallest_trees
    from treewright.errors import DataFormatError, ModelFormatError, TreewrightWarning, UnseenLevelWarning
    from treewright.estimators import (
        AdaBoostClassifier,
        AdaBoostRegressor,
        BacktrackingTreeClassifier,
        BaggingClassifier,
        BaggingRegressor,
        C45Classifier,
        C45RulesClassifier,
        CARTClassifier,
        CARTRegressor,
        CommitteeClassifier,
        CommitteeRegressor,
        CoTrainingClassifier,
        Distilled,
        Edit,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        Foil,
        ID3Classifier,
        IrepClassifier,
        LogisticTreeClassifier,
        M5Regressor,
        M5RulesRegressor,
        MemorisingTreeClassifier,
        ObliqueTreeClassifier,
        ObliqueTreeRegressor,
        OmnivariateTreeClassifier,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        PartClassifier,
        QuestTreeClassifier,
        RandomForestClassifier,
        RandomForestRegressor,
        REPTreeClassifier,
        REPTreeRegressor,
        RipperClassifier,
        SoftTreeClassifier,
        SoftTreeRegressor,
        StackingClassifier,
        StackingRegressor,
        TreeClassifier,
        TreeColumns,
        TreeNeighborsClassifier,
        TreeRegressor,
        VotingClassifier,
        VotingRegressor,
        distil,
        replay,
    )
    from treewright.evaluate import (
        Calibration,
        Comparison,
        Frontier,
        LearningCurve,
        Tuned,
        calibration,
        compare,
        frontier,
        learning_curve,
        plot_calibration,
        tune,
    )
    from treewright.inspect.difference import Difference, diff
    from treewright.inspect.drift import Drift
    from treewright.learn.optimality import OptimalityGap, optimality_gap
    from treewright.model import Clause, Clauses, Forest, Node, Rule, RuleSet, Tree
    from treewright.prune import PruningPath
    from treewright.recipe import Recipe
    from treewright.show.areas import plot_regions
    from treewright.show.curves import binomial_vote
    from treewright.show.errors import plot_learning, plot_pruning
    from treewright.show.forest_plots import plot_importances, plot_member_votes, plot_members, plot_oob_errors
    from treewright.show.kind_plots import plot_node_kinds, plot_node_terms
    from treewright.show.plots import plot_impurity, plot_tree, plot_votes
    from treewright.show.smooth import plot_smooth
    from treewright.store.files import load
    from treewright.table.files import read_table


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    module = import_module(home)
    value = module if home == f"treewright.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__") and name != "__version__")]
