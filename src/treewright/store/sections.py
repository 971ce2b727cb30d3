"""A part of a section as values of the model write and read it: plain values, arrays, and dictionaries of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.store.columns import array_form, array_of
from treewright.store.damage import entry, only, take


def section_form(value: dict[str, Any]) -> dict[str, Any]:
    """Return values and arrays as a document holds them."""
    return {name: _form(each) for name, each in value.items()}


def _form(value: Any) -> Any:
    if isinstance(value, dict):
        return section_form(value)
    return array_form(value) if isinstance(value, np.ndarray) else value


class Section:
    """A section that is read; what is not as it must be is damage."""

    def __init__(self, section: Any) -> None:
        self._section: dict[str, Any] = take(section, dict)

    def __contains__(self, name: object) -> bool:
        return name in self._section

    def only(self, *names: str) -> None:
        """Refuse entries of other names."""
        only(self._section, *names)

    def get(self, name: str) -> Any:
        """The entry as it is, None where there is none."""
        return self._section.get(name)

    def entry(self, name: str, kind: type) -> Any:
        """The entry, which must be there and of that type."""
        return entry(self._section, name, kind)

    def array(self, name: str, dtype: Any) -> Any:
        """The entry as an array of one dimension."""
        return array_of(self.get(name), dtype, name)

    def within(self, name: str) -> Section:
        """The entry as a section."""
        return Section(self.get(name))
