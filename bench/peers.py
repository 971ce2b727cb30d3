"""The learners we are measured against: one function each, and one line in `PEERS`."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from shutil import which
from typing import Any

import numpy as np

from bench import ensembles, oblique, optimal, relational, rscript, shapes
from bench.contender import Contender, Entry
from bench.explaining import shap_contributions
from bench.pruning import rpart_cross_validated, sklearn_path_search
from bench.showing import arrow_and_fit, sklearn_plot_tree
from bench.workloads import Array, Workload


def sklearn_cart(workload: Workload, weights: str | None = None, **settings: Any) -> Contender:
    """scikit-learn's fully grown tree. It reads our float32 array as it is; Fortran order was measured, no faster."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    learner = DecisionTreeRegressor if workload.task == "reg" else DecisionTreeClassifier
    weigh = shapes.weights(workload, weights)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return learner(random_state=0, **settings).fit(num, y, sample_weight=weigh(len(y)))

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.get_n_leaves()))


def sklearn_cart_sparse(workload: Workload) -> Contender:
    """scikit-learn's fully grown tree on the same table as a sparse matrix by columns, made before the clock starts."""
    from scipy.sparse import csc_matrix
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    learner = DecisionTreeRegressor if workload.task == "reg" else DecisionTreeClassifier
    table = csc_matrix(workload.train[0])

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return learner(random_state=0).fit(table[: len(y)] if len(y) < table.shape[0] else table, y)

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.get_n_leaves()))


def sklearn_histogram_depth8(workload: Workload, weights: str | None = None) -> Contender:
    """One iteration of scikit-learn's histogram boosting, as deep as our tree of depth 8, on its own 255 bins.

    The float32 array goes in as it is: handing over float64 in either order was measured, no faster. A full step
    (`learning_rate=1`) is only a factor on the leaves and lets the one tree decide. Threads are set by the environment.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    weigh = shapes.weights(workload, weights)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return HistGradientBoostingClassifier(
            max_iter=1, max_depth=8, max_leaf_nodes=256, early_stopping=False, learning_rate=1.0, random_state=0
        ).fit(num, y, sample_weight=weigh(len(y)))

    return Contender(fit, lambda model, num, nom: model.predict(num))


def lightgbm_256_leaves(workload: Workload) -> Contender:
    """One LightGBM tree of 256 leaves for two classes; binning is inside the clock, since a `Dataset` is made when trained.

    No bagging is its default (`bagging_freq=0`). Without `force_col_wise` it would try both layouts first; by columns
    was the faster here by 3 %, and the C-ordered float32 array the faster input by 3 to 8 %. The step is full as above.
    """
    import lightgbm

    settings = {
        "objective": "binary",
        "num_leaves": 256,
        "min_data_in_leaf": 1,
        "learning_rate": 1.0,
        "force_col_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return lightgbm.train(settings, lightgbm.Dataset(num, label=y, params=settings), num_boost_round=1)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        return np.asarray(model.predict(num, num_threads=1) > 0.5).astype(int)

    return Contender(fit, predict, lambda model: int(model.dump_model()["tree_info"][0]["num_leaves"]))


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


# What R's learners and WEKA's need.
_R = "apt-get install r-base-core r-cran-"
JAVA, JAVA_REMEDY = "WEKA or Java", "pip install -r bench/requirements.txt, and Java 17 from the system's packages"


def has_weka() -> bool:
    """Whether WEKA's jar, which a Python package carries, and Java are here."""
    return find_spec("weka") is not None and which("java") is not None


def weka(workload: Workload, learner: str) -> Contender:
    """A learner of WEKA's with its defaults. Java starts before the clock, WEKA's table is made inside it."""
    from bench.weka import Tables, start

    tables = Tables(workload)
    made = start().JClass(learner)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        model = made()
        model.buildClassifier(tables.table(num, nom, y))
        return model

    def predict(model: Any, num: Array, nom: Array) -> Array:
        said = np.array([model.classifyInstance(row) for row in tables.table(num, nom)])
        return said if workload.task == "reg" else said.astype(int)

    return Contender(fit, predict, (lambda model: int(model.measureNumLeaves())) if hasattr(made, "measureNumLeaves") else None)


def sklearn_absolute_error(workload: Workload) -> Contender:
    """scikit-learn's tree of absolute errors, fully grown."""
    from sklearn.tree import DecisionTreeRegressor

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return DecisionTreeRegressor(criterion="absolute_error", random_state=0).fit(num, y)

    return Contender(fit, lambda model, num, nom: model.predict(num), lambda model: int(model.get_n_leaves()))


def weka_rules(workload: Workload, learner: str) -> Contender:
    """A learner of rules of WEKA with its defaults. Its table is read before the clock starts: only learning is timed."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import pandas as pd
    from weka.classifiers import Classifier
    from weka.core import jvm
    from weka.core.converters import Loader

    from tools.weka import arff

    jvm.logger.setLevel("ERROR")
    jvm.start(packages=False)
    names = {f"n{j}": column for j, column in enumerate(workload.num.T)}
    for j, (column, levels) in enumerate(zip(workload.nom.T, workload.levels, strict=True)):
        names[f"c{j}"] = pd.Categorical.from_codes(column, list(range(levels)))
    frame = pd.DataFrame(names | {"y": pd.Categorical(workload.y)})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        path.write_text(arff(frame), encoding="ascii")
        whole = Loader("weka.core.converters.ArffLoader").load_file(str(path))
    whole.class_is_last()
    labels = [int(label) for label in frame["y"].cat.categories]

    def fit(num: Array, nom: Array, y: Array) -> Any:
        model = Classifier(classname=f"weka.classifiers.rules.{learner}")
        model.build_classifier(whole.subset(row_range=f"1-{len(y)}"))
        return model

    def predict(model: Any, num: Array, nom: Array) -> Array:
        begin = workload.n_train if len(num) != workload.n_train else 0
        rows = (whole.get_instance(begin + i) for i in range(len(num)))
        return np.array([labels[int(model.classify_instance(row))] for row in rows])

    return Contender(fit, predict, (lambda model: str(model).count("=>")) if learner == "JRip" else None)


def wittgenstein_ripper(workload: Workload) -> Contender:
    """Wittgenstein's RIPPER with its defaults, on a pandas frame; two classes only."""
    import pandas as pd
    import wittgenstein

    def table(num: Array, nom: Array) -> pd.DataFrame:
        return pd.DataFrame({f"n{j}": c for j, c in enumerate(num.T)} | {f"c{j}": c.astype(str) for j, c in enumerate(nom.T)})

    def fit(num: Array, nom: Array, y: Array) -> Any:
        model = wittgenstein.RIPPER(random_state=0)
        model.fit(table(num, nom).assign(y=y), class_feat="y", pos_class=1)
        return model

    return Contender(
        fit, lambda model, num, nom: np.asarray(model.predict(table(num, nom))).astype(int), lambda model: len(model.ruleset_)
    )


PEERS = {
    "sklearn_cart": Entry("scikit-learn", "sklearn", sklearn_cart),
    "sklearn_cart_float": Entry("scikit-learn, float weights", "sklearn", partial(sklearn_cart, weights="float")),
    "sklearn_cart_whole": Entry("scikit-learn, whole weights", "sklearn", partial(sklearn_cart, weights="whole")),
    "sklearn_cart_sqrt": Entry("scikit-learn, columns drawn", "sklearn", partial(sklearn_cart, max_features="sqrt")),
    "sklearn_cart_sqrt_bootstrap": Entry(
        "scikit-learn, columns drawn, bootstrap",
        "sklearn",
        partial(sklearn_cart, max_features="sqrt", weights="bootstrap"),
    ),
    "sklearn_cart_sparse": Entry("scikit-learn, CSC", "sklearn", sklearn_cart_sparse),
    "sklearn_cart_poisson": Entry("scikit-learn, Poisson", "sklearn", partial(sklearn_cart, criterion="poisson")),
    "sklearn_cart_third": Entry("scikit-learn, a third of the columns", "sklearn", partial(sklearn_cart, max_features=1 / 3)),
    "sklearn_drawn_splits": Entry(
        "scikit-learn, columns and splits drawn", "sklearn", partial(sklearn_cart, max_features="sqrt", splitter="random")
    ),
    "sklearn_histogram_depth8_float": Entry(
        "HistGradientBoosting, 1 iteration, float weights", "sklearn", partial(sklearn_histogram_depth8, weights="float")
    ),
    "sklearn_histogram_depth8": Entry("HistGradientBoosting, 1 iteration", "sklearn", sklearn_histogram_depth8),
    "lightgbm_256_leaves": Entry("LightGBM, 1 tree of 256 leaves", "lightgbm", lightgbm_256_leaves),
    "jrip": Entry("JRip", "weka", partial(weka_rules, learner="JRip")),
    "weka_part": Entry("WEKA PART", "weka", partial(weka_rules, learner="PART")),
    "wittgenstein_ripper": Entry("wittgenstein", "wittgenstein", wittgenstein_ripper),
    "ydf_cart": Entry("YDF CART", "ydf", ydf_cart),
    "weka_j48": Entry("WEKA J48", JAVA, partial(weka, learner="weka.classifiers.trees.J48"), has_weka, JAVA_REMEDY),
    "weka_m5p": Entry("WEKA M5P", JAVA, partial(weka, learner="weka.classifiers.trees.M5P"), has_weka, JAVA_REMEDY),
    "weka_lmt": Entry("WEKA LMT", JAVA, partial(weka, learner="weka.classifiers.trees.LMT"), has_weka, JAVA_REMEDY),
    "sklearn_path_search": Entry("scikit-learn, path and 5-fold search of 5 alphas", "sklearn", sklearn_path_search),
    "rpart": Entry("R rpart, 10 folds", "rpart", rpart_cross_validated, partial(rscript.has, "rpart"), _R + "rpart"),
    "sklearn_forest": Entry("scikit-learn", "sklearn", partial(ensembles.sklearn, learner="RandomForest", n_estimators=100)),
    "sklearn_forest_third": Entry(
        "scikit-learn, 1/3", "sklearn", partial(ensembles.sklearn, learner="RandomForest", n_estimators=100, max_features=1 / 3)
    ),
    "sklearn_extra_trees": Entry("scikit-learn", "sklearn", partial(ensembles.sklearn, learner="ExtraTrees", n_estimators=100)),
    "sklearn_adaboost_stumps": Entry(
        "scikit-learn, stumps", "sklearn", partial(ensembles.sklearn, learner="AdaBoost", n_estimators=100)
    ),
    "sklearn_adaboost_depth3": Entry(
        "scikit-learn, depth 3",
        "sklearn",
        partial(ensembles.sklearn, learner="AdaBoost", n_estimators=100, member={"max_depth": 3}),
    ),
    "ydf_forest": Entry("YDF", "ydf", ensembles.ydf_forest),
    "ranger_forest": Entry("R ranger", "ranger", ensembles.ranger_forest, partial(rscript.has, "ranger"), _R + "ranger"),
    "shap": Entry("shap TreeExplainer", "shap", shap_contributions),
    "shap_background": Entry("shap TreeExplainer, background", "shap", partial(shap_contributions, against=True)),
    "sklearn_plot_tree": Entry("scikit-learn plot_tree", "sklearn", sklearn_plot_tree),
    "arrow_and_fit": Entry("pyarrow's reader and our fit", "pyarrow", arrow_and_fit),
    **{
        f"neural_{name}": Entry(
            f"neural-trees {name}",
            "neural_trees",
            partial(oblique.neural_trees, learner=learner),
            remedy="pip install neural-trees",
        )
        for name, learner in (("omnivariate", "OmnivariateDecisionTree"), ("soft", "SoftDecisionTree"))
    },
    "foil6": Entry(
        "FOIL 6.4",
        "FOIL 6.4",
        relational.foil6,
        lambda: relational.program(relational.FOIL6) is not None,
        f"${relational.FOIL6} must name the program",
    ),
    "aleph": Entry(
        "Aleph",
        "Aleph or SWI-Prolog",
        relational.aleph,
        lambda: relational.program(relational.ALEPH) is not None and which("swipl") is not None,
        f"${relational.ALEPH} must name aleph.pl; apt-get install swi-prolog",
    ),
    "sklearn_absolute_error": Entry("scikit-learn, absolute error", "sklearn", sklearn_absolute_error),
}
for depth in optimal.DEPTHS:
    PEERS[f"pystreed_depth{depth}"] = Entry("pystreed", "pystreed", partial(optimal.pystreed, depth=depth))
    PEERS[f"pycontree_depth{depth}"] = Entry("pycontree", "pycontree", partial(optimal.pycontree, depth=depth))
