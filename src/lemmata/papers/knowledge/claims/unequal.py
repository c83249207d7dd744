"""Unequal multiplicities K_s(j) in one world: the least loss they leave, and which facts questions bring out."""

from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import NEAR, STORED
from lemmata.papers.knowledge.claims._drawing import SHARE
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.run.pipeline import StagesConfig, theory_model
from lemmata.papers.knowledge.run.unequal import UnequalMultiplicity
from lemmata.papers.knowledge.task import FactsConfig
from lemmata.papers.knowledge.theory.optimal_loss import optimal_fact_loss
from lemmata.report.plots import COLOURS, columns, legend, new_figure

OURS = core.Protocol("sizes, learning rates and K_s(j)", "the fragments give orders alone")


def unequal_run(scale: core.Scale) -> UnequalMultiplicity:
    return UnequalMultiplicity(
        facts=FactsConfig(**sizes.UNEQUAL_FACTS.at(scale)),
        multiplicities=sizes.UNEQUAL_MULTIPLICITIES.at(scale),
        model=theory_model(**sizes.PIPELINE_MODEL.at(scale)),
        stages=StagesConfig(**sizes.PIPELINE_STAGES.at(scale)),
        asked=sizes.UNEQUAL_ASKED.at(scale),
        steps=sizes.PIPELINE_TUNING_STEPS.at(scale),
        seeds=sizes.seeds(scale, sizes.PIPELINE_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )


def excess(run: core.RunResult) -> np.ndarray:
    """The loss over the least, a number a seed."""
    return run.arrays["loss"].astype(float) - optimal_fact_loss(run.arrays["counts"])


@core.of_result
def stored(run: core.RunResult) -> core.Undecided | None:
    """The need of every claim on fine-tuning, with the least loss of these multiplicities."""
    over = float(excess(run).mean())
    early = f"pre-training ended {over:.2f} nats over the least loss, not within {STORED}"
    return None if over <= STORED else core.TooShort(early)


def over_subjects(runs: core.Runs) -> np.ndarray:
    """The loss over what log K_s(j) is on average over subjects: the sentences of each taken for one."""
    run = runs["main"]
    return run.arrays["loss"].astype(float) - float(np.log(run.arrays["counts"]).mean()) / 3


class Replies(NamedTuple):
    """What questions get, after fine-tuning or before it."""

    run: core.RunResult
    before: bool = False

    def by_count(self) -> np.ndarray:
        """Extraction of held-out facts [seed, F, K_s(j)]."""
        arrays, world = self.run.arrays, self.run.config.facts
        reply = arrays["reply"]
        if self.before:
            reply = np.broadcast_to(arrays["before.reply"], reply.shape)
        right = reply == 1 + world.templates + np.arange(world.subjects)
        found = []
        for count in sorted(self.run.config.multiplicities):
            chosen = arrays["held_out"] & (arrays["counts"] == count)
            if not chosen.any(axis=1).all():
                raise core.Undecided(f"in some world no subject with {count} templates is held out")
            found.append((right & chosen).sum(axis=2) / chosen.sum(axis=1))
        return np.stack(found, axis=2).swapaxes(0, 1)

    @property
    def gain(self) -> np.ndarray:
        """Extraction of facts with the most templates less that of those with the fewest, [seed, F]."""
        found = self.by_count()
        return found[:, :, -1] - found[:, :, 0]


def _by_count(runs: core.Runs) -> str:
    run = runs["main"]
    words = []
    for f, shares in zip(run.config.asked, Replies(run).by_count().mean(axis=0), strict=True):
        each = ", ".join(
            f"{share:.2f} at {k}" for k, share in zip(sorted(run.config.multiplicities), shares, strict=True)
        )
        words.append(f"{f} questions: {each}")
    return (
        f"Extraction by K_s(j), mean over seeds, after {'; '.join(words)}. A subject with one template drives its one "
        "relation harder, and the prompt must silence it."
    )


LEAST = core.Claim(
    id="unequal-least-loss",
    locus="Abstract: near-optimal pre-training loss; K_s(j) of the appendix, where subjects differ in it",
    statement=r"With unequal $K_s(j)$, gradient descent in three stages comes near the least loss $\sum_j K_s(j) \log "
    r"K_s(j) / (3 \sum_j K_s(j))$, and not below it. Judged: the loss over it, the mean over seeds.",
    subject=lambda runs: excess(runs["main"]),
    wrong=over_subjects,
    parts={
        "loss over the least": over_seeds(np.asarray, core.at_most(NEAR)),
        "not below the least": core.Part(np.min, core.at_least(0.0), carries=False),
    },
    protocol=OURS,
)

UNEQUAL = core.Claim(
    id="unequal-extraction",
    locus="beyond the paper; the abstract's multiplicity, subject by subject in one world",
    statement="After the same questions, more facts come out of the subjects with the most templates than of those "
    "with the fewest. Judged at each number of questions: the difference, its mean over seeds.",
    subject=lambda runs: Replies(runs["main"]),
    wrong=lambda runs: Replies(runs["main"], before=True),
    parts=over_seeds(lambda found: found.gain, core.at_least(0.2), {"F": lambda runs: runs["main"].config.asked}),
    needs={"main": stored},
    protocol=OURS,
    remark=_by_count,
)


def draw(runs: core.Runs) -> core.Artefact:
    run = runs["main"]
    found, counts = Replies(run).by_count(), sorted(run.config.multiplicities)
    figure, ax = new_figure(width=4.8)
    rows = []
    for f, values, colour in zip(run.config.asked, found.swapaxes(0, 1), ("blue", "vermillion", "green"), strict=False):
        ax.plot(counts, values.mean(axis=0), "o-", color=COLOURS[colour], label=f"{f} questions")
        ax.plot(np.tile(counts, (len(values), 1)), values, ".", color=COLOURS[colour], markersize=2)
        rows += [
            {"F": f, "K": k, "extraction": float(mean)} for k, mean in zip(counts, values.mean(axis=0), strict=True)
        ]
    ax.set_xscale("log", base=2)
    ax.set_xticks(counts, [str(k) for k in counts])
    ax.set(xlabel="templates of the subject, K_s(j)", ylabel="held-out facts that come out", ylim=SHARE)
    legend(ax)
    facts = run.config.facts
    caption = (
        f"Extraction by the subject's number of templates, in one world: N = {facts.subjects}, |R| = "
        f"{facts.templates}, a third of the subjects with each number; {len(run.config.seeds)} seeds, lines their "
        f"mean. Pre-training in stages ended {excess(run).mean():.3f} nats over the least loss."
    )
    return core.Artefact(figure, columns(rows), caption)


EXPERIMENT = core.Experiment(
    title="Unequal multiplicities in one world",
    runs=lambda scale: {"main": unequal_run(scale)},
    claims=(LEAST, UNEQUAL),
    draw=draw,
)
