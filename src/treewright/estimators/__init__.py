"""The scikit-learn faces of the package."""

from treewright.estimators.trees import CARTClassifier, CARTRegressor, ID3Classifier, TreeClassifier, TreeRegressor

__all__ = ["CARTClassifier", "CARTRegressor", "ID3Classifier", "TreeClassifier", "TreeRegressor"]
