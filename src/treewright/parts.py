"""What recipes are made of: the names the core knows, checked with helpful errors, and which combinations make no sense."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from treewright.errors import unknown

DISCRETISERS = ("mdlp", "equal_width", "equal_frequency")
PLACES = ("midpoint", "observed", "training")
CUTS = ("all", "quinlan", "weka")
SPLITTERS = ("best", "random")
RELATIONS = ("<=", "<")
AGREEMENTS = ("all", "known")
UNSEEN = ("missing", "error")
# scikit-learn's names for the same criteria.
ALIASES = {
    "entropy": "info_gain",
    "log_loss": "info_gain",
    "squared_error": "variance",
    # w_l w_r / w² · (mean_l − mean_r)² is the fall of the variance itself.
    "friedman_mse": "variance",
}

# Writers and pruners see model values and are loaded when first asked for, so that models need not know them. Where there is one
# for every kind of model, its name ends with the kind.
WRITERS = {
    "text": "treewright.show.text:tree_text",
    "line": "treewright.show.text:node_line",
    "svg": "treewright.show.svg:tree_svg",
    "explanation": "treewright.show.explanation:explanation_text",
    "sentence": "treewright.show.explanation:explanation_sentence",
    "card": "treewright.show.explanation:explanation_card",
    "rule_card": "treewright.show.explanation:rule_card",
    "rules": "treewright.show.notebook:rules_bundle",
    "rules_markdown": "treewright.show.rules:rules_markdown",
    "rules_frame": "treewright.show.rules:rules_frame",
    "rules_json": "treewright.show.data:rules_json",
    "explain_tree": "treewright.inspect.explain:explain",
    "explain_rules": "treewright.inspect.rules:explain_rules",
    "explain_forest": "treewright.inspect.forest:explain_forest",
    "forest_explanation": "treewright.show.forest_explanation:forest_explanation",
    "forest_sentence": "treewright.show.forest_explanation:forest_sentence",
    "forest_card": "treewright.show.forest_explanation:forest_card",
    "reasons_tree": "treewright.inspect.reasons:tree_reasons",
    "reasons_rules": "treewright.inspect.reasons:rule_reasons",
    "reasons_forest": "treewright.inspect.forest:forest_reasons",
    "narrowed": "treewright.export.narrowed:of_columns",
    "drift_text": "treewright.show.drift:drift_text",
    "question": "treewright.show.difference:question",
    "difference_svg": "treewright.show.difference:difference_svg",
    "difference_text": "treewright.show.difference:difference_text",
    "difference_html": "treewright.show.difference_page:difference_html",
    "difference_bundle": "treewright.show.difference_page:difference_bundle",
    "contributions": "treewright.inspect.contributions:contributions",
    "plot_contributions": "treewright.show.contributions:plot_contributions",
    "data_tree": "treewright.show.tree_data:tree_data",
    "data_rules": "treewright.show.data:rules_data",
    "data_forest": "treewright.show.forests:forest_data",
    "forest_text": "treewright.show.forests:forest_text",
    "forest_svg": "treewright.show.strip:forest_svg",
    "forest_bundle": "treewright.show.forests:forest_bundle",
    "beside_forest": "treewright.show.forests:with_forest",
    "whole": "treewright.store.atomic:write_whole",
    "trace_text": "treewright.show.trace:trace_text",
    "trace_html": "treewright.show.trace:trace_html",
    "trace_bundle": "treewright.show.trace:trace_bundle",
    "bundle": "treewright.show.notebook:tree_bundle",
    "explore": "treewright.explore.write:explore",
    "page_tree": "treewright.explore.document:tree_document",
    "page_rules": "treewright.explore.rules:rules_document",
    "page_forest": "treewright.explore.forest:forest_document",
    "beside": "treewright.show.notebook:with_picture",
    "beside_rules": "treewright.show.notebook:with_rules",
    "file": "treewright.store.files:save",
    "history": "treewright.learn.edits.log:history",
    "soften": "treewright.learn.softening:soften",
    "section": "treewright.store.kinds:to_section",
    "pickle": "treewright.store.binary:reduced",
    "dot": "treewright.show.graph:tree_dot",
    "mermaid": "treewright.show.graph:tree_mermaid",
    "program_tree": "treewright.export.tree_program:flat_program",
    "program_rules": "treewright.export.rule_program:rule_program",
    "program_forest": "treewright.export.forest_program:forest_program",
    "c": "treewright.export.c:c_source",
    "sql": "treewright.export.sql:sql_query",
    "onnx": "treewright.export.onnx:onnx_model",
    "python": "treewright.export.scripts:python_module",
    "javascript": "treewright.export.scripts:javascript_module",
    "clauses_text": "treewright.show.clauses:clauses_text",
    "clauses_bundle": "treewright.show.clauses:clauses_bundle",
    "beside_clauses": "treewright.show.clauses:with_clauses",
    "clauses_prolog": "treewright.export.prolog:prolog_program",
    "clauses_sql": "treewright.export.clauses_sql:clauses_query",
    "prune": "treewright.prune:prune_tree",
    "path": "treewright.prune:path_of",
    "rows": "treewright.prune:given_rows",
    "learning": "treewright.evaluate:learning_curve",
}


@cache
def writer(name: str) -> Callable[..., Any]:
    """Return the function that writes a model in the given form."""
    module, _, function = WRITERS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


@cache
def criteria() -> dict[str, dict[str, Any]]:
    """Every criterion: its summary, whether it is for classes, whether it is defined for two branches only."""
    from treewright import _core

    return {part["name"]: part for part in _core.criteria()}


@cache
def criteria_for(classes: bool) -> tuple[str, ...]:
    """Names of the criteria for classes, or for numbers, with those of scikit-learn for the same."""
    names = [name for name, part in criteria().items() if part["classes"] == classes]
    return (*names, *(alias for alias, name in ALIASES.items() if name in names))


@cache
def families(numeric: bool) -> tuple[str, ...]:
    """Names of the split families for numeric columns, or for nominal ones."""
    from treewright import _core

    return tuple(one["name"] for one in _core.family_facts() if one["numeric"] == numeric)


@cache
def choosers() -> tuple[str, ...]:
    """Names of the rules that pick one candidate of a node."""
    from treewright import _core

    return tuple(one["name"] for one in _core.choosers())


@cache
def missing_policies() -> tuple[str, ...]:
    """Names of the policies for missing cells."""
    from treewright import _core

    return tuple(_core.missing_policies())


def check_name(what: str, value: Any, known: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the known names, otherwise raise an error that suggests the nearest."""
    if not isinstance(value, str) or value not in known:
        raise unknown(what, value, known)
    return value


def refused_surrogates(numeric: str, nominal: str, missing: str) -> str | None:
    """Why surrogates are refused for these splits, whatever the criterion, or None."""
    if missing == "surrogate" and (numeric != "threshold" or nominal in ("multiway", "grouped")):
        many = numeric if numeric != "threshold" else nominal
        remedy = "use CARTClassifier(missing='surrogate'), or here e.g. missing='fraction'"
        return f"missing='surrogate' sends a row one of two ways; {many!r} splits have more: {remedy}"
    return None


def refused_draws(numeric: str, nominal: str) -> str | None:
    """Why splits of these parts are not drawn at random, or None."""
    if numeric != "threshold":
        return f"splitter='random' draws one threshold a column, numeric={numeric!r} has others: use numeric='threshold'"
    if nominal == "grouped":
        return "splitter='random' draws two sets of levels, nominal='grouped' merges them: use nominal='subset'"
    return None


def refused(criterion: str, numeric: str, nominal: str, missing: str) -> str | None:
    """Why a combination of parts is refused, or None. The table in ``docs/parts.md`` lists the same."""
    part = criteria()[criterion]
    if part["two_branches"]:
        if numeric != "threshold" or nominal in ("multiway", "grouped"):
            many = numeric if numeric != "threshold" else nominal
            return f"criterion {criterion!r} compares two branches; {many!r} splits have more"
        if missing == "own":
            return f"criterion {criterion!r} compares two branches; missing='own' adds a third"
    if part["whole_rows"] and nominal != "subset":
        return f"criterion {criterion!r} orders levels by what they would be told; use nominal='subset', not {nominal!r}"
    if part["whole_rows"] and missing in ("fraction", "spread"):
        return f"criterion {criterion!r} judges whole rows, missing={missing!r} divides them: use e.g. missing='learned'"
    if missing == "surrogate" and not part["surrogates"]:
        return f"criterion {criterion!r} knows no surrogates: use e.g. missing='learned' or 'majority'"
    if (why := refused_surrogates(numeric, nominal, missing)) is not None:
        return why
    if nominal == "grouped" and not part["classes"]:
        return "nominal='grouped' merges levels by class, the target is numeric: use 'subset'"
    if nominal == "grouped" and missing in ("learned", "own", "spread"):
        return (
            f"nominal='grouped' counts known cells, missing={missing!r} gives missing ones a place: use e.g. missing='fraction'"
        )
    if not part["classes"] and missing == "most_common_in_class":
        return "missing='most_common_in_class' needs classes, the target is numeric"
    return None
