"""Eight walks; a claim about each, and one about all."""

import numpy as np

from faulty.run.walk import Walk
from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_most

SEEDS = range(8)


def runs(scale: Scale) -> dict[str, Walk]:
    return {f"walk/{seed}": Walk(seed=seed) for seed in SEEDS}


def largest(run: RunResult) -> float:
    return float(np.abs(np.diff(run.arrays["path"], axis=0)).max())


def draw(runs: Runs) -> Artefact:
    return Artefact(None, {"largest": [largest(run) for run in runs.values()]}, "The largest steps.")


EXPERIMENT = Experiment(
    title="Walks",
    runs=runs,
    claims=(
        *(
            Claim(
                id=f"walk-{seed}",
                locus="Section 1",
                statement=f"Walk {seed} makes no step of ten.",
                subject=lambda runs, seed=seed: largest(runs[f"walk/{seed}"]),
                wrong=lambda runs, seed=seed: 10 * largest(runs[f"walk/{seed}"]),
                parts=Part(float, at_most(10)),
            )
            for seed in SEEDS
        ),
        Claim(
            id="walks",
            locus="Section 1",
            statement="No walk makes a step of ten.",
            subject=lambda runs: max(largest(run) for run in runs.group("walk").values()),
            wrong=lambda runs: 10 * max(largest(run) for run in runs.group("walk").values()),
            parts=Part(float, at_most(10)),
        ),
    ),
    draw=draw,
)
