"""Theorem 2: where the first step of W_QK sends attention, once W_F predicts the noise."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, Runs
from lemmata.core.rule import bootstrap_error, exactly, mean_near
from lemmata.papers.association.claims._attention_gaps import (
    ADMITTED,
    AS_PRINTED,
    ERRORS,
    LEARNED,
    WITHOUT_TRIGGER,
    Gaps,
    exact_gap,
    key_gradients,
    sign,
)
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.theory import RecallChain, attention_logits
from lemmata.report.plots import ceiling, new_figure


def signs(cases: list[Gaps]) -> tuple[tuple[int, int], ...]:
    """Of both gaps in each case."""
    return tuple((sign(gaps.first()), sign(gaps.second())) for gaps in cases)


def leading_signs(runs: Runs) -> tuple[tuple[int, int], ...]:
    configs = (run.config for run in runs.values())
    gaps = [attention_logits.leading_gap(config.chain, config.beta_1, config.beta_2) for config in configs]
    return tuple((int(np.sign(gap)), 1) for gap in gaps)


def other_positions(runs: Runs) -> list[Gaps]:
    """Each case read on the next case's run, at positions that follow token 1 where they should follow the trigger."""
    first, *rest = runs.values()
    return [Gaps(run, after=1) for run in (*rest, first)]


THEOREM_2 = Claim(
    id="thm-2",
    locus="Theorem 2",
    uses=("thm-1", "eq-24", "thm-2-values"),
    statement=r"Under $N, T \gg 1$, Assumption F.1 and $m \to \infty$, after $W_F$ has learned the noise one step of "
    r"$W_{QK}$ gives $\xi_{q \to j} - \xi_{q \to N+1} = \Omega(N^{-4}) > 0$ for all $j \le N$, and "
    r"$\xi_{q \to j} - \xi_{k \to l} = \Omega(N^{-3}) > 0$ for $k \ne q$ and all $j, l$. Judged are the signs of the "
    r"two gaps, the first in the mean over $j \ne q$.",
    needs=dict.fromkeys((AS_PRINTED, WITHOUT_TRIGGER, LEARNED), ADMITTED),
    subject=lambda runs: [Gaps(run) for run in runs.values()],
    wrong=other_positions,
    parts=Part(
        signs,
        exactly(lambda runs: ((1, 1),) * len(runs)),
        corrected=leading_signs,
        along={"case": list, "gap": ("over (q, then N+1)", "over other positions")},
    ),
    correction=Correction(
        severity="statement",
        printed=r"$\xi_{q \to j} - \xi_{q \to N+1} > 0$ for every $j \le N$",
        corrected=r"for $j \ne q$ the sign is that of $\alpha\beta_1 - (1-\alpha)\beta_2$: negative for "
        r"$\alpha < 1/2$, because training leaves $\beta_1 = \beta_2$ (thm-2-values). If $\bar y = q$ is left out of "
        r"the data it is that of $\alpha(\beta_1 + \beta_2)$: positive",
        reason=r"The proof drops the terms with $k \ne b_1$ as $O(T/N^2)$ each, but sums $N$ of them. With "
        r"$\bar y = q$, of probability $1/N$, a context repeats its trigger $1/\alpha$ times as often and shows the "
        r"noise $1/\alpha$ times as often. That one $k$ contributes $-(1-\alpha)\beta_2$, the same order as all others "
        "together.",
        survives=r"The second gap; the first for data with $\bar y \ne q$, and then $j \ne q$; and what attention does "
        "in the end (thm-2-descent, fig-4).",
        source=f"{SOURCE}; the argument, not a sign, is at fault",
        latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$; $\xi_{q \to j} - "
        r"\xi_{q \to N+1} = \Omega(N^{-4}) > 0, \forall j \in [N]\setminus\{q\}$",
    ),
    remark="With $W_V$ as phase 2 really leaves it, not only its diagonal, the gap is more negative still, at every "
    r"$\alpha$ (thm-2-learned); in training it turns positive later (thm-2-descent). The statement holds as printed "
    r"for the data most people would write, $\bar y \ne q$.",
)

GAP_SIZE = Claim(
    id="thm-2-gap",
    locus="Appendix F, equations (34) to (36)",
    statement=r"Under Assumption F.1 and with the $W_V$ of (26), the gap $\xi_{q \to j} - \xi_{q \to N+1}$ after a "
    r"unit step of $W_{QK}$ is $\frac{(1-\alpha)^2}{N^2} \beta_1$, the difference of (34) and (36). In these units it "
    r"is $\beta_1$.",
    needs=dict.fromkeys((AS_PRINTED, WITHOUT_TRIGGER), ADMITTED),
    subject=lambda runs: {name: Gaps(runs[name]) for name in (AS_PRINTED, WITHOUT_TRIGGER)},
    wrong=lambda runs: {AS_PRINTED: Gaps(runs[WITHOUT_TRIGGER]), WITHOUT_TRIGGER: Gaps(runs[AS_PRINTED])},
    parts={
        name: Part(
            lambda cases, name=name: cases[name].first(),
            mean_near(lambda runs, name=name: runs[name].config.beta_1, errors=ERRORS),
            corrected=lambda runs, name=name: Gaps(runs[name]).exact_first(),
        )
        for name in (AS_PRINTED, WITHOUT_TRIGGER)
    },
    correction=Correction(
        severity="statement",
        printed=r"$\frac{(1-\alpha)^2}{N^2} \beta_1$",
        corrected=r"$\frac{(1-\alpha)^2}{N^2}[\alpha(\beta_1+\beta_2) - \beta_2]$ for $T \gg N \gg 1$ and $j \ne q$, "
        r"and $\frac{(1-\alpha)^2}{N^2}\alpha(\beta_1+\beta_2)$ if $\bar y \ne q$; the value shown is that of the "
        "exact chain at this $N$ and $T$",
        reason="As for Theorem 2: the dropped terms are of the order of the kept ones.",
        root="thm-2",
        survives=r"The order $1/N^2$ of the gap; its sign for data with $\bar y \ne q$.",
        source=SOURCE,
    ),
)


def draw(runs: Runs) -> Artefact:
    cases = {name: Gaps(run) for name, run in runs.items()}
    config = runs[AS_PRINTED].config
    means = np.array([gaps.first().mean() for gaps in cases.values()])
    errors = np.array([float(bootstrap_error(gaps.first())) for gaps in cases.values()])
    exact, y = np.array([gaps.exact_first() for gaps in cases.values()]), np.arange(len(cases))
    figure, (left, right) = new_figure(1, 2, width=9.5)
    left.barh(y, means, xerr=ERRORS * errors, color="C0", alpha=0.6, label=f"sampled, {ERRORS} s.e.")
    left.plot(exact, y, "k|", ms=18, label="exact chain")
    left.axvline(1.0, color="tab:red", ls="--", lw=1, label="printed")
    left.axvline(0.0, color="grey", lw=0.8)
    left.set_yticks(y, list(cases))
    left.set_xlabel("(ξ_{q→j} - ξ_{q→N+1}) · N²/(1-α)²")
    sizes = (6, 8, 12, 16, 24, 32)
    for exclude, colour in ((False, "C0"), (True, "C1")):
        chains = [RecallChain(n, 8 * n, config.alpha, exclude) for n in sizes]
        gaps = [exact_gap(chain, attention_logits.diagonal_values(chain, 1.0, 1.0)) for chain in chains]
        right.plot(sizes, gaps, "o-", color=colour, label="ȳ ≠ q" if exclude else "ȳ in [N]")
        limit = attention_logits.leading_gap(chains[-1], 1.0, 1.0) / attention_logits.unit_gap(chains[-1])
        ceiling(right, limit, color=colour)
    right.set(xlabel="N (T = 8N)", ylabel="exact gap · N²/(1-α)²")
    for ax in (left, right):
        ax.legend(fontsize=7)
    caption = (
        f"Theorem 2's first gap under Assumption F.1, N = {config.num_tokens}, T = {config.length}, α = "
        f"{config.alpha:g}, β_1 = {config.beta_1:g}, β_2 = {config.beta_2:g}; {len(config.seeds)} batches of "
        f"{config.batch} sequences, gradient of W_QK by autodiff. Right: the exact chain, dashed the limits 2α - 1 and "
        "2α at β_1 = β_2 = 1."
    )
    table = {"case": np.array(list(cases)), "gap": means, "standard error": errors, "exact gap": exact}
    return Artefact(figure, table | {"second gap": [gaps.second().mean() for gaps in cases.values()]}, caption)


EXPERIMENT = Experiment(
    title="Which positions the first step of W_QK prefers",
    runs=key_gradients,
    claims=(THEOREM_2, GAP_SIZE),
    draw=draw,
    notes=r"$\bar y = q$ is allowed in the paper's data; the two cases differ in sign.",
)
