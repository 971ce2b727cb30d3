"""Rules as a model: an ordered list, of which the first that holds decides, or an unordered set, of which all that hold vote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted
from treewright.model.condition import Condition
from treewright.model.exports import Programs
from treewright.model.flat import rule_columns
from treewright.model.parse import parse_rule
from treewright.model.rule import Rule, fitting, fitting_rule, possible, rows_text, together
from treewright.model.scores import Told, read_target, scored_rules
from treewright.model.surrogate import StandInMatcher
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.schema import apart

__all__ = ["Rule", "RuleSet", "by_column", "cells_of", "rows_text"]


@dataclass(frozen=True)
class RuleSet(Programs):
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
        What is said where no rule holds, a rule without conditions. None where the rules are complete.
    """

    rules: tuple[Rule, ...]
    schema: TableSchema
    target: TargetSchema
    ordered: bool = False
    otherwise: Rule | None = None

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, at: int) -> Rule:
        return self.rules[at]

    def save(self, path: Any) -> None:
        """Write the rules to a file that :func:`treewright.load` reads: whole or not at all, packed by gzip if it ends in .gz.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        parts.writer("file")("rules", self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: tuple[Any, ...] = parts.writer("pickle")("rules", self)
        return reduced

    def _explored(self) -> dict[str, Any]:
        return {"rules": self}

    # -- answers -------------------------------------------------------------------------------------------------------

    @cached_property
    def _matcher(self) -> _core.Matcher | StandInMatcher:
        if any(condition.instead for rule in self.rules for condition in rule.when):
            return StandInMatcher([rule.when for rule in self.rules])
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
        held = np.diff(begin) > 0
        out[held] = rule[order[begin[:-1][held]]]
        return out

    @cached_property
    def _in_parts(self) -> bool:
        """Whether some rule holds of a part of a row whose cell is missing."""
        return any(0 < c.missing_share < 1 and not c.missing for rule in self.rules for c in rule.when)

    @cached_property
    def _told(self) -> Told:
        return Told(self.rules, self.otherwise, self.target)

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
            return _with_default(self._matcher.all(arrays, n_rows), n)
        if self._in_parts:
            return _in_turn(self._matcher.all(arrays, n_rows), n)
        first = np.asarray(self._matcher.first(arrays, n_rows), np.int64)
        first[first < 0] = n
        return csr_matrix((np.ones(n_rows), first, np.arange(n_rows + 1)), shape=(n_rows, n + 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class or number of every row."""
        arrays, n_rows = self._cells(X)
        return self._told.answers(self._votes(arrays, n_rows), by_column(arrays))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, in declared order: of the rows the deciding rule was scored on, or the mean of all that hold."""
        if self.target.classes is None:
            raise ValueError("predict_proba needs classes, these rules predict numbers")
        return self._told.mixed(self._votes(*self._cells(X)))

    def explain(self, X: Any) -> Any:
        """Explain what the rules say of one row: which hold, which decides, and which others it misses by one condition."""
        return parts.writer("explain_rules")(self, X)

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
        rules = [*self.rules, self.otherwise or Rule((), self._told.fallback)]
        rules = scored_rules(rules, self._covers(arrays, n_rows), truth, weights, self.target, by_column(arrays))
        return replace(self, rules=tuple(rules[:-1]), otherwise=None if self.otherwise is None else rules[-1])

    def errors(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Weight of the rows whose class is not the one predicted; for numbers, the sum of squared deviations."""
        said = self.predict(X)
        truth, weights = read_target(y, sample_weight, self.target, len(said))
        if self.target.classes is None:
            return float(np.sum(weights * (said - truth) ** 2))
        place = {label: k for k, label in enumerate(self.target.classes)}
        return float(np.sum(weights[np.array([place[label] for label in said.tolist()], np.int64) != truth]))

    # -- editing -------------------------------------------------------------------------------------------------------

    def _edited(self, rules: Iterable[Rule], rows: tuple[Any, Any, Any], same_cover: bool = False) -> RuleSet:
        """The set with other rules; unless they cover the same rows together, those of the default are not known."""
        otherwise = self.otherwise if same_cover or self.otherwise is None else self.otherwise.unscored()
        new = replace(self, rules=tuple(rules), otherwise=otherwise)
        X, y, sample_weight = rows
        if (X is None) != (y is None):
            raise ValueError("to score the rules anew both X and y are needed")
        return new if X is None else new.scored(X, y, sample_weight)

    def _unscored_from(self, at: int) -> tuple[Rule, ...]:
        """The rules; in an ordered list, those from ``at`` on decide other rows after an edit and lose their counts."""
        if not self.ordered:
            return self.rules
        return (*self.rules[:at], *(rule.unscored() for rule in self.rules[at:]))

    def _position(self, at: Any, last: int) -> int:
        if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not -last <= at < last:
            raise IndexError(f"there is no rule {at!r}: the rules are 0 to {last - 1}")
        return int(at) % last

    def parse(self, text: str) -> RuleSet:
        """Read rules from text, one a line, as :meth:`to_text` writes them, for the same columns and target.

        They are an ordered list where a line begins with "else"; a single rule is ordered as these are.
        """
        if not isinstance(text, str):
            raise TypeError(f"rules are read from text, not from {type(text).__name__}")
        lines = [line for line in text.splitlines() if line.strip()]
        rules = [parse_rule(line, self.schema, self.target) for line in lines]
        begins = [line.strip().startswith(("if ", "else if ")) for line in lines]
        otherwise = None
        if rules and not begins[-1] and lines[-1].strip().startswith(("else ", "otherwise ")):
            otherwise = rules.pop()
        ordered = any(line.strip().startswith("else ") for line in lines)
        if len(lines) < 2 and otherwise is None:  # nothing in the text tells
            ordered = ordered or self.ordered
        return RuleSet(tuple(rules), self.schema, self.target, ordered, otherwise)

    def parse_rule(self, text: str) -> Rule:
        """Read one rule for the same columns and target."""
        return parse_rule(text, self.schema, self.target)

    def add(self, rule: Rule | str, at: int | None = None, X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Add a rule, as a value or as text, before position ``at`` or at the end; with rows, all rules are scored anew."""
        rule = self.parse_rule(rule) if isinstance(rule, str) else fitting_rule(rule, self.schema, self.target)
        when = together(rule.when)
        if not possible(when):
            raise ValueError(f"the rule can never hold: {rule.text(self.target)}")
        place = len(self.rules) if at is None else self._position(at, len(self.rules) + 1)
        rules = self._unscored_from(place)
        return self._edited([*rules[:place], replace(rule.unscored(), when=when), *rules[place:]], (X, y, sample_weight))

    def drop(self, at: int, X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Drop the rule at a position."""
        place = self._position(at, len(self.rules))
        rules = self._unscored_from(place)
        return self._edited([*rules[:place], *rules[place + 1 :]], (X, y, sample_weight))

    def reorder(self, order: Sequence[int], X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleSet:
        """Put the rules into another order: the positions they have now, as they shall stand."""
        if sorted(order) != list(range(len(self.rules))):
            raise ValueError(f"order={list(order)!r} is not allowed: it must name every position from 0 to {len(self) - 1} once")
        rules = self._unscored_from(0)
        return self._edited([rules[i] for i in order], (X, y, sample_weight), same_cover=True)

    def change(
        self, at: int, condition: Condition | str, X: Any = None, y: Any = None, sample_weight: Any = None, says: Any = ...
    ) -> RuleSet:
        """Replace the condition that a rule has on a column, such as ``"age <= 40"``; one on another column is added."""
        from treewright.model.parse import parse_condition

        place = self._position(at, len(self.rules))
        new = parse_condition(condition, self.schema) if isinstance(condition, str) else fitting(condition, self.schema)
        old = self.rules[place]
        when = tuple(new if c.index == new.index else c for c in old.when)
        when = together(when if new in when else (*when, new))
        if not possible(when):
            raise ValueError(f"the rule can never hold: {replace(old, when=when).unscored().text(self.target)}")
        rules = list(self._unscored_from(place))
        rules[place] = fitting_rule(Rule(when, old.says if says is ... else says), self.schema, self.target)
        return self._edited(rules, (X, y, sample_weight))

    def tidy(self) -> RuleSet:
        """Return the rules without those that never hold or decide: duplicates, and in a list what earlier rules imply."""
        kept: list[Rule] = []
        for rule in self.rules:
            if not possible(rule.when) or any(rule == old or (self.ordered and rule.implies(old)) for old in kept):
                continue
            kept.append(rule)
        return replace(self, rules=tuple(kept))

    def simplify(self, X: Any, y: Any, sample_weight: Any = None, confidence: float = 0.25) -> RuleSet:
        """Drop conditions rule by rule, as long as the rule is not expected to be wrong more often on new rows.

        The rules are then no longer those of a tree: they may overlap, and rows may be left that none of them covers. They are
        scored on the given rows; ``otherwise`` says the most frequent class (or the mean) of those that are left, or of all.
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

        if (X is None) != (y is None):
            raise ValueError("to score the rules both X and y are needed")
        return disjunctions(self, None if X is None else (X, y, sample_weight))

    def to_text(self, full: bool = False) -> str:
        """Write all rules, one a line.

        Parameters
        ----------
        full : bool
            With everything they say of missing cells and unseen levels, so that :meth:`parse` gives the same rules back.
        """
        texts = self.answer_texts()
        lines = [rule.text(self.target, full, texts) for rule in self.rules]
        if self.ordered:
            lines = [f"else {line}" if i else line for i, line in enumerate(lines)]
        if self.otherwise is not None:
            word = "else" if self.ordered else "otherwise"
            lines.append(f"{word} {self.otherwise.text(self.target, full, texts)}")
        return "\n".join(lines)

    def answer_texts(self) -> dict[float, str]:
        """Texts of the numbers that rules say, where six digits do not tell them apart."""
        every = [*self.rules, *([] if self.otherwise is None else [self.otherwise])]
        return {} if self.target.nominal else apart(rule.says for rule in every if isinstance(rule.says, float))

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

    def _program(self) -> Any:
        return parts.writer("rule_program")(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("rules")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RuleSet of {counted(len(self.rules), 'rule')}>\n{self.to_text()}"


def _in_turn(matches: Any, n: int) -> Any:
    """Rows x (rules and the default) of an ordered list: every rule takes its share of what those before it left of a row."""
    from scipy.sparse import csr_matrix

    begin, rule, share = matches
    n_rows = len(begin) - 1
    counts = np.diff(begin)
    left, votes = np.ones(n_rows), np.zeros(len(rule))
    for turn in range(int(counts.max(initial=0))):
        rows = np.flatnonzero((counts > turn) & (left > 0))
        at = begin[:-1][rows] + turn
        votes[at] = left[rows] * share[at]
        left[rows] = np.where(share[at] == 1, 0.0, left[rows] - votes[at])
    some = votes > 0
    rest = np.flatnonzero(left > 0)
    rows = np.concatenate([np.repeat(np.arange(n_rows), counts)[some], rest])
    columns = np.concatenate([rule.astype(np.int64)[some], np.full(len(rest), n)])
    return csr_matrix((np.concatenate([votes[some], left[rest]]), (rows, columns)), shape=(n_rows, n + 1))


def _with_default(matches: Any, n: int) -> Any:
    """Rows x (rules and the default), where rows without a rule count for the default."""
    from scipy.sparse import csr_matrix

    begin, rule, share = matches

    none = np.flatnonzero(np.diff(begin) == 0)
    rows = np.concatenate([np.repeat(np.arange(len(begin) - 1), np.diff(begin)), none])
    columns = np.concatenate([rule.astype(np.int64), np.full(len(none), n)])
    return csr_matrix((np.concatenate([share, np.ones(len(none))]), (rows, columns)), shape=(len(begin) - 1, n + 1))


def cells_of(X: Any, schema: TableSchema) -> list[NDArray[Any]]:
    """Return the cells of a table as the core reads them, one array a column."""
    return by_column(read_cells(X, schema)[0])


def by_column(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the columns of a table that is stored in blocks."""
    out: list[NDArray[Any]] = []
    for array in arrays:
        out.extend(array.T if array.ndim == 2 else [array])
    return out
