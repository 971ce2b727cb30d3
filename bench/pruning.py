"""Contenders of the group prune: the path of cost-complexity pruning, and the choice of a tree on it by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import rscript
from bench.contender import Contender
from bench.workloads import Array, Workload


def sklearn_path_search(workload: Workload) -> Contender:
    """scikit-learn's way: the path, then a search over five of its alphas with five folds, which grows every tree anew."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    def fit(num: Array, nom: Array, y: Array) -> Any:
        alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(num, y).ccp_alphas
        five = np.unique(alphas[np.linspace(0, len(alphas) - 1, 7).astype(int)[1:-1]])
        return GridSearchCV(DecisionTreeClassifier(random_state=0), {"ccp_alpha": five}, cv=min(5, len(y))).fit(num, y)

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.best_estimator_.get_n_leaves()))


_FIT = """
library(rpart)
n <- {n}
frame <- data.frame(matrix(readBin("{folder}/x", "double", n * {columns}), n, {columns}))
frame$y <- factor(readBin("{folder}/y", "integer", n))
tree <- rpart(y ~ ., frame, method = "class",
              control = rpart.control(cp = 0, minsplit = 2, minbucket = 1, maxsurrogate = 0, maxcompete = 0, xval = 10))
best <- tree$cptable[which.min(tree$cptable[, "xerror"]), "CP"]
saveRDS(prune(tree, cp = best), "{folder}/tree")
"""
_PREDICT = """
library(rpart)
tree <- readRDS("{folder}/tree")
n <- {n}
frame <- data.frame(matrix(readBin("{folder}/x", "double", n * {columns}), n, {columns}))
writeBin(as.integer(as.character(predict(tree, frame, type = "class"))), "{folder}/said")
"""


def rpart_cross_validated(workload: Workload) -> Contender:
    """R's rpart, fully grown, with ten folds over its whole path, in a process whose seconds count.

    The start of R, about 0.2 s, is inside; the columns are handed over as the doubles that R works with.
    """
    return rscript.classifier(_FIT, _PREDICT)


def cart_pruned(workload: Workload, folds: int) -> Contender:
    """Our CART, fully grown, and the best tree of its whole path by cross-validation."""
    import treewright as tw

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return tw.CARTClassifier(n_jobs=1).fit(num, y).prune("cost_complexity", num, y, folds=min(folds, len(y)))

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.tree_.n_leaves))


def cart_path(workload: Workload) -> Contender:
    """The path of a tree that was grown before the clock starts."""
    import treewright as tw

    num, _, y = workload.train
    grown = tw.CARTClassifier(n_jobs=1).fit(num, y)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return grown.tree_.pruning_path()

    return Contender(fit, lambda path, num, nom: path.tree_at(len(path) // 2).predict(num), lambda path: int(path.n_leaves[0]))
