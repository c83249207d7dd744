"""The six gradients at the head of Appendix C, for any number of subjects."""

from lemmata.papers.ic_recall.claims._algebra import in_three_worlds, three_worlds
from lemmata.papers.ic_recall.claims._formula import formula, formulas, points, scores
from lemmata.papers.ic_recall.theory import gradients, relations

EXPERIMENT = formulas(
    "Any number of subjects: the gradient of the first step against autodiff",
    three_worlds,
    in_three_worlds(
        formula(
            "appendix-c-gradients",
            "Appendix C, the six formulas after eq. (16)",
            r"For a sequence $Z$ of any world, $T\,\partial \ell_1/\partial v_1 = 2(\sum_{r: r(s_1) = a_1} p(r) v_2 + "
            r"\sum_{r: r(s_1) = a_2} p(r) v_4 - v_2)$, and likewise in $v_2, \ldots, v_6$. Judged in full affine "
            "worlds.",
            lambda run: gradients.general_gradient(
                run.arrays["v"], relations.full_world_counts(run.config.n), run.config.temperature
            ),
            lambda run: run.arrays["gradient_v"],
            along={"point": points, "in": scores("v")},
        )
    ),
)
