"""Whether probabilities are what they say: of ten rows that are given 70 %, seven should have the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from treewright import parts
from treewright.errors import out_of_range, real, shown
from treewright.evaluate.comparing import named_models
from treewright.learn.values import whole
from treewright.show.calibration import calibration_plot
from treewright.show.tables import frame
from treewright.table.target import read_classes

STRATEGIES = ("quantile", "uniform")
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities against what happened, in bins of rows.

    Attributes
    ----------
    label : object
        The class whose probability is meant; None: that of whichever class is predicted, which happens if the model is right.
    predicted : array
        The mean probability of every bin, ascending.
    observed : array
        The share of its rows that have the class.
    low, high : array
        The interval of that share (Wilson 1927).
    n_rows : array of int
        Rows of every bin.
    error : float
        Mean distance of observed from predicted, weighted by rows (expected calibration error).
    brier : float
        Mean squared distance of the probability from what happened, 0 or 1; less is better.
    """

    label: Any
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    n_rows: NDArray[np.int64]
    error: float
    brier: float

    def to_frame(self) -> Any:
        """Return a row per bin."""
        names = ("predicted", "observed", "low", "high", "n_rows")
        return frame({name: getattr(self, name).tolist() for name in names})

    def plot(self, ax: Any = None) -> Any:
        """Draw it on matplotlib axes."""
        return calibration_plot({"": self}, ax)

    def __repr__(self) -> str:
        what = "the predicted class" if self.label is None else shown(self.label)
        return f"<Calibration of {what}: error {self.error:.3f}, Brier score {self.brier:.3f}, {len(self.predicted)} bins>"


def calibration(
    est: Any,
    X: Any,
    y: Any,
    *,
    label: Any = None,
    bins: int = 10,
    strategy: str = "quantile",
    confidence: float = 0.95,
) -> Calibration:
    """Compare the probabilities of a fitted classifier with what happened.

    Parameters
    ----------
    est : fitted classifier
        Anything with ``predict_proba`` and ``classes_``.
    X, y : table and target
        Rows that it was not fitted to: on its own training rows any tree looks sure of itself, and is right.
    label : class, optional
        The class whose probability is looked at. By default the second of two; of more classes the one that is predicted.
    bins : int, default 10
        Into how many bins rows are put by their probability; fewer where it takes fewer values.
    strategy : {"quantile", "uniform"}, default "quantile"
        Bins of as many rows each, as far as equal probabilities allow, or of equal width.
    confidence : float, default 0.95
        Of the intervals.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_iris()
    >>> tree = tw.CARTClassifier(max_depth=2).fit(data.X[::2], data.y[::2])
    >>> tw.calibration(tree, data.X[1::2], data.y[1::2])
    <Calibration of the predicted class: error 0.027, Brier score 0.050, 2 bins>
    """
    return calibrated(*_events(est, X, y, label), bins=bins, strategy=strategy, confidence=confidence)


def calibrated(
    probability: Floats, happened: Floats, label: Any, *, bins: int = 10, strategy: str = "quantile", confidence: float = 0.95
) -> Calibration:
    """Compare probabilities of a class with whether it happened, 0 or 1."""
    level = float(ndtri((1 + real("confidence", confidence, 0, 0.9999)) / 2))
    bin_of = _bins(probability, whole("bins", bins, 1, 10_000), parts.check_name("strategy", strategy, STRATEGIES))
    count = np.bincount(bin_of)
    kept = np.flatnonzero(count)
    n = count[kept]
    predicted = np.bincount(bin_of, probability)[kept] / n
    observed = np.bincount(bin_of, happened)[kept] / n
    low, high = wilson(observed, n, level)
    return Calibration(
        label,
        predicted,
        observed,
        low,
        high,
        n,
        float(np.sum(n * np.abs(observed - predicted)) / len(probability)),
        float(np.mean((probability - happened) ** 2)),
    )


def plot_calibration(models: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Any:
    """Draw the probabilities of fitted classifiers against what happened, with intervals, and how many rows have them.

    Parameters
    ----------
    models : fitted classifier, or list or dict of them
        What to draw; a dict gives them names.
    X, y : table and target
        Rows that they were not fitted to.
    ax : matplotlib Axes, optional
        Where to draw; the numbers of rows are drawn below.
    **options
        As in :func:`calibration`.

    Returns
    -------
    matplotlib Axes
        The data are those of :func:`calibration`.
    """
    several = isinstance(models, (Mapping, Sequence))
    named = named_models(models if several else [models])
    return calibration_plot({name: calibration(est, X, y, **options) for name, est in named.items()}, ax)


def wilson(share: Floats, n: NDArray[np.int64], level: float) -> tuple[Floats, Floats]:
    """The interval of a share of ``n`` rows (Wilson 1927); ``level``: how many standard deviations it reaches."""
    middle = (share + level**2 / (2 * n)) / (1 + level**2 / n)
    reach = level / (1 + level**2 / n) * np.sqrt(share * (1 - share) / n + level**2 / (4 * n**2))
    # It holds the share itself, whatever rounding says.
    return np.clip(np.minimum(middle - reach, share), 0, 1), np.clip(np.maximum(middle + reach, share), 0, 1)


def _events(est: Any, X: Any, y: Any, label: Any) -> tuple[Floats, Floats, Any]:
    """The probability of every row, whether it happened, and the class that is meant."""
    if not hasattr(est, "predict_proba"):
        raise TypeError(f"{type(est).__name__} has no predict_proba: give a fitted classifier that tells probabilities")
    shares = np.asarray(est.predict_proba(X), dtype=np.float64)
    known = np.asarray(est.classes_).astype(object).tolist()
    target, codes = read_classes(y, None)[:2]
    if len(codes) != len(shares):
        raise ValueError(f"X has {len(shares)} rows and y has {len(codes)}: give one class per row")
    place = {each: at for at, each in enumerate(known)}
    truth = np.array([place.get(each, -1) for each in target.classes or ()], dtype=np.int64)[codes]
    if label is None and len(known) != 2:
        said = np.argmax(shares, axis=1)
        return shares[np.arange(len(said)), said], (said == truth).astype(np.float64), None
    if label is not None and label not in place:
        raise out_of_range("label", label, f"one of the classes {shown(known)}")
    at = 1 if label is None else place[label]
    return shares[:, at], (truth == at).astype(np.float64), known[at]


def _bins(probability: Floats, most: int, strategy: str) -> NDArray[np.int64]:
    """The bin of every row."""
    if strategy == "uniform":
        return np.minimum((probability * most).astype(np.int64), most - 1)
    values, place = np.unique(probability, return_inverse=True)
    if len(values) <= most:
        return np.asarray(place, dtype=np.int64)
    inner = np.unique(np.quantile(probability, np.arange(1, most) / most, method="inverted_cdf"))
    return np.searchsorted(inner, probability, side="left").astype(np.int64)
