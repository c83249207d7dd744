"""Equation (42): the rates of the linear memory's coefficients."""

import numpy as np

from lemmata.core import Claim, Correction, Experiment, Part, near, rows_of
from lemmata.papers.association.claims._coefficients import draw, predicted_rates, rates_run
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.theory import memory

EXPERIMENT = Experiment(
    title="The rates of the linear memory's coefficients",
    runs=rates_run,
    claims=(
        Claim(
            id="eq-42",
            locus="Equation (42)",
            uses=("eq-40",),
            statement=r"Under Assumption G.1, with $n = 2$, gradient flow of $W$ in the form (41) has "
            r"$\dot\beta_1 = \frac{e^{-2\beta_1} - 1}{e^{-2\beta_1} + e^{-\beta_1 - 3\beta_2} + 1} + 1 - \alpha$ and "
            r"$\dot\beta_2 = \frac{3 e^{-\beta_1 - 3\beta_2}}{e^{-2\beta_1} + e^{-\beta_1 - 3\beta_2} + 1} - 3\alpha$. "
            r"Compared with autodiff at random $\beta$.",
            subject=lambda runs: (runs["rates"].column("rate_1"), runs["rates"].column("rate_2")),
            wrong=lambda runs: (runs["rates"].column("rate_2"), runs["rates"].column("rate_1")),
            parts=Part(
                lambda rates: np.stack(rates, axis=1),
                near(predicted_rates(memory.printed_coefficient_rates), atol=1e-12),
                corrected=predicted_rates(memory.coefficient_rates),
                along={
                    "point": lambda runs: rows_of(runs["rates"], β_1="beta_1", β_2="beta_2"),
                    "rate of": ("β_1", "β_2"),
                },
            ),
            correction=Correction(
                severity="constant",
                printed=r"$\dot\beta_1 = P_{\text{wrong}} - P_{\text{correct}} + 1 - \alpha$, "
                r"$\dot\beta_2 = 3P_{\text{noise}} - 3\alpha$",
                corrected=r"$\dot\beta_1 = \frac14(P_{\text{wrong}} - P_{\text{correct}} + 1 - \alpha)$, "
                r"$\dot\beta_2 = \frac14(P_{\text{noise}} - \alpha)$, with the probabilities as printed",
                reason="The matrices of (41) have squared norms 4 and 12 and the loss is a mean over two inputs: the "
                "printed rates are 4 and 12 times too large. So their ratio, which no rescaling of time mends, is "
                "wrong too.",
                survives=r"Theorem 3's limits and exponents; its window for $\alpha$, $(.2, .4)$, is not needed "
                "(lemma-h.3-decreasing).",
                source=f"{SOURCE}; (42) and (43) agree with each other, so this is not the conversion's",
            ),
        ),
    ),
    draw=draw,
)
