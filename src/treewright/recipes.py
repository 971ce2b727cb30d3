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

CART1984 = Recipe(
    name="cart1984",
    missing="surrogate",
    min_samples_split=6,
    max_surrogates=None,
    agreement="known",
    max_competitors=5,
    exhaustive_levels=12,
    source="Breiman, Friedman, Olshen and Stone 1984: nodes of five rows end (section 2.7), surrogates as in section 5.3",
)

RPART = Recipe(
    name="rpart",
    relation="<",
    missing="surrogate",
    min_samples_split=20,
    min_samples_leaf=7,
    max_depth=30,
    as_rpart=True,
    max_competitors=4,
    exhaustive_levels=12,
    cp=0.01,
    source="Therneau and Atkinson's rpart 4.1, with its defaults",
)

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
    known_cuts=True,
    ordered_as_nominal=True,
    source="REPTree of WEKA 3.9 (Witten, Frank, Hall and Pal); reduced-error pruning: Quinlan 1987",
)

# How M5 splits, fits and prunes is one algorithm (src/core/models); what others read of it is here.
M5P = Recipe(name="m5p", missing="most_common", source="Quinlan 1992; Wang and Witten 1997 (WEKA's M5P)")

# Trees are grown as J48 grows them; how models are fitted and trees pruned is one algorithm (src/core/models).
LMT = replace(
    J48,
    name="lmt",
    missing="most_common",
    collapse=False,
    min_samples_split=16,
    min_samples_leaf=2,
    source="Landwehr, Hall and Frank 2005 (WEKA's LMT)",
)

RECIPES = {recipe.name: recipe for recipe in (ID3, CART, CART1984, RPART, C45, J48, REPTREE)}


def find(recipe: str | Recipe) -> Recipe:
    """Return a recipe by name, or the recipe itself."""
    if isinstance(recipe, Recipe):
        return recipe.checked()
    if not isinstance(recipe, str):
        raise TypeError(f"recipe={shown(recipe)} must be a name or a tw.Recipe")
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    return RECIPES[recipe]
