"""Theorem 1: what one gradient step gives the noise token, in the feed-forward block and in the attention block."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import Artefact, Batch, RunConfig, RunContext, RunOutput, Scale, named_key, precision, require
from lemmata.core.legacy import Claim, Close, Correction, Each, Experiment, Results
from lemmata.papers.association.run.simplified import sample, theory_task, zero_model
from lemmata.papers.association.theory import RecallChain, margins
from lemmata.report.plots import ceiling, new_figure
from lemmata.train import QueryLoss


@dataclass(frozen=True, kw_only=True)
class OneStepMargins(RunConfig):
    """One gradient step from zero on `samples` sequences (a seed each), then the margins on fresh test sequences."""

    kind = "association/one-step-margins"
    version = 1

    num_tokens: int = 32  # N
    length: int = 128  # T
    alpha: float = 0.5
    samples: int = 8192  # m
    batch: int = 256
    tests: int = 32
    seeds: tuple[int, ...] = tuple(range(3))

    def __post_init__(self) -> None:
        require(self.batch >= 1, "batch", self.batch, "at least 1")
        require(self.samples % self.batch == 0, "samples", self.samples, f"a multiple of batch = {self.batch}")
        _ = self.chain  # refuses impossible sizes and noise levels
        require(1 <= self.tests <= self.batch, "tests", self.tests, f"1 to batch = {self.batch}")

    @property
    def chain(self) -> RecallChain:
        return RecallChain(self.num_tokens, self.length, self.alpha)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            task, model = theory_task(self.chain), zero_model(self.chain)
            learned = lambda m: (m.value, m.feed)  # noqa: E731
            last = jnp.array([self.length - 1])

            @jax.jit
            def gradient(batch: Batch) -> tuple[Array, Array]:
                return jax.grad(lambda weights: QueryLoss(1)(eqx.tree_at(learned, model, weights), batch))(
                    learned(model)
                )

            @jax.jit
            def logits(value: Array, feed: Array) -> tuple[Array, Array]:
                """xi_attn and xi_ff after a step of rate 1, each with the other block at zero."""
                attention = eqx.tree_at(lambda m: m.value, model, -value)
                forward = eqx.tree_at(lambda m: m.feed, model, -feed)
                return tuple(jax.vmap(lambda z, m=m: m.at(z, last)[0])(tests) for m in (attention, forward))

            tests = sample(task, self.batch, named_key(0, "test")).tokens[: self.tests]
            columns: dict[str, list[np.ndarray]] = {"seed": [], "test": [], "attention": [], "feed": []}
            parts = self.samples // self.batch
            for done, seed in enumerate(self.seeds):
                keys = [jax.random.fold_in(named_key(seed, "data"), part) for part in range(parts)]
                value, feed = (
                    sum(g) / parts for g in zip(*(gradient(sample(task, self.batch, key)) for key in keys), strict=True)
                )
                found = [np.asarray(block) for block in logits(value, feed)]
                attention, forward = (block[:, -1] - block[:, :-1].max(axis=1) for block in found)
                for name, values in (("attention", attention), ("feed", forward)):
                    columns[name].append(values)
                columns["seed"].append(np.full(self.tests, seed))
                columns["test"].append(np.arange(self.tests))
                context.progress("margins", done + 1, len(self.seeds))
        return RunOutput(
            {name: np.concatenate(values) for name, values in columns.items()}, {"tests": np.asarray(tests)}
        )


def _measured(results: Results) -> dict[str, np.ndarray]:
    """Margins of each test sequence, averaged over seeds, in units of η_f α and of η_v α̂ / N."""
    run = results.one(OneStepMargins)
    chain, tests = run.config.chain, run.arrays["tests"]
    by_test = {name: run.column(name).reshape(-1, run.config.tests).mean(axis=0) for name in ("feed", "attention")}
    unit = margins.printed_attention_margin(tests, chain)
    return {"feed-forward": by_test["feed"] / chain.alpha, "attention": by_test["attention"] / unit}


def _exact(results: Results) -> dict[str, np.ndarray]:
    run = results.one(OneStepMargins)
    chain, tests = run.config.chain, run.arrays["tests"]
    unit = margins.printed_attention_margin(tests, chain)
    return {
        "feed-forward": margins.exact_feed_forward_margin(tests, chain) / chain.alpha,
        "attention": margins.exact_attention_margin(tests, chain) / unit,
    }


THEOREM_1 = Claim(
    id="association/thm-1",
    locus="Theorem 1",
    statement=(
        "After one gradient step on m samples the noise token leads by η_f α in the feed-forward block and by "
        "η_v α̂ / N in the attention block, α̂ = α² q̂ + α(1 - q̂), on any test sequence: feed-forward learns it first. "
        "Measured in these two units."
    ),
    predict=lambda results: {"feed-forward": 1.0, "attention": 1.0},
    measure=_measured,
    control=lambda results: dict(zip(("attention", "feed-forward"), _measured(results).values(), strict=True)),
    # Leading order: terms of relative size 1/(αN) = .06, about two of them in each margin, are dropped.
    check=Each({"feed-forward": Close(atol=0.15), "attention": Close(atol=0.3)}),
    correction=Correction(
        predict=lambda results: {"feed-forward": 1.0, "attention": 2.0},
        printed="Δ(ξ_attn) ≈ η_v α̂ / N",
        corrected="Δ(ξ_attn) ≈ 2 η_v α̂ / N",
        reason="The proof uses x_t = W_E(z_t) + p_t, but the model of equation (2) has two token embeddings a "
        "position, W_E(z_t) + W̃_E(z_{t-1}), and the step learns the noise on both. The feed-forward margin keeps "
        "its leading order: only W_E(q) is always there. The theorem's message, a factor of order N "
        "between the two, stands.",
    ),
)

EXACT = Claim(
    id="association/thm-1-exact",
    locus="Theorem 1, for finite N and T",
    statement="The same margins are those of the exact Markov chain with both embeddings, without any approximation.",
    predict=_exact,
    measure=_measured,
    control=lambda results: {**_measured(results), "attention": _measured(results)["attention"] / 2},
    # m samples leave a relative error of about sqrt((1-α)/(α m)) = .016 (of 1 and of 2), times four.
    check=Each({"feed-forward": Close(atol=0.07), "attention": Close(atol=0.14)}),
)


def render(results: Results) -> Artefact:
    run = results.one(OneStepMargins)
    measured, exact, tests = _measured(results), _exact(results), run.arrays["tests"]
    sizes = 2 ** np.arange(3, 11)
    ratio = []
    rng = np.random.default_rng(0)
    for n in sizes:
        chain = RecallChain(int(n), 4 * int(n), run.config.alpha)
        sample = rng.integers(0, n, size=(1, chain.length))
        sample[:, -1] = 0
        unit = margins.printed_attention_margin(sample, chain)
        ratio.append(float((margins.exact_attention_margin(sample, chain) / unit)[0]))
    figure, (left, right) = new_figure(1, 2)
    for name, colour in (("feed-forward", "C0"), ("attention", "C1")):
        left.plot(exact[name], measured[name], "o", ms=4, color=colour, label=name)
    span = np.array([0.8, 2.1])
    left.plot(span, span, color="grey", lw=1)
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
    table = {"test": np.arange(len(tests)), "noise fraction": margins.noise_fraction(tests, run.config.num_tokens)}
    for name in ("feed-forward", "attention"):
        table |= {f"{name}: measured / printed": measured[name], f"{name}: exact / printed": exact[name]}
    return Artefact(figure, table, caption)


def grid(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=2, laptop=3, paper=5)
    return (OneStepMargins(seeds=seeds, samples=scale.pick(smoke=4096, laptop=8192, paper=65536)),)


EXPERIMENTS = (
    Experiment(
        id="association/thm-1",
        title="One gradient step: the noise goes to the feed-forward block",
        grid=grid,
        claims=(THEOREM_1, EXACT),
        render=render,
    ),
)
