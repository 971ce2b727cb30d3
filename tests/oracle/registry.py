"""What the core has enrolled, and which oracle answers for each part. One that none answers for fails ``test_registry.py``."""

from __future__ import annotations

from treewright import _core, parts

# Parts with an oracle of their own, or none to have, and why.
OTHER_ORACLES = {
    "absolute_error": "test_regression_criteria.py",  # judges sets of rows as a whole, which the shared oracle does not
    "worst_case": "test_regression_criteria.py",
    "poisson": "test_regression_criteria.py",
    "grouped": "test_grouped.py",  # a greedy search: merges of pairs instead of a list of all divisions
}
NOT_SEARCHED = {
    "largest": "several scores of which the largest wins: models may hold it, no search offers it",
    "none": "the family of a leaf",
    "presence": "no choice of its own: 'learned' and 'own' add it to every family",
}

CRITERIA = tuple(part["name"] for part in _core.criteria() if part["name"] not in OTHER_ORACLES)
CLASS_CRITERIA = tuple(part["name"] for part in _core.criteria() if part["classes"] and part["name"] in CRITERIA)
FAMILIES = {facts["name"]: facts for facts in _core.family_facts() if facts["name"] not in OTHER_ORACLES}
NUMERIC = tuple(
    (family, how)
    for family, facts in FAMILIES.items()
    if facts["numeric"]
    for how in (parts.DISCRETISERS if family == "discretised" else ("",))
)
NOMINAL = tuple(family for family, facts in FAMILIES.items() if not facts["numeric"])
POLICIES = tuple(_core.missing_policies())
