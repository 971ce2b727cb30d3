"""How an edited tree fares, and which edits could not be made again."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.learn.edits.log import Entry, words


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """The error of an edited tree by cross-validation.

    Attributes
    ----------
    error : float
        Over the rows of all folds.
    folds : int
        How many folds there are; in each the estimator is fitted to the others, and all edits are made again.
    left_out : int
        How many edits, of all folds together, could not be made there, and were left out.
    by_fold : tuple of float
        The error of each fold.
    """

    error: float
    folds: int
    left_out: int
    by_fold: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """How an edited tree fares: shares of rows that are told another class, or roots of mean squared errors.

    Attributes
    ----------
    training : float
        Of the rows it is edited on.
    validation : float or None
        Of rows held out, where some were given.
    cross_validated : CrossValidated or None
        By cross-validation, where ``folds`` were given.
    n_leaves : int
        Leaves of the tree.
    """

    training: float
    validation: float | None
    cross_validated: CrossValidated | None
    n_leaves: int

    def __str__(self) -> str:
        parts = [f"training {self.training:.4g}"]
        if self.validation is not None:
            parts.append(f"validation {self.validation:.4g}")
        if (cv := self.cross_validated) is not None:
            parts.append(f"cross-validated {cv.error:.4g}" + (f" ({cv.left_out} edits left out)" if cv.left_out else ""))
        return f"errors: {', '.join(parts)}; {self.n_leaves} leaves"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An edit that could not be made again.

    Attributes
    ----------
    entry : dict
        The entry of the log.
    why : str
        What kept it from being made.
    """

    entry: Entry
    why: str

    def __str__(self) -> str:
        return f"{words(self.entry)}: {self.why}"
