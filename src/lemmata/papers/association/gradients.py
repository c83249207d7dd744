"""The first gradient of the model of equation (2): Lemma D.1 and every row of Table 3, exactly and by sampling."""

import numpy as np

from lemmata.core import Artefact, RunConfig, Scale
from lemmata.core.legacy import AtMost, Claim, Close, Correction, Each, Experiment, Results, Within
from lemmata.papers.association.run.gradients import LeadingCoefficients, SampledGradients
from lemmata.papers.association.theory import RecallChain, one_step
from lemmata.papers.association.theory.one_step import PRINTED_RANGE, TABLE_3, Entry, Leading, power
from lemmata.report.plots import new_figure

LABELS = tuple(entry.label for entry in TABLE_3)


def _printed(name: str, form: str = "printed"):
    """A reading of Table 3's coefficients, [alpha, row], printed or corrected."""

    def read(results: Results) -> np.ndarray:
        alphas = results.one(LeadingCoefficients).config.alphas
        source = one_step.printed if form == "printed" else one_step.corrected
        return np.array([[getattr(source(entry, alpha), name) for entry in TABLE_3] for alpha in alphas])

    return read


def _exact_coefficients(results: Results, name: str) -> np.ndarray:
    return results.one(LeadingCoefficients).column(name).reshape(-1, len(TABLE_3))


def _sampled(results: Results, name: str) -> np.ndarray:
    """[seed, row], each divided by the exact value at the sampled size."""
    run = results.one(SampledGradients)
    return run.column(name, matrix="value").reshape(len(run.config.seeds), -1) / _exact(results, name)


def _exact(results: Results, name: str, exclude_trigger: bool = False) -> np.ndarray:
    config = results.one(SampledGradients).config
    chain = RecallChain(config.num_tokens, config.length, config.alpha, exclude_trigger)
    return np.array([one_step.exact_moments(entry, chain)[name == "variance"] for entry in TABLE_3])


def _table(coefficients, sampled=lambda results: np.ones(len(TABLE_3))):
    return lambda results: {"coefficients": coefficients(results), "sampled / exact": sampled(results)}


def _variances(reading):
    return lambda results: np.stack([reading(results, "over_t"), reading(results, "over_n")])


def _without_trigger(results: Results, name: str) -> np.ndarray:
    """The control's subject: a world in which ȳ is never the trigger."""
    return _sampled(results, name) * _exact(results, name) / _exact(results, name, exclude_trigger=True)


MEANS = Claim(
    id="association/table-3",
    locus="Lemma D.2, Table 3, column μ",
    statement=(
        "The mean of W_U(j)^T (∇_{W_V} L) W_E(k) at zero weights, for each of the ten kinds of (j, k), has the "
        "tabulated leading coefficient; autodiff on sampled sequences agrees with the exact chain at finite N and T."
    ),
    predict=_table(_printed("mean")),
    measure=_table(lambda r: _exact_coefficients(r, "mean"), lambda r: _sampled(r, "mean")),
    control=_table(lambda r: np.roll(_exact_coefficients(r, "mean"), 1, axis=1), lambda r: _without_trigger(r, "mean")),
    check=Each({"coefficients": Close(atol=1e-3), "sampled / exact": Within(errors=4)}),
    correction=Correction(
        predict=_table(_printed("mean", "corrected")),
        printed="row (j, j): μ = -(α² + 3α - 1)/N²",
        corrected="row (j, j): μ = -(α² - 3α + 1)/N²",
        reason="1 - (1-α)(2-α) = -(α² - 3α + 1). Assumption F.1 uses the right root, α ≤ (3 - √5)/2, so this is a slip "
        "of the table; the other nine means are right.",
    ),
)

VARIANCES = Claim(
    id="association/table-3-variance",
    locus="Lemma D.2, Table 3, column σ²",
    statement=(
        "The variance of the same projection over sequences is A/(T N^p) + B/N^(p+1) with the tabulated A and B "
        "(p = 1 for the noise output, 2 otherwise); sampled variances agree with the exact chain."
    ),
    predict=_table(_variances(lambda r, name: _printed(name)(r))),
    measure=_table(_variances(_exact_coefficients), lambda r: _sampled(r, "variance")),
    control=_table(
        _variances(lambda r, name: np.roll(_exact_coefficients(r, name), 1, axis=1)),
        lambda r: _without_trigger(r, "variance"),
    ),
    check=Each({"coefficients": Close(atol=2e-3, rtol=2e-3), "sampled / exact": Within(errors=4)}),
    correction=Correction(
        predict=_table(_variances(lambda r, name: _printed(name, "corrected")(r))),
        printed="j ≤ N: for example (2-α)(1/(TN²) + 1/N³) in row (j, k); (N+1, q): α/(TN) + (α-α²)/N²; "
        "(q, q): (α³-α²-α+2)/(α³TN²) + (α²-α+1)/(α²N³)",
        corrected="j ≤ N: (1-α)(1/(TN²) + 1/N³) in row (j, k), and likewise in every row with j ≤ N; "
        "(N+1, q): (3α-2α²)/(TN) + (α-α²)/N²; (q, q): (1-α)[(2-α)/α² + 2/α]/(TN²) + (1-α)/(α²N³)",
        reason="E[(1/(N+1) - 1{y=j})²] = 1/(N+1)² + (1 - 2/(N+1)) P(y=j): the first term was taken as 1/(N+1), which "
        "adds E[f_k²]/N to every row with j ≤ N. Rows with k = q leave out that z_T = q is always counted. The orders "
        "in N and T, hence Theorem 1's rates, are unchanged (the printed values are too large except in rows "
        "(N+1, q) and, for its 1/T part at α < 1/2, (j, q)).",
    ),
)

RANGES = Claim(
    id="association/table-3-range",
    locus="Lemma D.2, Table 3, column R",
    statement="No sequence's projected gradient is farther than R from its mean, for each of the ten kinds of (j, k).",
    predict=lambda results: np.array([PRINTED_RANGE[entry] for entry in TABLE_3]),
    measure=lambda results: _ranges(results),
    control=lambda results: np.roll(_ranges(results), 1),
    check=AtMost(),
    correction=Correction(
        predict=lambda results: np.array(
            [0.5 if entry == one_step.CORRECTED_RANGE_ROW else PRINTED_RANGE[entry] for entry in TABLE_3]
        ),
        printed="row (j, N+1): R = 1/3",
        corrected="row (j, N+1): R = 1/2",
        reason="q, N+1, q, N+1, ... has positive probability whatever ȳ is, so the noise can take half of the context.",
    ),
    remark="At N → ∞ row (j, q) needs 1/2 + 1/T rather than 1/2, again because z_T = q is always counted.",
)


def _ranges(results: Results) -> np.ndarray:
    chain = results.one(SampledGradients).config.chain
    return np.array([one_step.exact_range(entry, chain) for entry in TABLE_3])


def _feed(results: Results, which: str) -> dict[str, np.ndarray]:
    run = results.one(SampledGradients)
    columns = {name: run.column(name, matrix="feed").reshape(-1, 2) for name in ("mean", "variance")}
    return {name: values[:, ::-1] if which == "swapped" else values for name, values in columns.items()}


def _feed_prediction(results: Results, exact: bool) -> dict[str, np.ndarray]:
    chain = results.one(SampledGradients).config.chain
    pairs = [
        one_step.feed_forward_moments(noise, chain)
        if exact
        else one_step.printed_feed_forward(noise, chain.num_tokens, chain.alpha)
        for noise in (True, False)
    ]
    return {"mean": np.array([pair[0] for pair in pairs]), "variance": np.array([pair[1] for pair in pairs])}


FEED_FORWARD = Claim(
    id="association/lemma-d.1",
    locus="Lemma D.1",
    statement=(
        "At zero weights W_U(k)^T (∇_{W_F} L) W_E(q) has mean -α and variance α(1-α) for the noise token, mean "
        "1/(N+1) - (1-α)/N and variance (1-α)/N for any other."
    ),
    predict=lambda results: _feed_prediction(results, exact=False),
    measure=lambda results: _feed(results, "as sampled"),
    control=lambda results: _feed(results, "swapped"),
    check=Each({"mean": Within(errors=4), "variance": Within(errors=4)}),
    correction=Correction(
        predict=lambda results: _feed_prediction(results, exact=True),
        printed="μ(N+1) = -α; σ²(k) = (1-α)/N for k ≤ N",
        corrected="μ(N+1) = 1/(N+1) - α; σ²(k) = (1-α)/N · (1 - (1-α)/N) for k ≤ N",
        reason="The proof's equations (7) and (9) have the full forms; the lemma states their N ≫ 1 limits, but its "
        "deviation bound (6) vanishes with m and leaves no room for the 1/(N+1) that was dropped.",
    ),
)


def render(results: Results) -> Artefact:
    run = results.one(SampledGradients)
    sampled = {name: run.column(name, matrix="value").reshape(-1, len(TABLE_3)) for name in ("mean", "variance")}
    exact = {name: _exact(results, name) for name in sampled}
    chain = run.config.chain
    printed, right = (
        [form(entry, chain.alpha) for entry in TABLE_3] for form in (one_step.printed, one_step.corrected)
    )
    figure, axes = new_figure(1, 2, width=10.5, height=4.2)
    columns: dict[str, np.ndarray] = {"entry": np.array(LABELS)}
    for ax, name in zip(axes, ("mean", "variance"), strict=True):
        scale = np.array([chain.num_tokens ** (power(e) + (name == "variance")) for e in TABLE_3])
        forms = {"printed": printed, "corrected": right}
        values = {
            label: np.array([_evaluate(c, e, chain, name) for c, e in zip(form, TABLE_3, strict=True)])
            for label, form in forms.items()
        }
        y = np.arange(len(TABLE_3))
        error = sampled[name].std(axis=0, ddof=1) / np.sqrt(len(sampled[name]))
        ax.errorbar(
            sampled[name].mean(axis=0) * scale, y, xerr=4 * error * scale, fmt="o", ms=4, label="sampled, 4 s.e."
        )
        ax.plot(exact[name] * scale, y, "|", ms=16, color="black", label="exact chain")
        ax.plot(values["printed"] * scale, y, "x", ms=7, color="tab:red", label="printed leading order")
        ax.plot(values["corrected"] * scale, y, "+", ms=9, color="tab:green", label="corrected leading order")
        ax.set_yticks(y, LABELS)
        ax.invert_yaxis()
        ax.set_xlabel("mean × N^p" if name == "mean" else "variance × N^(p+1)")
        if name == "variance":
            ax.set_xscale("log")
        for label, value in (
            ("sampled", sampled[name].mean(axis=0)),
            ("standard error", error),
            ("exact", exact[name]),
        ):
            columns[f"{name}: {label}"] = value
        columns |= {f"{name}: {label}": value for label, value in values.items()}
    axes[0].legend(fontsize=7)
    caption = (
        f"Table 3 at N = {chain.num_tokens}, T = {chain.length}, α = {chain.alpha:g}: projections of the first "
        f"gradient of W_V on (j, k), p = 1 for the noise output and 2 otherwise. {len(run.config.seeds)} seeds of "
        f"{run.config.samples} sequences, gradients by autodiff. At this small N the leading orders (crosses) are not "
        "the exact values; the claims compare coefficients at N = 10^5."
    )
    return Artefact(figure, columns, caption)


def _evaluate(c: Leading, entry: Entry, chain: RecallChain, name: str) -> float:
    size = chain.num_tokens ** power(entry)
    if name == "mean":
        return c.mean / size
    return c.over_t / (chain.length * size) + c.over_n / (size * chain.num_tokens)


def grid(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=12, laptop=24, paper=48)
    return (
        SampledGradients(seeds=seeds, samples=scale.pick(smoke=512, laptop=2048, paper=8192)),
        LeadingCoefficients(alphas=scale.pick(smoke=(0.3,), laptop=(0.3, 0.6), paper=(0.1, 0.3, 0.6, 0.9))),
    )


EXPERIMENTS = (
    Experiment(
        id="association/table-3",
        title="The first gradients of W_V and W_F, exactly and by sampling",
        grid=grid,
        claims=(FEED_FORWARD, MEANS, VARIANCES, RANGES),
        render=render,
        notes="The sums over t ≤ T count z_T = q. ȳ is drawn from all of [N], the trigger included, as printed.",
    ),
)
