"""Table 3, row by row: the first gradient of W_V in the model of equation (2), exactly and by sampling."""

from functools import partial

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, Runs
from lemmata.core.rule import at_most, mean_near, near
from lemmata.papers.association.claims._first_gradients import (
    MANY,
    ROW_NAMES,
    Rows,
    asymptotic,
    exact_moments,
    exact_run,
    rows,
    sampled_moments,
    sampled_run,
)
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.theory import one_step
from lemmata.papers.association.theory.one_step import TABLE_3, power
from lemmata.report.plots import new_figure


def tabulated(form, *names: str):
    """The coefficients of Table 3 as [name, alpha, row]: `form` is `one_step.printed` or `one_step.corrected`."""

    def table(name: str, alphas: tuple[float, ...]) -> list[list[float]]:
        return [[getattr(form(entry, alpha), name) for entry in TABLE_3] for alpha in alphas]

    return lambda runs: np.array([table(name, runs["exact"].config.alphas) for name in names])


def moment_parts(moment: str, *coefficients: str, atol: float, rtol: float = 0.0) -> dict[str, Part]:
    return {
        "coefficients": Part(
            lambda found: found.coefficients(*coefficients),
            near(tabulated(one_step.printed, *coefficients), atol=atol, rtol=rtol),
            corrected=tabulated(one_step.corrected, *coefficients),
            along={"coefficient": coefficients, "α": lambda runs: runs["exact"].config.alphas, "row": ROW_NAMES},
        ),
        "sampled / exact": Part(
            lambda found: found.sampled_over_exact(moment),
            mean_near(np.ones(len(TABLE_3)), errors=4),
            along={"row": ROW_NAMES},
        ),
    }


MEANS = Claim(
    id="table-3",
    locus="Lemma D.2, Table 3, column μ",
    uses=("lemma-h.1",),
    statement=r"At zero weights and for $N, T \gg 1$ the mean of $W_U(j)^\top (\nabla_{W_V} L) W_E(k)$ over sequences "
    "has the tabulated leading coefficient, for each of the ten kinds of $(j, k)$. Autodiff on sampled sequences "
    "agrees with the exact chain at finite $N$ and $T$.",
    needs={"exact": asymptotic},
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=moment_parts("mean", "mean", atol=1e-3),
    remark="Of row $(j, j)$ our text of the table, read off the page by a machine, has the minus before the fraction. "
    r"Case 9 of the proof prints $\frac{-\alpha^2 + 3\alpha - 1}{N^2}$, which is right, and which (23) and Assumption "
    "F.1 use; that one is judged.",
)

VARIANCES = Claim(
    id="table-3-variance",
    locus="Lemma D.2, Table 3, column σ²",
    statement=r"At zero weights and for $N, T \gg 1$ the variance of $W_U(j)^\top (\nabla_{W_V} L) W_E(k)$ over "
    r"sequences is $\frac{A}{T N^p} + \frac{B}{N^{p+1}}$ with the tabulated $A$ and $B$, where $p = 1$ for $j = N+1$ "
    "and $p = 2$ otherwise. Sampled variances agree with the exact chain.",
    needs={"exact": asymptotic},
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=moment_parts("variance", "over_t", "over_n", atol=2e-3, rtol=2e-3),
    correction=Correction(
        severity="constant",
        printed=r"$j \le N$: for example $(2-\alpha)(\frac{1}{TN^2} + \frac{1}{N^3})$ in row $(j, k)$; $(N+1, q)$: "
        r"$\frac{\alpha}{TN} + \frac{\alpha-\alpha^2}{N^2}$; $(q, q)$: "
        r"$\frac{\alpha^3-\alpha^2-\alpha+2}{\alpha^3TN^2} + \frac{\alpha^2-\alpha+1}{\alpha^2N^3}$",
        corrected=r"$\sigma^2(N+1,q) = \frac{3\alpha-2\alpha^2}{TN} + \frac{\alpha-\alpha^2}{N^2}$; for $j \leq N$: "
        r"$\sigma^2(q,N+1) = (1-\alpha)(\frac{1}{TN^2} + \frac{1}{N^3})$, "
        r"$\sigma^2(q,q) = (1-\alpha)(\frac{2+\alpha}{\alpha^2 TN^2} + \frac{1}{\alpha^2 N^3})$, "
        r"$\sigma^2(j,N+1) = (1-\alpha)(\frac{\alpha}{TN^2} + \frac{\alpha^2}{N^3})$, "
        r"$\sigma^2(j,q) = (1-\alpha)(\frac{3}{TN^2} + \frac{1}{N^3})$, "
        r"$\sigma^2(j,j) = (1-\alpha)(\frac{2-\alpha}{TN^2} + \frac{(2-\alpha)^2}{N^3})$, "
        r"and $(1-\alpha)(\frac{1}{TN^2} + \frac{1}{N^3})$ for $(q,k)$ and $(j,k)$ otherwise",
        reason=r"Cases 4 to 10 write $\frac{1}{N+1}$ where $\mathbb{E}[(\frac{1}{N+1} - 1\{y=j\})^2 | \bar y \ne j]$ "
        r"is "
        r"$\frac{1}{(N+1)^2}$ (lemma-d.2-cases): every row with $j \le N$. Appendix E says of $z_T = q$ that "
        r"'including "
        r"it will not change the results'; it adds $2\mathbb{E}[C]$ to a second moment (lemma-e-last): rows "
        r"$(N+1, q)$, "
        r"$(q, q)$ and $(j, q)$. Row $(q, q)$ has Lemma E.1's $\frac{2}{\alpha^2}$, which should be $\frac{2}{\alpha}$ "
        r"(lemma-e.1), and a slip of algebra: from E.1 as printed Case 5 would get $2\alpha^3-\alpha^2-2\alpha+2$ over "
        r"$\alpha^3$, not $\alpha^3-\alpha^2-\alpha+2$.",
        root="lemma-d.2-cases",
        survives="Bound (12) (eq-12) and Theorem 1's rates: the orders in $N$ and $T$ are unchanged.",
        source=f"{SOURCE}; the ten cases of the proof print the same, and their steps show each cause",
        latex=r"\sigma^2(N+1,q) = \frac{3\alpha-2\alpha^2}{TN} + \frac{\alpha-\alpha^2}{N^2}, \quad "
        r"\sigma^2(q,N+1) = (1-\alpha)\left(\frac{1}{TN^2} + \frac{1}{N^3}\right), \quad "
        r"\sigma^2(q,q) = (1-\alpha)\left(\frac{2+\alpha}{\alpha^2 TN^2} + \frac{1}{\alpha^2 N^3}\right), \quad "
        r"\sigma^2(j,N+1) = (1-\alpha)\left(\frac{\alpha}{TN^2} + \frac{\alpha^2}{N^3}\right), \quad "
        r"\sigma^2(j,q) = (1-\alpha)\left(\frac{3}{TN^2} + \frac{1}{N^3}\right), \quad "
        r"\sigma^2(j,j) = (1-\alpha)\left(\frac{2-\alpha}{TN^2} + \frac{(2-\alpha)^2}{N^3}\right), \quad "
        r"\sigma^2(q,k) = \sigma^2(j,k) = (1-\alpha)\left(\frac{1}{TN^2} + \frac{1}{N^3}\right)",
    ),
)

RANGES = Claim(
    id="table-3-range",
    locus="Lemma D.2, Table 3, column R",
    statement=r"At zero weights no sequence's $W_U(j)^\top (\nabla_{W_V} L) W_E(k)$ is farther than the tabulated "
    "$R(j, k)$ from its mean, for each of the ten kinds of $(j, k)$. Read are the sampled $N$ and "
    rf"$N = {MANY}$.",
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=Part(
        Rows.ranges,
        at_most(np.array(one_step.PRINTED_RANGES), paper="every N and row"),
        corrected=lambda runs: np.array(one_step.corrected_ranges(runs["sampled"].config.length)),
        along={"N": lambda runs: (runs["sampled"].config.chain.num_tokens, MANY), "row": ROW_NAMES},
    ),
    correction=Correction(
        severity="constant",
        printed=r"$R(j, N+1) = \frac13$ and $R(j, q) = \frac12$ for $j \in [N]\setminus\{q\}$",
        corrected=r"$R(j,N+1) = \frac12$ and $R(j,q) = \frac12 + \frac1T$ for $j \in [N]\setminus\{q\}$",
        reason=r"Case 7 takes the pattern $[q, j, N+1, q, j, N+1, \ldots]$ for the extreme, which has probability 0: "
        r"the "
        r"noise follows triggers alone, and $j$ is none. $q, N+1, q, N+1, \ldots$ has positive probability whatever "
        r"$\bar y$ is, as Cases 1 and 4 say. Case 8 leaves out $z_T = q$ beside a half of triggers.",
        survives="Bound (12) up to the constant of its term $R/m$, and Theorem 1: $R = O(1)$ is all that they use.",
        source=f"{SOURCE}; Case 7 prints the pattern",
        latex=r"R(j, N+1) = \frac{1}{2}, \quad R(j, q) = \frac{1}{2} + \frac{1}{T}",
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["sampled"]
    chain, exact = run.config.chain, exact_moments(run.config.chain)
    labels = [entry.label for entry in TABLE_3]
    y, size = np.arange(len(TABLE_3)), np.array([chain.num_tokens ** power(entry) for entry in TABLE_3])
    figure, axes = new_figure(1, 2, width=10.5, height=4.2)
    columns: dict[str, np.ndarray] = {"entry": np.array(labels)}
    for ax, name in zip(axes, ("mean", "variance"), strict=True):
        scale = size * chain.num_tokens if name == "variance" else size
        found = sampled_moments(run, name)
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.zeros(len(TABLE_3))
        printed, corrected = (
            np.array([form(entry, chain.alpha).at(chain, power(entry))[name] for entry in TABLE_3])
            for form in (one_step.printed, one_step.corrected)
        )
        ax.errorbar(found.mean(axis=0) * scale, y, xerr=4 * error * scale, fmt="o", ms=4, label="sampled, 4 s.e.")
        ax.plot(exact[name] * scale, y, "|", ms=16, color="black", label="exact chain")
        ax.plot(printed * scale, y, "x", ms=7, color="tab:red", label="printed leading order")
        ax.plot(corrected * scale, y, "+", ms=9, color="tab:green", label="corrected leading order")
        ax.set_yticks(y, labels)
        ax.invert_yaxis()
        is_mean = name == "mean"
        ax.set(xlabel="mean × N^p" if is_mean else "variance × N^(p+1)", xscale="linear" if is_mean else "log")
        columns |= {f"{name}: sampled": found.mean(axis=0), f"{name}: standard error": error}
        columns |= {f"{name}: exact": exact[name], f"{name}: printed": printed, f"{name}: corrected": corrected}
    axes[0].legend(fontsize=7)
    caption = (
        f"Table 3 at N = {chain.num_tokens}, T = {chain.length}, α = {chain.alpha:g}: projections of the first "
        f"gradient of W_V on (j, k), p = 1 for the noise output and 2 otherwise. {len(run.config.seeds)} seeds of "
        f"{run.config.samples} sequences, gradients by autodiff. At this small N the leading orders (crosses) are not "
        f"the exact values; the claims compare coefficients at N = {runs['exact'].config.num_tokens:g}."
    )
    return Artefact(figure, columns, caption)


EXPERIMENT = Experiment(
    title="The first gradient of W_V, exactly and by sampling",
    runs=lambda scale: sampled_run(scale) | exact_run(scale),
    claims=(MEANS, VARIANCES, RANGES),
    draw=draw,
    notes=r"The sums over $t \le T$ count $z_T = q$. $\bar y$ is drawn from all of $[N]$, the trigger included.",
)
