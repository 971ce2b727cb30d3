"""Rules as a model: an ordered list, of which the first that holds decides, or an unordered set, of which all that hold vote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted, shown
from treewright.model import editing
from treewright.model.condition import Condition
from treewright.model.decides import in_turn, with_default
from treewright.model.digits import Digits
from treewright.model.flat import rule_columns
from treewright.model.parse import parse_rule
from treewright.model.protocol import Model
from treewright.model.routing import Cells
from treewright.model.rule import Rule, refuse_edits, rows_text
from treewright.model.scores import RulePredictions, read_target, scored_rules
from treewright.model.surrogate import SurrogateMatcher
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.sparse import in_blocks

__all__ = ["Rule", "RuleSet", "by_column", "cells_of", "rows_text"]


@dataclass(frozen=True)
class RuleSet(Model):
    """Rules over one table.

    The rules of a tree (``tree.to_rules()``) are unordered, mutually exclusive and complete. Rule learners make ordered lists
    (``est.ruleset_``). A rule set never changes: whatever edits it returns a new one.

    Attributes
    ----------
    rules : tuple of Rule
        The rules.
    schema : TableSchema
        The columns they speak of.
    target : TargetSchema
        What they say.
    ordered : bool
        Whether the first rule that holds decides; otherwise every rule that holds has a vote, its class shares. A rule that
        holds of a part of a row decides that part, and the next ones the rest.
    otherwise : Rule or None
        What is said where no rule holds, a rule without conditions. None where the rules are complete; a row they do not cover
        after all is told the most frequent class (or the mean) of the rows they were scored on. Edits that may leave such rows
        write that down.
    """

    kind: ClassVar[str] = "rules"

    rules: tuple[Rule, ...]
    schema: TableSchema
    target: TargetSchema
    ordered: bool = False
    otherwise: Rule | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.schema, TableSchema) or not isinstance(self.target, TargetSchema):
            raise TypeError("a RuleSet needs the schema of a table and of a target: those of other rules, or of a tree")
        if not isinstance(self.rules, (tuple, list)) or not all(isinstance(rule, Rule) for rule in self.rules):
            raise TypeError(f"rules must be a tuple of Rule, not {shown(self.rules)}; rules.parse reads text")
        if not isinstance(self.rules, tuple):
            object.__setattr__(self, "rules", tuple(self.rules))
        if self.otherwise is not None and (not isinstance(self.otherwise, Rule) or self.otherwise.when):
            raise TypeError(f"otherwise must be a Rule without conditions, or None, not {shown(self.otherwise)}")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, at: int) -> Rule: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Rule, ...]: ...

    def __getitem__(self, at: int | slice) -> Rule | tuple[Rule, ...]:
        return self.rules[at] if isinstance(at, slice) else self.rules[editing.position(at, len(self.rules))]

    def to_rules(self) -> RuleSet:
        """These rules."""
        return self

    @property
    def sizes(self) -> dict[str, int]:
        """Number of rules, the default apart."""
        return {"n_rules": len(self.rules)}

    @property
    def size_text(self) -> str:
        """The number of rules, and whether there is a default, in words."""
        return counted(len(self.rules), "rule") + ("" if self.otherwise is None else " and a default")

    # -- answers -------------------------------------------------------------------------------------------------------

    @cached_property
    def _matcher(self) -> _core.Matcher | SurrogateMatcher:
        if any(condition.if_missing or condition.equation is not None for rule in self.rules for condition in rule.when):
            return SurrogateMatcher([rule.when for rule in self.rules])
        columns = self.schema.columns
        levels = [len(column.levels) if column.nominal else 0 for column in columns]
        return _core.Matcher.of(levels, [column.nominal for column in columns], rule_columns(self.rules))

    def _cells(self, X: Any) -> tuple[list[NDArray[Any]], int]:
        return read_cells(X, self.schema)

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Which rows each rule covers in whole: an array of rows x rules."""
        begin, rule, share = self._matcher.all(*self._cells(X))
        out = np.zeros((len(begin) - 1, len(self.rules)), bool)
        rows = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        out[rows[share == 1], rule[share == 1]] = True
        return out

    @in_blocks
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Position of the rule that decides every row, -1 where none holds.

        In an unordered set it is the most confident of those that hold; where rules take parts of a row, the one of the largest.
        """
        arrays, n_rows = self._cells(X)
        if self.ordered and self._in_parts:
            largest = np.asarray(self._covers(arrays, n_rows).argmax(axis=1)).reshape(-1)
            return np.where(largest == len(self.rules), -1, largest)
        if self.ordered:
            return np.asarray(self._matcher.first(arrays, n_rows), np.int64)
        begin, rule, share = self._matcher.all(arrays, n_rows)
        sure = np.array([0.0 if r.confidence is None else r.confidence for r in self.rules])
        rows = np.repeat(np.arange(n_rows), np.diff(begin))
        order = np.lexsort((rule, -share * sure[rule] if len(sure) else share, rows))
        out = np.full(n_rows, -1, np.int64)
        some = np.diff(begin) > 0
        out[some] = rule[order[begin[:-1][some]]]
        return out

    @cached_property
    def _in_parts(self) -> bool:
        """Whether some rule holds of a part of a row whose cell is missing."""
        return any(0 < c.missing_share < 1 and not c.missing for rule in self.rules for c in rule.when)

    @cached_property
    def _predictions(self) -> RulePredictions:
        return RulePredictions(self.rules, self.otherwise, self.target, self.ordered)

    def _votes(self, arrays: list[NDArray[Any]], n_rows: int) -> Any:
        """Sparse rows x (rules and the default): the share each has in the answer."""
        votes = self._covers(arrays, n_rows)
        if self.ordered:  # what rules leave of a row is the default's: nothing is missing from the whole
            return votes
        total = np.asarray(votes.sum(axis=1)).reshape(-1)
        return votes.multiply(1 / total[:, None]).tocsr() if np.any(total != 1) else votes

    def _covers(self, arrays: list[NDArray[Any]], n_rows: int) -> Any:
        """Sparse rows x (rules and the default): which decide a row, or hold of it; the default where none does."""
        from scipy.sparse import csr_matrix

        n = len(self.rules)
        if not self.ordered:
            return with_default(self._matcher.all(arrays, n_rows), n)
        if self._in_parts:
            return in_turn(self._matcher.all(arrays, n_rows), n)
        first = np.asarray(self._matcher.first(arrays, n_rows), np.int64)
        first[first < 0] = n
        return csr_matrix((np.ones(n_rows), first, np.arange(n_rows + 1)), shape=(n_rows, n + 1))

    @in_blocks
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class or number of every row."""
        return self._answers(*self._cells(X))

    def predict_cells(self, cells: Cells, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row, given by its cells as the core reads them."""
        return self._answers(*cells)

    def _answers(self, arrays: list[NDArray[Any]], n_rows: int) -> NDArray[Any]:
        return self._predictions.answers(self._votes(arrays, n_rows), by_column(arrays))

    @in_blocks
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, in declared order: of the rows the deciding rule was scored on, or the mean of all that hold.

        In an ordered list the class that the rule says has the largest share: where more of these rows are of other classes,
        those and its own get their mean.
        """
        if self.target.classes is None:
            raise ValueError("predict_proba needs classes, these rules predict numbers")
        return self.shares_of_cells(self._cells(X))

    def shares_of_cells(self, cells: Cells, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class of every row, given by its cells."""
        return self._predictions.mixed(self._votes(*cells))

    # -- scores --------------------------------------------------------------------------------------------------------

    def scored(self, X: Any, y: Any, sample_weight: Any = None) -> RuleSet:
        """Return the same rules with weight, support, confidence, coverage, lift and errors counted on the given rows.

        In an ordered list a row counts for the rule that decides it, otherwise for every rule that holds.
        """
        arrays, n_rows = self._cells(X)
        truth, weights = read_target(y, sample_weight, self.target, n_rows)
        return self._scored(arrays, n_rows, truth, weights)

    def _scored(self, arrays: list[NDArray[Any]], n_rows: int, truth: NDArray[Any], weights: NDArray[Any] | None) -> RuleSet:
        weights = np.ones(n_rows) if weights is None else weights
        rules = [*self.rules, self.otherwise or Rule((), self._predictions.fallback)]
        rules = scored_rules(rules, self._covers(arrays, n_rows), truth, weights, self.target, by_column(arrays))
        return replace(self, rules=tuple(rules[:-1]), otherwise=None if self.otherwise is None else rules[-1])

    def errors(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Weight of the rows whose class is not the one predicted; for numbers, the sum of squared deviations."""
        predicted = self.predict(X)
        return self._wrong(predicted, *read_target(y, sample_weight, self.target, len(predicted)))

    def _wrong(self, predicted: NDArray[Any], truth: NDArray[Any], weights: NDArray[Any]) -> float:
        if self.target.classes is None:
            return float(np.sum(weights * (predicted - truth) ** 2))
        place = {label: k for k, label in enumerate(self.target.classes)}
        return float(np.sum(weights[np.array([place[label] for label in predicted.tolist()], np.int64) != truth]))

    # -- editing -------------------------------------------------------------------------------------------------------

    def parse(self, text: str) -> RuleSet:
        """Read rules from text, one a line, as :meth:`to_text` writes them, for the same columns and target.

        They are an ordered list where a line begins with "else"; a single rule is ordered as these are. Unless all of these are
        there, what they say where no rule holds becomes the default of text without one. A line that these rules
        print, with what is known of its rows in brackets, is that rule, with all it says of missing cells and unseen levels;
        a number as they write it is theirs. Anything else means what it says; counts of classes are read from text that was
        written in full.
        """
        return editing.parsed(self, text)

    def parse_rule(self, text: str) -> Rule:
        """Read one rule for the same columns and target."""
        refuse_edits(self.rules, self.target)
        return parse_rule(text, self.schema, self.target, self.digits)

    def add(self, rule: Rule | str, at: int | None = None, X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Add a rule, as a value or as text, before position ``at`` or at the end; with rows, all rules are scored anew.

        Text such as ``"else class = setosa"`` takes the place of the default.
        """
        return editing.added(self, rule, at, (X, y, sample_weight))

    def drop(self, at: int, X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Drop the rule at a position; where there is no default, what is said of the rows it leaves becomes one."""
        return editing.dropped(self, at, (X, y, sample_weight))

    def reorder(self, order: Sequence[int], X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Put the rules into another order: the positions they have now, as they shall stand."""
        return editing.reordered(self, order, (X, y, sample_weight))

    def change(
        self, at: int, condition: Condition | str, X: Any = None, y: Any = None, sample_weight: Any = None, says: Any = ...
    ) -> RuleSet:
        """Replace the condition that a rule has on a column, such as ``"age <= 40"``; one on another column is added."""
        return editing.changed(self, at, condition, (X, y, sample_weight), says)

    def tidy(self) -> RuleSet:
        """Return the rules without those that never hold or decide: duplicates, and in a list what earlier rules imply."""
        return editing.tidied(self)

    def simplify(self, X: Any, y: Any, sample_weight: Any = None, confidence: float = 0.25) -> RuleSet:
        """Drop conditions rule by rule, as long as the rule is not expected to be wrong more often on new rows.

        What a rule says, a class, a number or an equation, stays as it is. In an ordered list a rule is judged by the rows that
        come to it, and takes no rows from the rules behind it of which it gets more wrong than they do: on the given rows the
        list is never wrong more often than before (of numbers: by squared deviations). The rules of a tree are then no longer
        those of a tree: they may overlap, then they vote, and rows may be left that none of them covers. They are scored on the
        given rows. An ``otherwise`` that is there stays; else it says the most frequent class (or the mean) of the rows that are
        left, or of all.

        Parameters
        ----------
        X, y, sample_weight
            Rows with their answers, and what they weigh.
        confidence : float, default 0.25
            Of the error that is expected of a rule (C4.5's pessimistic estimate): less drops more. Rules that say numbers are
            judged by their spread, larger where few rows tell.
        """
        from treewright.model.simplify import simplified

        return simplified(self, X, y, sample_weight, confidence)

    # -- what they say -------------------------------------------------------------------------------------------------

    @property
    def used(self) -> list[str]:
        """Names of the columns that any rule tests, in table order."""
        found = {condition.index for rule in self.rules for condition in rule.when}
        return [self.schema.columns[j].name for j in sorted(found)]

    def dnf(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> list[Any]:
        """One rule per class whose conditions are joined by "or"; in an ordered list, one per run of rules that say the same.

        What is said where no rule holds is the last of them. With rows they are scored on these; without, what several rules
        decide together is known of a tree's rules and of ordered lists, not of rules that overlap.
        """
        from treewright.model.dnf import disjunctions

        return disjunctions(self, editing.given((X, y, sample_weight)))

    def to_text(self, full: bool = False) -> str:
        """Write all rules, one a line.

        Parameters
        ----------
        full : bool
            With everything they say of missing cells and unseen levels, and the counts they vote with, so that :meth:`parse`
            gives rules back that predict the same.
        """
        lines = [rule.text(self.target, full, self.digits) for rule in self.rules]
        if self.ordered:
            # A rule without conditions is not the default, which may stand behind it.
            begins = ["else " if rule.when else "else if always then " for rule in self.rules]
            lines = [begin + line if i else line for i, (begin, line) in enumerate(zip(begins, lines, strict=True))]
        if self.otherwise is not None:
            word = "else" if self.ordered else "otherwise"
            lines.append(f"{word} {self.otherwise.text(self.target, full, self.digits)}")
        return "\n".join(lines)

    @cached_property
    def digits(self) -> Digits:
        """How the numbers of these rules are written, and what such a text means."""
        return Digits.of([*self.rules, *([] if self.otherwise is None else [self.otherwise])], self.target)

    def to_markdown(self) -> str:
        """Write the rules as a Markdown table."""
        text: str = parts.writer("rules_markdown")(self)
        return text

    def to_frame(self) -> Any:
        """Return the rules as a table, one a row: a pandas DataFrame, or a pyarrow Table where pandas is not installed."""
        return parts.writer("rules_frame")(self)

    def to_json(self) -> str:
        """Write the rules as JSON: conditions as objects, thresholds in full, counts."""
        text: str = parts.writer("rules_json")(self)
        return text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("rules")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RuleSet of {counted(len(self.rules), 'rule')}>\n{self.to_text()}"


def cells_of(X: Any, schema: TableSchema) -> list[NDArray[Any]]:
    """Return the cells of a table as the core reads them, one array per column."""
    return by_column(read_cells(X, schema)[0])


def by_column(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the columns of a table that is stored in blocks."""
    out: list[NDArray[Any]] = []
    for array in arrays:
        out.extend(array.T if array.ndim == 2 else [array])
    return out
