"""Appendix B.3: the feed-forward map alone learns the noise logit; where it stops and how large a step may be."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import Artefact, RunConfig, RunContext, RunOutput, Scale, TrainState, named_key, precision, require
from lemmata.core.legacy import Claim, Close, Each, Experiment, Monotone, Results
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import TRIGGER, sample, theory_task, zero_model
from lemmata.papers.association.theory import RecallChain, noise_logit
from lemmata.report.plots import ceiling, new_figure
from lemmata.train import fit_many, stack
from lemmata.train.gradient_descent import GradientDescent


class Pairs(eqx.Module):
    """How often each (z_{T-1}, y) occurred: with W_V = 0 the loss sees nothing else of a sequence."""

    contexts: Int[Array, "previous 2"]  # the sequences (z_{T-1}, q)
    chance: Float[Array, "previous outputs"]


@dataclass(frozen=True, kw_only=True)
class NoiseLogitDescent(RunConfig):
    """Gradient descent on W_F with W_V = W_QK = 0, on sampled sequences, at several step sizes."""

    kind = "association/noise-logit"
    version = 1

    num_tokens: int = 32  # N
    length: int = 64  # T
    alpha: float = 0.3
    samples: int = 65536
    batch: int = 4096
    steps: int = 150
    ratios: tuple[float, ...] = tuple(round(0.80 + 0.02 * i, 2) for i in range(21))  # of the step to the printed bound
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.batch >= 1, "batch", self.batch, "at least 1")
        require(self.samples % self.batch == 0, "samples", self.samples, f"a multiple of batch = {self.batch}")
        require(self.steps >= 1, "steps", self.steps, "at least 1")
        _ = self.chain  # refuses impossible sizes and noise levels

    @property
    def chain(self) -> RecallChain:
        return RecallChain(self.num_tokens, self.length, self.alpha)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            pairs = self._pairs()
            bound = noise_logit.largest_step(self.alpha)
            algorithm = GradientDescent(_loss, lambda m: m.feed, bound)
            start = algorithm.init(zero_model(self.chain, self.seed))
            states = stack([TrainState(start.model, jnp.asarray(ratio * bound)) for ratio in self.ratios])
            keys = jax.random.split(named_key(self.seed, "unused"), len(self.ratios))
            tasks = stack([pairs] * len(self.ratios))
            _, rows = fit_many(
                algorithm, tasks, states, keys, steps=self.steps, every=1, probe=_lead, replicas="vmap", context=context
            )
        records = self.steps + 1
        return RunOutput(
            {
                "ratio": np.repeat(self.ratios, records),
                "step": np.tile(np.arange(records), len(self.ratios)),
                "lead": rows["lead"].reshape(-1),
                "lead_over_sum": rows["lead_over_sum"].reshape(-1),
            }
        )

    def _pairs(self) -> Pairs:
        n, task = self.num_tokens, theory_task(self.chain)
        chance = np.zeros((n + 1, n + 1))
        for part in range(self.samples // self.batch):
            drawn = sample(task, self.batch, jax.random.fold_in(named_key(self.seed, "data"), part))
            np.add.at(chance, (np.asarray(drawn.tokens[:, -2]), np.asarray(drawn.targets[:, -1])), 1.0)
        contexts = np.stack([np.arange(n + 1), np.full(n + 1, TRIGGER)], axis=1)
        return Pairs(jnp.asarray(contexts), jnp.asarray(chance / chance.sum()))


def _logits(model: SimplifiedModel, pairs: Pairs) -> Float[Array, "previous outputs"]:
    last = jnp.array([1])
    return jax.vmap(lambda tokens: model.at(tokens, last)[0])(pairs.contexts)


def _loss(model: SimplifiedModel, pairs: Pairs, key: Key[Array, ""]) -> Float[Array, ""]:
    return -jnp.sum(pairs.chance * jax.nn.log_softmax(_logits(model, pairs)))


def _lead(model: SimplifiedModel, pairs: Pairs, key: Key[Array, ""]) -> dict[str, Array]:
    """The noise logit over the (soft) mean of the others: B.3's ξ, whose other logits are 0."""
    logits = _logits(model, pairs)
    others = jax.nn.logsumexp(logits[:, :-1], axis=1)
    over_sum = jnp.sum(pairs.chance.sum(axis=1) * (logits[:, -1] - others))
    return {"lead": over_sum + jnp.log(logits.shape[1] - 1), "lead_over_sum": over_sum}


OVERSHOOT = 1e-3


def _curves(results: Results) -> np.ndarray:
    run = results.one(NoiseLogitDescent)
    return run.column("lead").reshape(len(run.config.ratios), -1)


def _critical(results: Results) -> float:
    """The smallest step, over the printed bound, at which the logit passes where it ends."""
    curves = _curves(results)
    over = curves.max(axis=1) - curves[:, -1] > OVERSHOOT
    ratios = np.array(results.one(NoiseLogitDescent).config.ratios)
    return float(ratios[over].min()) if over.any() else float("inf")


def _measure(results: Results, column: str = "lead", alpha: float | None = None) -> dict[str, object]:
    run = results.one(NoiseLogitDescent)
    final = run.column(column, step=run.config.steps, ratio=run.config.ratios[0])[0]
    shifted = np.linspace(-8, -1e-3, 400)
    return {
        "stationary": float(final),
        "critical": _critical(results),
        "bound": noise_logit.step_ratio(shifted, run.config.alpha if alpha is None else alpha),
    }


STATIONARY = Claim(
    id="association/b.3-stationary",
    locus="Appendix B.3",
    statement=(
        "While W_F alone learns, the noise logit tends to ξ* = log N + log(α/(1-α)); it never passes ξ* if "
        "η ≤ 1/(α(1-α)), because the bound on η at each logit below ξ* decreases to that value (α < 1/2). `critical` "
        "is the smallest overshooting step over the printed bound."
    ),
    predict=lambda results: {
        "stationary": noise_logit.stationary_logit(
            results.one(NoiseLogitDescent).config.num_tokens, results.one(NoiseLogitDescent).config.alpha
        ),
        "critical": 1.0,
        "bound": "decreasing",
    },
    measure=_measure,
    control=lambda results: _measure(results, column="lead_over_sum", alpha=0.8),
    # 65,536 sequences leave log(α/(1-α)) a standard error of .0085; B.3 drops factors 1 + O(1/N) of the step.
    check=Each({"stationary": Close(atol=0.05), "critical": Close(atol=0.1), "bound": Monotone(slack=1e-9)}),
    remark=(
        "The first display of the iteration has p(ξ_t) on the right where gradient descent, and the displays that "
        "follow, have p(ξ_{t-1}). On the model of equation (2) the other logits move too and z_{T-1} has an embedding "
        "of its own, so that the true bound is smaller by a factor 1 - O(1/N)."
    ),
)


def render(results: Results) -> Artefact:
    run = results.one(NoiseLogitDescent)
    curves, config = _curves(results), run.config
    star = noise_logit.stationary_logit(config.num_tokens, config.alpha)
    figure, (left, right) = new_figure(1, 2)
    shown = [i for i, ratio in enumerate(config.ratios) if ratio in (0.8, 1.0, 1.1, 1.2)]
    for i in shown:
        left.plot(curves[i, :31], label=f"η = {config.ratios[i]:g} / (α(1-α))")
    ceiling(left, star, "ξ* = log N + log(α/(1-α))")
    left.set(xlabel="step", ylabel="noise logit", ylim=(star - 0.6, star + 0.2))
    left.legend(fontsize=7)
    peak = curves.max(axis=1) - curves[:, -1]
    right.plot(config.ratios, peak, "o-")
    right.axvline(1.0, color="grey", ls="--", lw=1, label="printed bound")
    right.set(xlabel="η α(1-α)", ylabel="overshoot of the noise logit")
    right.legend(fontsize=7)
    caption = (
        f"W_F alone, N = {config.num_tokens}, α = {config.alpha:g}, gradient descent on {config.samples} sequences, "
        f"seed {config.seed}: the noise logit over the mean of the others, and by how much it passes its end."
    )
    table = {"step over bound": np.array(config.ratios), "final logit": curves[:, -1], "overshoot": peak}
    return Artefact(figure, table | {"predicted logit": np.full(len(peak), star)}, caption)


def grid(scale: Scale) -> tuple[RunConfig, ...]:
    return (NoiseLogitDescent(num_tokens=scale.pick(smoke=32, laptop=32, paper=64)),)


EXPERIMENTS = (
    Experiment(
        id="association/b.3",
        title="The noise logit of the feed-forward map: fixed point and step size",
        grid=grid,
        claims=(STATIONARY,),
        render=render,
    ),
)
