"""IREP and RIPPER a second time, from their definitions (docs/rules.md, Cohen 1995): sets of rows as masks, every literal tried.

Rows are distinct and of weight 1. A literal is (column, test, code), tests being "<=", ">=" and "="; MISSING satisfies none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = 2**32 - 1
Mask = NDArray[np.bool_]
Literal = tuple[int, str, int]
Rule = list[Literal]

_WORD = 2**64 - 1


def _hash(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def _mix(a: int, b: int) -> int:
    return _hash(_hash(a) ^ b)


@dataclass(frozen=True)
class Settings:
    """What the estimators' parameters are called there."""

    gain: str
    worth: str
    check_error: bool
    delete_early: bool
    stop: str = "surplus"
    surplus: float = 64
    rounds: int = 2
    folds: int = 3
    min_weight: float = 2
    prune: bool = True


JRIP: dict[str, Any] = {"gain": "smoothed", "worth": "smoothed", "check_error": True, "delete_early": False}
COHEN: dict[str, Any] = {"gain": "foil", "worth": "ripper", "check_error": False, "delete_early": True}
IREP = Settings("foil", "irep", False, False, "error", rounds=0, min_weight=1)


def _subset_bits(n: float, k: float, p: float) -> float:
    bits = 0.0
    if k > 0:
        bits += -k * log2(p) if p > 0 else 1e6
    if n - k > 0:
        bits += -(n - k) * log2(1 - p) if p < 1 else 1e6
    return bits


class Covering:
    """Learns rules for the classes of coded rows, the rarest class first."""

    def __init__(self, codes: Any, nominal: list[bool], y: Any, seed: int, settings: Settings) -> None:
        keys = []
        for row, label in zip(codes.tolist(), y.tolist(), strict=True):
            key = _hash(label)
            for code in row:
                key = _mix(key, code)
            keys.append((key, tuple(row)))
        order = sorted(range(len(y)), key=keys.__getitem__)  # so that nothing depends on the order of rows
        self.codes, self.y, self.nominal, self.seed, self.s = codes[order], y[order], nominal, seed, settings
        self.known = [sorted(set(column.tolist()) - {MISSING}) for column in self.codes.T]
        self.n_literals = sum(len(known) * (1 if is_ else 2) for known, is_ in zip(self.known, nominal, strict=True))
        self.deals = 0
        self.optimised = {"kept": 0, "revised": 0, "replaced": 0, "residual": 0}

    def holds(self, literal: Literal) -> Mask:
        column, test, code = literal
        cells = self.codes[:, column]
        there: Mask = cells != MISSING
        return there & (cells <= code if test == "<=" else cells >= code if test == ">=" else cells == code)

    def covers(self, rule: Rule) -> Mask:
        out = np.ones(len(self.y), bool)
        for literal in rule:
            out &= self.holds(literal)
        return out

    # -- one rule ----------------------------------------------------------------------------------------------------

    def deal(self, left: Mask) -> tuple[Mask, Mask]:
        """Rows to grow by, and to prune by: of every class one of each ``folds`` in a row, drawn."""
        seed = _mix(self.seed, self.deals)
        self.deals += 1
        held = np.zeros(len(self.y), bool)
        seen: dict[int, int] = {}
        for at in np.flatnonzero(left) if self.s.prune else []:
            label = int(self.y[at])
            place = seen[label] = seen.get(label, -1) + 1
            group, inside = divmod(place, self.s.folds)
            held[at] = inside == _mix(_mix(seed, label), group) % self.s.folds
        return left & ~held, left & held

    def grown(self, start: Rule, by: Mask) -> Rule:
        """Literals of the largest gain are added until no negative is left, or nothing is gained."""
        rule, inside = list(start), by & self.covers(start)

        def rate(p: int, t: int) -> float:
            return (p + 1) / (t + 1) if self.s.gain == "smoothed" else p / t

        def gain(literal: Literal) -> float:
            then = inside & self.holds(literal)
            p = int((then & self.positive).sum())
            return p * (log2(rate(p, int(then.sum()))) - before) if p else 0.0

        while (inside & ~self.positive).any() and (inside & self.positive).any():
            before = log2(rate(int((inside & self.positive).sum()), int(inside.sum())))
            most, best = 0.0, None
            for j, is_nominal in enumerate(self.nominal):
                if is_nominal and any(literal[0] == j for literal in rule):
                    continue
                for code in self.known[j]:
                    if not is_nominal and not (inside & (self.codes[:, j] == code)).any():
                        continue
                    tests = ["="] if is_nominal else [">=", "<="]
                    found = max(((gain((j, test, code)), -k, test) for k, test in enumerate(tests)), key=lambda each: each[:2])
                    if found[0] > most + 1e-6:  # the first of equals
                        most, best = found[0], (j, found[2], code)
            if best is None or (inside & self.holds(best) & self.positive).sum() < self.s.min_weight:
                break
            rule.append(best)
            inside &= self.holds(best)
        return rule

    def pruned(self, rule: Rule, by: Mask, for_list: bool) -> Rule:
        """The beginning of the rule that is worth most: by itself, or to the list it stands in."""
        positives, negatives = int((by & self.positive).sum()), int((by & ~self.positive).sum())
        if not self.s.prune or positives + negatives == 0:
            return rule

        def worth(length: int) -> float:
            covered = by & self.covers(rule[:length])
            p, n = int((covered & self.positive).sum()), int((covered & ~self.positive).sum())
            smoothed = (p + 1) / (p + n + 2)
            accuracy = (p + negatives - n) / (positives + negatives)
            if for_list:
                return smoothed if length == 0 and self.s.worth == "smoothed" else accuracy
            if self.s.worth == "ripper":
                return (p - n) / (p + n) if p + n else -1.0
            return smoothed if self.s.worth == "smoothed" else accuracy

        worths = [worth(length) for length in range(len(rule) + 1)]
        return rule[: worths.index(max(worths))]

    # -- bits --------------------------------------------------------------------------------------------------------

    def theory(self, rule: Rule) -> float:
        k = len(rule)
        if k == 0:
            return 0.0
        size = log2(k) + (2 * log2(log2(k)) if k > 1 else 0.0)
        return 0.5 * (size + _subset_bits(self.n_literals, k, min(1.0, k / self.n_literals)))

    def exceptions(self, covered: float, right: float) -> float:
        rest, fp, fn = self.total - covered, covered - right, self.positives - right
        share = self.positives / self.total
        bits = log2(self.total + 1)
        if covered > rest:
            return (
                bits + _subset_bits(covered, fp, share * (fp + fn) / covered) + (_subset_bits(rest, fn, fn / rest) if rest else 0)
            )
        bits += _subset_bits(covered, fp, fp / covered) if covered else 0.0
        return bits + (_subset_bits(rest, fn, (1 - share) * (fp + fn) / rest) if rest else 0.0)

    def shares(self, rules: list[Rule], without: int | None = None) -> list[tuple[int, int]]:
        """By rule, the rows no rule before it covers, and how many of them are positive."""
        left, out = self.among.copy(), []
        for k, rule in enumerate(rules):
            own = left & self.covers(rule) if k != without else np.zeros(len(left), bool)
            out.append((int(own.sum()), int((own & self.positive).sum())))
            left &= ~own
        return out

    def deleted(self, rule: Rule, share: tuple[int, int], total: tuple[int, int]) -> float | None:
        """Bits that are saved by deleting a rule; None if it stays."""
        saved = self.exceptions(*total) + self.theory(rule) - self.exceptions(total[0] - share[0], total[1] - share[1])
        wrong = self.s.check_error and share[0] > 0 and (share[0] - share[1]) / share[0] >= 0.5
        return saved if saved >= 0 or wrong else None

    def least(self, rules: list[Rule], at: int, without: bool) -> float:
        """Bits of the exceptions of a list, with or without one rule, when later rules that do not pay are deleted."""
        shares = self.shares(rules, at if without else None)
        total = (sum(a for a, _ in shares), sum(b for _, b in shares))
        bits = self.exceptions(*total)
        for k in range(at + 1, len(rules)):
            if (saved := self.deleted(rules[k], shares[k], total)) is not None:
                bits -= saved
                total = (total[0] - shares[k][0], total[1] - shares[k][1])
        return bits

    def relative(self, rules: list[Rule], at: int) -> float:
        return self.least(rules, at, False) + self.theory(rules[at]) - self.least(rules, at, True)

    def shortened(self, rules: list[Rule]) -> list[Rule]:
        shares, out = self.shares(rules), list(rules)
        total = (sum(a for a, _ in shares), sum(b for _, b in shares))
        for k in reversed(range(len(rules))):
            if self.deleted(rules[k], shares[k], total) is not None:
                total = (total[0] - shares[k][0], total[1] - shares[k][1])
                del out[k]
        return out

    # -- one class ---------------------------------------------------------------------------------------------------

    def ends(self, rule: Rule, own: Mask, held: Mask, bits: float, shortest: float, relative: float) -> bool:
        right, covered = int((own & self.positive).sum()), int(own.sum())
        if not rule or right == 0:
            return True
        if self.s.stop == "error":
            tried = held & self.covers(rule)
            return bool((tried & ~self.positive).sum() > (tried & self.positive).sum())
        if self.s.stop == "surplus" and bits > shortest + self.s.surplus:
            return True
        if self.s.stop == "explains" and relative >= 0:
            return True
        return self.s.check_error and (covered - right) / covered >= 0.5

    def extended(self, rules: list[Rule], left: Mask, residual: bool) -> list[Rule]:
        bits = shortest = self.exceptions(0, 0)
        while (left & self.positive).any():
            grow, held = self.deal(left)
            rule = self.pruned(self.grown([], grow), held, False)
            relative = self.relative([*rules, rule], len(rules))
            own = left & self.covers(rule)
            bits += relative
            shortest = min(shortest, bits)
            if self.ends(rule, own, held, bits, shortest, relative):
                break
            self.optimised["residual"] += int(residual)
            rules = [*rules, rule]
            left = left & ~own
        return rules

    def optimised_once(self, old: list[Rule]) -> list[Rule]:
        now: list[Rule] = []
        left = self.among.copy()
        while len(now) < len(old) and (left & self.positive).any():
            at = len(now)
            if not (left & self.covers(old[at])).any():
                now.append(old[at])
                continue
            grow, held = self.deal(left)
            for later in old[at + 1 :]:
                held &= ~self.covers(later)
            replacement = self.pruned(self.grown([], grow), held, True)
            revision = self.pruned(self.grown(old[at], grow), held, True)
            ways = [("kept", old[at]), ("revised", revision), ("replaced", replacement)]
            bits = [self.relative([*now, rule, *old[at + 1 :]], at) if rule else inf for _, rule in ways]
            name, rule = ways[bits.index(min(bits))]
            self.optimised[name] += 1
            now.append(rule)
            left &= ~self.covers(rule)
        if len(now) == len(old):
            now = self.extended(now, left, True)
        return self.shortened([*now, *old[len(now) :]])

    def of_class(self, among: Mask, label: int) -> list[Rule]:
        self.among, self.positive = among, self.y == label
        self.total, self.positives = int(among.sum()), int((among & self.positive).sum())
        rules = self.extended([], among, False)
        if self.s.delete_early:
            rules = self.shortened(rules)
        for _ in range(self.s.rounds):
            rules = self.optimised_once(rules)
        return rules

    def learn(self) -> list[tuple[int, Rule]]:
        labels, counts = np.unique(self.y, return_counts=True)
        left, out = np.ones(len(self.y), bool), []
        for at in np.argsort(counts, kind="stable")[:-1]:
            for rule in self.of_class(left, int(labels[at])):
                out.append((int(labels[at]), rule))
                left = left & ~self.covers(rule)
        return out
