"""The learners we are measured against: one function each, and one line in `PEERS`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.contender import Contender, Entry
from bench.workloads import Array, Workload


def sklearn_cart(workload: Workload) -> Contender:
    """scikit-learn's fully grown tree. It reads our float32 array as it is; Fortran order was measured, no faster."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    learner = DecisionTreeRegressor if workload.task == "reg" else DecisionTreeClassifier

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return learner(random_state=0).fit(num, y)

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.get_n_leaves()))


def ydf_cart(workload: Workload) -> Contender:
    """YDF's CART, fully grown on all rows: no validation part (hence no pruning), no depth limit, leaves of one row.

    Nominal columns go in as byte strings, an empty one for a missing cell: the fastest way that works. Unicode strings
    took 1.4 to 2.3 times as long; already integerised columns were 5 to 10 % faster on W3s but abort with a corrupt
    heap on W4s (ydf 0.16.1). Level frequency and count are unlimited, so that no level is merged away.
    """
    import ydf

    task = ydf.Task.REGRESSION if workload.task == "reg" else ydf.Task.CLASSIFICATION
    texts = [np.array([b"", *(b"L%d" % level for level in range(count))]) for count in workload.levels]

    def table(num: Array, nom: Array) -> dict[str, Array]:
        numeric = {f"n{j}": column for j, column in enumerate(num.T)}
        return numeric | {f"c{j}": texts[j][column + 1] for j, column in enumerate(nom.T)}

    def fit(num: Array, nom: Array, y: Array) -> Any:
        numeric = [ydf.Column(f"n{j}", ydf.Semantic.NUMERICAL) for j in range(num.shape[1])]
        nominal = [
            ydf.Column(f"c{j}", ydf.Semantic.CATEGORICAL, min_vocab_frequency=1, max_vocab_count=-1) for j in range(nom.shape[1])
        ]
        learner = ydf.CartLearner(
            label="y",
            task=task,
            features=numeric + nominal,
            validation_ratio=0.0,
            min_examples=1,
            max_depth=-1,
            num_threads=1,
        )
        return learner.train(table(num, nom) | {"y": y}, verbose=0)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        scores = np.asarray(model.predict(table(num, nom)))
        if workload.task == "reg":
            return scores
        classes = np.array([int(name) for name in model.label_classes()])
        # With two classes YDF gives one column: the probability of the second.
        best = (scores > 0.5).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(classes[best])

    # Every inner node of a YDF tree has two children.
    return Contender(fit, predict, lambda model: (model.num_nodes() + 1) // 2)


PEERS = {
    "sklearn_cart": Entry("scikit-learn", "sklearn", sklearn_cart),
    "ydf_cart": Entry("YDF CART", "ydf", ydf_cart),
}
