"""A claim that anyone can judge."""

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most
from needy.run.length import Constant


def length(run: RunResult) -> float:
    return float(run.column("length")[0])


def draw(runs: Runs) -> Artefact:
    return Artefact(None, {"length": [length(run) for run in runs.values()]}, "Lengths.")


EXPERIMENT = Experiment(
    title="Small",
    runs=lambda scale: {"small": Constant(value=1), "large": Constant(value=9)},
    claims=(
        Claim(
            id="small",
            locus="Section 1",
            statement="One is small.",
            subject=lambda runs: runs["small"],
            wrong=lambda runs: runs["large"],
            parts=Part(length, at_most(5)),
        ),
    ),
    draw=draw,
)
