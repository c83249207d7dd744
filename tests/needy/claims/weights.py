"""Claims that need an extra and weights."""

from lemmata.core import Claim, Experiment, Part, at_least, exactly
from needy.claims.plain import draw, length
from needy.run.length import Constant, Length

EXPERIMENT = Experiment(
    title="Weights",
    runs=lambda scale: {"main": Length(), "small": Constant(value=1)},
    extra="lm",
    claims=(
        Claim(
            id="long",
            locus="Section 2",
            statement="Weights are long.",
            subject=lambda runs: runs["main"],
            wrong=lambda runs: runs["small"],
            parts=Part(length, at_least(4)),
        ),
        Claim(
            id="even",
            locus="Section 2",
            statement="Their length is even.",
            subject=lambda runs: runs["main"],
            wrong=lambda runs: runs["small"],
            parts=Part(lambda run: length(run) % 2, exactly(0)),
            remark="It is odd.",
        ),
    ),
    draw=draw,
)
