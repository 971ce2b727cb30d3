"""The comparison itself: it passes the oracle in the core's clothes, and it notices planted errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from .combinations import Combination, all_combinations, cases, check, is_allowed, name
from .compare import Mismatch
from .mirror import Mirror

ALLOWED = [combination for combination in all_combinations() if is_allowed(combination)]


@pytest.mark.parametrize("combination", ALLOWED[::7], ids=name)
def test_the_oracle_agrees_with_itself(combination: Combination) -> None:
    for table, options in cases(combination, 6):
        check(Mirror(), table, options)


def _walk(root: SimpleNamespace, change: Callable[[SimpleNamespace], None]) -> None:
    met = [root]
    for node in met:
        change(node)
        met.extend(node.children)


def _nudge_cut(node: SimpleNamespace) -> None:
    if node.split is not None and node.split.cuts:
        node.split.cuts = (math.nextafter(node.split.cuts[0], math.inf), *node.split.cuts[1:])


def _swap_missing(node: SimpleNamespace) -> None:
    if node.split is not None and node.split.missing_to in (0, 1):
        node.split.missing_to = 1 - node.split.missing_to


def _cut_off(node: SimpleNamespace) -> None:
    if node.depth == 1:
        node.is_leaf, node.children, node.split, node.candidates = True, [], None, []


def _wrong_prediction(node: SimpleNamespace) -> None:
    if isinstance(node.value, dict):
        node.prediction = min(node.value, key=lambda label: node.value[label])


def _small_gain_error(node: SimpleNamespace) -> None:
    for candidate in node.candidates:
        candidate.gain *= 1 + 1e-6


def _drop_candidate(node: SimpleNamespace) -> None:
    node.candidates = [c for i, c in enumerate(node.candidates) if c.chosen or i]


PLANTED = {
    "cut moved by one bit": Mirror(nodes=lambda root: _walk(root, _nudge_cut)),
    "missing side swapped": Mirror(nodes=lambda root: _walk(root, _swap_missing)),
    "growth stopped early": Mirror(nodes=lambda root: _walk(root, _cut_off)),
    "rarest class predicted": Mirror(nodes=lambda root: _walk(root, _wrong_prediction)),
    "gain off by 1e-6": Mirror(nodes=lambda root: _walk(root, _small_gain_error)),
    "candidate lost": Mirror(nodes=lambda root: _walk(root, _drop_candidate)),
    "another criterion": Mirror(options=lambda o: replace(o, criterion="gini")),
    "missing rows to the majority": Mirror(options=lambda o: replace(o, missing="majority")),
    "minimum leaf weight forgotten": Mirror(options=lambda o: replace(o, min_samples_leaf=1)),
    "leaf count ignored": Mirror(options=lambda o: replace(o, max_leaf_nodes=None)),
    "threshold at the observed value": Mirror(options=lambda o: replace(o, threshold_at="observed", relation="<=")),
    "chooser ignored": Mirror(options=lambda o: replace(o, chooser="best")),
    "significance ignored": Mirror(options=lambda o: replace(o, significance=None)),
}


@pytest.mark.parametrize("error", PLANTED)
def test_planted_errors_are_noticed(error: str) -> None:
    complaints = []
    for combination in (
        ("gain_ratio", "learned", "threshold", "", "subset"),
        ("info_gain", "learned", "ternary", "", "multiway"),
    ):
        for table, options in cases(combination, 120):
            try:
                check(PLANTED[error], table, options)
            except Mismatch as complaint:
                complaints.append(str(complaint))
    assert complaints
    assert all("core:" in text and "oracle:" in text for text in complaints)
