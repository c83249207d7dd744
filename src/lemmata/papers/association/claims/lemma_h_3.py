"""Lemma H.3: the solution of the system (43), taken as printed."""

from collections.abc import Callable
from functools import partial

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, Runs
from lemmata.core.rule import at_least, falls, near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._memory_flows import (
    BY_FLOW,
    LATE,
    LIMITS,
    constants,
    flow_runs,
    for_each_flow,
    printed_path,
)
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.theory import memory

WINDOW = (0.21, 0.3, 0.39)  # noise levels inside the lemma's
TIMES = np.concatenate([[0.0], np.logspace(-2, 4, 200)])  # to where b's distance from its limit is well resolved


def b_over_limit(rates_of: Callable[[float], memory.Rates]) -> np.ndarray:
    """b over its limit, for each α of the lemma's window."""
    return np.array([memory.integrate(rates_of(alpha), TIMES).b - memory.limit_b(alpha) for alpha in WINDOW])


CONSTANT = Claim(
    id="lemma-h.3",
    locus="Lemma H.3",
    uses=("lemma-h.3-decreasing",),
    statement=r"The system (43) as printed, with $a(0) = b(0) = 0$ and $\alpha \in (0.2, 0.4)$, has "
    r"$a \to \log(\frac{1}{(1-\alpha)(4-2\alpha)} t^{-1})$ as $t \to \infty$. Judged is $\lim t e^a$, at $\alpha = "
    "0.1$ too.",
    needs=LIMITS,
    subject=lambda runs: constants(runs, printed_path, LATE),
    wrong=lambda runs: constants(runs, printed_path, 1.0),
    parts=Part(
        lambda found: found,
        near(for_each_flow(memory.printed_constant), rtol=1e-4),
        corrected=for_each_flow(memory.printed_flow_constant),
        along=BY_FLOW,
    ),
    correction=Correction(
        severity="constant",
        printed=r"$\lim t e^a = \frac{1}{(1-\alpha)(4-2\alpha)}$",
        corrected=r"$\lim t e^a = \frac{5}{18(1-\alpha)}$",
        reason=r"$b$ is slaved to $a$: $(1-\alpha)e^b = \alpha + (\alpha - \frac15)e^a$ to first order. Putting $b$ at "
        r"its limit drops a term of the order of the one kept, and $2(2-\alpha)$ becomes $\frac{18}{5}$.",
        survives="The limit of $b$, the exponent of $e^a$, and that $b$ falls all the time (lemma-h.3-decreasing).",
        source=SOURCE,
    ),
)

DECREASING = Claim(
    id="lemma-h.3-decreasing",
    locus="Lemma H.3, proof: D and E are never positive",
    statement=r"Under the system (43) as printed, with $a(0) = b(0) = 0$ and $\alpha \in (0.2, 0.4)$, $b$ falls all "
    r"the time and stays over its limit $\log\frac{\alpha}{1-\alpha}$.",
    subject=lambda runs: b_over_limit(memory.printed_margin_rates),
    wrong=lambda runs: b_over_limit(lambda alpha: memory.margin_rates(2, alpha)),  # with the right rates of (42)
    parts={
        "b": Part(lambda over: over, falls(slack=1e-9), along={"α": WINDOW, "t": TIMES}),
        "b over its limit": Part(lambda over: over[:, -1], at_least(0.0), along={"α": WINDOW}),
    },
    remark="With the rates of (42) repaired, $b$ passes its limit and returns to it from below for every "
    r"$\alpha < 1/2$: $b - b_\infty \approx \frac{\alpha - 1/2}{\alpha} e^a$. The window of Theorem 3 comes from the "
    "factors of (42), and the theorem's limits need no such window.",
)


def draw(runs: Runs) -> Artefact:
    systems = {"(43)": memory.printed_margin_rates, "repaired": partial(memory.margin_rates, 2)}
    curves = {
        f"{label}, α = {alpha:g}": (TIMES[1:], [over[1:]])
        for label, rates in systems.items()
        for alpha, over in zip(WINDOW, b_over_limit(rates), strict=True)
    }
    axes = {"xlabel": "t", "ylabel": "b - log(α/(1-α))", "xscale": "log"}
    return draw_curves(curves, "The margin b over its limit.", at=(0.0,), **axes)


EXPERIMENT = Experiment(
    title="Lemma H.3: the system (43) as printed",
    runs=lambda scale: flow_runs(),
    claims=(CONSTANT, DECREASING),
    draw=draw,
)
