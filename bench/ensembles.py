"""Forests and boosting as contenders: ours and the peers', with the same number of members and columns per node."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import rscript
from bench.contender import Contender
from bench.workloads import Array, Workload


def ours(workload: Workload, learner: str, table: Any, member: dict[str, Any] | None = None, **settings: Any) -> Contender:
    """An ensemble of ours on the float32 array or, with nominal columns, on a pandas frame."""
    import treewright as tw

    kind = getattr(tw, learner + ("Regressor" if workload.task == "reg" else "Classifier"))
    given = dict(settings)
    if member is not None:
        given["estimator"] = tw.TreeClassifier(**member)
    return Contender(
        lambda num, nom, y: kind(random_state=0, **given).fit(table(num, nom), y),
        lambda model, num, nom: np.asarray(model.predict(table(num, nom))),
        lambda model: int(model.forest_.sizes["n_leaves"]),
    )


def sklearn(workload: Workload, learner: str, member: dict[str, Any] | None = None, **settings: Any) -> Contender:
    """scikit-learn's on the same numbers; it knows no nominal cells, whose codes it reads as numbers."""
    from sklearn import ensemble, tree

    kind = getattr(ensemble, learner + ("Regressor" if workload.task == "reg" else "Classifier"))
    given = dict(settings)
    if member is not None:
        given["estimator"] = tree.DecisionTreeClassifier(**member)

    def table(num: Array, nom: Array) -> Array:
        return np.hstack([num, nom.astype(np.float32)]) if workload.levels else num

    return Contender(
        lambda num, nom, y: kind(random_state=0, **given).fit(table(num, nom), y),
        lambda model, num, nom: np.asarray(model.predict(table(num, nom))),
    )


def ydf_forest(workload: Workload, num_trees: int = 100) -> Contender:
    """YDF's random forest, fully grown, on its own sample of columns per node (the square root of their number).

    No out-of-bag figures are asked for; the vote is by shares (`winner_take_all=False`), as ours. Nominal cells are bytes.
    """
    import ydf

    task = ydf.Task.REGRESSION if workload.task == "reg" else ydf.Task.CLASSIFICATION
    texts = [np.array([b"", *(b"L%d" % level for level in range(count))]) for count in workload.levels]

    def table(num: Array, nom: Array) -> dict[str, Array]:
        numeric = {f"n{j}": column for j, column in enumerate(num.T)}
        return numeric | {f"c{j}": texts[j][column + 1] for j, column in enumerate(nom.T)}

    def fit(num: Array, nom: Array, y: Array) -> Any:
        learner = ydf.RandomForestLearner(
            label="y",
            task=task,
            num_trees=num_trees,
            min_examples=1,
            max_depth=-1,
            winner_take_all=False,
            compute_oob_performances=False,
            num_threads=1,
        )
        return learner.train(table(num, nom) | {"y": y}, verbose=0)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        scores = np.asarray(model.predict(table(num, nom)))
        if workload.task == "reg":
            return scores
        classes = np.array([int(name) for name in model.label_classes()])
        best = (scores > 0.5).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(classes[best])

    return Contender(fit, predict)


_RANGER_FIT = """
library(ranger)
n <- {n}
x <- matrix(readBin("{folder}/x", "double", n * {columns}), n, {columns}, dimnames = list(NULL, paste0("n", 1:{columns})))
y <- factor(readBin("{folder}/y", "integer", n))
saveRDS(ranger(x = x, y = y, num.trees = 100, min.node.size = 1, oob.error = FALSE, num.threads = 1, seed = 1),
        "{folder}/forest", compress = FALSE)
"""
_RANGER_PREDICT = """
library(ranger)
n <- {n}
x <- matrix(readBin("{folder}/x", "double", n * {columns}), n, {columns}, dimnames = list(NULL, paste0("n", 1:{columns})))
said <- predict(readRDS("{folder}/forest"), x, num.threads = 1)$predictions
writeBin(as.integer(as.character(said)), "{folder}/said")
"""


def ranger_forest(workload: Workload) -> Contender:
    """R's ranger, fully grown trees of classes, the square root of the columns per node, in a process whose seconds count.

    The start of R and the saving of the forest, together below a second, are inside.
    """
    return rscript.classifier(_RANGER_FIT, _RANGER_PREDICT)
