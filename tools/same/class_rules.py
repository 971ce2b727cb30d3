"""Rules of classes: RIPPER, IREP, C4.5rules and PART, with many of their options."""

from __future__ import annotations

from collections.abc import Iterator

from same.learner import Learner, plain


def rules_of_classes() -> Iterator[Learner]:
    """All of them."""
    ripper, irep, rules, part = "RipperClassifier", "IrepClassifier", "C45RulesClassifier", "PartClassifier"
    yield plain(ripper, everywhere=True)
    for options in (
        {"random_state": 7}, {"rounds": 0}, {"rounds": 4}, {"variant": "cohen"}, {"gain": "foil"}, {"worth": "ripper"},
        {"worth": "irep"}, {"check_error": False}, {"delete_early": True}, {"stop": "explains"}, {"stop": "error"},
        {"surplus": 8}, {"prune": False}, {"folds": 5}, {"min_weight": 5}, {"categorical_features": [0]}, {"unseen": "error"},
    ):  # fmt: skip
        yield plain(ripper, **options)
    yield plain(ripper, weighted=True)
    yield plain(irep, everywhere=True)
    yield from (
        plain(irep, **options) for options in ({"gain": "smoothed"}, {"worth": "ripper"}, {"folds": 4, "random_state": 2})
    )
    yield plain(irep, weighted=True)
    yield plain(rules, everywhere=True, slow=2)
    for options in (
        {"criterion": "info_gain"}, {"grouped": True}, {"significance": 0.05}, {"choice": "anneal"}, {"redundancy": 2.0},
        {"confidence": 0.1, "min_samples_leaf": 4}, {"random_state": 3},
    ):  # fmt: skip
        yield plain(rules, slow=3, **options)
    yield plain(rules, weighted=True, slow=3)
    yield plain(part, everywhere=True)
    for options in ({"pruned": False}, {"penalty": False}, {"confidence": 0.1}, {"min_samples_leaf": 5}):
        yield plain(part, **options)
    yield plain(part, weighted=True)
