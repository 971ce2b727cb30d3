"""The one entrance: an estimator fitted to a table that need not fit into memory."""

from __future__ import annotations

import hashlib
import numbers
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

import treewright
from treewright.errors import counted, out_of_range, shown
from treewright.estimators.stored import Fits
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.forests import ForestLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.learner import Learned
from treewright.learn.tree import TreeLearner
from treewright.learn.values import is_whole
from treewright.progress import Lasting
from treewright.scale.checkpoint import Checkpoint
from treewright.scale.cluster import DaskExecutor
from treewright.scale.executor import Executor, ThreadExecutor
from treewright.scale.forests import learn_forest
from treewright.scale.ingest import Coded, read_rows, shard_rows
from treewright.scale.learners import learner_of, tree_of
from treewright.scale.levels import Plant, grow_levels
from treewright.scale.partitions import partition_rows, read_partitions, training_of_all
from treewright.scale.remote import is_frame_of_dask, open_partitions
from treewright.scale.scratch import Scratch
from treewright.scale.shards import Plan, fingerprint, mapped_shards
from treewright.scale.sources import open_source
from treewright.scale.targets import Classes, Numbers
from treewright.scale.training import CodedTraining, training_of

E = TypeVar("E", bound=Fits)

_MEMORY = "1GB"
MOST_NUMBERS = 1 << 31  # of which the sums of halves, 32 bits each, fit 64
_LEAST_MEMORY = 64 << 20
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def fit(
    est: E,
    source: Any,
    *,
    target: str,
    weight: str | None = None,
    memory: Any = _MEMORY,
    client: Any = None,
    checkpoint: Any = None,
    scratch: Any = None,
) -> E:
    """Fit a tree, or a random forest, to a table that may be larger than memory.

    Rows are read once, put in bins in a scratch folder, and counted there level by level; subtrees of few rows are grown in
    memory. The model is, byte for byte, the one that ``est.fit`` makes of the same table in memory, for any number of threads.

    Parameters
    ----------
    est : estimator
        A tree with ``max_bins`` (``CARTClassifier``, ``CARTRegressor``, ``TreeClassifier``, ``TreeRegressor``), or a random
        forest with it. ``n_jobs`` says how many threads count.
    source : path, pattern, list of paths, dataset or stream
        A Parquet file, a folder or a pattern of such (``"big/*.parquet"``), a file of delimited text (CSV and its relatives, as
        ``read_table`` reads them), a dataset of pyarrow, or a stream of Arrow: a frame of pandas or polars, a relation of
        DuckDB, a record batch reader.
    target : str
        The column to predict; all others are learned from.
    weight : str, optional
        The column that says what rows weigh, as ``sample_weight`` of ``est.fit`` does; it is not learned from.
    memory : str or int, default "1GB"
        What may be held in memory at a time besides the tree, roughly: bytes, or such as "500MB" or "2GiB". On a cluster, by a
        piece of work.
    client : distributed.Client, optional
        A cluster of Dask, whose workers read, count and grow. ``source`` is then Parquet files that all of them reach, or a
        frame of Dask; trees are grown so, of rows of weight 1.
    checkpoint : path, optional
        A folder for what the fit of a tree has found so far. Should the process, the cluster or its scheduler be lost, the same
        call goes on from there. It is removed when the fit is done.
    scratch : path, optional
        The folder for scratch files, by default the system's. They take four or eight bytes a cell, and one more (two from 256
        bins on), and are gone with the process, however it ends.

    Returns
    -------
    est
        The estimator itself, fitted.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import treewright as tw
    >>> table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": ["no", "no", "yes", "yes"]})
    >>> tw.scale.fit(tw.CARTClassifier(max_bins=255), table, target="y").tree_.n_leaves
    2
    """
    where = {"memory": memory, "client": client, "checkpoint": checkpoint, "scratch": scratch}
    learned = learn(learner_of(est), source, target=target, weight=weight, **where)
    own = {name: value for name, value in vars(est).items() if name.startswith("_") or not name.endswith("_")}
    est.__dict__ = {**own, **learned}  # in one step: who predicts meanwhile has the fit before it or this one
    return est


def learn(
    learner: TreeLearner[Any] | ForestLearner[Any],
    source: Any,
    *,
    target: str,
    weight: str | None = None,
    memory: Any = _MEMORY,
    client: Any = None,
    checkpoint: Any = None,
    scratch: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """What a learner makes of a table that may be larger than memory, under the names of a fitted estimator.

    ``options``: how delimited text is read, as ``read_table`` takes them.
    """
    room = memory_bytes(memory)
    learner.check_switches()
    tree = tree_of(learner)
    max_bins = tree.chosen["max_bins"]
    read = Classes(target) if isinstance(tree, ClassTreeLearner) else Numbers(target)
    progress = Progress(bar=bool(learner.given["verbose"]))
    _check_elsewhere(learner, source, weight, client, checkpoint)
    kept = Checkpoint(checkpoint, _described(learner, target, weight, room))
    with ThreadExecutor(learner.threads) if client is None else DaskExecutor(client) as executor, Scratch(scratch) as folder:
        if isinstance(executor, ThreadExecutor):
            opened = open_source(source, target, weight, room, folder, **options)
            digest = blake2b(digest_size=16) if isinstance(learner, ForestLearner) else None
            at_once = shard_rows(len(opened.columns), room)
            rows = read_rows(opened, read, max_bins, folder, at_once, executor.run, digest, progress)
            shards, prints = None, [] if checkpoint is None else [fingerprint(rows)]
        else:
            partitions = open_partitions(source, target, lambda columns: partition_rows(columns, room), executor)
            rows, shards, prints = read_partitions(partitions, read, max_bins, executor)
        if tree.missing == "refuse":
            _refuse_missing(rows)
        training = training_of(rows) if shards is None else training_of_all(rows)
        _refuse_many(rows)
        kept.begin(_of_table(rows, prints), rows.facts)
        if isinstance(learner, ForestLearner):
            with progress.shown("growing", Lasting) as watch:
                learned = learn_forest(learner, training, folder, room, executor, watch or _silent)
        else:
            shards = mapped_shards(rows, folder) if shards is None else shards
            learned = _learn_tree(learner, training, shards, room, executor, kept)
    names = np.array([column.name for column in rows.columns], object)
    kept.drop()
    return {"n_features_in_": len(names), "feature_names_in_": names, **learner.attributes(learned)}


def _check_elsewhere(learner: Any, source: Any, weight: str | None, client: Any, checkpoint: Any) -> None:
    """Refuse what needs all rows in one place."""
    if isinstance(learner, ForestLearner):
        for name, value in (("client", client), ("checkpoint", checkpoint)):
            if value is not None:
                raise ValueError(f"{learner.name}: {name}= is for single trees; a forest is grown by the threads of one machine")
    state = learner.given.get("random_state")
    if checkpoint is not None and state is not None and not is_whole(state):
        # Its next seed is another one: counts of columns drawn by the first would be taken for those of others.
        raise ValueError(
            f"random_state={shown(state)}: a fit with checkpoint= is begun again with the same seed: give a whole number"
        )
    if client is None and is_frame_of_dask(source):
        raise TypeError(
            "source is a frame of Dask, whose partitions workers read: pass client=, such as client=distributed.Client()"
        )
    if client is not None and weight is not None:
        raise ValueError(f"weight={shown(weight)}: rows on a cluster weigh one each; leave client= or weight= out")


def _described(learner: TreeLearner[Any] | ForestLearner[Any], target: str, weight: str | None, room: int) -> dict[str, str]:
    """Which fit this is, as far as is known before the table is read."""
    params = {name: _in_full(value) for name, value in learner.given.items() if name not in ("n_jobs", "verbose")}
    columns = {"target": shown(target), "weight": shown(weight), "memory": str(room)}
    return {"the version of treewright": treewright.__version__, "the estimator": learner.name, **params, **columns}


def _in_full(value: Any) -> str:
    """A parameter as text that no other value of it has, however long it is."""
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 1000 else f"{text[:1000]}… ({hashlib.sha256(text.encode()).hexdigest()})"


def _of_table(rows: Coded, prints: Sequence[bytes]) -> str:
    """A fingerprint of the table."""
    classes = None if rows.classes is None else rows.classes.tolist()
    facts = (rows.columns, rows.target, classes, rows.bins, rows.facts.class_totals, rows.missing, rows.n_rows)
    return hashlib.sha256(b"".join([repr(facts).encode(), *prints])).hexdigest()


def _silent(done: int, total: int) -> None:
    """Tell nobody."""


def _learn_tree(
    learner: TreeLearner[Any], training: CodedTraining, shards: Sequence[Any], memory: int, executor: Executor, kept: Checkpoint
) -> Learned:
    """The tree that the learner makes of the same rows in memory."""
    settings = learner.settings(training)
    settings.threads = 1
    rows = training.coded
    plant = Plant(Plan(rows.facts, settings), shards, rows.n_rows)

    def grow(progress: Progress) -> Grown:
        with progress.shown("growing", Lasting) as watch:
            core = grow_levels(rows, [plant], memory, executor, watch or _silent, kept)[0]
        return Grown(learner.cut_by_alpha(core))

    return learner.learned_of(training, settings, grow)


def memory_bytes(memory: Any) -> int:
    """Read how much memory there is: bytes, or a number with a unit."""
    wanted = 'bytes, or a number with a unit, such as "500MB" or "2GiB", 64 MiB at least'
    if isinstance(memory, numbers.Integral) and not isinstance(memory, bool):
        size = int(memory)
    elif isinstance(memory, str) and (found := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", memory.upper())):
        if found[2] not in _UNITS:
            raise out_of_range("memory", memory, wanted)
        size = int(float(found[1]) * _UNITS[found[2]])
    else:
        raise out_of_range("memory", memory, wanted)
    if size < _LEAST_MEMORY:
        raise out_of_range("memory", memory, wanted)
    return size


def _refuse_many(rows: Coded) -> None:
    """Refuse more numbers than their sums in steps have room for."""
    if rows.target.classes is None and rows.n_rows >= MOST_NUMBERS:
        raise ValueError(
            f"{rows.n_rows} rows: trees of numbers are learned from fewer than {MOST_NUMBERS} (2**31); take a sample"
        )


def _refuse_missing(rows: Coded) -> None:
    """Refuse missing cells, as a fit in memory does."""
    for column, missing in zip(rows.columns, rows.missing, strict=True):
        if missing:
            raise ValueError(
                f"column {column.name!r} has {counted(missing, 'missing cell')} (NaN) and missing='refuse': fill "
                f"{'it' if missing == 1 else 'them'}, or use missing='learned' or missing='majority'"
            )
