"""Our own learners as contenders: one function each, and one line in `OURS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from bench import editing, ensembles, oblique, optimal, relational, shapes
from bench.contender import Contender, Entry
from bench.explaining import contributions
from bench.files import from_parquet
from bench.pruning import cart_path, cart_pruned
from bench.showing import command_fit, frames, has_browser, page, paint, size, svg, text
from bench.workloads import Array, Workload


def cart(workload: Workload, weights: str | None = None, **settings: Any) -> Contender:
    """CART with its defaults, fully grown, on the float32 array or, with nominal columns, on a pandas frame.

    What rows weigh is drawn before the clock starts; a setting that is a function is made from the workload.
    """
    import treewright as tw

    learner = tw.CARTRegressor if workload.task == "reg" else tw.CARTClassifier
    made = {name: value(workload) if callable(value) else value for name, value in settings.items()}
    given: dict[str, Any] = {"missing": "learned", "n_jobs": 1} | made
    table = _table(workload)
    weigh = shapes.weights(workload, weights)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return learner(**given).fit(table(num, nom), y, sample_weight=weigh(len(y)))

    def predict(model: Any, num: Array, nom: Array) -> Array:
        return np.asarray(model.predict(table(num, nom)))

    return Contender(fit, predict, lambda model: int(model.tree_.n_leaves), _tree_size)


def drawn_splits(workload: Workload) -> Contender:
    """A fully grown tree that looks at one random split of some columns at every node, as extremely randomised trees do."""
    import treewright as tw

    learner = tw.TreeRegressor if workload.task == "reg" else tw.TreeClassifier
    return _tree(workload, lambda: learner(splitter="random", max_features="sqrt", n_jobs=1))


def c45(workload: Workload) -> Contender:
    """C4.5 release 8 with its defaults: pruned, with subtree raising; on the same tables as CART."""
    import treewright as tw

    return _tree(workload, lambda: tw.C45Classifier(n_jobs=1))


def m5(workload: Workload) -> Contender:
    """M5' with its defaults."""
    import treewright as tw

    return _tree(workload, tw.M5Regressor)


def logistic(workload: Workload) -> Contender:
    """Logistic model trees with their defaults."""
    import treewright as tw

    return _tree(workload, tw.LogisticTreeClassifier)


def _tree(workload: Workload, make: Callable[[], Any]) -> Contender:
    table = _table(workload)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return make().fit(table(num, nom), y)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        return np.asarray(model.predict(table(num, nom)))

    return Contender(fit, predict, lambda model: int(model.tree_.n_leaves), _tree_size)


def ripper(workload: Workload) -> Contender:
    """RIPPER with its defaults; its leaves are its rules."""
    import treewright as tw

    table = _table(workload)
    return Contender(
        lambda num, nom, y: tw.RipperClassifier().fit(table(num, nom), y),
        lambda model, num, nom: np.asarray(model.predict(table(num, nom))),
        lambda model: len(model.ruleset_) + 1,
    )


def part(workload: Workload) -> Contender:
    """PART with its defaults; its leaves are its rules."""
    import treewright as tw

    table = _table(workload)
    return Contender(
        lambda num, nom, y: tw.PartClassifier().fit(table(num, nom), y),
        lambda model, num, nom: np.asarray(model.predict(table(num, nom))),
        lambda model: len(model.ruleset_) + 1,
    )


def ternary(workload: Workload) -> Contender:
    """A tree of splits in three, fully grown."""
    import treewright as tw

    return _tree(workload, lambda: tw.TreeClassifier(numeric="ternary", n_jobs=1))


def visits(workload: Workload, missing: str) -> Contender:
    """CART under a policy for missing cells: it tells the CPU time of a (row, node) visit over that of learned branches."""
    import treewright as tw

    def fit(num: Array, nom: Array, y: Array) -> Any:
        cost = {}
        for policy in ("learned", missing):
            learner = tw.CARTClassifier(missing=policy, max_depth=12, n_jobs=1)
            begin = process_time()
            model = learner.fit(num, y)
            seconds = process_time() - begin
            cost[policy] = seconds / model.decision_path(num).nnz
        return model, cost[missing] / cost["learned"]

    return Contender(fit, lambda model, num, nom: np.asarray(model[0].predict(num)), told=lambda model: model[1])


def c45rules(workload: Workload) -> Contender:
    """C4.5rules with its defaults; its leaves are its rules."""
    import treewright as tw

    table = _table(workload)
    return Contender(
        lambda num, nom, y: tw.C45RulesClassifier().fit(table(num, nom), y),
        lambda model, num, nom: np.asarray(model.predict(table(num, nom))),
        lambda model: len(model.ruleset_) + 1,
    )


def ensemble(workload: Workload, learner: str, **settings: Any) -> Contender:
    """An ensemble of 100 members, on the same tables as CART."""
    return ensembles.ours(workload, learner, _table(workload), n_estimators=100, **settings)


def _tree_size(model: Any) -> int:
    state = model.tree_._core.state()
    return sum(part.nbytes for part in state.values() if isinstance(part, np.ndarray))


def _table(workload: Workload) -> Any:
    if not workload.levels:
        return lambda num, nom: num

    import pandas as pd

    levels = [[f"L{level}" for level in range(count)] for count in workload.levels]

    def frame(num: Array, nom: Array) -> pd.DataFrame:
        numeric = {f"n{j}": column for j, column in enumerate(num.T)}
        nominal = {f"c{j}": pd.Categorical.from_codes(column, levels[j]) for j, column in enumerate(nom.T)}
        return pd.DataFrame(numeric | nominal)

    return frame


_BROWSER = "apt-get install chromium; pip install playwright"

OURS = {
    "c45": Entry("treewright C4.5", "treewright", c45),
    "c45rules": Entry("treewright C4.5rules", "treewright", c45rules),
    "cart_pruned_5_folds": Entry("treewright CART, 5 folds", "treewright", partial(cart_pruned, folds=5)),
    "cart_pruned_10_folds": Entry("treewright CART, 10 folds", "treewright", partial(cart_pruned, folds=10)),
    "cart_path": Entry("treewright CART, path", "treewright", cart_path),
    "cart": Entry("treewright CART", "treewright", cart),
    "cart_depth8": Entry("treewright CART, depth 8", "treewright", partial(cart, max_depth=8)),
    "cart_bins": Entry("treewright CART, 255 bins", "treewright", partial(cart, max_bins=255)),
    "cart_bins_depth8": Entry("treewright CART, 255 bins, depth 8", "treewright", partial(cart, max_depth=8, max_bins=255)),
    "cart_whole_files": Entry("treewright CART, files read whole", "treewright", partial(from_parquet, in_parts=False)),
    "cart_parts": Entry("treewright CART, files in parts", "treewright", partial(from_parquet, in_parts=True)),
    "cart_whole_files_depth8": Entry(
        "treewright CART, files read whole, depth 8", "treewright", partial(from_parquet, in_parts=False, max_depth=8)
    ),
    "cart_parts_depth8": Entry(
        "treewright CART, files in parts, depth 8", "treewright", partial(from_parquet, in_parts=True, max_depth=8)
    ),
    "cart_float": Entry("treewright CART, float weights", "treewright", partial(cart, weights="float")),
    "cart_whole": Entry("treewright CART, whole weights", "treewright", partial(cart, weights="whole")),
    "cart_bootstrap": Entry("treewright CART, bootstrap counts", "treewright", partial(cart, weights="bootstrap")),
    "cart_sqrt": Entry("treewright CART, columns drawn", "treewright", partial(cart, max_features="sqrt")),
    "cart_sqrt_bootstrap": Entry(
        "treewright CART, columns drawn, bootstrap counts", "treewright", partial(cart, max_features="sqrt", weights="bootstrap")
    ),
    "cart_third": Entry("treewright CART, a third of the columns drawn", "treewright", partial(cart, max_features=1 / 3)),
    "drawn_splits": Entry("treewright, columns and splits drawn", "treewright", drawn_splits),
    "cart_class_weights": Entry("treewright CART, class weights", "treewright", partial(cart, class_weight=shapes.class_weights)),
    "cart_priors": Entry("treewright CART, priors", "treewright", partial(cart, priors=shapes.priors)),
    "cart_error": Entry("treewright CART, error", "treewright", partial(cart, criterion="error")),
    "cart_risk": Entry("treewright CART, risk", "treewright", partial(cart, criterion="risk", loss=[[0, 1], [2, 0]])),
    "cart_poisson": Entry("treewright CART, Poisson", "treewright", partial(cart, criterion="poisson")),
    "cart_candidates": Entry("treewright CART, candidates kept", "treewright", partial(cart, keep_candidates=True)),
    "cart_most_common": Entry("treewright CART, holes filled", "treewright", partial(cart, missing="most_common")),
    "cart_competitors": Entry("treewright CART, four competitors", "treewright", partial(cart, max_competitors=4)),
    "cart_fraction_visit": Entry("treewright CART, rows divided", "treewright", partial(visits, missing="fraction")),
    "cart_spread_visit": Entry("treewright CART, rows spread", "treewright", partial(visits, missing="spread")),
    "ternary": Entry("treewright, splits in three", "treewright", ternary),
    "part": Entry("treewright PART", "treewright", part),
    "cart_own": Entry("treewright CART, holes apart", "treewright", partial(cart, missing="own")),
    "cart_depth8_float": Entry(
        "treewright CART, depth 8, float weights", "treewright", partial(cart, max_depth=8, weights="float")
    ),
    "cart_absolute_error": Entry("treewright CART, absolute error", "treewright", partial(cart, criterion="absolute_error")),
    "cart_surrogates": Entry("treewright CART, surrogates", "treewright", partial(cart, missing="surrogate")),
    "logistic": Entry("treewright logistic tree", "treewright", logistic),
    "m5": Entry("treewright M5'", "treewright", m5),
    "ripper": Entry("treewright RIPPER", "treewright", ripper),
    "foil": Entry("treewright FOIL", "treewright", relational.foil),
    "foil_three_variables": Entry("treewright FOIL, three variables", "treewright", partial(relational.foil, max_variables=3)),
    "forest": Entry("treewright random forest", "treewright", partial(ensemble, learner="RandomForest")),
    "forest_third": Entry("treewright forest, 1/3", "treewright", partial(ensemble, learner="RandomForest", max_features=1 / 3)),
    "extra_trees": Entry("treewright extra trees", "treewright", partial(ensemble, learner="ExtraTrees")),
    "adaboost_stumps": Entry("treewright AdaBoost, stumps", "treewright", partial(ensemble, learner="AdaBoost")),
    "adaboost_depth3": Entry(
        "treewright AdaBoost, depth 3", "treewright", partial(ensemble, learner="AdaBoost", member={"max_depth": 3})
    ),
    "contributions": Entry("treewright contributions", "treewright", contributions),
    "contributions_background": Entry("treewright contributions, background", "treewright", partial(contributions, against=True)),
    "svg": Entry("treewright to_svg", "treewright", svg),
    "text": Entry("treewright to_text", "treewright", text),
    "command_fit": Entry("treewright fit", "treewright", command_fit),
    "page_size": Entry("treewright explorer", "treewright", partial(page, look=size)),
    "page_paint": Entry("treewright explorer", "Chromium or playwright", partial(page, look=paint), has_browser, _BROWSER),
    "page_frames": Entry("treewright explorer", "Chromium or playwright", partial(page, look=frames), has_browser, _BROWSER),
    "workbench_alternatives": Entry("treewright workbench", "treewright", partial(editing.edited, look=editing.alternatives)),
    "workbench_scores": Entry("treewright workbench", "treewright", partial(editing.edited, look=editing.scores)),
    **{
        f"workbench_{name}": Entry(
            "treewright workbench", "Chromium or playwright", partial(editing.edited, look=look), has_browser, _BROWSER
        )
        for name, look in (("ready", editing.ready), ("drag", editing.drag))
    },
    "cart_two_threads": Entry("treewright CART, two threads", "treewright", partial(cart, n_jobs=2)),
    **{
        f"{name}_depth8": Entry(
            f"treewright {title}, depth 8", "treewright", partial(oblique.ours, max_depth=oblique.DEEPEST, **given)
        )
        for name, title, given in (
            ("ldt", "LDT", {"learner": "ObliqueTreeClassifier", "method": "ldt", "pruned": False}),
            ("fact", "FACT", {"learner": "ObliqueTreeClassifier", "method": "fact", "pruned": False}),
            ("quest", "QUEST, linear", {"learner": "ObliqueTreeClassifier", "method": "quest", "pruned": False}),
            ("quest_columns", "QUEST", {"learner": "QuestTreeClassifier", "pruned": False}),
        )
    },
    "omnivariate": Entry("treewright omnivariate", "treewright", partial(oblique.ours, learner="OmnivariateTreeClassifier")),
    "soft": Entry("treewright soft", "treewright", partial(oblique.ours, learner="SoftTreeClassifier")),
    "optimal_overshoot": Entry("treewright optimal tree", "treewright", optimal.overshoot),
}
for depth in optimal.DEPTHS:
    OURS[f"optimal_depth{depth}"] = Entry("treewright optimal tree", "treewright", partial(optimal.ours, depth=depth))
