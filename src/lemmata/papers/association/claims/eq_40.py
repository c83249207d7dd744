"""Equation (40): which matrices have a gradient in the span of two."""

import numpy as np

from lemmata.core import Claim, Correction, Experiment, Part
from lemmata.core.rule import exactly
from lemmata.papers.association.claims._coefficients import draw, rates_run
from lemmata.papers.association.claims._source import SOURCE

INSIDE = 1e-12  # entries of the velocity outside of the span, by rounding

EXPERIMENT = Experiment(
    title="The span of the linear memory's gradient",
    runs=rates_run,
    claims=(
        Claim(
            id="eq-40",
            locus="Equations (40) and (41)",
            statement=r"Under Assumption G.1, with $n = 2$, for any $W$ the gradient $\nabla_W L$ is a combination of "
            r"the two matrices of (40). Judged is whether it is for the $W$ of (41), and for a $W$ drawn at random.",
            subject=lambda runs: (runs["rates"].column("outside"), runs["rates"].column("outside_of_any")),
            wrong=lambda runs: (runs["rates"].column("outside_of_any"), runs["rates"].column("outside")),
            parts=Part(
                lambda outside: tuple(bool((np.abs(part) < INSIDE).all()) for part in outside),
                exactly((True, True)),
                corrected=(True, False),
                along={"W": ("of (41)", "drawn at random")},
            ),
            correction=Correction(
                severity="step of a proof",
                printed=r"for any $W$",
                corrected=r"for any $W$ of the form (41), which includes $W = 0$ and is kept by the flow",
                reason=r"The two inputs' logits need not mirror each other for a general $W$.",
                survives="The rest of the proof, which needs the form along the flow alone.",
                source=f"{SOURCE}; said in words",
                latex=r"For any $\mathbf{W}$ of the form (41), the gradient $\nabla_{\mathbf{W}} L$ can be decomposed "
                "as",
            ),
        ),
    ),
    draw=draw,
)
