"""Readings of singular directions: what removing them does, where they stand in the spectrum, what they read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs, of_result
from lemmata.papers.association.probe.gains import Compared, OverPrompts, Probabilities, over_prompts
from lemmata.papers.association.probe.writing import constancy

FEW, TEN = 3, 10  # directions removed together; directions whose places are read
TENTH = 0.1  # of all directions: those of the smallest, or of the largest, singular values


def removed(run: RunResult, by: str, count: int = FEW) -> Compared:
    """A set of directions removed together, on the prompts that judge; of random sets the mean."""

    def read(by: str, count: int) -> Probabilities:
        prompts = len(run.column("the", by="whole"))
        parts = (run.column(name, by=by, count=count).reshape(-1, prompts).mean(axis=0) for name in ("answer", "the"))
        return Probabilities(*parts)

    return Compared(read(by, count), read("whole", 0))


def effects(run: RunResult, prompts: np.ndarray) -> np.ndarray:
    """[..., direction] log of the factor on answer/"the" by removing one direction, of some prompts."""
    alone, whole = run.arrays["alone"][..., prompts].mean(axis=-1), run.arrays["whole"][..., prompts].mean(axis=-1)
    gains = np.log(alone[:, 0] / alone[:, 1]) - np.log(whole[0] / whole[1])
    return np.moveaxis(gains, 0, -1)


def on_choice(run: RunResult) -> np.ndarray:
    return effects(run, np.flatnonzero(run.arrays["chooses"]))


@dataclass(frozen=True)
class Places:
    """Some directions by their places in the falling order of singular values, from 0, and what removing each does."""

    run: RunResult
    chosen: np.ndarray

    def share(self, inside: np.ndarray) -> OverPrompts:
        """Of the size of their effects on the prompts that judge, the share of those inside."""
        judge = np.flatnonzero(~self.run.arrays["chooses"])

        def of(rows: np.ndarray) -> Any:
            size = np.abs(effects(self.run, judge[rows])[..., self.chosen])
            return (size * inside[self.chosen]).sum(axis=-1) / size.sum(axis=-1)

        return over_prompts(of, len(judge), is_ratio=False)

    def in_smallest(self) -> OverPrompts:
        return self.share(_from_the_end(len(self.run.arrays["directions"])) < TENTH)

    def in_largest(self) -> OverPrompts:
        return self.share(_from_the_end(len(self.run.arrays["directions"]))[::-1] < TENTH)


def _from_the_end(count: int) -> np.ndarray:
    """How many, of all, have smaller singular values."""
    return np.arange(count)[::-1] / count


def against_the_answer(run: RunResult) -> Places:
    """The ten directions whose removal raises answer/"the" the most: they carry "the"."""
    return Places(run, np.argsort(-on_choice(run), kind="stable")[:TEN])


def for_the_answer(run: RunResult) -> Places:
    """The ten whose removal lowers it the most."""
    return Places(run, np.argsort(on_choice(run), kind="stable")[:TEN])


@dataclass(frozen=True)
class MemorysNoise:
    """The synthetic memory after training: its noise has one singular value."""

    noise: float
    signal: float

    def in_largest(self) -> float:
        return float(self.noise > self.signal)


def memorys_noise(run: RunResult) -> MemorysNoise:
    return MemorysNoise(run.column("noise_singular")[-1], run.column("signal_singular")[-1])


@of_result
def enough(run: RunResult) -> str | None:
    count = len(run.arrays["directions"])
    return None if count >= 5 * TEN else f"{count} directions were looked at: too few to speak of a tenth of them"


def coordinates(run: RunResult, places: np.ndarray) -> np.ndarray:
    """[prompt, direction]: what the last tokens' inputs have along some directions, on the prompts that judge."""
    return run.arrays["coordinates"][~run.arrays["chooses"]][:, places]


def constant(values: np.ndarray) -> OverPrompts:
    """The mean over directions of how constant they are."""

    def mean(rows: np.ndarray) -> Any:
        found = np.array([constancy(values[one]).mean() for one in np.atleast_2d(rows)])
        return found if rows.ndim > 1 else found[0]

    return over_prompts(mean, len(values), is_ratio=False)


def ordinary(run: RunResult) -> np.ndarray:
    """All directions but the ten that carry "the"."""
    return np.setdiff1d(np.arange(len(run.arrays["directions"])), against_the_answer(run).chosen)


def what_was_found(runs: Runs) -> str:
    run = runs["main"]
    arrays, chosen = run.arrays, against_the_answer(run).chosen[:FEW]
    count = len(arrays["singular"])
    words = [
        f"{arrays['directions'][i]} (singular value {arrays['singular'][i]:.3g}, {arrays['energy'][i]:.1%} of the "
        f'input\'s energy, answer/"the" x{np.exp(on_choice(run)[i]):.2f} without it)'
        for i in chosen
    ]
    top, low = arrays["singular"][0], arrays["singular"][-1]
    return (
        f"{run.config.model}, {run.config.matrix} of layer {arrays['layer'][0]}, {count} directions with singular "
        f"values from {top:.3g} to {low:.3g}. Found on the prompts that choose: {'; '.join(words)}. Removed together "
        f"on the prompts that judge: x{removed(run, 'effect').gain().mean:.3g}; as many of the smallest: "
        f"x{removed(run, 'smallest').gain().mean:.3g}; of the largest: x{removed(run, 'largest').gain().mean:.3g}."
    )


def by_unembedding(runs: Runs) -> str:
    run = runs["main"]
    logits = run.arrays["push"][..., run.arrays["chooses"]].mean(axis=-1)[:, 0]
    strongest = against_the_answer(run).chosen[:FEW]
    by_size = np.argsort(np.argsort(-np.abs(logits)))
    found = ", ".join(f"{logits[i]:+.2f} (number {by_size[i] + 1} in size)" for i in strongest)
    return (
        f'The {FEW} that are found by effect raise the logit of "the" over the vocabulary\'s mean by {found}. A minus '
        'sign says that what they write speaks against "the": their effect on answer/"the" is then not a direct one.'
    )


@of_result
def few_are_removed(run: RunResult) -> str | None:
    return None if FEW in run.column("count") else f"no set of {FEW} directions was removed"
