"""The proof of Lemma D.1: the second step's first gradient, and the lead that it gives the query subject."""

import numpy as np

from lemmata.core import Claim, Part, RunResult, Runs, at_least, near
from lemmata.papers.ic_recall.claims._algebra import each_world, in_three_worlds, three_worlds
from lemmata.papers.ic_recall.claims._formula import formula, formulas, scores
from lemmata.papers.ic_recall.theory import second_step

LOCUS = "Appendix D, proof of Lemma D.1"
OTHERS = [name for name in scores("omega", 7) if name != "omega_5"]


def _lead(run: RunResult, chosen: int) -> np.ndarray:
    """How much faster than every other score omega's `chosen` entry rises in the first step, in units of eta_1 / T."""
    slope = run.config.temperature * run.arrays["initial_omega"]
    return np.delete(slope, chosen) - slope[chosen]


def _leads(runs: Runs, chosen: int) -> np.ndarray:
    """World by world, over every other score."""
    return np.stack([_lead(run, chosen) for run in each_world(runs).values()])


EXPERIMENT = formulas(
    "The second step's first gradient, and the lead of the query subject",
    three_worlds,
    in_three_worlds(
        formula(
            "lemma-d.1-initial",
            LOCUS,
            r"At $q = 1/7$, with $p = p_{2,r_1}(a_1)$, the gradient of $\ell_2$ is $\nabla_q \ell_2 = "
            r"\frac{1}{7T}(16p, 0, 16p, 0, 16(p-1), 0, 2(3p-1))$. In $\omega$ it is $\nabla_\omega \ell_2 = "
            r"\frac{1}{343T}(58p+18, -54p+18, 58p+18, -54p+18, 58p-94, -54p+18, -12p+4)$.",
            lambda run: second_step.initial_gradients(float(run.arrays["initial_p"]), run.config.temperature),
            lambda run: np.concatenate([run.arrays["initial_q"], run.arrays["initial_omega"]]),
            along={"in": [*scores("q", 7), *scores("omega", 7)]},
        )
    ),
    beside=(
        Claim(
            id="lemma-d.1-lead",
            locus=LOCUS,
            statement=r"After the first gradient step from $\omega = 0$, $\tilde\omega_5 - \max_{i \ne 5} "
            r"\tilde\omega_i \ge \frac{32\eta_1}{147T}$.",
            subject=lambda runs: _leads(runs, 4),
            wrong=lambda runs: _leads(runs, 0),
            parts={
                "lead": Part(
                    np.asarray,
                    at_least(second_step.GUARANTEED_LEAD, slack=1e-12, paper="every n >= 3 and T"),
                    along={"n": [3, 7, 11], "over": OTHERS},
                ),
                "least at n = 3": Part(lambda leads: leads[0].min(), near(second_step.GUARANTEED_LEAD, rtol=1e-10)),
            },
            remark=r"The bound is reached where $p = 1/3$, that is at $n = 3$, by the scores of $a_1$, $a_2$, EoS and "
            r"of the relation itself: no larger constant would do. The control asks for the lead of $\omega_1$.",
        ),
        Claim(
            id="lemma-d.1-monotone",
            locus=LOCUS,
            statement=r"If $\omega_5 > \omega_i$ for all $i \ne 5$, the lead $\omega_5 - \max_{i \ne 5} \omega_i$ does "
            r"not shrink in a step of gradient descent: $\partial \ell_2/\partial\omega_i \ge \partial "
            r"\ell_2/\partial\omega_5$ for all $i$.",
            subject=lambda runs: runs["main"].arrays["leading_omega"],
            wrong=lambda runs: runs["main"].arrays["trailing_omega"],
            parts=Part(
                lambda slope: np.delete(slope, 4, axis=1) - slope[:, 4:5],
                at_least(0.0),
                along={"point": lambda runs: range(1, len(runs["main"].arrays["leading_omega"]) + 1), "over": OTHERS},
            ),
            remark="At random attention, by autodiff. The control puts the least attention on the query subject.",
        ),
    ),
)
