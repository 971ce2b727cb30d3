"""Walks a fitted tree beside the oracle, node by node.

Where the oracle has one best split the core must have the same; among equals it follows the core, so that a tie never
hides a disagreement below it. Where an answer hangs on rounding (a fractional weight at a limit) it stops there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NoReturn

from .candidates import (
    ABOVE_AVERAGE_SLACK,
    LATER_COLUMN_MARGIN,
    Candidate,
    Problem,
    comparable,
    evaluate,
    limit_is_close,
    reaches_limit,
)
from .criteria import expected_losses
from .families import distinct, splits
from .frames import describe
from .grow import Decision, Guide, Node, grow, stop_after_choice
from .missing import View, known_groups, missing_to, view
from .model import FRACTIONAL, Split, total
from .surrogates import surrogates


class Mismatch(AssertionError):
    """The core and the oracle disagree."""


class Unsure(Exception):
    """The answer hangs on rounding and the rest of the tree depends on it."""


def show_candidate(problem: Problem, candidate: Candidate | None) -> str:
    if candidate is None:
        return "none"
    split = candidate.split
    column = problem.table.columns[split.column]
    if split.cuts:
        what = f"{split.relation} {', '.join(map(repr, split.cuts))}"
    elif column.levels is not None and split.assign:
        what = " ".join(f"{column.levels[level]}->{branch}" for level, branch in split.assign)
    else:
        what = ""
    home = "" if split.home is None else f" missing->{split.home}"
    branches = "/".join(f"{float(weight):g}" for weight in candidate.weights)
    return (
        f"{column.name} {split.family} {what}{home} gain={candidate.gain!r} merit={candidate.merit!r} "
        f"split_info={candidate.split_info!r} weights={branches}"
    )


def show_core(core: Any) -> str:
    lines = [
        (
            f"{'leaf' if core.is_leaf else 'inner'} id={core.id} depth={core.depth} weight={core.weight!r} "
            f"impurity={core.impurity!r} gain={core.gain!r} value={core.value!r} prediction={core.prediction!r}"
        )
    ]
    if core.split is not None:
        s = core.split
        lines.append(
            f"    split {s.column} {s.family} cuts={s.cuts} {s.relation} levels={s.levels} otherwise={s.otherwise} "
            f"missing_to={s.missing_to} children={[child.weight for child in core.children]}"
        )
    for c in core.candidates or ():
        mark = "*" if c.chosen else " "
        lines.append(
            f"   {mark}{c.column} {c.family} gain={c.gain!r} merit={c.merit!r} split_info={c.split_info!r} "
            f"branches={c.n_branches}"
        )
    return "\n".join(lines)


class Follower(Guide):
    """Takes the oracle through the choices of the core and complains about the first that the page does not allow."""

    def __init__(self, problem: Problem, core_root: Any) -> None:
        self.problem = problem
        self.twins: dict[int, Any] = {}
        self.core_root = core_root
        self.given_up = 0

    # --- failing

    def fail(self, node: Node, complaint: str, decision: Decision | None = None) -> NoReturn:
        problem = self.problem
        lines = [f"{complaint} at {node.path}", describe(problem.table, problem.options)]
        value = [float(w) for w in node.value] if isinstance(node.value, list) else node.value
        lines.append(
            f"oracle: rows {[row for row, _ in node.rows]} weight={float(node.weight)!r} impurity={node.impurity!r} "
            f"value={value} prediction={node.prediction!r}"
        )
        if decision is not None:
            lines.append(f"    stop={decision.stop!r} fragile={decision.fragile!r}")
            for result in decision.found.values():
                if result.best is None and not result.admissible:
                    continue
                chosen = decision.candidate is not None and result.best is decision.candidate
                mark = "*" if chosen else "(insignificant) " if result.best is None else " "
                for rank, tie in enumerate(result.ties[:3]):
                    lines.append(f"   {mark if rank == 0 else '  ='}{show_candidate(problem, tie)}")
        lines.append("core: " + show_core(self.twins[id(node)]))
        raise Mismatch("\n".join(lines))

    def unsure(self) -> None:
        """Stop below this node; with best-first growth the rest depends on it, so stop altogether."""
        if self.problem.options.max_leaf_nodes is not None:
            raise Unsure
        self.given_up += 1

    # --- numbers

    @property
    def fractional(self) -> bool:
        return self.problem.options.missing in FRACTIONAL

    def same(self, a: float, b: float, scale: float = 0.0) -> bool:
        if a == b:
            return True
        absolute = 1e-7 * max(1.0 if self.problem.table.classes else 0.0, scale) if self.fractional else 1e-9 * scale
        return math.isclose(a, b, rel_tol=1e-7 if self.fractional else 1e-9, abs_tol=absolute)

    # --- the content of a node

    def check_node(self, node: Node, core: Any) -> None:
        problem = self.problem
        if core.depth != node.depth:
            self.fail(node, "depth differs")
        if not math.isclose(core.weight, float(node.weight), rel_tol=1e-9, abs_tol=1e-7 if self.fractional else 0.0):
            self.fail(node, "weight differs")
        # Squares of the mean bound the rounding of the oracle's own variance.
        scale = 1.0 if problem.table.classes else node.impurity + 1e-6 * float(node.value) ** 2
        if node.rows and not self.same(core.impurity, node.impurity, scale):
            self.fail(node, "impurity differs")
        if not isinstance(node.value, list):
            spread = max(map(abs, problem.table.target))
            if not (self.same(core.value, node.value, spread) and self.same(core.prediction, node.prediction, spread)):
                self.fail(node, "mean differs")
            return
        # An empty leaf repeats its parent's distribution; on which scale is not said, so shares are compared.
        got = [float(core.value.get(label, 0.0)) for label in problem.table.classes]
        if sum(got) <= 0:
            self.fail(node, "class weights are all zero")
        if node.rows and not math.isclose(sum(got), float(sum(node.value)), rel_tol=1e-7):
            self.fail(node, "class weights do not add up to the weight")
        whole = float(sum(node.value))
        for ours, theirs in zip(node.value, got, strict=True):
            if not math.isclose(float(ours) / whole, theirs / sum(got), abs_tol=1e-7 if self.fractional else 1e-12):
                self.fail(node, "class weights differ")
        if core.prediction not in [problem.table.classes[k] for k in self.allowed_predictions(node)]:
            self.fail(node, "prediction differs")

    def allowed_predictions(self, node: Node) -> list[int]:
        assert isinstance(node.value, list)
        options = self.problem.options
        if options.loss is not None or options.priors is not None:
            losses = expected_losses(node.value, options.losses(len(node.value)))
            return [k for k, loss in enumerate(losses) if loss <= min(losses) + (1e-6 if self.fractional else 1e-9)]
        if self.fractional and any(w != int(w) for _, w in node.rows):
            return [k for k, w in enumerate(node.value) if float(w) >= float(max(node.value)) - 1e-6]
        return [int(node.prediction)]

    # --- the split of a node

    def read_split(self, node: Node, decision: Decision, seen: View) -> Split:
        """The core's split as the oracle's, with the checks of its form."""
        core = self.twins[id(node)].split
        options = self.problem.options
        home = core.missing_to if options.missing == "learned" and seen.missing and core.family != "presence" else None
        possible = list(splits(seen, options, self.problem.edges.get(seen.column, ())))
        column = self.problem.table.columns[seen.column]
        if core.family == "presence":
            match = [split for split in possible if split.family == "presence"]
        elif column.levels is None:
            cuts = tuple(core.cuts)
            family = "discretised" if options.numeric == "discretised" else ("threshold", "ternary")[len(cuts) - 1]
            match = [s for s in possible if s.family == family and s.home == home and self.same_cuts(s, cuts)]
            if not match and family == "discretised" and options.missing == "own":
                # All known rows in one interval: the oracle says presence, the intervals say the same.
                match = [replace(Split(seen.column, family, len(cuts) + 2, cuts))]
            if match and family != "discretised" and core.relation != options.relation:
                self.fail(node, "relation differs", decision)
        else:
            assign = []
            for cell in distinct(seen):
                branch = core.levels.get(column.levels[int(cell)], core.otherwise)
                if branch is None:
                    self.fail(node, f"level {column.levels[int(cell)]!r} has no branch", decision)
                assign.append((int(cell), int(branch)))
            if core.family != options.nominal:
                self.fail(node, "family differs", decision)
            self.check_levels(node, decision, core, assign)
            if core.family == "multiway":
                assign = [(level, level) for level in range(len(column.levels))]
            extra = options.missing == "own" and bool(seen.missing)
            branches = (len(column.levels) if core.family == "multiway" else 2) + extra
            match = [Split(seen.column, core.family, branches, assign=tuple(assign), home=home)]
        if not match:
            self.fail(node, "the oracle knows no such split (cut value, missing side or family)", decision)
        return match[0]

    def same_cuts(self, split: Split, cuts: tuple[float, ...]) -> bool:
        if split.family == "discretised" and self.problem.options.discretise == "equal_width":
            return len(cuts) == len(split.cuts) and all(
                math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300) for a, b in zip(cuts, split.cuts, strict=True)
            )
        return cuts == split.cuts

    def check_levels(self, node: Node, decision: Decision, core: Any, assign: list[tuple[int, int]]) -> None:
        if core.family == "multiway" and any(level != branch for level, branch in assign):
            self.fail(node, "multiway branches are not in declared order", decision)
        if core.family == "one_vs_rest" and (core.otherwise != 1 or sum(branch == 0 for _, branch in assign) != 1):
            self.fail(node, "one_vs_rest is not one level in branch 0 and all others in branch 1", decision)
        if core.family == "subset" and assign[0][1] != 0:
            self.fail(node, "the lowest level that occurs is not in the first branch", decision)
        if any(branch not in (0, 1) for _, branch in assign) and core.family != "multiway":
            self.fail(node, "a level goes to a branch that is not there", decision)

    def check_destinations(self, node: Node, decision: Decision, seen: View, split: Split, known: list[float]) -> None:
        core = self.twins[id(node)]
        if seen.policy != "refuse" and core.split.missing_to not in missing_to(seen, split):
            expected = sorted(map(str, missing_to(seen, split)))
            self.fail(node, f"missing_to is {core.split.missing_to!r}, expected {expected}", decision)
        if split.family == "subset":
            children = [child.weight for child in core.children]
            for branch in (0, 1):
                other = 1 - branch
                # Only where every reading of "larger weight" agrees.
                if (
                    known[branch] > known[other] + 1e-6
                    and children[branch] > children[other] + 1e-6
                    and core.split.otherwise not in (branch, None)
                ):
                    self.fail(node, "levels not at the node do not go to the larger branch", decision)

    def check_surrogates(self, node: Node, decision: Decision, seen: View, split: Split) -> None:
        """Columns, cuts, levels and agreements of the surrogates, in their order."""
        ours = surrogates(seen, split, self.problem.options)
        theirs = self.twins[id(node)].surrogates
        if len(ours) != len(theirs):
            self.fail(node, f"{len(theirs)} surrogates, expected {len(ours)}: {ours}", decision)
        for mine, core in zip(ours, theirs, strict=True):
            column = self.problem.table.columns[mine.column]
            same = core.column == column.name and math.isclose(core.agreement, mine.agreement, rel_tol=1e-12)
            same = same and math.isclose(core.adjusted, mine.adjusted, rel_tol=1e-12)
            ways = (mine.below, 1 - mine.below)
            if mine.cut is not None:
                bounds = [core.when[way].high if side == 0 else core.when[way].low for side, way in enumerate(ways)]
                same = same and all(bound is not None and bound.at == mine.cut for bound in bounds)
            else:
                got = {(code, way) for way in (0, 1) for code in core.when[way].levels}
                same = same and got == set(mine.levels)
            if not same:
                self.fail(node, f"surrogate {core!r} differs from {mine}", decision)

    def check_candidates(self, node: Node, decision: Decision) -> None:
        """Each column's candidate against the oracle's; then the chooser applied to the core's own numbers."""
        problem = self.problem
        core = self.twins[id(node)]
        names = [column.name for column in problem.table.columns]
        theirs = {names.index(c.column): c for c in core.candidates}
        if len(theirs) != len(core.candidates):
            self.fail(node, "a column has two candidates", decision)
        for index in range(len(names)):
            result = decision.found.get(index)
            ours = result is not None and result.best is not None
            if (index in theirs) != ours and not (result is not None and result.fragile):
                self.fail(node, f"column {names[index]} {'lacks' if ours else 'should not have'} a candidate", decision)
            if index in theirs and result is not None and not result.fragile:
                c = theirs[index]
                if not any(self.same_candidate(node, tie, c) for tie in result.ties):
                    self.fail(node, f"candidate of {names[index]} differs", decision)
        chosen = [index for index, c in theirs.items() if c.chosen]
        if len(chosen) != 1 or names[chosen[0]] != core.split.column:
            self.fail(node, "not exactly the split's column is marked as chosen", decision)
        self.check_choice(node, decision, theirs, chosen[0])

    def same_candidate(self, node: Node, ours: Candidate, theirs: Any) -> bool:
        slack = 1.0 / max(ours.split_info, 1e-3) if self.problem.options.criterion == "gain_ratio" else 1.0
        merit, other = comparable(self.problem, ours.merit), comparable(self.problem, theirs.merit)
        return (
            self.same(ours.gain, theirs.gain, node.impurity)
            and self.same(merit, other, node.impurity * slack)
            and self.same(ours.split_info, theirs.split_info, 1.0)
        )

    def check_choice(self, node: Node, decision: Decision, theirs: dict[int, Any], chosen: int) -> None:
        rivals = [(index, theirs[index]) for index in sorted(theirs)]
        if self.problem.options.chooser == "above_average":
            average = math.fsum(c.gain for _, c in rivals) / len(rivals)
            limit = average - ABOVE_AVERAGE_SLACK * average
            blurred = 1e-9 * abs(average)
            if any(0 < abs(c.gain - limit) < blurred for _, c in rivals):
                return
            rivals = [(index, c) for index, c in rivals if c.gain >= limit]
        winner, merit = rivals[0][0], rivals[0][1].merit
        for index, c in rivals[1:]:
            if c.merit > merit + LATER_COLUMN_MARGIN * abs(merit):
                winner, merit = index, c.merit
        taken = theirs[chosen].merit
        # A difference of about the margin itself may fall either way.
        edge = merit != 0 and math.isfinite(merit) and 0.5 < abs(taken / merit - 1) / LATER_COLUMN_MARGIN < 2
        if winner != chosen and not edge:
            names = [column.name for column in self.problem.table.columns]
            self.fail(node, f"by its own merits the core should take {names[winner]}", decision)

    # --- the walk

    def candidate(self, node: Node, decision: Decision) -> Candidate | None:
        if node.path == "root":
            self.twins[id(node)] = self.core_root
        core = self.twins[id(node)]
        self.check_node(node, core)
        fragile = bool(decision.fragile) or any(result.fragile for result in decision.found.values())
        if core.is_leaf:
            return self.follow_leaf(node, decision, fragile=fragile)
        if decision.stop and decision.stop not in ("min_gain", "min_impurity_decrease"):
            if not fragile:
                self.fail(node, f"the core divides, the oracle stops ({decision.stop})", decision)
            return self.give_up(node)
        if not fragile:
            self.check_candidates(node, decision)
        return self.follow_split(node, decision, fragile=fragile)

    def give_up(self, node: Node) -> None:
        node.reason = "unsure"
        self.unsure()

    def follow_leaf(self, node: Node, decision: Decision, *, fragile: bool) -> Candidate | None:
        node.reason = decision.stop
        if decision.stop:
            return None
        if self.problem.options.max_leaf_nodes is not None:
            return decision.candidate  # whether its turn comes is seen in next_open
        gains = [tie.gain for result in decision.found.values() if result.best is not None for tie in result.ties]
        may_stop = any(stop_after_choice(self.problem, node, gain)[0] for gain in gains)
        if not fragile and not may_stop:
            self.fail(node, "the core stops, the oracle divides", decision)
        return self.give_up(node)

    def follow_split(self, node: Node, decision: Decision, *, fragile: bool) -> Candidate | None:
        problem = self.problem
        core = self.twins[id(node)]
        index = [column.name for column in problem.table.columns].index(core.split.column)
        if index in node.used:
            self.fail(node, "the column was used before on this path", decision)
        seen = view(problem.table, index, problem.options.missing, node.rows)
        mine = evaluate(problem, seen, self.read_split(node, decision, seen))
        result = decision.found[index]
        if not reaches_limit(problem, mine) and not limit_is_close(problem, mine, node.rows):
            self.fail(node, f"split below the minimum leaf weight: {show_candidate(problem, mine)}", decision)
        best = max((tie.score for tie in result.ties), default=-math.inf)
        if mine.score < best - problem.tolerance(node.impurity):
            self.fail(node, f"a better split of the column exists than {show_candidate(problem, mine)}", decision)
        if not fragile and not self.same(core.gain, mine.gain, node.impurity):
            self.fail(node, f"gain differs from {show_candidate(problem, mine)}", decision)
        stop, close = stop_after_choice(problem, node, mine.gain)
        if stop and not close:
            self.fail(node, f"the core divides, the oracle stops ({stop})", decision)
        known = [float(total(group)) for group in known_groups(seen, mine.split)]
        self.check_destinations(node, decision, seen, mine.split, known)
        if seen.policy == "surrogate":
            self.check_surrogates(node, decision, seen, mine.split)
        return mine

    def next_open(self, waiting: list[tuple[Node, Candidate]]) -> int:
        worth = [float(node.weight) * candidate.gain for node, candidate in waiting]
        top = max(worth)
        scale = max(float(node.weight) * self.problem.tolerance(node.impurity) for node, _ in waiting)
        tied = [i for i, value in enumerate(worth) if value >= top - scale]
        divided = [i for i in tied if not self.twins[id(waiting[i][0])].is_leaf]
        if not divided:
            self.fail(waiting[tied[0]][0], f"best-first: the oracle divides this node next (W * gain = {top!r})")
        return divided[0]

    def divided(self, node: Node) -> None:
        core = self.twins[id(node)]
        if len(core.children) != len(node.children):
            self.fail(node, f"the core has {len(core.children)} branches, the oracle {len(node.children)}")
        for ours, theirs in zip(node.children, core.children, strict=True):
            self.twins[id(ours)] = theirs
        for ours, theirs in zip(node.children, core.children, strict=True):
            if ours.reason:  # an empty branch is never opened
                self.check_node(ours, theirs)
                if not theirs.is_leaf:
                    self.fail(ours, "the core divides an empty branch")

    def left_open(self, node: Node) -> None:
        if not self.twins[id(node)].is_leaf:
            self.fail(node, "the core divides more nodes than max_leaf_nodes allows")
        node.reason = "max_leaf_nodes"


def compare(problem: Problem, core_root: Any) -> int:
    """Raises Mismatch; otherwise the number of nodes at which rounding decides and the walk stopped."""
    follower = Follower(problem, core_root)
    try:
        grow(problem, follower)
    except Unsure:
        return 1
    return follower.given_up
