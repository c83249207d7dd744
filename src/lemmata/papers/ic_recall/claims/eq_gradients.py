"""Eqs. (2)-(8): the warm-up's gradient in attention and in its scores."""

import numpy as np

from lemmata.core import RunResult
from lemmata.papers.ic_recall.claims._algebra import warmup_algebra
from lemmata.papers.ic_recall.claims._formula import formula, formulas, points, scores
from lemmata.papers.ic_recall.theory import gradients


def _both_gradients(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    in_v = gradients.warmup_gradient(v, run.config.temperature)
    return np.concatenate([in_v, gradients.through_softmax(v, in_v)], axis=1)


EXPERIMENT = formulas(
    "Three subjects: the gradients of eqs. (2)-(8) against autodiff",
    warmup_algebra,
    formula(
        "eq-gradients",
        "Appendix B, eqs. (2)-(8)",
        r"With three subjects the gradient of $L_1$ in $v$ is that of (2)-(7), as $\partial L_1/\partial v_1 = "
        r"\frac{2}{T}((p_1(r_1) + p_1(r_3)) v_2 + (p_1(r_2) + p_1(r_4)) v_4 - v_2)$. In $\theta$, with $v = "
        r"\text{softmax}(\theta)$, it is $\partial L_1/\partial\theta_i = v_i (\partial L_1/\partial v_i - \sum_j v_j "
        r"\,\partial L_1/\partial v_j)$.",
        _both_gradients,
        lambda run: np.concatenate([run.arrays["gradient_v"], run.arrays["gradient_theta"]], axis=1),
        along={"point": points, "in": [*scores("v"), *scores("theta")]},
    ),
)
