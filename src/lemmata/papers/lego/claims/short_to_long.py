"""Theorem 4.1: trained on T^1 and T^2, how far a simply transitive action reaches; the balance of Q."""

from operator import attrgetter
from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Claim,
    Experiment,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    Undecided,
    at_least,
    at_most,
    log_slope,
)
from lemmata.papers.lego.claims._short_to_long_drawing import draw
from lemmata.papers.lego.claims._theory_runs import knows_its_action, trace, transitive_run
from lemmata.papers.lego.run.regime import RegimeCells

POWER = 0.25  # the least exponent that counts as a power of d


def worlds(scale: Scale) -> dict[str, RunConfig]:
    """Worlds of growing |X| by T_2, with C_6: "linear" is 5 |X| steps, "quadratic" about |X|^2 / 8; at the paper's
    scale also S_5 with a linear T_2. And C_6 in one world, watched step by step."""
    if scale.name == "smoke":
        return {"linear/9": RegimeCells.smallest("C3"), "transitive": transitive_run(scale)}
    sizes = (41, 81, 161, 321, 641) if scale.name == "paper" else (21, 41, 81, 161)
    linear = {f"linear/{size}": _world("C6", size, 5 * size, size, scale) for size in sizes}
    longer = {size: size**2 // 80 * 10 for size in (41, 81, 161)}  # about the same as 5 |X| at |X| = 41
    quadratic = {f"quadratic/{size}": _world("C6", size, steps, steps, scale) for size, steps in longer.items()}
    beyond = sizes if scale.name == "paper" else ()
    symmetric = {f"symmetric/{size}": _world("S5", size, 5 * size, size, scale) for size in beyond}
    return {**linear, **quadratic, **symmetric, "transitive": transitive_run(scale)}


def _world(action: str, size: int, steps: int, every: int, scale: Scale) -> RegimeCells:
    return RegimeCells(
        action=action,
        variables=size,
        steps=steps,
        every=every,
        lengths=doubling_lengths(size - 1),
        test_sentences=64 if scale.name == "paper" else 32,
        seeds=scale.seeds(smoke=1, laptop=3, paper=3),
    )


def doubling_lengths(last: int) -> tuple[int, ...]:
    """2, and then lengths a factor 2 apart up to the longest chain."""
    found = [2]
    while found[-1] * 2 < last / 1.2:
        found.append(2 * found[-1])
    return (*found, last)


class Growth(NamedTuple):
    """Worlds of growing size, at the first record of stage 2 (untrained attention) or at the last."""

    worlds: list[RunResult]
    record: int = -1

    def power_of_d(self, values: list[float]) -> float:
        d = np.array([run.config.vocabulary_size for run in self.worlds], float)
        if len(np.unique(d)) < 3:
            raise Undecided("a power of d needs worlds of three sizes")
        if not np.all(np.isfinite(np.log(np.maximum(values, 0)))):
            raise Undecided(f"a power of d needs positive numbers, not {values}")
        return log_slope(d, np.array(values))

    def length_power(self) -> float:
        """Of the length reached; where none is, 1 stands for it."""
        steps = [run.metrics["step"][self.record] for run in self.worlds]
        reached = [run.column("reached", step=step) for run, step in zip(self.worlds, steps, strict=True)]
        return self.power_of_d([max(float(lengths.mean()), 1.0) for lengths in reached])

    def attention_power(self) -> float:
        """Of 1/d in what T^2's answers attend to elsewhere, at the worse of the two steps."""
        if any(run.config.lengths[0] != 2 for run in self.worlds):
            raise Undecided("attention on sentences of two steps was not read")
        elsewhere = [run.arrays["epsilon_worst_step"][:, self.record, 0] for run in self.worlds]
        return -self.power_of_d([float(values.mean()) for values in elsewhere])


LENGTH = Claim(
    id="thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    statement="Trained on T¹ and T², a simply transitive action is solved up to a length that grows as a power of d: "
    "the exponent in d of the length reached (all values right in 0.9 of the sentences). "
    "Values, teacher-forced; the variable (token 4) is not judged. "
    "Regime: C₆, σ₀ = 0.02, C_B = 2, m = 12, rate 0.2 |X|, stage 2 of |X|²/8 steps. Control: untrained Q.",
    subject=lambda runs: Growth([*runs.group("quadratic").values()]),
    wrong=lambda runs: Growth([*runs.group("quadratic").values()], record=0),
    parts=Part(Growth.length_power, at_least(POWER)),
    needs={"quadratic": knows_its_action},
    remark="The theorem's T₂ is poly(d), and it matters which: lego/thm-4.1-length-linear fails the same rule. The "
    "rule is older than both runs; the quadratic T₂ was added when the linear one had failed it.",
)

LINEAR = Claim(
    id="thm-4.1-length-linear",
    locus="Theorem 4.1, equation (7), with T₂ proportional to d",
    statement="The same with a stage 2 of 5 |X| steps: the length reached grows as a power of d. Values, "
    "teacher-forced; the variable (token 4) is not judged. Control: untrained Q.",
    subject=lambda runs: Growth([*runs.group("linear").values()]),
    wrong=lambda runs: Growth([*runs.group("linear").values()], record=0),
    parts=Part(Growth.length_power, at_least(POWER)),
    needs={"linear": knows_its_action},
    remark=lambda runs: (
        "The attention elsewhere does fall, about as "
        f"d^-{Growth([*runs.group('linear').values()]).attention_power():.1f}, and yet the length reached hardly "
        f"grows: {_reached(runs)}. In the smallest world that is the end of it, |X| - 1."
    ),
)


def _reached(runs: Runs) -> str:
    found = runs.group("linear").values()
    lengths = {run.config.variables: run.column("reached", step=run.config.steps).mean() for run in found}
    return ", ".join(f"{length:.0f} at |X| = {size}" for size, length in lengths.items())


CONCENTRATION = Claim(
    id="thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    statement="On T², the attention outside the two deciding clauses falls as d^-c*, 0 < c* < 1: the exponent of ε, at "
    "the worse of the two steps, in 1/d, in the regime of lego/thm-4.1-length-linear. Control: uniform attention.",
    subject=lambda runs: Growth([*runs.group("linear").values()]),
    wrong=lambda runs: Growth([*runs.group("linear").values()], record=0),
    parts={
        "at least": Part(Growth.attention_power, at_least(POWER)),
        "at most": Part(Growth.attention_power, at_most(1.0)),
    },
    needs={"linear": knows_its_action},
)


class Balance(NamedTuple):
    lead: float  # of the first block, when either passes a tenth of its end value; the least over seeds
    largest: float  # difference
    left: float  # at the end, as a share of the largest
    gap: float  # of the attention, at the end


def balance(run: RunResult, first: str, second: str) -> Balance:
    """Of two blocks of Q along stage 2; the worst seed."""
    _, _, leading = trace(run, "T2", f"{first}_diagonal")
    _, _, following = trace(run, "T2", f"{second}_diagonal")
    _, _, gap = trace(run, "T2", "gap")
    begun = np.argmax(np.maximum(leading, following) >= 0.1 * leading[:, -1:], axis=1)
    difference = leading - following
    largest = np.abs(difference).max(axis=1)
    lead = difference[np.arange(len(begun)), begun].min()
    left = (np.abs(difference[:, -1]) / np.maximum(largest, 1e-300)).max()
    return Balance(float(lead), float(largest.max()), float(left), float(gap[:, -1].max()))


BALANCE = Claim(
    id="balance",
    locus="Section 6.2.1, stages 2.1 to 2.3, equation (20)",
    statement="For a simply transitive action Q₄₃ grows first, then Q₄₄; their difference stays O(1) and shrinks, and "
    "the attention gap on T² ends small. In every seed: the diagonal of Q₄₃ leads when either first passes a tenth of "
    "its end value. Control: the two blocks exchanged.",
    subject=lambda runs: balance(runs["transitive"], "third", "fourth"),
    wrong=lambda runs: balance(runs["transitive"], "fourth", "third"),
    parts={
        "lead at the start": Part(attrgetter("lead"), at_least(0.0)),
        "largest difference": Part(attrgetter("largest"), at_most(1.0)),
        "difference left": Part(attrgetter("left"), at_most(0.5)),
        "attention gap at the end": Part(attrgetter("gap"), at_most(0.05)),
    },
    needs={"transitive": knows_its_action},
)

EXPERIMENT = Experiment(
    title="From chains of two to chains of a power of d",
    runs=worlds,
    claims=(LENGTH, LINEAR, CONCENTRATION, BALANCE),
    draw=draw,
)
