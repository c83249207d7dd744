"""Extraction along fine-tuning (appendix E, Figure 6), for full and low-rank updates and several coverages."""

from collections.abc import Iterable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_least, at_most, falls
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, described, finish
from lemmata.papers.knowledge.claims._extraction_runs import (
    FAST,
    LOW_RANK_LEARNING_RATE,
    OPTIMIZERS,
    READ_AT,
    WITHOUT_ATTENTION,
    long_enough,
    on_all,
    watched_run,
)
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.claims._tuned import Tuned, watched
from lemmata.report.plots import CYCLE, GREY, ceiling, new_figure

LEVEL = 0.4  # the extraction that "steps to extract" wait for
WATCHED = (*(on_all(optimizer) for optimizer in OPTIMIZERS), "rank 1")


def in_both(tuned: Tuned) -> np.ndarray:
    """The seeds in which fine-tuning on all has learned its own questions under both optimizers."""
    descent, adamw = (tuned.learned_seeds(optimizer) for optimizer in OPTIMIZERS)
    return np.intersect1d(descent, adamw)


def curves(tuned: Tuned, names: Iterable[str]) -> np.ndarray:
    """Extraction along each fine-tuning, [seed, fine-tuning, record]."""
    return np.stack([tuned.curve(name)[1][in_both(tuned)] for name in names], axis=1)


def gains(tuned: Tuned, names: Iterable[str]) -> np.ndarray:
    """From the start to where extraction is read, [seed, fine-tuning]."""
    found = np.stack([tuned.after(name) - tuned.before() for name in names], axis=1)
    return found[in_both(tuned)]


FIG_6 = Claim(
    id="fig-6",
    locus="Appendix E, Figure 6 (its caption alone: accuracy versus fine-tuning steps); the size of the rise is ours",
    statement="Along question fine-tuning on half of all subjects extraction of the others' facts rises: by gradient "
    f"descent, with AdamW and with rank-1 updates. Judged: the gain after {READ_AT} steps, its mean over the seeds in "
    "which both optimizers have learned their own questions.",
    subject=lambda runs: gains(watched(runs), WATCHED),
    wrong=lambda runs: gains(watched(runs), WITHOUT_ATTENTION),
    parts=over_seeds(np.asarray, at_least(0.4), {"update": WATCHED}),
)


def _what_falls(runs: Runs) -> str:
    tuned = watched(runs)
    found = []
    for name in (*WATCHED, *tuned.ranks[1:], FAST):
        steps, values = tuned.curve(name)
        curve = values[in_both(tuned)].mean(axis=0)
        best = f"{curve.max():.2f} at {steps[curve.argmax()]} steps"
        found.append(f"{name[0].upper()}{name[1:]}: from {best} to {curve[-1]:.2f}.")
    return f"Figure 6 is not in our text and need not say this. {' '.join(found)}"


SATURATES = Claim(
    id="fig-6-saturates",
    locus="beyond the paper; appendix E, Figure 6",
    statement="Having risen, extraction stays, by gradient descent, with AdamW and with rank-1 updates. Judged: after "
    "twice the steps at which it is read, how far its mean lies below its best, over the seeds in which both "
    "optimizers have learned their own questions.",
    subject=lambda runs: curves(watched(runs), WATCHED),
    wrong=lambda runs: curves(watched(runs), [FAST]),  # full matrices at the rate of thin factors
    parts=Part(lambda found: float(np.max(found.mean(axis=0).max(axis=1) - found.mean(axis=0)[:, -1])), at_most(0.05)),
    remark=_what_falls,
)


def first_step(steps: np.ndarray, values: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """For each seed, the step at which the curve first reaches the level, on straight lines between records; infinite
    if it never does."""
    found = []
    for one in values:
        over = np.flatnonzero(one >= level)
        if not over.size or over[0] == 0:
            found.append(float(steps[0]) if over.size else np.inf)
        else:
            last, first = over[0] - 1, over[0]
            share = (level - one[last]) / (one[first] - one[last])
            found.append(float(steps[last] + share * (steps[first] - steps[last])))
    return np.array(found)


def by_rank(tuned: Tuned) -> list[str]:
    """The fine-tunings with AdamW at one learning rate, from rank 1 to full, every subject asked about."""
    return [*tuned.ranks, *tuned.named(FAST)]


def steps_by_rank(runs: Runs, order: int = 1) -> np.ndarray:
    """Steps to the level, [seed, rank]; seeds in which some rank never reaches it, or that begin there, are left
    out."""
    tuned = watched(runs)
    found = np.stack([first_step(*tuned.curve(name)) for name in by_rank(tuned)][::order], axis=1)
    reached = found[(np.isfinite(found) & (found > 0)).all(axis=1)]
    if found.shape[1] < 2 or 2 * len(reached) < len(found):
        raise Undecided(f"extraction does not reach {LEVEL:g} at every rank in half of the seeds")
    return reached


STEPS = Claim(
    id="steps-to-extract",
    locus="beyond the paper; appendix E, Figure 6; abstract on low-rank fine-tuning",
    statement="At one learning rate of AdamW, the smaller the rank of the update the more steps it takes to reach "
    f"{LEVEL:g} of the held-out facts. Judged: means over the seeds in which every rank rises to that level.",
    subject=steps_by_rank,
    wrong=lambda runs: steps_by_rank(runs, -1),  # full in the place of rank 1, and so on
    parts={
        "steps by rank": over_seeds(np.asarray, falls(), {"update": lambda runs: by_rank(watched(runs))}),
        "rank 1 / full": over_seeds(lambda steps: steps[:, 0] / steps[:, -1], at_least(2.0)),
    },
    remark=lambda runs: f"In {len(steps_by_rank(runs))} seeds every rank rises from below the level to it.",
)


def draw(runs: Runs) -> Artefact:
    tuned = watched(runs)
    descent, adamw = (tuned.shown_seeds(optimizer) for optimizer in OPTIMIZERS)
    both = np.intersect1d(descent, adamw)
    panels = {"full and rank 1": WATCHED, f"AdamW at learning rate {LOW_RANK_LEARNING_RATE:g}": by_rank(tuned)}
    figure, axes = new_figure(1, 2)
    drawn = Curves()
    for panel, ax, (title, names) in zip("ab", axes, panels.items(), strict=True):
        for number, name in enumerate(names):
            steps, values = tuned.curve(name)
            kept = values[both] if panel == "a" else values
            drawn.add(ax, f"({panel}) {name}", (steps, kept), name, color=CYCLE[number % len(CYCLE)])
        ceiling(ax, tuned.accuracy)
        if tuned.run.config.tuning.steps > READ_AT:
            ax.axvline(READ_AT, color=GREY, linestyle=":", linewidth=1.0)
        ax.set(title=title, xlabel="fine-tuning step", ylabel="share of held-out facts", ylim=SHARE)
    finish(axes, loc="lower right")
    medians = {name: np.median(first_step(*tuned.curve(name))) for name in by_rank(tuned)}
    needed = ", ".join(f"{name}: {median:.0f}" for name, median in medians.items())
    caption = (
        "Extraction of held-out facts along fine-tuning, every subject asked about. (a) Gradient descent, AdamW in "
        f"full and at rank 1, in the {len(both)} seeds in which both optimizers have learned their own questions. (b) "
        "Every rank at one learning rate, in all seeds. Dashed: accuracy of pre-training; dotted: where the other "
        f"figures read. Steps to extraction {LEVEL:g} by rank in (b), medians: {needed}. "
        f"{described(tuned, every_seed=True)}"
    )
    return Artefact(figure, drawn.table("step", tuned), caption)


EXPERIMENT = Experiment(
    title="Extraction along fine-tuning",
    runs=lambda scale: {"watched": watched_run(scale)},
    needs={"watched": long_enough},
    claims=(FIG_6, SATURATES, STEPS),
    draw=draw,
)
