"""The scikit-learn faces of the package."""

from treewright.estimators.c45 import C45Classifier
from treewright.estimators.id3 import ID3Classifier
from treewright.estimators.m5 import M5Regressor
from treewright.estimators.reptree import REPTreeClassifier, REPTreeRegressor
from treewright.estimators.rules import IrepClassifier, RipperClassifier
from treewright.estimators.trees import CARTClassifier, CARTRegressor, TreeClassifier, TreeRegressor

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "IrepClassifier",
    "M5Regressor",
    "REPTreeClassifier",
    "REPTreeRegressor",
    "RipperClassifier",
    "TreeClassifier",
    "TreeRegressor",
]
