"""Theorem 5.1 and Corollary 5.1: what recursive self-training does for S_5, beside C_6 and beside its controls."""

from typing import NamedTuple

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.lego.claims._self_training_drawing import draw, stage_lengths
from lemmata.papers.lego.claims._theory_runs import after, knows_its_action, stages_of, symmetric_run, transitive_run

SOLVED = 0.97  # 1 - 1/poly(d), on 128 sentences


class AfterStage(NamedTuple):
    """A model after a plan's stage of attention training; stage 0 of plan "none" is before any."""

    run: RunResult
    plan: str
    stage: int

    def solves(self, length: int) -> list[float]:
        """The share of sentences with every variable and value right, by seed; so is the greedy rollout."""
        return after(self.run, self.plan, self.stage, "both", length).tolist()

    def longest_solved(self) -> list[float]:
        return self.solves(max(self.run.config.lengths))

    def elsewhere(self, length: int) -> float:
        """The attention of the worst step of the worst seed on all but the two deciding clauses."""
        return float(after(self.run, self.plan, self.stage, "epsilon_worst_step", length).max())


def last_stage(run: RunResult, plan: str) -> AfterStage:
    return AfterStage(run, plan, len(stages_of(run, plan)))


SEPARATION = Claim(
    id="separation",
    locus="Theorem 1.2, Figure 1a",
    statement="Trained on T¹ and T² alone, the simply transitive C₆ answers the longest chain of the world where the "
    "symmetric S₅ does not, both by Algorithm 1: stage 2 descends on the sum Loss₅^{2,1} + Loss₅^{2,2}. All variables "
    "and values right (so is the greedy rollout) in the share of sentences of length |X| - 1, by seed. Regime: "
    "|X| = 41, σ₀ = 0.02, C_B = 2, m = 12, rate 0.2 |X|, 400 steps; lego/regime-map shows where else. Control: S₅ "
    "after four times the steps on T² (Loss₅^{2,2}).",
    subject=lambda runs: (last_stage(runs["transitive"], "T2"), AfterStage(runs["symmetric"], "T2 sum", 1)),
    wrong=lambda runs: (last_stage(runs["transitive"], "T2"), AfterStage(runs["symmetric"], "short", 1)),
    parts={
        "C6, worst seed": Part(lambda pair: min(pair[0].longest_solved()), at_least(0.9)),
        "S5, best seed": Part(lambda pair: max(pair[1].longest_solved()), at_most(0.2)),
    },
    remark=lambda runs: (
        "The separation is of this regime: T² alone, run four times as long, also takes S₅ to the end of the world "
        f"({max(AfterStage(runs['symmetric'], 'short', 1).longest_solved()):.2f} in the best seed). The loss matters "
        "too: Algorithm 2 prints its first stage with Loss₅^{2,2} alone. And d differs with the action, "
        f"{runs['transitive'].config.model_config().vocab} for C₆ against "
        f"{runs['symmetric'].config.model_config().vocab} for S₅: at equal d the stabilizer does not decide "
        "(lego/stabilizer)."
    ),
)


class Stages(NamedTuple):
    """Models after the stages of self-training, and the length that each is asked for."""

    asked: list[tuple[AfterStage, int]]

    def worst_seeds(self) -> list[float]:
        return [min(model.solves(length)) for model, length in self.asked]

    def elsewhere(self) -> list[float]:
        return [model.elsewhere(length) for model, length in self.asked]


def doubled(runs: Runs, first_only: bool = False) -> Stages:
    """Each stage at twice its own length, as far as the world reaches; `first_only`: by the model of T^2 alone."""
    run = runs["symmetric"]
    asked = [
        (AfterStage(run, *(("T2", 1) if first_only else (plan, number))), 2 * length)
        for plan, number, length in stage_lengths(run)
    ]
    return Stages([(model, length) for model, length in asked if length in run.config.lengths])


DOUBLING = Claim(
    id="thm-5.1-doubling",
    locus="Theorem 5.1, equation (11)",
    statement="The model of stage k, self-trained up to length 2^k, solves length 2^(k+1): all variables and values "
    "right (so is the greedy rollout) in nearly all sentences of that length in every seed, at every stage k = 1, "
    "..., K. Control: without the stages, the model of T² on the same lengths.",
    subject=doubled,
    wrong=lambda runs: doubled(runs, first_only=True),
    parts=Part(Stages.worst_seeds, at_least(SOLVED)),
)


def at_own_length(run: RunResult, plan: str, trained: bool = True) -> Stages:
    """The models after a plan's stages, each at its stage's length; untrained: the model before any, at those."""
    stages = enumerate(stages_of(run, plan), start=1)
    before = AfterStage(run, "none", 0)
    return Stages([(AfterStage(run, plan, number) if trained else before, stage.length) for number, stage in stages])


def _range(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


ATTENTION = Claim(
    id="thm-5.1-attention",
    locus="Theorem 5.1, equation (12)",
    statement="After stage k, at length 2^k, every answer puts all but ε ≤ 0.01 of its attention on the two clauses "
    "that decide the next: the mean over sentences at the worst step and seed, for every k. Regime: stages four times "
    "as long at five times the rate, where the loss has reached the floor that stage 1 leaves. Control: attention "
    "before its training.",
    subject=lambda runs: at_own_length(runs["symmetric"], "long"),
    wrong=lambda runs: at_own_length(runs["symmetric"], "long", trained=False),
    parts=Part(Stages.elsewhere, at_most(0.01)),
    remark=lambda runs: (
        "It is a matter of steps, not of the loss: the short stages of the same experiment may end with a loss under "
        f"d^-0.7, have ε of {_range(at_own_length(runs['symmetric'], 'self').elsewhere())}, and still double."
    ),
)

COROLLARY = Claim(
    id="cor-5.1",
    locus="Corollary 5.1",
    statement="After K = O(log d) stages the model solves the longest chain there is, |X| - 1 steps: all variables and "
    "values right (so is the greedy rollout) in nearly all sentences in every seed. Control: T² only, without further "
    "stages.",
    subject=lambda runs: last_stage(runs["symmetric"], "self"),
    wrong=lambda runs: AfterStage(runs["symmetric"], "T2", 1),
    parts=Part(lambda model: min(model.longest_solved()), at_least(SOLVED)),
    remark=lambda runs: (
        "Self-training is not needed for it here: as many steps on T² alone give "
        f"{_range(AfterStage(runs['symmetric'], 'short', 1).longest_solved())} over the seeds, and as much computation "
        f"{_range(AfterStage(runs['symmetric'], 'short', 2).longest_solved())}."
    ),
)

EXPERIMENT = Experiment(
    title="Self-training carries S5 as far as C6 goes; so does patience",
    runs=lambda scale: {"transitive": transitive_run(scale), "symmetric": symmetric_run(scale)},
    needs={"transitive": knows_its_action, "symmetric": knows_its_action},
    claims=(SEPARATION, DOUBLING, ATTENTION, COROLLARY),
    draw=draw,
)
