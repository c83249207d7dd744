"""Figure 6: the same number of parameters spent on MLPs or on attention, and how well bigrams are learned with it."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Int, Key

from lemmata.core import Artefact, Metrics, RunConfig, RunContext, RunOutput, RunResult, Scale, named_key, require
from lemmata.core.legacy import Claim, Experiment, Monotone, Results
from lemmata.models.matmul import MatmulPrecision
from lemmata.papers.association.model import MLP, Transformer, TransformerConfig, block_weights
from lemmata.papers.association.probe.readings import trained
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure
from lemmata.train import StochasticDescent, fit_many, next_token_loss, stack


@dataclass(frozen=True, kw_only=True)
class BigramAllocation(RunConfig):
    """Two layers of `units` each: hidden units of the MLP plus inner width of W_O W_V. Either costs 2 d parameters a
    unit, so a total is a number of units and an allocation the MLP's share of it; W_QK is the same for all.

    Every allocation trains with every rate; an allocation smaller than the largest is padded with units whose weights
    are zero on both sides, which gradient descent leaves at zero: one compiled program serves all.
    """

    kind = "association/bigram-allocation"

    task: RecallConfig = field(default_factory=lambda: RecallConfig(loss_on="bigrams"))
    width: int = 256
    units: tuple[int, ...] = (320, 640, 1280)
    shares: tuple[float, ...] = (0.125, 0.375, 0.625, 0.875)
    rates: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    momentum: float = 0.9
    batch: int = 512
    steps: int = 100
    test_sequences: int = 256
    precision: MatmulPrecision = "float32"
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(self.task.loss_on == "bigrams", "task.loss_on", self.task.loss_on, "bigrams")
        require(all(0 < share < 1 for share in self.shares), "shares", self.shares, "between 0 and 1")
        require(all(rate > 0 for rate in self.rates), "rates", self.rates, "positive")
        require(len(self.units) >= 1 and min(self.units) >= 8, "units", self.units, "at least 8 each")

    def execute(self, context: RunContext) -> RunOutput:
        task = NoisyRecall.create(self.task)
        hidden, inner, rate, seed = (np.array(column) for column in zip(*self.cells(), strict=True))
        config = TransformerConfig(
            vocab=self.task.vocab,
            length=self.task.length,
            width=self.width,
            hidden=int(hidden.max()),
            value_width=int(inner.max()),
            precision=self.precision,
        )
        sgd = optax.inject_hyperparams(optax.sgd, static_args="momentum")
        optimizer = sgd(learning_rate=0.1, momentum=self.momentum)  # each replica's own rate is put into its state
        algorithm = StochasticDescent(optimizer, self.batch, next_token_loss, block_weights)
        test = eqx.filter_jit(lambda key: task.sample(self.test_sequences, key=key))(named_key(0, "test"))

        def start(hidden: Int[Array, ""], inner: Int[Array, ""], rate: Array, key: Key[Array, ""]) -> Any:
            state = algorithm.init(allocate(Transformer.create(config, key=key), hidden, inner))
            return eqx.tree_at(lambda s: s.opt_state.hyperparams["learning_rate"], state, rate)

        def probe(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
            return {"test_loss": next_token_loss(model, test)}

        keys = jnp.stack([named_key(int(one), "init") for one in seed])
        rates = jnp.asarray(rate, dtype=jnp.float32)
        state = eqx.filter_jit(jax.vmap(start))(jnp.asarray(hidden), jnp.asarray(inner), rates, keys)
        _, metrics = fit_many(
            algorithm,
            stack([task] * len(seed)),
            state,
            jnp.stack([named_key(int(one), "data") for one in seed]),
            steps=self.steps,
            every=self.steps // 5,
            probe=probe,
            context=context,
        )
        floor = _floor(self.task, test.tokens, test.targets, test.mask)
        columns = {"units": hidden + inner, "hidden": hidden, "rate": rate, "seed": seed}
        final = {name: values[:, -1].astype(float) for name, values in metrics.items()}
        return RunOutput(columns | final, {"floor": np.array([floor])})

    def cells(self) -> list[tuple[int, int, float, int]]:
        """Hidden units, inner width, rate and seed of every replica."""
        return [
            (round(share * units), units - round(share * units), rate, seed)
            for units in self.units
            for share in self.shares
            for rate in self.rates
            for seed in self.seeds
        ]


def allocate(model: Transformer, hidden: Int[Array, ""], inner: Int[Array, ""]) -> Transformer:
    """The model with the units beyond `hidden` and `inner` set to zero, and what they feed drawn for their number."""

    def narrowed(block: Any) -> Any:
        feed: MLP = block.feed
        unit, place = jnp.arange(feed.outer.shape[1]) < hidden, jnp.arange(block.value.shape[0]) < inner
        wider_feed, wider_value = jnp.sqrt(len(unit) / hidden), jnp.sqrt(len(place) / inner)
        new = MLP(feed.inner * unit, feed.outer * unit * wider_feed)
        parts = (block.value * place[:, None], block.output * place * wider_value, new)
        return eqx.tree_at(lambda b: (b.value, b.output, b.feed), block, parts)

    return eqx.tree_at(lambda m: m.blocks, model, tuple(narrowed(block) for block in model.blocks))


def _floor(config: RecallConfig, tokens: Array, targets: Array, mask: Array) -> float:
    """The loss of the true bigram on the test positions."""
    kept = np.asarray(mask)
    bigram = config.statistics().bigram
    return float(-np.log(bigram[np.asarray(tokens)[kept], np.asarray(targets)[kept]]).mean())


def allocation_run(scale: Scale) -> BigramAllocation:
    return BigramAllocation(
        task=RecallConfig(
            symbols=scale.pick(smoke=8, laptop=16, paper=65),
            length=scale.pick(smoke=12, laptop=24, paper=256),
            loss_on="bigrams",
        ),
        width=scale.pick(smoke=8, laptop=32, paper=256),
        units=scale.pick(smoke=(8, 16), laptop=(32, 64, 128), paper=(320, 640, 1280)),
        rates=scale.pick(smoke=(0.03, 0.1), laptop=(0.03, 0.1, 0.3), paper=(0.003, 0.01, 0.03, 0.1)),
        batch=scale.pick(smoke=8, laptop=16, paper=512),
        steps=scale.pick(smoke=5, laptop=100, paper=100),
        test_sequences=scale.pick(smoke=16, laptop=64, paper=128),
        precision=scale.pick(smoke="float32", laptop="float32", paper="tensorfloat32"),
        seeds=scale.seeds(smoke=2, laptop=3, paper=1),
    )


def best_losses(run: RunResult, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each share of the MLP: the share, the loss [seed] at the rate whose mean loss is smallest, and that rate."""
    shares, losses, rates = [], [], []
    for hidden in np.unique(run.column("hidden", units=units)):
        by_rate = {r: run.column("test_loss", units=units, hidden=hidden, rate=r) for r in run.config.rates}
        by_rate = {r: np.where(np.isfinite(loss), loss, np.inf) for r, loss in by_rate.items()}
        best = min(by_rate, key=lambda r: float(by_rate[r].mean()))
        shares.append(hidden / units)
        losses.append(by_rate[best])
        rates.append(best)
    return np.array(shares), np.array(losses), np.array(rates)


def _losses(results: Results) -> np.ndarray:
    """[total, share], means over seeds, the MLP's share growing."""
    run = results.runs[0]
    return np.array([best_losses(run, units)[1].mean(axis=1) for units in run.config.units])


FIGURE_6 = Claim(
    id="association/fig-6",
    locus="Appendix A, Figure 6",
    statement="At a fixed total of parameters, after 100 steps at the best rate of a search, models with fewer "
    "parameters in their MLPs (and more in attention) have a higher loss on bigrams (rule: at every total the loss "
    "never rises by more than 0.01 nats from one share of the MLP to the next larger).",
    predict=lambda results: "decreasing",
    measure=lambda results: trained(results, _losses(results)),
    control=lambda results: _losses(results)[:, ::-1],  # the shares exchanged
    check=Monotone(slack=0.01),
)


def render_figure_6(results: Results) -> Artefact:
    run = results.runs[0]
    config = run.config
    figure, ax = new_figure(width=5.6, height=3.8)
    table: dict[str, list[Any]] = {"parameters": [], "share_in_mlp": [], "loss": [], "std": [], "rate": []}
    for units, colour in zip(config.units, CYCLE, strict=False):
        shares, losses, rates = best_losses(run, units)
        parameters = 2 * (2 * config.width * units + config.width**2)
        band(ax, shares, losses.T, f"{parameters / 1000:.0f}k parameters", color=colour, marker="o")
        table["parameters"] += [parameters] * len(shares)
        table["share_in_mlp"] += shares.tolist()
        table["loss"] += losses.mean(axis=1).tolist()
        table["std"] += losses.std(axis=1).tolist()
        table["rate"] += rates.tolist()
    floor = float(np.ravel(run.arrays["floor"])[0])
    ceiling(ax, floor, f"the true bigram: {floor:.2f}")
    ax.set(xlabel="share of the MLPs (of 2 d · units a layer)", ylabel="loss on bigrams, nats")
    legend(ax)
    rates_searched = ", ".join(f"{rate:g}" for rate in config.rates)
    caption = (
        f"Loss on bigrams after {config.steps} steps, at the best rate of {rates_searched} for each point (momentum "
        f"{config.momentum:g}), on test sequences of the same distribution; data are fresh at every step. "
        f"N = {config.task.symbols}, T = {config.task.length}, d = {config.width}, batch {config.batch}, "
        f"{len(config.seeds)} seeds (mean and one standard deviation). W_QK, the same for all, is counted in the total."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    Experiment(
        id="association/fig-6",
        title="Bigrams and the share of parameters in MLPs",
        grid=lambda scale: (allocation_run(scale),),
        claims=(FIGURE_6,),
        render=render_figure_6,
    ),
)
