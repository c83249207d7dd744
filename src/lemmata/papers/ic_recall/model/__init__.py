"""One transformer, three engines: dense; dense attention with the exact memory; reduced to pattern counts."""

from lemmata.papers.ic_recall.model.counted import both_attentions, counted_decoding, counted_surprises
from lemmata.papers.ic_recall.model.engines import reduced, with_exact_memory
from lemmata.papers.ic_recall.model.frozen import FrozenTransformer, frozen
from lemmata.papers.ic_recall.model.key_query import KeyQuery
from lemmata.papers.ic_recall.model.leaves import full_key_query, memory_weights, position_block, whole_transformer
from lemmata.papers.ic_recall.model.losses import Accuracy, first_accuracy, second_accuracy, second_loss
from lemmata.papers.ic_recall.model.memory import (
    Memory,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
)
from lemmata.papers.ic_recall.model.pattern_model import PatternModel, pattern_logits
from lemmata.papers.ic_recall.model.surprise import mean_surprise
from lemmata.papers.ic_recall.model.transformer import (
    AbstractTransformer,
    DenseTransformer,
    MemoryTransformer,
    token_loss,
)
from lemmata.papers.ic_recall.model.vocabulary import Vocabulary, orthonormal
