"""The named algorithms, as data."""

from __future__ import annotations

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

RECIPES = {recipe.name: recipe for recipe in (ID3, CART)}


def find(recipe: str | Recipe) -> Recipe:
    """Return a recipe by name, or the recipe itself."""
    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, str):
        raise TypeError(f"recipe={shown(recipe)} must be a name or a tw.Recipe")
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    return RECIPES[recipe]
