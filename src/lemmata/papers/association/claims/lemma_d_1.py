"""Lemma D.1: mean and variance of the first gradient of W_F."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Seeds, near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._first_gradients import sampled_moments, sampled_run
from lemmata.papers.association.theory import one_step

TOKENS = ("noise", "any other")
OTHERS = "mean of any other, over μ(k)"
ORDER_ONE = 1.5  # what the leading orders in N leave out, times N: α and 1 - α, and the sampling of them


def dropped(runs: Runs, matrix: str) -> dict[str, Seeds]:
    """N times what the printed moments leave out: of the mean its difference, of the variance its relative one.

    Of W_F's gradient at the noise token and at any other; of W_V's, at the first two rows of Table 3."""
    sampled = (sampled_moments(runs["sampled"], name, matrix=matrix)[:, :2] for name in ("mean", "variance"))
    found_mean, found_variance = sampled
    chain = runs["sampled"].config.chain
    mean, variance = zip(*(one_step.printed_feed_forward(noise, chain) for noise in (True, False)), strict=True)
    n = chain.num_tokens
    return {
        "mean": Seeds(n * (found_mean - mean)),
        "variance": Seeds(n * (found_variance / variance - 1)),
        OTHERS: Seeds((found_mean / mean)[:, 1]),
    }


FEED_FORWARD = Claim(
    id="lemma-d.1",
    locus="Lemma D.1",
    uses=("lemma-h.1",),
    statement=r"At zero weights and $N \gg 1$, $W_U(k)^\top (\nabla_{W_F} \hat L) W_E(q)$ has mean "
    r"$\mu(N+1) = -\alpha$ and variance $\sigma^2(N+1) = \alpha(1-\alpha)$; for $k \le N$, "
    r"$\mu(k) = \frac{1}{N+1} - \frac{1-\alpha}{N}$ and $\sigma^2(k) = \frac{1-\alpha}{N}$. What these leave out, "
    "times $N$, is of order 1.",
    subject=lambda runs: dropped(runs, "feed"),
    wrong=lambda runs: dropped(runs, "value"),  # the other matrix's gradient
    parts={
        name: Part(
            lambda found, name=name: found[name],
            near(np.zeros(2), atol=ORDER_ONE, over_seeds=True),
            along={"token": TOKENS},
        )
        for name in ("mean", "variance")
    }
    | {OTHERS: Part(lambda found: found[OTHERS], near(1.0, rtol=0.05, over_seeds=True))},  # nothing is left out there
    remark=r"The lemma supposes $N \gg 1$; the full forms are the proof's own (7) and (9), $\mu(N+1) = \frac{1}{N+1} - "
    r"\alpha$ and $\sigma^2(k) = \frac{1-\alpha}{N}(1 - \frac{1-\alpha}{N})$. Bound (6) vanishes with $m$ and leaves "
    "no room for what is dropped: see eq-6.",
)


def draw(runs: Runs) -> Artefact:
    found, config = dropped(runs, "feed"), runs["sampled"].config
    caption = (
        f"First gradient of W_F at N = {config.num_tokens}, T = {config.length}, α = {config.alpha:g}, "
        f"{len(config.seeds)} samples of {config.samples} sequences: 0 the noise token, 1 any other; dashed, the "
        f"limits."
    )
    curves = {name: (range(2), found[name].values) for name in ("mean", "variance")}
    axes = {"xlabel": "token", "ylabel": "N × what the printed form leaves out", "xticks": [0, 1]}
    return draw_curves(curves, caption, at=(-ORDER_ONE, ORDER_ONE), marker="o", **axes)


EXPERIMENT = Experiment(
    title="The first gradient of W_F: Lemma D.1", runs=sampled_run, claims=(FEED_FORWARD,), draw=draw
)
