"""Every size of every experiment at each scale. Sections 3 to 6 of the paper give orders, Section 7 some numbers; what
it prints stands in `where`."""

from lemmata.core import Scale, Size

OURS = "the paper does not say; ours"
ACTIONS = "Section 7: C6 and S5"
VARIABLES = "the paper does not say; with 170 a chain may have the 160 steps of Section 7"


def seeds(size: Size[int], scale: Scale) -> tuple[int, ...]:
    """As many as the user asked for, else as many as the size says."""
    return scale.seeds(smoke=size.smoke, laptop=size.laptop, paper=size.paper)


# Section 7's decoder: Figures 1, 2, 5, 6 and 7. A laptop has the paper's two actions in a smaller world and model, in
# smaller batches at a greater learning rate.
DECODER_ACTIONS = Size(smoke=("C3", "S3"), laptop=("C6", "S5"), paper=("C6", "S5"), where=ACTIONS)
DECODER_VARIABLES = Size(smoke=9, laptop=41, paper=170, where=VARIABLES)
DECODER_LENGTH = Size(smoke=2, laptop=5, paper=5, where="Section 7: L = 5")
DECODER_STAGES = Size(smoke=(4,), laptop=(10, 20), paper=(10, 20, 40), where="Section 7: three stages, 5 to 40")
DECODER_STAGE_STEPS = Size(smoke=20, laptop=3000, paper=5000, where=OURS)
DECODER_WIDTH = Size(smoke=4, laptop=32, paper=64, where=f"{OURS}; of one slot of five")
DECODER_HIDDEN = Size(smoke=16, laptop=128, paper=1024, where=OURS)
DECODER_BATCH = Size(smoke=8, laptop=32, paper=512, where=OURS)
DECODER_RATE = Size(smoke=1e-2, laptop=1e-3, paper=1e-4, where="Section 7: 1e-4")
DECODER_SENTENCES = Size(smoke=64, laptop=2450, paper=100_000, where=f"{OURS}; see section-7-map")
DECODER_EPOCHS = Size(smoke=10, laptop=150, paper=300, where="Section 7: 300")
DECODER_LENGTHS = Size(
    smoke=(2, 8), laptop=(5, 10, 20, 40), paper=(5, 10, 20, 40, 80, 160), where="Section 7: up to 160"
)
DECODER_TEST = Size(smoke=16, laptop=128, paper=512, where=OURS)
DECODER_MAPS = Size(smoke=8, laptop=100, paper=100, where="Section 7: 100 sentences a map")
# A laptop's symmetric action has more seeds: they differ more. Its control goes on in few; it is far from its bound.
DECODER_SEEDS = Size(smoke=2, laptop=6, paper=3, where=OURS)
DECODER_SYMMETRIC_SEEDS = Size(smoke=2, laptop=12, paper=3, where=OURS)
DECODER_CONTROL_SEEDS = 6  # at most, on a laptop

# The map over what Section 7 does not print.
MAP_BLOCKS = Size(smoke=("plain",), laptop=("plain",), paper=("plain", "no residual", "block-sparse"), where=OURS)
MAP_VARIABLES = Size(smoke=(9,), laptop=(41,), paper=(170, 85, 41), where=OURS)
MAP_SENTENCES = Size(smoke=(32,), laptop=(1000, 4000), paper=(3000, 10_000, 30_000), where=OURS)
MAP_EPOCHS = Size(smoke=(5, 10), laptop=(25, 75), paper=(75, 150, 300), where="Section 7: 300")
MAP_STAGE_STEPS = Size(smoke=10, laptop=1000, paper=2500, where=OURS)
MAP_TEST = Size(smoke=8, laptop=128, paper=256, where=OURS)
NO_RESIDUAL_EPOCHS = Size(smoke=10, laptop=50, paper=300, where="Section 7: 300")
NO_RESIDUAL_SEEDS = Size(smoke=2, laptop=3, paper=2, where=OURS)
MAP_SEEDS = Size(smoke=1, laptop=1, paper=2, where=OURS)

# Algebra and permuted predicates.
CATALOGUE_SENTENCES = Size(smoke=500, laptop=4000, paper=40_000, where=OURS)
PERMUTED_LENGTH = Size(smoke=5, laptop=10, paper=40, where="Figure 5: 5")
PERMUTED_SENTENCES = Size(smoke=16, laptop=64, paper=512, where=OURS)
PERMUTED_SEEDS = Size(smoke=2, laptop=3, paper=10, where=OURS)

# Neurons on the one-step task: features, emergence, retrieval.
FEATURE_ACTIONS = Size(smoke=("C4", "S4"), laptop=("C6", "S5"), paper=("C6", "S5"), where=ACTIONS)
FEATURE_OTHERS = Size(smoke=(), laptop=("F5",), paper=("S4", "A5", "F5"), where=OURS)
FEATURE_VARIABLES = Size(smoke=7, laptop=41, paper=41, where=OURS)
FEATURE_STEPS = Size(smoke=3_000, laptop=24_000, paper=80_000, where="T1 = poly(d): until nothing moves; ours")
FEATURE_STRIDE = Size(smoke=0.2, laptop=0.2, paper=0.1, where=OURS)
FEATURE_SEEDS = Size(smoke=2, laptop=2, paper=10, where=OURS)
EMERGENCE_VARIABLES = Size(smoke=9, laptop=41, paper=170, where=VARIABLES)
EMERGENCE_RECORDS = Size(smoke=150, laptop=300, paper=600, where=OURS)
EMERGENCE_SEEDS = Size(smoke=1, laptop=5, paper=10, where=OURS)
RETRIEVAL_ACTION = Size(smoke="C3", laptop="C6", paper="C6", where=ACTIONS)
RETRIEVAL_VARIABLES = Size(smoke=9, laptop=41, paper=170, where=VARIABLES)
RETRIEVAL_WIDTH = Size(smoke=6, laptop=12, paper=12, where="n_y <= m <= log^2 d; ours")
RETRIEVAL_STEPS = Size(smoke=600, laptop=1500, paper=3000, where=OURS)
RETRIEVAL_SEEDS = Size(smoke=1, laptop=3, paper=5, where=OURS)

# The theory's model on drawn sentences: dilution, word problem, one step.
SAMPLED_ACTIONS = Size(smoke=("C3", "S3"), laptop=("C6", "S5"), paper=("C6", "S5"), where=ACTIONS)
SAMPLED_VARIABLES = Size(smoke=9, laptop=41, paper=170, where=VARIABLES)
# Six combinations a class: with 12 neurons some seeds of C6 leave one unlearned.
SAMPLED_TRANSITIVE_WIDTH = Size(smoke=6, laptop=24, paper=24, where="n_y <= m <= log^2 d; ours")
SAMPLED_SYMMETRIC_WIDTH = Size(smoke=6, laptop=12, paper=12, where="n_y <= m <= log^2 d; ours")
SAMPLED_VALUE_STEPS = Size(smoke=2000, laptop=24_000, paper=40_000, where="T1 = poly(d); ours")
SAMPLED_VARIABLE_STEPS = Size(smoke=1000, laptop=2000, paper=8000, where="T1 = poly(d); ours")
SAMPLED_SLOW_STEPS = Size(smoke=5, laptop=400, paper=800, where="T2 = poly(d); ours")
SAMPLED_QUICK_STEPS = Size(smoke=5, laptop=1000, paper=2000, where="T2 = poly(d); ours")
SAMPLED_STAGES = Size(smoke=2, laptop=4, paper=7, where="Theorem 5.1: k <= log2 |X|")
SAMPLED_STAGE_STEPS = Size(smoke=5, laptop=500, paper=1000, where=OURS)
SAMPLED_LENGTHS = Size(
    smoke=(2, 4, 8), laptop=(2, 4, 8, 16, 24, 32, 40), paper=(2, 4, 8, 16, 32, 64, 128, 160, 169), where=OURS
)
SAMPLED_TEST = Size(smoke=16, laptop=32, paper=256, where=OURS)
SAMPLED_SEEDS = Size(smoke=2, laptop=3, paper=5, where=OURS)
WORDS = Size(smoke=16, laptop=32, paper=128, where=OURS)
WORD_LENGTH = Size(smoke=6, laptop=20, paper=20, where=OURS)

# Assumptions relaxed: every slot read, no curriculum.
ALL_SLOTS_VARIABLES = Size(smoke=5, laptop=21, paper=41, where=OURS)
ALL_SLOTS_WIDTH = Size(smoke=12, laptop=24, paper=24, where="n_y <= m <= log^2 d; ours")
ALL_SLOTS_STEPS = Size(smoke=20, laptop=2000, paper=6000, where="T1 = poly(d); ours")
ALL_SLOTS_LAST_STEPS = Size(smoke=5, laptop=2000, paper=4000, where="T2 = poly(d); ours")
ALL_SLOTS_LENGTHS = Size(smoke=(2, 4), laptop=(2, 4, 8, 16, 20), paper=(2, 4, 8, 16, 32, 40), where=OURS)
ALL_SLOTS_TEST = Size(smoke=8, laptop=128, paper=256, where=OURS)
JOINT_VARIABLES = Size(smoke=5, laptop=13, paper=41, where=OURS)
JOINT_STEPS = Size(smoke=20, laptop=4000, paper=8000, where=OURS)
JOINT_LENGTHS = Size(smoke=(2, 4), laptop=(2, 4, 8, 12), paper=(2, 4, 8, 16, 32), where=OURS)
RELAXED_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)

# The exact population: actions in one vocabulary (separation, mechanism, stabilizer). Smoke has worlds of its own.
POPULATION_DECADES = Size(smoke=8, laptop=7, paper=8, where="T2 = poly(d): the last time is ten to this; ours")
POPULATION_STRIDE = Size(smoke=0.1, laptop=0.2, paper=0.1, where=OURS)
POPULATION_CONTEXTS = Size(smoke=None, laptop=24, paper=None, where=f"{OURS}; of S5, within 2% of all 120 in a trial")
POPULATION_SEEDS = Size(smoke=1, laptop=3, paper=10, where=OURS)
POPULATION_TEST = Size(smoke=128, laptop=128, paper=128, where=OURS)
ORDER_TWELVE_SEEDS = Size(smoke=1, laptop=2, paper=10, where=OURS)
ORDER_TWELVE_TEST = Size(smoke=128, laptop=32, paper=128, where=OURS)
EARLY_SEEDS = Size(smoke=2, laptop=2, paper=3, where=f"{OURS}; of a control")

# Theorem 4.1 in worlds of growing d: n_y <= log d from d = 404 on, and 32 neurons are at most log^2 d.
GROWTH_ACTION = Size(smoke="C3", laptop="C6", paper="C6", where=ACTIONS)
GROWTH_SIZES = Size(
    smoke=(64, 128, 256),
    laptop=(404, 808, 1616, 3232),
    paper=(404, 808, 1616, 3232, 6464, 12928),
    where="d to infinity; ours",
)
GROWTH_WIDTH = Size(smoke=10, laptop=32, paper=32, where="n_y <= m <= log^2 d; ours")
GROWTH_CLIPS = Size(
    smoke=(4.0, 6.0), laptop=(4.0, 6.0), paper=(4.0, 6.0), where="C_B is large; ours: Lemma D.13 asks > 3"
)
GROWTH_LENGTHS = Size(
    smoke=(2, 4, 8, 16, 32, 48),
    laptop=(2, 8, 48, 64, 80, 96, 112, 128, 152, 181, 215, 256, 304, 362, 431, 512, 609, 724),
    paper=(2, 8, 48, 64, 80, 96, 112, 128, 152, 181, 215, 256, 304, 362, 431, 512, 609, 724, 861, 1024, 1218, 1448),
    where=f"{OURS}; in each world as long as its variables last; accuracy falls within a factor of 1.5",
)
GROWTH_TEST = Size(smoke=8, laptop=4, paper=32, where=OURS)
GROWTH_SEEDS = Size(smoke=2, laptop=3, paper=5, where=OURS)

# The same with features that are Theorem B.1's exactly: no network is as wide as d.
LARGE_D = Size(
    smoke=(1e4, 1e8, 1e12),
    laptop=(1e4, 1e7, 1e10, 1e13, 1e16),
    paper=(1e4, 1e7, 1e10, 1e13, 1e16),
    where="d to infinity",
)
LARGE_D_OF_CHAINS = Size(
    smoke=(3e3, 1e4, 3e4), laptop=(1e5, 1e7, 1e9), paper=(1e5, 1e7, 1e9, 1e11), where="d to infinity"
)
LONGEST_CHAIN = Size(smoke=11, laptop=15, paper=16, where="Theorem 4.1: d^c; ours, as a power of two")
LARGE_D_STRIDE = Size(smoke=0.1, laptop=0.05, paper=0.02, where=OURS)

# Appendix D, where one neuron has learned each combination, as its Lemmas D.3 to D.7 have it.
COURSE_ACTION = Size(smoke="C4", laptop="C6", paper="C6", where="Assumption 4.1; E_2 needs four values")
COURSE_SIZES = Size(smoke=(64, 256, 1024), laptop=(404, 3232, 25_856), paper=(404, 3232, 25_856), where="d to infinity")
COURSE_WIDTH = Size(smoke=6, laptop=12, paper=12, where="n_y <= m <= log^2 d; ours")
COURSE_SEEDS = Size(smoke=3, laptop=5, paper=10, where=OURS)

# Theorem 5.1: self-training by doubling.
DOUBLING_ACTION = Size(smoke="S3", laptop="S5", paper="S5", where=ACTIONS)
DOUBLING_VOCABULARY = Size(smoke=40, laptop=404, paper=808, where="d to infinity; ours")
DOUBLING_WIDTH = Size(smoke=8, laptop=12, paper=12, where="n_y <= m <= log^2 d; ours")
DOUBLING_STAGES = Size(smoke=3, laptop=7, paper=8, where="Theorem 5.1: k <= log2 |X|")
DOUBLING_CONTEXTS = Size(smoke=30, laptop=30, paper=120, where=f"{OURS}; 60 and 240 agree to three digits in a trial")
DOUBLING_LENGTHS = Size(
    smoke=(2, 4, 8, 16, 24),
    laptop=(2, 4, 8, 16, 32, 64, 128, 256),
    paper=(2, 4, 8, 16, 32, 64, 128, 256, 512),
    where="Theorem 5.1: up to twice the last stage's length",
)
DOUBLING_TEST = Size(smoke=8, laptop=16, paper=64, where=OURS)
DOUBLING_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)
# The control's stages end at so many times their floor. Smoke's vocabulary is so small that its loss begins below that.
EARLY_END_EXCESS = Size(smoke=1.0, laptop=100.0, paper=100.0, where=f"{OURS}; of a control")
EARLY_END_SEEDS = Size(smoke=1, laptop=2, paper=1, where=f"{OURS}; of a control")

# Appendices E and F with their own stop, on ideal features.
STOP_POINTS = Size(smoke=(3,), laptop=(4, 5), paper=(4, 5), where="n_y grows with d; ours")
STOP_VOCABULARIES = Size(
    smoke=(64.0, 256.0, 1024.0),
    laptop=(404.0, 1e4, 1e6),
    paper=(404.0, 1e4, 1e6, 1e8, 1e12, 1e16),
    where="d to infinity; ours",
)
STOP_CLIPS = Size(smoke=(8.0, 16.0), laptop=(8.0, 16.0), paper=(8.0, 12.0, 16.0), where="C_B is large; ours")
STOP_STAGES = Size(smoke=2, laptop=3, paper=4, where="Theorem F.1: k <= log2 |X|")
LONG_STAGES = Size(smoke=3, laptop=7, paper=7, where="Theorem F.1: k <= log2 |X|")
STOP_ENUMERATED = Size(smoke=6000, laptop=6000, paper=6000, where=OURS)
STOP_DRAWN = Size(smoke=500, laptop=3000, paper=10_000, where=OURS)
LEAST_CLIP_POINTS = Size(smoke=(3,), laptop=(3, 4, 5), paper=(3, 4, 5, 6), where="n_y grows with d; ours")
LEAST_CLIP_VOCABULARIES = Size(
    smoke=(64.0,), laptop=(404.0, 1e5), paper=(1e3, 1e5, 1e8, 1e12), where="d to infinity; ours"
)
LEAST_CLIP_CLIPS = Size(
    smoke=(4.0, 8.0, 16.0),
    laptop=(4.0, 5.0, 6.0, 6.5, 7.0, 7.5, 8.0, 12.0),
    paper=(3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 10.0, 12.0),
    where="C_B is large; ours",
)
LEAST_CLIP_STAGES = Size(smoke=2, laptop=3, paper=5, where="Theorem F.1: k <= log2 |X|")
LEAST_CLIP_ENUMERATED = Size(smoke=500, laptop=500, paper=6000, where=OURS)
LEAST_CLIP_DRAWN = Size(smoke=500, laptop=1000, paper=10_000, where=OURS)
SHORT_POINTS = Size(smoke=4, laptop=5, paper=5, where="n_y grows with d; ours")
SHORT_VOCABULARY = Size(smoke=64, laptop=404, paper=808, where="d to infinity; ours")
SHORT_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)

# The regime map: d = 404 is large enough for Assumption 4.1, and 24 neurons are at most log^2 d.
REGIME_SYMMETRIC = Size(smoke="S3", laptop="S5", paper="S5", where=ACTIONS)
REGIME_VOCABULARY = Size(smoke=30, laptop=404, paper=404, where="d to infinity; ours")
REGIME_WIDTH = Size(smoke=8, laptop=24, paper=24, where="n_y <= m <= log^2 d; ours")
REGIME_SCALES = Size(
    smoke=(0.02,), laptop=(0.005, 0.02), paper=(0.005, 0.02, None), where="Assumption 3.3: sigma_0 = d^-1/2"
)
REGIME_CLIPS = Size(smoke=(2.0, 3.0), laptop=(2.0, 6.0), paper=(2.0, 4.0, 6.0), where="C_B is large; ours")
REGIME_LOSSES = Size(smoke=("sum",), laptop=("sum",), paper=("sum", "second"), where="Algorithm 1: the sum")
REGIME_DECADES = Size(smoke=8, laptop=16, paper=16, where="T2 = poly(d): the last time is ten to this; ours")
REGIME_RECORDS = Size(smoke=2, laptop=4, paper=8, where=f"{OURS}; a decade")
REGIME_CONTEXTS = Size(smoke=None, laptop=12, paper=24, where=f"{OURS}; of S5")
REGIME_LENGTHS = Size(
    smoke=(2, 4, 8, 16), laptop=(2, 4, 8, 16, 32, 64, 128, 256), paper=(2, 4, 8, 16, 32, 64, 128, 256), where=OURS
)
REGIME_TEST = Size(smoke=8, laptop=8, paper=32, where=OURS)
REGIME_SEEDS = Size(smoke=1, laptop=1, paper=1, where=OURS)

# Appendices B and C: features in a vocabulary of any size, d a number.
SHAPE_VOCABULARY = Size(smoke=1e4, laptop=1e4, paper=1e4, where="d to infinity; ours")
SHAPE_TRANSITIVE = Size(smoke=("C3",), laptop=("C4", "C5", "C6"), paper=("C4", "C5", "C6"), where=ACTIONS)
SHAPE_SYMMETRIC = Size(
    smoke=("S3",), laptop=("S3", "S4", "S5", "A5", "F5"), paper=("S3", "S4", "S5", "A5", "F5"), where=ACTIONS
)
SHAPE_STEPS = Size(smoke=4000, laptop=40_000, paper=80_000, where="T1 = poly(d): until the loss is at its floor; ours")
SHAPE_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)
PHASE_ACTIONS = Size(smoke=("C3", "S3"), laptop=("C6", "S4"), paper=("C6", "S5"), where=ACTIONS)
PHASE_VOCABULARIES = Size(
    smoke=(1e4, 1e6, 1e10), laptop=(1e4, 1e6, 1e8, 1e10), paper=(1e4, 1e6, 1e8, 1e10), where="d to infinity; ours"
)
PHASE_STEPS = Size(smoke=4000, laptop=16_000, paper=60_000, where="T1 = poly(d): until all are learned; ours")
PHASE_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)
ARRIVAL_VOCABULARIES = Size(
    smoke=(1e4, 1e6, 1e8), laptop=(1e4, 1e6, 1e8, 1e10, 1e12), paper=(1e4, 1e6, 1e8, 1e10, 1e12, 1e14, 1e16), where=OURS
)
ARRIVAL_STEPS = Size(smoke=1500, laptop=1500, paper=3000, where=OURS)
LOGIT_VOCABULARIES = Size(smoke=(404.0, 1e4), laptop=(404.0, 1e4, 1e6), paper=(404.0, 1e4, 1e6, 1e8), where=OURS)
LOGIT_CLIPS = Size(smoke=(2.0,), laptop=(2.0, 3.0), paper=(2.0, 3.0, 4.0), where="C_B is large; ours")
VARIABLE_SIZES = Size(smoke=(4, 8), laptop=(8, 16, 32), paper=(8, 16, 32, 64), where="d to infinity; ours")
VARIABLE_ACTIONS = Size(smoke=("C2",), laptop=("C2", "C4"), paper=("C2", "C4", "C6"), where=ACTIONS)
VARIABLE_SEEDS = Size(smoke=1, laptop=2, paper=5, where=OURS)
LOGIT_STEPS = Size(smoke=6000, laptop=12_000, paper=40_000, where="T1 = poly(d): until the loss is at its floor; ours")
