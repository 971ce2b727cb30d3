"""Models that can be looked at in the explorer's page; its writer is looked up by name, so that models need not know it."""

from __future__ import annotations

from typing import Any

from treewright import parts


class Explorable:
    """A model, or a fitted estimator with one, to look at."""

    def explore(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        *,
        validation: Any = None,
        folds: Any = None,
        gap: Any = None,
        include_rows: bool | int | str = False,
        title: str | None = None,
    ) -> Any:
        """Write a page in which the model can be explored: one file that makes no network requests.

        Parameters
        ----------
        path : path, optional
            Where to write the page; an existing file is replaced. Without it a widget for notebooks is returned, which needs
            ``treewright[notebook]``.
        X, y : table and target, optional
            Rows to show: how they lie on the columns, as counts. If they are not those the tree was grown from, also their
            errors, at every node and for every size of the tree.
        validation : (X, y) or (X, y, sample_weight), optional
            Rows whose errors are shown, where X and y are the training rows.
        folds : int, array or splitter, optional
            Errors of every size by cross-validation as well; X and y must be the training rows.
        gap : OptimalityGap, optional
            What ``tw.optimality_gap`` says of the tree and its training rows: the error below which no tree as deep can be is
            marked beside the curve of errors.
        include_rows : bool, int or "sample", default False
            Whether the rows themselves are put into the page: all, so many at equal distances, or 500. By default no cell of
            any row is in the page, and the page says so.
        title : str, optional
            What the page is called.

        Returns
        -------
        None or widget
        """
        options = {"validation": validation, "folds": folds, "gap": gap, "include_rows": include_rows, "title": title}
        return parts.writer("explore")(self, path, X, y, **options)
