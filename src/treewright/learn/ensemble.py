"""What learners of many models share: members learned from samples of one encoded table, and what they say of rows left out."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, counted, out_of_range, outside, shown
from treewright.learn.jobs import Watch, run_jobs
from treewright.learn.learner import Learned, Learner
from treewright.learn.rules import RuleLearner
from treewright.learn.sampling import Chosen, Rows, Samples
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import seed_of, threads, whole
from treewright.model import RuleSet, Tree
from treewright.model.combine import Combination
from treewright.model.forest import Forest
from treewright.model.protocol import Model
from treewright.model.rules import by_column
from treewright.model.ties import winner
from treewright.model.widening import widened
from treewright.store.damage import need
from treewright.table import TableSchema
from treewright.table.sparse import dense_arrays
from treewright.table.streams import as_table
from treewright.table.target import class_array

P = TypeVar("P")

MOST_MEMBERS = 1_000_000

Levels = tuple[tuple[int, ...], ...]  # codes by column


def learner_of(value: Any, classes: bool, name: str = "estimator") -> Learner[Any]:
    """Return the learner of members that a parameter names: an estimator of this package, or its learner."""
    learner = value if isinstance(value, Learner) else getattr(value, "_learner", None)
    kind = "Classifier" if classes else "Regressor"
    if not isinstance(learner, Learner) or isinstance(value, type):
        raise TypeError(
            f"{name}={shown(value)} must be an estimator of treewright, such as {'C45' if classes else 'M5'}{kind}(); "
            f"scikit-learn's Bagging{kind} and AdaBoost{kind} take any"
        )
    if not isinstance(learner, (TreeLearner, RuleLearner, EnsembleLearner)):
        raise TypeError(f"{name}={learner.name}() answers by more than a tree or rules, so it cannot be a member of an ensemble")
    if not learner.name.endswith(kind):
        raise TypeError(f"{name}={learner.name}() must be a {kind.lower()}, as the ensemble is")
    if (own := _own_verb(type(value))) is not None:
        raise TypeError(
            f"{name}={shown(value)} has a {own} of its own, which members would not use: they are learned from one table that "
            f"is encoded once; scikit-learn's Bagging{kind} and AdaBoost{kind} call it"
        )
    return learner


def _own_verb(kind: type) -> str | None:
    """Which of the verbs that ensembles do in their own way a class defines that is derived from one of this package."""
    for verb in ("fit", "predict", "predict_proba"):
        by = next((each for each in kind.__mro__ if verb in vars(each)), None)
        if by is not None and by.__module__.partition(".")[0] != __name__.partition(".")[0]:
            return verb
    return None


class EnsembleLearner(Learner[P]):
    """A learner of many models of one table."""

    holds = "forest_"
    stored: ClassVar[dict[str, str]] = {**Learner.stored, "forest_": "forest", "classes_": "value", "seed_": "value"}

    @property
    @abstractmethod
    def base(self) -> Learner[Any]:
        """The learner of members."""

    @property
    def combine(self) -> Combination:
        """How the answers of members become one."""
        raise NotImplementedError  # pragma: no cover

    @property
    def takes_several(self) -> bool:
        """Whether targets of several numbers a row are taken."""
        return bool(getattr(self.base, "takes_several", False))

    @property
    def n_members(self) -> int:
        """How many members there are to be."""
        return whole("n_estimators", self.given["n_estimators"], 1, MOST_MEMBERS)

    @property
    def threads(self) -> int:
        """Threads that may be used."""
        return threads(self.given["n_jobs"])

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        return self.base.training(X, y, sample_weight)

    def based_on(self, training: Training) -> Learner[Any]:
        """The learner of members, as the whole table sets it."""
        return self.base

    def known_levels(self, training: Training) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that members know, by column."""
        return self.base.known_levels(training)

    @staticmethod
    def prepared(training: Training, base: Learner[Any]) -> Training:
        """The rows, their table encoded once for all members, where members are trees."""
        if not isinstance(base, TreeLearner) or training.encoded is not None or training.drawn is not None:
            return training
        settings = base.settings(training)
        base.warn(training, settings)
        return training.encode(settings)

    def columns_of(self, member: int, n_columns: int) -> Rows | None:
        """Which columns a member sees, ascending; None: all."""
        return None

    @property
    def member_jobs(self) -> Any:
        """Threads of a member: one, as members are learned side by side."""
        return None

    def member(self, at: int, base: Learner[Any] | None = None) -> Learner[Any]:
        """The learner of one member, with a seed of its own."""
        base = self.base if base is None else base
        own: dict[str, Any] = {
            "n_jobs": self.member_jobs,
            "verbose": False,
            "random_state": int(_core.member_seed(self.seed, at)),
        }
        return base.changed(**{name: value for name, value in own.items() if name in base.given})

    @cached_property
    def seed(self) -> int:
        """The seed of all draws; a random state gives another one every time it is asked, so that fits note theirs."""
        return seed_of(self.given["random_state"])

    def seeded(self, seed: int) -> Self:
        """The same learner with the seed of a fit."""
        self.seed = seed
        return self

    def model_of(self, at: int, base: Learner[Any], sample: Training) -> Model:
        """The model that one member learns; an error says which member it was."""
        try:
            return self.member(at, base).learn_from(sample).model
        except ValueError as error:
            raise ValueError(f"member {at + 1} of {self.name}: {error}") from error

    def learned(self, members: list[Model], weights: list[float], training: Training, facts: dict[str, Any]) -> Learned:
        """The members as one model."""
        known = self.known_levels(training)
        schema = replace(members[0].schema, columns=tuple(training.columns), known=known)
        target = replace(training.target, row_weight=training.row_weight)
        forest = Forest(tuple(knowing(member, schema) for member in members), schema, target, tuple(weights), self.combine)
        facts = {**facts, "seed_": self.seed}
        return Learned(forest, facts if training.classes is None else {**facts, "classes_": training.classes})

    def predict(self, learned: dict[str, Any], X: Any) -> NDArray[Any]:
        """The class or number of every row, by what was learned."""
        forest: Forest = learned["forest_"]
        return forest.predict(X, self.threads)

    def shares(self, learned: dict[str, Any], X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted, by what was learned."""
        forest: Forest = learned["forest_"]
        return self._sorted(learned, forest.predict_proba(X, self.threads))

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        _ = self.n_members
        self.base.check(classes, n_columns, costs)

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, "forest_" in learned, "it has no 'forest_'")
        seed = learned.get("seed_")
        need(seed, type(seed) is int and 0 <= seed < 2**64, "seed_ is no whole number of 64 bits")
        forest, names = learned["forest_"], learned.get("feature_names_in_")
        need(forest, learned["n_features_in_"] == len(forest.schema.columns), "n_features_in_ is not the number of columns")
        need(names, names is None or names.tolist() == forest.schema.names, "feature_names_in_ are not the names of the columns")
        classes, declared = learned.get("classes_"), forest.target.classes
        if declared is None:
            need(classes, classes is None, "classes_ of a forest that predicts numbers")
            return
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        labels = classes.tolist() if isinstance(classes, np.ndarray) and fits else []
        need(labels, fits and len(set(labels)) == len(labels) and set(labels) <= set(declared), "classes_ are not its classes")


class SampledLearner(EnsembleLearner[P]):
    """An ensemble whose members learn from samples, each without knowing of the others; rows left out judge them."""

    stored: ClassVar[dict[str, str]] = {
        **EnsembleLearner.stored,
        "oob_score_": "value",
        "oob_errors_": "value",
        "drawing_": "samples",
        "rows_digest_": "value",
    }

    wider: ClassVar[tuple[str, ...]] = ("oob_score",)

    @abstractmethod
    def drawing(self, training: Training) -> Samples | None:
        """Which rows members learn from; None: from all."""

    def members_of(self, drawing: Samples | None) -> int:
        """How many members there are to be, once samples are known."""
        return self.n_members

    def learn_from(self, training: Training, begun: Forest | None = None) -> Learned:
        """Learn members from samples; those of a forest that was ``begun`` are not learned again."""
        drawing, base = self.drawing(training), self.based_on(training)
        ready = self.prepared(training, base)
        members: list[Model] = [] if begun is None else list(begun.members)
        known = base.known_levels(training)
        weights = None if drawing is None else (lambda at: drawing.counts(at) * (1.0 if ready.weights is None else ready.weights))

        def job(at: int) -> Callable[[Watch | None], Model]:
            def learn(watch: Watch | None) -> Model:
                sample = ready if weights is None else ready.weighing(weights(at), ready.row_weight)
                return self.learn_member(at, base, sample, known)

            return learn

        judge = Judge(self, ready, drawing) if drawing is not None and self.given.get("oob_score") else None
        for at, member in enumerate(members):
            if judge is not None:
                judge.take(at, member)

        def take(at: int, member: Model) -> str | None:
            members.append(member)
            return None if judge is None else judge.take(len(members) - 1, member)

        jobs = [job(at) for at in range(len(members), self.members_of(drawing))]
        with warning_once():
            run_jobs(jobs, self.threads, "learning members" if self.given["verbose"] else None, "members", take)
        facts: dict[str, Any] = {} if judge is None else judge.facts()
        facts["rows_digest_"] = rows_digest(training, drawing)
        if drawing is not None:
            facts["drawing_"] = drawing
        return self.learned(members, [1.0] * len(members), training, facts)

    def learn_member(self, at: int, base: Learner[Any], sample: Training, known: Levels) -> Model:
        """Learn one member from its rows and columns, as a model of the whole table."""
        columns = self.columns_of(at, len(sample.columns))
        if columns is None:
            return self.model_of(at, base, sample)
        narrow = self.model_of(at, base, sample.narrowed(columns.tolist()))
        return widened(narrow, replace(narrow.schema, columns=tuple(sample.columns), known=known), columns.tolist())

    def learn_more(self, begun: Forest, digest: Any, X: Any, y: Any, sample_weight: Any = None) -> Learned:
        """Learn more members for a forest; ``digest``: of the rows its members were learned from."""
        self.check_switches()
        training = self.training(as_table(X), y, sample_weight)
        if tuple(training.columns) != begun.schema.columns or training.target.classes != begun.target.classes:
            raise ValueError(
                "warm_start adds members to those of the last fit: X and y must have the same columns, levels and classes"
            )
        if self.n_members < len(begun):
            raise ValueError(
                f"n_estimators={self.n_members} is less than the {len(begun)} members of the last fit: "
                "warm_start only adds to them; set warm_start=False to begin anew"
            )
        if self.n_members == len(begun):
            warnings.warn(
                f"warm_start: there are {len(begun)} members already, none is added; raise n_estimators",
                TreewrightWarning,
                stacklevel=outside(),
            )
        if digest is None or digest == rows_digest(training, self.drawing(training)):  # files of earlier versions have none
            return self.learn_from(training, begun)
        if self.given.get("oob_score"):
            raise ValueError(
                f"oob_score={shown(self.given['oob_score'])}: the {counted(len(begun), 'member')} of the last fit were learned "
                "from other rows, or rows were drawn in another way, so that nobody knows which rows are out of bag: fit the "
                "same rows again, or set warm_start or oob_score to False"
            )
        learned = self.learn_from(training, begun)
        learned.facts.pop("drawing_", None)  # which is not that of all members
        learned.facts["rows_digest_"] = ""
        return learned

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        drawing = learned.get("drawing_")
        if isinstance(drawing, Chosen):
            need(drawing, len(drawing.rows) == len(learned["forest_"]), "drawing_ is not of its members")
        digest = learned.get("rows_digest_")
        need(digest, digest is None or isinstance(digest, str), "rows_digest_ is no text")

    def check_switches(self) -> None:
        """Refuse what is neither True nor False where a parameter must be; out-of-bag rows may also be judged by a function."""
        super().check_switches()
        judge = self.given.get("oob_score", False)
        if not isinstance(judge, (bool, np.bool_)) and not callable(judge):
            raise out_of_range("oob_score", judge, "True, False, or a function of the truth and what is predicted")


def rows_digest(training: Training, drawing: Samples | None) -> str:
    """A hash of the rows to learn from and of how the first member draws among them, by which both are known again."""
    digest = blake2b(digest_size=16)
    ones = np.ones(len(training.codes))
    weights, drawn = ones if training.weights is None else training.weights, ones if drawing is None else drawing.counts(0)
    for cells in (*by_column(training.arrays), training.codes, weights, drawn):
        digest.update(np.ascontiguousarray(cells, np.float64).data)
    return digest.hexdigest()


class Judge:
    """What members say of the rows they did not learn from, added up member by member."""

    def __init__(self, learner: SampledLearner[Any], training: Training, drawing: Samples) -> None:
        self.learner, self.training, self.drawing = learner, training, drawing
        self.combine = learner.combine
        self.sums = np.zeros((len(training.codes), self.combine.width(training.target)))
        self.members = np.zeros(len(training.codes), np.int64)
        self.errors: list[float] = []

    def take(self, at: int, member: Model) -> str:
        """Count the answers of a member; the error of all members up to it, in words."""
        rows = np.flatnonzero(self.drawing.counts(at) == 0)
        if len(rows):
            cells = (dense_arrays([array[rows] for array in self.training.arrays]), len(rows))
            self.sums[rows] += self.combine.answers(member, cells, self.learner.threads)
            self.members[rows] += 1
        self.errors.append(self.error())
        return f"out-of-bag error {self.errors[-1]:.4g}"

    @property
    def judged(self) -> NDArray[np.int64]:
        """The rows that some member did not learn from."""
        return np.flatnonzero(self.members)

    def answers(self) -> NDArray[np.float64]:
        """Shares of classes, or numbers, of all rows; NaN where every member learned from a row."""
        with np.errstate(invalid="ignore"):
            return self.sums / self.members[:, None]

    def error(self) -> float:
        """Share of rows that are told a wrong class, or the mean squared error."""
        rows = self.judged
        if not len(rows):
            return float("nan")
        answers, truth = self.sums[rows] / self.members[rows, None], self.training.codes[rows]
        if self.training.target.classes is not None:
            return float(np.mean(winner(answers) != truth))
        return float(np.mean((answers - truth.reshape(answers.shape)) ** 2))

    def facts(self) -> dict[str, Any]:
        """What is known of a fitted estimator by the rows left out."""
        rows, training = self.judged, self.training
        if len(rows) < len(self.members):
            warnings.warn(
                f"{len(self.members) - len(rows)} rows were drawn for every member, so that nobody can judge them out of bag: "
                "use more members, or a smaller max_samples",
                TreewrightWarning,
                stacklevel=outside(),
            )
        answers, classes = self.answers(), training.target.classes
        facts: dict[str, Any] = {"oob_errors_": np.array(self.errors)}
        if classes is not None:
            labels = class_array(classes)
            told, truth = labels[winner(answers[rows])], labels[training.codes[rows]]
            facts["oob_decision_function_"] = answers[:, [classes.index(label) for label in training.occurring]]
            score = 1 - self.errors[-1]
        else:
            numbers = answers if training.target.outputs else answers[:, 0]
            told, truth = numbers[rows], training.codes[rows].astype(np.float64)
            facts["oob_prediction_"] = numbers
            score = _explained(truth, told)
        judge = self.learner.given["oob_score"]
        facts["oob_score_"] = float(judge(truth, told)) if callable(judge) else score
        return facts


def _explained(truth: NDArray[np.float64], told: NDArray[np.float64]) -> float:
    """Share of the variance that is explained; of several numbers the mean of their shares."""
    if not len(truth):
        return float("nan")
    spread = np.sum((truth - truth.mean(axis=0)) ** 2, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.mean(1 - np.sum((truth - told) ** 2, axis=0) / spread))


def knowing(member: Model, schema: TableSchema) -> Model:
    """A member that knows all levels of the table."""
    if member.schema == schema:
        return member
    if isinstance(member, Tree):
        return member.knowing(schema)
    if isinstance(member, Forest):
        return replace(member, schema=schema, members=tuple(knowing(one, schema) for one in member.members))
    assert isinstance(member, RuleSet)
    return replace(member, schema=schema)


@contextmanager
def warning_once(unless: Callable[[str], bool] = lambda message: False) -> Iterator[None]:
    """Warnings of members once each, after all of them are learned, but those that say nothing to the user."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message, category in dict.fromkeys((str(one.message), one.category) for one in caught):
        if not unless(message):
            warnings.warn(message, category, stacklevel=outside())
