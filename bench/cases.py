"""The cases: which work, on which table, against whom, and what is aimed at. Everything a case is stands in its line.

A case has sides, each measured in processes of its own: a peer and ours (`Case`), ours at several sizes (`Growth`), ours
with one thread and with two (`Threads`), ours alone (`Seconds`). `seconds` says about how long a case takes when it is
repeated three times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from bench import optimal


@dataclass(frozen=True)
class Task:
    """A piece of work of a case (`fit`, `predict` or `one row`), with the ratio it must reach and the one hoped for."""

    what: str = "fit"
    floor: float | None = None
    goal: float | None = None


@dataclass(frozen=True)
class Side:
    """A contender on a workload; one that is measured `once` is too slow to repeat."""

    contender: str
    workload: str
    once: bool = False


@dataclass(frozen=True)
class Case:
    """A peer against ours: ratios, peak memory, scores.

    `fits` is how many fits a measurement is the mean of; the peer of a `slow` case is measured once; `less_tree` is the
    most that the peak memory of our fit may grow, the finished tree taken off, in multiples of the input as float32. Both
    sides of an `exact` case prove that nothing is better, so that what they tell of their trees must be equal. A process that
    takes more than `limit` seconds is ended, and not started again.
    """

    group: str
    workload: str
    peer: str
    ours: str
    tasks: tuple[Task, ...] = (Task(),)
    fits: int = 1
    slow: bool = False
    seconds: float = 5
    tag: str = ""
    words: str = "fully grown"
    less_tree: float | None = None
    exact: bool = False
    limit: float | None = None

    @property
    def name(self) -> str:
        """The group, the workload and the tag, as the command line takes it."""
        return "-".join(word for word in (self.group, self.workload, self.tag) if word)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The peer, then ours."""
        return Side(self.peer, self.workload, self.slow), Side(self.ours, self.workload)


@dataclass(frozen=True)
class Growth:
    """How our CPU seconds grow with the rows: the exponent, and the most it may be."""

    group: str
    ours: str
    workloads: tuple[str, ...]
    at_most: float
    words: str
    seconds: float
    workload = "growth"
    tasks = (Task(),)
    fits = 1
    slow = False
    limit = None

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.group}-growth"

    @property
    def sides(self) -> tuple[Side, ...]:
        """Ours at every size."""
        return tuple(Side(self.ours, workload) for workload in self.workloads)


@dataclass(frozen=True)
class Threads:
    """The wall time of one of our learners over that of another with fewer threads, and the most it may be."""

    group: str
    fewer: str
    more: str
    workload: str
    at_most: float
    words: str
    seconds: float
    tasks = (Task(),)
    fits = 1
    slow = False
    limit = None

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.group}-threads"

    @property
    def sides(self) -> tuple[Side, ...]:
        """Fewer threads, then more."""
        return Side(self.fewer, self.workload), Side(self.more, self.workload)


@dataclass(frozen=True)
class Seconds:
    """CPU seconds of one of our learners, or the figure it tells instead, and the most they may be."""

    group: str
    ours: str
    workload: str
    at_most: float
    words: str
    seconds: float
    tag: str = "seconds"
    tasks = (Task(),)
    fits = 1
    slow = False
    limit = None

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.group}-{self.workload}-{self.tag}"

    @property
    def sides(self) -> tuple[Side, ...]:
        """Ours."""
        return (Side(self.ours, self.workload),)


AnyCase = Case | Growth | Threads | Seconds


# Seconds of the clock, reading and loading among them, after which an exact search of one side is given up.
LONGEST = 180.0


def _exact(peer: str, kind: str, tables: Mapping[str, Sequence[int]], task: Task) -> Iterator[Case]:
    """The best trees of some tables at their depths."""
    for table, depths in tables.items():
        for depth in depths:
            yield Case(
                "optimal", f"{kind}_{table}", f"{peer}_depth{depth}", f"optimal_depth{depth}", (task,),
                seconds=15, tag=f"depth{depth}", words=f"best tree of depth {depth}", exact=True, limit=LONGEST,
            )  # fmt: skip


# The group that runs when nothing is asked for, and the one whose table is in README.md.
DEFAULT, PUBLISHED = "core", "engine"

CASES: list[AnyCase] = [
    Case("core", "W1s", "sklearn_cart", "cart", seconds=25),
    Case("core", "W2s", "sklearn_cart", "cart", seconds=10),
    Case("core", "W5", "sklearn_cart", "cart", slow=True, seconds=30),
    Case("core", "iris", "sklearn_cart", "cart", fits=200, seconds=10),
    Case("core", "W3s", "ydf_cart", "cart", seconds=15),
    Case("core", "W4s", "ydf_cart", "cart", seconds=10),
    # Surrogates may cost five times the plain fit: here the plain fit is the peer.
    Case("core", "W1s", "cart", "cart_surrogates", (Task("fit", 0.2, 0.4),), seconds=10, tag="surrogates"),
    Case("core", "W4s", "cart", "cart_surrogates", (Task("fit", 0.2, 0.4),), seconds=10, tag="surrogates"),
    Case(
        "engine", "W1", "sklearn_cart", "cart", (Task("fit", 40, 60), Task("predict", 1.5, 3), Task("one row", 2, 10)),
        slow=True, seconds=100, words="2 classes, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W1", "ydf_cart", "cart", (Task("fit", 14, 22),),
        slow=True, seconds=45, tag="ydf", words="2 classes, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W1", "sklearn_histogram_depth8", "cart_depth8", (Task("fit", 2.5, 4),),
        seconds=25, tag="depth8-histogram", words="2 classes, depth 8", less_tree=2.5,
    ),
    Case(
        "engine", "W1", "lightgbm_256_leaves", "cart_depth8", (Task("fit", 3, 4.5),),
        seconds=25, tag="depth8-lightgbm", words="2 classes, depth 8", less_tree=2.5,
    ),
    Case(
        "engine", "W2", "sklearn_cart", "cart", (Task("fit", 12, 25),),
        slow=True, seconds=80, words="regression, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W2", "ydf_cart", "cart", (Task("fit", 5, 9),),
        slow=True, seconds=60, tag="ydf", words="regression, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W7", "sklearn_cart", "cart", (Task("fit", 10, 20),),
        slow=True, seconds=35, words="7 classes, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W5", "sklearn_cart", "cart", (Task("fit", 12, 20),),
        slow=True, seconds=30, words="10 classes, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W5", "ydf_cart", "cart", (Task("fit", 8, 14),),
        slow=True, seconds=25, tag="ydf", words="10 classes, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W3", "ydf_cart", "cart", (Task("fit", 4, 8),),
        seconds=30, words="nominal, missing cells, fully grown", less_tree=2.5,
    ),
    Case(
        "engine", "W4", "ydf_cart", "cart", (Task("fit", 6, 12),),
        seconds=45, words="mixed, missing cells, fully grown", less_tree=2.5,
    ),
    Case("engine", "iris", "sklearn_cart", "cart", (Task("fit", 1, 2),), fits=200, seconds=10, words="3 classes, fully grown"),
    Case("models", "W2s", "weka_m5p", "m5", (Task("fit", 20, 50),), slow=True, seconds=40, words="model tree"),
    Case(
        "models", "w2(20_000)", "sklearn_absolute_error", "cart_absolute_error", (Task("fit", 3, 6),),
        seconds=10, tag="absolute", words="absolute error, fully grown",
    ),
    Case(
        "models", "w2(200_000)", "sklearn_absolute_error", "cart_absolute_error", (Task("fit", 3, 6),),
        slow=True, seconds=40, tag="absolute", words="absolute error, fully grown",
    ),
    Growth(
        "models", "cart_absolute_error", ("w2(20_000)", "w2(50_000)", "w2(200_000)"), 1.3,
        "growth exponent of CPU seconds, absolute error, 20,000 to 200,000 rows", seconds=30,
    ),
    Case("models", "digits", "weka_lmt", "logistic", (Task("fit", 5, 10),), seconds=20, words="logistic model tree"),
    Case("models", "W2", "cart", "m5", (Task("fit", 0.1, 0.2),), seconds=60, tag="plain", words="model tree, plain tree"),
    Case(
        "prune", "W1s", "sklearn_path_search", "cart_pruned_5_folds", (Task("fit", 100),),
        slow=True, seconds=110, tag="5-folds", words="path and cross-validation",
    ),
    Case(
        "prune", "W1s", "rpart", "cart_pruned_10_folds", (Task("fit", 10, 20),),
        slow=True, seconds=40, tag="10-folds", words="path and cross-validation of all of it",
    ),
    Seconds("prune", "cart_path", "W1", 0.5, "CPU seconds of the path of W1's tree of some 126,000 leaves", 15, "path"),
    Case(
        "c45", "W1s", "weka_j48", "c45", (Task("fit", 40),), slow=True, seconds=20,
        words="numbers, 2 classes, pruned", less_tree=4,
    ),
    Case(
        "c45", "W3", "weka_j48", "c45", (Task("fit", 12),), slow=True, seconds=45,
        words="nominal, missing cells, pruned", less_tree=4,
    ),
    Case(
        "c45", "W4", "weka_j48", "c45", (Task("fit", 40),), slow=True, seconds=220,
        words="mixed, missing cells, pruned", less_tree=4,
    ),
    Case(
        "scale", "W1", "sklearn_histogram_depth8", "cart_bins_depth8", (Task("fit", 4, 6),),
        seconds=25, tag="depth8-histogram", words="2 classes, depth 8, 255 bins", less_tree=2.5,
    ),
    Case(
        "scale", "W1", "lightgbm_256_leaves", "cart_bins_depth8", (Task("fit", 4, 6),),
        seconds=25, tag="depth8-lightgbm", words="2 classes, depth 8, 255 bins", less_tree=2.5,
    ),
    # Bins may cost a tenth more than all values do: here the fit without them is the peer.
    Case(
        "scale", "W1", "cart", "cart_bins", (Task("fit", 0.91, 1.1),),
        seconds=20, tag="exact", words="2 classes, 255 bins, fully grown",
    ),
    Case(
        "scale", "W2", "cart", "cart_bins", (Task("fit", 0.91, 1.1),),
        seconds=30, tag="exact", words="regression, 255 bins, fully grown",
    ),
    # Out of core a fit may cost two and a half times what it does in memory; both read the same files.
    Case(
        "scale", "W1", "cart_whole_files_depth8", "cart_parts_depth8", (Task("fit", 0.4, 1),),
        seconds=15, tag="parts-depth8", words="2 classes, from Parquet, in parts, depth 8",
    ),
    Case(
        "scale", "W1", "cart_whole_files", "cart_parts", (Task("fit", 0.4, 1),),
        seconds=20, tag="parts", words="2 classes, from Parquet, in parts, fully grown",
    ),
    Case(
        "scale", "W2", "cart_whole_files", "cart_parts", (Task("fit", 0.4, 1),),
        seconds=30, tag="parts", words="regression, from Parquet, in parts, fully grown",
    ),
    Growth(
        "engine", "cart", ("w1(100_000)", "w1(400_000)", "W1", "w1(4_000_000)"), 1.25,
        "growth exponent of CPU seconds, W1 of 100,000 to 4,000,000 rows", seconds=70,
    ),
    Threads("engine", "cart", "cart_two_threads", "W1", 0.65, "two threads: wall time over that of one, W1", seconds=20),
    Case("rules", "W6", "jrip", "ripper", (Task("fit", 15),), seconds=20, words="2 classes, RIPPER"),
    Case(
        "rules", "W6", "wittgenstein_ripper", "ripper", (Task("fit", 200),),
        slow=True, seconds=150, tag="wittgenstein", words="2 classes, RIPPER",
    ),
    Case("rules", "W4s", "jrip", "ripper", (Task("fit", 15),), slow=True, seconds=30, words="mixed, missing cells, RIPPER"),
    Case(
        "show", "w1(20_000)", "sklearn_plot_tree", "svg", (Task("fit", 50),),
        slow=True, seconds=60, tag="svg", words="picture of 999 nodes",
    ),
    Seconds("show", "text", "w1(400_000)", 1.0, "CPU seconds of the text of a tree of some 100,000 nodes", 15, "text"),
    # 1.3 times Arrow's reader and our fit, and a second for starting: 0.6 of them here.
    Case(
        "show", "W1", "arrow_and_fit", "command_fit", (Task("fit", 0.6, 0.77),),
        seconds=60, tag="csv", words="fit of a CSV file, depth 8",
    ),
    Seconds("show", "page_size", "w1(40_000)", 0.6, "megabytes of the explorer's page, per 10,000 nodes", 10, "page"),
    Seconds("show", "page_paint", "w1(40_000)", 400, "milliseconds until the explorer's page is painted", 30, "paint"),
    # A screen draws a frame every 16.7 milliseconds.
    Seconds("show", "page_frames", "w1(40_000)", 17, "milliseconds for 95 % of the frames while panning", 30, "frames"),
    Seconds(
        "workbench", "workbench_alternatives", "W1s", 0.3, "CPU seconds of the alternatives of a node, median of 200", 30,
        "alternatives",
    ),
    Seconds("workbench", "workbench_scores", "W1s", 2, "CPU seconds of five folds judging a tree of 50 leaves", 30, "scores"),
    Seconds("workbench", "workbench_ready", "W1s", 1000, "milliseconds until the page is ready", 40, "ready"),
    # A hand that moves sees a frame every 16.7 milliseconds.
    Seconds("workbench", "workbench_drag", "W1s", 16, "milliseconds for 95 % of the movements of a threshold", 40, "drag"),
    Case(
        "ensembles", "W1s", "sklearn_forest", "forest", (Task("fit", 7, 12), Task("predict", 2, 4)),
        slow=True, seconds=150, tag="forest", words="random forest, 100 trees, 2 classes",
    ),
    Case(
        "ensembles", "W1s", "ydf_forest", "forest", (Task("fit", 5, 8), Task("predict", 1, 2)),
        slow=True, seconds=120, tag="forest-ydf", words="random forest, 100 trees, 2 classes",
    ),
    Case(
        "ensembles", "W1s", "ranger_forest", "forest", (Task("fit", 8, 15),),
        slow=True, seconds=120, tag="forest-ranger", words="random forest, 100 trees, 2 classes",
    ),
    Case(
        "ensembles", "W2s", "sklearn_forest_third", "forest_third", (Task("fit", 3, 6),),
        slow=True, seconds=250, tag="forest", words="random forest, 100 trees, numbers, a third of the columns",
    ),
    Case(
        "ensembles", "adult", "ydf_forest", "forest", (Task("fit", 2, 4),),
        slow=True, seconds=60, tag="forest-ydf", words="random forest, 100 trees, mixed, missing cells",
    ),
    Case(
        "ensembles", "W1s", "sklearn_extra_trees", "extra_trees", (Task("fit", 2, 4),),
        slow=True, seconds=60, tag="extra", words="extra trees, 100, 2 classes",
    ),
    Case(
        "ensembles", "adult", "sklearn_adaboost_stumps", "adaboost_stumps", (Task("fit", 5, 15),),
        slow=True, seconds=30, tag="adaboost", words="AdaBoost, 100 stumps, mixed",
    ),
    Case(
        "ensembles", "adult", "sklearn_adaboost_depth3", "adaboost_depth3", (Task("fit", 4, 10),),
        slow=True, seconds=40, tag="adaboost-depth3", words="AdaBoost, 100 trees of depth 3, mixed",
    ),
    Case(
        "ensembles", "w1(20_000)", "shap", "contributions", (Task("fit", 1.5, 4),),
        seconds=60, tag="contributions", words="1,000 rows, 100 trees of depth 8, 2 classes",
    ),
    Case(
        "ensembles", "w2(20_000)", "shap", "contributions", (Task("fit", 1.5, 4),),
        seconds=60, tag="contributions", words="1,000 rows, 100 trees of depth 8, numbers",
    ),
    Case(
        "ensembles", "w1(20_000)", "shap_background", "contributions_background", (Task("fit", 1, 2),),
        seconds=60, tag="background", words="100 rows against 100, 100 trees of depth 8, 2 classes",
    ),
    Growth(
        "rules", "ripper", ("w6(10_000)", "w6(100_000)", "w6(1_000_000)"), 1.3,
        "growth exponent of CPU seconds, W6 of 10,000 to 1,000,000 rows", seconds=40,
    ),
    Seconds("rules", "c45rules", "adult", 60, "CPU seconds of C4.5rules on adult's 32,561 training rows", 25),
    Case(
        "shapes", "W1", "sklearn_histogram_depth8_float", "cart_depth8_float", (Task("fit", 1.5, 3),),
        seconds=30, tag="float-histogram", words="2 classes, depth 8, float weights",
    ),
    Case("shapes", "W1s", "sklearn_cart_float", "cart_float", (Task("fit", 25, 40),), slow=True, seconds=15, tag="float"),
    Case("shapes", "W1s", "sklearn_cart_whole", "cart_whole", (Task("fit", 25, 40),), slow=True, seconds=15, tag="whole"),
    Case("shapes", "W1s", "sklearn_cart_sqrt", "cart_sqrt", (Task("fit", 8, 15),), tag="columns"),
    Case("shapes", "W1s", "sklearn_cart_sqrt_bootstrap", "cart_sqrt_bootstrap", (Task("fit", 7, 12),), tag="columns-bootstrap"),
    Case("shapes", "W2s", "sklearn_cart_third", "cart_third", (Task("fit"),), tag="columns"),
    Case("shapes", "W1s", "sklearn_drawn_splits", "drawn_splits", (Task("fit", 2),), tag="drawn"),
    # Weights of classes, priors and bootstrap counts may cost 1.6 times the plain fit, which is the peer; float weights twice.
    Case("shapes", "W1s", "cart", "cart_class_weights", (Task("fit", 0.625, 0.77),), tag="classes-plain"),
    Case("shapes", "W1s", "cart", "cart_priors", (Task("fit", 0.625, 0.77),), tag="priors-plain"),
    Case("shapes", "W1s", "cart", "cart_bootstrap", (Task("fit", 0.625, 0.77),), tag="bootstrap-plain"),
    Case("shapes", "W2s", "cart", "cart_bootstrap", (Task("fit", 0.625, 0.77),), tag="bootstrap-plain"),
    Case("shapes", "W1s", "cart", "cart_float", (Task("fit", 0.5, 0.67),), tag="float-plain"),
    Case("shapes", "W2s", "cart", "cart_float", (Task("fit", 0.5, 0.67),), tag="float-plain"),
    Case(
        "shapes", "W1", "cart_depth8", "cart_depth8_float", (Task("fit", 0.5, 0.67),),
        seconds=20, tag="float-plain", words="2 classes, depth 8",
    ),
    Case("shapes", "whole", "sklearn_cart", "cart", (Task("fit", 15, 30),), words="whole numbers 0 to 20, 2 classes"),
    Case("shapes", "whole_numbers", "sklearn_cart", "cart", (Task("fit", 8, 15),), words="whole numbers 0 to 20, regression"),
    Case(
        "shapes", "zeros", "sklearn_cart_sparse", "cart", (Task("fit", 2, 8),),
        slow=True, seconds=20, words="99 % zeros, 2 classes",
    ),
    Case(
        "shapes", "zeros_numbers", "sklearn_cart_sparse", "cart", (Task("fit", 2, 8),),
        slow=True, seconds=40, words="99 % zeros, regression",
    ),
    Case("shapes", "w1(20_000)", "sklearn_cart", "cart_error", (Task("fit", 0.4, 0.8),), tag="error", words="error against Gini"),
    Case("shapes", "w1(20_000)", "sklearn_cart", "cart_risk", (Task("fit", 0.4, 0.8),), tag="risk", words="risk against Gini"),
    Case("shapes", "counts", "sklearn_cart_poisson", "cart_poisson", (Task("fit", 5, 15),), words="Poisson deviance"),
    Case("shapes", "several", "sklearn_cart", "cart", (Task("fit", 5, 12),), words="five numbers a row"),
    # What is kept for show may cost twice the plain fit, and policies for missing cells four times that of learned branches.
    Case("shapes", "W1s", "cart", "cart_candidates", (Task("fit", 0.5, 0.77),), tag="candidates-plain"),
    Case("shapes", "W1s", "cart", "cart_competitors", (Task("fit", 0.5, 0.77),), tag="competitors-plain"),
    Case("shapes", "holes", "cart", "cart_most_common", (Task("fit", 0.25, 0.5),), tag="filled-learned", words="30 % missing"),
    Case("shapes", "holes", "cart", "cart_own", (Task("fit", 0.25, 0.5),), tag="apart-learned", words="30 % missing"),
    *(
        Seconds(
            "shapes", f"cart_{policy}_visit", "holes", 4,
            f"CPU seconds of a (row, node) visit over those of learned branches, 30 % missing, {policy}, depth 12", 60, policy,
        )
        for policy in ("fraction", "spread")
    ),
    Seconds("shapes", "ternary", "w1(5_000)", 0.5, "CPU seconds of splits in three, 5,000 rows", 3, "ternary"),
    Case("shapes", "W6", "weka_part", "part", (Task("fit", 15, 30),), slow=True, seconds=40, tag="part", words="2 classes, PART"),
    Seconds("shapes", "c45rules", "W4s", 5, "CPU seconds of C4.5rules on W4s", 10, "c45rules"),
    Seconds("foil", "foil", "append", 30, "CPU seconds of FOIL, append of 63 lists, closed world of 250,047 tuples", 10),
    Seconds("foil", "foil", "ancestor", 30, "CPU seconds of FOIL, ancestor of 1,023 people, 1,046,529 tuples", 5),
    Seconds("foil", "foil", "reach", 30, "CPU seconds of FOIL, reachability of 1,000 nodes by 2,000 edges, 950,625 tuples", 10),
    Seconds("foil", "foil", "trade100k", 30, "CPU seconds of FOIL, a relation of 100,000 rows and three arguments", 10),
    Seconds("foil", "foil", "trade20k", 30, "CPU seconds of FOIL, a relation of 20,000 rows and three arguments", 40),
    Growth(
        "foil", "foil_three_variables", ("supplies20k", "supplies50k", "supplies100k", "supplies200k"), 1.2,
        "growth exponent of CPU seconds, the same five literals on 20,000 to 200,000 tuples", seconds=15,
    ),
    # Floors: within five times of FOIL 6.4, ahead of Aleph; the goal is to be ahead of both.
    Case("foil", "append", "foil6", "foil", (Task("fit", 0.2, 1),), slow=True, seconds=20, tag="foil6", words="closed world"),
    Case("foil", "ancestor", "foil6", "foil", (Task("fit", 0.2, 1),), slow=True, seconds=20, tag="foil6", words="closed world"),
    Case("foil", "reach", "foil6", "foil", (Task("fit", 0.2, 1),), slow=True, seconds=20, tag="foil6", words="closed world"),
    Case("foil", "append", "aleph", "foil", (Task("fit", 1, 1),), slow=True, seconds=60, tag="aleph", words="closed world"),
    Case("foil", "ancestor", "aleph", "foil", (Task("fit", 1, 1),), slow=True, seconds=60, tag="aleph", words="closed world"),
    Case("foil", "reach", "aleph", "foil", (Task("fit", 1, 1),), slow=True, seconds=60, tag="aleph", words="closed world"),
    # Discriminants may cost eight times CART, which is the peer.
    *(
        Case("oblique", "W1s", "cart_depth8", f"{name}_depth8", (Task("fit", 0.125, 0.25),), tag=name, words="depth 8")
        for name in ("ldt", "fact", "quest", "quest_columns")
    ),
    Growth(
        "oblique", "ldt_depth8", ("w1(25_000)", "w1(50_000)", "w1(100_000)", "w1(200_000)"), 1.2,
        "growth exponent of CPU seconds, LDT, 25,000 to 200,000 rows", seconds=20,
    ),
    *(
        Case(
            "oblique", f"numbers_{table}", f"neural_{name}", name, (Task("fit", *aims),),
            slow=True, seconds=20, tag=name, words=name,
        )
        for table in ("breast-w", "diabetes")
        for name, aims in (("omnivariate", (5, 20)), ("soft", (10, 30)))
    ),
    *_exact("pystreed", "binary", optimal.BINARY, Task("fit", 0.5, 1)),
    *_exact("pycontree", "numbers", optimal.NUMBERS, Task("fit", 1, 2)),
    Seconds("optimal", "optimal_overshoot", "binary_adult", 0.5, "seconds beyond time_limit=1, depth 5", 10, "overshoot"),
    Seconds("optimal", "optimal_overshoot", "numbers_phoneme", 0.5, "seconds beyond time_limit=1, depth 5", 10, "overshoot"),
]  # fmt: skip

GROUPS = tuple(dict.fromkeys(case.group for case in CASES))


def chosen(wanted: Sequence[str], group: str | None = None, everything: bool = False) -> list[AnyCase]:
    """The cases that are named, by case or by workload, in a group if one is given; if none is named, the group's.

    With neither a name nor a group they are those of the default group, or of every group if everything is asked for.
    """
    if group is not None and group not in GROUPS:
        raise ValueError(f"group {group!r} is unknown; there are {', '.join(GROUPS)}")
    known = {word for case in CASES for word in (case.name, case.workload)}
    for word in wanted:
        if word not in known:
            near = get_close_matches(word, known, n=1)
            raise ValueError(f"case {word!r} is unknown; " + (f"did you mean {near[0]!r}?" if near else "see --list"))
    if not wanted and group is None and not everything:
        group = DEFAULT
    picked = [case for case in CASES if group in (None, case.group)]
    return [case for case in picked if not wanted or case.name in wanted or case.workload in wanted]


def duration(cases: Iterable[AnyCase], repeat: int = 3) -> str:
    """About how long cases take, in words."""
    seconds = sum(case.seconds * (1 if case.slow else repeat / 3) for case in cases)
    return f"about {max(1, round(seconds / 60))} min"
