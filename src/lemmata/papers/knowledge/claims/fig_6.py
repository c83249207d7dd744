"""Extraction along fine-tuning (appendix E, Figure 6), for full and low-rank updates and several coverages."""

from collections.abc import Iterable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_least, at_most, falls
from lemmata.papers.knowledge.claims._tuned import LOW_RANK_RATE, READ_AT, WRONG, Tuned, long_enough, main, main_run
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.report.plots import CYCLE, GREY, band, ceiling, legend, letter, new_figure

LEVEL = 0.5  # the extraction that "steps to extract" wait for
FAST = "full, at the rate of low ranks"


def watched(tuned: Tuned) -> dict[str, dict[str, int]]:
    """Kind of update -> its fine-tunings by subjects, and how many of these each asks about."""
    return {"full": tuned.asked(), "rank 1": tuned.asked(*tuned.named("rank 1, asked "), "rank 1")}


def means(tuned: Tuned, names: Iterable[str]) -> list[np.ndarray]:
    """Extraction along each fine-tuning, the mean over seeds."""
    return [tuned.curve(name)[1].mean(axis=0) for name in names]


def all_watched(runs: Runs) -> list[np.ndarray]:
    return means(main(runs), [name for names in watched(main(runs)).values() for name in names])


FIG_6 = Claim(
    id="fig-6",
    locus="Appendix E, Figure 6",
    statement="Along question fine-tuning extraction rises, for full and for rank-1 updates and for every number of "
    "subjects asked about: the least gain, from the start to the best of the mean over seeds, is large.",
    subject=all_watched,
    wrong=lambda runs: means(main(runs), [WRONG]),  # the answers of others
    parts=Part(lambda curves: float(min(curve.max() - curve[0] for curve in curves)), at_least(0.4)),
)


def _what_falls(runs: Runs) -> str:
    tuned = main(runs)
    found = [
        f"{name} from {curve.max():.2f} at {tuned.curve(name)[0][curve.argmax()]} steps to {curve[-1]:.2f}"
        for name in (*tuned.ranks, FAST, "full, attention", "rank 1, attention")
        for curve in means(tuned, [name])
    ]
    return (
        f"Every subject asked about, at rate {LOW_RANK_RATE:g} unless only attention moves in full: "
        f"{'; '.join(found)}. What overfits is the neurons."
    )


SATURATES = Claim(
    id="fig-6-saturates",
    locus="Appendix E, Figure 6",
    statement="Having risen, extraction stays: after twice the steps at which it is read, the mean over seeds is "
    "nowhere far below its best, for full and rank-1 updates and every number of subjects.",
    subject=all_watched,
    wrong=lambda runs: means(main(runs), [FAST]),  # full matrices at the rate of thin factors
    parts=Part(lambda curves: float(max(curve.max() - curve[-1] for curve in curves)), at_most(0.05)),
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
    """The fine-tunings at one learning rate, from rank 1 to full, every subject asked about."""
    return [*tuned.ranks, *tuned.named(FAST)]


def steps_by_rank(runs: Runs) -> np.ndarray:
    """Steps to half of the held-out facts, the mean over seeds."""
    tuned = main(runs)
    found = [first_step(*tuned.curve(name)) for name in by_rank(tuned)]
    if len(found) < 2 or not np.isfinite(found).all():
        raise Undecided(f"extraction does not reach {LEVEL:g} at every rank and seed")
    return np.mean(found, axis=1)


STEPS = Claim(
    id="steps-to-extract",
    locus="Appendix E, Figure 6; abstract on low-rank fine-tuning",
    statement="At one learning rate, the smaller the rank of the update the more steps it takes to reach half of the "
    "held-out facts (means over seeds): they fall from rank 1 over 2, 4 and 8 to full.",
    subject=steps_by_rank,
    wrong=lambda runs: steps_by_rank(runs)[::-1],  # full in the place of rank 1, and so on
    parts={
        "steps by rank": Part(lambda steps: steps, falls()),
        "rank 1 / full": Part(lambda steps: float(steps[0] / steps[-1]), at_least(2.0)),
    },
)


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    rates = {"full": tuned.run.config.tuning.rate, "rank 1": LOW_RANK_RATE}
    panels = {
        f"{kind}, rate {rates[kind]:g}": {name: f"F = {number}" for name, number in numbers.items()}
        for kind, numbers in watched(tuned).items()
    }
    panels[f"every rank at rate {LOW_RANK_RATE:g}"] = {name: name for name in by_rank(tuned)}
    figure, axes = new_figure(1, 3, width=12.0)
    table = {}
    for panel, ax, (title, names) in zip("abc", axes, panels.items(), strict=True):
        for number, (name, label) in enumerate(names.items()):
            curve = table[f"({panel}) {name}"] = tuned.curve(name)
            band(ax, *curve, label.split(",")[0], color=CYCLE[number % len(CYCLE)])
        ceiling(ax, tuned.accuracy)
        if tuned.run.config.tuning.steps > READ_AT:
            ax.axvline(READ_AT, color=GREY, linestyle=":", linewidth=1.0)
        ax.set(title=title, xlabel="fine-tuning step", ylabel="share of held-out facts", ylim=(-0.02, 1.02))
        legend(ax, loc="lower right", fontsize=7.5)
    letter(axes)
    needed = ", ".join(f"{name}: {first_step(*tuned.curve(name)).mean():.0f}" for name in by_rank(tuned))
    caption = (
        "Extraction of held-out facts along fine-tuning. (a) Full and (b) rank-1 updates, F subjects asked about; (c) "
        f"every rank at one rate. Dashed: accuracy of pre-training; dotted: where the other figures read. Steps to "
        f"extraction {LEVEL:g} by rank in (c): {needed}. {described(tuned)}"
    )
    return Artefact(figure, curve_table(table, "step", tuned), caption)


EXPERIMENT = Experiment(
    title="Extraction along fine-tuning",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=(FIG_6, SATURATES, STEPS),
    draw=draw,
)
