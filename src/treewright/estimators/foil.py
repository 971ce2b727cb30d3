"""FOIL (Quinlan 1990): rules over relations."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright import parts
from treewright.estimators.stored import own_constructor
from treewright.learn.foil import FoilParameters, learn_clauses
from treewright.learn.stored_foil import FittedFoil
from treewright.model.clauses import Clauses, Proof, StateTrace
from treewright.store.files import save
from treewright.table.relations import Relations


@own_constructor
class Foil(BaseEstimator, FoilParameters):
    """FOIL (Quinlan 1990; Quinlan and Cameron-Jones 1993): clauses that define one relation by others.

    Tables are relations: a column is an argument, a row a tuple that belongs to it. A clause grows literal by literal, each the
    one of the largest gain; clauses are added until every tuple of the target is covered or no further one is worth its code.

    Parameters
    ----------
    negation : bool or "comparisons", default True
        Whether literals may deny: relations and comparisons, neither, or comparisons alone.
    types : dict, optional
        Types of arguments where names and values should not tell: a relation with one per argument
        (``{"age": ["person", "number"]}``), or a column, alone or as ``relation.column``. Arguments of one type are joined and
        compared; those of type ``"number"`` are compared with thresholds and never joined.
    constants : "attributes", dict, list or None, default "attributes"
        Constants that clauses may name: the values of attributes, which stand in one table of three columns and more and link
        it to nothing; those listed by type or column; any of a list; none.
    min_accuracy : float, default 0.8
        Share of positive tuples, among all that it covers, that a clause must reach.
    determinate : float, default 0.8
        Where no literal has this share of the largest possible gain, determinate literals are added: those with new variables
        of which every positive binding has exactly one value and every other at most one.
    coding_limit : bool, default True
        Whether a clause must cost fewer bits than it takes to list the tuples it covers.
    max_depth : int, default 4
        Depth of variables: those of the head have 0, a new one stands one below the deepest it comes with.
    max_variables : int, default 100
        Variables of a clause.
    max_weak : int, default 3
        Literals in a row that gain nothing.
    reserves : int, default 4
        Literals nearly as good as the best that are kept to come back to, at every step.
    max_returns : int, default 20
        How often a clause comes back to one of them.
    negative_share : float, default 1.0
        Share of the negative tuples of the closed world that is drawn; counts stand for all of them.
    max_tuples : int, default 10,000,000
        Where more tuples or bindings come up, an error says so.
    max_growth : int, default 10
        Bindings of a clause, as a multiple of the tuples to learn from; 100,000 are always allowed, and never more than
        ``max_tuples``. Literals that give more are left out.
    max_steps : int, default 5,000,000,000
        Bindings that are looked at, over all literals weighed: some minutes. Beyond them learning ends with the clauses found so
        far, and a warning says so. Where relations say nothing of each other the search would go on for hours.
    trace : bool, default False
        Keep every literal that is weighed, with its gain, in ``trace_``.
    random_state : int, RandomState instance or None, default None
        Which negative tuples are drawn; None is the seed 0.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    clauses_ : Clauses
        What was learned.
    n_positive_, n_negative_ : int
        The tuples it was learned from.
    n_covered_positive_, n_covered_negative_ : int
        Those that a clause covers.
    n_weighed_ : int
        Literals that were weighed.
    relations_ : Relations
        The relations it was learned from; pickles keep them, model files do not.
    trace_ : tuple of StateTrace
        Every state, and every literal that was weighed there; with ``trace=True``.

    Examples
    --------
    >>> import treewright as tw
    >>> parent = [("ann", "bob"), ("ann", "eve"), ("bob", "tom"), ("bob", "ida"), ("eve", "joe"), ("tom", "kim")]
    >>> grandparent = [("ann", "tom"), ("ann", "ida"), ("ann", "joe"), ("bob", "kim")]
    >>> foil = tw.Foil().fit({"parent": parent, "grandparent": grandparent}, target="grandparent")
    >>> print(foil.clauses_)
    grandparent(A, B) :- parent(C, B), parent(A, C).
    """

    def fit(self, relations: Any, target: Any = None, negatives: Any = None) -> Self:
        """Learn the clauses of one relation from others.

        Parameters
        ----------
        relations : dict of frames, arrays or lists of tuples, or path of a folder
            The relations by name. In a folder every table (CSV, Parquet, …) is one, named as its file, and Prolog files (.pl)
            hold facts.
        target : str
            The relation to define; ``name/arguments`` where several share a name.
        negatives : frame, array or list of tuples, optional
            Tuples that do not belong to it. Without them all others of constants of the right types do not (closed world); a
            folder may hold them in ``neg.pl``.

        Returns
        -------
        self
        """
        if target is None:
            raise TypeError("target is missing: name the relation to define")
        own = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        found = learn_clauses(self, relations, target, negatives)
        learned: dict[str, Any] = {
            "clauses_": found.clauses,
            "n_positive_": found.n_positive,
            "n_negative_": found.n_negative,
            "n_covered_positive_": found.positive,
            "n_covered_negative_": found.negative,
            "n_weighed_": found.n_weighed,
            "relations_": found.relations,
        }
        if self.trace:
            learned["trace_"] = found.trace
        self.__dict__ = {**own, **learned}
        return self

    def predict(self, tuples: Any, relations: Any = None) -> NDArray[np.bool_]:
        """Which tuples belong to the relation that was learned.

        Parameters
        ----------
        tuples : frame, array or list of tuples
            The tuples.
        relations : dict of frames or path of a folder, optional
            Other relations; by default those it was learned from.
        """
        return self._clauses.holds(tuples, self._background(relations), max_tuples=self.max_tuples)

    def evaluate(self, relations: Any = None) -> list[tuple[Any, ...]]:
        """All tuples that follow from relations, by default those it was learned from."""
        return self._clauses.evaluate(self._background(relations), max_tuples=self.max_tuples)

    def explain(self, values: Any, relations: Any = None) -> Proof:
        """Why a tuple belongs to the relation, or where the clauses fail."""
        return self._clauses.explain(values, self._background(relations), max_tuples=self.max_tuples)

    def to_text(self, *, sentences: bool = False, scores: bool = False, brief: bool = False) -> str:
        """The clauses, one a line; as IF … THEN sentences, with what each covers, with _ for variables that stand once."""
        return self._clauses.to_text(sentences=sentences, scores=scores, brief=brief)

    def to_prolog(self) -> str:
        """The clauses as a Prolog program."""
        return self._clauses.to_prolog()

    def to_sql(self, dialect: str = "ansi") -> str:
        """A query for all tuples that follow; see :meth:`Clauses.to_sql`."""
        return self._clauses.to_sql(dialect)

    def trace_text(self, most: int | None = 10) -> str:
        """Every state and the literals weighed there, the best first, at most so many each; with ``trace=True``."""
        check_is_fitted(self, "clauses_")
        if not hasattr(self, "trace_"):
            raise ValueError("nothing was noted: fit with trace=True")
        states: tuple[StateTrace, ...] = self.trace_
        return "\n\n".join(state.text(most) for state in states)

    def save(self, path: Any) -> None:
        """Write parameters and clauses to a file that :func:`treewright.load` reads; relations are left out.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        save("foil", self._fitted(), path)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside_clauses")(super()._repr_mimebundle_(**kwargs), vars(self).get("clauses_"))

    @property
    def _clauses(self) -> Clauses:
        check_is_fitted(self, "clauses_")
        clauses: Clauses = self.clauses_
        return clauses

    def _background(self, relations: Any) -> Any:
        if relations is not None:
            return relations
        held: Relations | None = getattr(self, "relations_", None)
        if held is None:
            raise ValueError("the relations are not known: a model file does not hold them, give relations=")
        return held

    def _fitted(self) -> FittedFoil:
        clauses = self._clauses
        params = FoilParameters(**{one.name: getattr(self, one.name) for one in fields(FoilParameters)})
        counts = {
            name: getattr(self, f"{name}_")
            for name in ("n_positive", "n_negative", "n_covered_positive", "n_covered_negative", "n_weighed")
        }
        return FittedFoil(params, clauses, counts)


def foil_of(value: FittedFoil) -> Foil:
    """Return the estimator that parameters and clauses are."""
    foil = Foil(**{one.name: getattr(value.params, one.name) for one in fields(FoilParameters)})
    foil.clauses_ = value.clauses
    for name, n in value.counts.items():
        setattr(foil, f"{name}_", n)
    return foil
