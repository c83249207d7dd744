"""Readings of a model along its training, and their curves."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, RunResult, Runs, Seeds, Undecided
from lemmata.papers.association.claims._knows import knows_at_end
from lemmata.papers.association.run.checkpoints import EDITS, Checkpoints
from lemmata.report.plots import columns as table_of, new_figure


@dataclass(frozen=True)
class Prompts(Seeds):
    """One measurement a prompt: the interval of their mean is over prompts."""

    unit = "prompts"


START, MIDDLE, LATE = (0, 0), (10, 512), (4000, 143000)  # "after 2000": from the next checkpoint that is read


@dataclass(frozen=True)
class Window:
    """A run between two steps, ends included."""

    run: RunResult
    first: int
    last: int

    @property
    def steps(self) -> list[int]:
        found = [step for step in self.run.config.steps if self.first <= step <= self.last]
        if not found:
            raise Undecided(f"the run has no checkpoint from step {self.first} to {self.last}")
        return found

    def read(self, name: str, edit: str = "full") -> np.ndarray:
        """[prompt, step]"""
        place = EDITS.index(edit)
        return np.stack([self.run.column(name, step=step, edit=place) for step in self.steps], axis=1).astype(float)


def more(window: Window, name: str, than: str) -> Prompts:
    """How much likelier one word is than another, at each step."""
    return Prompts(window.read(name) - window.read(than))


def unequal(window: Window, *names: str) -> np.ndarray:
    """The largest mean probability over the smallest of some words, at each step."""
    means = np.stack([window.read(name).mean(axis=0) for name in names])
    return means.max(axis=0) / means.min(axis=0)


def raised(window: Window) -> Prompts:
    """By how much truncation raises log P(answer) / P(the), at each step."""
    whole, cut = (np.log(window.read("answer", one)) - np.log(window.read("the", one)) for one in ("full", "truncated"))
    return Prompts(cut - whole)


def draw(runs: Runs, caption: str, columns: tuple[str, ...], *, ranks: bool = False) -> Artefact:
    """One panel a run: means over prompts along training, whole and truncated."""
    figure, axes = new_figure(cols=len(runs), width=4.2 * len(runs), height=3.2)
    rows: list[dict[str, object]] = []
    for ax, (title, run) in zip(np.atleast_1d(axes), runs.items(), strict=True):
        steps = list(run.config.steps)
        for place in sorted(set(np.asarray(run.metrics["edit"]).tolist())):
            for i, name in enumerate(column for column in columns if column in run.metrics):
                means = [float(run.column(name, step=step, edit=place).mean()) for step in steps]
                style = {0: "-", 1: "--", 2: ":"}[place]
                ax.plot(np.maximum(steps, 0.5), means, style, color=f"C{i}", label=f"{name}, {EDITS[place]}", lw=1.2)
                about = {"run": title, "edit": EDITS[place], "reading": name}
                rows += [about | {"step": step, "mean": mean} for step, mean in zip(steps, means, strict=True)]
        ax.set(xscale="log", yscale="log" if ranks else "linear", title=title, xlabel="step")
        ax.set_ylabel("mean rank" if ranks else "mean probability")
        ax.legend(fontsize=6)
    return Artefact(figure, table_of(rows), caption)


PYTHIA = {
    "ioi": Checkpoints(prompts="ioi", layer=11, rank=0.008),
    "madrid": Checkpoints(prompts="madrid", layer=16, rank=0.0125),
}


def phases(name: str, *, title: str, claim: Claim) -> Experiment:
    """A claim about the training of Pythia-1B."""
    caption = (
        "Mean probabilities along training: the answer, the distractor (of IOI) and the article, in the whole model, "
        "with the paper's truncation, and with a random subspace of the same rank; step 0 is drawn at 0.5."
    )
    return Experiment(
        title=title,
        runs=lambda scale: {name: PYTHIA[name]},
        extra="lm",
        needs={name: knows_at_end},
        claims=(claim,),
        draw=lambda runs: draw(runs, caption, ("answer", "distractor", "the")),
        notes="The IOI sentences have the words of the one that the paper prints; the names are ours. Two checkpoints "
        "with the same weights are refused: public ones are known to be served under wrong names.",
    )
