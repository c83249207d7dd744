"""The training run of the experimental model that Figures 1, 2, 5, 6 and 7 share, and its settings at each scale."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import RunConfig, RunContext, RunOutput, Scale, named_key, named_keys, optimized_jit, require
from lemmata.core.config import UNSAID, stored_as
from lemmata.core.constraints import Count, NonNegative, Positive, Some
from lemmata.papers.lego import sizes
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, require_sizes
from lemmata.papers.lego.probe.attention import attention_at_lengths, heatmap
from lemmata.papers.lego.probe.chunks import over_replicas
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.prefixes import PREFIX_SHARES, Hidden, accuracy_of_prefixes
from lemmata.papers.lego.probe.rollouts import final_answers
from lemmata.papers.lego.run import next_clause
from lemmata.papers.lego.task import Lego, LegoConfig, action, check_length, distinct
from lemmata.train import fit_many

RECORDS = 20  # of the loss, in each part of a run

# The models of a run, as the table's `branch` names them; `trained_at` is the last length they saw, 0 for the first.
UNTRAINED, BASE = "untrained", "base"
SELF, TRUE = "self", "true"  # on through the stages, by its own labels or by the true ones
SHORT = "short"  # as many steps more at the first length
HIDING: dict[Hidden, str] = {"predicates": "base, other predicates hidden", "answers": "base, other answers hidden"}


@dataclass(frozen=True, kw_only=True)
class LengthTraining(RunConfig):
    """Training at `task.length`, then self-training at each of `stages` (Algorithm 2 as section 7 uses it).

    With stages come two controls from the same first model: as many steps at the first length alone and, if asked for,
    the same stages on true labels. A stage continues from the model before it, with Adam's memory empty and a batch of
    as many answers: batch * task.length / stage sentences.
    """

    kind = "lego/length-training"
    version = 4

    task: LegoConfig = field(default_factory=LegoConfig)
    model: ExperimentalConfig = field(default_factory=ExperimentalConfig)
    learning_rate: Positive = field(default=1e-4, metadata=stored_as("rate"))  # the paper's
    decay: NonNegative = 0.0
    batch: Count = 512
    sequences: Count = 100_000  # sentences of a training set, a stage having its own; the paper does not print it
    epochs: Count = 300  # the paper's; a step draws its sentences with replacement
    stages: tuple[int, ...] = ()
    stage_steps: Count = 5000
    true_labels: bool = field(default=True, metadata=UNSAID)  # a twin through the stages, for comparison
    lengths: tuple[int, ...] = (5, 10, 20, 40, 80, 160)  # of the test sentences
    test_sentences: Count = 512
    map_sentences: Count = 100  # the paper's number
    replicas: Literal["map", "vmap"] = "map"
    # The control at the first length goes on in so many of the seeds, the first; None: in all.
    short_seeds: Count | None = field(default=None, metadata=UNSAID)
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        require_sizes(self.model, self.task)
        require(self.model.vocab < 2**15, "task.variables", self.task.variables, "a vocabulary that 16 bits can hold")
        require(self.stage_steps % RECORDS == 0, "stage_steps", self.stage_steps, f"a multiple of {RECORDS}")
        first = self.task.length
        for length in (*self.lengths, *self.stages, 4 * first):
            check_length(length, self.task.variables)
        rising = first in self.lengths and sorted(set(self.lengths)) == list(self.lengths)
        require(rising, "lengths", self.lengths, f"increasing, with the training length {first} among them")
        rising = sorted({first, *self.stages}) == [first, *self.stages]
        require(rising, "stages", self.stages, f"increasing, each longer than the training length {first}")
        most = self.batch * first
        require(all(stage <= most for stage in self.stages), "stages", self.stages, f"each at most {most}")
        short, count = self.short_seeds, len(self.seeds)
        require(short is None or short <= count, "short_seeds", short, f"None, or at most {count}, the number of seeds")

    @property
    def steps(self) -> int:
        """Of the first training, in whole records."""
        return RECORDS * -(-self.epochs * self.sequences // (self.batch * RECORDS))

    def execute(self, context: RunContext) -> RunOutput:
        task, length = Lego.create(self.task), self.task.length
        models = each_seed(lambda key: ExperimentalReasoner.create(self.model, key=key), self.keys("init"))
        rows = [self.evaluate(models, task, UNTRAINED)]
        arrays = self.snapshots(models, task, "untrained")
        true = self.sentences(task, length)
        models, arrays["loss.base"] = self.train(models, true, length, BASE, self.steps, context)
        arrays |= self.snapshots(models, task, "trained")
        rows.append(self.evaluate(models, task, BASE, length))
        rows += [self.evaluate(models, task, branch, length, hidden) for hidden, branch in HIDING.items()]
        if self.stages:
            steps, few = self.stage_steps * len(self.stages), self.short_seeds or len(self.seeds)
            control = replace(self, seeds=self.seeds[:few], short_seeds=None)
            first, sets = jax.tree.map(lambda leaf: leaf[:few], (models, true))
            longer, arrays["loss.short"] = control.train(first, sets, length, SHORT, steps, context)
            rows.append(control.evaluate(longer, task, SHORT, length))
            found, more = self.self_train(models, task, context)
            rows, arrays = rows + found, arrays | more
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def self_train(self, models: Any, task: Lego, context: RunContext) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Each stage: the last model labels a longer set and learns from that; a twin may learn from true labels."""
        rows, arrays, quality, count = [], {}, [], len(self.seeds)
        branches = (SELF, TRUE) if self.true_labels else (SELF,)  # by its own labels, by the true ones
        learners = dict.fromkeys(branches, models)
        for length in self.stages:
            true = self.sentences(task, length)
            written = each_seed_optimized(next_clause.written_answers, learners[SELF], true)
            quality.append(each_seed(next_clause.label_quality, written, true))
            together, sets = _joined(*learners.values()), _joined(*(written, true)[: len(branches)])
            models, losses = self.train(together, sets, length, f"stage {length}", self.stage_steps, context)
            for number, branch in enumerate(branches):
                own = slice(number * count, (number + 1) * count)
                arrays[f"loss.{branch}.{length}"] = losses[own]
                learners[branch] = jax.tree.map(lambda leaf, own=own: leaf[own], models)
                rows.append(self.evaluate(learners[branch], task, branch, length))
        return rows, arrays | {f"labels.{name}": np.stack([q[name] for q in quality], axis=1) for name in quality[0]}

    def sentences(self, task: Lego, length: int) -> next_clause.SentenceSet:
        """Every seed's training set at a length."""
        keys = self.keys("sentences", str(length))
        return each_seed(lambda key: next_clause.SentenceSet.draw(task, self.sequences, length, key=key), keys)

    def train(
        self, models: Any, sets: Any, length: int, name: str, steps: int, context: RunContext
    ) -> tuple[Any, np.ndarray]:
        """Replicas, one a seed or two (self-labelled, then true), through one stage."""
        algorithm = next_clause.next_clause_adam(
            self.batch * self.task.length // length, self.learning_rate, self.decay
        )
        times = len(jax.tree.leaves(sets)[0]) // len(self.seeds)
        state, history = fit_many(
            algorithm,
            sets,
            each_seed(algorithm.init, models),
            named_keys(self.seeds * times, "steps", name),
            steps=steps,
            every=steps // RECORDS,
            replicas=self.replicas,
            context=context,
            stage=name,
        )
        return state.model, history["loss"]

    def evaluate(
        self, models: Any, task: Lego, branch: str, trained_at: int = 0, hidden: Hidden = ""
    ) -> dict[str, np.ndarray]:
        """Accuracy at every test length as long columns."""
        keys, num = self.keys("test"), self.test_sentences
        found = accuracy_of_prefixes(models, task, self.lengths, key=keys, num=num, hidden=hidden)
        final = np.full(found["both"].shape, np.nan)  # no rollout with hidden clauses
        if not hidden:
            final = final_answers(models, task, self.lengths, key=keys, num=num)
        rows = len(self.seeds) * len(self.lengths)
        return {
            "branch": np.repeat(branch, rows),
            "trained_at": np.repeat(trained_at, rows),
            "seed": np.repeat(np.array(self.seeds), len(self.lengths)),
            "length": np.tile(np.array(self.lengths), len(self.seeds)),
            **{name: np.asarray(found[name], float).reshape(-1) for name in PREFIX_SHARES},
            "final": np.asarray(final, float).reshape(-1),
        }

    def snapshots(self, models: Any, task: Lego, moment: str) -> dict[str, np.ndarray]:
        """Attention maps, predicates in order and permuted; the diagonals at twice and four times the length."""
        keys, length, num = self.keys("maps"), self.task.length, self.map_sentences
        order = distinct(length, length, 1, key=named_key(0, "order"))[0]
        found: dict[str, Any] = each_seed(eqx.Partial(_maps, task=task, order=order, num=num), models, keys)
        found["order"] = order
        for at, seen in attention_at_lengths(models, task, (2 * length, 4 * length), key=keys, num=num).items():
            found |= {f"{what}.{at}": seen[what] for what in ("predicate", "answer")}
        return {f"{moment}.{what}": np.asarray(value) for what, value in found.items()}

    def keys(self, *names: str) -> Key[Array, " seed"]:
        return named_keys(self.seeds, *names)


each_seed, each_seed_optimized = eqx.filter_jit(over_replicas), optimized_jit(over_replicas)


def _maps(model: Any, key: Key[Array, ""], *, task: Lego, order: Any, num: int) -> dict[str, Float[Array, "..."]]:
    plain, moved = (heatmap(model, task, key=key, num=num, order=chosen) for chosen in (None, order))
    return {"map": plain, "map_permuted": moved}


def _joined(*parts: Any) -> Any:
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)


FIRST_SEED = 10  # trials that chose the settings below had seen seeds 0 to 2 and 7


def length_runs(scale: Scale) -> dict[str, LengthTraining]:
    """Both families in the setting of section 7: "transitive" and "symmetric"."""
    return {family: length_training(scale, family) for family in FAMILIES}


def length_training(scale: Scale, family: str) -> LengthTraining:
    """The run at a scale: the plain block, Adam without decay, epochs over a finite set; see `sizes`."""
    symmetric, laptop = family == "symmetric", scale.name == "laptop"
    seeds = sizes.seeds(sizes.DECODER_SYMMETRIC_SEEDS if symmetric else sizes.DECODER_SEEDS, scale)
    name, variables = sizes.DECODER_ACTIONS.at(scale)[symmetric], sizes.DECODER_VARIABLES.at(scale)
    return LengthTraining(
        task=LegoConfig(action=name, variables=variables, length=sizes.DECODER_LENGTH.at(scale)),
        model=plain_block(scale, name, variables),
        learning_rate=sizes.DECODER_RATE.at(scale),
        batch=sizes.DECODER_BATCH.at(scale),
        sequences=sizes.DECODER_SENTENCES.at(scale),
        epochs=sizes.DECODER_EPOCHS.at(scale),
        stages=sizes.DECODER_STAGES.at(scale) if symmetric else (),
        stage_steps=sizes.DECODER_STAGE_STEPS.at(scale),
        true_labels=scale.name == "paper",  # a sixth of a run, and no claim reads it
        lengths=sizes.DECODER_LENGTHS.at(scale),
        test_sentences=sizes.DECODER_TEST.at(scale),
        map_sentences=sizes.DECODER_MAPS.at(scale),
        replicas="vmap" if scale.name == "paper" else "map",
        short_seeds=min(sizes.DECODER_CONTROL_SEEDS, len(seeds)) if symmetric and laptop else None,
        seeds=tuple(FIRST_SEED + seed for seed in seeds),
    )


def plain_block(scale: Scale, name: str, variables: int) -> ExperimentalConfig:
    """On a GPU, at the paper's size, other forms of the same products are the faster ones."""
    actions, values = action(name).table.shape
    paper = scale.name == "paper"
    return ExperimentalConfig(
        variables=variables,
        actions=actions,
        values=values,
        width=sizes.DECODER_WIDTH.at(scale),
        hidden=sizes.DECODER_HIDDEN.at(scale),
        outputs="vocabulary" if paper else "slot",
        precision="tensorfloat32" if paper else "float32",
        table_gradient="matmul" if paper else "scatter",
    )
