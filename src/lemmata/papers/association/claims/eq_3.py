"""Equation (3): what the linear memory leaves out, the aggregate embedding W̄ that is added to every input."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Protocol, RunConfig, Runs, Scale, Seeds, exactly, near, word
from lemmata.core.rule import log_slope, slope_near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._memory_flows import two_inputs_to_late_times
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.aggregate import AggregateSpread
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.sizes import Offset
from lemmata.papers.association.theory import memory

NORMS = (0.5, 1.0, 2.0)  # of W̄, over that of an input's own embedding
ALPHA = 0.3
SETTLED = 1e4  # a time from which on decays are powers of t
MANY = range(2, 6)  # n


def flows(runs: Runs, group: str) -> list[Any]:
    return list(runs.group(group).values())


def limits(runs: Runs, prefix: str) -> np.ndarray:
    """[‖W̄‖, (label, noise)] at the end."""
    return np.array(
        [[run.column(f"{prefix}_{name}")[-1] for name in ("correct", "noise")] for run in flows(runs, "norm")]
    )


def decay(runs: Runs, column: str) -> tuple[np.ndarray, np.ndarray]:
    """The slowest case: the largest W̄."""
    run = flows(runs, "norm")[-1]
    late = run.column("time") >= SETTLED
    return run.column("time")[late], run.column(column)[late]


def exponent(runs: Runs, column: str) -> Seeds:
    """Of a spread, in T."""
    run = runs["contexts"]
    by_length = run.column(column).reshape(len(run.config.lengths), -1)
    return Seeds([log_slope(np.array(run.config.lengths), one) for one in by_length.T])


EQ_3 = Claim(
    id="eq-3",
    locus="Section 3.3, equation (3) and after",
    uses=("thm-3-full", "thm-3-rank-1"),
    statement=r"In $x|\bar y, z_{1:T} = W_E(\bar y) + \overline W(z_{1:T})$ the aggregate $\overline W(z_{1:T})$ tends "
    r"to a fixed embedding as $T \to \infty$. Such an offset leaves the predictions of the memory alone: with $N = 2$ "
    r"and $\alpha = 0.3$ the full model still predicts the noise with probability $\alpha$, its rank-1 part with "
    r"$\Theta(t^{-1/2})$. Judged are $\overline W$'s variance over contexts of one $\bar y$ in uniform attention, "
    r"against $T$, and flows with $\|\overline W\| = 1/2, 1, 2$.",
    needs={"norm": two_inputs_to_late_times},
    wording={r"\alpha = 0.3": word(r"\alpha = {}", "norm/1.alpha")},
    subject=lambda runs: {
        "spread": exponent(runs, "aggregate"),
        "full": limits(runs, "full"),
        "rank 1": decay(runs, "cut_noise"),
    },
    # One position for all; the rank-1 part for the full model, and the other way round.
    wrong=lambda runs: {
        "spread": exponent(runs, "single"),
        "full": limits(runs, "cut"),
        "rank 1": decay(runs, "full_wrong"),
    },
    parts={
        "variance of W̄, exponent of T": Part(lambda found: found["spread"], near(-1.0, atol=0.15, over_seeds=True)),
        "full model": Part(
            lambda found: found["full"],
            near(lambda runs: [[1 - run.config.alpha, run.config.alpha] for run in flows(runs, "norm")], atol=1e-6),
            along={"‖W̄‖": NORMS, "token": ("label", "noise")},
        ),
        "rank 1, exponent of t": Part(lambda found: found["rank 1"], slope_near(-0.5, tolerance=0.01)),
    },
    remark=r"It does not cancel in the softmax, as the text says: $W_U W_V \overline W$ is a logit of its own for each "
    r"output. Training makes it the noise's. For where the noise sits this matters: see eq-3-offset.",
)


def values(runs: Runs, group: str) -> np.ndarray:
    """[n, (signal, noise)] at the end."""
    return np.array(
        [[run.column(f"{part}_singular")[-1] for part in ("signal", "noise")] for run in flows(runs, group)]
    )


def predicted(runs: Runs) -> np.ndarray:
    rows = []
    for run in flows(runs, "offset"):
        n, r = run.config.inputs, run.config.offset
        path = memory.integrate(memory.margin_rates(n, run.config.alpha, r), run.column("time"))
        rows.append([found[-1] for found in memory.singular_values(path.a, path.b, n, r)])
    return np.array(rows)


BY_INPUTS = {"n": lambda runs: [run.config.inputs for run in flows(runs, "offset")]}
OFFSET = Claim(
    id="eq-3-offset",
    locus="Beyond the paper: section 3.3, equation (3), for any N",
    uses=("noise-rank-n", "noise-rank-ratio"),
    statement=r"With an aggregate $\overline W$ of norm $r$, orthogonal to the embeddings, the noise's singular value "
    r"over the labels' tends to $\frac{n-1}{\sqrt{(n+1)(1 + n r^2)}}$ as $t \to \infty$. For $r = 1$ that is "
    r"$\frac{n-1}{n+1}$: the noise has the smallest singular value for every number $n$ of inputs, as the paper says "
    r"for $N > 2$. Judged at $t = 10^8$ and $\alpha = 0.4$ for $r = 1$.",
    protocol=Protocol(ours="the memory with W̄, for every n", why="The paper drops W̄ from (3) on."),
    wording={r"\alpha = 0.4": word(r"\alpha = {}", "offset/2.alpha"), "r = 1": word("r = {}", "offset/2.offset")},
    subject=lambda runs: values(runs, "offset"),
    wrong=lambda runs: values(runs, "none"),  # without W̄
    parts={
        "singular values": Part(
            lambda found: found, near(predicted, rtol=1e-6), along=BY_INPUTS | {"part": ("signal", "noise")}
        ),
        "the noise's is the smallest": Part(
            lambda found: tuple(bool(noise < signal) for signal, noise in found),
            exactly(lambda runs: (True,) * len(flows(runs, "offset"))),
            along=BY_INPUTS,
        ),
    },
    remark=r"What all inputs share is learned along their sum, which $\overline W$ makes $\sqrt{1 + n r^2}$ times as "
    r"long: the same logits take so much less of $W$. The noise is smallest where $r^2 > \frac{n-3}{n+1}$.",
)


def runs(scale: Scale) -> dict[str, RunConfig]:
    """Exact but for the contexts, and cheap: the same at every scale."""
    found: dict[str, RunConfig] = {f"norm/{r:g}": MemoryFlow(alpha=ALPHA, offset=r) for r in NORMS}
    for group, r in {"offset": 1.0, "none": 0.0}.items():
        found |= {f"{group}/{n}": MemoryFlow(inputs=n, alpha=0.4, offset=r) for n in MANY}
    return found | {"contexts": AggregateSpread(seeds=unseen(scale, Offset.SEEDS))}


def draw(runs: Runs) -> Artefact:
    curves = {}
    for group, name in {"none": "W̄ = 0", "offset": "‖W̄‖ = 1"}.items():
        for run in flows(runs, group):
            later = run.column("time") > 1
            ratio = run.column("noise_singular")[later] / run.column("signal_singular")[later]
            curves[f"{name}, n = {run.config.inputs}"] = run.column("time")[later], [ratio]
    caption = "The noise's singular value over the labels' along gradient flow, without and with W̄ on every input."
    return draw_curves(curves, caption, at=(1.0,), xscale="log", xlabel="t", ylabel="σ_noise / σ_signal")


EXPERIMENT = Experiment(
    title="The linear memory with the aggregate embedding of equation (3)", runs=runs, claims=(EQ_3, OFFSET), draw=draw
)
