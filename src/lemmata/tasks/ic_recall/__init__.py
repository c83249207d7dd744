"""In-context factual recall: worlds of facts, the sequences drawn from them, and their exact pattern counts."""

from lemmata.tasks.ic_recall.affine_world import AffineWorld
from lemmata.tasks.ic_recall.dataset import Dataset, dataset, dataset_of
from lemmata.tasks.ic_recall.pairs import TripletPairs, every_pair
from lemmata.tasks.ic_recall.patterns import (
    confusing_pattern,
    confusing_patterns,
    correct_pattern,
    forms,
    mismatched_patterns,
    patterns,
)
from lemmata.tasks.ic_recall.primes import is_prime
from lemmata.tasks.ic_recall.sequences import Sequences, WorldReport, check_pairs
from lemmata.tasks.ic_recall.table_world import TableWorld
from lemmata.tasks.ic_recall.token_task import IcRecallTask, StoredSequences, stored, token_batch
from lemmata.tasks.ic_recall.worlds import Affine, AllBijections, RandomBijections, World, WorldConfig

__all__ = [
    "Affine",
    "AffineWorld",
    "AllBijections",
    "Dataset",
    "IcRecallTask",
    "RandomBijections",
    "Sequences",
    "StoredSequences",
    "TableWorld",
    "TripletPairs",
    "World",
    "WorldConfig",
    "WorldReport",
    "check_pairs",
    "confusing_pattern",
    "confusing_patterns",
    "correct_pattern",
    "dataset",
    "dataset_of",
    "every_pair",
    "forms",
    "is_prime",
    "mismatched_patterns",
    "patterns",
    "stored",
    "token_batch",
]
