"""Trees grown by other libraries as trees of ours, with the same answers: pictures, rules, pruning and exports serve them too."""

from treewright.adopt.lightgbm import from_lightgbm
from treewright.adopt.sklearn import from_sklearn
from treewright.adopt.xgboost import from_xgboost

__all__ = ["from_lightgbm", "from_sklearn", "from_xgboost"]
