"""Trees of scores and soft trees as contenders, and neural-trees beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Workload

DEEPEST = 8  # of the trees that are compared with CART


def ours(workload: Workload, learner: str, **settings: Any) -> Contender:
    """One of our learners on the columns of numbers."""
    import treewright as tw

    return _on_numbers(lambda: getattr(tw, learner)(n_jobs=1, **settings), lambda model: int(model.tree_.n_leaves))


def neural_trees(workload: Workload, learner: str) -> Contender:
    """One of neural-trees with its defaults, on columns of deviation 1 as its authors ask for."""
    import neural_trees
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return _on_numbers(lambda: make_pipeline(StandardScaler(), getattr(neural_trees, learner)()))


def _on_numbers(make: Callable[[], Any], leaves: Callable[[Any], int] | None = None) -> Contender:
    return Contender(
        lambda num, nom, y: make().fit(num, y), lambda model, num, nom: np.asarray(model.predict(num)), leaves=leaves
    )
