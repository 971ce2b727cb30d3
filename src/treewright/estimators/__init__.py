"""The scikit-learn faces of the package."""

from treewright.estimators.backtracking import BacktrackingTreeClassifier
from treewright.estimators.bagging import BaggingClassifier, BaggingRegressor, CommitteeClassifier, CommitteeRegressor
from treewright.estimators.boosting import AdaBoostClassifier, AdaBoostRegressor
from treewright.estimators.c45 import C45Classifier
from treewright.estimators.c45rules import C45RulesClassifier
from treewright.estimators.cart import CARTClassifier, CARTRegressor
from treewright.estimators.cotraining import CoTrainingClassifier
from treewright.estimators.covering import IrepClassifier, RipperClassifier
from treewright.estimators.distilling import Distilled, distil
from treewright.estimators.editing import Edit, replay
from treewright.estimators.foil import Foil
from treewright.estimators.forests import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from treewright.estimators.id3 import ID3Classifier
from treewright.estimators.logistic import LogisticTreeClassifier
from treewright.estimators.m5 import M5Regressor
from treewright.estimators.m5rules import M5RulesRegressor
from treewright.estimators.memorising import MemorisingTreeClassifier
from treewright.estimators.oblique import ObliqueTreeClassifier, ObliqueTreeRegressor
from treewright.estimators.omnivariate import OmnivariateTreeClassifier
from treewright.estimators.optimal import OptimalTreeClassifier, OptimalTreeRegressor
from treewright.estimators.part import PartClassifier
from treewright.estimators.quest import QuestTreeClassifier
from treewright.estimators.reptree import REPTreeClassifier, REPTreeRegressor
from treewright.estimators.soft import SoftTreeClassifier, SoftTreeRegressor
from treewright.estimators.stacking import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from treewright.estimators.tree_columns import TreeColumns, TreeNeighborsClassifier
from treewright.estimators.trees import TreeClassifier, TreeRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BacktrackingTreeClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "CARTRegressor",
    "CoTrainingClassifier",
    "CommitteeClassifier",
    "CommitteeRegressor",
    "Distilled",
    "Edit",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Foil",
    "ID3Classifier",
    "IrepClassifier",
    "LogisticTreeClassifier",
    "M5Regressor",
    "M5RulesRegressor",
    "MemorisingTreeClassifier",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "OmnivariateTreeClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PartClassifier",
    "QuestTreeClassifier",
    "REPTreeClassifier",
    "REPTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RipperClassifier",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "TreeClassifier",
    "TreeColumns",
    "TreeNeighborsClassifier",
    "TreeRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "distil",
    "replay",
]
