"""The paper's split by tuple puts held-out questions into fine-tuning (appendix, steps 42-45); by how many, and to what
effect."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_most, near
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.claims._tuned import FineTuned, Tuned, long_enough, main, main_run, on_all
from lemmata.papers.knowledge.claims._tuned_drawing import described, reached
from lemmata.papers.knowledge.theory import leak
from lemmata.report.plots import CYCLE, ceiling, new_figure

ALL = on_all("AdamW")


def splits(runs: Runs) -> dict[str, FineTuned]:
    return {"subject": FineTuned(main(runs), ALL), "tuple": FineTuned(main(runs), "by tuple")}


def exact_leak(tuned: Tuned) -> float:
    facts = tuned.run.config.facts
    return float(leak.leaked_share(facts.subjects, facts.multiplicity))


def predicted_accuracy(tuned: Tuned) -> float:
    """By tuple, from the exact leak and what the model that was split by subject does on both kinds of question."""
    share = exact_leak(tuned)
    return share * tuned.mean(ALL, "asked_accuracy") + (1 - share) * tuned.mean(ALL)


def standard_errors(split: FineTuned) -> float:
    """How far the mean leak lies from the exact share."""
    facts = split.of.run.config.facts
    deviation = float(leak.leaked_variance(facts.subjects, facts.multiplicity)) ** 0.5
    if deviation == 0:
        raise Undecided(f"with K = {facts.multiplicity} every draw leaks alike")
    return abs(float(split.leak.mean()) - exact_leak(split.of)) / (deviation / len(split.leak) ** 0.5)


def held_out_and_asked(split: FineTuned) -> tuple[float, float]:
    """The numbers of questions held out, and of those among them that are asked, means over seeds."""
    held_out = split.of.run.arrays["held_out"][split.of.number(split.name)].sum(axis=(1, 2))
    return held_out.mean(), (split.leak * held_out).mean()


def _given_away(runs: Runs) -> str:
    by_subject, by_tuple = splits(runs).values()
    held_out, asked = held_out_and_asked(by_tuple)
    return (
        f"{asked:.0f} of {held_out:.0f} held-out questions stand in the fine-tuning set, and accuracy reads "
        f"{by_tuple.extraction.mean():.2f} where unseen facts give {by_subject.extraction.mean():.2f}."
    )


SPLIT = Claim(
    id="split-leak",
    locus="Appendix, steps 42-45: half of the tuples for fine-tuning, the rest for test",
    statement="Split by tuple, a held-out question stands in the fine-tuning set too unless all K tuples of its "
    "subject were held out: a share 1 - binom(NK-K, H)/binom(NK-1, H) of them leaks, about 1 - 2^-(K-1) (in standard "
    "errors by its exact variance), and the accuracy so measured is leak × accuracy on asked questions + (1 - leak) × "
    "extraction, both taken from the model that was split by subject.",
    subject=lambda runs: splits(runs)["tuple"],
    wrong=lambda runs: splits(runs)["subject"],  # no question stands in both halves
    parts={
        "leak: standard errors from the exact share": Part(standard_errors, at_most(4.0)),
        "accuracy on the held-out half": share_over_seeds(
            lambda split: split.extraction, near(lambda runs: predicted_accuracy(main(runs)), atol=0.05)
        ),
    },
    remark=_given_away,
)


def draw(runs: Runs) -> Artefact:
    tuned, by_split = main(runs), splits(runs)
    leaks, right = zip(*((split.leak, tuned.after(split.name)) for split in by_split.values()), strict=True)
    figure, axes = new_figure(1, 2)
    rows: dict[str, list[Any]] = {"split": list(by_split)}
    for ax, name, ylabel, values, expected in (
        (axes[0], "leak", "share of held-out questions that are asked", leaks, exact_leak(tuned)),
        (axes[1], "accuracy on the held-out half", "share of held-out questions", right, predicted_accuracy(tuned)),
    ):
        for x, (seeds, colour) in enumerate(zip(values, CYCLE, strict=False)):
            ax.bar(x, seeds.mean(), yerr=seeds.std(), color=colour, alpha=0.75, width=0.6, capsize=3)
            ax.plot(np.full(len(seeds), x), seeds, "k.", markersize=3)
        ax.set_xticks(range(2), [f"by {split}" for split in by_split])
        ax.set(title=name, ylabel=ylabel, ylim=(0, 1.04))
        ceiling(ax, expected)
        rows |= {f"{name}, mean": [float(v.mean()) for v in values], f"{name}, std": [float(v.std()) for v in values]}
    unasked = [tuned.after(split.name, "extraction_unasked") for split in by_split.values()]
    rows |= {
        "leak, exact": [0.0, exact_leak(tuned)],
        "accuracy, predicted": [float("nan"), predicted_accuracy(tuned)],
        "accuracy on the unasked alone": [mean_of_some(values) for values in unasked],
        **reached(tuned, tuned),
    }
    held_out, asked = held_out_and_asked(by_split["tuple"])
    caption = (
        f"Of {held_out:.0f} held-out questions, {asked:.0f} (means over seeds) stand in the fine-tuning set of the "
        "split by tuple, none in that by subject. Dashed: the exact leak, and the accuracy it explains. "
        f"{described(tuned)}"
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
