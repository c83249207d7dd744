"""The paper's split by tuple puts held-out questions into fine-tuning (appendix, fragments 42-45): how many, and what
comes of it."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_most, near
from lemmata.papers.knowledge.claims._drawing import described, reached
from lemmata.papers.knowledge.claims._extraction_runs import long_enough, main_run, on_all
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.claims._tuned import Tuned, main
from lemmata.papers.knowledge.theory import leak
from lemmata.report.plots import CYCLE, ceiling, new_figure

ALL = on_all("AdamW")


class Split(NamedTuple):
    """One fine-tuning of a run; numbers are one a seed."""

    of: Tuned
    name: str

    @property
    def extraction(self) -> np.ndarray:
        return self.of.after(self.name)

    @property
    def leak(self) -> np.ndarray:
        """The share of held-out questions that it asks."""
        return self.of.run.arrays["leak"][self.of.number(self.name)]


def by_subject(runs: Runs) -> Split:
    return Split(main(runs), ALL)


def by_tuple(runs: Runs) -> Split:
    return Split(main(runs), "by tuple")


def exact_leak(tuned: Tuned) -> float:
    facts = tuned.run.config.facts
    return float(leak.leaked_share(facts.subjects, facts.multiplicity))


def predicted_accuracy(tuned: Tuned) -> float:
    """By tuple, from the exact leak and what the model that was split by subject does on both kinds of question."""
    share = exact_leak(tuned)
    return share * tuned.mean(ALL, "asked_accuracy") + (1 - share) * tuned.mean(ALL)


def standard_errors(split: Split) -> float:
    """How far the mean leak lies from the exact share."""
    facts = split.of.run.config.facts
    deviation = float(leak.leaked_variance(facts.subjects, facts.multiplicity)) ** 0.5
    if deviation == 0:
        raise Undecided(f"with K = {facts.multiplicity} every draw leaks alike")
    return abs(float(split.leak.mean()) - exact_leak(split.of)) / (deviation / len(split.leak) ** 0.5)


def held_out_and_asked(split: Split) -> tuple[float, float]:
    """The numbers of questions held out, and of those among them that are asked, means over seeds."""
    held_out = split.of.run.arrays["held_out"][split.of.number(split.name)].sum(axis=(1, 2))
    return held_out.mean(), (split.leak * held_out).mean()


def _given_away(runs: Runs) -> str:
    held_out, asked = held_out_and_asked(by_tuple(runs))
    return (
        f"{asked:.0f} of {held_out:.0f} held-out questions stand in the fine-tuning set, and accuracy reads "
        f"{by_tuple(runs).extraction.mean():.2f} where unseen facts give {by_subject(runs).extraction.mean():.2f}."
    )


SPLIT = Claim(
    id="split-leak",
    locus="Appendix, fragments 42-45: half of the tuples for fine-tuning, the rest for test",
    statement="Of the $NK$ tuples a random half, $H$, is for fine-tuning, so a held-out question stands there too "
    "unless all $K$ tuples of its subject are held out: a share $1 - \\binom{NK-K}{H} / \\binom{NK-1}{H}$ leaks. The "
    "accuracy so "
    r"measured is leak $\times$ accuracy on asked questions $+$ ($1 -$ leak) $\times$ extraction, both from the split "
    "by "
    "subject. The share is judged in standard errors by its exact variance.",
    subject=by_tuple,
    wrong=by_subject,  # no question stands in both halves
    parts={
        "leak: standard errors from the exact share": Part(standard_errors, at_most(4.0)),
        "accuracy on the held-out half": share_over_seeds(
            lambda split: split.extraction, near(lambda runs: predicted_accuracy(main(runs)), atol=0.05)
        ),
    },
    remark=_given_away,
)


def draw(runs: Runs) -> Artefact:
    tuned, splits = main(runs), (by_subject(runs), by_tuple(runs))
    leaks, right = [split.leak for split in splits], [split.extraction for split in splits]
    figure, axes = new_figure(1, 2)
    rows: dict[str, list[str] | list[float]] = {"split": ["subject", "tuple"]}
    for ax, name, ylabel, values, expected in (
        (axes[0], "leak", "share of held-out questions that are asked", leaks, exact_leak(tuned)),
        (axes[1], "accuracy on the held-out half", "share of held-out questions", right, predicted_accuracy(tuned)),
    ):
        for x, (seeds, colour) in enumerate(zip(values, CYCLE, strict=False)):
            ax.bar(x, seeds.mean(), yerr=seeds.std(), color=colour, alpha=0.75, width=0.6, capsize=3)
            ax.plot(np.full(len(seeds), x), seeds, "k.", markersize=3)
        ax.set_xticks(range(2), ["by subject", "by tuple"])
        ax.set(title=name, ylabel=ylabel, ylim=(0, 1.04))
        ceiling(ax, expected)
        rows |= {f"{name}, mean": [float(v.mean()) for v in values], f"{name}, std": [float(v.std()) for v in values]}
    unasked = [tuned.after(split.name, "extraction_unasked") for split in splits]
    rows |= {
        "leak, exact": [0.0, exact_leak(tuned)],
        "accuracy, predicted": [float("nan"), predicted_accuracy(tuned)],
        "accuracy on the unasked alone": [mean_of_some(values) for values in unasked],
        **reached(tuned, tuned),
    }
    held_out, asked = held_out_and_asked(splits[1])
    caption = (
        f"Of {held_out:.0f} held-out questions, {asked:.0f} (means over seeds) stand in the fine-tuning set of the "
        "split by tuple, none in that by subject. Dashed: the exact leak, and the accuracy it explains. "
        f"{described(tuned, every_seed=True)}"
    )
    return Artefact(figure, rows, caption)


def mean_of_some(values: np.ndarray) -> float:
    """Over the seeds that have a value."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


EXPERIMENT = Experiment(
    title="What a split by tuple gives away",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=(SPLIT,),
    draw=draw,
)
