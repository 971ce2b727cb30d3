"""A fitted FOIL as a section of a model file: its parameters, its clauses and what they cover; not the relations."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from treewright.learn.foil import FoilParameters, check_params
from treewright.model.clauses import Clauses
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.kinds import from_section, to_section
from treewright.store.values import read, written

COUNTS = ("n_positive", "n_negative", "n_covered_positive", "n_covered_negative", "n_weighed")


@dataclass(frozen=True)
class FittedFoil:
    """Parameters and what was learned with them."""

    params: FoilParameters
    clauses: Clauses
    counts: dict[str, int]


def pack(value: FittedFoil) -> dict[str, Any]:
    """Return a fitted FOIL as a section."""
    params = {name: written(one) for name, one in sorted(asdict(value.params).items())}
    return {"params": params, "clauses": to_section("clauses", value.clauses), **value.counts}


def unpack(section: dict[str, Any]) -> FittedFoil:
    """Return the fitted FOIL of a section after checking all of it."""
    only(section, "kind", "params", "clauses", *COUNTS)
    given = entry(section, "params", dict)
    only(given, *(one.name for one in fields(FoilParameters)))
    params = FoilParameters(**{name: read(form) for name, form in given.items()})
    try:
        check_params(params)
    except (ValueError, TypeError) as error:
        raise Damage(f"its parameters are not those of a fitted Foil: {error}") from error
    counts = {name: take(section.get(name), int) for name in COUNTS}
    need(counts, all(n >= 0 for n in counts.values()), "it covers fewer than no tuples")
    return FittedFoil(params, from_section(entry(section, "clauses", dict), "clauses"), counts)
