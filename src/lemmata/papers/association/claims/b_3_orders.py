"""Appendices B.3 and F: how fast the three matrices of equation (2) move, where W_QK goes first, and bound (37)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, at_most, rows_of
from lemmata.core.rule import exactly, slope_near
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.key_orders import GradientOrders
from lemmata.papers.association.theory import RecallChain, attention_logits
from lemmata.report.plots import ceiling, new_figure

LONG_CONTEXT = 16  # T/N from which N/T counts as small


class Moves(NamedTuple):
    """The gradients at one kind of token: the noise, or any k ≤ N (the trigger apart)."""

    run: RunResult
    token: str = "noise"

    def sizes(self, matrix: str) -> tuple[np.ndarray, np.ndarray]:
        """N, and the absolute size of the matrix's gradient there, at the longest contexts."""
        ratio = max(self.run.config.ratios)
        read = partial(self.run.column, ratio=ratio)
        return read("num_tokens"), np.abs(read(f"{matrix}_{self.token}"))


SPEEDS = Claim(
    id="b.3-speeds",
    locus="Appendix B.3, observation ii; equations (4) and (22)",
    uses=("lemma-d.1", "table-3", "eq-24"),
    statement="The first update of W_F is Θ(1), that of W_V Θ(1/N) and that of W_QK, one step later, Θ(1/N²), each "
    "where it writes about the noise: exponents of N over the sizes run, by the exact chain.",
    subject=lambda runs: Moves(runs["main"]),
    wrong=lambda runs: Moves(runs["main"], token="ordinary"),  # the same matrices at any other token
    parts={
        name: Part(
            lambda moves, matrix=matrix: moves.sizes(matrix), slope_near(exponent, tolerance=0.4)
        )  # terms of relative order 1/(αN)
        for name, (matrix, exponent) in {"W_F": ("feed", 0), "W_V": ("value", -1), "W_QK": ("key", -2)}.items()
    },
)


def signs(run: RunResult, keys: str = "key") -> tuple[tuple[int, int], ...]:
    """Of W_QK's first move on the noise and on any other token, for each T/N, at the largest N."""
    largest = max(run.config.sizes)
    read = [run.column(f"{keys}_{token}", num_tokens=largest) for token in ("noise", "ordinary")]
    return tuple((int(np.sign(noise)), int(np.sign(other))) for noise, other in zip(*read, strict=True))


EQUATION_24 = Claim(
    id="eq-24",
    locus="Appendix B.3, equation (5) and after; equation (24)",
    uses=("eq-4",),
    statement="The first step of W_QK lowers the noise token, W_E(N+1)ᵀ(-∇W_QK)W_E(q) = -Θ(1/N²), and raises every "
    "k ≤ N, by Θ(1/N³): both signs for each T/N, at the largest N.",
    subject=lambda runs: signs(runs["main"]),
    wrong=lambda runs: signs(runs["main"], keys="later_key"),  # with the W_V of phase 3 in place of equation (4)'s
    parts=Part(
        lambda found: found,
        exactly(lambda runs: ((-1, 1),) * len(runs["main"].config.ratios)),
        corrected=lambda runs: tuple((-1, 1 if ratio >= LONG_CONTEXT else -1) for ratio in runs["main"].config.ratios),
        along={"T/N": lambda runs: runs["main"].config.ratios, "token": ("noise", "any other")},
    ),
    correction=Correction(
        severity="step of a proof",
        printed="W_E(k)ᵀ(-∇W_QK)W_E(q) = Θ(1/N³) > 0 for every k ≤ N",
        corrected="the same for T ≫ N; at T = 4N (the paper's experiments have T = 256, N = 65) it is negative for "
        "k ≠ q",
        reason="z_T = q is always counted: it adds a term of relative order N/T to W_V's column of q and to the mean "
        "embedding, which the estimate of the k ≤ N drops although what it keeps is itself of order 1/N³.",
        survives="The noise token's sign and order at both T/N; with them observation ii, and of observation i that "
        "the noise is avoided.",
        source=f"{SOURCE}; the displays before it have the same sign",
        latex=r"$\Theta\left(\frac{1}{N^3}\right)$, if $j \leq N$, $j \neq q$ and $T \gg N$",
    ),
    remark="The sums of (4) and (5) have slips of their own: (4) runs to t for T and has a sum over steps on one side "
    "only, and (5)'s first sum ends at N where it needs N + 1.",
)


def largest_off_trigger(run: RunResult, what: str) -> np.ndarray:
    """In units of (1-α)²/N², by T/N and N."""
    return run.column(what) * run.column("num_tokens") ** 2 / (1 - run.config.alpha) ** 2


BY_SIZE = {"size": lambda runs: rows_of(runs["main"], N="num_tokens", ratio="ratio")}

EQUATION_37 = Claim(
    id="eq-37",
    locus="Appendix F, equation (37)",
    statement="After a unit step of W_QK no position whose previous token is not q has a logit over (1-α)²/N² · "
    "(β_1 + 2β_2), whatever it holds; in these units, for β_1 = β_2 = 1, by the exact chain.",
    subject=lambda runs: (runs["main"], "off_trigger", "off_trigger_at_trigger"),
    wrong=lambda runs: (runs["main"], "on_trigger", "on_trigger"),  # positions that do follow q
    parts={
        "holding k ≠ q": Part(
            lambda read: largest_off_trigger(read[0], read[1]),
            at_most(attention_logits.printed_off_trigger(1.0, 1.0)),
            along=BY_SIZE,
        ),
        "holding q": Part(
            lambda read: largest_off_trigger(read[0], read[2]),
            at_most(attention_logits.printed_off_trigger(1.0, 1.0)),
            corrected=lambda runs: attention_logits.off_trigger(RecallChain(3, 3, runs["main"].config.alpha), 1.0, 1.0),
            along=BY_SIZE,
        ),
    },
    correction=Correction(
        severity="step of a proof",
        printed="(1-α)²/N² · (β_1 + 2β_2) for every b_1",
        corrected="so for b_1 ≠ q; for b_1 = q up to (1-α)²/N² · ((1-α)β_1 + β_2)/α",
        reason="With ȳ = q, of chance 1/N, a context holds its trigger 1/α times as often: the same k = q that turns "
        "Theorem 2's first gap.",
        root="thm-2",
        survives="The order 1/N², and so Theorem 2's second gap, which is of order 1/N.",
        source=SOURCE,
        latex=(
            r"$\leq \frac{(1-\alpha)^2}{N^2}(\beta_1 + 2\beta_2)$ for $b_1 \neq q$, and "
            r"$\leq \frac{(1-\alpha)^2}{N^2}\cdot\frac{(1-\alpha)\beta_1 + \beta_2}{\alpha}$ for $b_1 = q$"
        ),
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, (left, right) = new_figure(1, 2)
    for matrix, label in (("feed", "W_F"), ("value", "W_V"), ("key", "W_QK")):
        left.loglog(*Moves(run).sizes(matrix), "o-", base=2, label=f"{label}, noise")
        left.loglog(*Moves(run, "ordinary").sizes(matrix), "o:", base=2, label=f"{label}, any k ≤ N")
    left.set(xlabel="N", ylabel="size of the first update")
    for ratio in run.config.ratios:
        n = run.column("num_tokens", ratio=ratio)
        right.plot(n, run.column("key_ordinary", ratio=ratio) * n**3, "o-", label=f"T = {ratio} N")
    ceiling(right, 0.0)
    right.set(xlabel="N", ylabel="N³ · W_E(k)ᵀ(-∇W_QK)W_E(q), k ≤ N")
    for ax in (left, right):
        ax.legend(fontsize=7)
    caption = (
        f"The exact chain at α = {run.config.alpha:g}. Left: first updates at T = {max(run.config.ratios)} N, where "
        "they write about the noise and elsewhere. Right: whether the first step of W_QK raises the tokens k ≤ N "
        "depends on T/N."
    )
    return Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = Experiment(
    title="The first updates of W_F, W_V and W_QK: orders, signs, bounds",
    runs=lambda scale: {"main": GradientOrders()},  # exact and cheap: the same at every scale
    claims=(SPEEDS, EQUATION_24, EQUATION_37),
    draw=draw,
    notes="Computed by the exact chain, not sampled: the tests compare it with autodiff on every sequence of a small "
    "world. The update of W_QK is read after a unit step of W_F and W_V, where its own gradient stops being zero.",
)
