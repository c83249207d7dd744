"""Theorem 2: where the first step of W_QK sends attention, once W_F predicts the noise."""

from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    OutsideSetting,
    Part,
    RunResult,
    Runs,
    Scale,
    Undecided,
    of_config,
    within,
)
from lemmata.core.rule import bootstrap_error, exactly, mean_near, near
from lemmata.papers.association.claims._attention_gaps import Gaps, exact_gap
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.attention_gaps import KeyGradients
from lemmata.papers.association.theory import RecallChain, attention_logits
from lemmata.report.plots import ceiling, new_figure

AS_PRINTED, WITHOUT_TRIGGER, LEARNED = "ȳ in [N], W_V of (26)", "ȳ ≠ q, W_V of (26)", "ȳ in [N], W_V of phase 2"


def signs(cases: list[Gaps]) -> tuple[tuple[int, int], ...]:
    """Of both gaps in each case, where the mean over seeds is four standard errors from 0."""
    found = []
    for gaps in cases:
        both = (gaps.first(), gaps.second())
        if any(len(values) < 3 or abs(values.mean()) <= 4 * float(bootstrap_error(values)) for values in both):
            raise Undecided("too few samples to tell the sign of a gap")
        found.append(tuple(int(np.sign(values.mean())) for values in both))
    return tuple(found)


def leading_signs(runs: Runs) -> tuple[tuple[int, int], ...]:
    configs = (run.config for run in runs.values())
    gaps = [attention_logits.leading_gap(config.chain, config.beta_1, config.beta_2) for config in configs]
    return tuple((int(np.sign(gap)), 1) for gap in gaps)


def other_positions(runs: Runs) -> list[Gaps]:
    """Each case read on the next case's run, at positions that follow token 1 where they should follow the trigger."""
    first, *rest = runs.values()
    return [Gaps(run, after=1) for run in (*rest, first)]


ADMITTED = within("alpha", "Assumption F.1 admits α up to 0.38", below=0.382)

THEOREM_2 = Claim(
    id="thm-2",
    locus="Theorem 2",
    uses=("thm-1", "eq-24", "thm-2-values"),
    statement="One step of W_QK, after W_F has learned the noise, raises the attention logit of (q, then j), j ≤ N, "
    "over that of (q, then N+1), and over that of any position whose previous token is not q. Signs of the two gaps.",
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
        printed="ξ_{q→j} - ξ_{q→N+1} > 0 for every j ≤ N",
        corrected="the sign is that of αβ_1 - (1-α)β_2 for j ≠ q: negative for α < 1/2, because training leaves β_1 = "
        "β_2 (thm-2-values). If ȳ = q is left out of the data it is that of α(β_1 + β_2): positive",
        reason="The proof drops the terms with k ≠ b_1 as O(T/N²) each, but sums N of them. With ȳ = q, of probability "
        "1/N, a context repeats its trigger 1/α times as often and shows the noise 1/α times as often: that one k "
        "contributes -(1-α)β_2, the same order as all others together.",
        survives="The second gap; the first for data with ȳ ≠ q, and then j ≠ q; and what attention does in the end "
        "(thm-2-descent, fig-4).",
        source=f"{SOURCE}; the argument, not a sign, is at fault",
        latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$; $\xi_{q \to j} - "
        r"\xi_{q \to N+1} = \Omega(N^{-4}) > 0, \forall j \in [N]\setminus\{q\}$",
    ),
    remark="With W_V as phase 2 really leaves it (not only its diagonal) the gap is more negative still, at every α "
    "(thm-2-learned); in training it turns positive later (thm-2-descent). The statement holds as printed for the data "
    "most people would write, ȳ ≠ q.",
)

GAP_SIZE = Claim(
    id="thm-2-gap",
    locus="Appendix F, equations (34) to (36)",
    statement="The gap ξ_{q→j} - ξ_{q→N+1} after a unit step is (1-α)² β_1 / N²; in these units, β_1.",
    needs=dict.fromkeys((AS_PRINTED, WITHOUT_TRIGGER), ADMITTED),
    subject=lambda runs: {name: Gaps(runs[name]) for name in (AS_PRINTED, WITHOUT_TRIGGER)},
    wrong=lambda runs: {AS_PRINTED: Gaps(runs[WITHOUT_TRIGGER]), WITHOUT_TRIGGER: Gaps(runs[AS_PRINTED])},
    parts={
        name: Part(
            lambda cases, name=name: cases[name].first(),
            mean_near(lambda runs, name=name: runs[name].config.beta_1, errors=4),
            corrected=lambda runs, name=name: Gaps(runs[name]).exact_first(),
        )
        for name in (AS_PRINTED, WITHOUT_TRIGGER)
    },
    correction=Correction(
        severity="statement",
        printed="(1-α)² β_1 / N²",
        corrected="(1-α)²/N² · [α(β_1 + β_2) - β_2] for T ≫ N ≫ 1, and [α(β_1 + β_2)] without ȳ = q; the value shown "
        "is that of the exact chain at this N and T",
        reason="As for Theorem 2: the dropped terms are of the order of the kept ones.",
        root="thm-2",
        survives="The order 1/N² of the gap; its sign for data with ȳ ≠ q.",
        source=SOURCE,
        latex=(
            r"$\frac{(1-\alpha)^2}{N^2}\left[\alpha(\beta_1+\beta_2) - \beta_2\right]$ for $j \neq q$, and "
            r"$\frac{(1-\alpha)^2}{N^2}\,\alpha(\beta_1+\beta_2)$ if $\bar y \neq q$"
        ),
    ),
)


def value_diagonal(run: RunResult, offset: int = 0) -> np.ndarray:
    """N² times the mean over k != q of W_U(k)^T (-∇W_V) W_E(k), and of the same on W̃_E(k); or beside the diagonal."""
    tokens = np.arange(1, run.config.num_tokens)
    read = np.roll(tokens, offset)
    return np.array([run.arrays[name][tokens, read].mean() for name in ("value", "value_previous")])


@of_config
def learned(config: Any) -> Undecided | None:
    return None if config.values == "learned" else OutsideSetting("W_V is set by hand, not learned in phase 2")


EQUATION_25 = Claim(
    id="eq-25",
    locus="Appendix F, equation (25)",
    uses=("lemma-h.1",),
    statement="In phase 2 a unit step gives W_U(k)^T W_V W_E(k) = W_U(k)^T W_V W̃_E(k) = 1/N² for k ≤ N (k ≠ q), by "
    "autodiff on sampled sequences; shown times N².",
    needs={LEARNED: learned},
    subject=lambda runs: value_diagonal(runs[LEARNED]),
    wrong=lambda runs: value_diagonal(runs[LEARNED], offset=1),
    parts=Part(
        lambda diagonal: diagonal,
        near(np.ones(2), rtol=0.2),  # terms of relative order 2/N = .13 are dropped
        corrected=lambda runs: np.full(2, (1 - runs[LEARNED].config.alpha) ** 2),
        along={"on": ("W_E(k)", "W̃_E(k)")},
    ),
    correction=Correction(
        severity="constant",
        printed="1/N²",
        corrected="(1-α)²/N² for k ≠ q, and (1-α)²/(αN²) for k = q; besides, (q, N+1) gets (1-α)²/N²",
        reason="P(y = k) = (1-α)/N, and given ȳ = k the token k is more frequent by (1-α)/N, not 1/N.",
        survives="The order 1/N² and the diagonal structure for k ≠ q; with it the order of β_1 and β_2.",
        source=f"{SOURCE}; the display before (25) has (1-α)/N², so a factor may have been lost, but neither is right",
        latex=(
            r"$\frac{(1-\alpha)^2}{N^2}\mathbb{1}\{j=k\} + O\left(\frac{1}{N^3}\right)$ for $j, k \leq N, j \neq q$; "
            r"$\frac{(1-\alpha)^2}{\alpha N^2}$ for $j = k = q$ and $\frac{(1-\alpha)^2}{N^2}$ for $j = q, k = N+1$"
        ),
    ),
)


def draw(runs: Runs) -> Artefact:
    cases = {name: Gaps(run) for name, run in runs.items()}
    config = runs[AS_PRINTED].config
    means = np.array([gaps.first().mean() for gaps in cases.values()])
    errors = np.array([float(bootstrap_error(gaps.first())) for gaps in cases.values()])
    exact, y = np.array([gaps.exact_first() for gaps in cases.values()]), np.arange(len(cases))
    figure, (left, right) = new_figure(1, 2, width=9.5)
    left.barh(y, means, xerr=4 * errors, color="C0", alpha=0.6, label="sampled, 4 s.e.")
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


def runs(scale: Scale) -> dict[str, KeyGradients]:
    seeds = scale.seeds(smoke=6, laptop=48, paper=192)
    printed = KeyGradients(
        seeds=seeds, batch=scale.pick(smoke=128, laptop=KeyGradients.batch, paper=KeyGradients.batch)
    )
    cases = {AS_PRINTED: printed, WITHOUT_TRIGGER: replace(printed, exclude_trigger=True)}
    learned = {LEARNED: replace(printed, values="learned")}
    return cases | scale.pick(smoke={}, laptop=learned, paper=learned)


EXPERIMENT = Experiment(
    title="Which positions the first step of W_QK prefers",
    runs=runs,
    claims=(THEOREM_2, GAP_SIZE, EQUATION_25),
    draw=draw,
    notes="ȳ = q is allowed in the paper's data; the two cases differ in sign.",
)
