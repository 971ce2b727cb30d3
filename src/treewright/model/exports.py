"""What trees and fitted estimators can be written as. The writers are looked up by name, so that models need not know them."""

from __future__ import annotations

from typing import Any

from treewright import parts


class Exports:
    """Programs and pictures in other languages that give exactly the answers of ``predict`` and ``predict_proba``."""

    def _exported(self) -> dict[str, Any]:
        """The tree, and what else its answers depend on."""
        raise NotImplementedError  # pragma: no cover

    def _program(self) -> Any:
        return parts.writer("program")(**self._exported())

    def _written(self, form: str, **options: Any) -> Any:
        return parts.writer(form)(self._program(), **options)

    def to_c(self, name: str = "tree") -> str:
        """Write the model as one C99 file without dependencies.

        Parameters
        ----------
        name : str, default "tree"
            What its functions begin with: ``tree_predict``, ``tree_predict_many``, ``tree_predict_proba``, ``tree_leaf``, and
            ``tree_level``, which gives the number of a level.

        Returns
        -------
        str
            The source. A comment at its beginning says how rows are passed.
        """
        text: str = self._written("c", name=name)
        return text

    def to_python(self) -> str:
        """Write the model as one Python module of the standard library: ``predict(row)``, ``predict_proba(row)``, ``leaf(row)``.

        Returns
        -------
        str
            The source. A row is a dictionary, or a list of the cells of all columns.
        """
        text: str = self._written("python")
        return text

    def to_javascript(self) -> str:
        """Write the model as one ES module: ``predict``, ``predictProba``, ``leaf``, ``explain`` and ``whatIf`` of a row.

        Returns
        -------
        str
            The source. A row is an object, or an array of the cells of all columns.
        """
        text: str = self._written("javascript")
        return text
