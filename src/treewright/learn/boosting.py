"""Boosting: every member learns from the rows that those before it got wrong, more than from the others.

AdaBoost.M1 (Freund and Schapire 1996), SAMME (Zhu and others 2009), the trials of C5.0, and AdaBoost.R2 (Drucker 1997).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import TreewrightWarning, outside, real
from treewright.learn.ensemble import EnsembleLearner, learner_of, warning_once
from treewright.learn.learner import Learned, Learner
from treewright.learn.training import Training
from treewright.learn.trees import TreeClassifierLearner, TreeRegressorLearner
from treewright.learn.values import flag
from treewright.model.combine import Combination, Confidence, Median, Vote, classes_told
from treewright.model.protocol import Model
from treewright.model.ties import winner
from treewright.progress import Bar

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

REDRAWS = 10  # samples that are drawn for a member until one serves
_ALGORITHMS = ("samme", "m1", "c5.0")
_C50_FEW, _C50_MANY, _C50_LEAST = 0.1, 0.49, 1e-3  # of C5.0: errors that end it, and the least weight of a row


@dataclass(eq=False, repr=False)
class AdaBoostClassifierParameters:
    """Parameters of ``AdaBoostClassifier``, which describes them."""

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    learning_rate: float = 1.0
    algorithm: str = "samme"
    resample: bool = False
    judge: str = "member"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(eq=False, repr=False)
class AdaBoostRegressorParameters:
    """Parameters of ``AdaBoostRegressor``, which describes them."""

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    learning_rate: float = 1.0
    loss: str = "linear"
    resample: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class Step(NamedTuple):
    """What follows from the errors of a member."""

    weight: float | None  # what it counts in the vote; None: it is no better than guessing, and goes
    rows: Floats | None  # the weights of rows for the next one; None: there is none


P = TypeVar("P")


class BoostingLearner(EnsembleLearner[P]):
    """Members one after the other, each on weights that those before it left."""

    classifies: ClassVar[bool]
    stored: ClassVar[dict[str, str]] = {**EnsembleLearner.stored, "estimator_errors_": "value"}

    @property
    def member_jobs(self) -> Any:
        """All threads: members wait for each other."""
        return self.given["n_jobs"]

    @property
    def rate(self) -> float:
        """By how much every step is shortened."""
        return real("learning_rate", self.given["learning_rate"], 0.0, above=True)

    def begin(self, training: Training) -> Any:
        """What is known before the first member, for ``step``."""
        return None

    def step(self, state: Any, at: int, member: Model, training: Training, weights: Floats) -> tuple[float, Step]:
        """The error of a member, and what follows from it."""
        raise NotImplementedError  # pragma: no cover

    def learn_from(self, training: Training) -> Learned:
        """Learn members one after the other."""
        base = self.base
        ready = self.prepared(training, base)
        weights = np.ones(len(training.codes)) if training.weights is None else training.weights.astype(np.float64)
        members: list[Model] = []
        counts: list[float] = []
        errors: list[float] = []
        state = self.begin(training)
        with warning_once(_of_rounding), Bar("boosting", "members") as bar:
            while len(members) < self.n_members:
                for attempt in range(REDRAWS if self.given["resample"] else 1):
                    sample = self.sample(ready, weights, len(members), attempt)
                    member = self.model_of(len(members), base, sample)
                    error, step = self.step(state, len(members), member, ready, weights)
                    if step.weight is not None:
                        break
                if step.weight is None and members:
                    break
                members.append(member)
                counts.append(self.least(error) if step.weight is None else step.weight)
                errors.append(error)
                if math.isinf(counts[-1]):  # it makes no error: it decides, whatever the others say
                    counts[-1] = 1.0 + math.fsum(counts[:-1])
                if step.rows is None:
                    break
                weights = step.rows
                if self.given["verbose"]:
                    bar.title = f"boosting, error {error:.4g}"
                    bar(len(members), self.n_members)
        some = slice(self.kept(len(members)))
        return self.learned(members[some], counts[some], training, {"estimator_errors_": np.array(errors[some])})

    def kept(self, n_members: int) -> int:
        """How many of the members that were learned stay."""
        return n_members

    def least(self, error: float) -> float:
        """What the first member counts though it is no better than guessing: it is all there is."""
        warnings.warn(
            f"the first member errs on {error:.3g} of the weight, no better than guessing: it stays the only one; "
            "use stronger members, such as deeper trees",
            TreewrightWarning,
            stacklevel=outside(),
        )
        return 1.0

    def sample(self, ready: Training, weights: Floats, at: int, attempt: int) -> Training:
        """What a member learns from: all rows by their weights, or as many rows drawn by them."""
        if not self.given["resample"]:
            return ready.weighing(weights, ready.row_weight)
        # Raw bits of PCG64, the same on all machines and in all versions of NumPy.
        bits = np.random.PCG64([self.seed, at, attempt]).random_raw(len(weights))
        ends = np.cumsum(weights)
        drawn = np.searchsorted(ends, (bits >> np.uint64(11)) * (2.0**-53 * ends[-1]), side="right")
        last = int(np.flatnonzero(weights)[-1])
        counts = np.bincount(np.minimum(drawn, last), minlength=len(weights)).astype(np.float64)
        return ready.weighing(counts, 1.0)

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        _ = self.rate, self.combine
        flag("resample", self.given["resample"])


def scaled(rows: Floats, total: float) -> Floats:
    """Weights that sum to a total; sums are exact, so that no order of rows changes them."""
    return rows * (total / _core.exact_sum(rows))


def _of_rounding(message: str) -> bool:
    """Whether a warning is about weights that are kept roughly: those of boosting reach far by design."""
    return message.startswith("sample_weight reaches from")


class AdaBoostClassifierLearner(BoostingLearner[AdaBoostClassifierParameters]):
    """AdaBoost for classes."""

    name = "AdaBoostClassifier"
    Parameters = AdaBoostClassifierParameters
    classifies = True

    @cached_property
    def base(self) -> Learner[Any]:
        """The learner that was given; by default trees of one split, which C5.0's trials are not made for."""
        given = self.given["estimator"]
        if given is None:
            given = TreeClassifierLearner(TreeClassifierLearner.Parameters(max_depth=1))
        return learner_of(given, classes=True)

    @property
    def algorithm(self) -> str:
        """Which boosting it is."""
        given = self.given["algorithm"]
        small = str(given).lower()  # published in capital letters, and so a parameter of scikit-learn once
        return parts.check_name("algorithm", small if small in _ALGORITHMS else given, _ALGORITHMS)

    @property
    def combine(self) -> Combination:
        """Weighted votes."""
        return Confidence() if self.algorithm == "c5.0" else Vote()

    def begin(self, training: Training) -> Floats:
        """The votes for classes of every row so far."""
        return np.zeros((len(training.codes), len(training.target.classes or ())))

    def step(self, state: Floats, at: int, member: Model, training: Training, weights: Floats) -> tuple[float, Step]:
        """The error of a member, or of all up to it, on the weights it was learned from."""
        if self.algorithm == "c5.0":
            return self._trial(state, at, member, training, weights)
        told = classes_told(member, training.cells)
        by_all = parts.check_name("judge", self.given["judge"], ("member", "ensemble")) == "ensemble"
        if by_all:
            state[np.arange(len(told)), told] += 1.0
            told = winner(state)
        wrong = told != training.codes
        total = _core.exact_sum(weights)
        error = _core.exact_sum(weights, wrong) / total
        if not wrong.any():
            return 0.0, Step(1.0 if by_all else math.inf, None)
        n_classes = len(training.occurring) if self.algorithm == "samme" else 2
        odds = (1.0 - error) / error * (n_classes - 1)
        if not odds > 1.0:
            if by_all:
                state[np.arange(len(told)), classes_told(member, training.cells)] -= 1.0
            return error, Step(None, None)
        weight = 1.0 if by_all else self.rate * math.log(odds)
        return error, Step(weight, _core.reweighed(weights, wrong, odds**self.rate, total))

    def _trial(self, votes: Floats, at: int, member: Model, training: Training, weights: Floats) -> tuple[float, Step]:
        """A trial of C5.0: the weight of errors moves half-way to one half; rows whose vote is lost are given up."""
        said = Confidence().answers(member, training.cells, 1)
        told, truth = np.argmax(said, axis=1), training.codes
        votes += said
        live = weights > 0
        if at + 1 > self.n_members / 2:
            live &= votes.max(axis=1) <= votes[np.arange(len(told)), truth] + (self.n_members - 1 - at)
        wrong, right = live & (told != truth), live & (told == truth)
        wrong_weight, right_weight = _core.exact_sum(weights[wrong]), _core.exact_sum(weights[right])
        error = wrong_weight / (wrong_weight + right_weight) if live.any() else 0.0
        rows = training.total * training.row_weight * np.count_nonzero(live) / len(live)  # what those not given up weighed first
        if at == self.n_members - 1 or wrong_weight < _C50_FEW * training.row_weight:
            return error, Step(1.0, None)
        if (at and member.sizes.get("n_leaves", 2) == 1) or wrong_weight / rows >= _C50_MANY:
            return error, Step(None, None)
        extra = 0.25 * (right_weight - wrong_weight)
        scale = rows / (right_weight + wrong_weight)
        out = np.zeros(len(weights))
        out[wrong] = scale * (weights[wrong] + extra / np.count_nonzero(wrong))
        out[right] = np.maximum(scale * weights[right] * (right_weight - extra) / right_weight, _C50_LEAST * training.row_weight)
        return error, Step(1.0, out)

    def kept(self, n_members: int) -> int:
        """All; C5.0 gives boosting up where no more than two trials serve."""
        return 1 if self.algorithm == "c5.0" and n_members <= 2 < self.n_members else n_members


class AdaBoostRegressorLearner(BoostingLearner[AdaBoostRegressorParameters]):
    """AdaBoost for numbers."""

    name = "AdaBoostRegressor"
    Parameters = AdaBoostRegressorParameters
    classifies = False
    combine = Median()
    takes_several = False

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from: one number each."""
        training = super().training(X, y, sample_weight)
        if training.target.outputs:
            raise ValueError(
                "y should be a 1d array, one number a row, got several: the median of members is of one; fit one for each"
            )
        return training

    @cached_property
    def base(self) -> Learner[Any]:
        """The learner that was given; by default trees of depth 3."""
        given = self.given["estimator"]
        if given is None:
            given = TreeRegressorLearner(TreeRegressorLearner.Parameters(max_depth=3))
        return learner_of(given, classes=False)

    def step(self, state: Any, at: int, member: Model, training: Training, weights: Floats) -> tuple[float, Step]:
        """The mean loss of a member: errors as shares of the largest, as they are, squared or in an exponential."""
        loss = parts.check_name("loss", self.given["loss"], ("linear", "square", "exponential"))
        told = np.asarray(member.predict_cells(training.cells), np.float64)
        errors = np.abs(told - training.codes)
        most = float(errors[weights > 0].max(initial=0.0))
        if most == 0.0:
            return 0.0, Step(math.inf, None)
        share = np.minimum(errors / most, 1.0)
        losses = {"linear": share, "square": share**2, "exponential": 1.0 - np.exp(-share)}[loss]
        total = _core.exact_sum(weights)
        error = _core.exact_sum(losses * weights) / total
        if error >= 0.5:
            return error, Step(None, None)
        odds = (1.0 - error) / error
        return error, Step(self.rate * math.log(odds), scaled(weights * odds ** (self.rate * (losses - 1.0)), total))

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        parts.check_name("loss", self.given["loss"], ("linear", "square", "exponential"))
