"""The training run of noisy in-context recall that Figures 3, 4 and 7-13 share, and its settings at each scale."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, Scale, named_key, require
from lemmata.models.truncate import decompose, resolve_paths, truncate_compiled
from lemmata.papers.association.model import FeedKind, Transformer, TransformerConfig, block_weights
from lemmata.papers.association.probe import attention_mass, feed_margin
from lemmata.papers.association.probe.answers import (
    HeldOut,
    answer_shown,
    answers_of_edits,
    answers_of_ranks,
    first,
    held_out,
    joined,
    portrait,
    rank_name,
    telling_example,
    unstack,
)
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import OptimizerConfig, QueryLoss, SGDConfig, StochasticDescent, fit_many, stack

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
    early_steps: int = 0  # the first of these, each recorded
    every: int = 5  # a record each so many steps
    truncated: str = "blocks.1.feed.inner"  # the matrix whose rank is cut at the end,
    fractions: tuple[float, ...] = ()  # to these fractions of it
    watch_ranks: bool = False  # cut the rank of U_in of F_2 at every record too
    test_sequences: int = 128  # of clean data, at a record; a quarter as many noisy ones for the attention
    final_sequences: int = 1024
    maps: bool = False  # keep attention maps and memories of the first, the clean and the last model
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(len(self.model.feeds) == 2, "model.feeds", self.model.feeds, "two layers")
        for name, wanted in (("vocab", self.task.vocab), ("length", self.task.length)):
            allowed = f"the task's is {wanted}: set both"
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), allowed)
        for name in ("batch", "steps", "every"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        require(self.clean_steps >= 0, "clean_steps", self.clean_steps, "not negative")
        require(all(0 <= f <= 1 for f in self.fractions), "fractions", self.fractions, "each from 0 to 1")
        shapes = eqx.filter_eval_shape(lambda: Transformer.create(self.model, key=named_key(0, "init")))
        resolve_paths(shapes, self.truncated if self.fractions else "blocks")  # refuses a name that is not there
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")
        require(0 <= self.early_steps < self.steps, "early_steps", self.early_steps, f"0 to {self.steps - 1}")
        allowed = f"4 to final_sequences = {self.final_sequences}"
        require(4 <= self.test_sequences <= self.final_sequences, "test_sequences", self.test_sequences, allowed)

    def execute(self, context: RunContext) -> RunOutput:
        task = NoisyRecall.create(self.task)
        algorithm = StochasticDescent(
            self.optimizer(self.optimizer.rate), self.batch, QueryLoss(task.queries), block_weights
        )
        create = eqx.filter_jit(lambda key: Transformer.create(self.model, key=key))
        models = [create(named_key(seed, "init")) for seed in self.seeds]
        test = held_out(task, self.final_sequences)
        several = first(test.noisy, self.test_sequences)
        noise, example = self.task.noise_token, telling_example(several, self.task.noise_token)
        paint = eqx.filter_jit(lambda ms, sample: jax.lax.map(lambda m: portrait(m, sample, noise, example), ms))

        def portraits(moment: str) -> dict[str, np.ndarray]:
            painted = paint(stack(models), several) if self.maps else {}
            return {f"{moment}.{name}": np.asarray(value) for name, value in painted.items()}

        arrays, rows = portraits("initial"), []
        state = stack([algorithm.init(model) for model in models])
        for stage in self.stages():
            state, metrics = fit_many(
                algorithm,
                stack([task.with_alpha(stage.alpha)] * len(self.seeds)),
                state,
                jnp.stack([named_key(seed, "data", stage.name) for seed in self.seeds]),
                steps=stage.steps,
                every=stage.every,
                probe=self.probe(test),
                context=context,
                stage=stage.name,
            )
            models = unstack(state.model)
            rows.append(self.table(metrics, stage))
            if stage.name != "early":
                arrays |= portraits(stage.name)
            if stage.name == "clean":
                state = stack([algorithm.init(model) for model in models])  # fine-tuning starts without momentum
        if self.fractions:
            arrays |= self.rank_sweep(models, test)
        arrays |= {
            "example_tokens": np.asarray(several.tokens[example]),
            "example_correct": np.asarray(several.correct[example]),
            "shown": np.asarray(answer_shown(test.clean)),
        }
        return RunOutput(joined(rows), arrays)

    def stages(self) -> list["Stage"]:
        """Clean training, then noisy training with its first steps recorded one by one: those that are asked for."""
        every, early, alpha = self.every, self.early_steps, self.task.alpha
        stages = [
            Stage("clean", phase=0, first=0, steps=self.clean_steps, every=every, alpha=0.0),
            Stage("early", phase=1, first=0, steps=early, every=1, alpha=alpha),
            Stage("final", phase=1, first=early, steps=self.steps - early, every=every, alpha=alpha),
        ]
        return [stage for stage in stages if stage.steps]

    def probe(self, test: HeldOut) -> Any:
        """Of the full model and each edit of it: answers on clean data; of the full one, where it looks."""
        inner = tuple(fraction for fraction in self.fractions if 0 < fraction < 1)
        noise, trigger, another = self.task.noise_token, self.task.triggers[0], self.task.outputs()[-1]
        samples = first(test.clean, self.test_sequences), first(test.noisy, self.test_sequences // 4)

        def probe(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
            clean, noisy = jax.lax.optimization_barrier(samples)  # or the compiler spends long on folding constants
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
        read = eqx.filter_jit(lambda edits, sample: answers_of_edits(edits, sample, self.task.noise_token))
        found = []
        for model in models:
            decomposition = decompose(model, self.truncated)
            cut = [decomposition.truncate(fraction=fraction)[0] for fraction in self.fractions]
            found.append(read(dict(zip(names, cut, strict=True)), test.clean))
        what = {key.split(".")[-1] for key in found[0]}
        return {
            f"sweep.{one}": np.array([[float(values[f"{n}.{one}"]) for n in names] for values in found])
            for one in sorted(what)
        }

    def table(self, metrics: dict[str, np.ndarray], stage: "Stage") -> dict[str, np.ndarray]:
        """Metrics of shape (seed, record) as long columns; phase 0 is clean, 1 noisy."""
        if stage.name == "early":  # its last record is the next stage's first
            metrics = {name: values[:, :-1] for name, values in metrics.items()}
        count, records = metrics["loss"].shape
        return {
            "seed": np.repeat(np.array(self.seeds), records),
            "phase": np.full(count * records, stage.phase),
            "step": np.tile(stage.first + stage.every * np.arange(records), count),
            **{name: values.reshape(-1).astype(float) for name, values in metrics.items()},
        }


class Stage(NamedTuple):
    """A part of a run with one noise level and one rhythm of records."""

    name: str
    phase: int
    first: int
    steps: int
    every: int
    alpha: float


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
    steps = scale.pick(smoke=10, laptop=1000, paper=2000)
    return recall_training(scale, maps=True, fractions=RANKS, watch_ranks=True, steps=steps)


def fine_tuned_run(scale: Scale) -> RecallTraining:
    """Clean first, then noise (appendix B.1): Figures 4 right and 8 right."""
    steps = scale.pick(smoke=10, laptop=300, paper=1000)
    early = scale.pick(smoke=0, laptop=20, paper=20)
    return recall_training(scale, maps=True, clean_steps=steps, steps=steps, early_steps=early)
