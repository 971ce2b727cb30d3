"""What trees and fitted estimators can be written as. The writers are looked up by name, so that models need not know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright import parts
from treewright.model.explorable import Explorable

if TYPE_CHECKING:
    from treewright.model.protocol import Model


class Programs(Explorable):
    """Programs in other languages that give exactly the answers of ``predict`` and ``predict_proba``."""

    if TYPE_CHECKING:  # models and estimators have it each in their own way

        @property
        def _model(self) -> Model:
            """The model itself, or what a fitted estimator learned."""

    def _class_order(self) -> list[int] | None:
        """Positions of the declared classes in the order in which shares are given; None: as declared."""
        return None

    def _program(self) -> Any:
        return self._model.program(self._class_order())

    def _written(self, form: str, columns: str = "all", **options: Any) -> Any:
        return parts.writer(form)(parts.writer("narrowed")(self._program(), columns), **options)

    def to_c(self, name: str = "tree", columns: str = "all") -> str:
        """Write the model as one C99 file without dependencies.

        Parameters
        ----------
        name : str, default "tree"
            What its functions begin with: ``tree_predict``, ``tree_predict_many``, ``tree_predict_proba``, ``tree_leaf``, and
            ``tree_level``, which gives the number of a level.
        columns : {"all", "used"}, default "all"
            What rows hold: all columns of the training table, or those alone that the model
            looks at, in the same order.

        Returns
        -------
        str
            The source. A comment at its beginning says how rows are passed.
        """
        text: str = self._written("c", columns, name=name)
        return text

    def to_sql(
        self,
        dialect: str = "ansi",
        table: str | Sequence[str] = "rows",
        give: str | Sequence[str] = "prediction",
        keep: Sequence[str] | None = None,
        key: str | None = None,
    ) -> str:
        """Write the model as one SELECT statement over a table with the columns of the training table.

        Parameters
        ----------
        dialect : {"ansi", "duckdb", "sqlite", "postgresql"}
            Which engine reads it.
        table : str or sequence of str
            The table: "table", "schema.table" or ("schema", "table"); a name that holds a dot itself is given as ("a.b",).
        give : {"prediction", "shares", "leaf"} or several of them
            What is answered: the class or number (several numbers: columns ``prediction of <name>``), the share of every class
            (columns ``probability_<class>``), the leaf. Where a column that is kept has the name of an answer, the answer is
            ``predicted <name>``. Shares that are computed from scores (``LogisticTreeClassifier``) are refused.
        keep : sequence of str, optional
            Columns of the table that stand beside the answer (default: those the model looks at).
        key : str, optional
            A column that is unique. Needed by standard SQL where missing cells go several ways; other dialects number the rows.

        Returns
        -------
        str
            The statement. Cells the model refuses get NULL as their answer.
        """
        text: str = self._written("sql", dialect=dialect, table=table, give=give, keep=keep, key=key)
        return text

    def to_python(self, columns: str = "all") -> str:
        """Write the model as one Python module of the standard library: ``predict(row)``, ``predict_proba(row)``, ``leaf(row)``.

        Parameters
        ----------
        columns : {"all", "used"}, default "all"
            What rows hold that are given as lists: all columns of the training table, or those alone that the model
            looks at, in the same order.

        Returns
        -------
        str
            The source. A row is a dictionary, of which the columns that the model looks at are read, or a list of cells.
        """
        text: str = self._written("python", columns)
        return text

    def to_javascript(self, columns: str = "all") -> str:
        """Write the model as one ES module: ``predict``, ``predictProba``, ``leaf``, ``explain`` and ``whatIf`` of a row.

        Parameters
        ----------
        columns : {"all", "used"}, default "all"
            What rows hold that are given as arrays: all columns of the training table, or those alone that the model
            looks at, in the same order.

        Returns
        -------
        str
            The source. A row is an object, of which the columns that the model looks at are read, or an array of cells.
        """
        text: str = self._written("javascript", columns)
        return text

    def to_onnx(self, complete: bool = False, columns: str = "all") -> Any:
        """Write the model as an ONNX model of plain operators, exact in double precision. Needs the package onnx.

        Parameters
        ----------
        complete : bool, default False
            Leave out what is only needed for rows whose missing cells go down several branches at once: a smaller model, which
            has no answer for such rows.
        columns : {"all", "used"}, default "all"
            What rows hold, where they come as one matrix: all columns of the training table, or those alone that the model
            looks at, in the same order.

        Returns
        -------
        onnx.ModelProto
            Inputs: ``X`` (rows x columns, double) if all columns are numbers, else one per tested column by name: texts as
            strings, everything else as doubles (dates in microseconds since 1970); NaN, and a text that is no level, are missing.
            Outputs: ``prediction``, ``shares`` of the classes, ``leaf``; without an answer NaN, an empty text and leaf -1.
        """
        return self._written("onnx", columns, complete=complete)


class Exports(Programs):
    """Programs and pictures of trees."""

    def to_dot(self, max_depth: int | None = None) -> str:
        """Write the tree as a graph in DOT, the language of Graphviz.

        Parameters
        ----------
        max_depth : int, optional
            What lies below this depth is one node that counts its leaves.
        """
        text: str = parts.writer("dot")(self._model, max_depth=max_depth)
        return text

    def to_mermaid(self, max_depth: int | None = None) -> str:
        """Write the tree as a Mermaid flowchart, which many pages and wikis draw.

        Parameters
        ----------
        max_depth : int, optional
            What lies below this depth is one node that counts its leaves.
        """
        text: str = parts.writer("mermaid")(self._model, max_depth=max_depth)
        return text
