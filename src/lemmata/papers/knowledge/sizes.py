"""Every size of every scale. Our text of the paper gives the world of fragments 39-45 and d = 50; all else is ours."""

from typing import Any

from lemmata.core import Scale, Size

Fields = Size[dict[str, Any]]  # of a config, as its class takes them
OURS = "the paper does not say; ours"
FRESH = 200  # the first seed: those below were seen, some of them, while the rules were written


def seeds(scale: Scale, number: Size[int], first: int = FRESH) -> tuple[int, ...]:
    """As many as the user asked for, else as many as this scale has."""
    return tuple(range(first, first + (scale.num_seeds or number.at(scale))))


# The base cell. Few subjects on a laptop, so that many seeds come within .05 nats of the least loss.
FACTS = Fields(
    {"subjects": 16, "templates": 6, "multiplicity": 3, "pad_multiplicity": 5},
    {"subjects": 64, "templates": 20, "multiplicity": 5, "pad_multiplicity": 10},  # the largest K: one program for all
    {"subjects": 1000, "templates": 5, "multiplicity": 5},
    "fragment 45: N = 1000, K = |R| = 5",
)
MODEL = Fields(
    {"width": 12, "neurons": 4}, {"width": 50, "neurons": 8}, {"width": 50, "neurons": 8}, "fragment 45: d = 50; m ours"
)
# With 1,000 subjects a batch of 128 sees an answer too rarely: its neurons are silenced before they are rewarded.
PRETRAINING = Fields(
    {"steps": 200, "batch": 32, "neuron_learning_rate": 1e-2, "attention_learning_rate": 1e-3},
    {"steps": 1000, "batch": 128, "records": 10},
    {"steps": 2000, "batch": 1024},
    "fragment 45 names AdamW alone; ours",
)
LIGHTER_BATCH = Size(32, 64, 1024, "for what is not judged by the least loss; ours")
TUNING = Fields({"steps": 20, "batch": 16, "learning_rate": 3e-3, "records": 4}, {"steps": 120}, {"steps": 120}, OURS)
SEEDS = Size(2, 12, 5, OURS)

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
COVERING_FACTS = Fields(
    {"subjects": 16, "templates": 6},
    {"subjects": 200, "templates": 20, "held_out": 0.3},
    {"subjects": 400, "templates": 40, "held_out": 0.3},
    "fragments 42-45 hold out half; ours",
)
COVERING_WIDTH = Size(12, 256, 256, OURS)
COVERING_PRETRAINING = Fields(
    {"steps": 40},
    {"steps": 500, "neuron_learning_rate": 3e-4, "attention_learning_rate": 1e-5},
    {"steps": 1000, "neuron_learning_rate": 3e-4, "attention_learning_rate": 1e-5},
    OURS,
)
COVERING_TUNING_STEPS = Size(5, 100, 100, OURS)
COVERING_SEEDS = Size(2, 24, 24, OURS)

# The gradient of fine-tuning: of few questions its rank varies much between seeds.
GRADIENT_FACTS = Fields({}, {"subjects": 100, "pad_multiplicity": None}, {}, "fragment 45: N = 1000")
GRADIENT_PRETRAINING = Fields({}, {"steps": 1500, "records": 15}, {}, OURS)
GRADIENT_SEEDS = Size(1, 9, 5, OURS)

# Gradient descent in stages: the theorem's sizes are orders.
STAGED_FIRST_SEED = 100  # those below were seen while the rules were written
STAGED_FACTS = Fields(
    {"subjects": 32, "templates": 8}, {"subjects": 32, "templates": 8}, {"subjects": 64, "templates": 16}, "K = 4; ours"
)
STAGED_MODEL = Fields(
    {"width": 128, "neurons": 8}, {"width": 128, "neurons": 12}, {"width": 256, "neurons": 8}, "d, m in orders; ours"
)
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
DECODER_PRETRAINING = Fields(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 200, "every": 40, "batch": 48, "learning_rate": 4e-3, "warmup": 20},
    {"steps": 160, "every": 40, "batch": 512, "learning_rate": 6e-4, "warmup": 40, "weight_decay": 0.1},
    OURS,
)
DECODER_TUNING = Fields(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 30, "every": 10, "batch": 32, "learning_rate": 5e-4},
    {"steps": 30, "every": 10, "batch": 128, "learning_rate": 3e-4},
    OURS,
)

# Figure 4: a pretrained language model on PopQA.
POPQA = Fields(
    {"pool": 6, "shots": 2, "least_stored": 2, "ranks": (), "facts": (1, 2), "relations": (1,), "equal_facts": 1}
    | {"steps": 1, "learning_rate": 5e-3, "full_learning_rate": 1e-4, "asked_about": ("capital", "country")},
    {"pool": 50, "shots": 2, "least_stored": 4, "ranks": (16, 0), "facts": (2, 8, 20), "relations": (2,)}
    | {"equal_facts": 8, "steps": 12, "learning_rate": 5e-3, "full_learning_rate": 1e-4}
    | {"asked_about": ("capital", "capital of", "color", "country", "occupation", "religion", "sport")},
    {"pool": 1000, "shots": 4, "least_stored": 16, "ranks": (4, 16, 0), "facts": (4, 16, 64, 256)}
    | {"relations": (1, 2, 4), "equal_facts": 16, "steps": 100, "batch": 16, "full_learning_rate": 2e-5}
    | {"model": "meta-llama/Llama-3.2-1B", "device": "cuda"},
    "the caption names Llama-3.2-1B; all else is ours",
)
POPQA_SEEDS = Size(1, 5, 5, OURS)
