"""The explorer in a notebook: the same modules as an anywidget, and what is selected there as values here."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from treewright.explore.modules import script, source


def widget(document: dict[str, Any], static: dict[str, str]) -> Any:
    """Return the explorer as a widget. Its traits: ``selected_node``, ``row`` (cells by column), ``leaves`` of the tree shown.

    ``static``: what stands in its place where a saved notebook is read and no widgets are run.
    """
    out = _class()(document=_compressed(document))
    out.static = static
    return out


def _compressed(document: dict[str, Any]) -> str:
    from treewright.explore.write import compressed

    return compressed(document)


@cache
def _class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "the explorer in a notebook needs anywidget: pip install 'treewright[notebook]', or write explore('page.html')"
        ) from error

    class Explorer(anywidget.AnyWidget):
        """The explorer of one model."""

        _esm = f"{script('widget')}\nexport default {{ render: $widget.render }};\n"
        _css = source("page.css").replace("html, body { margin: 0; height: 100%; }\n", "")

        document = traitlets.Unicode().tag(sync=True)
        selected_node = traitlets.Int(-1, help="The node that is selected, -1 for none.").tag(sync=True)
        row = traitlets.Dict(default_value=None, allow_none=True, help="Cells of the row followed, by column.").tag(sync=True)
        leaves = traitlets.Int(0, help="Leaves of the tree that is shown.").tag(sync=True)

        static: ClassVar[dict[str, str]] = {}  # of each widget its own

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            if (found := super()._repr_mimebundle_(**kwargs)) is None:
                return None
            bundle, metadata = found
            return {**self.static, **bundle}, metadata

    return Explorer
