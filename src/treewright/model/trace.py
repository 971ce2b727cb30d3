"""The steps in which a tree grew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright import parts

if TYPE_CHECKING:
    from treewright.model.tree import Tree


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


class Trace(list[Step]):
    """The steps in which a tree grew, in their order; with ``keep_candidates=True`` with what each was chosen from.

    Attributes
    ----------
    tree : Tree
        The tree that they made.
    """

    def __init__(self, steps: Iterable[Step], tree: Tree) -> None:
        super().__init__(steps)
        self.tree = tree

    def to_text(self, max_steps: int | None = 20, max_candidates: int = 8) -> str:
        """Write the steps: what was split, the candidate splits with what each gains, and into which branches.

        Parameters
        ----------
        max_steps : int, optional
            How many steps are written, the first; None: all.
        max_candidates : int, default 8
            How many candidate splits are written of every step, the best.
        """
        text: str = parts.writer("trace_text")(self, max_steps, max_candidates)
        return text

    def to_html(self, path: Any = None, max_steps: int | None = 40, max_candidates: int = 8) -> str | None:
        """Write the steps as pictures: the tree as it was after each, beside it the candidate splits with what each gains.

        Parameters
        ----------
        path : path, optional
            Where to write the page; an existing file is replaced. Without it the page is returned as text.
        max_steps : int, optional
            How many steps are drawn, the first; None: all.
        max_candidates : int, default 8
            How many candidate splits are drawn of every step, the best.

        Returns
        -------
        str or None
            One page without scripts, which makes no network requests and has a dark theme.
        """
        page: str = parts.writer("trace_html")(self, max_steps, max_candidates)
        if path is None:
            return page
        parts.writer("whole")(path, page.encode("utf-8", "backslashreplace"))
        return None

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("trace_bundle")(self)
        return bundle
