"""Measures of classes and of their probabilities: precision and recall, AUC, log loss, Brier score, calibration, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cli.say import UsageError
from treewright.errors import visible
from treewright.show.cells import cut_to

MEASURES = ("precision", "recall", "F1")
_LEAST = float(np.finfo(np.float64).eps)  # a probability in a logarithm
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def per_class(table: Whole) -> list[list[float | None]]:
    """Precision, recall and F1 of every class; None where nothing was predicted, or nothing there was to find."""
    hits, predicted, actual = np.diag(table), table.sum(axis=0), table.sum(axis=1)

    def share(a: float, b: float) -> float | None:
        return float(a / b) if b else None

    triples = zip(hits.tolist(), predicted.tolist(), actual.tolist(), strict=True)
    return [[share(hit, said), share(hit, there), share(2 * hit, said + there)] for hit, said, there in triples]


def auc(happened: NDArray[np.bool_], score: Floats) -> float | None:
    """The chance that a row with the class has the higher score than one without it, equal ones counting half."""
    n, m = int(happened.sum()), int((~happened).sum())
    if not n or not m:
        return None
    values, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float((ranks[place][happened].sum() - n * (n + 1) / 2) / (n * m)) if len(values) else None


@dataclass(frozen=True, slots=True)
class Probabilities:
    """How good the probabilities of classes are.

    Attributes
    ----------
    labels : list
        The classes.
    actual, shares : arrays
        The class of every row by its position, and the probabilities of all.
    auc : float or None
        Of two classes that of the second; of more the mean over the classes, each against the rest.
    log_loss, brier : float
        Mean logarithmic loss, and mean squared distance of the probabilities from what happened (of two classes: of one).
    log_loss_baseline, brier_baseline : float
        The same of who always says the shares of the classes among these rows.
    calibration : Calibration
        Probabilities against what happened, in bins.
    """

    labels: list[Any]
    actual: Whole
    shares: Floats
    auc: float | None
    log_loss: float
    brier: float
    log_loss_baseline: float
    brier_baseline: float
    calibration: Any

    @classmethod
    def of(cls, labels: list[Any], actual: Whole, shares: Floats) -> Probabilities:
        """Measure them."""
        from treewright.evaluate.calibrating import calibrated

        k = len(labels)
        looked_at = range(1, 2) if k == 2 else range(k)
        areas = [area for j in looked_at if (area := auc(actual == j, shares[:, j])) is not None]
        prior = np.broadcast_to(np.bincount(actual, minlength=k) / len(actual), shares.shape)
        if k == 2:
            found = calibrated(shares[:, 1], (actual == 1).astype(np.float64), labels[1])
        else:
            answer = np.argmax(shares, axis=1)
            found = calibrated(shares[np.arange(len(answer)), answer], (answer == actual).astype(np.float64), None)
        of_area = float(np.mean(areas)) if areas else None
        losses = [measure(actual, each) for each in (shares, prior) for measure in (_log_loss, _brier)]
        return cls(labels, actual, shares, of_area, losses[0], losses[1], losses[2], losses[3], found)

    def text(self) -> str:
        """Say it in two lines."""
        which = f"of {_short(self.labels[1])}" if len(self.labels) == 2 else "each class against the rest"
        area = "" if self.auc is None else f"AUC {self.auc:.3f} ({which})   "
        meant = "the predicted class" if self.calibration.label is None else _short(self.calibration.label)
        return (
            f"{area}log loss {self.log_loss:.3f} (class shares alone: {self.log_loss_baseline:.3f})   "
            f"Brier score {self.brier:.3f} ({self.brier_baseline:.3f})\n"
            f"calibration: the probability of {meant} is off by {self.calibration.error:.3f} on average"
        )

    def data(self) -> dict[str, Any]:
        """The same as values, with the bins of the calibration."""
        found = self.calibration
        bins = zip(found.predicted.tolist(), found.observed.tolist(), found.n_rows.tolist(), strict=True)
        return {
            "auc": self.auc,
            "log_loss": self.log_loss,
            "log_loss_baseline": self.log_loss_baseline,
            "brier": self.brier,
            "brier_baseline": self.brier_baseline,
            "calibration_error": self.calibration.error,
            "calibration": [{"predicted": a, "observed": b, "rows": n} for a, b, n in bins],
        }


def _log_loss(actual: Whole, shares: Floats) -> float:
    return 0.0 - float(np.mean(np.log(np.clip(shares[np.arange(len(actual)), actual], _LEAST, 1.0))))


def _brier(actual: Whole, shares: Floats) -> float:
    happened = np.zeros(shares.shape)
    happened[np.arange(len(actual)), actual] = 1.0
    off = np.sum((shares - happened) ** 2, axis=1)
    return float(np.mean(off)) / (2 if shares.shape[1] == 2 else 1)  # of two classes one is enough


def _short(label: Any) -> str:
    return cut_to(visible(str(label)), 30)


@dataclass(frozen=True, slots=True)
class Priced:
    """What answers cost a row: those given, those of least cost by the probabilities, and always the same one.

    Attributes
    ----------
    labels : list
        The classes.
    given, best : float
        Mean cost of the answers given, and of those chosen for it.
    threshold : float or None
        Of two classes: from which probability on the second is the answer that costs least on these rows; None where it never is.
    same : list of float
        Mean cost of always giving one answer, by class.
    """

    labels: list[Any]
    given: float
    best: float
    threshold: float | None
    same: list[float]

    def text(self) -> str:
        """Say it in one line."""
        at = int(np.argmin(self.same))
        if len(self.labels) > 2:
            how = "with the answer of least expected cost"
        elif self.threshold is None:
            how = f"at best, always {_short(self.labels[0])}"
        else:
            how = f"with {_short(self.labels[1])} from a probability of {self.threshold:.3g} on (chosen on these rows)"
        always = f"always {_short(self.labels[at])}: {self.same[at]:.4g}"
        return f"costs per row: {self.given:.4g} as predicted; {self.best:.4g} {how}; {always}"

    def data(self) -> dict[str, Any]:
        """The same as values."""
        same = {str(label): cost for label, cost in zip(self.labels, self.same, strict=True)}
        return {"given": self.given, "best": self.best, "threshold": self.threshold, "always": same}


def priced_answers(labels: list[Any], actual: Whole, answer: Whole, shares: Floats, costs: list[list[float]]) -> Priced:
    """What answers cost; ``costs``: a row for every actual class, a number for every answer."""
    k = len(labels)
    if len(costs) != k or any(len(row) != k for row in costs):
        named = ", ".join(_short(label) for label in labels)
        raise UsageError(f"the costs are not {k} rows of {k} numbers", "--cost", f"a row for every actual class of {named}")
    table = np.asarray(costs, np.float64)
    if not np.all(np.isfinite(table)):
        raise UsageError("a cost is no finite number", "--cost", "such as '0,1;5,0'")
    same = [float(table[actual, j].mean()) for j in range(k)]
    given = float(table[actual, answer].mean())
    if k != 2:
        return Priced(labels, given, float(table[actual, np.argmin(shares @ table, axis=1)].mean()), None, same)
    order = np.argsort(-shares[:, 1], kind="stable")
    # The cost of answering the second class for the first rows by its probability, as far as equal ones allow.
    gained = np.cumsum((table[actual, 1] - table[actual, 0])[order])
    sorted_shares = shares[order, 1]
    ends = np.flatnonzero(np.append(sorted_shares[1:] != sorted_shares[:-1], True))
    total = np.append(0.0, gained[ends]) / len(actual) + same[0]
    at = int(np.argmin(total))
    return Priced(labels, given, float(total[at]), float(sorted_shares[ends[at - 1]]) if at else None, same)
