"""The named algorithms, as data."""

from __future__ import annotations

from dataclasses import replace

from treewright.errors import shown, unknown
from treewright.recipe import Recipe

ID3 = Recipe(
    name="id3",
    criterion="info_gain",
    nominal="multiway",
    relation="<",
    missing="refuse",
    ordered_as_nominal=True,
    source="Quinlan 1986; thresholds on numbers as in the course texts (midpoint, x < t)",
)

CART = Recipe(name="cart", source="Breiman, Friedman, Olshen and Stone 1984")

C45 = Recipe(
    name="c45",
    criterion="gain_ratio",
    nominal="multiway",
    threshold_at="training",
    missing="fraction",
    chooser="quinlan",
    cuts="quinlan",
    penalty=True,
    collapse=True,
    certain_blanks=True,
    ordered_as_nominal=True,
    source="Quinlan 1993 and 1996 (C4.5 release 8)",
)

J48 = replace(
    C45, name="j48", chooser="weka", cuts="weka", certain_blanks=False, source="J48 of WEKA 3.9 (Witten, Frank, Hall and Pal)"
)

REPTREE = Recipe(
    name="reptree",
    criterion="info_gain",
    nominal="multiway",
    relation="<",
    missing="spread",
    ordered_as_nominal=True,
    source="REPTree of WEKA 3.9 (Witten, Frank, Hall and Pal); reduced-error pruning: Quinlan 1987",
)

# How M5 splits, fits and prunes is one algorithm (src/core/models); what others read of it is here.
M5P = Recipe(name="m5p", missing="most_common", source="Quinlan 1992; Wang and Witten 1997 (WEKA's M5P)")

RECIPES = {recipe.name: recipe for recipe in (ID3, CART, C45, J48, REPTREE)}


def find(recipe: str | Recipe) -> Recipe:
    """Return a recipe by name, or the recipe itself."""
    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, str):
        raise TypeError(f"recipe={shown(recipe)} must be a name or a tw.Recipe")
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    return RECIPES[recipe]
