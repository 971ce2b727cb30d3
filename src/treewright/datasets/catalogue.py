"""The data sets by name: which there are, and loading one of them."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from treewright.datasets import bundled, course, job, public, tennis
from treewright.datasets.dataset import Dataset

_LOADERS: dict[str, Callable[..., Dataset]] = {
    "play_tennis": tennis.load_play_tennis,
    "sunny_missing": tennis.load_sunny_missing,
    "emails": course.load_emails,
    "colour_shape": course.load_colour_shape,
    "colour_shape_2": course.load_colour_shape_2,
    "shapes": course.load_shapes,
    "patrons": course.load_patrons,
    "age_job": job.load_age_job,
    "titanic": public.load_titanic,
    "penguins": public.load_penguins,
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast_cancer": bundled.load_breast_cancer,
    "digits": bundled.load_digits,
    "diabetes": bundled.load_diabetes,
}


def names() -> list[str]:
    """Return the names of all data sets, as `load` takes them."""
    return list(_LOADERS)


def load(name: str, **options: bool) -> Dataset:
    """Load a data set by name.

    Args:
        name: One of `names()`.
        options: Passed on to the loader, such as `low=True` for play-tennis.

    Raises
    ------
        ValueError: There is no data set of that name.
    """
    loader = _LOADERS.get(name)
    if loader is None:
        near = get_close_matches(str(name), _LOADERS, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_LOADERS)}"
        raise ValueError(f"data set {name!r} is unknown; {remedy}")
    return loader(**options)
