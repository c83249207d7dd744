"""In-context factual recall: worlds of facts, the sequences drawn from them, and their exact pattern counts."""

from lemmata.papers.ic_recall.task.affine_world import AffineWorld
from lemmata.papers.ic_recall.task.dataset import Dataset, dataset, dataset_of, dataset_of_kinds
from lemmata.papers.ic_recall.task.patterns import (
    confusing_pattern,
    confusing_patterns,
    correct_pattern,
    mismatched_patterns,
    patterns,
)
from lemmata.papers.ic_recall.task.sequences import Sequences, WorldReport, check_pairs
from lemmata.papers.ic_recall.task.stored_sequences import StoredSequences, stored
from lemmata.papers.ic_recall.task.table_world import TableWorld
from lemmata.papers.ic_recall.task.triplet_pairs import TripletPairs, every_pair
from lemmata.papers.ic_recall.task.worlds import (
    Affine,
    AllBijections,
    RandomBijections,
    RandomSlopes,
    SomeAffine,
    World,
    WorldConfig,
    is_prime,
    is_prime_power,
)
