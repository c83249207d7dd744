"""Which singular value of the linear memory carries the noise, for n = 2, 3, ... inputs."""

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunResult,
    Runs,
    TooShort,
    Undecided,
    exactly,
    near,
    of_result,
    within,
    word,
)
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.sizes import Memory
from lemmata.papers.association.theory import memory
from lemmata.report.plots import ceiling, joined, new_figure

LEVELS = {"inputs": 0.2, "noisier": 0.4}  # group of runs -> α
BETWEEN = 300.0  # a time at which the noise's singular value has overtaken the labels' at the higher α alone (n = 4)


def flows(runs: Runs, group: str = "inputs") -> list[RunResult]:
    return list(runs.group(group).values())


def singular_values(runs: Runs, time: float, group: str = "inputs") -> np.ndarray:
    """[n, (signal, noise)] at the recorded time next to the given one."""
    places = [(run, int(np.argmin(np.abs(run.column("time") - time)))) for run in flows(runs, group)]
    return np.array([[run.column(f"{part}_singular")[i] for part in ("signal", "noise")] for run, i in places])


def at_end(runs: Runs) -> np.ndarray:
    return singular_values(runs, flows(runs)[0].config.last_time)


def smallest(runs: Runs, time: float) -> dict[str, tuple[bool, ...]]:
    """At each α, by n: whether the noise's singular value is the smallest."""
    return {
        group: tuple(bool(noise < signal) for signal, noise in singular_values(runs, time, group)) for group in LEVELS
    }


@of_result
def settled(run: RunResult) -> Undecided | None:
    """The order of the singular values is that of t → ∞ only after they have crossed."""
    n, last = run.config.inputs, run.column("time")[-1]
    if n >= 4 and (crossing := memory.crossing_time(n, run.config.alpha)) > last:
        crossed = f"with {n} inputs the singular values cross at about t = {crossing:.2g}"
        return TooShort(f"{crossed}; the flow ends at {last:.2g}")
    return None


NOISE_RANK = Claim(
    id="noise-rank-n",
    locus="Appendix G.1, iii, and section 3.3: easy to extend to any N > 2",
    statement="With orthonormal embeddings and $n > 2$ inputs the noise still sits in a low-rank subspace of $W$, and "
    r"$\alpha$ decides whether that is of the smallest singular values. Judged at $t = 10^8$ is whether the answer "
    r"changes with $\alpha$ for some $n$, and the answers by $n$.",
    needs=dict.fromkeys(LEVELS, (within("alpha", "the limits are those of α < 1/2", below=0.5), settled)),
    wording={f"α = {alpha:g}": word("α = {}", f"{group}.alpha") for group, alpha in LEVELS.items()}
    | {"t = 10^8": word("t = {}", "inputs.last_time")},
    subject=lambda runs: smallest(runs, flows(runs)[0].config.last_time),
    wrong=lambda runs: smallest(runs, BETWEEN),  # while only the flows at the higher α have crossed
    parts={
        "α decides": Part(
            lambda by_level: any(a != b for a, b in zip(*by_level.values(), strict=False)),
            exactly(True),
            corrected=False,
        ),
        **{
            f"smallest, α = {alpha:g}": Part(
                lambda by_level, group=group: by_level[group],
                exactly(
                    lambda runs, group=group: tuple(
                        memory.noise_is_smallest(run.config.inputs, run.config.alpha) for run in flows(runs, group)
                    )
                ),
                along={"n": lambda runs, group=group: [run.config.inputs for run in flows(runs, group)]},
            )
            for group, alpha in LEVELS.items()
        },
    },
    correction=Correction(
        severity="statement",
        printed=r"$\alpha$ decides whether the noise's subspace corresponds to the smallest singular values of $W$",
        corrected=r"for $\alpha < 1/2$ and $t \to \infty$ $n$ decides: $\sigma_{\text{noise}}/\sigma_{\text{signal}} "
        r"\to \frac{n-1}{\sqrt{n+1}}$, smallest for $n = 2$, and for $n = 3$ by the constant "
        r"$\frac32 \log\frac{1-\alpha}{\alpha}$; for $n \ge 4$ it becomes the largest. $\alpha$ decides only when, "
        r"about $t = \frac{2n}{(n+1)(1-\alpha)} \exp\frac{n \log((1-\alpha)/\alpha)}{n-1-\sqrt{n+1}}$",
        reason=r"On inputs orthogonal to all-ones $W$ acts as $-a \sim \log t$; on all-ones with norm $\sqrt{n+1}\,v$, "
        r"where $v = \frac{(n-1)|a| - n|b|}{n+1} \sim \frac{n-1}{n+1} \log t$. For $n \ge 4$ cutting the smallest "
        "singular value removes a label: section 3.3's extension needs another cut.",
        survives="Theorem 3 ($n = 2$), and that the noise has a subspace of rank 1 for every $n$.",
        source=f"{SOURCE}; said in words",
    ),
)


def predicted_values(runs: Runs) -> np.ndarray:
    """[n, (signal, noise)] at the end, by the two-margin equation."""
    rows = []
    for run in flows(runs):
        path = memory.integrate(memory.margin_rates(run.config.inputs, run.config.alpha), run.column("time"))
        rows.append([values[-1] for values in memory.singular_values(path.a, path.b, run.config.inputs)])
    return np.array(rows)


RATIO = Claim(
    id="noise-rank-ratio",
    locus="Section 3.3, for n inputs",
    statement="With orthonormal embeddings and $W = 0$ at first, the two singular values of $W$ under gradient flow "
    r"are $-a$ and $|(n-1)a - nb|/\sqrt{n+1}$ of the two-margin equation, for every $n$ and $t$. Shown at $t = 10^8$.",
    wording={"t = 10^8": word("t = {}", "inputs.last_time")},
    subject=at_end,
    wrong=lambda runs: singular_values(runs, 1.0),
    parts=Part(
        lambda values: values,
        near(predicted_values, rtol=1e-6),
        along={"n": lambda runs: [run.config.inputs for run in flows(runs)], "part": ("signal", "noise")},
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2, width=10.5, height=3.8)
    tables = []
    for i, run in enumerate(flows(runs)):
        n, later = run.config.inputs, run.column("time") > 1
        names = ("time", "signal_singular", "noise_singular", "cut_noise")
        time, signal, noise, cut = (run.column(name)[later] for name in names)
        left.semilogx(time, noise / signal, color=f"C{i}", label=f"n = {n}")
        ceiling(left, memory.noise_to_signal(n), color=f"C{i}")
        if n >= 4:
            left.plot(memory.crossing_time(n, run.config.alpha), 1.0, "v", color=f"C{i}")
        right.loglog(time, cut, color=f"C{i}", label=f"n = {n}")
        table = {"n": [n] * len(time), "time": time, "signal": signal, "noise": noise, "noise after cut": cut}
        tables.append(table)
    alpha = flows(runs)[0].config.alpha
    left.axhline(1.0, color="black", lw=0.8)
    left.set(xlabel="t", ylabel="σ_noise / σ_signal", ylim=(0, 2.4))
    ceiling(right, alpha, "α: the full model")
    right.set(xlabel="t", ylabel="P(noise) at rank n - 1")
    for ax in (left, right):
        ax.legend(fontsize=7)
    caption = (
        f"Orthonormal embeddings, α = {alpha:g}, gradient flow of the real matrix. Left: the noise's singular value "
        "over the labels'; dashed, the limits (n-1)/√(n+1); triangles, the asymptotic crossing times. Right: the noise "
        "probability after truncation to rank n - 1, which removes the noise for n = 2, 3 and a label from n = 4 on."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Which singular value carries the noise, for n inputs",
    runs=lambda scale: {
        f"{group}/{n}": MemoryFlow(inputs=n, alpha=alpha)
        for group, alpha in LEVELS.items()
        for n in range(2, Memory.MOST_INPUTS.at(scale) + 1)
    },
    claims=(NOISE_RANK, RATIO),
    draw=draw,
)
