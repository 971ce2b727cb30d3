"""Learning: parameters and a table in, a model out, without scikit-learn. Every algorithm by the name of its estimator.

A new learner is a module with its parameters and its :class:`Learner`, and a line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.learn.learner import Learner

LEARNERS = {
    "AdaBoostClassifier": "boosting:AdaBoostClassifierLearner",
    "AdaBoostRegressor": "boosting:AdaBoostRegressorLearner",
    "BaggingClassifier": "bagging:BaggingClassifierLearner",
    "BaggingRegressor": "bagging:BaggingRegressorLearner",
    "BacktrackingTreeClassifier": "backtracking:BacktrackingTreeLearner",
    "C45Classifier": "c45:C45Learner",
    "C45RulesClassifier": "c45rules:C45RulesLearner",
    "CARTClassifier": "cart:CARTClassifierLearner",
    "CARTRegressor": "cart:CARTRegressorLearner",
    "CoTrainingClassifier": "cotraining:CoTrainingLearner",
    "CommitteeClassifier": "bagging:CommitteeClassifierLearner",
    "CommitteeRegressor": "bagging:CommitteeRegressorLearner",
    "ExtraTreesClassifier": "forests:ExtraTreesClassifierLearner",
    "ExtraTreesRegressor": "forests:ExtraTreesRegressorLearner",
    "ID3Classifier": "id3:ID3Learner",
    "IrepClassifier": "covering:IrepLearner",
    "LogisticTreeClassifier": "logistic:LogisticTreeLearner",
    "M5Regressor": "m5:M5Learner",
    "M5RulesRegressor": "m5rules:M5RulesLearner",
    "MemorisingTreeClassifier": "memorising:MemorisingTreeLearner",
    "OptimalTreeClassifier": "optimal:OptimalTreeClassifierLearner",
    "OptimalTreeRegressor": "optimal:OptimalTreeRegressorLearner",
    "ObliqueTreeClassifier": "oblique:ObliqueTreeClassifierLearner",
    "ObliqueTreeRegressor": "oblique:ObliqueTreeRegressorLearner",
    "PartClassifier": "part:PartLearner",
    "QuestTreeClassifier": "quest:QuestTreeLearner",
    "REPTreeClassifier": "reptree:REPTreeClassifierLearner",
    "REPTreeRegressor": "reptree:REPTreeRegressorLearner",
    "RandomForestClassifier": "forests:RandomForestClassifierLearner",
    "RandomForestRegressor": "forests:RandomForestRegressorLearner",
    "RipperClassifier": "covering:RipperLearner",
    "SoftTreeClassifier": "soft:SoftTreeClassifierLearner",
    "SoftTreeRegressor": "soft:SoftTreeRegressorLearner",
    "TreeClassifier": "trees:TreeClassifierLearner",
    "TreeColumns": "tree_columns:TreeColumnsLearner",
    "TreeNeighborsClassifier": "tree_columns:TreeNeighborsLearner",
    "TreeRegressor": "trees:TreeRegressorLearner",
}


def learner_class(name: str) -> type[Learner[Any]]:
    """Return the learner that an estimator of that name wraps."""
    module, _, own = LEARNERS[name].partition(":")
    found: type[Learner[Any]] = getattr(import_module(f"treewright.learn.{module}"), own)
    return found
