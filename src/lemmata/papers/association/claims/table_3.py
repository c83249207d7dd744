"""The first gradient of the model of equation (2): Lemma D.1 and every row of Table 3, exactly and by sampling."""

from functools import partial
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunConfig, RunResult, Runs, Scale
from lemmata.core.rule import at_most, mean_near, near
from lemmata.papers.association.run.gradients import LeadingCoefficients, SampledGradients
from lemmata.papers.association.theory import RecallChain, one_step
from lemmata.papers.association.theory.one_step import TABLE_3, power
from lemmata.report.plots import new_figure


class Rows(NamedTuple):
    """What was found for the rows of Table 3; read wrongly, each row is its neighbour's, in a world where ȳ ≠ q."""

    exact: RunResult
    sampled: RunResult
    neighbour: bool = False

    @property
    def chain(self) -> RecallChain:
        config = self.sampled.config
        return RecallChain(config.num_tokens, config.length, config.alpha, exclude_trigger=self.neighbour)

    def coefficients(self, *names: str) -> np.ndarray:
        """[name, alpha, row], of the exact chain at a large size."""
        columns = [self.exact.column(name).reshape(-1, len(TABLE_3)) for name in names]
        return np.roll(columns, int(self.neighbour), axis=2)

    def sampled_over_exact(self, name: str) -> np.ndarray:
        """[seed, row], at the sampled size."""
        return sampled_moments(self.sampled, name) / exact_moments(self.chain)[name]

    def ranges(self) -> np.ndarray:
        chain = self.sampled.config.chain
        return np.roll([one_step.exact_range(entry, chain) for entry in TABLE_3], int(self.neighbour))


def sampled_moments(run: RunResult, name: str, matrix: str = "value") -> np.ndarray:
    """[seed, row]."""
    return run.column(name, matrix=matrix).reshape(len(run.config.seeds), -1)


def exact_moments(chain: RecallChain) -> dict[str, np.ndarray]:
    means, variances = zip(*(one_step.exact_moments(entry, chain) for entry in TABLE_3), strict=True)
    return {"mean": np.array(means), "variance": np.array(variances)}


def tabulated(form, *names: str):
    """The coefficients of Table 3 as [name, alpha, row]: `form` is `one_step.printed` or `one_step.corrected`."""

    def table(name: str, alphas: tuple[float, ...]) -> list[list[float]]:
        return [[getattr(form(entry, alpha), name) for entry in TABLE_3] for alpha in alphas]

    return lambda runs: np.array([table(name, runs["exact"].config.alphas) for name in names])


def rows(runs: Runs, neighbour: bool = False) -> Rows:
    return Rows(runs["exact"], runs["sampled"], neighbour)


def moment_parts(moment: str, *coefficients: str, **tolerance: float) -> dict[str, Part]:
    return {
        "coefficients": Part(
            lambda found: found.coefficients(*coefficients),
            near(tabulated(one_step.printed, *coefficients), **tolerance),
            corrected=tabulated(one_step.corrected, *coefficients),
        ),
        "sampled / exact": Part(
            lambda found: found.sampled_over_exact(moment), mean_near(np.ones(len(TABLE_3)), errors=4)
        ),
    }


def asymptotic(run: RunResult) -> str | None:
    n, length = run.config.num_tokens, run.config.length
    enough = n >= 10**4 and length >= 10**4 * n
    return None if enough else f"coefficients of leading order are not read at N = {n:g}, T = {length:g}"


MEANS = Claim(
    id="table-3",
    locus="Lemma D.2, Table 3, column μ",
    statement="The mean of W_U(j)^T (∇_{W_V} L) W_E(k) at zero weights, for each of the ten kinds of (j, k), has the "
    "tabulated leading coefficient; autodiff on sampled sequences agrees with the exact chain at finite N and T.",
    needs={"exact": asymptotic},
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=moment_parts("mean", "mean", atol=1e-3),
    correction=Correction(
        printed="row (j, j): μ = -(α² + 3α - 1)/N²",
        corrected="row (j, j): μ = -(α² - 3α + 1)/N²",
        reason="1 - (1-α)(2-α) = -(α² - 3α + 1). Assumption F.1 uses the right root, α ≤ (3 - √5)/2, so this is a slip "
        "of the table; the other nine means are right.",
    ),
)

VARIANCES = Claim(
    id="table-3-variance",
    locus="Lemma D.2, Table 3, column σ²",
    statement="The variance of the same projection over sequences is A/(T N^p) + B/N^(p+1) with the tabulated A and B "
    "(p = 1 for the noise output, 2 otherwise); sampled variances agree with the exact chain.",
    needs={"exact": asymptotic},
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=moment_parts("variance", "over_t", "over_n", atol=2e-3, rtol=2e-3),
    correction=Correction(
        printed="j ≤ N: for example (2-α)(1/(TN²) + 1/N³) in row (j, k); (N+1, q): α/(TN) + (α-α²)/N²; (q, q): "
        "(α³-α²-α+2)/(α³TN²) + (α²-α+1)/(α²N³)",
        corrected="j ≤ N: (1-α)(1/(TN²) + 1/N³) in row (j, k), and likewise in every row with j ≤ N; (N+1, q): "
        "(3α-2α²)/(TN) + (α-α²)/N²; (q, q): (1-α)[(2-α)/α² + 2/α]/(TN²) + (1-α)/(α²N³)",
        reason="E[(1/(N+1) - 1{y=j})²] = 1/(N+1)² + (1 - 2/(N+1)) P(y=j): the first term was taken as 1/(N+1), which "
        "adds E[f_k²]/N to every row with j ≤ N. Rows with k = q leave out that z_T = q is always counted. The orders "
        "in N and T, hence Theorem 1's rates, are unchanged (the printed values are too large except in rows (N+1, q) "
        "and, for its 1/T part at α < 1/2, (j, q)).",
    ),
)

RANGES = Claim(
    id="table-3-range",
    locus="Lemma D.2, Table 3, column R",
    statement="No sequence's projected gradient is farther than R from its mean, for each of the ten kinds of (j, k).",
    subject=rows,
    wrong=partial(rows, neighbour=True),
    parts=Part(Rows.ranges, at_most(np.array(one_step.PRINTED_RANGES)), corrected=np.array(one_step.CORRECTED_RANGES)),
    correction=Correction(
        printed="row (j, N+1): R = 1/3",
        corrected="row (j, N+1): R = 1/2",
        reason="q, N+1, q, N+1, ... has positive probability whatever ȳ is, so the noise can take half of the context.",
    ),
    remark="At N → ∞ row (j, q) needs 1/2 + 1/T rather than 1/2, again because z_T = q is always counted.",
)


def feed_moments(runs: Runs) -> dict[str, np.ndarray]:
    """[seed, (noise token, any other)]."""
    return {name: sampled_moments(runs["sampled"], name, matrix="feed") for name in ("mean", "variance")}


def feed_prediction(form, name: str):
    """`form(is it the noise token, chain)` gives a mean and a variance."""
    which = ("mean", "variance").index(name)
    return lambda runs: np.array([form(noise, runs["sampled"].config.chain)[which] for noise in (True, False)])


FEED_FORWARD = Claim(
    id="lemma-d.1",
    locus="Lemma D.1",
    statement="At zero weights W_U(k)^T (∇_{W_F} L) W_E(q) has mean -α and variance α(1-α) for the noise token, mean "
    "1/(N+1) - (1-α)/N and variance (1-α)/N for any other.",
    subject=feed_moments,
    # The noise token's gradient read at the others, and theirs at the noise token.
    wrong=lambda runs: {name: values[:, ::-1] for name, values in feed_moments(runs).items()},
    parts={
        name: Part(
            lambda moments, name=name: moments[name],
            mean_near(feed_prediction(one_step.printed_feed_forward, name), errors=4),
            corrected=feed_prediction(one_step.feed_forward_moments, name),
        )
        for name in ("mean", "variance")
    },
    correction=Correction(
        printed="μ(N+1) = -α; σ²(k) = (1-α)/N for k ≤ N",
        corrected="μ(N+1) = 1/(N+1) - α; σ²(k) = (1-α)/N · (1 - (1-α)/N) for k ≤ N",
        reason="The proof's equations (7) and (9) have the full forms; the lemma states their N ≫ 1 limits, but its "
        "deviation bound (6) vanishes with m and leaves no room for the 1/(N+1) that was dropped.",
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


def runs(scale: Scale) -> dict[str, RunConfig]:
    seeds = scale.seeds(smoke=12, laptop=24, paper=48)
    return {
        "sampled": SampledGradients(seeds=seeds, samples=scale.pick(smoke=512, laptop=2048, paper=8192)),
        "exact": LeadingCoefficients(alphas=scale.pick(smoke=(0.3,), laptop=(0.3, 0.6), paper=(0.1, 0.3, 0.6, 0.9))),
    }


EXPERIMENT = Experiment(
    title="The first gradients of W_V and W_F, exactly and by sampling",
    runs=runs,
    claims=(FEED_FORWARD, MEANS, VARIANCES, RANGES),
    draw=draw,
    notes="The sums over t ≤ T count z_T = q. ȳ is drawn from all of [N], the trigger included, as printed.",
)
