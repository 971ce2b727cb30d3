"""The one entrance: an estimator fitted to a table that need not fit into memory."""

from __future__ import annotations

import numbers
import re
from typing import Any, TypeVar

import numpy as np

from treewright.errors import counted, out_of_range, shown
from treewright.estimators.stored import Fits
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import threads
from treewright.recipes import find
from treewright.scale.executor import ThreadExecutor
from treewright.scale.ingest import Coded, read_rows, shard_rows
from treewright.scale.levels import grow_levels
from treewright.scale.scratch import Scratch
from treewright.scale.sources import open_source

E = TypeVar("E", bound=Fits)

_MEMORY = "1GB"
_LEAST_MEMORY = 64 << 20
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def fit(est: E, source: Any, *, target: str, memory: Any = _MEMORY, scratch: Any = None) -> E:
    """Fit a tree to a table that may be larger than memory.

    Rows are read once, put in bins in a scratch folder, and counted there level by level; subtrees of few rows are grown in
    memory. The model is, byte for byte, the one that ``est.fit`` makes of the same table in memory, for any number of threads.

    Parameters
    ----------
    est : estimator
        A tree of classes with ``max_bins`` (``CARTClassifier``, ``TreeClassifier``). ``n_jobs`` says how many threads count.
    source : path, pattern, list of paths, dataset or stream
        A Parquet file, a folder or a pattern of such (``"big/*.parquet"``), a dataset of pyarrow, or a stream of Arrow: a frame
        of pandas or polars, a relation of DuckDB, a record batch reader.
    target : str
        The column to predict; all others are learned from.
    memory : str or int, default "1GB"
        What may be held in memory at a time besides the tree, roughly: bytes, or such as "500MB" or "2GiB".
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
    learner = _learner_of(est)
    room = memory_bytes(memory)
    learner.check_switches()
    reader = open_source(source, target)
    executor = ThreadExecutor(learner.threads)
    with Scratch(scratch) as folder:
        rows = read_rows(reader, target, learner.chosen["max_bins"], folder, shard_rows(len(reader.names), room), executor.run)
        training = _training(rows)
        settings = learner.settings(training)
        settings.threads = 1
        if settings.missing == "refuse":
            _refuse_missing(rows)

        def grow(progress: Progress) -> Grown:
            with progress.shown("growing") as watch:
                core = grow_levels(rows, settings, folder, room, executor, watch or (lambda done, total: None))
            return Grown(learner.cut_by_alpha(core))

        learned = learner.learned_of(training, settings, grow)
    names = np.array([column.name for column in rows.columns], object)
    attributes = {"n_features_in_": len(names), "feature_names_in_": names, **learner.attributes(learned)}
    est.__dict__ = {name: value for name, value in vars(est).items() if name.startswith("_") or not name.endswith("_")}
    est.__dict__.update(attributes)
    return est


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


def _learner_of(est: Any) -> ClassTreeLearner[Any]:
    """The learner of an estimator whose trees can be grown level by level."""
    learner, name = getattr(est, "_learner", None), type(est).__name__
    if not isinstance(learner, ClassTreeLearner) or not isinstance(est, Fits) or not _grown_by_recipe(learner):
        raise TypeError(
            f"est={shown(est)}: {name} is not learned from tables larger than memory; CARTClassifier and TreeClassifier are"
        )
    given = learner.chosen
    if given.get("max_bins") is None:
        raise ValueError(f"{name}: tables larger than memory are put in bins first; set max_bins, such as max_bins=255")
    in_memory = ("class_weight", "priors", "loss", "significance", "max_leaf_nodes", "categorical_features")
    for parameter in (*in_memory, "monotonic_cst", "interaction_cst"):
        if given.get(parameter) is not None:
            raise ValueError(f"{name}: {parameter}={shown(given[parameter])} is for tables in memory, whose rows are all at hand")
    if callable(given.get("criterion")) or callable(given.get("ties")):
        raise ValueError(f"{name}: criteria and ties in Python are for tables in memory")
    criterion = given.get("criterion") or find(given["recipe"]).criterion
    if criterion not in ("gini", "info_gain", "entropy", "log_loss"):
        raise ValueError(f"{name}: criterion={shown(criterion)} is for tables in memory; use 'gini' or 'info_gain'")
    if learner.missing not in ("learned", "majority", "refuse"):
        raise ValueError(f"{name}: missing={learner.missing!r} is for tables in memory; use 'learned', 'majority' or 'refuse'")
    threads(given["n_jobs"])
    return learner


def _grown_by_recipe(learner: TreeLearner[Any]) -> bool:
    """Whether the recipe alone makes the trees of a learner."""
    return type(learner).grow is TreeLearner.grow and type(learner).finish is TreeLearner.finish


def _training(rows: Coded) -> Training:
    """What a learner asks of the rows besides their cells."""
    codes = np.broadcast_to(np.uint8(0), (rows.n_rows,))  # only how many there are
    return Training(list(rows.columns), [], rows.target, codes, None, rows.classes, named=True)


def _refuse_missing(rows: Coded) -> None:
    """Refuse missing cells, as a fit in memory does."""
    for column, missing in zip(rows.columns, rows.missing, strict=True):
        if missing:
            raise ValueError(
                f"column {column.name!r} has {counted(missing, 'missing cell')} (NaN) and missing='refuse': fill "
                f"{'it' if missing == 1 else 'them'}, or use missing='learned' or missing='majority'"
            )
