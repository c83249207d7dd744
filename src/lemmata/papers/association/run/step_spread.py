"""How far one step's margins are from their mean, by N and by the number of sequences m: Theorem 4's right-hand sides.

A sequence's gradient has rank one, so its step gives output j on a test sequence (1{y = j} - 1/(N+1)) times an overlap
of the two sequences' embeddings: no matrix is formed. The tests compare it with autodiff.
"""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, Inside, RunConfig, RunContext, RunOutput, Several, Some, named_generator
from lemmata.papers.association.run.simplified import TRIGGER, TableSize

BLOCKS = ("feed-forward", "attention")


def contexts(n: int, length: int, alpha: float, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sequences [position, sequence] and their targets; token 0 is the trigger, token N the noise."""
    target = rng.integers(n, size=count)
    tokens = rng.integers(n, size=(length, count), dtype=np.int16)
    noisy = rng.random((length, count), dtype=np.float32) < alpha
    for t in range(1, length):
        follows = tokens[t - 1] == TRIGGER
        tokens[t] = np.where(follows, np.where(noisy[t], n, target), tokens[t])
    tokens[-1] = TRIGGER
    return tokens, np.where(noisy[0], n, target)


def overlaps(tokens: np.ndarray, test: np.ndarray, n: int) -> np.ndarray:
    """[block, sequence]: x_T·x'_T, and the inner product of the two means of x_t = W_E(z_t) + W̃_E(z_{t-1})."""
    length = len(test)
    share = np.bincount(test, minlength=n + 1) / length
    previous = np.bincount(test[:-1], minlength=n + 1) / length
    last = 1.0 + (tokens[-2] == test[-2])
    return np.stack([last, (share[tokens].sum(axis=0) + previous[tokens[:-1]].sum(axis=0)) / length])


def margins(outputs: np.ndarray, overlap: np.ndarray, n: int, samples: int) -> np.ndarray:
    """[block, sample]: of the noise, after a unit step on each `samples` sequences."""
    groups = np.arange(len(outputs)) // samples
    logits = np.zeros((len(overlap), groups[-1] + 1, n + 1))
    for block, values in zip(logits, overlap, strict=True):
        np.add.at(block, (groups, outputs), values / samples)
    return logits[..., n] - logits[..., :n].max(axis=-1)  # what 1/(N+1) takes is the same for all outputs


@dataclass(frozen=True, kw_only=True)
class StepSpread(RunConfig):
    """Standard deviations over samples of m sequences, and the margins' means, over a few test sequences."""

    kind = "association/step-spread"

    sizes: Some[TableSize] = (32, 64, 128)  # N
    ratio: Count = 4  # T/N
    alpha: Inside = 0.3
    samples: Some[Count] = (32, 128, 512)  # m
    repeats: Several = 96  # of the largest m
    tests: Count = 2
    seeds: Some[int] = (0, 1, 2, 3)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, seed in enumerate(self.seeds):
            rows += [row for n in self.sizes for row in self._rows(seed, n)]
            context.progress("spreads", done + 1, len(self.seeds))
        names = ("seed", "num_tokens", "samples", "block", "spread", "margin")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})

    def _rows(self, seed: int, n: int) -> list[tuple]:
        rng = named_generator(seed, "data", f"N={n}")
        length, count = self.ratio * n, self.repeats * max(self.samples)
        tokens, outputs = contexts(n, length, self.alpha, count, rng)
        tests = contexts(n, length, self.alpha, self.tests, rng)[0].T
        overlap = np.concatenate([overlaps(tokens, test, n) for test in tests])  # [test and block, sequence]
        rows = []
        for m in self.samples:
            kept = count // m * m
            found = margins(outputs[:kept], overlap[:, :kept], n, m).reshape(self.tests, len(BLOCKS), -1)
            spread, mean = found.std(axis=2, ddof=1).mean(axis=0), found.mean(axis=(0, 2))
            rows += [(seed, n, m, block, spread[i], mean[i]) for i, block in enumerate(BLOCKS)]
        return rows
