"""Theorem 1: what one gradient step gives the noise token, in the feed-forward block and in the attention block."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, Seeds, named_generator, near
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.gradients import OneStepMargins
from lemmata.papers.association.sizes import Margins as Sizes
from lemmata.papers.association.theory import RecallChain, margins
from lemmata.report.plots import ceiling, new_figure

Margins = dict[str, np.ndarray]  # by block: of each test sequence, in units of η_f α and of η_v α̂ / N


def in_printed_units(run: RunResult, feed: np.ndarray, attention: np.ndarray) -> Margins:
    unit = margins.printed_attention_margin(run.arrays["tests"], run.config.chain)
    return {"feed-forward": feed / run.config.alpha, "attention": attention / unit}


def measured(run: RunResult) -> Margins:
    """[seed, test]."""
    feed, attention = (run.column(name).reshape(-1, run.config.tests) for name in ("feed", "attention"))
    return in_printed_units(run, feed, attention)


def exact(run: RunResult) -> Margins:
    of = run.arrays["tests"], run.config.chain
    return in_printed_units(run, margins.exact_feed_forward_margin(*of), margins.exact_attention_margin(*of))


def exchanged(runs: Runs) -> Margins:
    """Each block's margin read at the other block."""
    found = measured(runs["main"])
    return {"feed-forward": found["attention"], "attention": found["feed-forward"]}


def by_seed(block: str) -> Callable[[Margins], Seeds]:
    return lambda margins: Seeds(margins[block])


BY_TEST = {"test sequence": lambda runs: range(1, runs["main"].config.tests + 1)}

THEOREM_1 = Claim(
    id="thm-1",
    locus="Theorem 1",
    uses=("lemma-d.1", "eq-6", "table-3", "eq-12"),
    statement=r"For $N, T \gg 1$ and $\alpha = \Theta(1)$, one gradient step from zero on $m$ samples gives the noise "
    r"token on any test sequence the margin $\Delta(\xi_{\text{ff}}) \approx \eta_f \alpha$ and "
    r"$\Delta(\xi_{\text{attn}}) \approx \frac{\eta_v}{N} \hat\alpha$, $\hat\alpha = \alpha^2 \hat q + \alpha(1 - \hat "
    "q)$, up to the sampling error of $m$. Measured in these two units.",
    subject=lambda runs: measured(runs["main"]),
    wrong=exchanged,
    # Leading order: terms of relative size 1/(αN) = .06, about two of them in each margin, are dropped.
    parts={
        "feed-forward": Part(by_seed("feed-forward"), near(1.0, atol=0.15, over_seeds=True), along=BY_TEST),
        "attention": Part(by_seed("attention"), near(1.0, atol=0.3, over_seeds=True), corrected=2.0, along=BY_TEST),
    },
    correction=Correction(
        severity="constant",
        printed=r"$\Delta(\xi_{\text{attn}}) \approx \frac{\eta_v}{N} \hat\alpha$",
        corrected=r"$\Delta(\xi_{\text{attn}}) \approx \frac{2\eta_v}{N} \hat\alpha$",
        reason="The proof uses $x_t = W_E(z_t) + p_t$, but the model of equation (2) has two token embeddings a "
        r"position, $W_E(z_t) + \widetilde W_E(z_{t-1})$, and the step learns the noise on both.",
        survives="The feed-forward margin (only $W_E(q)$ is always there), and the message: a factor of order $N$ "
        "between the two.",
        source=rf"{SOURCE}; the proof writes $x_t = W_E(z_t) + p_t$, so this is not the conversion's",
        latex=r"$\left|\Delta(\xi_{\mathrm{attn}}(x_{1:T})) - \frac{2\eta_v}{N}\hat\alpha\right| \leq \dots$",
    ),
)

EXACT = Claim(
    id="thm-1-exact",
    locus="Theorem 1, for finite N and T",
    statement="After one gradient step from zero on $m$ samples both margins are those of the exact Markov chain with "
    "both embeddings, at finite $N$ and $T$ and up to the sampling error of $m$.",
    subject=lambda runs: measured(runs["main"]),
    wrong=exchanged,
    # m samples leave a relative error of about sqrt((1-α)/(α m)) = .016 (of 1 and of 2), times four.
    parts={
        block: Part(
            by_seed(block),
            near(lambda runs, block=block: exact(runs["main"])[block], atol=atol, over_seeds=True),
            along=BY_TEST,
        )
        for block, atol in {"feed-forward": 0.07, "attention": 0.14}.items()
    },
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    found, expected, tests = measured(run), exact(run), run.arrays["tests"]
    sizes, ratio, rng = 2 ** np.arange(3, 11), [], named_generator(0)
    for n in sizes:
        chain = RecallChain(int(n), 4 * int(n), run.config.alpha)
        sample = rng.integers(0, n, size=(1, chain.length))
        sample[:, -1] = 0
        unit = margins.printed_attention_margin(sample, chain)
        ratio.append(float((margins.exact_attention_margin(sample, chain) / unit)[0]))
    figure, (left, right) = new_figure(1, 2)
    table = {"test": np.arange(len(tests)), "noise fraction": margins.noise_fraction(tests, run.config.num_tokens)}
    for name, colour in (("feed-forward", "C0"), ("attention", "C1")):
        left.plot(expected[name], found[name].mean(axis=0), "o", ms=4, color=colour, label=name)
        table |= {f"{name}: measured / printed": found[name].mean(axis=0), f"{name}: exact / printed": expected[name]}
    left.plot([0.8, 2.1], [0.8, 2.1], color="grey", lw=1)
    left.set(xlabel="exact margin / printed margin", ylabel="measured margin / printed margin")
    left.legend()
    right.semilogx(sizes, ratio, "o-", base=2, color="C1", label="exact chain, T = 4N")
    ceiling(right, 2.0, "both embeddings")
    ceiling(right, 1.0, "printed", color="tab:red")
    right.set(xlabel="N", ylabel="N Δ(ξ_attn) / (η_v α̂)", ylim=(0.5, 2.3))
    right.legend()
    caption = (
        f"Margins of the noise token after one step, N = {run.config.num_tokens}, T = {run.config.length}, α = "
        f"{run.config.alpha:g}, m = {run.config.samples}, {len(run.config.seeds)} seeds, {len(tests)} test sequences, "
        "in units of the printed ones. Right: the attention margin tends to twice the printed one."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="One gradient step: the noise goes to the feed-forward block",
    runs=lambda scale: {"main": OneStepMargins(seeds=unseen(scale, Sizes.SEEDS), samples=Sizes.SAMPLES.at(scale))},
    claims=(THEOREM_1, EXACT),
    draw=draw,
)
