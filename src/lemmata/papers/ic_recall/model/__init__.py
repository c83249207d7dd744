"""One transformer, three forms: dense; dense attention with the exact memory; reduced to pattern counts."""

from lemmata.papers.ic_recall.model.convert import (
    full_key_query,
    position_block,
    reduced,
    whole_transformer,
    with_exact_memory,
)
from lemmata.papers.ic_recall.model.fast.attention import both_attentions
from lemmata.papers.ic_recall.model.fast.eos_scores import EosScores, eos_decoding, eos_nll
from lemmata.papers.ic_recall.model.fast.frozen_memory import Recalled, recalled, recalled_logits
from lemmata.papers.ic_recall.model.fast.full_attention import decoding_from_counts, nlls_from_counts
from lemmata.papers.ic_recall.model.fast.nll import mean_nll
from lemmata.papers.ic_recall.model.fast.pair_logits import pair_logits
from lemmata.papers.ic_recall.model.fast.pattern_model import (
    PatternModel,
    argmax_finds,
    first_accuracy,
    log_probability,
    pattern_logits,
    second_accuracy,
    second_loss,
)
from lemmata.papers.ic_recall.model.memory import (
    Memory,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
)
from lemmata.papers.ic_recall.model.transformer import DenseTransformer, KeyQuery, MemoryTransformer, token_loss
from lemmata.papers.ic_recall.model.vocabulary import Vocabulary, orthonormal
