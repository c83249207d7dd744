"""Claims about random draws: one that any randomness decides alike, one that is the toss of a coin, one too close."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Seeds, at_least
from toy.run.noise import Noise


def runs(scale: Scale) -> dict[str, Noise]:
    seeds = scale.seeds(smoke=2, laptop=5, paper=10)
    return {name: Noise(centre=centre, seeds=seeds) for name, centre in {"high": 1e3, "even": 0.0, "low": -1e3}.items()}


def draws(run: RunResult) -> np.ndarray:
    return run.column("x")


def over_seeds(run: RunResult) -> Seeds:
    return Seeds(draws(run))


def draw(runs: Runs) -> Artefact:
    return Artefact(None, {"seed": runs["even"].metrics["seed"], "x": draws(runs["even"])}, "The draws.")


EXPERIMENT = Experiment(
    title="Noise",
    runs=runs,
    claims=(
        Claim(
            id="sure",
            locus="Section 3",
            statement="Draws around 1000 are positive on average.",
            subject=lambda runs: runs["high"],
            wrong=lambda runs: runs["low"],
            parts=Part(over_seeds, at_least(0, over_seeds=True)),
        ),
        Claim(
            id="coin",
            locus="Section 3",
            statement="The first draw around 0 is positive.",
            subject=lambda runs: runs["even"],
            wrong=lambda runs: runs["low"],
            parts=Part(lambda run: draws(run)[0], at_least(0)),
            remark="It is the toss of a coin.",
        ),
        Claim(
            id="close",
            locus="Section 3",
            statement="Draws around 0 are positive on average.",
            subject=lambda runs: runs["even"],
            wrong=lambda runs: runs["low"],
            parts=Part(over_seeds, at_least(0, over_seeds=True)),
        ),
    ),
    draw=draw,
)
