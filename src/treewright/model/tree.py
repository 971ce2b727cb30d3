"""A grown tree as a value: immutable, with the schema of its table, so that it can predict and speak in the user's terms."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted
from treewright.model.arrays import ParallelArrays
from treewright.model.condition import listed
from treewright.model.exports import Exports
from treewright.model.few import counts_of
from treewright.model.gates import Gate
from treewright.model.importance import KINDS, importances
from treewright.model.kinds import KindsOfNodes
from treewright.model.leaves import LeafModel, Vectors, plain_leaves
from treewright.model.leaves.linear import LinearModels
from treewright.model.protocol import Model
from treewright.model.regions import Region, regions_of
from treewright.model.rule import Rule, possible
from treewright.model.rules import RuleSet
from treewright.model.trace import Step, Trace
from treewright.table import TableSchema, TargetSchema
from treewright.table.schema import WIDEST


class Tree(ParallelArrays, Exports, KindsOfNodes, Model):
    """A decision or regression tree.

    Made by the estimators (``est.tree_``); never changes. Whatever cuts it back returns a new tree.

    Attributes
    ----------
    schema : TableSchema
        The columns of the table it was grown from.
    target : TargetSchema
        What it predicts.
    leaf_model : LeafModel
        What its nodes predict: classes, numbers, or equations and scores by which they are computed.
    gates : mapping of int to Gate
        By node, thresholds near which a row goes down both branches, in shares; others are hard. They are of the tree they were
        made for: one that is cut back has none.
    by_hand : mapping of int to str
        By node, what a person did there: see ``est.edit``.
    """

    kind = "tree"
    has_nodes = True

    def __init__(
        self,
        core: _core.Tree,
        schema: TableSchema,
        target: TargetSchema,
        leaf_model: LeafModel | None = None,
        gates: Mapping[int, Gate] | None = None,
        by_hand: Mapping[int, str] | None = None,
    ) -> None:
        self._core = core
        self.schema = schema
        self.by_hand: Mapping[int, str] = MappingProxyType(dict(by_hand or {}))
        self.target = target
        self.leaf_model = plain_leaves(core, schema, target) if leaf_model is None else leaf_model
        self._gates = gates

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
        state = self.state()
        classes = len(self.target.classes or ())
        if classes != state["n_classes"]:
            raise ValueError(f"the tree is damaged: it counts {state['n_classes']} classes, its target has {classes}")
        kinds = [int(column.nominal) for column in self.columns]
        levels = [len(column.levels) if column.nominal else 0 for column in self.columns]
        stored = np.where(state["column_kind"] == 1, state["column_levels"], 0).tolist()
        if kinds != state["column_kind"].tolist() or levels != stored:
            raise ValueError("the tree is damaged: the columns of its schema are not those it was grown from")
        foreign = [set(codes) - set(range(n)) for codes, n in zip(self.schema.known, levels, strict=False)]
        if len(self.schema.known) != len(kinds) or any(foreign):
            raise ValueError("the tree is damaged: its schema knows levels that no column has")
        if (fault := self.leaf_model.fault()) is not None:
            raise ValueError(f"the tree is damaged: {fault}")
        return self

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of nodes and leaves, and the depth."""
        return {"n_nodes": self.n_nodes, "n_leaves": self.n_leaves, "depth": self.depth}

    @property
    def size_text(self) -> str:
        """Nodes, leaves and depth in words."""
        return f"{counted(self.n_nodes, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"

    @property
    def models(self) -> LinearModels | None:
        """The linear models of its nodes, equations or scores; None where nodes predict by their training rows."""
        return self.leaf_model if isinstance(self.leaf_model, LinearModels) else None

    @property
    def vectors(self) -> NDArray[np.float64] | None:
        """What every node predicts, nodes x numbers, where that is several numbers; else None."""
        return self.leaf_model.predictions if isinstance(self.leaf_model, Vectors) else None

    def with_gates(self, gates: Mapping[int, Gate]) -> Tree:
        """Return the same tree with other gates, by node; leaves that compute their answers mix them themselves."""
        if gates and self.leaf_model.computed:
            raise ValueError("leaves that compute what they answer mix it themselves: such a tree takes no gates")
        return Tree(self._core, self.schema, self.target, self.leaf_model, gates, self.by_hand)

    def marked(self, by_hand: Mapping[int, str]) -> Tree:
        """Return the same tree with notes of what a person did, by node."""
        return Tree(self._core, self.schema, self.target, self.leaf_model, self._gates, by_hand)

    def to_hard(self) -> Tree:
        """Return the same tree without gates: every row goes the way that the larger share of it takes.

        Where gates are steep it answers as this one does.
        """
        return Tree(self._core, self.schema, self.target, self.leaf_model.hard, {}, self.by_hand) if self.gates else self

    def soften(
        self,
        X: Any,
        y: Any,
        *,
        columns: str = "tested",
        ridge: float = 0.1,
        holdout: float = 0.2,
        iterations: int = 100,
        sample_weight: Any = None,
        random_state: Any = None,
    ) -> Tree:
        """Return the tree with sigmoid gates in the place of its tests, all parameters trained together on rows.

        Parameters
        ----------
        X, y : table and target
            The rows: most often those it was grown from.
        columns : {"tested", "all"}
            Which columns a gate weighs: those its test looks at, or all of the table.
        ridge : float, default 0.1
            How much large weights cost, in rows: see :class:`SoftTreeClassifier`.
        holdout : float, default 0.2
            The share of the rows by which it is found how long training helps; they are then counted among the others.
        iterations : int, default 100
            Steps of training, at most; 0 gives gates as steep as they begin.
        sample_weight : array, optional
            Weights of the rows.
        random_state : int, optional
            Which rows are held out.

        Returns
        -------
        Tree
            A soft tree: see ``docs/soft.md``.
        """
        given = {"columns": columns, "ridge": ridge, "holdout": holdout, "iterations": iterations, "random_state": random_state}
        softened: Tree = parts.writer("soften")(self, X, y, sample_weight, **given)
        return softened

    def knowing(self, schema: TableSchema) -> Tree:
        """Return the same tree over the same columns, of which it knows the levels that this schema knows."""
        if schema == self.schema:
            return self
        leaves = copy(self.leaf_model)
        leaves.schema = schema
        return Tree(self._core, schema, self.target, leaves, self._gates, self.by_hand)

    @property
    def feature_importances(self) -> NDArray[np.float64]:
        """Share of each column in the total fall of weighted impurity (all 0 for a single leaf).

        That of a node over several columns is divided by how much each moves its score: coefficients times deviations. Where
        there are surrogates, they count as in :meth:`importances`.
        """
        fall, _ = importances(self.node_columns, len(self.columns), "surrogates", self.splits)
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
        fall, unit = importances(self.node_columns, len(self.columns), parts.check_name("by", by, KINDS), self.splits)
        order = np.argsort(-fall, kind="stable")
        return {self.columns[j].name: float(fall[j]) * unit for j in order.tolist() if fall[j] > 0}

    @property
    def used_columns(self) -> list[str]:
        """Names of the columns the tree tests, in table order."""
        return [self.columns[j].name for j in self.splits.tested(surrogates=False)]

    def to_rules(self) -> RuleSet:
        """One rule per leaf that a row can reach, conditions on one column put together."""
        if self.smooth:
            raise ValueError("rules hold or do not, the gates of a soft tree send a row both ways: use to_hard().to_rules()")
        total = self.root.weight
        classes = self.target.classes
        place = {label: k for k, label in enumerate(classes or ())}
        prior = self.root.value if classes is not None else {}
        assert isinstance(prior, dict)
        rules = []
        for leaf, path, branches in self._walk():
            if branches or not possible(path.values()):
                continue
            says = self.leaf_model.rule_value(leaf.id)
            confidence = counts = coverage = lift = None
            if not self.leaf_model.computed and classes is not None and isinstance(value := leaf.value, dict):
                confidence = value.get(says, 0.0) / sum(value.values())
                counts = counts_of(value, place)
                share = prior.get(says, 0.0)
                coverage = leaf.weight * confidence / share if share > 0 else 0.0
                portion = share / sum(prior.values())
                lift = confidence / portion if portion > 0 else None
            facts = (leaf.weight, leaf.weight / total, confidence, leaf.id, leaf.deviation, counts, coverage, lift)
            rules.append(Rule(listed(path), says, *facts))
        return RuleSet(tuple(rules), self.schema, self.target)

    def regions(self) -> list[Region]:
        """The disjoint boxes of the leaves.

        Together they cover the space: of known values, and of missing ones too where each of them has one way to go,
        whatever the other columns hold: not where surrogates stand in for a cell that is missing, or for a level that a node
        does not know.
        """
        return regions_of(self)

    def with_missing(self, policy: str) -> Tree:
        """Return the same tree, answering rows with missing cells another way.

        Parameters
        ----------
        policy : str
            ``"fraction"`` or ``"spread"``: down every branch, in parts; ``"majority"``, ``"most_common"``,
            ``"most_common_in_class"`` or ``"ignore"``: with most rows, as the class of a new row is not known; ``"refuse"``: an
            error.
        """
        from treewright.model.missing import with_missing

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

    def _refuse_pruning(self) -> None:
        self._refuse_cut()
        if self.target.classes is None and self.target.spread(self.root.impurity, 0.0) >= WIDEST:
            raise ValueError("the squared errors of this tree are beyond 64-bit floats: fit again with y divided by a constant")

    def _refuse_cut(self) -> None:
        self.leaf_model.check_cut()
        if self.smooth:
            raise ValueError("the leaves of a soft tree are trained for its gates: to_hard() gives a tree that can be cut back")

    def _cut(self, cut: NDArray[Any]) -> Tree:
        self._refuse_cut()
        core = self._core.cut_back(np.ascontiguousarray(cut, np.uint8))
        return Tree(core, self.schema, self.target, self.leaf_model.cut(core), by_hand=self._left_by_hand(cut))

    def _left_by_hand(self, cut: NDArray[Any]) -> dict[int, str]:
        """What was done by hand at the nodes that are left where some are cut; these keep their order."""
        if not self.by_hand:
            return {}
        gone, up = np.zeros(self.n_nodes, bool), self.node_columns.parent
        for id in range(1, self.n_nodes):
            gone[id] = gone[up[id]] or bool(cut[up[id]])
        number = np.cumsum(~gone) - 1
        return {int(number[id]): word for id, word in self.by_hand.items() if not gone[id] and not cut[id]}

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
            Write thresholds with all their digits, and equations with all of theirs and all levels. Otherwise thresholds of
            more than seven digits are rounded: no training row of the node changes sides, but a new value next to the
            threshold may seem to lie on the other.

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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("bundle")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text(max_depth=6)

    def __repr__(self) -> str:
        return f"<Tree: {self.size_text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        if (self.schema, self.target, self.leaf_model, dict(self.gates), dict(self.by_hand)) != (
            other.schema,
            other.target,
            other.leaf_model,
            dict(other.gates),
            dict(other.by_hand),
        ):
            return False
        mine, theirs = self.state(), other.state()
        return all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)

    __hash__ = None  # type: ignore[assignment]


__all__ = ["Region", "Step", "Trace", "Tree"]
