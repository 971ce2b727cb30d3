"""Co-training (Blum and Mitchell 1998): two models that see different columns label rows for each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range, shown, unknown
from treewright.learn.c45 import C45Learner
from treewright.learn.ensemble import EnsembleLearner, learner_of, warning_once
from treewright.learn.learner import Learned, Learner
from treewright.learn.training import Training
from treewright.learn.values import is_whole, whole
from treewright.model import Tree
from treewright.model.combine import Product
from treewright.model.protocol import Model
from treewright.model.routing import Cells, Routing
from treewright.model.rules import by_column
from treewright.model.widening import widened
from treewright.progress import Bar
from treewright.table.target import class_array, read_some_classes

Rows = NDArray[np.int64]

MOST_ROUNDS = 1_000_000


@dataclass(eq=False, repr=False)
class CoTrainingClassifierParameters:
    """Parameters of ``CoTrainingClassifier``, which describes them."""

    estimator: Any = None
    _: KW_ONLY
    views: Any = None
    rounds: int = 30
    pool_size: int = 75
    per_round: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class CoTrainingLearner(EnsembleLearner[CoTrainingClassifierParameters]):
    """Two members, each of one view, which label rows for each other."""

    name = "CoTrainingClassifier"
    Parameters = CoTrainingClassifierParameters
    combine = Product()
    n_members = 2
    stored: ClassVar[dict[str, str]] = {**EnsembleLearner.stored, "labeled_iter_": "value", "transduction_": "value"}

    @cached_property
    def bases(self) -> tuple[Learner[Any], Learner[Any]]:
        """The learner of each view."""
        given = self.given["estimator"]
        if given is None:
            given = C45Learner(C45Learner.Parameters())
        pair = tuple(given) if isinstance(given, (tuple, list)) else (given, given)
        if len(pair) != 2:
            raise out_of_range("estimator", given, "one estimator for both views, or a pair of them")
        return learner_of(pair[0], True), learner_of(pair[1], True)

    @property
    def base(self) -> Learner[Any]:
        """The learner of the first view."""
        return self.bases[0]

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """All rows; the code of those without a class is -1."""
        target, codes, classes = read_some_classes(y)
        # Learners know no rows without a class: these are read with any, and told apart by their codes.
        training = self.base.training(X, class_array(target.classes or ())[np.maximum(codes, 0)], sample_weight)
        codes = codes if training.kept is None else codes[training.kept]
        if len(classes) < 2:
            raise ValueError(
                f"the labelled rows have one class, {shown(classes.tolist()[0])}: co-training needs at least two "
                "(-1 and missing cells are rows without a class)"
            )
        return replace(training, target=target, codes=codes, classes=classes)

    def views_of(self, training: Training) -> tuple[Rows, Rows]:
        """The columns of each view; by default the first half of them, and the rest."""
        views, n = self.given["views"], len(training.columns)
        if views is None:
            half = max(1, n // 2)
            return np.arange(half), np.arange(half, n) if n > 1 else np.arange(n)
        if isinstance(views, str) or not isinstance(views, Sequence) or len(views) != 2:
            raise out_of_range("views", views, "a pair of lists of columns, by name or position")
        first, second = (self._columns(view, training) for view in views)
        return first, second

    @staticmethod
    def _columns(view: Any, training: Training) -> Rows:
        names = [column.name for column in training.columns]
        chosen = [view] if isinstance(view, str) else list(view)
        out = []
        for column in chosen:
            if isinstance(column, str):
                if column not in names:
                    raise unknown("views: column", column, names)
                out.append(names.index(column))
            elif is_whole(column) and -len(names) <= column < len(names):
                out.append(int(column) % len(names))
            else:
                raise out_of_range("views", column, f"a column's name, or a position below {len(names)}")
        if not out:
            raise out_of_range("views", view, "a list of at least one column")
        return np.unique(np.array(out, np.int64))

    def additions(self, training: Training) -> dict[int, int]:
        """How many rows of every class each view labels in a round: one of the rarest, of others by the labelled rows."""
        classes, given = training.target.classes or (), self.given["per_round"]
        if given is None:
            counts = np.bincount(training.codes[training.codes >= 0], minlength=len(classes))
            least = counts[counts > 0].min()
            return {code: round(counts[code] / least) for code in np.flatnonzero(counts).tolist()}
        if not isinstance(given, dict):
            raise out_of_range("per_round", given, "None, or a dict with a number of rows for every class")
        out = {}
        for label, count in given.items():
            if label not in classes:
                raise unknown("per_round: class", label, classes)
            out[classes.index(label)] = whole("per_round", count, 0)
        return out

    def learn_from(self, training: Training) -> Learned:
        """Learn both views, and let each label rows for the other."""
        views, additions = self.views_of(training), self.additions(training)
        rounds = whole("rounds", self.given["rounds"], 0, MOST_ROUNDS)
        size = whole("pool_size", self.given["pool_size"], 1)
        cells = by_column(training.arrays)
        labels, since = training.codes.copy(), np.where(training.codes >= 0, 0, -1)
        rest = np.flatnonzero(labels < 0)
        bits = np.random.PCG64(self.seed).random_raw(len(rest))
        rest = rest[np.argsort(bits, kind="stable")]
        pool, rest = rest[:size], rest[size:]
        with warning_once(), Bar("co-training", "rounds") as bar:
            members = self._both(training, labels, views)
            for now in range(1, rounds + 1):
                added = self._labelled(members, views, cells, pool, additions)
                if not added:
                    break
                for row, label in added.items():
                    labels[row], since[row] = label, now
                pool = pool[labels[pool] < 0]
                more = len(added)
                pool, rest = np.concatenate([pool, rest[:more]]), rest[more:]
                members = self._both(training, labels, views)
                if self.given["verbose"]:
                    bar(now, rounds)
        known = self.known_levels(training)
        whole_table = [
            widened(member, replace(member.schema, columns=tuple(training.columns), known=known), view.tolist())
            for member, view in zip(members, views, strict=True)
        ]
        return self.learned(
            whole_table, [1.0, 1.0], training, {"labeled_iter_": since, "transduction_": self._named(labels, training)}
        )

    def _both(self, training: Training, labels: NDArray[Any], views: tuple[Rows, Rows]) -> list[Model]:
        """The models of both views by the rows that have a class by now."""
        weights = np.ones(len(labels)) if training.weights is None else training.weights
        sample = replace(training, codes=labels).weighing(np.where(labels >= 0, weights, 0.0), training.row_weight)
        return [self.model_of(at, self.bases[at], sample.narrowed(views[at].tolist())) for at in range(2)]

    @staticmethod
    def _labelled(
        members: list[Model], views: tuple[Rows, Rows], cells: list[NDArray[Any]], pool: Rows, additions: dict[int, int]
    ) -> dict[int, int]:
        """Rows of the pool that a view is surest of, and the class it says; of two classes for one row the surer one."""
        best: dict[int, tuple[float, int]] = {}
        for member, view in zip(members, views, strict=True):
            seen: Cells = ([cells[j][pool] for j in view.tolist()], len(pool))
            sure = confidence(member, seen)
            told = np.argmax(sure, axis=1)
            for label, count in additions.items():
                rows = np.flatnonzero(told == label)
                for at in rows[np.argsort(-sure[rows, label], kind="stable")][:count].tolist():
                    row, found = int(pool[at]), (float(sure[at, label]), label)
                    if row not in best or found[0] > best[row][0]:
                        best[row] = found
        return {row: label for row, (_, label) in best.items()}

    @staticmethod
    def _named(labels: NDArray[Any], training: Training) -> NDArray[Any]:
        """The class of every row, as given or as labelled; -1, or None among text, of those that have none."""
        classes = class_array(training.target.classes or ())
        if classes.dtype.kind in "iu":
            return np.where(labels >= 0, classes[np.maximum(labels, 0)], -1)
        out = classes.astype(object)[np.maximum(labels, 0)]
        out[labels < 0] = -1 if classes.dtype.kind == "f" else None
        return out

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        self.bases[1].check(classes, n_columns, costs)
        whole("rounds", self.given["rounds"], 0, MOST_ROUNDS)
        whole("pool_size", self.given["pool_size"], 1)


def confidence(model: Model, cells: Cells) -> NDArray[np.float64]:
    """How sure a model is of every class of rows: shares, of trees by Laplace's estimate, so that large leaves are surer."""
    shares = model.shares_of_cells(cells)
    if not isinstance(model, Tree):
        return shares
    leaf = Routing(model, None, 1, cells).routes()[0]
    weight = np.asarray(model.leaf_model.nodes.weight)[leaf][:, None] / model.target.row_weight
    return np.asarray((shares * weight + 1) / (weight + shares.shape[1]))
