"""The training run of noisy in-context recall that Figures 3, 4 and 7-13 share."""

from dataclasses import dataclass, field
from functools import cache, partial
from typing import Annotated, Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import Metrics, RunConfig, RunContext, RunOutput, named_key, named_keys, require, to_jax
from lemmata.core.config import UNSAID
from lemmata.core.constraints import Bound, Count, Natural, Positive, Share, Some
from lemmata.papers.association.model import Transformer, TransformerConfig, batched_nll, block_weights
from lemmata.papers.association.model.truncate import resolve_paths, truncate_compiled
from lemmata.papers.association.probe.answers import answers_of_edits, answers_of_ranks
from lemmata.papers.association.probe.held_out import HeldOut, answer_shown, clearest_example, first, held_out
from lemmata.papers.association.probe.snapshot import (
    attention_mass,
    feed_margin,
    follower_scores,
    matching_logits,
    snapshot,
    token_scores,
)
from lemmata.papers.association.probe.sweep import rank_sweep, removed
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, History, OptimizerConfig, QueryLoss, SGDConfig, fit_many, stack, unstack


@cache  # tracing a model takes longer than everything else that is checked
def _shapes(model: TransformerConfig) -> Any:
    return eqx.filter_eval_shape(partial(_untrained, model))


def _untrained(model: TransformerConfig) -> Transformer:
    return Transformer.create(model, key=named_key(0, "init"))


@dataclass(frozen=True, kw_only=True)
class RecallTraining(RunConfig):
    """Two layers on noisy recall, watched on clean data; `clean_steps` first train without noise (appendix B.1).

    Columns are "edit.answer" (as "without_F2.correct"), arrays "moment.part" (as "final.feed_logits") or
    "sweep.answer", [matrix, seed, fraction]; phase 0 is clean training, 1 noisy.
    """

    kind = "association/recall-training"
    version = 2

    task: RecallConfig = field(default_factory=RecallConfig)
    model: TransformerConfig = field(default_factory=TransformerConfig)
    optimizer: OptimizerConfig = field(default_factory=SGDConfig)
    batch: Count = 512
    clean_steps: Natural = 0
    steps: Count = 2000  # with noise
    early_steps: Natural = 0  # the first of these, each recorded
    every: Count = 5  # a record each so many steps
    truncated: Some[str] = ("blocks.1.feed.inner",)  # the matrices whose rank is cut at the end, one at a time,
    fractions: tuple[Share, ...] = ()  # to these fractions of it
    watch_ranks: bool = False  # cut the rank of U_in of F_2 at every record too
    test_sequences: Annotated[int, Bound(least=4)] = 128  # clean, at a record; a quarter as many noisy to attend to
    final_sequences: int = 1024
    # Noisy ones over which attention is averaged at a moment, `test_sequences` unless given. All seeds look at the
    # same ones: with few, their mean is off by more than the seeds' interval tells.
    attended_sequences: Count | None = field(default=None, metadata=UNSAID)
    maps: bool = False  # keep attention maps and memories of the first, the clean and the last model
    # The learning rate from the first noise on, the optimizer's own unless given.
    noisy_rate: Positive | None = field(default=None, metadata=UNSAID)
    # Read cut models without the last layer's residual too, and with a token's direction removed from W_O^1.
    bare: bool = field(default=False, metadata=UNSAID)
    roles: bool = field(default=False, metadata=UNSAID)  # keep appendix B.2's scores of the first and the last model
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        require(len(self.model.feeds) == 2, "model.feeds", self.model.feeds, "two layers")
        for name, wanted in (("vocab", self.task.vocab), ("length", self.task.length)):
            allowed = f"the task's is {wanted}: set both"
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), allowed)
        if self.fractions:
            for path in self.truncated:
                resolve_paths(_shapes(self.model), path)  # refuses a name that is not there
        possible = not self.bare or (set(self.model.feeds) == {"none"} and bool(self.fractions))
        require(possible, "bare", self.bare, "False where there are feed-forward layers or no ranks are cut")
        watchable = self.model.feeds[1] == "mlp" or not self.watch_ranks
        require(watchable, "watch_ranks", self.watch_ranks, "False where the second layer has no MLP")
        require(self.early_steps < self.steps, "early_steps", self.early_steps, f"0 to {self.steps - 1}")
        for stage in self.stages():
            allowed = f"a multiple of every = {self.every}, early_steps apart"
            require(stage.steps % stage.every == 0, f"steps ({stage.name})", stage.steps, allowed)
        allowed = f"4 to final_sequences = {self.final_sequences}"
        require(self.test_sequences <= self.final_sequences, "test_sequences", self.test_sequences, allowed)
        attended, most = self.attended_sequences, self.final_sequences
        require(
            attended is None or attended <= most, "attended_sequences", attended, f"at most final_sequences = {most}"
        )

    def execute(self, context: RunContext) -> RunOutput:
        task = NoisyRecall.create(self.task)
        objective = Batches(QueryLoss(task.queries, batched_nll), self.batch)
        algorithm = Descent(objective, block_weights, self.optimizer, self.optimizer.rate)
        noisy = Descent(objective, block_weights, self.optimizer, self.noisy_rate or self.optimizer.rate)
        # Not compiled as a whole: models of all depths and kinds share the draws of their matrices, one a shape.
        models = [Transformer.create(self.model, key=named_key(seed, "init")) for seed in self.seeds]
        test = held_out(task, self.final_sequences)
        several = first(test.noisy, self.test_sequences)
        noise, example = self.task.noise_token, clearest_example(several, self.task.noise_token)
        attended = first(test.noisy, self.attended_sequences or self.test_sequences)

        @eqx.filter_jit
        def paint(models: Any, sample: Any, attended: Any, example: Array) -> dict[str, Array]:
            return jax.lax.map(lambda model: snapshot(model, sample, attended, noise, example), models)

        def snapshots(moment: str) -> dict[str, np.ndarray]:
            painted = paint(stack(models), several, attended, to_jax(example)) if self.maps else {}
            if self.roles:
                trigger = self.task.triggers[0]
                scores = {"token_scores": token_scores, "carried_scores": matching_logits}
                painted |= {name: np.stack([of(model) for model in models]) for name, of in scores.items()}
                painted["follower_scores"] = np.stack([follower_scores(model, trigger) for model in models])
            return {f"{moment}.{name}": np.asarray(value) for name, value in painted.items()}

        arrays, tables, probe = snapshots("initial"), [], self.probe(test)  # one probe: one program for all stages
        state = stack([algorithm.init(model) for model in models])
        for stage in self.stages():
            state, history = fit_many(
                noisy if stage.phase else algorithm,
                stack([task.with_table_of(stage.alpha)] * len(self.seeds)),
                state,
                named_keys(self.seeds, "data", stage.name),
                steps=stage.steps,
                every=stage.every,
                probe=probe,
                context=context,
                stage=stage.name,
            )
            models = unstack(state.model)
            if stage.name == "early":  # its last record is the next stage's first
                history = History({name: values[:, :-1] for name, values in history.items()}, history.steps[:-1])
            table = history.table(seed=self.seeds, phase=[stage.phase] * len(self.seeds))
            tables.append(table | {"step": stage.first + table["step"]})
            if stage.name != "early":
                arrays |= snapshots(stage.name)
            if stage.name == "clean":
                state = stack([algorithm.init(model) for model in models])  # fine-tuning starts without momentum
        weights = jax.tree.leaves(eqx.filter(models, eqx.is_inexact_array))
        if self.fractions and all(np.isfinite(weight).all() for weight in weights):  # a diverged model has no rank
            bare = self.bare
            arrays |= rank_sweep(models, self.truncated, self.fractions, test.clean, noise, bare=bare)
            arrays |= removed(models, test.clean, noise, self.task.outputs()[-1]) if bare else {}
        arrays |= {
            "example_tokens": np.asarray(several.tokens[example]),
            "example_correct": np.asarray(several.correct[example]),
            "shown": np.asarray(answer_shown(test.clean)),
        }
        return RunOutput({name: np.concatenate([table[name] for table in tables]) for name in tables[0]}, arrays)

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
        inner = tuple(fraction for fraction in self.fractions if 0 < fraction < 1) if self.watch_ranks else ()
        noise, trigger, another = self.task.noise_token, self.task.triggers[0], self.task.outputs()[-1]
        samples = first(test.clean, self.test_sequences), first(test.noisy, self.test_sequences // 4)
        present = [layer for layer, kind in enumerate(self.model.feeds) if kind != "none"]

        def probe(model: Any, task: Any, key: Key[Array, ""]) -> Metrics:
            clean, noisy = jax.lax.optimization_barrier(samples)  # or the compiler spends long on folding constants
            dropped = {f"without_F{i + 1}": truncate_compiled(model, f"blocks.{i}.feed", (0.0,))[0] for i in present}
            return {
                **answers_of_edits({"full": model} | dropped, clean, noise),
                **(answers_of_ranks(model, inner, clean, noise) if inner else {}),
                **attention_mass(model, noisy, noise),
                "margin": feed_margin(model, trigger, noise),
                "margin_of_another": feed_margin(model, trigger, another),
            }

        return probe


class Stage(NamedTuple):
    """A part of a run with one noise level and one rhythm of records."""

    name: str
    phase: int
    first: int
    steps: int
    every: int
    alpha: float
