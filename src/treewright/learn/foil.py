"""FOIL (Quinlan 1990; Quinlan and Cameron-Jones 1993): clauses that define a relation by others."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, counted, out_of_range, outside, real
from treewright.learn.values import flag, seed_of, verbose, whole
from treewright.model.clauses import Clause, Clauses, Literal, LiteralTrace, StateTrace, Variable
from treewright.model.clauses.clause import fresh_names, without_equalities
from treewright.model.clauses.codes import CoreLiteral, literal_of
from treewright.model.clauses.evaluating import tuples_given
from treewright.model.clauses.program import heads
from treewright.progress import Bar
from treewright.table.relations import Coded, Relation, Relations, code_relations, given_relations, read_relations
from treewright.table.relations.coded import Codes, distinct
from treewright.table.relations.given import letters

_ALWAYS = 100_000  # bindings that a clause may have however few tuples there are: the limit of FOIL 6.4


@dataclass
class FoilParameters:
    """What FOIL is told; see :class:`treewright.Foil`."""

    negation: bool | str = True
    types: Mapping[str, Any] | None = None
    constants: Any = "attributes"
    min_accuracy: float = 0.8
    determinate: float = 0.8
    coding_limit: bool = True
    max_depth: int = 4
    max_variables: int = 100
    max_weak: int = 3
    reserves: int = 4
    max_returns: int = 20
    negative_share: float = 1.0
    max_tuples: int = 10_000_000
    max_growth: int = 10
    max_steps: int = 5_000_000_000
    trace: bool = False
    random_state: Any = None
    verbose: bool = False


@dataclass(frozen=True)
class Found:
    """What FOIL made of relations.

    Attributes
    ----------
    clauses : Clauses
        The clauses.
    relations : Relations
        What they were learned from.
    n_positive, n_negative : int
        The tuples to learn from.
    positive, negative : int
        Those that a clause covers.
    n_weighed : int
        Literals that were weighed.
    trace : tuple of StateTrace
        Every state and what was weighed there; with ``trace=True``.
    """

    clauses: Clauses
    relations: Relations
    n_positive: int
    n_negative: int
    positive: int
    negative: int
    n_weighed: int
    trace: tuple[StateTrace, ...]


def check_params(params: FoilParameters) -> dict[str, Any]:
    """The parameters as the core takes them; refused where they are out of range."""
    negation = params.negation
    if isinstance(negation, np.bool_):
        negation = bool(negation)
    if not isinstance(negation, bool) and not (isinstance(negation, str) and negation == "comparisons"):
        raise out_of_range("negation", params.negation, "True, False or 'comparisons'")
    if params.types is not None and not isinstance(params.types, Mapping):
        raise out_of_range("types", params.types, "a dictionary, or None")
    verbose(params.verbose)
    return {
        "negated_relations": negation is True,
        "negated_comparisons": negation is not False,
        "min_accuracy": real("min_accuracy", params.min_accuracy, 0, 1),
        "determinate_below": real("determinate", params.determinate, 0, 1),
        "reserve_above": 0.8,
        "max_reserves": whole("reserves", params.reserves, 0, 1000),
        "max_returns": whole("max_returns", params.max_returns, 0, 1_000_000, needed=True),
        "max_weak": whole("max_weak", params.max_weak, 0, 1000, needed=True),
        "max_depth": whole("max_depth", params.max_depth, 1, 1000, needed=True),
        "max_variables": whole("max_variables", params.max_variables, 1, 10_000, needed=True),
        "max_tuples": whole("max_tuples", params.max_tuples, 1, 2**32 - 2, needed=True),
        "max_growth": whole("max_growth", params.max_growth, 1, 1_000_000, needed=True),
        "max_steps": whole("max_steps", params.max_steps, 1, 2**62, needed=True),
        "coding_limit": flag("coding_limit", params.coding_limit),
        "share": real("negative_share", params.negative_share, 0, 1, above=True),
        "trace": flag("trace", params.trace),
    }


def read_given(relations: Any, target: Any, negatives: Any) -> tuple[Relations, Relation, Relation | None]:
    """The background, the target with its tuples, and tuples that do not belong to it, if any were given."""
    denied: dict[tuple[str, int], Relation] = {}
    if isinstance(relations, (str, bytes)) or hasattr(relations, "__fspath__"):
        relations, denied = read_relations(relations)
    held = given_relations(relations)
    own = held.named(target)
    if negatives is not None:
        bad: Relation | None = tuples_given(own.name, own.columns, negatives)
    else:
        bad = denied.get(own.key)
    if not len(own):
        raise ValueError(f"relation {own.label} has no tuples: there is nothing to learn from")
    for one, what in ((own, "tuple"), (bad, "negative tuple")):
        if one is not None and any(value is None for column in one.values for value in column):
            raise ValueError(f"a {what} of {own.label} has a missing cell: leave such tuples out")
    return held, own, bad


def learn_clauses(params: FoilParameters, relations: Any, target: Any, negatives: Any = None) -> Found:
    """Learn the clauses of one relation from others."""
    options = check_params(params)
    seed = seed_of(params.random_state)
    held, own, bad = read_given(relations, target, negatives)
    coded = code_relations(held, own, params.types, params.constants, () if bad is None else (bad,))
    at = coded.target
    types, core_relations = coded.for_core
    positive = core_relations[at][1]
    if bad is None:
        negative = _closed_world(coded, positive, seed, options)
    else:
        negative = distinct(coded.encode(bad.values, at))
        options["share"] = 1.0
        both = _same(positive, negative)
        if both is not None:
            values = [own[code] for own, code in zip((coded.constants[t] for t in coded.types_of(at)), both, strict=True)]
            raise ValueError(f"{own.name}({', '.join(map(repr, values))}) is given as a positive and as a negative tuple")
    n_positive, n_negative = len(positive[0]), len(negative[0])
    if n_positive + n_negative > options["max_tuples"]:
        raise ValueError(
            f"there are {n_positive + n_negative} tuples to learn from, more than max_tuples={options['max_tuples']}: "
            "raise max_tuples, or give fewer negatives"
        )
    most_bindings = min(options["max_tuples"], max(_ALWAYS, options.pop("max_growth") * (n_positive + n_negative)))
    examples = [np.concatenate(pair) for pair in zip(positive, negative, strict=True)]
    bar = Bar(f"foil {own.name}", "tuples") if verbose(params.verbose) else None
    with bar if bar is not None else nullcontext():
        within = options | {"max_tuples": most_bindings}
        state = _core.learn_foil(types, core_relations, at, examples, n_positive, bad is not None, within, bar)
    if (lost := state["trace"]["n_too_many"]) and state["positive"] < n_positive:
        capped = most_bindings == options["max_tuples"]
        most = f"max_tuples={most_bindings}" if capped else f"{most_bindings}"
        remedy = "max_tuples, or give fewer negatives" if capped else f"max_growth, which is {params.max_growth}"
        warnings.warn(
            f"{counted(lost, 'literal')} gave more than {most} bindings and {'was' if lost == 1 else 'were'} "
            f"left out, and some tuples are covered by no clause: raise {remedy}",
            TreewrightWarning,
            stacklevel=outside(),
        )
    if state["trace"]["n_steps"] >= options["max_steps"] and state["positive"] < n_positive:
        warnings.warn(
            f"learning ended after max_steps={options['max_steps']} bindings were looked at, with {state['positive']} of "
            f"{counted(n_positive, 'tuple')} covered: raise max_steps, or look for less (max_depth, max_variables, negation, "
            "coding_limit=True)",
            TreewrightWarning,
            stacklevel=outside(),
        )
    if not state["clauses"] and not lost and state["trace"]["n_steps"] < options["max_steps"]:
        why = "there are no negative tuples to tell its own from: give negatives"
        if n_negative:
            why = "no clause is accurate enough and worth its code: give relations that say more of it, or more tuples"
            why += ", or try coding_limit=False" if options["coding_limit"] else ""
        warnings.warn(f"nothing was learned of {own.label}; {why}", TreewrightWarning, stacklevel=outside())
    _warn_of_what_does_not_follow(state, types, core_relations, at, positive, options["max_tuples"])
    head = heads(own.name, own.columns if own.named else letters(own.arity))
    clauses = tuple(
        without_equalities(Clause(head, body, good, wrong, new))
        for good, wrong, new, body in ((one[2], one[3], one[4], _body(one[1], head, coded)) for one in state["clauses"])
    )
    found = Clauses(
        clauses,
        own.name,
        own.columns,
        {one.label: one.columns for one in coded.relations if one.key != own.key},
        {one.label: tuple(coded.types[t].name for t in coded.types_of(r)) for r, one in enumerate(coded.relations)},
    )
    trace = _trace(state["trace"], head, coded) if options["trace"] else ()
    return Found(found, held, n_positive, n_negative, state["positive"], state["negative"], state["trace"]["n_weighed"], trace)


def _warn_of_what_does_not_follow(
    state: dict[str, Any], types: list[Any], relations: list[Any], target: int, positive: list[Codes], most: int
) -> None:
    """Recursive clauses cover tuples by others that were given; from the relations alone fewer may follow."""
    program = [(head, body) for head, body, *_ in state["clauses"]]
    if not any(asks == 0 and relation == target for _, body in program for asks, _, relation, *_ in body):
        return
    try:
        derived = _core.derive(types, relations, target, program, most, None)[0]
    except ValueError:  # more than max_tuples follow: whoever asks for them is told
        return
    both = [np.concatenate(pair) for pair in zip(positive, derived, strict=True)]
    follow = len(positive[0]) + len(derived[0]) - len(distinct(both)[0])
    if follow < state["positive"]:
        warnings.warn(
            f"clauses cover {counted(state['positive'], 'tuple')} by recursive literals that hold for tuples that were given; "
            f"only {follow} of them follow from the other relations: give relations that recursion can begin with",
            TreewrightWarning,
            stacklevel=outside(),
        )


def _same(positive: list[Codes], negative: list[Codes]) -> tuple[int, ...] | None:
    """A tuple that is on both sides."""
    good = set(zip(*(column.tolist() for column in positive), strict=True))
    return next((row for row in zip(*(column.tolist() for column in negative), strict=True) if row in good), None)


def _closed_world(coded: Coded, positive: list[Codes], seed: int, options: dict[str, Any]) -> list[Codes]:
    """All tuples of constants of the right types that are not in the relation, or a share of them."""
    kinds = coded.types_of(coded.target)
    measured = next((coded.types[t].name for t in kinds if coded.types[t].measured), None)
    label = coded.relations[coded.target].label
    if measured is not None:
        raise ValueError(f"{label} has arguments that are measured numbers, which cannot be listed: give negatives")
    sizes = [len(coded.constants[t]) for t in kinds]
    n_world = math.prod(sizes)
    n_wanted = (n_world - len(positive[0])) * options["share"]
    if len(positive[0]) + n_wanted > options["max_tuples"]:
        raise ValueError(
            f"{label} has {n_world:,} tuples of constants of its types, more than "
            f"max_tuples={options['max_tuples']:,}: give negatives, "
            f"{_share_that_fits(n_world, len(positive[0]), options['max_tuples'])}or raise max_tuples"
        )
    own = _numbers(positive, sizes)
    rng = np.random.default_rng(seed)
    if n_world <= 4 * options["max_tuples"]:
        free = np.ones(n_world, bool)
        free[own] = False
        numbers = np.flatnonzero(free)
        if options["share"] < 1:
            numbers = (
                np.sort(rng.choice(numbers, max(1, round(len(numbers) * options["share"])), replace=False))
                if len(numbers)
                else numbers
            )
    else:
        if n_world >= 2**63:
            raise ValueError(f"{label} has {n_world:,} tuples of constants of its types: give negatives")
        drawn = np.unique(rng.integers(0, n_world, max(1, round(n_wanted)), dtype=np.int64))
        numbers = drawn[~np.isin(drawn, own)]
    out = []
    for size in reversed(sizes):
        out.append((numbers % size).astype(np.uint32))
        numbers = numbers // size
    return out[::-1]


def _share_that_fits(n_world: int, n_positive: int, most: int) -> str:
    """The advice to draw a share of the negatives, rounded down to one digit; nothing where not even one would fit."""
    fits = (most - n_positive) / n_world
    if fits * n_world < 1:
        return ""
    digit = 10.0 ** math.floor(math.log10(fits))
    return f"draw some of them (such as negative_share={math.floor(fits / digit) * digit:.1g}), "


def _numbers(columns: list[Codes], sizes: list[int]) -> NDArray[np.int64]:
    out = np.zeros(len(columns[0]), np.int64)
    for column, size in zip(columns, sizes, strict=True):
        out = out * size + column
    return out


def _variables(body: list[CoreLiteral], head: Literal, coded: Coded) -> tuple[list[Variable], list[int]]:
    """The variables of a body in codes and their types; new ones are called like the columns they first stand in."""
    variables = list(head.variables)
    types = coded.types_of(coded.target)
    taken = {variable.name for variable in variables}
    fresh = iter(fresh_names(taken))
    for asks, _, relation, args, _ in body:
        if asks:
            continue
        own = coded.relations[relation]
        for i, arg in enumerate(args):
            if arg < len(variables):
                continue
            name = _word(own.columns[i]) if own.named else ""
            try:
                variable = Variable(name) if len(name) > 1 else None
            except ValueError:
                variable = None
            if variable is not None and variable.name in taken:
                variable = Variable(next(f"{name}{n}" for n in range(2, len(taken) + 3) if f"{name}{n}" not in taken))
            if variable is None:
                variable = Variable(next(each for each in fresh if each not in taken))
            taken.add(variable.name)
            variables.append(variable)
            types.append(coded.type_of[relation, i])
    return variables, types


def _word(name: str) -> str:
    """The name of a column as that of a variable."""
    return re.sub(r"\W+", "_", name).strip("_")


def _body(body: list[CoreLiteral], head: Literal, coded: Coded) -> tuple[Literal, ...]:
    variables, types = _variables(body, head, coded)
    return tuple(literal_of(one, variables, coded, types) for one in body)


def _trace(state: dict[str, Any], head: Literal, coded: Coded) -> tuple[StateTrace, ...]:
    weighed: dict[tuple[int, int], list[Any]] = {}
    for one in state["weighed"]:
        weighed.setdefault((one[0], one[1]), []).append(one)
    out = []
    for clause, step, body, positive, total, information, bits_left in state["states"]:
        variables, types = bound = _variables(body, head, coded)
        named = tuple(literal_of(one, variables, coded, types) for one in body)
        literals = []
        for _, _, literal, kept, good, extended, gain, bits, verdict in weighed.get((clause, step), []):
            variables, types = _variables([*body, literal], head, coded) if not literal[0] else bound
            literals.append(LiteralTrace(literal_of(literal, variables, coded, types), gain, kept, good, extended, bits, verdict))
        out.append(StateTrace(clause, step, head, named, positive, total, information, bits_left, tuple(literals)))
    return tuple(out)
