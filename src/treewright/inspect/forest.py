"""Why a forest says what it says of one row: what its members say, which columns they asked about, and the way of any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.errors import counted
from treewright.inspect.explain import one_row
from treewright.inspect.vote import vote
from treewright.model.combine import Scores
from treewright.model.rules import RuleSet, by_column
from treewright.model.tree import Tree
from treewright.table import read_cells
from treewright.table.schema import value_text

if TYPE_CHECKING:
    from treewright.model.forest import Forest
    from treewright.model.protocol import Model

_ASKED = 3  # columns that are named in one line


@dataclass(frozen=True, slots=True)
class Asked:
    """A column that members asked about on the way of a row.

    Attributes
    ----------
    column : str
        Its name.
    members : int
        How many members asked about it.
    times : int
        How often they did, all together.
    """

    column: str
    members: int
    times: int


@dataclass(frozen=True, slots=True)
class Score:
    """A score that members add up.

    Attributes
    ----------
    of : object
        The class, or the name of the number, that it is about.
    base : float
        The score before any member.
    added : float
        What all members add to it.
    members : int
        How many of them there are.
    """

    of: Any
    base: float
    added: float
    members: int


@dataclass(frozen=True)
class ForestExplanation:
    """What a forest says of one row, and how its members came to it.

    Attributes
    ----------
    row : dict
        The row's cells as text, by column; None where missing.
    target : str
        Name of what is predicted.
    says : object
        The class or number; a tuple of several numbers.
    shares : dict or None
        Share of every class as ``predict_proba`` gives it, in declared order; None for numbers.
    votes : dict or None
        Share of the members, by their weights, that say each class, in declared order; None where they say numbers.
    answers : tuple
        What every member says.
    weights : tuple of float
        What every member counts.
    asked : tuple of Asked
        The columns that members asked about on the row's ways, those of most members first.
    combined : str
        How the answers become one, in words: "mean of", "votes of", "weighted median of", "scores added up by".
    scores : tuple of Score
        The scores that members add up, where they do.
    """

    row: dict[str, str | None]
    target: str
    says: Any
    shares: dict[Any, float] | None
    votes: dict[Any, float] | None
    answers: tuple[Any, ...]
    weights: tuple[float, ...]
    asked: tuple[Asked, ...]
    combined: str
    scores: tuple[Score, ...]
    _members: Sequence[Model] = field(repr=False)
    _table: Any = field(repr=False)

    @property
    def share(self) -> float | None:
        """Share of the class said; None for numbers."""
        return None if self.shares is None else self.shares[self.says]

    @property
    def counts(self) -> dict[Any, int] | None:
        """How many members say each class that any of them says, most first, then as declared; None for numbers."""
        if self.votes is None:
            return None
        found = Counter(self.answers)
        return {label: found[label] for label in sorted(self.votes, key=lambda one: -found[one]) if found[label]}

    @property
    def spread(self) -> tuple[float, ...] | None:
        """The least number that a member says, the quartiles, and the largest; None for classes, scores and several numbers."""
        if self.votes is not None or self.scores or isinstance(self.says, tuple):
            return None
        return tuple(np.quantile(np.array(self.answers, float), (0, 0.25, 0.5, 0.75, 1)).tolist())

    def member(self, at: int) -> Any:
        """Explain the way of the row in one member, by its position.

        Parameters
        ----------
        at : int
            The member.

        Returns
        -------
        Explanation or RuleExplanation
        """
        if not -len(self._members) <= at < len(self._members):
            raise IndexError(f"there is no member {at}: the forest has {len(self._members)}, numbered from 0")
        return self._members[at].explain(self._table)

    def to_text(self, max_columns: int | None = 10) -> str:
        """Write the explanation, one thought per line.

        Parameters
        ----------
        max_columns : int, optional
            How many columns that members asked about are written; None: all.
        """
        text: str = parts.writer("forest_explanation")(self, max_columns)
        return text

    def to_sentence(self) -> str:
        """Write one line: what is said, how many members say so, and what they asked about most."""
        text: str = parts.writer("forest_sentence")(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain dictionaries and lists."""
        return {
            "row": dict(self.row),
            "target": self.target,
            "says": list(self.says) if isinstance(self.says, tuple) else self.says,
            "share": self.share,
            "shares": None if self.shares is None else dict(self.shares),
            "votes": None if self.votes is None else dict(self.votes),
            "spread": None if self.spread is None else list(self.spread),
            "answers": [list(one) if isinstance(one, tuple) else one for one in self.answers],
            "weights": list(self.weights),
            "scores": [{"of": one.of, "base": one.base, "added": one.added, "members": one.members} for one in self.scores],
            "asked": [{"column": one.column, "members": one.members, "times": one.times} for one in self.asked],
        }

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": parts.writer("forest_card")(self)}


def explain_forest(forest: Forest, row: Any) -> ForestExplanation:
    """Explain what a forest says of one row: a table of one row, a Series or a dict."""
    table = one_row(row, forest.schema.names)
    arrays, n_rows = read_cells(table, forest.schema)
    if n_rows != 1:
        raise ValueError(f"{n_rows} rows were given: explain one row, such as X.iloc[[0]]")
    cells, columns = (arrays, 1), by_column(arrays)
    classes = forest.target.classes
    answers = tuple(_plain(member.predict_cells(cells)[0]) for member in forest.members)
    times = [_asked(member, arrays, table) for member in forest.members]
    members = Counter(name for each in times for name in each)
    total = sum(times, Counter())
    asked = [Asked(name, n, total[name]) for name, n in members.items()]
    shares = votes = None
    if classes is not None:
        shares = dict(zip(classes, forest.shares_of_cells(cells)[0].tolist(), strict=True))
    if forest.combine.told(forest.target)[0] is not None:
        assert classes is not None
        weights = np.array(forest.weights)
        said = np.array([classes.index(answer) for answer in answers])
        votes = {label: float(weights[said == k].sum() / weights.sum()) for k, label in enumerate(classes)}
    return ForestExplanation(
        row={column.name: column.cell_text(float(columns[j][0])) for j, column in enumerate(forest.schema.columns)},
        target=forest.target.name,
        says=_plain(forest.predict_cells(cells)[0]),
        shares=shares,
        votes=votes,
        answers=answers,
        weights=forest.weights,
        asked=tuple(sorted(asked, key=lambda one: (-one.members, -one.times))),
        combined=forest.combine.text,
        scores=_scores(forest, forest.combine, answers) if isinstance(forest.combine, Scores) else (),
        _members=forest.members,
        _table=table,
    )


def _scores(forest: Forest, combine: Scores, answers: tuple[float, ...]) -> tuple[Score, ...]:
    """What members add to the scores of one row."""
    names: tuple[Any, ...] = forest.target.classes or forest.target.outputs or (forest.target.name,)
    added = [0.0] * len(combine.base)
    for score, weight, answer in zip(combine.adds_to, forest.weights, answers, strict=True):
        added[score] += weight * answer
    every = zip(names[-len(added) :], combine.base, added, strict=True)  # of two classes, the second
    return tuple(Score(name, base, more, combine.adds_to.count(k)) for k, (name, base, more) in enumerate(every))


def forest_reasons(forest: Forest, X: Any) -> list[str]:
    """Return of each row how many members say what the forest says, or how far their numbers go, and what they ask about most."""
    cells = read_cells(X, forest.schema)
    said = np.stack([member.predict_cells(cells) for member in forest.members], axis=1)
    nested = any(member.kind == "forest" for member in forest.members)  # whose rows have no single leaf
    leaves = np.zeros((len(said), 0), np.int64) if nested else forest.apply(X)
    ways: dict[tuple[int, int], Counter[str]] = {}
    whole = forest.predict_cells(cells).tolist()
    out = []
    for at in range(len(said)):
        asked: Counter[str] = Counter()
        for m, leaf in enumerate(leaves[at].tolist()):
            if (m, leaf) not in ways:
                ways[m, leaf] = _way(forest.members[m], leaf)
            asked.update(ways[m, leaf].keys())
        most = ", ".join(f"{name} ({n})" for name, n in asked.most_common(_ASKED))
        out.append(f"{_told(forest, said[at].tolist(), whole[at])}{f'; asked about most: {most}' if most else ''}")
    return out


def _told(forest: Forest, said: list[Any], whole: Any) -> str:
    """What members say of one row, in short."""
    if isinstance(forest.combine, Scores):
        added = [weight * number for weight, number in zip(forest.weights, said, strict=True)]
        return f"{counted(len(said), 'member')} add {value_text(min(added))} to {value_text(max(added))} each"
    if forest.target.classes is not None:
        return f"{said.count(whole)} of {counted(len(said), 'member')} say {whole}"
    if forest.target.outputs:
        return f"{counted(len(said), 'member')}"
    return f"{counted(len(said), 'member')} say {value_text(min(said))} to {value_text(max(said))}"


def _plain(answer: Any) -> Any:
    """An answer as a plain value: a class, a number, or a tuple of numbers."""
    if isinstance(answer, np.ndarray):
        return tuple(answer.tolist())
    return answer.item() if isinstance(answer, np.generic) else answer


def _asked(member: Model, arrays: list[NDArray[Any]], table: Any) -> Counter[str]:
    """How often a member asks about each column on the ways of one row; one that is a forest, by its members."""
    if member.kind == "forest":
        return sum((_asked(one, arrays, table) for one in member.members), Counter())  # type: ignore[attr-defined]
    if isinstance(member, Tree):
        routes: Any = member._core.route(arrays, 1, 1)
        leaf, begin, _, _ = routes
        if begin is None and not member.gates:
            return _way(member, int(leaf[0]))
        nodes = {node for part in vote(member, by_column(arrays), 0).parts for node in _above(member, part.leaf)}
        return Counter(name for node in nodes for name in _tested(member, node))
    return _way(member, int(member.apply(table)[0]))


def _way(member: Model, end: int) -> Counter[str]:
    """How often each column is asked about above a leaf, or in a rule."""
    if isinstance(member, Tree):
        return Counter(name for node in _above(member, end) for name in _tested(member, node))
    if isinstance(member, RuleSet) and end >= 0 and end < len(member):
        return Counter(condition.column.name for condition in member[end].when)
    return Counter()


def _above(tree: Tree, leaf: int) -> list[int]:
    """The nodes above a leaf."""
    parent = tree.node_entries.parent
    out = []
    while (leaf := int(parent[leaf])) >= 0:
        out.append(leaf)
    return out


def _tested(tree: Tree, node: int) -> list[str]:
    """The columns that a node asks about: several where it tests a sum of them."""
    source = tree.splits.source(node)
    if source.equation is None:
        return [source.column.name]
    return [tree.schema.names[index] for index in dict.fromkeys(j for term in source.equation.terms for j in term.indices)]
