"""Trees of tables larger than memory, or than a machine: rows are put in bins where they lie, and counted level by level."""

from treewright.scale.answers import predict, predict_proba
from treewright.scale.checkpoint import CheckpointError
from treewright.scale.cluster import ClusterError
from treewright.scale.fitting import fit
from treewright.scale.partitions import PartitionError

__all__ = ["CheckpointError", "ClusterError", "PartitionError", "fit", "predict", "predict_proba"]
