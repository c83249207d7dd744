"""Every size of every experiment, at each scale, and where the paper prints its own."""

from typing import Any

from lemmata.core import Scale, Size

OURS = "the paper does not say; ours"
EXACT = "a statement for every point; how many are tried is ours"
LIMIT = "a limit or a small enough T; where it is read is ours"
ANY_N = "Theorems 4.1 and 4.4 speak of every n; the worlds are ours"


def seeds(size: Size[int], scale: Scale) -> tuple[int, ...]:
    """As many seeds as the user asked for, else the experiment's own number at this scale."""
    return scale.seeds(smoke=size.smoke, laptop=size.laptop, paper=size.paper)


# |S| and |R| of the worlds of Figure 3, and what the captions of Figures 2 and 4 say of their panels.
FIGURE_WORLDS = ((8, 64), (16, 128), (32, 512))
PANELS: dict[str, dict[str, Any]] = {
    "left": {"n": 8, "relations": 64, "k": 2, "temperature": 0.05},
    "right": {"n": 8, "relations": 512, "k": 3, "temperature": 0.01},
}

# Section 2: worlds and the memory
WORLD_SEEDS = Size(smoke=4, laptop=20, paper=50, where=OURS)
MEMORY_WORLDS = Size(smoke=2, laptop=4, paper=5, where=f"Lemma 3.1 holds in every world; {OURS}")
MORE_DIRECT_DRAWS = Size(smoke=4, laptop=20, paper=100, where=f"Lemma B.1: every W^KQ; {OURS}")
DIRECT_DRAWS = Size(smoke=10, laptop=200, paper=1000, where=f"Lemma B.1: every W^KQ; {OURS}")

# Appendices B to E: formulas at random points, n = 3 and n = 7
WARMUP_POINTS = Size(smoke=32, laptop=256, paper=2048, where=EXACT)
VELOCITY_POINTS = Size(smoke=64, laptop=4096, paper=65_536, where=EXACT)
GENERAL_POINTS = Size(smoke=16, laptop=128, paper=1024, where=EXACT)
SADDLE_TEMPERATURES = Size(smoke=11, laptop=41, paper=81, where=EXACT)
LINE_POINTS = Size(smoke=41, laptop=241, paper=961, where=EXACT)
SMOOTHNESS_POINTS = Size(smoke=200, laptop=3000, paper=40_000, where=EXACT)
MATCHING_WORLDS = Size(smoke=8, laptop=60, paper=2000, where=EXACT)

# Theorem 4.2 and Lemmas B.4 to B.7: the warm-up trained
_STAGES = (0.025, 0.03, 0.04, 0.05, 0.06)
_ESCAPES = (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06)
STAGE_TEMPERATURES = Size(smoke=(0.05, 0.06), laptop=_STAGES[1:], paper=_STAGES, where=LIMIT)
STAGE_SEEDS = Size(smoke=2, laptop=8, paper=32, where=OURS)
STAGE_1_STEPS = Size(smoke=15_000, laptop=120_000, paper=1_000_000, where="Theorem 4.2: t_1 is infinite")
STAGE_2_STEPS = Size(smoke=20_000, laptop=60_000, paper=400_000, where="Theorem 4.2: t_2 is infinite")
ESCAPE_TEMPERATURES = Size(smoke=(0.02, 0.04, 0.06), laptop=_ESCAPES, paper=_ESCAPES, where=LIMIT)
ESCAPE_SEEDS = Size(smoke=2, laptop=48, paper=200, where=OURS)
ESCAPE_STEPS = Size(smoke=500, laptop=1500, paper=3000, where="Lemma B.5: poly(1/T); ours")
LOWEST_STARTS = Size(smoke=4, laptop=64, paper=512, where=EXACT)
PERTURBED_SEEDS = Size(smoke=6, laptop=48, paper=200, where=OURS)

# Appendix C: one large step at low temperature
_EXACT = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6e-5)
_LOW = (1e-3, 5e-4, 2.5e-4, 1.25e-4)
_SHARES = (1.0, 0.5, 0.25, 0.125)
EXACT_TEMPERATURES = Size(smoke=_EXACT[:3], laptop=_EXACT, paper=_EXACT, where="Lemma C.1: T < 1/(40 log n); ours")
EXACT_SEEDS = Size(smoke=8, laptop=24, paper=100, where=OURS)
LOW_TEMPERATURES = Size(smoke=_LOW[:3], laptop=_LOW, paper=_LOW, where=LIMIT)
LOW_SEEDS = Size(smoke=2, laptop=30, paper=30, where=OURS)
LOW_STEPS = Size(smoke=10_000, laptop=20_000, paper=50_000, where="Lemma C.3: O(log(1/T)/(p_conf T)); ours")
LOW_SHARES = Size(smoke=_SHARES[:2], laptop=_SHARES, paper=_SHARES, where="Assumption 4.3: a constant; ours")
MOVEMENT_STEPS = Size(smoke=200, laptop=2000, paper=20_000, where="Lemma E.2 speaks of every t; ours")

# Theorems 4.1 and 4.4. Mersenne primes with an odd exponent are 7 mod 12: their subgroup of index 3 has even order, so
# every sequence is confusing, and about half are mismatched: sequences differ, and Assumption 4.3 holds.
_MERSENNE = tuple(2**exponent - 1 for exponent in (3, 5, 7, 13, 17, 19, 31, 61))
THEOREM_WORLDS = Size(smoke=(7, 127), laptop=_MERSENNE, paper=_MERSENNE, where=ANY_N)
THEOREM_SEEDS = Size(smoke=2, laptop=10, paper=20, where=OURS)
_CONFUSING = (0.75, 0.5, 0.25, 0.1)
MIXED_WORLDS = Size(smoke=(31,), laptop=(127, 8191), paper=(127, 8191, 1_000_003), where=ANY_N)
MIXED_SHARES = Size(
    smoke=_CONFUSING[::2], laptop=_CONFUSING, paper=_CONFUSING, where="Assumption 4.3: a constant; ours"
)
MIXED_SEEDS = Size(smoke=2, laptop=8, paper=50, where=OURS)
FEW_MIXED_SEEDS = Size(smoke=2, laptop=5, paper=20, where=OURS)
TIMES_COLDER = Size(smoke=(2,), laptop=(2, 10), paper=(2, 4, 10), where="Theorem 4.4: any T <= C_1/log n; ours")
TIMES_LONGER = Size(smoke=3, laptop=10, paper=30, where="Theorem 4.4: any t_2 >= (C_2/T) log(1/T); ours")

# Beyond the paper: the phase diagram, and how many sequences are needed
_PHASE = (3, 5, 7, 11, 31, 101, 1009, 10_007, 1_000_003, 1_000_000_007, 2**61 - 1)
PHASE_WORLDS = Size(smoke=(3, 2**61 - 1), laptop=_PHASE, paper=_PHASE, where=ANY_N)
PHASE_STARTS = Size(smoke=16, laptop=64, paper=512, where=EXACT)
_SCALE = (7, 31, 127, 8191, 1_000_003, 2**31 - 1, 1_000_000_000_039, 2**61 - 1)  # primes that are 7 mod 12
_NUMBERS = (1, 2, 4, 8, 16, 32, 64)
_DRAWN = (127, 8191, 1_000_003)
SCALE_WORLDS = Size(smoke=(7, 127), laptop=(*_SCALE[::2], _SCALE[-1]), paper=_SCALE, where=ANY_N)
SCALE_SEQUENCES = Size(smoke=(1, 4, 16), laptop=_NUMBERS, paper=(*_NUMBERS, 128), where="Theorem 4.1: poly(1/T); ours")
SCALE_SEEDS = Size(smoke=2, laptop=10, paper=40, where=OURS)
DRAWN_WORLDS = Size(smoke=(31, 127), laptop=_DRAWN, paper=_DRAWN, where=ANY_N)
DRAWN_SEEDS = Size(smoke=2, laptop=40, paper=40, where=OURS)  # slopes are drawn anew in each: shares spread more

# Figures 2 and 3: fine-tuning by Adam with the constructed memory
BLOCK_STEPS = Size(smoke=3000, laptop=10_000, paper=20_000, where=f"Figure 2: at convergence; {OURS}")
BLOCK_SEEDS = Size(smoke=2, laptop=10, paper=10, where=OURS)
FULL_LEFT_STEPS = Size(smoke=400, laptop=1600, paper=4000, where=f"Figure 2: at convergence; {OURS}")
FULL_LEFT_SEEDS = Size(smoke=1, laptop=5, paper=10, where=OURS)
FULL_RIGHT_STEPS = Size(smoke=80, laptop=400, paper=1600, where=f"Figure 2: at convergence; {OURS}")
FULL_RIGHT_SEEDS = Size(smoke=1, laptop=2, paper=3, where=OURS)
FIGURE_2_PANELS = Size(smoke=1, laptop=2, paper=2, where="Figure 2 has both")
_FIGURE_3 = (1, 2, 4, 8, 16, 32, 64, 128)
FIGURE_3_WORLDS = Size(smoke=1, laptop=3, paper=3, where="Figure 3 has these three")
FIGURE_3_SEQUENCES = Size(smoke=(8, 128), laptop=_FIGURE_3, paper=_FIGURE_3, where="Figure 3's axis")
FIGURE_3_SEEDS = Size(smoke=2, laptop=10, paper=10, where="Figure 3: 10 random seeds")
FIGURE_3_STEPS = Size(smoke=1000, laptop=3000, paper=10_000, where=OURS)
FULL_WORLDS = Size(smoke=1, laptop=1, paper=3, where="Figure 3 has three; on a laptop the smallest alone")
FULL_SEEDS = Size(smoke=2, laptop=20, paper=10, where="Figure 3: 10 random seeds")
FULL_STEPS = Size(smoke=200, laptop=800, paper=4000, where=OURS)
PAIR_STEPS = Size(smoke=800, laptop=10_000, paper=20_000, where=f"Figure 2: at convergence; {OURS}")
PAIR_SEEDS = Size(smoke=2, laptop=5, paper=10, where=OURS)
REGIME_WORLD = Size(smoke=(8, 8), laptop=(8, 8), paper=(8, 64), where="Figure 2: |S| = 8, |R| = 64")
REGIME_WIDTHS = Size(smoke=(1, 2), laptop=(1, 3), paper=(1, 2, 4), where=OURS)
REGIME_SEQUENCES = Size(smoke=(4, 16), laptop=(4, 32, 128), paper=(32, 128, 512, 2048), where=OURS)
REGIME_STEPS = Size(smoke=200, laptop=500, paper=2000, where=OURS)
REGIME_SEEDS = Size(smoke=2, laptop=5, paper=10, where=OURS)

# Figure 4: the memory pre-trained
PRETRAINED_WORLD = Size(smoke=(4, 8), laptop=(8, 64), paper=(8, 64), where="Figure 4, left: |S| = 8, |R| = 64")
PRETRAINED: Size[dict[str, Any]] = Size(
    smoke={"hidden": 64, "batch": 128, "pretrain_steps": 900, "steps": 100},
    laptop={"batch": 256, "pretrain_steps": 1200, "sequences": 1536, "steps": 800},
    paper={"pretrain_steps": 10_000, "sequences": 4096, "steps": 10_000},
    where=OURS,
)
PRETRAINED_RIGHT: dict[str, Any] = {
    "pretrain_steps": 20_000,
    "sequences": 4096,
    "steps": 10_000,
}  # at the paper's scale alone
PRETRAINED_RIGHT_SEEDS = 3
PRETRAINED_SEEDS = Size(smoke=1, laptop=10, paper=10, where=OURS)

# Section 2.1: ways to pre-train the memory, against the constructed one
WAYS_SEEDS = Size(smoke=2, laptop=3, paper=10, where=OURS)
EOS_SEEDS = Size(smoke=2, laptop=12, paper=20, where=OURS)
WAYS_BASE: Size[dict[str, Any]] = Size(
    smoke={"hidden": 64, "batch": 32, "pretrain_steps": 200, "sequences": 32, "steps": 40, "test_sequences": 100},
    laptop={"batch": 128, "pretrain_steps": 1000, "steps": 400},
    paper={"pretrain_steps": 5000, "sequences": 4096, "steps": 3000},
    where="Section 5 gives none",
)
WAYS: Size[dict[str, dict[str, Any]]] = Size(
    smoke={"with weight decay": {"weight_decay": 0.3}},
    laptop={
        "at temperature 0.2": {"pretrain_temperature": 0.2},
        "with half the width": {"hidden": 256},
        "loss over the missing part": {"over": "missing part"},
        "from small weights": {"initial_scale": 0.1},
        "with weight decay": {"weight_decay": 0.3, "pretrain_steps": 2500},
    },
    paper={
        "at temperature 0.2": {"pretrain_temperature": 0.2},
        "at temperature 5": {"pretrain_temperature": 5.0},
        "with four times the width": {"hidden": 2048},
        "loss over the missing part": {"over": "missing part"},
        "from small weights": {"initial_scale": 0.1},
        "with weight decay": {"weight_decay": 0.3, "pretrain_steps": 20_000},
        "on 512 sequences": {"sequences": 512},
        "on 16384 sequences": {"sequences": 16_384},
    },
    where="Section 5 gives none; ours",
)

# All of W^KQ by gradient descent on few sequences; one step of Adam in embeddings of several widths
DESCENT_WORLDS = Size(smoke=1, laptop=3, paper=3, where="Figure 3 has these three")
DESCENT_SEQUENCES = Size(smoke=(8, 32), laptop=(8, 32), paper=_FIGURE_3, where="Figure 3's axis")
DESCENT_SEEDS = Size(smoke=6, laptop=40, paper=100, where=OURS)
DESCENT_STEPS = Size(smoke=100, laptop=500, paper=4000, where=OURS)
STEP_WORLD = Size(smoke=(8, 64), laptop=(8, 128), paper=(32, 512), where=OURS)
STEP_WIDTHS = Size(smoke=(1, 2), laptop=(1, 2, 4), paper=(1, 2, 4), where=OURS)
STEP_SEQUENCES = Size(smoke=(8, 32), laptop=(8, 32, 128), paper=(8, 32, 128), where=OURS)
STEP_SEEDS = Size(smoke=2, laptop=3, paper=5, where=OURS)

# Stage 2 of Theorem 4.2 from the saddle, up to where the pairwise optimum stops being global (0.0884)
_ENDS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.085, 0.088)
END_TEMPERATURES = Size(smoke=_ENDS[1::3], laptop=_ENDS, paper=_ENDS, where="Theorem 4.2: every T < T_0")
END_STEPS = Size(smoke=1500, laptop=4000, paper=20_000, where="Theorem 4.2: t_2 is infinite")
DELTA_SEEDS = Size(smoke=600, laptop=2000, paper=20_000, where=OURS)
PUSH_SEEDS = Size(smoke=4, laptop=24, paper=200, where=OURS)
GAP_SEEDS = Size(smoke=3, laptop=64, paper=60, where=OURS)
WORLD_STEP_SEEDS = Size(smoke=3, laptop=8, paper=40, where=OURS)
