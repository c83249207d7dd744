"""Every size of every scale. Our text of the paper gives the world of fragments 39-45 and d = 50; all else is ours."""

from lemmata.core import Scale, Size

OURS = "the paper does not say; ours"
FRESH = 200  # the first seed: those below were seen, some of them, while the rules were written


def seeds(scale: Scale, number: Size[int], first: int = FRESH) -> tuple[int, ...]:
    """As many as the user asked for, else as many as this scale has."""
    return tuple(range(first, first + (scale.num_seeds or number.at(scale))))


# The base cell. Few subjects on a laptop, so that many seeds come within .05 nats of the least loss.
SUBJECTS = Size(16, 64, 1000, "fragment 45: N = 1000")
TEMPLATES = Size(6, 20, 5, "fragment 45: |R| = 5")
MULTIPLICITY = Size(3, 5, 5, "fragment 45: K = 5")
PADDED_MULTIPLICITY = Size[int | None](5, 10, None, "the largest K of any run, so that all share their programs; ours")
WIDTH = Size(12, 50, 50, "fragment 45: d = 50")
NEURONS = Size(4, 8, 8, OURS)
SEEDS = Size(2, 12, 5, OURS)
PRETRAINING_STEPS = Size(200, 1000, 2000, OURS)
# With 1,000 subjects a batch of 128 sees an answer too rarely: its neurons are silenced before they are rewarded.
PRETRAINING_BATCH = Size(32, 128, 1024, OURS)
LIGHTER_BATCH = Size(32, 64, 1024, "for what is not judged by the least loss; ours")
PRETRAINING_RECORDS = Size(4, 10, 4, OURS)
NEURON_LEARNING_RATE = Size(1e-2, 1e-3, 1e-3, "fragment 45 names AdamW alone; ours")
ATTENTION_LEARNING_RATE = Size(1e-3, 1e-4, 1e-4, "fragment 45 names AdamW alone; ours")
TUNING_STEPS = Size(20, 120, 120, OURS)
TUNING_BATCH = Size(16, 64, 64, OURS)
TUNING_LEARNING_RATE = Size(3e-3, 3e-4, 3e-4, OURS)
TUNING_RECORDS = Size(4, 1, 1, OURS)

# The extraction runs: fine-tunings of the base cell and of cells like it. At the paper's size neurons start larger: at
# .01 a class that the first batches lack falls silent within two steps of Adam and never comes back.
EXTRACTION_NEURON_START = Size(0.01, 0.01, 0.1, OURS)
EXTRACTION_STEPS = Size(200, 1000, 3000, OURS)
EXTRACTION_RECORDS = Size(4, 4, 4, OURS)
WATCHED_RECORDS = Size(4, 48, 48, OURS)
ASKED_SUBJECTS = Size((1,), (1, 3, 10), (1, 3, 10, 30, 100), OURS)
RANKS = Size((1,), (1, 4), (1, 2, 4, 8), OURS)
WATCHED_SEEDS = Size(2, 48, 5, "ten left what it shows undecided now and then; ours")
CELL_MULTIPLICITIES = Size((2, 3), (1, 2, 5, 10), (1, 2, 5, 10), OURS)
CELL_TEMPLATES = Size(6, 20, 20, "the paper's |R| = 5 leaves K no room; ours")
CELL_SEEDS = Size(2, 16, 5, "with twelve the order of the cells was undecided now and then; ours")
ONE_QUERY_SEEDS = Size(2, 30, 5, OURS)
PRINTED_TEMPLATES = Size(5, 5, 5, "fragment 45: K = |R| = 5")
PRINTED_SEEDS = Size(1, 24, 10, OURS)
WITHOUT_O_SEEDS = Size[int | None](1, 3, None, "of half the base cell's: shown, not judged; ours")

# Lines and products of cells.
LINE_STEPS = Size(200, 1000, 2000, OURS)
LINE_SUBJECTS = Size((8, 16), (16, 32, 64), (125, 250, 500, 1000), "Figure 2 (a) has N on its axis; values are ours")
LINE_SEEDS = 5  # of the base cell's, at most
LINE_TEMPLATES = Size((3, 6), (5, 20, 80), (5, 10, 20, 40, 80), "Figure 2 (b) has |R| on its axis; values are ours")
LINE_SHAPES = Size((6,), (20, 80), (80,), "|R| with padding; ours")
SWEEP_SIZES = Size(
    ((8, 16), (3, 6), (1, 3)),
    ((50,), (10, 20), (2, 5, 10)),
    ((25, 50, 100, 200, 400), (10, 20, 40, 80, 160), (1, 2, 5, 10)),
    "N, |R| and K; ours",
)
SWEEP_SHAPES = Size(((16, 6),), ((50, 20),), ((100, 160), (400, 160)), OURS)
SWEEP_STEPS = Size(200, 1000, 1000, OURS)
SWEEP_SEEDS = Size(2, 16, 5, OURS)

# Covering, template by template: K = 1 and a wide model. Learning rates fall as the width grows.
COVERING_SUBJECTS = Size(16, 200, 400, OURS)
COVERING_TEMPLATES = Size(6, 20, 40, OURS)
COVERING_HELD_OUT = Size(0.5, 0.3, 0.3, "fragments 42-45 hold out half; ours")
COVERING_WIDTH = Size(12, 256, 256, OURS)
COVERING_STEPS = Size(40, 500, 1000, OURS)
COVERING_NEURON_LEARNING_RATE = Size(1e-2, 3e-4, 3e-4, OURS)
COVERING_ATTENTION_LEARNING_RATE = Size(1e-3, 1e-5, 1e-5, OURS)
COVERING_TUNING_STEPS = Size(5, 100, 100, OURS)
COVERING_SEEDS = Size(2, 24, 24, OURS)

# The gradient of fine-tuning: of few questions its rank varies much between seeds.
GRADIENT_SUBJECTS = Size(16, 100, 1000, "fragment 45: N = 1000")
GRADIENT_PADDED_MULTIPLICITY = Size[int | None](5, None, None, OURS)
GRADIENT_STEPS = Size(200, 1500, 2000, OURS)
GRADIENT_RECORDS = Size(4, 15, 4, OURS)
GRADIENT_SEEDS = Size(1, 9, 5, OURS)

# Gradient descent in stages: the theorem's sizes are orders.
STAGED_FIRST_SEED = 100  # those below were seen while the rules were written
STAGED_SUBJECTS = Size(32, 32, 64, OURS)
STAGED_TEMPLATES = Size(8, 8, 16, OURS)
STAGED_WIDTH = Size(128, 128, 256, OURS)
STAGED_NEURONS = Size(8, 12, 8, "the theorem's are many; ours")
STAGED_STEPS = Size(60, 240, 480, OURS)
STAGED_SEEDS = Size(1, 5, 5, OURS)
LEMMA_STEPS = Size(60, 60, 480, "stages 1 and 2 are over within 30; ours")
LEMMA_SEEDS = Size(1, 40, 40, "fifteen left the lemma undecided now and then; ours")
TO_THE_END_SEEDS = Size(1, 5, 40, OURS)
OWN_QUERY_LOGITS = Size((34.0,), (17.0, 24.0, 34.0, 48.0), (17.0, 24.0, 34.0, 48.0), "for eta_1; ours")
ONE_QUERY_LOGITS = Size((56.0,), (40.0, 56.0, 80.0), (40.0, 56.0, 80.0, 112.0), "for eta_1; ours")
SECOND_LEARNING_RATES = Size((20.0,), (10.0, 20.0, 40.0), (10.0, 20.0, 40.0), "eta_2; ours")
THIRD_LEARNING_RATES = Size((200.0,), (50.0, 100.0, 200.0), (25.0, 50.0, 100.0, 200.0), "eta_3; ours")

WORLDS = Size(10, 40, 200, "worlds in which templates are counted; ours")

# Figure 3: a decoder. Our text gives no size of it.
DECODER_CELLS = Size(2, 5, 5, "worlds of Figure 3; ours")
DECODER_SUBJECTS = Size(8, 64, 1000, "fragment 45: N = 1000")
DECODER_ALPHABET = Size(16, 64, 1000, "as many letters as subjects, so that names share letters; ours")
DECODER_WIDTH = Size(8, 48, 768, "GPT-2's")
DECODER_SEEDS = Size(1, 3, 1, OURS)
DECODER_PRETRAINING = Size(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 200, "every": 40, "batch": 48, "learning_rate": 4e-3, "warmup": 20},
    {"steps": 160, "every": 40, "batch": 512, "learning_rate": 6e-4, "warmup": 40, "weight_decay": 0.1},
    OURS,
)
DECODER_TUNING = Size(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 30, "every": 10, "batch": 32, "learning_rate": 5e-4},
    {"steps": 30, "every": 10, "batch": 128, "learning_rate": 3e-4},
    OURS,
)

# Figure 4: a pretrained language model on PopQA.
POPQA_POOL = Size(6, 50, 1000, "facts of a relation that are looked at; ours")
POPQA_SHOTS = Size(2, 2, 4, OURS)
POPQA_LEAST_STORED = Size(2, 4, 16, OURS)
POPQA_RANKS = Size((), (16, 0), (4, 16, 0), OURS)
POPQA_FACTS = Size((1, 2), (2, 8, 20), (4, 16, 64, 256), OURS)
POPQA_RELATIONS = Size((1,), (2,), (1, 2, 4), OURS)
POPQA_EQUAL_FACTS = Size(1, 8, 16, OURS)
POPQA_STEPS = Size(1, 12, 100, OURS)
POPQA_BATCH = Size(4, 4, 16, OURS)
POPQA_LEARNING_RATE = Size(5e-3, 5e-3, 1e-3, OURS)
POPQA_FULL_LEARNING_RATE = Size(1e-4, 1e-4, 2e-5, OURS)
POPQA_SEEDS = Size(1, 5, 5, OURS)
