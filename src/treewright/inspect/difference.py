"""Two trees of the same columns compared: where they ask or say something else, and of which rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.errors import shown
from treewright.model.condition import listed, with_condition
from treewright.model.node import Node
from treewright.model.tree import Tree
from treewright.table.streams import as_table
from treewright.table.target import match_target

_WHICH = 1000  # rows that are listed


@dataclass(frozen=True, slots=True)
class NodeDifference:
    """A place where two trees part.

    Attributes
    ----------
    nodes : tuple of int
        The node of each of them.
    where : str
        The way there in words, in the first.
    first, second : str
        What each asks or says there.
    rows : float or None
        Weight of the given rows that the first sends there.
    changed : float or None
        Weight of those among them that are told something else by the second.
    """

    nodes: tuple[int, int]
    where: str
    first: str
    second: str
    rows: float | None = None
    changed: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How two trees differ.

    Attributes
    ----------
    sizes : tuple of str
        How large each is.
    nodes : tuple of NodeDifference
        The places where they part; below a place where they ask for the same column at another threshold they are compared on.
    rows, changed : float or None
        Weight of the given rows, and of those that are told something else.
    answers : tuple of (first, second, weight)
        What rows are told by each, where that differs, the most first; of numbers nothing.
    errors : tuple of float or None
        Error of each, where ``y`` was given: share of wrong classes, or root of the mean squared error.
    mended, spoiled : float or None
        Weight of the rows that only the second, or only the first, tells the truth; of classes.
    which : tuple of int
        Positions of the first thousand of the rows that are told something else.
    trees : tuple of Tree
        The trees.
    """

    sizes: tuple[str, str]
    nodes: tuple[NodeDifference, ...]
    rows: float | None = None
    changed: float | None = None
    answers: tuple[tuple[Any, Any, float], ...] = ()
    errors: tuple[float, float] | None = None
    mended: float | None = None
    spoiled: float | None = None
    which: tuple[int, ...] = ()
    trees: tuple[Tree, ...] = field(default=(), repr=False, compare=False)

    @property
    def same(self) -> bool:
        """Whether they ask and say the same everywhere."""
        return not self.nodes

    def data(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return asdict(replace(self, trees=()))

    def to_svg(self, width: str | None = None) -> str:
        """Both trees side by side as an SVG document; the ways to the places where they part are black.

        Parameters
        ----------
        width : str, optional
            Width of the document, such as "170mm" or "100%".
        """
        text: str = parts.writer("difference_svg")(self, width)
        return text

    def to_html(self, title: str = "Two trees compared") -> str:
        """The comparison as a page: what changed, of which rows, both trees side by side. It holds no script, asks for nothing.

        Parameters
        ----------
        title : str
            What the page is called.
        """
        text: str = parts.writer("difference_html")(self, title)
        return text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("difference_bundle")(self)
        return bundle

    def to_text(self, most: int = 20) -> str:
        """The comparison in words.

        Parameters
        ----------
        most : int, default 20
            Places that are listed.
        """
        text: str = parts.writer("difference_text")(self, most)
        return text

    def __str__(self) -> str:
        return self.to_text()


def diff(first: Any, second: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None) -> Difference:
    """Compare two trees of the same columns and the same target.

    Parameters
    ----------
    first, second : estimator or Tree
        The trees: one before and one after an edit, or of two tables.
    X : table, optional
        Rows, of which is told how many are told something else.
    y : target, optional
        What is true of them.
    sample_weight : array, optional
        Their weights.

    Returns
    -------
    Difference

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> small, large = (tw.CARTClassifier(max_depth=depth).fit(iris.X, iris.y) for depth in (1, 2))
    >>> print(tw.diff(small, large, iris.X, iris.y))
    1: 3 nodes, 2 leaves, depth 1
    2: 5 nodes, 3 leaves, depth 2
    46 of 150 rows are told something else; errors 0.3333 and 0.04 (45 mended, 1 spoiled)
    <BLANKLINE>
    petal length (cm) > 2.45 (100 rows, 46 told something else)
      1: says versicolor
      2: asks petal width (cm) <= 1.75?
    """
    a, b = _tree(first, "first"), _tree(second, "second")
    if a.schema.names != b.schema.names or [column.kind for column in a.columns] != [column.kind for column in b.columns]:
        raise ValueError("the trees have other columns: only trees of the same columns are compared")
    if (a.target.classes is None) != (b.target.classes is None) or a.target.outputs or b.target.outputs:
        raise ValueError("the trees predict something else: only trees of one target, classes or a number, are compared")
    if (y is not None or sample_weight is not None) and X is None:
        raise ValueError("y and sample_weight belong to rows: pass X as well")
    places = _places(a, b)
    sizes = (a.size_text, b.size_text)
    if X is None:
        return Difference(sizes, tuple(places), trees=(a, b))
    return _of_rows(a, b, sizes, places, as_table(X), y, sample_weight)


def _tree(value: Any, name: str) -> Tree:
    tree = value if isinstance(value, Tree) else getattr(value, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(f"{name}={shown(value)} is not allowed: it must be a tree, or a fitted estimator that has one")
    return tree


def _places(a: Tree, b: Tree) -> list[NodeDifference]:
    """The places where two trees part, from the first branch to the last."""
    out: list[NodeDifference] = []
    open_: list[tuple[Node, Node]] = [(a.root, b.root)]
    while open_:
        one, two = open_.pop()
        texts = _says(one), _says(two)
        alike = not one.is_leaf and not two.is_leaf and _column(one) == _column(two) and len(one.children) == len(two.children)
        same = texts[0] == texts[1] and (one.is_leaf or _branches(one) == _branches(two))
        if not same:
            out.append(NodeDifference((one.id, two.id), _where(one), *texts))
        if same or alike:
            open_.extend(zip(one.children[::-1], two.children[::-1], strict=True))
    return out


def _column(node: Node) -> Any:
    source = node.tree.splits.source(node.id)
    return (source.column.name, source.equation is None, node.split.family if node.split else None)


def _branches(node: Node) -> list[str]:
    return [child.condition.text(exact=True) for child in node.children if child.condition is not None]


def _says(node: Node) -> str:
    if node.is_leaf:
        return f"says {node.tree.leaf_model.text(node.id)}"
    text: str = parts.writer("question")(node)
    return f"asks {text}"


def _where(node: Node) -> str:
    path: dict[Any, Any] = {}
    for condition in node.path:
        path = with_condition(path, condition)
    return " and ".join(condition.text() for condition in listed(path)) or "all rows"


def _of_rows(
    a: Tree, b: Tree, sizes: tuple[str, str], places: list[NodeDifference], X: Any, y: Any, sample_weight: Any
) -> Difference:
    said = [np.asarray(tree.predict(X)) for tree in (a, b)]
    weights = np.ones(len(said[0])) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != said[0].shape:
        raise ValueError(f"sample_weight has shape {weights.shape}, there are {len(said[0])} rows")
    other = said[0] != said[1]
    passed = a.decision_path(X)
    told = []
    for place in places:
        here = np.asarray(passed[:, [place.nodes[0]]].todense()).reshape(-1) > 0
        told.append(replace(place, rows=float(weights[here].sum()), changed=float(weights[here & other].sum())))
    answers: tuple[tuple[Any, Any, float], ...] = ()
    if a.target.classes is not None:
        pairs: dict[tuple[Any, Any], float] = {}
        for pair, weight in zip(zip(said[0][other].tolist(), said[1][other].tolist(), strict=True), weights[other], strict=True):
            pairs[pair] = pairs.get(pair, 0.0) + float(weight)
        answers = tuple(
            (one, two, held) for (one, two), held in sorted(pairs.items(), key=lambda item: (-item[1], repr(item[0])))
        )
    which = tuple(np.flatnonzero(other)[:_WHICH].tolist())
    judged = {} if y is None else _judged(a, said, y, weights)
    return Difference(
        sizes, tuple(told), float(weights.sum()), float(weights[other].sum()), answers, **judged, which=which, trees=(a, b)
    )


def _judged(a: Tree, said: list[NDArray[Any]], y: Any, weights: NDArray[np.float64]) -> dict[str, Any]:
    if len(y) != len(weights):
        raise ValueError(f"X has {len(weights)} rows and y has {len(y)}: inconsistent numbers of samples")
    if a.target.classes is None:
        truth = match_target(y, a.target).astype(np.float64)
        errors = tuple(float(np.sqrt(np.average((each - truth) ** 2, weights=weights))) for each in said)
        return {"errors": errors}
    codes = match_target(y, a.target)
    classes = [*a.target.classes, None]
    truth = np.array([classes[code] for code in codes.tolist()], object)
    right = [each.astype(object) == truth for each in said]
    return {
        "errors": tuple(float(np.average(~each, weights=weights)) for each in right),
        "mended": float(weights[right[1] & ~right[0]].sum()),
        "spoiled": float(weights[right[0] & ~right[1]].sum()),
    }
