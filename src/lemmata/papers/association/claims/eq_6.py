"""Equation (6): how far the first gradient of W_F on a sample is from its mean."""

from dataclasses import replace

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_most
from lemmata.papers.association.claims._first_gradients import (
    BY_SIZE,
    DELTA,
    SIZES,
    draw_deviations,
    exceeded_by,
    farthest,
    sampled_run,
)
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.gradients import MeanGradients
from lemmata.papers.association.sizes import FirstGradients
from lemmata.papers.association.theory import one_step


def excess(runs: Runs, swapped: bool = False) -> list[np.ndarray]:
    """By size and seed, the largest deviation over bound (6), around the mean of (7)."""
    return [_excess(runs[name], [1, 0] if swapped else [0, 1]) for name in SIZES]


def _excess(run: RunResult, order: list[int]) -> np.ndarray:
    chain = run.config.chain
    means = np.array([one_step.feed_forward_moments(noise, chain)[0] for noise in (True, False)])[order]
    variances = np.array([one_step.printed_feed_forward(noise, chain)[1] for noise in (True, False)])
    ranges = np.array([max(chain.alpha, 1 - chain.alpha), 1.0])
    bound = one_step.deviation_bound(variances, ranges, run.config.samples, chain.num_tokens + 1, DELTA)
    return (farthest(run, "feed", means) / bound).max(axis=1)


def many_samples(scale: Scale) -> dict[str, RunConfig]:
    """Four times Lemma D.2's, so that the term in 1/m is small beside the one in 1/sqrt(m): there (6) is tightest."""
    run, samples = sampled_run(scale)["sampled"], 4 * FirstGradients.SAMPLES.at(scale)
    # The gradient at W_E(q) reads the answer alone: at the paper's N three positions do for a context.
    large = MeanGradients(length=3, samples=2 * samples, seeds=unseen(scale, FirstGradients.SEEDS))
    return {"sampled": replace(run, samples=samples), "paper's N": large}


EXPERIMENT = Experiment(
    title="Lemma D.1's bound on deviations",
    runs=many_samples,
    claims=(
        Claim(
            id="eq-6",
            locus="Lemma D.1, equations (6) to (11)",
            uses=("lemma-d.1",),
            statement=r"At zero weights and $N \gg 1$, with probability $1 - \delta$ every projection "
            r"$W_U(k)^\top (\nabla_{W_F} \hat L) W_E(q)$ on $m$ samples is within "
            r"$\sqrt{4\sigma^2(k)(\ln(N+1) + \ln\frac{2}{\delta})/m} + 4R(k)(\ln(N+1) + \ln\frac{2}{\delta})/m$ of its "
            r"mean (7). Measured is the largest deviation over the bound that a share $\delta$ of the samples exceed, "
            rf"$\delta = {DELTA:g}$.",
            subject=excess,
            wrong=lambda runs: excess(runs, swapped=True),  # around each other's means
            parts=Part(exceeded_by, at_most(1.0, paper="every m, delta and N >> 1"), along=BY_SIZE),
        ),
    ),
    draw=lambda runs: draw_deviations(runs, excess(runs), "W_F, over (6)"),
)
