"""Rule learners with scikit-learn's interface: IREP and RIPPER, two settings of one loop of the core."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright import _core, parts
from treewright.errors import real
from treewright.estimators.columns import match_columns
from treewright.estimators.learner import Learner
from treewright.estimators.settings import flag, seed_of, whole
from treewright.estimators.stored import Stored
from treewright.estimators.training import Training, read_training
from treewright.inspect import one_row
from treewright.model.condition import Bound, Condition
from treewright.model.exports import Programs
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet, by_column
from treewright.store.damage import need
from treewright.table import TableSchema, TargetSchema
from treewright.table.frames import as_table, is_frame
from treewright.table.target import read_classes

GAINS = ("foil", "smoothed")
WORTHS = ("irep", "ripper", "smoothed")
STOPS = ("error", "surplus", "explains")
# Whose choices: see docs/rules.md for every difference between the paper and JRip.
VARIANTS: dict[str, dict[str, Any]] = {
    "jrip": {"gain": "smoothed", "worth": "smoothed", "check_error": True, "delete_early": False},
    "cohen": {"gain": "foil", "worth": "ripper", "check_error": False, "delete_early": True},
}


class RuleEstimator(Programs, Learner, Stored):
    """What learners of rules share: reading the table, and answers."""

    _stored: ClassVar[dict[str, str]] = {**Stored._stored, "ruleset_": "rules"}
    # Kinds of columns that are read as nominal though they could be cut.
    _by_level: ClassVar[tuple[str, ...]] = ("bool",)
    # Whether levels that were declared are known, whether they occur or not.
    _knows_declared: ClassVar[bool] = False

    ruleset_: RuleSet

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags

    def _learned(self, training: Training, schema: TableSchema) -> RuleSet:
        raise NotImplementedError  # pragma: no cover

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._forget()
        X = as_table(X)
        params = self.get_params(deep=False)
        unseen = parts.check_name("unseen", params["unseen"], parts.UNSEEN)
        training = read_training(X, y, sample_weight, params["categorical_features"], self._by_level, self._read_target)
        schema = TableSchema(tuple(training.columns), is_frame(X), self._known_levels(training), unseen, "ignore")
        rules = self._learned(training, schema)
        validate_data(self, X, reset=True, skip_check_array=True)
        self.ruleset_ = rules._scored(training.arrays, len(training.codes), training.codes, training.weights)
        return self

    def _known_levels(self, training: Training) -> tuple[tuple[int, ...], ...]:
        if self._knows_declared:
            return tuple(tuple(range(len(column.levels))) if column.nominal else () for column in training.columns)
        return occurring_levels(training)

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, "ruleset_" in vars(self), "it has no 'ruleset_'")
        width = len(self.ruleset_.schema.columns)
        need(width, width == self.n_features_in_, f"its rules are over {width} columns instead of {self.n_features_in_}")

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "ruleset_")
        return match_columns(self, X)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside_rules")(super()._repr_mimebundle_(**kwargs), vars(self).get("ruleset_"))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Position of the rule that decides every row, -1 for the default."""
        X = self._checked(X)
        return self.ruleset_.apply(X)

    def explain(self, X: Any) -> Any:
        """Explain what the rules say of one row: a table of one row, a Series or a dict."""
        check_is_fitted(self, "ruleset_")
        X = self._checked(one_row(X, self.ruleset_.schema.names))
        return self.ruleset_.explain(X)


class RuleClassifier(ClassifierMixin, RuleEstimator):
    """Learners of rules that say classes."""

    _stored: ClassVar[dict[str, str]] = {**RuleEstimator._stored, "classes_": "value"}

    classes_: NDArray[Any]

    def _check_stored(self) -> None:
        super()._check_stored()
        classes = vars(self).get("classes_")
        known = self.ruleset_.target.classes or ()
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        fits = fits and all(label in known for label in np.asarray(classes).tolist())
        need(classes, fits, "classes_ are not those of its rules")

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        target, codes, self.classes_ = read_classes(y, keep)
        return target, codes

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row: what the first rule that holds says, or the default."""
        X = self._checked(X)
        return self.ruleset_.predict(X).astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows that the deciding rule decides, in the order of ``classes_``."""
        X = self._checked(X)
        shares = self.ruleset_.predict_proba(X)
        declared = self.ruleset_.target.classes
        assert declared is not None
        place = {label: i for i, label in enumerate(declared)}
        return shares[:, [place[label] for label in self.classes_.tolist()]]

    def _class_order(self) -> list[int]:
        place = {label: i for i, label in enumerate(self.ruleset_.target.classes or ())}
        return [place[label] for label in self.classes_.tolist()]


def occurring_levels(training: Training) -> tuple[tuple[int, ...], ...]:
    """Return per column the codes of the levels that occur."""
    out: list[tuple[int, ...]] = []
    for array in training.arrays:
        if array.ndim == 2 or not training.columns[len(out)].nominal:
            out += [()] * (array.shape[1] if array.ndim == 2 else 1)
        else:
            out.append(tuple(code for code in np.unique(array).tolist() if code >= 0))
    return tuple(out)


def read_rules(state: dict[str, Any], schema: TableSchema, training: Training) -> list[Rule]:
    """Return the rules that the core learned as values."""
    classes, cells = training.target.classes, by_column(training.arrays)
    assert classes is not None
    begin, says = state["rule_begin"].tolist(), state["says"].tolist()
    columns, tests = state["column"].tolist(), state["test"].tolist()
    codes, values = state["code"].tolist(), state["value"].tolist()

    def condition(i: int) -> Condition:
        index = columns[i]
        column = schema.columns[index]
        if tests[i] == 2:
            return Condition(column, index, levels=frozenset({codes[i]}), listed=(codes[i],))
        at = float(values[i])
        if tests[i] == 0:
            beyond = cells[index][cells[index] > at]
            above = float(beyond.min()) if len(beyond) else np.nextafter(at, np.inf)
            return Condition(column, index, high=Bound(column, at, at, above, False, True))
        beyond = cells[index][cells[index] < at]
        below = float(beyond.max()) if len(beyond) else np.nextafter(at, -np.inf)
        return Condition(column, index, low=Bound(column, at, below, at, True, True))

    out = []
    for r, label in enumerate(says):
        out.append(Rule(together(condition(i) for i in range(begin[r], begin[r + 1])), classes[label]))
    return out


class CoveringClassifier(RuleClassifier):
    """Learners by sequential covering."""

    class_order_: list[Any]
    optimised_: dict[str, int]
    visits_: int

    _stored: ClassVar[dict[str, str]] = {
        **RuleClassifier._stored,
        "class_order_": "value",
        "optimised_": "value",
        "visits_": "value",
    }

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError  # pragma: no cover

    def _learned(self, training: Training, schema: TableSchema) -> RuleSet:
        state = _core.cover(training.table(), self._options())
        classes = training.target.classes
        assert classes is not None
        self.class_order_ = [classes[label] for label in state["class_order"].tolist()]
        names = ("kept", "revised", "replaced", "residual")
        self.optimised_ = dict(zip(names, state["trace"].tolist(), strict=True))
        self.visits_ = int(state["visits"])
        rules = read_rules(state, schema, training)
        return RuleSet(tuple(rules), schema, training.target, True, Rule((), self.class_order_[-1]))


class RipperClassifier(CoveringClassifier):
    """RIPPER (Cohen 1995): a short ordered list of rules, optimised by description length.

    Classes are taken in increasing weight; for each, rules are grown by FOIL's gain on two thirds of what is left, pruned on
    the other third, and added until the description is 64 bits longer than the shortest so far. Then every rule is compared
    with a replacement and a revision, and the one with the shortest description kept. The heaviest class is the default.
    Thresholds are values of the table: no binning. A missing cell satisfies no condition. The rules do not depend on the order
    of rows.

    Parameters
    ----------
    rounds : int, default 2
        Rounds of optimisation (Cohen's k; JRip's ``-O``).
    folds : int, default 3
        One part of so many is kept for pruning (``-F``).
    min_weight : float, default 2
        Least weight of positives a condition may leave (``-N``).
    variant : {"jrip", "cohen"}, default "jrip"
        Whose choice is followed where the paper and JRip differ; see ``docs/rules.md``. The next four default to it.
    gain : {"smoothed", "foil"}, optional
        Literal gain with rates (p + 1)/(t + 1), or p/t.
    worth : {"smoothed", "ripper", "irep"}, optional
        What pruning maximises: (p + 1)/(p + n + 2), (p - n)/(p + n), or (p + N - n)/(P + N).
    check_error : bool, optional
        Stop, too, at a rule that is wrong of at least half of what it covers (JRip; ``-E`` for False).
    delete_early : bool, optional
        Delete rules that lengthen the description after building, too, not only after every round (Cohen).
    stop : {"surplus", "explains", "error"}, default "surplus"
        Stop when the description exceeds the shortest by ``surplus`` bits; when a rule takes more bits than it saves; or when
        a rule is wrong of more than half of what it covers among the pruning rows.
    surplus : float, default 64
        Bits.
    prune : bool, default True
        Prune rules (``-P`` for False).
    categorical_features, unseen, random_state
        As in :class:`TreeClassifier`. The seed draws which rows prune.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    classes_ : array
        The classes that occur, sorted.
    class_order_ : list
        The classes in the order they were learned; the last is the default.
    optimised_ : dict
        How many rules optimisation kept, revised, replaced, and added for rows that were left.
    visits_ : int
        Cells that were passed in the search for conditions: what the time of learning grows with.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> est = tw.RipperClassifier(random_state=1).fit(data.X, data.y)
    >>> est.class_order_
    ['no', 'yes']
    """

    def __init__(
        self,
        *,
        rounds: int = 2,
        folds: int = 3,
        min_weight: float = 2,
        variant: str = "jrip",
        gain: str | None = None,
        worth: str | None = None,
        check_error: bool | None = None,
        delete_early: bool | None = None,
        stop: str = "surplus",
        surplus: float = 64,
        prune: bool = True,
        categorical_features: Any = None,
        unseen: str = "missing",
        random_state: Any = None,
    ) -> None:
        self.rounds = rounds
        self.folds = folds
        self.min_weight = min_weight
        self.variant = variant
        self.gain = gain
        self.worth = worth
        self.check_error = check_error
        self.delete_early = delete_early
        self.stop = stop
        self.surplus = surplus
        self.prune = prune
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        whose = VARIANTS[parts.check_name("variant", self.variant, tuple(VARIANTS))]
        own = {name: whose[name] if getattr(self, name) is None else getattr(self, name) for name in whose}
        return {
            "gain": parts.check_name("gain", own["gain"], GAINS),
            "worth": parts.check_name("worth", own["worth"], WORTHS),
            "stop": parts.check_name("stop", self.stop, STOPS),
            "check_error": flag("check_error", own["check_error"]),
            "delete_early": flag("delete_early", own["delete_early"]),
            "surplus": real("surplus", self.surplus, 0.0),
            "prune": flag("prune", self.prune),
            "folds": min(whole("folds", self.folds, 2), 2**31),
            "rounds": min(whole("rounds", self.rounds, 0), 2**31),
            "min_weight": real("min_weight", self.min_weight, 0.0),
            "seed": seed_of(self.random_state),
        }


class IrepClassifier(CoveringClassifier):
    """IREP (Fürnkranz and Widmer 1994): rules grown and pruned one at a time, until one is wrong more often than right.

    As :class:`RipperClassifier` without description lengths and optimisation: pruning maximises (p + N - n)/(P + N), and
    learning of a class stops at the first rule that is wrong of more than half of what it covers among the pruning rows.

    Parameters
    ----------
    folds, min_weight, gain, worth, categorical_features, unseen, random_state
        As in :class:`RipperClassifier`.

    Attributes
    ----------
    ruleset_, classes_, class_order_, visits_
        As in :class:`RipperClassifier`.
    """

    def __init__(
        self,
        *,
        folds: int = 3,
        min_weight: float = 1,
        gain: str = "foil",
        worth: str = "irep",
        categorical_features: Any = None,
        unseen: str = "missing",
        random_state: Any = None,
    ) -> None:
        self.folds = folds
        self.min_weight = min_weight
        self.gain = gain
        self.worth = worth
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "gain": parts.check_name("gain", self.gain, GAINS),
            "worth": parts.check_name("worth", self.worth, WORTHS),
            "stop": "error",
            "check_error": False,
            "delete_early": False,
            "surplus": 0.0,
            "prune": True,
            "folds": min(whole("folds", self.folds, 2), 2**31),
            "rounds": 0,
            "min_weight": real("min_weight", self.min_weight, 0.0),
            "seed": seed_of(self.random_state),
        }
