"""Equations (97), (168) and (169) in the sizes they name: one of d, N, m varied at a time, the rest kept."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import NEAR, least_loss, over_least
from lemmata.papers.knowledge.claims._stages import SHARED, staged_runs
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.run.staged_pretraining import StagedPreTraining
from lemmata.report.plots import COLOURS, columns, legend, letter, new_figure

WIDTH, SUBJECTS, NEURONS = "d", "N", "m"
BELOW = "not below the least"
STRENGTH = 0.5  # the constant of Omega(log d / lambda), which the text does not give: our threshold
OURS = core.Protocol("sizes, learning rates and T_2", "the fragments give orders alone")


def order_runs(scale: core.Scale) -> dict[str, StagedPreTraining]:
    whole = staged_runs(scale)[SHARED]
    first = sizes.seeds(scale, sizes.ORDER_SEEDS, sizes.STAGED_FIRST_SEED)
    base = replace(whole, first_logits=whole.first_logits[:2][-1:], seeds=first)
    base = replace(base, third_learning_rate=100.0, steps=sizes.ORDER_STEPS.at(scale))  # a small world needs it lower
    found = {f"{WIDTH}/{d}": replace(base, model=replace(base.model, width=d)) for d in sizes.ORDER_WIDTHS.at(scale)}
    for n in sizes.ORDER_SUBJECTS.at(scale):
        found[f"{SUBJECTS}/{n}"] = replace(base, facts=replace(base.facts, subjects=n))
    for m in sizes.ORDER_NEURONS.at(scale):
        found[f"{NEURONS}/{m}"] = replace(base, model=replace(base.model, neurons=m))
    return found


def size_of(run: core.RunResult, group: str) -> int:
    config = run.config
    return {WIDTH: config.model.width, SUBJECTS: config.facts.subjects, NEURONS: config.model.neurons}[group]


def varied(runs: core.Runs, group: str) -> list[core.RunResult]:
    """The runs that differ in one size, in its order."""
    return sorted(runs.group(group).values(), key=lambda run: size_of(run, group))


def against(runs: core.Runs, group: str, read: Callable[[core.RunResult], np.ndarray]) -> tuple[np.ndarray, core.Seeds]:
    """The varied size, and a number [seed, size]."""
    found = varied(runs, group)
    return np.array([size_of(run, group) for run in found]), core.Seeds(np.stack([read(run) for run in found], axis=1))


def slopes(runs: core.Runs, group: str, read: Callable[[core.RunResult], np.ndarray]) -> np.ndarray:
    """Of the logarithm of a number on that of the varied size, a number a seed."""
    places, found = against(runs, group, read)
    return np.array([core.log_slope(places.astype(float), values) for values in found.values])


def of_seed(run: core.RunResult, seed: int) -> dict[str, np.ndarray]:
    names = ("step", "stage", "loss", "relation", "relation_response", "own_strength", "other_strength")
    return {name: run.column(name, seed=seed).astype(float) for name in names}


def stage_length(run: core.RunResult) -> np.ndarray:
    """eta_3 (T_p - T_2), a number a seed; T_p is where the loss is near the least."""
    found = []
    for seed in run.config.seeds:
        here = of_seed(run, seed)
        near_least = here["step"][(here["stage"] == 2) & (here["loss"] - least_loss(run) <= NEAR)]
        if not near_least.size:
            raise core.TooShort(f"within {run.config.steps} steps the loss does not come within {NEAR:g} of the least")
        found.append(near_least[0] - here["step"][here["stage"] == 2][0])
    return run.config.third_learning_rate * run.config.model.learning_rate_unit * np.array(found)


def increment(run: core.RunResult, column: str = "relation_response") -> np.ndarray:
    """By how much a relation's response grows a step in stage 2, over lambda eta_2 (1 - K logit) / (n m), the mean
    over facts: a number a seed."""
    config = run.config
    rate = config.second_learning_rate * config.model.learning_rate_unit
    n = config.facts.subjects * config.facts.multiplicity
    found = []
    for seed in config.seeds:
        here = of_seed(run, seed)
        second = np.flatnonzero((here["stage"] < 2) & (here["step"] >= config.first_steps))
        if len(second) < 2:
            raise core.Undecided("stage 2 is over within two records")
        grown = here[column][second[-1]] - here[column][second[0]]
        steps = here["step"][second[-1]] - here["step"][second[0]]
        unlearned = float(np.mean(1 - here["relation"][second[:-1]]))
        found.append(grown / steps / (config.model.scale * rate * unlearned / (n * config.model.neurons)))
    return np.array(found)


def strength(run: core.RunResult, column: str) -> np.ndarray:
    """At the end, in units of log(d) / lambda, a number a seed."""
    unit = np.log(run.config.model.width) / run.config.model.scale
    return run.column(column, step=run.config.steps).astype(float) / unit


def _low(runs: core.Runs) -> dict[str, np.ndarray]:
    """The smallest loss over the least, of all runs."""
    every = [run for group in (WIDTH, SUBJECTS, NEURONS) for run in varied(runs, group)]
    return {BELOW: np.min([over_least(run).min() for run in every])}


INCREMENT = core.Claim(
    id="eq-97",
    locus="Appendix, equation (97): how fast a relation is learned in stage 2, as our text has it",
    statement=r"In stage 2 a relation's response grows by $\frac{1}{m}\sum_k \langle w_{r_i,k}, \Xi([o\,s_j]) \rangle$ "
    r"of order $\frac{\lambda \eta_2}{nm}(1 - K \mathrm{logit}_{r_i})$ a step, with no $d$. Judged: the slope of the "
    r"measured increment over this order in $\log d$, 0 as printed.",
    subject=lambda runs: slopes(runs, WIDTH, increment),
    wrong=lambda runs: slopes(runs, NEURONS, increment),  # m varied, which the order has right
    parts=replace(over_seeds(np.asarray, core.near(0.0, atol=0.15)), corrected=1.0),
    correction=core.Correction(
        severity="constant",
        printed=r"$\Theta(1) \cdot \frac{\lambda \eta_2}{nm} (1 - K \mathrm{logit})$",
        corrected=r"$\Theta(1) \cdot \frac{\lambda \eta_2 d}{nm} (1 - K \mathrm{logit})$",
        reason="The gradient in a neuron is a multiple of Xi, so its response grows with |Xi|^2, which is of order d, "
        "as equation (80) has it for the answers.",
        survives="Orders of stage 2 that carry a learning rate of their own: eta_2 takes up a factor d.",
        source="A review's extract of the appendix; a fraction's numerator can have lost its d in it.",
        latex=r"\Theta(1)\cdot\frac{\lambda\eta_2 d}{nm}\bigl(1-K\,\mathrm{logit}\bigr)",
    ),
    protocol=OURS,
)

LENGTH = core.Claim(
    id="third-stage-sizes",
    locus="beyond the paper; equation (168) in N, d and m",
    statement=r"$\eta_3 (T_p - T_2)$ is proportional to $N$ and to $m$ and inversely to $d$, where equation (168) has "
    r"the order $m d^2 \sigma_0^2 + m + N^2/\lambda^2 + |\mathcal{R}|^2/\lambda^2$. Judged: its slopes in logs, "
    f"$T_p$ being when the loss is within {NEAR:g} nats of the least.",
    subject=lambda runs: (
        {group: slopes(runs, group, stage_length) for group in (WIDTH, SUBJECTS, NEURONS)} | _low(runs)
    ),
    # another size varied in the place of each
    wrong=lambda runs: (
        {
            group: slopes(runs, other, stage_length)
            for group, other in ((WIDTH, SUBJECTS), (SUBJECTS, WIDTH), (NEURONS, WIDTH))
        }
        | _low(runs)
    ),
    parts={
        f"slope in {group}": over_seeds(lambda found, group=group: found[group], core.near(target, atol=0.25))
        for group, target in ((WIDTH, -1.0), (SUBJECTS, 1.0), (NEURONS, 1.0))
    }
    # A wrong least loss moves T_p, and the slopes may stay: no model is below the least.
    | {BELOW: core.Part(lambda found: found[BELOW], core.at_least(0.0), carries=False)},
    protocol=OURS,
    remark="Ours: a fact's gradient is its share 1/(NK) of the mean loss, and a step moves a logit by its rate times "
    "lambda^2 d/m. The printed order is an upper bound with orders unsaid; at these sizes it is m alone.",
)

FEATURE_STRENGTH = core.Claim(
    id="feature-strength",
    locus="Lemma 15, equation (169)",
    statement=r"At $T_p$, the end of pre-training, every answer's neurons respond to the bare subject: for all $j \in "
    r"[N]$, $\frac{1}{m} \sum_k \sigma(\langle w_{a_j,k}, s_j \rangle) = \Omega(\log(d)/\lambda)$ with probability $1 "
    r"- \delta$. Judged at several $d$ in units of $\log(d)/\lambda$ with our constant, for the weakest subject, mean "
    "over seeds.",
    subject=lambda runs: against(runs, WIDTH, lambda run: strength(run, "own_strength"))[1],
    wrong=lambda runs: against(runs, WIDTH, lambda run: strength(run, "other_strength"))[1],  # another subject
    parts=over_seeds(
        lambda found: found.values, core.at_least(STRENGTH), {"d": lambda runs: sizes.ORDER_WIDTHS.at(runs.scale)}
    ),
    protocol=OURS,
    remark=lambda runs: (
        "In units of 1/λ the weakest response is "
        + ", ".join(
            f"{(strength(run, 'own_strength') * np.log(size_of(run, WIDTH))).mean():.2f} at d = {size_of(run, WIDTH)}"
            for run in varied(runs, WIDTH)
        )
        + ": with the facts fixed it does not grow with log d."
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.5)
    rows = []
    for group, colour in ((WIDTH, "blue"), (SUBJECTS, "vermillion"), (NEURONS, "orange")):
        for ax, read, name in ((axes[0], increment, "(97)"), (axes[1], stage_length, "(168)")):
            places, found = against(runs, group, read)
            ax.loglog(places, found.values.T, "o-", color=COLOURS[colour], markersize=3, linewidth=1)
            ax.plot([], [], color=COLOURS[colour], label=group)
            for place, value in zip(places, np.asarray(found.mean), strict=True):
                rows.append({"equation": name, "varied": group, "size": int(place), "mean": float(value)})
    places, found = against(runs, WIDTH, lambda run: strength(run, "own_strength"))
    axes[2].semilogx(places, found.values.T, "o-", color=COLOURS["blue"], markersize=3, linewidth=1)
    axes[0].set(xlabel="d, N or m", ylabel="increment over the printed order", title="equation (97)")
    axes[1].set(xlabel="d, N or m", ylabel="η₃ (T_p - T_2)", title="equation (168)")
    axes[2].set(xlabel="d", ylabel="in units of log(d)/λ", title="equation (169), the weakest subject")
    for ax in axes[:2]:
        legend(ax)
    letter(axes)
    run = varied(runs, WIDTH)[0]
    facts = run.config.facts
    others = varied(runs, SUBJECTS)[0].config.model.width
    caption = (
        f"Gradient descent in stages with one of d, N and m varied; else d = {others}, N = {facts.subjects}, m = "
        f"{run.config.model.neurons}, |R| = {facts.templates}, K = {facts.multiplicity}. A line for each of "
        f"{len(run.config.seeds)} seeds."
    )
    return core.Artefact(figure, columns(rows), caption)


EXPERIMENT = core.Experiment(
    title="The appendix's orders in the sizes they name",
    runs=order_runs,
    claims=(INCREMENT, LENGTH, FEATURE_STRENGTH),
    draw=draw,
)
