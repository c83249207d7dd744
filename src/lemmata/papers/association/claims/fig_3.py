"""Figure 3: noise is learned first, by the second MLP; dropping that MLP leaves the correct answer."""

import numpy as np

from lemmata.core import (
    SHARE,
    Artefact,
    Claim,
    Curves,
    Experiment,
    Live,
    OutsideSetting,
    Part,
    RunResult,
    Runs,
    Seeds,
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
from lemmata.papers.association.claims._recall_readings import SHOWN, follows, learned_the_context, passes
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run
from lemmata.papers.association.probe.answers import rank_name
from lemmata.papers.association.probe.readings import Edited, correct_by_fraction, end, first_step_over, level, ratio
from lemmata.report.plots import COLOURS, band, ceiling, legend_below, letter, long_table, new_figure

PAPER_CORRECT = 0.98  # the caption: the correct token's probability without F_2
PAPER_WIDTH = 256  # d
TWO_DIGITS = 0.015  # of it: one unit of the last digit, and half of one
LAST = 0.5  # of the steps: by then the noise has its level, about which single steps jitter
NEAR_ALPHA = 0.05  # "around α": a tenth of it
ALMOST_ALL = 0.9  # of the correct token's probability: the paper's .98, less what a laptop's training lacks
LITTLE = 0.1  # of the noise's probability is left
GROWS = 1.5  # times, at least: from 1 - α towards 1 it could grow twofold
JITTER = 0.05  # between neighbouring ranks, which hardly differ at the end of the sweep
MOSTLY = 0.95  # of the later steps: single ones jitter
PARTS = {"full model, noise": "full.noise", "without F₂, correct": "without_F2.correct"}
PARTS |= {"without F₂, noise": "without_F2.noise"}  # the parts that read one recorded row

Column = tuple[RunResult, str]  # a run, and the name of one of its columns


@of_result
def of_the_papers_size(run: RunResult) -> Undecided | None:
    """A small model is trained less: its number is another."""
    width = run.config.model.width
    small = OutsideSetting(f"the printed {PAPER_CORRECT:g} is of d = {PAPER_WIDTH}, not of d = {width}")
    return None if width == PAPER_WIDTH else small


def correct_by_rank(edited: Edited) -> Seeds:
    """The correct token's probability, from the dropped F_2 to the full model."""
    if edited.phase == 0:
        raise Undecided("ranks are cut at the end of the noisy phase alone")
    return Seeds(np.stack(list(correct_by_fraction(edited.run).values()), axis=1), bounds=SHARE)


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
    legend_below(axes[2], ncols=2)
    axes[0].annotate("paper, ρ = 0", (0, PAPER_CORRECT), (2, -9), textcoords="offset points", fontsize=7)
    legend_below(axes[3])
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
    curves = {row: run.curve(row) for row in (*PARTS.values(), "full.correct")}
    return [
        Curves(
            title="Probability of the correct and of the noise token on clean data",
            steps=curves["full.noise"][0],
            series={row: values.mean(axis=0) for row, (_, values) in curves.items()},
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
            statement=r"Trained on noisy recall with $\alpha = 1/2$, the full two-layer model gives the noise token a "
            r"probability around $\alpha$ on clean data. With $F_2$ dropped ($\rho = 0$) it gives the correct token "
            r"$\bar y$ almost all of it, and a larger fraction $\rho$ of the rank of $U_{\mathrm{in}}$ gives it less.",
            needs={"main": (room_for(GROWS), about_half(OTHERS))},
            wording=AT_HALF,
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["fine-tuned"], phase=0),  # a model that has seen no noise
            parts={
                "full model, noise": Part(
                    level("full", "noise", LAST),
                    near(lambda runs: runs["main"].config.task.alpha, atol=NEAR_ALPHA, over_seeds=True),
                ),
                "without F₂, correct": Part(end("without_F2", "correct"), at_least(ALMOST_ALL, over_seeds=True)),
                "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(GROWS, over_seeds=True)),
                "without F₂, noise": Part(end("without_F2", "noise"), at_most(LITTLE, over_seeds=True)),
                "correct, rank 0 to full": Part(
                    correct_by_rank,
                    falls(slack=JITTER, over_seeds=True),
                    along={"rank kept": lambda runs: sorted(runs["main"].config.fractions)},
                ),
            },
        ),
        Claim(
            id="fig-3-98",
            locus="Section 3, Figure 3, caption",
            statement=r"At the paper's size, with $F_2$ dropped ($\rho = 0$) the model predicts the correct token "
            rf"$\bar y$ with probability $\approx {PAPER_CORRECT:g}$.",
            needs={"main": (of_the_papers_size, about_half(OTHERS))},
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["main"], without_F2="full"),
            parts=Part(end("without_F2", "correct"), near(PAPER_CORRECT, atol=TWO_DIGITS, over_seeds=True)),
        ),
        Claim(
            id="fig-3-margin",
            locus="Section 3, Figure 3, rightmost panel",
            statement=r"$F_2$ learns the association of trigger and noise in early steps: fed $W_E(q)$ alone, its "
            r"margin of $\tau$ over all other tokens is positive. In every seed it becomes so before the correct "
            "token's probability passes 0.1, and stays so (measured is the share of the later steps).",
            needs={"main": (above_blind(SHOWN), noise_within(SHOWN, 0.9))},
            subject=lambda runs: (runs["main"], "margin"),
            wrong=lambda runs: (runs["main"], "margin_of_another"),  # of a token that is not noise
            parts={
                "steps ahead": Part(steps_ahead, at_least(1.0)),
                "positive afterwards": Part(positive_afterwards, at_least(MOSTLY, over_seeds=True)),
            },
        ),
    ),
    draw=draw,
    live=Live(views=views, follows=follows("fig-3", PARTS)),
)
