"""Equation (37): after a step of W_QK, how large a logit is where the previous token is not the trigger."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, at_most, rows_of
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.key_orders import GradientOrders
from lemmata.papers.association.theory import RecallChain, attention_logits

PRINTED = attention_logits.printed_off_trigger(1.0, 1.0)  # β_1 = β_2 = 1
COLUMNS = {"holding k ≠ q": "off_trigger", "holding q": "off_trigger_at_trigger"}


def largest(run: RunResult, column: str) -> np.ndarray:
    """In units of (1-α)²/N², by T/N and N."""
    return run.column(column) * run.column("num_tokens") ** 2 / (1 - run.config.alpha) ** 2


def corrected_at_trigger(runs: Runs) -> float:
    return attention_logits.off_trigger(RecallChain(3, 3, runs["main"].config.alpha), 1.0, 1.0)


BY_SIZE = {"size": lambda runs: rows_of(runs["main"], N="num_tokens", ratio="ratio")}


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    shortest = {"ratio": min(run.config.ratios)}
    n, squared = run.column("num_tokens", **shortest), (1 - run.config.alpha) ** 2
    curves = {label: (n, [run.column(column, **shortest) * n**2 / squared]) for label, column in COLUMNS.items()}
    caption = (
        f"The exact chain at α = {run.config.alpha:g}, β_1 = β_2 = 1, T = {min(run.config.ratios)} N: positions whose "
        "previous token is not q. Dashed: the printed bound, and the corrected one for positions that hold q."
    )
    bounds = (PRINTED, corrected_at_trigger(runs))
    return draw_curves(curves, caption, at=bounds, marker="o", xlabel="N", ylabel="largest logit · N²/(1-α)²")


EXPERIMENT = Experiment(
    title="A bound on attention logits away from the trigger",
    runs=lambda scale: {"main": GradientOrders()},  # exact and cheap: the same at every scale
    claims=(
        Claim(
            id="eq-37",
            locus="Appendix F, equation (37)",
            statement=r"Under Assumption F.1, with the $W_V$ of (26) and for $b_2 \ne q$ and every $b_1$, "
            r"$W_E(q)^\top (-\nabla_{W_{QK}} L)(W_E(b_1) + \widetilde W_E(b_2)) \le \frac{(1-\alpha)^2}{N^2}"
            r"(\beta_1 + 2\beta_2)$. Read in units of $\frac{(1-\alpha)^2}{N^2}$, for $\beta_1 = \beta_2 = 1$, by the "
            "exact chain.",
            subject=lambda runs: (runs["main"], COLUMNS),
            wrong=lambda runs: (runs["main"], dict.fromkeys(COLUMNS, "on_trigger")),  # positions that do follow q
            parts={
                "holding k ≠ q": Part(
                    lambda read: largest(read[0], read[1]["holding k ≠ q"]),
                    at_most(PRINTED, paper="every b_1, and b_2 other than q"),
                    along=BY_SIZE,
                ),
                "holding q": Part(
                    lambda read: largest(read[0], read[1]["holding q"]),
                    at_most(PRINTED, paper="every b_1, and b_2 other than q"),
                    corrected=corrected_at_trigger,
                    along=BY_SIZE,
                ),
            },
            correction=Correction(
                severity="step of a proof",
                printed=r"$\le \frac{(1-\alpha)^2}{N^2}(\beta_1 + 2\beta_2)$ for every $b_1$",
                corrected=r"$\le \frac{(1-\alpha)^2}{N^2}(\beta_1 + 2\beta_2)$ for $b_1 \ne q$, and "
                r"$\le \frac{(1-\alpha)^2}{N^2}\cdot\frac{(1-\alpha)\beta_1 + \beta_2}{\alpha}$ for $b_1 = q$",
                reason=r"With $\bar y = q$, of probability $1/N$, a context holds its trigger $1/\alpha$ times as "
                r"often: the same $k = q$ that turns Theorem 2's first gap.",
                root="thm-2",
                survives=r"The order $1/N^2$, and so Theorem 2's second gap, which is of order $1/N$.",
                source=SOURCE,
            ),
        ),
    ),
    draw=draw,
)
