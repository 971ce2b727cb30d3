"""Forests: samples are drawn by row number, and some trees at a time are grown level by level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import _core
from treewright.learn.ensemble import warning_once
from treewright.learn.forests import ForestLearner
from treewright.learn.growing import Grown
from treewright.learn.learner import Learned
from treewright.learn.sampling import Drawing
from treewright.learn.tree import TreeLearner
from treewright.model.protocol import Model
from treewright.scale.executor import Executor
from treewright.scale.ingest import Array
from treewright.scale.levels import Plant, Tell, grow_levels, plant_of
from treewright.scale.scratch import Scratch
from treewright.scale.shards import Plan, ShardRows
from treewright.scale.targets import weighed, whole_totals
from treewright.scale.training import CodedTraining
from treewright.table.weights import KEPT


@dataclass(frozen=True)
class _Member:
    """A tree of the forest: its learner, its rows as the learner sees them, and as shards."""

    learner: TreeLearner[Any]
    training: CodedTraining
    plant: Plant


def learn_forest(
    learner: ForestLearner[Any], training: CodedTraining, scratch: Scratch, memory: int, executor: Executor, tell: Tell
) -> Learned:
    """The forest that the learner makes of the same rows in memory."""
    drawing, base = learner.drawing(training), learner.based_on(training)
    assert drawing is None or isinstance(drawing, Drawing)
    assert isinstance(base, TreeLearner)
    settings = base.settings(training)
    base.warn(training, settings)
    rows, n, group = training.coded, learner.n_members, max(4, 2 * learner.threads)
    whole = plant_of(rows, settings, scratch)
    members: list[Model] = []

    def told(begin: int) -> Tell:
        return lambda done, of_group: tell(begin * rows.n_rows + done, n * rows.n_rows)

    with warning_once():
        for begin in range(0, n, group):
            with Scratch(scratch.folder) as own:
                held = [_member(learner, base, at, training, whole, drawing, own) for at in range(begin, min(n, begin + group))]
                grown = grow_levels(rows, [member.plant for member in held], memory, executor, told(begin))
                members += [_model(learner, member, core) for member, core in zip(held, grown, strict=True)]
    facts: dict[str, Any] = {"rows_digest_": _digest(training, drawing)}
    if drawing is not None:
        facts["drawing_"] = drawing
    return learner.learned(members, [1.0] * n, training, facts)


def _model(learner: ForestLearner[Any], member: _Member, core: Any) -> Model:
    cut = Grown(member.learner.cut_by_alpha(core))
    return member.learner.learned_of(member.training, member.plant.plan.settings, lambda progress: cut).model


def _member(
    learner: ForestLearner[Any],
    base: TreeLearner[Any],
    at: int,
    training: CodedTraining,
    whole: Plant,
    drawing: Drawing | None,
    scratch: Scratch,
) -> _Member:
    """A member, before it is grown."""
    own = learner.member(at, base)
    assert isinstance(own, TreeLearner)
    rows = training.coded
    if drawing is None:
        numbers = rows.by_shard(scratch.array(np.uint32, (rows.n_rows,)))
        for each in numbers:
            each[:] = np.arange(len(each), dtype=np.uint32)
        sample, facts, quanta = training, rows.facts, [shard.quanta for shard in whole.shards]
    else:
        numbers, weights = _drawn(training, drawing, at, scratch)
        sample, facts, given = _sample(training, numbers, weights, scratch)
        quanta = [None] * len(numbers) if given is None else given
    settings = own.settings(sample)
    settings.threads = 1
    beside = zip(whole.shards, numbers, quanta, strict=True)
    shards = [ShardRows.sample(shard, whole.plan, facts, held, each) for shard, held, each in beside]
    return _Member(own, sample, Plant(Plan(facts, settings), shards, len(sample.codes)))


def _drawn(training: CodedTraining, drawing: Drawing, at: int, scratch: Scratch) -> tuple[list[Array], Array]:
    """The rows of every shard that were drawn, and what all of them weigh."""
    rows = training.coded
    counts = _core.DrawnCounts(drawing.seed, at, drawing.n_rows, drawing.draws)
    numbers, weights = scratch.array(np.uint32, (rows.n_rows,)), scratch.array(np.float64, (rows.n_rows,))
    least = 0.0 if training.weights is None else float(np.sum(training.weights)) * KEPT  # the core keeps no less of any row
    out: list[Array] = []
    begin = end = 0
    for codes in rows.codes:
        drawn = counts.next(len(codes))
        place = np.flatnonzero(drawn)
        mine = slice(end, end + len(place))
        numbers[mine] = place
        weights[mine] = drawn[place]
        if training.weights is not None:
            weights[mine] = np.maximum(weights[mine] * training.weights[begin + place], least)
        out.append(numbers[mine])
        begin, end = begin + len(codes), end + len(place)
    return out, weights[:end]


def _sample(
    training: CodedTraining, numbers: list[Array], weights: Array, scratch: Scratch
) -> tuple[CodedTraining, _core.CodedColumns, list[Array] | None]:
    """The rows that were drawn: as the learner sees them, what is known of all of them, and their quanta by row of the shard."""
    rows = training.coded
    ends = np.cumsum([len(each) for each in numbers])[:-1]
    codes = scratch.array(training.codes.dtype, weights.shape)
    for to, target, place in zip(np.split(codes, ends), rows.by_shard(rows.targets), numbers, strict=True):
        to[:] = target[place]
    found = weighed(weights, scratch, training.row_weight)
    facts = rows.facts.again()
    found.tell(facts)
    quanta = None if found.quanta is None else np.split(found.quanta, ends)
    if rows.target.classes is not None:
        facts.class_totals = whole_totals(np.split(codes, ends), quanta, len(rows.target.classes))
    by_row = None
    if quanta is not None:
        by_row = rows.by_shard(scratch.array(np.int64, (rows.n_rows,)))
        for out, place, each in zip(by_row, numbers, quanta, strict=True):
            out[place] = each
    return training.sample(codes, weights), facts, by_row


def _digest(training: CodedTraining, drawing: Drawing | None) -> str:
    """A hash of the rows and of how the first member draws among them, as ``rows_digest`` makes it in memory."""
    digest = training.coded.digest
    assert digest is not None
    rows = training.coded.n_rows

    def tell(part: Callable[[int, int], Any]) -> None:
        for at in range(0, rows, 1 << 20):
            digest.update(np.ascontiguousarray(part(at, min(rows, at + (1 << 20))), np.float64).data)

    tell(lambda begin, end: training.codes[begin:end])
    tell(lambda begin, end: np.ones(end - begin) if training.weights is None else training.weights[begin:end])
    counts = None if drawing is None else _core.DrawnCounts(drawing.seed, 0, drawing.n_rows, drawing.draws)
    tell(lambda begin, end: np.ones(end - begin) if counts is None else counts.next(end - begin))
    return str(digest.hexdigest())
