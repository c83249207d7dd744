"""The training run of noisy in-context recall that Figures 3, 4 and 7-13 share, and its settings at each scale."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, Scale, named_key, require
from lemmata.models.association import FeedKind, Transformer, TransformerConfig, block_weights
from lemmata.models.truncate import decompose, truncate_compiled
from lemmata.papers.association.watching import (
    HeldOut,
    answer_shown,
    answers_of_edits,
    answers_of_ranks,
    first,
    held_out,
    joined,
    portrait,
    rank_name,
    unstack,
)
from lemmata.probes.association import attention_mass, feed_margin
from lemmata.tasks.association import NoisyRecall, RecallConfig
from lemmata.train import OptimizerConfig, QueryLoss, SGDConfig, StochasticDescent, fit, stack

RANKS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)  # of U_in in F_2, Figure 3's rho
DROPPED = {"without_F1": "blocks.0.feed", "without_F2": "blocks.1.feed"}


@dataclass(frozen=True, kw_only=True)
class RecallTraining(RunConfig):
    """Two layers on noisy recall, watched on clean data; `clean_steps` first train without noise (appendix B.1)."""

    kind = "association/recall-training"

    task: RecallConfig = field(default_factory=RecallConfig)
    model: TransformerConfig = field(default_factory=TransformerConfig)
    optimizer: OptimizerConfig = field(default_factory=SGDConfig)
    batch: int = 512
    clean_steps: int = 0
    steps: int = 2000  # with noise
    every: int = 5  # a record each so many steps
    truncated: str = "blocks.1.feed.inner"  # the matrix whose rank is cut at the end
    fractions: tuple[float, ...] = RANKS
    watch_ranks: bool = False  # cut the rank of U_in of F_2 at every record too
    test_sequences: int = 128  # of clean data, at a record; a quarter as many noisy ones for the attention
    final_sequences: int = 1024
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(len(self.model.feeds) == 2, "model.feeds", self.model.feeds, "two layers")
        for name, wanted in (("vocab", self.task.vocab), ("length", self.task.length)):
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), f"{wanted}")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        allowed = f"4 to final_sequences = {self.final_sequences}"
        require(4 <= self.test_sequences <= self.final_sequences, "test_sequences", self.test_sequences, allowed)

    def execute(self, context: RunContext) -> RunOutput:
        task = NoisyRecall.create(self.task)
        test = held_out(task, self.final_sequences)
        algorithm = StochasticDescent(self.optimizer.optimizer(), self.batch, QueryLoss(task.queries), block_weights)
        create = eqx.filter_jit(lambda key: Transformer.create(self.model, key=key))
        models = [create(named_key(seed, "init")) for seed in self.seeds]
        several = first(test.noisy, self.test_sequences)
        paint = eqx.filter_jit(lambda ms: jax.lax.map(lambda m: portrait(m, several, self.task.noise_token), ms))

        def portraits(moment: str) -> dict[str, np.ndarray]:
            return {f"{moment}.{name}": np.asarray(value) for name, value in paint(stack(models)).items()}

        arrays, rows = portraits("initial"), []
        stages = (("clean", self.clean_steps, 0.0), ("final", self.steps, self.task.alpha))
        for phase, (stage, steps, alpha) in enumerate(stages):
            if steps:
                state, metrics = fit(
                    algorithm,
                    stack([task.with_alpha(alpha)] * len(self.seeds)),
                    stack([algorithm.init(model) for model in models]),  # the momentum starts anew
                    jnp.stack([named_key(seed, "data", stage) for seed in self.seeds]),
                    steps=steps,
                    every=self.every,
                    probe=self.probe(test),
                    context=context,
                    stage=stage,
                )
                models = unstack(state.model)
                rows.append(self.table(metrics, phase))
                arrays |= portraits(stage)
        arrays |= self.rank_sweep(models, test)
        arrays |= {
            "example_tokens": np.asarray(test.noisy.tokens[0]),
            "example_correct": np.asarray(test.noisy.correct[0]),
            "shown": np.asarray(answer_shown(test.clean)),
        }
        return RunOutput(joined(rows), arrays)

    def probe(self, test: HeldOut) -> Any:
        """Of the full model and each edit of it: answers on clean data; of the full one, where it looks."""
        inner = tuple(fraction for fraction in self.fractions if 0 < fraction < 1)
        noise, trigger, another = self.task.noise_token, self.task.triggers[0], self.task.outputs()[-1]
        clean, noisy = first(test.clean, self.test_sequences), first(test.noisy, self.test_sequences // 4)

        def probe(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
            edits = {"full": model} | {
                name: truncate_compiled(model, path, (0.0,))[0] for name, path in self.dropped().items()
            }
            return {
                **answers_of_edits(edits, clean, noise),
                **(answers_of_ranks(model, inner, clean, noise) if self.watch_ranks else {}),
                **attention_mass(model, noisy, noise),
                "margin": feed_margin(model, trigger, noise),
                "margin_of_another": feed_margin(model, trigger, another),
            }

        return probe

    def dropped(self) -> dict[str, str]:
        """The feed-forward layers that are there to drop."""
        kinds = dict(zip(DROPPED, self.model.feeds, strict=True))
        return {name: DROPPED[name] for name, kind in kinds.items() if kind != "none"}

    def rank_sweep(self, models: list[Any], test: HeldOut) -> dict[str, np.ndarray]:
        """Exact truncation at every fraction, on the larger clean sample: arrays of [seed, fraction]."""
        names = [rank_name(fraction) for fraction in self.fractions]
        read = eqx.filter_jit(lambda edits: answers_of_edits(edits, test.clean, self.task.noise_token))
        found = []
        for model in models:
            decomposition = decompose(model, self.truncated)
            cut = [decomposition.truncate(fraction=fraction)[0] for fraction in self.fractions]
            found.append(read(dict(zip(names, cut, strict=True))))
        what = {key.split(".")[-1] for key in found[0]}
        return {
            f"sweep.{one}": np.array([[float(values[f"{n}.{one}"]) for n in names] for values in found])
            for one in sorted(what)
        }

    def table(self, metrics: dict[str, np.ndarray], phase: int) -> dict[str, np.ndarray]:
        """Metrics of shape (seed, record) as long columns; phase 0 is clean, 1 noisy."""
        count, records = metrics["loss"].shape
        return {
            "seed": np.repeat(np.array(self.seeds), records),
            "phase": np.full(count * records, phase),
            "step": np.tile(self.every * np.arange(records), count),
            **{name: values.reshape(-1).astype(float) for name, values in metrics.items()},
        }


def recall_training(scale: Scale, feeds: tuple[FeedKind, FeedKind] = ("mlp", "mlp"), **changes: Any) -> RecallTraining:
    """The run at a scale. Laptop: the paper's corpus, optimizer and noise on the 16 most frequent characters."""
    symbols = scale.pick(smoke=8, laptop=16, paper=65)
    length = scale.pick(smoke=16, laptop=48, paper=256)
    task = RecallConfig(symbols=symbols, length=length, triggers=changes.pop("triggers", (1,)))
    model = TransformerConfig(
        vocab=task.vocab,
        length=length,
        width=scale.pick(smoke=16, laptop=64, paper=256),
        feeds=feeds,
        precision=scale.pick(smoke="float32", laptop="float32", paper="tensorfloat32"),
    )
    settings: dict[str, Any] = {
        "task": task,
        "model": model,
        "batch": scale.pick(smoke=8, laptop=32, paper=512),
        "steps": scale.pick(smoke=10, laptop=600, paper=2000),
        "every": 5,
        "test_sequences": scale.pick(smoke=16, laptop=48, paper=128),
        "final_sequences": scale.pick(smoke=32, laptop=512, paper=1024),
        "seeds": scale.seeds(smoke=2, laptop=3, paper=1),
    }
    return RecallTraining(**(settings | changes))


def main_run(scale: Scale) -> RecallTraining:
    """Both layers with an MLP, noise from the first step on: Figures 3, 4 left, 7, 8 left, 9 left and 10."""
    return recall_training(scale, watch_ranks=True)


def fine_tuned_run(scale: Scale) -> RecallTraining:
    """Clean first, then noise (appendix B.1): Figures 4 right and 8 right."""
    steps = scale.pick(smoke=10, laptop=300, paper=1000)
    return recall_training(scale, clean_steps=steps, steps=steps)
