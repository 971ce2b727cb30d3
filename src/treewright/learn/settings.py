"""From parameters to the core's settings: every parameter of a tree is checked here, with errors that name it."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright import _core, parts
from treewright.errors import TreewrightWarning, as_float, outside, real, shown
from treewright.learn.costs import set_class_costs
from treewright.learn.python_criterion import callback_of
from treewright.learn.values import columns_to_draw, flag, seed_of, threads, weight_limit, whole
from treewright.recipe import Recipe
from treewright.recipes import find

# "automatic" takes the fast engine where it applies; the twin tests force "plain" and "sorted". The tree is the same.
ENGINE = "automatic"

MOST_BINS = 65_535  # which two bytes hold, and a missing cell


def chosen(params: dict[str, Any], name: str, default: Any) -> Any:
    """Return what a learner was given for a component, or what its recipe says."""
    value = params.get(name)
    return default if value is None else value


def make_settings(
    params: dict[str, Any],
    classes: tuple[Any, ...] | None,
    occurring: list[Any],
    n_columns: int,
    total: float,
    row_weight: float = 1.0,
) -> _core.GrowSettings:
    """Check all parameters of a tree learner and translate them for the core."""
    recipe = find(params["recipe"])
    default = recipe.criterion if classes is not None else recipe.regression_criterion
    default = parts.ALIASES.get(default, default)
    wanted = chosen(params, "criterion", default)
    criterion = default if callable(wanted) else _named_criterion(wanted, default, classes)
    numeric = parts.check_name("numeric", chosen(params, "numeric", recipe.numeric), parts.families(numeric=True))
    nominal = parts.check_name("nominal", chosen(params, "nominal", recipe.nominal), parts.families(numeric=False))
    missing = chosen(params, "missing", recipe.missing)
    if not isinstance(missing, str) or missing not in parts.missing_policies():
        fits = [policy for policy in parts.missing_policies() if parts.refused(criterion, numeric, nominal, policy) is None]
        parts.check_name("missing", missing, tuple(fits))
    settings = _core.GrowSettings()
    if callable(wanted):
        settings.callback(callback_of(wanted, classes, occurring, numeric, nominal, row_weight))
        why = parts.refused_surrogates(numeric, nominal, missing)
    else:
        why = parts.refused(criterion, numeric, nominal, missing)
    if why is not None:
        raise ValueError(why)
    settings.criterion, settings.numeric, settings.nominal, settings.missing = criterion, numeric, nominal, missing
    _set_places(settings, params, recipe, numeric)
    settings.cuts = parts.check_name("cuts", chosen(params, "cuts", recipe.cuts), parts.CUTS)
    settings.drawn = parts.check_name("splitter", params.get("splitter", "best"), parts.SPLITTERS) == "random"
    if settings.drawn and (why := parts.refused_draws(numeric, nominal)) is not None:
        raise ValueError(why)
    settings.penalty = flag("penalty", chosen(params, "penalty", recipe.penalty))
    settings.known_cuts, settings.certain_blanks = recipe.known_cuts, recipe.certain_blanks
    settings.collapse = flag("collapse", chosen(params, "collapse", recipe.collapse))
    if settings.collapse and classes is None:
        raise ValueError(
            f"recipe {recipe.name!r} takes splits away that mend no error, and a numeric target has none; use e.g. recipe='cart'"
        )
    settings.chooser = parts.check_name("chooser", chosen(params, "chooser", recipe.chooser), parts.choosers())
    _set_discretiser(settings, params, numeric, classes)
    _set_limits(settings, params, recipe, missing, classes, total)
    _set_complexity(settings, params, recipe)
    _set_alternatives(settings, params, recipe, n_columns, len(occurring))
    set_class_costs(settings, params, None if callable(wanted) else criterion, classes, occurring)
    settings.max_features = columns_to_draw(params.get("max_features"), n_columns)
    settings.seed = seed_of(params.get("random_state"))
    settings.keep_candidates = flag("keep_candidates", params.get("keep_candidates", False))
    _set_bins(settings, params, recipe, numeric)
    settings.threads = threads(params.get("n_jobs"))
    settings.engine = ENGINE
    return settings


def _named_criterion(wanted: Any, default: str, classes: tuple[Any, ...] | None) -> str:
    criterion = parts.ALIASES.get(wanted, wanted) if isinstance(wanted, str) else wanted
    criteria = parts.criteria()
    if isinstance(criterion, str) and criterion in criteria and criteria[criterion]["classes"] != (classes is not None):
        needed = "classes" if classes is None else "a numeric target"
        raise ValueError(f"criterion {criterion!r} needs {needed}; for this target use e.g. {default!r}")
    return parts.check_name("criterion", criterion, parts.criteria_for(classes is not None))


def _set_places(settings: _core.GrowSettings, params: dict[str, Any], recipe: Recipe, numeric: str) -> None:
    """Where thresholds lie, and how values are compared with them."""
    place = parts.check_name("threshold_at", chosen(params, "threshold_at", recipe.threshold_at), parts.PLACES)
    relation = parts.check_name("relation", chosen(params, "relation", recipe.relation), parts.RELATIONS)
    if place == "training" and relation == "<":
        _warn_if_idle({"threshold_at": place}, "threshold_at", "relation='<='")
    if numeric == "discretised" or (place == "training" and numeric != "threshold"):
        _warn_if_idle(params, "threshold_at", "numeric='threshold'")
    settings.observed, settings.strict = place == "observed", relation == "<"
    settings.at_training_values = place == "training"


def _warn_if_idle(params: dict[str, Any], name: str, needed: str, default: Any = None) -> None:
    """Warn of a parameter that was given and changes nothing."""
    if params.get(name, default) != default:
        warnings.warn(
            f"{name}={shown(params[name])} changes nothing here: it is for {needed}", TreewrightWarning, stacklevel=outside()
        )


@contextmanager
def without_idle_warnings() -> Iterator[None]:
    """Check parameters without warnings of those that change nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        yield


def _set_discretiser(settings: _core.GrowSettings, params: dict[str, Any], numeric: str, classes: tuple[Any, ...] | None) -> None:
    method = params.get("discretise")
    if method is None:
        method = "mdlp" if classes is not None else "equal_frequency"
    parts.check_name("discretise", method, parts.DISCRETISERS)
    bins = whole("bins", params.get("bins", 10), 2)
    if numeric != "discretised":
        _warn_if_idle(params, "discretise", "numeric='discretised'")
        return _warn_if_idle(params, "bins", "numeric='discretised'", 10)
    if method == "mdlp" and classes is None:
        raise ValueError(
            "discretise='mdlp' is supervised by classes, the target is numeric: use 'equal_width' or 'equal_frequency'"
        )
    if method == "mdlp":
        _warn_if_idle(params, "bins", "discretise='equal_width' and 'equal_frequency'", 10)
    return settings.discretise(method, bins)


def _set_limits(
    settings: _core.GrowSettings,
    params: dict[str, Any],
    recipe: Recipe,
    missing: str,
    classes: tuple[Any, ...] | None,
    total: float,
) -> None:
    if (deepest := chosen(params, "max_depth", recipe.max_depth)) is not None:
        settings.max_depth = min(whole("max_depth", deepest, 0), 2**32 - 1)
    if params.get("max_leaf_nodes") is not None:
        settings.max_leaves = min(whole("max_leaf_nodes", params["max_leaf_nodes"], 1), 2**63)
    least_leaf = chosen(params, "min_samples_leaf", recipe.min_samples_leaf)
    least_split = chosen(params, "min_samples_split", recipe.min_samples_split)
    share = real("min_weight_fraction_leaf", params.get("min_weight_fraction_leaf", 0.0), 0.0, 0.5)
    leaf = weight_limit("min_samples_leaf", least_leaf, total)
    split = weight_limit("min_samples_split", least_split, total)
    # 2 and 1 restrict nothing where rows are whole; see docs/parts.md.
    whole_rows = missing not in ("fraction", "spread")
    settings.min_split = 0.0 if whole_rows and split <= 2 and not _is_share(least_split) else split
    settings.min_leaf = 0.0 if whole_rows and leaf <= 1 and not _is_share(least_leaf) else leaf
    settings.min_leaf, settings.min_every = max(settings.min_leaf, share * total), share * total
    if params.get("min_impurity") is not None:
        settings.min_impurity = real("min_impurity", params["min_impurity"], 0.0)
    # rpart makes no split that gains nothing.
    settings.min_gain = max(real("min_gain", params.get("min_gain", 0.0), 0.0), 5e-324 if recipe.as_rpart else 0.0)
    settings.min_decrease = real("min_impurity_decrease", params.get("min_impurity_decrease", 0.0), 0.0)
    if params.get("purity") is not None:
        purity = real("purity", params["purity"], 0.0, 1.0)
        if classes is None:
            raise ValueError("purity needs classes, the target is numeric: use min_impurity")
        settings.purity = purity
    if params.get("significance") is not None:
        significance = real("significance", params["significance"], 0.0, 1.0)
        if classes is None:
            raise ValueError("significance needs classes, the target is numeric")
        settings.significance = max(significance, 5e-324)


def _set_complexity(settings: _core.GrowSettings, params: dict[str, Any], recipe: Recipe) -> None:
    """What a split must save: a share of the root's risk (``cp``, the book's and rpart's), or scikit-learn's ``ccp_alpha``."""
    if real("ccp_alpha", params.get("ccp_alpha", 0.0), 0.0) > 0:
        if params.get("cp") is not None:
            raise ValueError(
                f"ccp_alpha={shown(params['ccp_alpha'])} (an impurity) and cp={shown(params['cp'])} (a share of the root's risk) "
                "both say what a split must save: give one of them"
            )
        if settings.criterion == "worst_case":
            raise ValueError("ccp_alpha weighs mean errors, criterion='worst_case' bounds the largest: use min_impurity")
    elif (complexity := chosen(params, "cp", recipe.cp)) is not None:
        settings.cp, settings.cp_as_rpart = real("cp", complexity, 0.0), recipe.as_rpart


def _set_alternatives(
    settings: _core.GrowSettings, params: dict[str, Any], recipe: Recipe, n_columns: int, n_classes: int
) -> None:
    """Splits besides the chosen one: surrogates and competitors."""
    for name in ("max_surrogates", "agreement"):
        if params.get(name) is not None and chosen(params, "missing", recipe.missing) != "surrogate":
            raise ValueError(f"{name}={shown(params[name])} is about surrogates, which only missing='surrogate' has")
    most = chosen(params, "max_surrogates", recipe.max_surrogates)
    settings.max_surrogates = n_columns if most is None else min(whole("max_surrogates", most, 0), n_columns)
    settings.agreement_of_present = (
        parts.check_name("agreement", chosen(params, "agreement", recipe.agreement), parts.AGREEMENTS) == "known"
    )
    settings.surrogates_as_rpart = recipe.as_rpart
    competitors = whole("max_competitors", chosen(params, "max_competitors", recipe.max_competitors), 0)
    settings.max_competitors = min(competitors, n_columns)
    settings.exhaustive_levels = recipe.exhaustive_levels
    # The minimum leaf may rule out the best division, and the next best need not be in order.
    if recipe.as_rpart and n_classes > 2:
        settings.fewest_for_all = 2


def _set_bins(settings: _core.GrowSettings, params: dict[str, Any], recipe: Recipe, numeric: str) -> None:
    """Into how many bins the numbers of a column are put before a tree is grown."""
    if params.get("max_bins") is None:
        return
    most = whole("max_bins", params["max_bins"], 2, MOST_BINS)
    given = f"max_bins={most} puts numbers in bins before a tree is grown, and"
    if settings.drawn:
        raise ValueError(f"{given} splitter='random' draws thresholds among the numbers themselves: give one of them")
    if numeric == "discretised":
        raise ValueError(f"{given} numeric='discretised' makes intervals of them, as many as bins= says: give one of them")
    if settings.at_training_values:
        raise ValueError(f"{given} threshold_at='training' looks for thresholds among all of them: use 'observed' or 'midpoint'")
    if settings.keep_candidates or settings.max_competitors > 0:
        competitors = f"max_competitors={chosen(params, 'max_competitors', recipe.max_competitors)}"
        kept = "keep_candidates=True" if settings.keep_candidates else competitors
        raise ValueError(
            f"{given} {kept} shows thresholds of splits that were not chosen, which bins do not tell: give one of them"
        )
    settings.max_bins = most


def _is_share(value: Any) -> bool:
    return not isinstance(value, numbers.Integral) and as_float(value) < 1
