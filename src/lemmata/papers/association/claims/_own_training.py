"""A small model trained by us: when "the" is learned, when names from the context, when truncation begins to help."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, RunResult, Runs
from lemmata.papers.association.claims._training import Prompts
from lemmata.papers.association.run.own_training import EDITS, WORDS, OwnTraining
from lemmata.report.plots import columns, new_figure

KNOWN = float(np.log(2))  # context is used: the name is twice as likely as an absent one
HELPS = float(np.log(1.5))  # an edit helps: half as much again for the name against "the"


@dataclass(frozen=True)
class Reading:
    """A training with one edit, and another edit to set against it."""

    run: RunResult
    edit: str = "full"
    against: str = "full"

    def at(self, step: int, edit: str, over: str) -> np.ndarray:
        """log P(name) / P(over), a prompt each."""
        place = EDITS.index(edit)
        name, other = (self.run.column(word, step=step, edit=place).astype(float) for word in ("name", over))
        return np.log(name) - np.log(other)

    @property
    def steps(self) -> list[int]:
        return sorted(set(np.asarray(self.run.metrics["step"]).tolist()))

    def known(self, step: int) -> np.ndarray:
        return self.at(step, self.edit, "absent")

    def gain(self, step: int) -> np.ndarray:
        return self.at(step, self.edit, "the") - self.at(step, self.against, "the")

    def article(self, step: int) -> float:
        return float(self.run.column("the", step=step, edit=EDITS.index(self.edit)).mean())


def since(steps: list[int], met: list[bool]) -> float:
    """The first step from which on it is met at every checkpoint; not a number if it is not met at the end."""
    unmet = [place for place, one in enumerate(met) if not one]
    first = unmet[-1] + 1 if unmet else 0
    return float(max(1, steps[first])) if first < len(steps) else float("nan")


def article_step(reading: Reading) -> float:
    """The first checkpoint at which "the" has half of its greatest mean probability."""
    probabilities = [reading.article(step) for step in reading.steps]
    return float(
        max(1, next(s for s, one in zip(reading.steps, probabilities, strict=True) if one >= max(probabilities) / 2))
    )


def names_step(reading: Reading) -> float:
    return since(reading.steps, [bool(reading.known(step).mean() >= KNOWN) for step in reading.steps])


def help_step(reading: Reading) -> float:
    """Since when the edit helps, and the context is used with it in place."""
    met = [bool(reading.gain(s).mean() >= HELPS and reading.known(s).mean() >= KNOWN) for s in reading.steps]
    return since(reading.steps, met)


def known_at_end(reading: Reading) -> Prompts:
    return Prompts(reading.known(reading.steps[-1]))


def gain_at_end(reading: Reading) -> Prompts:
    return Prompts(reading.gain(reading.steps[-1]))


def moments(runs: Runs) -> str:
    """When each came, and which cut was chosen at the end."""
    run = runs["text"]
    whole, cut = Reading(run), Reading(run, "cut", "dropped")
    _, layer, share = run.arrays["chosen"][-1]
    end = whole.steps[-1]
    when = {'"the"': article_step(whole), "names": names_step(whole), "help": help_step(cut)}
    said = (
        f"{what} {f'not by step {end}' if np.isnan(step) else f'from step {step:g}'}" for what, step in when.items()
    )
    raised = np.exp(Reading(run, "cut", "full").gain(end).mean())
    return (
        f"{', '.join(said)}. The cut chosen at the end keeps {share:g} of the rank of the MLP input of layer {layer:g} "
        f'and raises the name against "the" {raised:.2f} times over the whole model. Names are '
        f"{np.exp(whole.known(end).mean()):.2f} times as likely as absent ones."
    )


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(cols=2, width=8.0, height=3.2)
    rows: list[Any] = []
    for style, (title, run) in zip(("-", "--"), runs.items(), strict=False):
        steps = Reading(run).steps
        rows += [
            {"run": title, "step": step, "edit": edit}
            | {word: float(run.column(word, step=step, edit=place).mean()) for word in WORDS}
            for place, edit in enumerate(EDITS)
            for step in steps
        ]
        x = np.maximum(steps, 0.5)
        for i, word in enumerate(("the", "name", "absent")):
            means = [run.column(word, step=step, edit=0).mean() for step in steps]
            axes[0].plot(x, means, style, color=f"C{i}", lw=1.2, label=f"{word}, {title}")
        for i, edit in enumerate(EDITS[1:]):
            gains = [np.exp(Reading(run, edit, "full").gain(step).mean()) for step in steps]
            axes[1].plot(x, gains, style, color=f"C{i + 3}", lw=1.2, label=f"{edit}, {title}")
    axes[0].set(xscale="log", yscale="log", xlabel="step", ylabel="mean probability")
    axes[1].set(xscale="log", yscale="log", xlabel="step", ylabel='name / "the", times the whole model\'s')
    for ax in axes:
        ax.legend(fontsize=6)
    caption = (
        'After a preposition that a name followed before in the same passage: probabilities of "the", of the name and '
        "of one that is not in the passage; right, what the chosen cut, a random subspace of the same "
        'rank and the dropped matrix do to name over "the". Dashed: a model of the same text with its words in random '
        "order. Step 0 is drawn at 0.5."
    )
    return Artefact(figure, columns(rows), caption)


def trained_here(title: str, claim: Claim) -> Experiment:
    """A claim about our own training."""
    return Experiment(
        title=title,
        runs=lambda scale: {"text": OwnTraining(), "shuffled": OwnTraining(trained="shuffled")},
        extra="lm",
        claims=(claim,),
        draw=draw,
        notes="The checkpoints are made by `lemmata lm pretrain`, on the text and on its words in random order. One "
        "seed of training: the intervals are over prompts.",
    )
