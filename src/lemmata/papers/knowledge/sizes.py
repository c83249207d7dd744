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

# Lines and products of cells.
LINE_STEPS = Size(200, 1400, 2000, "to within the need; ours")
LINE_SUBJECTS = Size((8, 16), (16, 32, 64), (125, 250, 500, 1000), "Figure 2 (a) has N on its axis; values are ours")
LINE_SEEDS = 12  # of the base cell's, at most
LINE_TEMPLATES = Size((3, 6), (5, 20, 80), (5, 10, 20, 40, 80), "Figure 2 (b) has |R| on its axis; values are ours")
LINE_SHAPES = Size((6,), (20, 80), (80,), "|R| with padding; ours")

# The pipeline: stages, then questions. In the theorem N, d and m are orders.
PIPELINE_FIRST_SEED = 300  # those below were seen while the rules were written
PIPELINE_FACTS = Fields(  # at smoke scale, too, the pipeline's claims decide
    {"subjects": 24, "templates": 4, "multiplicity": 3},
    {"subjects": 32, "templates": 8, "multiplicity": 4},
    {"subjects": 1000, "templates": 5, "multiplicity": 5},
    "fragment 45: N = 1000, K = |R| = 5",
)
PIPELINE_MODEL = Fields(
    {"width": 40, "neurons": 12},
    {"width": 128, "neurons": 12},
    {"width": 1024, "neurons": 12},
    "room for orthogonal embeddings; ours",
)
PIPELINE_STAGES = Fields(
    {"steps": 240}, {"steps": 320}, {"steps": 3000, "third_learning_rate": 200.0}, "they grow with N; ours"
)
PIPELINE_TUNING_STEPS = Size(120, 120, 120, "READ_AT of all extraction claims; ours")
PIPELINE_SEEDS = Size(6, 12, 5, OURS)
COVERING_FACTS = Fields(
    {"subjects": 24, "held_out": 0.25},
    {"subjects": 64, "held_out": 0.25},
    {"subjects": 1000, "held_out": 0.25},
    "six questions a template; ours",
)
COVERING_SEEDS = Size(6, 24, 8, OURS)
UNEQUAL_FACTS = Fields(
    {"subjects": 24, "templates": 6, "multiplicity": 4},
    {"subjects": 36, "templates": 8, "multiplicity": 4},
    {"subjects": 999, "templates": 8, "multiplicity": 4},
    "fragment 45: N = 1000, made even; ours",
)
UNEQUAL_MULTIPLICITIES = Size((1, 2, 4), (1, 2, 4), (1, 2, 4), "a third of the subjects each; ours")
UNEQUAL_ASKED = Size((12,), (12, 18), (333, 499), "F; ours")
GRADIENT_SEEDS = Size(3, 36, 5, "the share lies near its bound; ours")
STAGED_ADAMW_LEARNING_RATE = 1e-5  # neurons are smaller by 8/256 than at scale 8: so are AdamW's steps
STAGED_LORA_LEARNING_RATE = 1e-4
LAW_WORLDS = Size(
    ((12, 4, 1), (12, 4, 2), (12, 6, 2)),
    tuple((32, r, k) for r in (4, 8) for k in (1, 2, 4))
    + tuple((64, r, k) for r in (8, 16) for k in (1, 2, 4))
    + ((64, 24, 4),),
    (*((64, r, k) for r in (8, 16, 24) for k in (1, 2, 4)), (128, 16, 4), (128, 32, 4)),
    "N, |R|, K; ours",
)
LAW_ASKED = Size(
    ((12, 2), (12, 6)),
    tuple((32, f) for f in (2, 4, 8, 12, 16)) + tuple((64, f) for f in (4, 8, 16, 24, 32)),
    tuple((64, f) for f in (4, 8, 16, 24, 32)) + tuple((128, f) for f in (16, 32, 64)),
    "N, F; ours",
)
LAW_MODEL = Fields({"width": 40, "neurons": 12}, {"width": 128, "neurons": 12}, {"width": 256, "neurons": 12}, OURS)
LAW_STEPS = Size(240, 320, 640, OURS)
LAW_SEEDS = Size(3, 4, 4, OURS)

# Other readings of our text, in the pipeline's world.
READING_FACTS = Fields(
    {"subjects": 12, "templates": 4, "multiplicity": 2},
    {"subjects": 32, "templates": 8, "multiplicity": 4},
    {"subjects": 1000, "templates": 20, "multiplicity": 5},
    "fragment 45: N = 1000, K = 5",
)
READING_PRETRAINING = Fields(
    {"steps": 400, "batch": 32, "records": 1, "neuron_learning_rate": 3e-3, "attention_learning_rate": 3e-4},
    {"steps": 2000, "batch": 64, "records": 1},
    {"steps": 6000, "batch": 1024, "records": 1},
    "fragment 45 names AdamW alone; ours",
)
SPLIT_DRAWS = Size(50, 200, 200, "splits of small worlds; ours")
READING_SEEDS = Size(3, 12, 5, OURS)
JUDGED_READING_SEEDS = Size(3, 48, 5, "of the two readings that are compared; ours")
PHRASE_STEPS = Size(400, 500, 6000, "phrases are told apart sooner; ours")
PHRASE_SEEDS = Size(3, 12, 5, "six left it undecided; ours")
UNIFORM_STEPS = Size(400, 2000, 6000, "as long as the standard model; ours")


# Gradient descent in stages: the theorem's sizes are orders.
STAGED_FIRST_SEED = 100  # those below were seen while the rules were written
STAGED_FACTS = Fields(
    {"subjects": 32, "templates": 8}, {"subjects": 32, "templates": 8}, {"subjects": 64, "templates": 16}, "K = 4; ours"
)
STAGED_MODEL = Fields(
    {"width": 128, "neurons": 8}, {"width": 128, "neurons": 12}, {"width": 256, "neurons": 8}, "d, m in orders; ours"
)
STAGED_STEPS = Size(60, 240, 480, OURS)
STAGED_SEEDS = Size(1, 8, 8, "of five the control of the lemma could not tell; ours")
LEMMA_STEPS = Size(60, 60, 480, "stages 1 and 2 are over within 30; ours")
LEMMA_SEEDS = Size(1, 40, 40, "fifteen left the lemma undecided now and then; ours")
OWN_QUERY_LOGITS = Size((34.0,), (17.0, 24.0, 34.0, 48.0), (17.0, 24.0, 34.0, 48.0), "for eta_1; ours")
FEW_SENTENCES = Fields(
    {"subjects": 64, "templates": 24, "multiplicity": 1},
    {"subjects": 64, "templates": 24, "multiplicity": 1},
    {"subjects": 128, "templates": 48, "multiplicity": 1},
    "fewer than three sentences a template; ours",
)
FEW_SENTENCES_LOGITS = Size((34.0,), (34.0, 48.0), (34.0, 48.0), "for eta_1; ours")
FEW_SENTENCES_SEEDS = Size(6, 24, 16, "eight left it undecided; ours")
ONE_QUERY_LOGITS = Size((56.0,), (40.0, 56.0, 80.0), (40.0, 56.0, 80.0, 112.0), "for eta_1; ours")
SECOND_LEARNING_RATES = Size((20.0,), (10.0, 20.0, 40.0), (10.0, 20.0, 40.0), "eta_2; ours")
THIRD_LEARNING_RATES = Size((200.0,), (50.0, 100.0, 200.0), (25.0, 50.0, 100.0, 200.0), "eta_3; ours")

# One size varied at a time: equations (97), (168) and (169).
ORDER_WIDTHS = Size((96, 128, 192), (64, 128, 256, 512), (128, 256, 512, 1024), OURS)
ORDER_SUBJECTS = Size((16, 24, 32), (16, 32, 48), (16, 32, 64, 128), OURS)
ORDER_NEURONS = Size((6, 12, 24), (6, 12, 24), (6, 12, 24, 48), OURS)
ORDER_STEPS = Size(160, 320, 960, OURS)
ORDER_SEEDS = Size(2, 10, 5, "five left a slope undecided now and then; ours")

WORLDS = Size(10, 40, 200, "worlds in which templates are counted; ours")

# Figure 3: a decoder. Our text gives no size of it.
DECODER_CELLS = Size(2, 5, 5, "worlds of Figure 3; ours")
DECODER_SUBJECTS = Size(8, 64, 1000, "fragment 45: N = 1000")
DECODER_ASKED = Size(2, 6, 96, "F: few, so that there is room for the trends; ours")
DECODER_WIDTH = Size(8, 48, 768, "GPT-2's")
DECODER_SEEDS = Size(1, 4, 1, OURS)
DECODER_PRETRAINING = Fields(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 400, "every": 100, "batch": 48, "learning_rate": 4e-3, "warmup": 20},
    {"steps": 160, "every": 40, "batch": 512, "learning_rate": 6e-4, "warmup": 40, "weight_decay": 0.1},
    OURS,
)
DECODER_TUNING = Fields(
    {"steps": 2, "every": 2, "batch": 4, "learning_rate": 1e-3},
    {"steps": 60, "every": 20, "batch": 32, "learning_rate": 1e-3},
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
# The same on relation sets.
RELATION_SETS = Fields(
    {"kinds": ("linguistic",), "looked_at": 3, "spare": 4, "least_stored": 1, "questions": 4, "steps": 2}
    | {"batch": 2, "seeds": (0,)},
    {"looked_at": 12, "least_stored": 3, "questions": 64, "steps": 48},
    {"looked_at": 100, "least_stored": 10, "questions": 512, "steps": 200, "batch": 16, "seeds": (0, 1, 2, 3, 4)}
    | {"model": "meta-llama/Llama-3.2-1B", "device": "cuda"},
    "the caption names Llama-3.2-1B; all else is ours",
)
POPQA_SEEDS = Size(1, 5, 5, OURS)
