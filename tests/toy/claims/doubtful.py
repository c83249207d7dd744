"""One claim that fails, and one that cannot be decided."""

from lemmata.core import Claim, Experiment, Part, RunResult, at_most, near, of_result
from toy.claims.decay import draw, ratio, runs, unmoved


@of_result
def long_enough(run: RunResult) -> str | None:
    return None if run.config.steps > 10**6 else "too few steps"


EXPERIMENT = Experiment(
    title="Doubtful",
    runs=runs,
    claims=(
        Claim(
            id="bound",
            locus="Section 2",
            statement="x falls at once, and is positive.",
            subject=lambda runs: runs["main"].arrays["x"],
            wrong=lambda runs: unmoved(runs["main"]),
            parts={
                "ratio": Part(ratio, at_most(0.1)),
                "negative": Part(lambda values: float((values < 0).sum()), at_most(0), carries=False),
            },
            remark="The bound is too small.",
        ),
        Claim(
            id="vague",
            locus="Section 2",
            statement="x is zero in the end.",
            subject=lambda runs: runs["main"].arrays["x"],
            wrong=lambda runs: unmoved(runs["main"]),
            parts=Part(lambda values: values[:, -1], near(0.0)),
            needs={"main": long_enough},
        ),
    ),
    draw=draw,
)
