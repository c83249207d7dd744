"""Claim 2: the gradient of the second decoding step in its attention."""

from lemmata.papers.ic_recall.claims._algebra import in_three_worlds, three_worlds
from lemmata.papers.ic_recall.claims._formula import formula, formulas, points, scores
from lemmata.papers.ic_recall.theory import second_step

EXPERIMENT = formulas(
    "The gradient of the second decoding step against autodiff",
    three_worlds,
    in_three_worlds(
        formula(
            "claim-2",
            "Appendix D, Claim 2",
            r"Given the right relation $r_1$, $\partial \ell_2/\partial q_{2j-1} = \frac{2(1 + q_7)}{T}(p_{2,r_1}(a_j) "
            r"- \delta_{j3})$ for $j \le 3$ and $\partial \ell_2/\partial q_7 = \frac{2}{T}(\sum_{j \le 3} "
            r"p_{2,r_1}(a_j) q_{2j-1} - q_5)$. The other entries of the gradient are 0.",
            lambda run: second_step.gradient_claim_2(run.arrays["q"], run.config.n, run.config.temperature),
            lambda run: run.arrays["gradient_q"],
            along={"point": points, "in": scores("q", 7)},
        )
    ),
)
