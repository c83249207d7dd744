"""Three walks, one of which goes wrong, as the environment says."""

import os

from faulty.claims.walks import draw, largest
from faulty.run.walk import Walk
from lemmata.core import Claim, Experiment, Part, Scale, at_most

FAULT = "FAULTY_FAULT"


def runs(scale: Scale) -> dict[str, Walk]:
    bad = Walk(seed=1, fault=os.environ.get(FAULT, "raise"))  # pyright: ignore[reportArgumentType]
    return {"good": Walk(seed=0), "bad": bad, "last": Walk(seed=2)}


EXPERIMENT = Experiment(
    title="One fault",
    runs=runs,
    claims=tuple(
        Claim(
            id=name,
            locus="Section 2",
            statement=f"The {name} walk makes no step of ten.",
            subject=lambda runs, name=name: largest(runs[name]),
            wrong=lambda runs, name=name: 10 * largest(runs[name]),
            parts=Part(float, at_most(10)),
        )
        for name in ("good", "bad", "last")
    ),
    draw=draw,
)
