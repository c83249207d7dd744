"""Theorem 2 on the model of equation (2) itself: gradient descent on all three matrices, and readings along it."""

from typing import NamedTuple

import numpy as np

from lemmata.core import RunResult, Scale, TooShort
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.simplified_descent import SimplifiedDescent
from lemmata.papers.association.sizes import Descent as Sizes

LEARNED = 0.9  # of α: the share of the noise's probability from which W_F has "learned the noise"


class Descent(NamedTuple):
    run: RunResult

    def learned(self) -> int:
        """The first record at which the noise is predicted almost as often as it comes, in every seed."""
        _, values = self.run.curve("noise_probability")
        enough = (values >= LEARNED * self.run.config.alpha).all(axis=0)
        if not enough.any():
            raise TooShort(f"after {self.run.config.steps} steps the noise is not yet learned")
        return int(enough.argmax())

    def at(self, record: int, column: str) -> np.ndarray:
        return self.run.curve(column)[1][:, record]


def descent_run(scale: Scale, exclude_trigger: bool = False) -> SimplifiedDescent:
    return SimplifiedDescent(
        seeds=unseen(scale, Sizes.SEEDS),
        batch=Sizes.BATCH.at(scale),
        steps=Sizes.STEPS.at(scale),
        exclude_trigger=exclude_trigger,
    )
