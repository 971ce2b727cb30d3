"""A grown tree as a value: immutable, with the schema of its table, so that it can predict and speak in the user's terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted
from treewright.model.condition import ByColumn, listed, with_condition
from treewright.model.exports import Exports
from treewright.model.importance import KINDS, importances
from treewright.model.linear import LinearModels
from treewright.model.node import Node, branch_conditions
from treewright.model.rule import Rule, possible
from treewright.model.rules import RuleSet
from treewright.model.ties import in_blocks, settled, told, winner
from treewright.table import ColumnSchema, TableSchema, TargetSchema, read_cells
from treewright.table.schema import WIDEST


@dataclass(frozen=True, slots=True)
class Step:
    """One refinement of a growing tree: which node was split, how, and what it gained."""

    number: int
    node: int
    path: str
    column: str
    family: str
    into: tuple[str, ...]  # the conditions of the branches
    gain: float
    n_branches: int
    n_leaves: int  # of the tree after this step


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the space that a leaf answers for: an interval per numeric column, a set of levels per nominal one.

    Attributes
    ----------
    leaf : int
        The leaf.
    bounds : dict
        (low, high) of every numeric column, of dates and durations as such; which end belongs to the region follows ``relation``.
        None where only a missing cell comes here.
    levels : dict
        The levels of every nominal, ordered and boolean column; none where only a missing cell comes here.
    missing : frozenset of str
        Columns whose missing cells come here as well; where they go down several branches, no region has them, nor where other
        columns stand in for them (surrogates): a box cannot say what those must hold.
    relation : {"<=", "<"}
        "<=": low < x <= high. "<": low <= x < high.
    prediction : object
        What the leaf says.
    weight : float
        Weight of its training rows.
    """

    leaf: int
    bounds: dict[str, tuple[Any, Any] | None]
    levels: dict[str, tuple[Any, ...]]
    missing: frozenset[str]
    relation: str
    prediction: Any
    weight: float


class Tree(Exports):
    """A decision or regression tree.

    Made by the estimators (``est.tree_``); never changes. Whatever cuts it back returns a new tree.
    """

    families: tuple[str, ...] = tuple(_core.families())

    def __init__(
        self,
        core: _core.Tree,
        schema: TableSchema,
        target: TargetSchema,
        models: LinearModels | None = None,
        vectors: NDArray[np.float64] | None = None,
    ) -> None:
        self._core = core
        self.schema = schema
        self.target = target
        self.models = models
        self.vectors = vectors  # what every node says, where that is several numbers: nodes x numbers

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """The columns of the table the tree was grown from."""
        return self.schema.columns

    @property
    def missing(self) -> str:
        """The policy for missing cells."""
        return self.schema.missing

    # -- shape ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._core.state()
        return state

    @cached_property
    def _depths(self) -> NDArray[np.uint32]:
        return np.asarray(self._core.depths())

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return int(self._core.size)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves, empty branches included."""
        return int(np.count_nonzero(self._state["n_children"] == 0))

    @property
    def n_splits(self) -> int:
        """Number of inner nodes."""
        return self.n_nodes - self.n_leaves

    @cached_property
    def depth(self) -> int:
        """Length of the longest path from the root."""
        return int(self._depths.max())

    @property
    def root(self) -> Node:
        """The node every row starts at."""
        return Node(self, 0)

    def node(self, id: int) -> Node:
        """Return the node of that number."""
        if not 0 <= id < self.n_nodes:
            raise IndexError(f"node {id} does not exist: the tree has nodes 0 to {self.n_nodes - 1}")
        return Node(self, id)

    def nodes(self) -> Iterator[Node]:
        """All nodes; a parent comes before its children."""
        return (Node(self, i) for i in range(self.n_nodes))

    def leaves(self) -> list[Node]:
        """All leaves, from the first branch to the last."""
        out, open_ = [], [0]
        first, count = self._state["first_child"], self._state["n_children"]
        while open_:
            at = open_.pop()
            if count[at] == 0:
                out.append(Node(self, at))
            open_.extend(range(int(first[at]) + int(count[at]) - 1, int(first[at]) - 1, -1) if count[at] else ())
        return out

    def paths(self) -> list[list[Node]]:
        """For every leaf the nodes from the root to it."""
        out = []
        for leaf in self.leaves():
            path = [leaf]
            while (up := path[-1].parent) is not None:
                path.append(up)
            out.append(path[::-1])
        return out

    def _walk(self) -> Iterator[tuple[Node, ByColumn]]:
        """All nodes from the first branch to the last, each with the conditions that lead to it."""
        open_: list[tuple[int, ByColumn]] = [(0, {})]
        while open_:
            id, path = open_.pop()
            node = Node(self, id)
            yield node, path
            if node.is_leaf:
                continue
            first = node._get("first_child")
            conditions = branch_conditions(node)
            for branch in range(len(conditions) - 1, -1, -1):
                open_.append((first + branch, with_condition(path, conditions[branch])))

    def trace(self) -> list[Step]:
        """The refinements in the order in which they were made: a greedy search, never taken back."""
        splits = [(node._get("step"), node, path) for node, path in self._walk() if not node.is_leaf]
        steps: list[Step] = []
        leaves = 1
        for number, node, path in sorted(splits, key=lambda entry: entry[0]):
            n_branches = node._get("n_children")
            leaves += n_branches - 1
            column = self.columns[node._get("column")].name
            family = self.families[node._get("family")]
            into = tuple(condition.text() for condition in branch_conditions(node))
            where = " and ".join(condition.text() for condition in listed(path)) or "all rows"
            steps.append(Step(number, node.id, where, column, family, into, node.gain, n_branches, leaves))
        return steps

    def seen_levels(self, column: int) -> tuple[int, ...]:
        """Codes of the levels of a column that the tree knows."""
        return self.schema.known[column]

    def validate(self) -> Tree:
        """Check that the tree is whole, and return it.

        Every node has one parent and a lower number than its children, every column, level, class and branch it speaks of
        exists, cuts ascend, figures are finite, and the schema is that of the columns. Trees made by an estimator are; one that
        was changed by hand or read from elsewhere may not be.

        Raises
        ------
        ValueError
            Names the node and what is wrong with it.
        """
        self._core.validate()
        state = self._state
        classes = len(self.target.classes or ())
        if classes != state["n_classes"]:
            raise ValueError(f"the tree is damaged: it counts {state['n_classes']} classes, its target has {classes}")
        kinds = [int(column.nominal) for column in self.columns]
        levels = [len(column.levels) if column.nominal else 0 for column in self.columns]
        stored = np.where(state["column_kind"] == 1, state["column_levels"], 0).tolist()
        if kinds != state["column_kind"].tolist() or levels != stored:
            raise ValueError("the tree is damaged: the columns of its schema are not those it was grown from")
        known = [set(codes) - set(range(n)) for codes, n in zip(self.schema.known, levels, strict=False)]
        if len(self.schema.known) != len(kinds) or any(known):
            raise ValueError("the tree is damaged: its schema knows levels that no column has")
        return self

    # -- answers -------------------------------------------------------------------------------------------------------

    @cached_property
    def _all_numbers(self) -> bool:
        return all(column.kind == "number" for column in self.columns)

    def _route(self, X: Any, threads: int = 1) -> Any:
        if type(X) is np.ndarray and self._all_numbers:
            routes = self._core.route_matrix(X, self.missing == "refuse", threads)
            if routes is not None:
                return routes
        arrays, n_rows = read_cells(X, self.schema)
        return self._core.route(arrays, n_rows, threads)

    def apply(self, X: Any, threads: int = 1) -> NDArray[np.int64]:
        """Leaf of every row; of several (missing cells followed down all branches) the one with the largest share."""
        leaf: NDArray[np.int64] = self._route(X, threads)[0]
        return leaf

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row."""
        if self.models is not None:
            arrays, n_rows = read_cells(X, self.schema)
            if self.target.classes is None:
                return self.models.answers(arrays, n_rows, threads)
            models = self.models

            def best(rows: NDArray[np.int64]) -> NDArray[np.int64]:
                return np.argmax(models.answers([array[rows[0] : rows[-1] + 1] for array in arrays], len(rows), threads), axis=1)

            return self._labels[in_blocks(np.arange(n_rows), len(self.target.classes), best)]
        routes = self._route(X, threads)
        leaf, begin, leaves, shares = routes
        if begin is None:
            return self._said.take(leaf, axis=0)
        if self.target.classes is None:
            return self._mixed(begin, leaves, shares) @ self._said
        return self._labels[self.classes_said(routes)]

    def classes_said(self, routes: Any) -> NDArray[np.int64]:
        """Positions of the classes that rows sent down these routes are given."""
        leaf, begin, leaves, shares = routes
        label = self._state["label"][leaf]
        if begin is not None:
            several = np.flatnonzero(np.diff(begin) > 1)
            mixed = self._mixed(begin, leaves, shares)
            width = len(self.target.classes or ())
            label[several] = in_blocks(several, width, lambda rows: winner(_dense(mixed[rows] @ self._class_shares)))
        return np.asarray(label, np.int64)

    def predict_proba(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class, in declared order, per row."""
        if self.target.classes is None:
            raise ValueError("predict_proba needs classes, this tree predicts numbers")
        if self.models is not None:
            return self.models.answers(*read_cells(X, self.schema), threads)
        leaf, begin, leaves, shares = self._route(X, threads)
        if begin is not None:
            return self._mixed_shares(begin, leaves, shares)
        table = self._class_shares
        return table.take(leaf, axis=0) if isinstance(table, np.ndarray) else np.asarray(table[leaf].toarray())

    @cached_property
    def _said(self) -> NDArray[Any]:
        """What every node predicts."""
        if self.vectors is not None:
            return self.vectors
        said: NDArray[Any] = self._state["value"] if self.target.classes is None else self._labels[self._state["label"]]
        return said

    @cached_property
    def _labels(self) -> NDArray[Any]:
        classes = self.target.classes or ()
        labels = np.asarray(classes)
        if labels.ndim != 1 or labels.tolist() != list(classes):
            labels = np.empty(len(classes), object)
            labels[:] = classes
        return labels

    @cached_property
    def _class_shares(self) -> Any:
        """Class shares of every node: dense while that is small, sparse beyond."""
        from scipy.sparse import csr_matrix

        state = self._state
        begin, ids, weights = state["class_begin"], state["class_id"], state["class_weight"]
        totals = np.add.reduceat(weights, begin[:-1].astype(np.int64))
        counts = np.diff(begin).astype(np.int64)
        data = weights / np.repeat(totals, counts)
        if self.missing in ("fraction", "spread"):
            said = np.zeros(self.n_nodes)
            node = np.repeat(np.arange(self.n_nodes), counts)
            own = ids == state["label"][node]
            said[node[own]] = data[own]
            data = told(data, said[node])
        shape = (self.n_nodes, len(self.target.classes or ()))
        matrix = csr_matrix((data, ids.astype(np.int64), begin.astype(np.int64)), shape=shape)
        return matrix.toarray() if shape[0] * shape[1] <= 20_000_000 else matrix

    def node_shares(self, id: int) -> NDArray[np.float64]:
        """Share of every class at one node, in declared order."""
        row = self._class_shares[id]
        return np.asarray(row.toarray() if hasattr(row, "toarray") else row).reshape(-1)

    def _mixed(self, begin: Any, leaves: Any, shares: Any) -> Any:
        from scipy.sparse import csr_matrix

        return csr_matrix((shares, leaves, begin), shape=(len(begin) - 1, self.n_nodes))

    def _mixed_shares(self, begin: Any, leaves: Any, shares: Any) -> NDArray[np.float64]:
        out = _dense(self._mixed(begin, leaves, shares) @ self._class_shares)
        several = np.diff(begin) > 1
        out[several] = settled(out[several])
        return out

    def decision_path(self, X: Any, threads: int = 1) -> Any:
        """Sparse indicator of the nodes each row passes (rows x nodes)."""
        from scipy.sparse import csr_matrix

        leaf, begin, leaves, _ = self._route(X, threads)
        if begin is None:
            begin, leaves = np.arange(len(leaf) + 1), leaf
        indptr, indices = self._core.paths(begin, leaves, threads)
        return csr_matrix((np.ones(len(indices), np.int64), indices, indptr), shape=(len(begin) - 1, self.n_nodes))

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def feature_importances(self) -> NDArray[np.float64]:
        """Share of each column in the total fall of weighted impurity (all 0 for a single leaf).

        Where there are surrogates, they count as in :meth:`importances`.
        """
        fall, _ = importances(self._state, len(self.columns), "surrogates")
        total = fall.sum()
        return fall / total if total > 0 else np.zeros(len(fall))

    def importances(self, by: str = "surrogates") -> dict[str, float]:
        """Importance of every column that has any, the largest first.

        Parameters
        ----------
        by : {"surrogates", "splits", "book"}, default "surrogates"
            "splits": fall of impurity times weight, summed over the column's splits. "surrogates": also, where the column is a
            surrogate, the fall by the split times the adjusted agreement (rpart's ``variable.importance``). "book": there the
            fall that the surrogate itself would bring (Breiman et al. 1984, section 5.3.4).

        Returns
        -------
        dict of str to float
            By name of the column, in the unit of the impurity times the weight of the rows.
        """
        fall, unit = importances(self._state, len(self.columns), parts.check_name("by", by, KINDS))
        order = np.argsort(-fall, kind="stable")
        return {self.columns[j].name: float(fall[j]) * unit for j in order.tolist() if fall[j] > 0}

    @property
    def used_columns(self) -> list[str]:
        """Names of the columns the tree tests, in table order."""
        found = set(self._state["column"].tolist()) - {-1}
        return [self.columns[j].name for j in sorted(found)]

    def to_rules(self) -> RuleSet:
        """One rule per leaf that a row can reach, conditions on one column put together."""
        total = self.root.weight
        classes = self.target.classes
        prior = self.root.value if classes is not None else {}
        assert isinstance(prior, dict)
        rules = []
        for leaf, path in self._walk():
            if not leaf.is_leaf or not possible(path.values()):
                continue
            equation, scores = leaf.equation, leaf.scores
            says = scores or (leaf.prediction if equation is None else equation.said)
            confidence = counts = coverage = lift = None
            if classes is not None and self.models is None and isinstance(value := leaf.value, dict):
                confidence = value.get(says, 0.0) / sum(value.values())
                counts = tuple(value.get(label, 0.0) for label in classes)
                share = prior.get(says, 0.0)
                coverage = leaf.weight * confidence / share if share > 0 else 0.0
                portion = share / sum(prior.values())
                lift = confidence / portion if portion > 0 else None
            facts = (leaf.weight, leaf.weight / total, confidence, leaf.id, leaf.spread, counts, coverage, lift)
            rules.append(Rule(listed(path), says, *facts))
        return RuleSet(tuple(rules), self.schema, self.target)

    def regions(self) -> list[Region]:
        """The disjoint boxes of the leaves.

        Together they cover the space: of known values, and of missing ones too where each of them has one way to go,
        whatever the other columns hold: not where surrogates stand in for a cell that is missing, or for a level that a node
        does not know.
        """
        relation = "<" if bool(np.any(self._state["strict"])) else "<="
        out = []
        for leaf, conditions in self._walk():
            if not leaf.is_leaf:
                continue
            if not all(
                condition.possible and (condition.holds_known or not condition.instead) for condition in conditions.values()
            ):
                continue  # nothing comes here, or only rows whose other columns say so
            bounds: dict[str, tuple[Any, Any] | None] = {}
            levels: dict[str, tuple[Any, ...]] = {}
            missing = set()
            for j, column in enumerate(self.columns):
                condition = conditions.get(j)
                if self.missing != "refuse" and (condition is None or (condition.missing and not condition.instead)):
                    missing.add(column.name)
                if condition is not None and not condition.holds_known:
                    if column.nominal or column.kind in ("ordered", "bool"):
                        levels[column.name] = ()
                    else:
                        bounds[column.name] = None
                elif column.nominal:
                    codes = condition.levels if condition is not None else None
                    levels[column.name] = tuple(v for k, v in enumerate(column.levels) if codes is None or k in codes)
                else:
                    low = -np.inf if condition is None or condition.low is None else condition.low.at
                    high = np.inf if condition is None or condition.high is None else condition.high.at
                    if column.kind in ("ordered", "bool"):
                        inside = np.arange(len(column.levels) or 2)
                        held = (inside >= low) & (inside < high) if relation == "<" else (inside > low) & (inside <= high)
                        labels = column.levels or (False, True)
                        levels[column.name] = tuple(label for label, kept in zip(labels, held.tolist(), strict=True) if kept)
                    else:
                        bounds[column.name] = (column.cell_value(low), column.cell_value(high))
            out.append(Region(leaf.id, bounds, levels, frozenset(missing), relation, leaf.prediction, leaf.weight))
        return out

    def with_missing(self, policy: str) -> Tree:
        """Return the same tree, answering rows with missing cells another way.

        Parameters
        ----------
        policy : str
            ``"fraction"`` or ``"spread"``: down every branch, in parts; ``"majority"``, ``"most_common"``,
            ``"most_common_in_class"`` or ``"ignore"``: with most rows, as the class of a new row is not known; ``"refuse"``: an
            error.
        """
        from treewright.model.answering import with_missing

        return with_missing(self, policy)

    def merge_leaves(self) -> Tree:
        """Return the tree in which siblings that all say the same are one leaf.

        No row is told another class or number, whatever its cells; shares of classes are those of the larger leaf. Where rows
        with missing cells go down several branches, shares decide what they are told: leaves are merged there only if their
        shares are the same.
        """
        return self._cut(np.asarray(self._core.mergeable()))

    def prune(self, method: str, X: Any = None, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Tree:
        """Return the tree cut back by a method; this one stays as it is.

        Parameters
        ----------
        method : str
            "reduced_error", "cost_complexity", "critical_value": choose by the rows given, a *pruning set*, which should not be
            the rows the tree was grown from (the last two can also be told how far to go). "error_based" looks at the
            training rows again. "pessimistic", "minimum_error", "description_length", "limits" look at the tree alone.
        X, y : table and target, optional
            The rows, where a method needs some. Rows that are to judge the result belong to neither set.
        sample_weight : array, optional
            Their weights.
        **options
            What a method can be told, see ``docs/pruning.md``: ``order`` of "reduced_error"; ``alpha``, ``leaves``, ``rule``,
            ``risk`` of "cost_complexity"; ``value``, ``measure``, ``rule`` of "critical_value"; ``confidence``, ``raising``,
            ``estimate`` of "error_based"; ``slack`` of "pessimistic"; ``m`` of "minimum_error"; ``precision`` of
            "description_length"; ``max_depth``, ``min_samples``, ``min_merit`` of "limits".

        Returns
        -------
        Tree
        """
        self._refuse_pruning()
        pruned: Tree = parts.writer("prune")(self, method, parts.writer("rows")(X, y, sample_weight), options)
        return pruned

    def pruning_path(
        self,
        X: Any = None,
        y: Any = None,
        *,
        method: str = "cost_complexity",
        sample_weight: Any = None,
        validation: Any = None,
        **options: Any,
    ) -> Any:
        """Return the nested trees a method chooses from, with their sizes and errors.

        Parameters
        ----------
        X, y : table and target, optional
            A pruning set: rows by which a tree of the path may be chosen.
        method : {"cost_complexity", "critical_value", "reduced_error"}
            Which path. "reduced_error" needs the pruning set.
        sample_weight : array, optional
            Weights of the pruning set.
        validation : (X, y) or (X, y, sample_weight), optional
            Rows that only judge.
        **options
            ``risk`` of "cost_complexity", ``measure`` of "critical_value".

        Returns
        -------
        PruningPath
        """
        self._refuse_pruning()
        rows = parts.writer("rows")
        return parts.writer("path")(self, method, rows(X, y, sample_weight), rows(validation), options)

    def _refuse_models(self) -> None:
        if self.models is not None:
            raise ValueError("leaves of this tree say equations, which cutting back would lose: fit again with other limits")
        if self.vectors is not None:
            raise ValueError("leaves of this tree say several numbers, which pruning does not judge: fit again with other limits")

    def _refuse_pruning(self) -> None:
        self._refuse_models()
        if self.target.classes is None and self.target.spread(self.root.impurity, 0.0) >= WIDEST:
            raise ValueError("the squared errors of this tree are beyond 64-bit floats: fit again with y divided by a constant")

    def _cut(self, cut: NDArray[Any]) -> Tree:
        self._refuse_models()
        return Tree(self._core.cut_back(np.ascontiguousarray(cut, np.uint8)), self.schema, self.target)

    def to_text(
        self,
        max_depth: int | None = None,
        ascii: bool = False,
        width: int | None = 120,
        color: bool = False,
        exact: bool = False,
    ) -> str:
        """Draw the tree with characters, one node a line.

        Parameters
        ----------
        max_depth : int, optional
            Nodes below this depth are counted, not drawn.
        ascii : bool, default False
            Use plain ASCII only; other characters of names are written as escapes.
        width : int or None, default 120
            No line is longer: what does not fit is cut in the middle. None writes everything in full.
        color : bool, default False
            Colour the classes with terminal escapes.
        exact : bool, default False
            Write thresholds with all their digits, as rules do. Otherwise those of more than seven digits are rounded: no
            training row of the node changes sides, but a new value next to the threshold may seem to lie on the other.

        Returns
        -------
        str
            Two classes: the bar is the share of the second. More: every class by a letter. Numbers: mean and standard
            deviation on the scale of the whole tree.
        """
        text: str = parts.writer("text")(self, max_depth=max_depth, ascii=ascii, width=width, color=color, exact=exact)
        return text

    def to_svg(
        self,
        kind: str = "auto",
        max_depth: int | None = None,
        X: Any = None,
        y: Any = None,
        row: Any = None,
        align_leaves: bool = False,
        width: str | None = None,
        exact: bool = False,
    ) -> str:
        """Draw the tree as an SVG document: no Graphviz, no scripts, the same bytes for the same tree.

        Parameters
        ----------
        kind : {"auto", "tree", "icicle"}
            Cards joined by lines, or boxes as wide as their share of the rows. "auto": an icicle beyond 80 leaves.
        max_depth : int, optional
            What lies below this depth is drawn as one card that counts its leaves.
        X, y : table and target, optional
            Rows whose values of the split column are drawn as histograms inside the nodes, by class with ``y``. No row is
            stored. Trees of more than 15 leaves have none.
        row : table of one row, optional
            Its way through the tree is drawn in black, with a mark on every card it passes.
        align_leaves : bool, default False
            All leaves stand at the bottom, so that they can be compared.
        width : str, optional
            Width of the document, such as "85mm" or "100%"; else one point a unit. Where it is a length, levels are left out
            until the text is at least 6 points high.
        exact : bool, default False
            Write thresholds with all their digits, as in :meth:`to_text`.

        Returns
        -------
        str
            The document.
        """
        text: str = parts.writer("svg")(
            self, width=width, kind=kind, max_depth=max_depth, X=X, y=y, row=row, align_leaves=align_leaves, exact=exact
        )
        return text

    def _exported(self) -> dict[str, Any]:
        return {"tree": self}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("bundle")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text(max_depth=6)

    def __repr__(self) -> str:
        return f"<Tree: {counted(self.n_nodes, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}>"

    def save(self, path: Any) -> None:
        """Write the tree to a file that :func:`treewright.load` reads: whole or not at all, packed by gzip if it ends in .gz.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        parts.writer("file")("tree", self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: tuple[Any, ...] = parts.writer("pickle")("tree", self)
        return reduced

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        if (self.schema, self.target, self.models) != (other.schema, other.target, other.models):
            return False
        if not np.array_equal(self._said, other._said):
            return False
        mine, theirs = self._state, other._state
        return all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)

    __hash__ = None  # type: ignore[assignment]


def _dense(shares: Any) -> NDArray[np.float64]:
    return np.asarray(shares.toarray() if hasattr(shares, "toarray") else shares)
