"""Figure 3: noise is learned first, by the second MLP; dropping that MLP leaves the correct answer."""

import numpy as np

from lemmata.core import (
    SHARE,
    Artefact,
    Claim,
    Curves,
    Experiment,
    Follow,
    Live,
    Part,
    RunResult,
    Runs,
    Seeds,
    TooShort,
    Undecided,
    at_least,
    at_most,
    falls,
    near,
    of_result,
)
from lemmata.papers.association.claims._drawing import ANSWERS, setting
from lemmata.papers.association.claims._noise_level import (
    AT_HALF,
    OTHERS,
    about_half,
    above_blind,
    noise_within,
    room_for,
)
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run
from lemmata.papers.association.probe.answers import rank_name
from lemmata.papers.association.probe.readings import (
    Edited,
    correct_by_fraction,
    end,
    first_step_over,
    learned_something,
    level,
    ratio,
)
from lemmata.report.plots import COLOURS, band, ceiling, legend, letter, long_table, new_figure

PAPER_CORRECT = 0.98  # the caption: the correct token's probability without F_2
LAST = 0.5  # of the steps: by then the noise has its level, about which single steps jitter
NEAR_ALPHA = 0.05  # as the rule of fig-3 has it, for the eye
NEVER = "never reached"  # in the worst seed, the level that is to be passed first


Column = tuple[RunResult, str]  # a run, and the name of one of its columns


def correct_by_rank(edited: Edited) -> Seeds:
    """The correct token's probability, from the dropped F_2 to the full model."""
    if edited.phase == 0:
        raise Undecided("ranks are cut at the end of the noisy phase alone")
    return Seeds(np.stack(list(correct_by_fraction(edited.run).values()), axis=1), bounds=SHARE)


def passes(run: RunResult, column: str, phase: int = 1) -> np.ndarray:
    """The first step of each seed with the column over 0.1."""
    found = first_step_over(run, column, 0.1, phase)
    if not np.isfinite(found).all():
        raise TooShort(f"{column} never passes 0.1")
    return found


@of_result
def learned_the_context(run: RunResult) -> Undecided | None:
    """A need of all three claims: no seed is still on its way to the context."""
    if short := learned_something(run):
        return short
    slow = int(np.sum(~np.isfinite(first_step_over(run, "full.correct", 0.1, 1))))
    if slow and run.config.task.alpha < 0.9:
        return TooShort(f"the correct token's probability never passes 0.1 in {slow} of {len(run.config.seeds)} seeds")
    return None


def steps_ahead(margin: Column) -> float:
    return float((passes(margin[0], "full.correct") - first_step_over(*margin, 0.0)).min())


def positive_afterwards(margin: Column) -> Seeds:
    """The share of steps with a positive margin from the first such record on, by seed. A record stands for the steps
    up to the next: the first steps are recorded one by one, and would count for more than all others."""
    run, name = margin
    steps, values = run.curve(name, phase=1)
    made = np.diff(steps, append=steps[-1])  # after the last record none
    after = [
        (one > 0, made * (steps >= since)) for one, since in zip(values, first_step_over(*margin, 0.0), strict=True)
    ]
    shares = [np.average(positive, weights=counted) if counted.any() else 0.0 for positive, counted in after]
    return Seeds([float(share) for share in shares], bounds=SHARE)


def lead(edited: Edited) -> float:
    """How many steps the noise is over 1/2 before the correct token passes 0.1, in the worst seed."""
    noise = first_step_over(edited.run, "full.noise", 0.5, edited.phase)
    return float((passes(edited.run, "full.correct", edited.phase) - noise).min())


def trained_clean(runs: Runs) -> Edited:
    """The control: a model that has seen no noise (the other run's clean phase)."""
    return Edited(runs["fine-tuned"], phase=0)


def draw(runs: Runs) -> Artefact:
    run, config = runs["main"], runs["main"].config
    figure, axes = new_figure(1, 4, width=14.0, height=3.3)
    ranks = {rank_name(fraction): f"ρ = {fraction:g}" for fraction in config.fractions if 0 < fraction < 1}
    names = {"without_F2": "ρ = 0"} | ranks | {"full": "ρ = 1"}
    # From the truncated (blue) to the full model (vermillion), greys between.
    greys = [f"{0.2 + 0.6 * i / max(len(ranks) - 1, 1):.2f}" for i in range(len(ranks))]
    colours = dict(zip(names, [COLOURS["blue"], *greys, COLOURS["vermillion"]], strict=True))
    table = {}
    for ax, (answer, title) in zip(axes, ANSWERS.items(), strict=False):
        for name, label in names.items():
            if f"{name}.{answer}" in run.metrics:
                steps, values = table[f"{label} {answer}"] = run.curve(f"{name}.{answer}", phase=1)
                band(ax, steps, values, label, color=colours[name])
        ax.set(xlabel="step", title=title)
    ceiling(axes[0], PAPER_CORRECT)
    ceiling(axes[1], config.task.alpha)
    for ax in axes[:2]:
        ax.set_ylim(-0.02, 1.02)
    table["margin"] = run.curve("margin", phase=1)
    band(axes[3], *table["margin"], "τ, the noise token", color=COLOURS["vermillion"])
    band(axes[3], *run.curve("margin_of_another", phase=1), "another token", color=COLOURS["sky"])
    ceiling(axes[3], 0.0)
    axes[3].set(xlabel="step", title="margin of F₂ at the trigger", ylabel="logits")
    letter(axes)
    legend(axes[2], loc="upper right", fontsize=7.5)
    axes[0].annotate("paper, ρ = 0", (0, PAPER_CORRECT), (2, -9), textcoords="offset points", fontsize=7)
    legend(axes[3], loc="best")
    caption = (
        f"Average probability of the correct (a) and the noise token (b) and the loss (c) on clean data, for "
        f"fractions ρ of the rank kept in U_in of F₂; (d) the margin of a token in F₂'s output at the bare "
        f"trigger. {setting(run)} Read at triggers that occurred three times before, where the answer has been shown: "
        f"the ceiling of (a) is 1 (at the last position of all sequences it is {np.ravel(run.arrays['shown'])[0]:.3f})."
    )
    return Artefact(figure, long_table(table), caption)


def views(runs: Runs) -> list[Curves]:
    """Noise is learned first, and the context then overrules it: with and without the second MLP."""
    run, alpha = runs["main"], runs["main"].config.task.alpha
    names = [f"{edit}.{answer}" for edit in ("full", "without_F2") for answer in ("correct", "noise")]
    series = {name: run.curve(name)[1].mean(axis=0) for name in names}
    return [
        Curves(
            title="Probability of the correct and of the noise token on clean data",
            steps=run.curve(names[0])[0],
            series=series,
            band=(alpha - NEAR_ALPHA, alpha + NEAR_ALPHA),
            note="The mean over seeds. The band: where the rule wants the full model's noise in the end.",
        )
    ]


EXPERIMENT = Experiment(
    title="Dropping the second MLP leaves the correct answer",
    runs=lambda scale: {"main": main_run(scale), "fine-tuned": fine_tuned_run(scale)},
    needs={"main": learned_the_context},
    claims=(
        Claim(
            id="fig-3",
            locus="Section 3, Figure 3, left three panels",
            statement="Trained with noise α = 1/2, the full model gives the noise token a probability near α on clean "
            "data (the mean over the last half of the steps); with F₂ dropped it gives the correct token almost all of "
            "it (the paper: about 0.98), and keeping more of the rank of F₂'s input matrix brings the noise back.",
            needs={"main": (room_for(1.5), about_half(OTHERS))},
            wording=AT_HALF,
            subject=lambda runs: Edited(runs["main"]),
            wrong=trained_clean,
            parts={
                "full model, noise": Part(
                    level("full", "noise", LAST),
                    near(lambda runs: runs["main"].config.task.alpha, atol=0.05, over_seeds=True),
                ),
                "without F₂, correct": Part(end("without_F2", "correct"), at_least(0.9, over_seeds=True)),
                "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(1.5, over_seeds=True)),
                "without F₂, noise": Part(end("without_F2", "noise"), at_most(0.1, over_seeds=True)),
                "correct, rank 0 to full": Part(
                    correct_by_rank,
                    falls(slack=0.05, over_seeds=True),
                    along={"rank kept": lambda runs: sorted(runs["main"].config.fractions)},
                ),
            },
        ),
        Claim(
            id="fig-3-margin",
            locus="Section 3, Figure 3, rightmost panel",
            statement="F₂ alone, fed the bare trigger, favours the noise token over all others from the early steps "
            "on: its margin is positive before the correct token's probability passes 0.1, in every seed, and stays "
            "so (measured is the share of the later steps).",
            needs={"main": (above_blind(0.1), noise_within(0.1, 0.9))},
            subject=lambda runs: (runs["main"], "margin"),
            wrong=lambda runs: (runs["main"], "margin_of_another"),  # of a token that is not noise
            parts={
                "steps ahead": Part(steps_ahead, at_least(1.0), never=NEVER),
                "positive afterwards": Part(positive_afterwards, at_least(0.95, over_seeds=True)),
            },
        ),
        Claim(
            id="noise-first",
            locus="Section 3, experimental results",
            statement="The noise is learned first: its probability is over 1/2 before the correct token's passes 0.1, "
            "in every seed (the measured number is the smallest lead in steps).",
            needs={"main": noise_within(0.5, 0.9)},
            subject=lambda runs: Edited(runs["main"]),
            wrong=trained_clean,
            parts=Part(lead, at_least(1.0), never=NEVER),
        ),
    ),
    draw=draw,
    live=Live(
        views=views,
        follows=(
            Follow(run="main", row="full.noise", claim="fig-3", part="full model, noise"),
            Follow(run="main", row="without_F2.correct", claim="fig-3", part="without F₂, correct"),
            Follow(run="main", row="without_F2.noise", claim="fig-3", part="without F₂, noise"),
        ),
    ),
)
