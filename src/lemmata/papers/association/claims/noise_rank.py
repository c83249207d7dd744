"""Which singular value of the linear memory carries the noise, for n = 2, 3, ... inputs."""

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    TooShort,
    Undecided,
    at_least,
    at_most,
    exactly,
    near,
    of_result,
    only,
    within,
    word,
)
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.sizes import Memory
from lemmata.papers.association.theory import memory
from lemmata.report.plots import ceiling, joined, new_figure

LEVELS = {"inputs": 0.2, "noisier": 0.4}  # group of runs -> α
EARLY = 0.1  # a time at which the noise's singular value is below the labels' for n = 4, 5 at both α
FINITE = {"quiet": 0.03, "loud": 0.4}  # group of runs -> α; appendix G.1 trains at .03
FEW = (4, 5)  # n
TRAINED = 1e4  # a time between the crossings at these two α


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


def ratios(runs: Runs, group: str) -> np.ndarray:
    """The noise's singular value over the labels', by n."""
    signal, noise = singular_values(runs, TRAINED, group).T
    return noise / signal


@of_result
def settled(run: RunResult) -> Undecided | None:
    """The order of the singular values is that of t → ∞ only after they have crossed."""
    n, last = run.config.inputs, run.column("time")[-1]
    if n >= 4 and (crossing := memory.crossing_time(n, run.config.alpha)) > last:
        crossed = f"with {n} inputs the singular values cross at about t = {crossing:.2g}"
        return TooShort(f"{crossed}; the flow ends at {last:.2g}")
    return None


NOISE_ALPHA = Claim(
    id="noise-rank-alpha",
    locus="Appendix G.1, iii",
    statement="With orthonormal embeddings and $n > 3$ inputs, after training of finite length, the noise sits in a "
    r"low-rank subspace of $W$, and $\alpha$ decides whether that is of the smallest singular values. Judged is the "
    r"noise's singular value over the labels' for $n = 4, 5$ at $t = 10^4$: below 1 at $\alpha = 0.03$, the paper's, "
    r"and above 1 at $\alpha = 0.4$.",
    needs={f"{group}/{n}": only("alpha", FINITE[group], why="the claim says so") for group in FINITE for n in FEW},
    subject=lambda runs: {group: ratios(runs, group) for group in FINITE},
    wrong=lambda runs: dict(zip(FINITE, [ratios(runs, group) for group in reversed(FINITE)], strict=True)),
    parts={
        f"α = {alpha:g}": Part(lambda found, group=group: found[group], rule, along={"n": FEW})
        for (group, alpha), rule in zip(FINITE.items(), (at_most(1.0), at_least(1.0)), strict=True)
    },
    remark=r"The paper names neither $n$ nor the time. For $n = 2, 3$ the noise is smallest at every $\alpha < "
    r"1/2$, and "
    "for $n = 8$ at neither of the two. As $t$ grows the answers become one: see noise-rank-n.",
)

NOISE_RANK = Claim(
    id="noise-rank-n",
    locus="Beyond the paper: Appendix G.1, iii, as t → ∞; section 3.3: easy to extend to any N > 2",
    statement=r"With orthonormal embeddings, $\alpha < 1/2$ and $t \to \infty$, $n$ alone decides whether the noise's "
    r"singular value is the smallest of $W$: it is for $n = 2, 3$, and it is the largest for $n \ge 4$. "
    r"$\sigma_{\text{noise}}/\sigma_{\text{signal}} \to \frac{n-1}{\sqrt{n+1}}$. Judged at $t = 10^8$, at $\alpha = "
    "0.2$ and $0.4$, each over the $n$ that are run.",
    protocol=Protocol(ours="the limit of the singular values as t → ∞, for every n", why="The paper leaves it open."),
    needs=dict.fromkeys(LEVELS, (within("alpha", "the limits are those of α < 1/2", below=0.5), settled)),
    wording={f"{alpha:g}": word("{}", f"{group}.alpha") for group, alpha in LEVELS.items()}
    | {"t = 10^8": word("t = {}", "inputs.last_time")},
    subject=lambda runs: smallest(runs, flows(runs)[0].config.last_time),
    wrong=lambda runs: smallest(runs, EARLY),  # before any of them has crossed
    parts={
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
    remark=r"On inputs orthogonal to all-ones $W$ acts as $-a \sim \log t$; on all-ones with norm "
    r"$\sqrt{n+1}\,v$, where "
    r"$v = \frac{(n-1)|a| - n|b|}{n+1} \sim \frac{n-1}{n+1} \log t$. At $n = 3$ both are alike, and the constant "
    r"$\frac32 \log\frac{1-\alpha}{\alpha}$ decides. $\alpha$ decides when: about $t = \frac{2n}{(n+1)(1-\alpha)} "
    r"\exp\frac{n \log((1-\alpha)/\alpha)}{n-1-\sqrt{n+1}}$ for $n \ge 4$. From then on cutting the smallest "
    "singular value removes a label: the extension to more inputs needs another cut.",
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
    runs=lambda scale: (
        {
            f"{group}/{n}": MemoryFlow(inputs=n, alpha=alpha)
            for group, alpha in LEVELS.items()
            for n in range(2, max(4, Memory.MOST_INPUTS.at(scale)) + 1)
        }
        | {f"{group}/{n}": MemoryFlow(inputs=n, alpha=alpha) for group, alpha in FINITE.items() for n in FEW}
    ),
    claims=(NOISE_ALPHA, NOISE_RANK, RATIO),
    draw=draw,
)
