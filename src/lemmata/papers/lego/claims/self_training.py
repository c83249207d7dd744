"""Theorem 5.1 and Corollary 5.1: what recursive self-training does for S_5, beside C_6 and beside its controls."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.lego.claims._theory_runs import knows_two_steps, stages_of, symmetric_run, transitive_run
from lemmata.report.plots import COLOURS, band, ceiling, joined, legend, letter, new_figure

SOLVED = 0.97  # 1 - 1/poly(d), on 128 sentences
SHADES = (COLOURS["vermillion"], COLOURS["orange"], COLOURS["yellow"], COLOURS["green"])
CONTROLS = {  # plan -> label, line
    "short": ("T², equal steps", ":"),
    "true": ("true labels, last stage", "--"),
    "T2 sum": ("T², sum", "-."),
}


class AfterStage(NamedTuple):
    """A model after a plan's stage of attention training; stage 0 of plan "none" is before any."""

    run: RunResult
    plan: str
    stage: int

    def column(self, name: str, **where: int) -> np.ndarray:
        return self.run.column(name, plan=self.plan, stage=self.stage, **where)

    def solves(self, length: int) -> list[float]:
        """The share of sentences with every variable and value right, by seed; so is the greedy rollout."""
        return self.column("both", length=length).tolist()

    def longest_solved(self) -> list[float]:
        return self.solves(max(self.run.config.lengths))

    def elsewhere(self, length: int) -> np.ndarray:
        """The attention of the worst step on all but the two deciding clauses, by seed."""
        return self.column("epsilon_worst_step", length=length)


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


Asked = list[tuple[AfterStage, int]]  # models after stages, and the length that each is asked for


def trained_to(run: RunResult) -> Asked:
    """F^(T_1), F^(T_2), ... and their lengths: T^2 first, then the self-trained stages."""
    return [(AfterStage(run, "T2", 1), 2), *at_own_length(run, "self")]


def at_own_length(run: RunResult, plan: str) -> Asked:
    return [(AfterStage(run, plan, i), stage.length) for i, stage in enumerate(stages_of(run, plan), start=1)]


def by_model(asked: Asked, plan: str, stage: int) -> Asked:
    """One model, at the lengths that others are asked for."""
    return [(AfterStage(model.run, plan, stage), length) for model, length in asked]


def doubled(runs: Runs) -> Asked:
    """Each stage at twice its own length, as far as the world reaches."""
    run = runs["symmetric"]
    return [(model, 2 * length) for model, length in trained_to(run) if 2 * length in run.config.lengths]


DOUBLING = Claim(
    id="thm-5.1-doubling",
    locus="Theorem 5.1, equation (11)",
    statement="The model of stage k, self-trained up to length 2^k, solves length 2^(k+1): all variables and values "
    "right (so is the greedy rollout) in nearly all sentences of that length in every seed, at every stage k = 1, "
    "..., K. Control: without the stages, the model of T² on the same lengths.",
    subject=doubled,
    wrong=lambda runs: by_model(doubled(runs), "T2", 1),
    parts=Part(lambda asked: [min(model.solves(length)) for model, length in asked], at_least(SOLVED)),
)


def worst_elsewhere(asked: Asked) -> list[float]:
    return [float(model.elsewhere(length).max()) for model, length in asked]


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
    wrong=lambda runs: by_model(at_own_length(runs["symmetric"], "long"), "none", 0),
    parts=Part(worst_elsewhere, at_most(0.01)),
    remark=lambda runs: (
        "It is a matter of steps, not of the loss: the short stages of the same experiment may end with a loss under "
        f"d^-0.7, have ε of {_range(worst_elsewhere(at_own_length(runs['symmetric'], 'self')))}, and still double."
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


def curves(one: RunResult, other: RunResult) -> list[tuple[str, AfterStage, dict[str, str]]]:
    """Label, model and line of every accuracy curve: the transitive action's, the symmetric one's by stage, and its
    controls."""
    name = other.config.action
    found = [(f"{one.config.action}, T²", last_stage(one, "T2"), {"color": COLOURS["blue"]})]
    for i, (model, length) in enumerate(trained_to(other)):
        label = f"{name}, T²" if model.plan == "T2" else f"{name}, self-trained to {length}"
        found.append((label, model, {"color": SHADES[i % len(SHADES)]}))
    for plan in other.config.plans:
        if plan.name in CONTROLS:
            label, line = CONTROLS[plan.name]
            model = AfterStage(other, plan.name, len(plan.stages) if plan.name == "true" else 1)
            found.append((f"{name}, {label}", model, {"color": "#555555", "linestyle": line}))
    return found


def draw(runs: Runs) -> Artefact:
    other = runs["symmetric"]
    figure, (left, right) = new_figure(1, 2, width=10.5, height=4.0)
    tables = []
    for label, model, style in curves(runs["transitive"], other):
        found = {name: model.column(name) for name in ("length", "seed", "both", "values", "epsilon_worst_step")}
        lengths = model.run.config.lengths
        band(left, lengths, found["both"].reshape(-1, len(lengths)), label, **style)
        tables.append({"curve": [label] * len(found["length"]), **found})
    left.set(xlabel="length of the chain", ylabel="share with every clause right", ylim=(-0.03, 1.03), title="accuracy")
    ceiling(left, 1.0)
    legend(left, fontsize=6.5, loc="lower left")
    ticks: set[int] = set()
    for plan, colour in (("self", COLOURS["orange"]), ("long", COLOURS["purple"])):
        if any(p.name == plan for p in other.config.plans):
            asked, last = at_own_length(other, plan), stages_of(other, plan)[-1]
            lengths = [length for _, length in asked]
            values = np.array([model.elsewhere(length) for model, length in asked]).T
            label = f"{last.steps} steps a stage, rate {last.rate:g} |X|"
            band(right, lengths, values, label, color=colour, marker="o")
            ticks |= set(lengths)
    ceiling(right, 0.01, "0.01")
    right.set(xscale="log", yscale="log", xlabel="length 2^k of stage k", ylabel="ε at the worst step, after it")
    right.set_title("attention elsewhere")
    right.set_xticks(sorted(ticks), [str(tick) for tick in sorted(ticks)])
    right.minorticks_off()
    legend(right, fontsize=7)
    letter((left, right))
    return Artefact(figure, joined(tables), _caption(other))


def _caption(run: RunResult) -> str:
    config = run.config
    ended = [
        f"{s.length} ({int(run.arrays[f'self.{i}.ended_by_loss'].sum())} of {len(config.seeds)} seeds by the loss, "
        f"labels {run.arrays[f'self.{i}.labels_right_mean'].min():.3f} right)"
        for i, s in enumerate(stages_of(run, "self"), start=1)
    ]
    return (
        f"Theory model, |X| = {config.variables}, m = {config.width}, C_B = {config.clip:g}; {len(config.seeds)} "
        f"seeds, {config.test_sentences} sentences each; bands are one standard deviation; the ceiling is 1. (a) "
        "Variables and values all right, teacher-forced or rolled out: it is the same. Dotted: T² alone for as many "
        "steps as all caps together; dashed: the same stages with true labels; dash-dotted: T² with the sum of both "
        "losses, as the transitive action. (b) Equation (19) at the stage's own length. "
        f"Stages ended: {', '.join(ended)}. The annotator of a stage is the model of the stage before, frozen."
    )


EXPERIMENT = Experiment(
    title="Self-training carries S5 as far as C6 goes; so does patience",
    runs=lambda scale: {"transitive": transitive_run(scale), "symmetric": symmetric_run(scale)},
    needs={"transitive": knows_two_steps, "symmetric": knows_two_steps},
    claims=(SEPARATION, DOUBLING, ATTENTION, COROLLARY),
    draw=draw,
)
