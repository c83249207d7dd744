"""The training run of the experimental model that Figures 1, 2, 5, 6 and 7 share, and its settings at each scale."""

from dataclasses import dataclass, field
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import RunConfig, RunContext, RunOutput, Scale, TrainState, named_key, require
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner
from lemmata.papers.lego.probe import accuracy_of_prefixes, attention_at_lengths, heatmap
from lemmata.papers.lego.run.next_clause import FreshSentences, NextClauseAdam, SentenceSet
from lemmata.papers.lego.run.pseudo_labels import label_quality, written_answers
from lemmata.papers.lego.task import Lego, LegoConfig, action, check_length, distinct
from lemmata.train import fit_many, stack

RECORDS = 20  # of the loss, in each part of a run
SHARES = ("values", "both", "step", "value_step")
LABELS = ("values", "clauses", "sentences")  # shares of right labels: of values, of whole clauses, of whole sentences


@dataclass(frozen=True, kw_only=True)
class LengthTraining(RunConfig):
    """Training at `task.length`, then self-training at each of `stages` (Algorithm 2 as section 7 uses it).

    With stages come two controls from the same first model: the same stages on true labels, and as many steps at the
    first length alone. A stage continues from the model before it, with Adam's memory empty and a batch of as many
    answers: batch * task.length / stage sentences.
    """

    kind = "lego/length-training"

    task: LegoConfig = field(default_factory=LegoConfig)
    model: ExperimentalConfig = field(default_factory=ExperimentalConfig)
    rate: float = 1e-4  # the paper's
    decay: float = 0.0
    batch: int = 512
    sequences: int | None = 100_000  # sentences of a training set, a stage having its own; None: fresh ones each step
    steps: int = 15_000
    stages: tuple[int, ...] = ()
    stage_steps: int = 15_000
    lengths: tuple[int, ...] = (5, 10, 20, 40, 80, 160)  # of the test sentences
    test_sentences: int = 512
    map_sentences: int = 100  # the paper's number
    replicas: Literal["map", "vmap"] = "map"
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        acting = action(self.task.action)
        sizes = {
            "variables": self.task.variables,
            "actions": acting.num_actions,
            "values": acting.num_values,
        }
        for name, wanted in sizes.items():
            allowed = f"the task's is {wanted}: set both"
            require(getattr(self.model, name) == wanted, f"model.{name}", getattr(self.model, name), allowed)
        require(self.rate > 0, "rate", self.rate, "positive")
        require(self.decay >= 0, "decay", self.decay, "not negative")
        for name in ("batch", "test_sentences", "map_sentences"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        finite = self.sequences is not None and self.sequences >= 1
        allowed = "at least 1, or None where there are no stages: a model labels a finite set"
        require(finite or (self.sequences is None and not self.stages), "sequences", self.sequences, allowed)
        for name in ("steps", "stage_steps"):
            steps = getattr(self, name)
            require(steps >= RECORDS and steps % RECORDS == 0, name, steps, f"a multiple of {RECORDS}")
        first = self.task.length
        for length in (*self.lengths, *self.stages, 4 * first):
            check_length(length, self.task.variables)
        rising = first in self.lengths and sorted(set(self.lengths)) == list(self.lengths)
        require(rising, "lengths", self.lengths, f"increasing, with the training length {first} among them")
        rising = sorted({first, *self.stages}) == [first, *self.stages]
        require(rising, "stages", self.stages, f"increasing, each longer than the training length {first}")
        most = self.batch * self.task.length
        require(all(stage <= most for stage in self.stages), "stages", self.stages, f"each at most {most}")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")

    def execute(self, context: RunContext) -> RunOutput:
        task = Lego.create(self.task)
        models = _create(self.model, self.keys("init"))
        rows = [self.examine(models, task, "untrained", 0)]
        arrays = self.portraits(models, task, "untrained")
        true = self.sentences(task, self.task.length)
        models, losses = self.train(models, true, self.task.length, "base", self.steps, context)
        arrays |= self.portraits(models, task, "trained") | {"loss.base": losses}
        rows.append(self.examine(models, task, "base", self.task.length))
        if self.stages:
            steps = self.stage_steps * len(self.stages)
            longer, arrays["loss.short"] = self.train(models, true, self.task.length, "short", steps, context)
            rows.append(self.examine(longer, task, "short", self.task.length))
            found, more = self.self_train(models, task, context)
            rows, arrays = rows + found, arrays | more
        return RunOutput({name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, arrays)

    def self_train(self, models: Any, task: Lego, context: RunContext) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Each stage: the last model labels a longer set and learns from that; a twin learns from the true labels."""
        rows, arrays, quality = [], {}, []
        taught, told = models, models  # by its own labels, by the true ones
        for length in self.stages:
            true = _draw(task, self.sequences or 0, length, self.keys("sentences", str(length)))
            written = _write(taught, true)
            quality.append(_compare(written, true))
            name, count = f"stage {length}", len(self.seeds)
            pairs = _join(taught, told), _join(written, true)
            both, losses = self.train(*pairs, length, name, self.stage_steps, context)
            arrays |= {f"loss.self.{length}": losses[:count], f"loss.true.{length}": losses[count:]}
            taught, told = (jax.tree.map(lambda leaf, part=part: leaf[part], both) for part in _halves(count))
            rows += [self.examine(taught, task, "self", length), self.examine(told, task, "true", length)]
        return rows, arrays | {f"labels.{name}": np.stack([q[name] for q in quality], axis=1) for name in LABELS}

    def sentences(self, task: Lego, length: int) -> SentenceSet | FreshSentences:
        """Every seed's training set at a length."""
        if self.sequences is None:
            return stack([FreshSentences(task, length)] * len(self.seeds))
        return _draw(task, self.sequences, length, self.keys("sentences", str(length)))

    def train(
        self, models: Any, sets: Any, length: int, name: str, steps: int, context: RunContext
    ) -> tuple[Any, np.ndarray]:
        """Replicas, one a seed or two (self-labelled, then true), through one stage."""
        algorithm = NextClauseAdam(self.batch * self.task.length // length, self.rate, self.decay)
        times = len(jax.tree.leaves(sets)[0]) // len(self.seeds)
        state, metrics = fit_many(
            algorithm,
            sets,
            _begin(algorithm, models),
            jnp.stack([named_key(seed, "steps", name) for seed in self.seeds] * times),
            steps=steps,
            every=steps // RECORDS,
            replicas=self.replicas,
            context=context,
            stage=name,
        )
        return state.model, metrics["loss"]

    def examine(self, models: Any, task: Lego, branch: str, trained_at: int) -> dict[str, np.ndarray]:
        """Accuracy at every test length as long columns."""
        found = accuracy_of_prefixes(models, task, self.lengths, key=self.keys("test"), num=self.test_sentences)
        count, lengths = len(self.seeds), len(self.lengths)
        return {
            "branch": np.repeat(branch, count * lengths),
            "trained_at": np.full(count * lengths, trained_at),
            "seed": np.repeat(np.array(self.seeds), lengths),
            "length": np.tile(np.array(self.lengths), count),
            **{name: np.asarray(found[name], float).reshape(-1) for name in SHARES},
        }

    def portraits(self, models: Any, task: Lego, name: str) -> dict[str, np.ndarray]:
        """Attention maps, predicates in order and permuted; the diagonals at twice and four times the length."""
        keys, length = self.keys("maps"), self.task.length
        order = distinct(length, length, 1, key=named_key(0, "order"))[0]
        plain, moved = _maps(models, task, keys, order, self.map_sentences)
        lengths = (2 * length, 4 * length)
        diagonals = attention_at_lengths(models, task, lengths, key=keys, num=self.map_sentences)
        found: dict[str, Any] = {"map": plain, "map_permuted": moved, "order": order}
        found |= {f"{what}.{at}": diagonals[at][what] for at in lengths for what in ("predicate", "answer")}
        return {f"{name}.{what}": np.asarray(value) for what, value in found.items()}

    def keys(self, *names: str) -> Key[Array, " seed"]:
        return jnp.stack([named_key(seed, *names) for seed in self.seeds])


@eqx.filter_jit
def _create(config: ExperimentalConfig, keys: Key[Array, " seed"]) -> Any:
    return eqx.filter_vmap(lambda key: ExperimentalReasoner.create(config, key=key))(keys)


@eqx.filter_jit
def _draw(task: Lego, num: int, length: int, keys: Key[Array, " seed"]) -> SentenceSet:
    return jax.lax.map(lambda key: SentenceSet.draw(task, num, length, key=key), keys)


@eqx.filter_jit
def _begin(algorithm: NextClauseAdam, models: Any) -> TrainState:
    return eqx.filter_vmap(algorithm.init)(models)


@eqx.filter_jit
def _write(models: Any, sets: SentenceSet) -> SentenceSet:
    arrays, static = eqx.partition(models, eqx.is_array)
    return jax.lax.map(lambda item: written_answers(eqx.combine(item[0], static), item[1]), (arrays, sets))


@eqx.filter_jit
def _compare(written: SentenceSet, true: SentenceSet) -> dict[str, Any]:
    found = jax.vmap(label_quality)(written, true)
    return {name: getattr(found, name) for name in LABELS}


@eqx.filter_jit
def _maps(models: Any, task: Lego, keys: Key[Array, " seed"], order: Any, num: int) -> tuple[Any, Any]:
    arrays, static = eqx.partition(models, eqx.is_array)

    def one(item: tuple[Any, Any]) -> tuple[Any, Any]:
        model = eqx.combine(item[0], static)
        return heatmap(model, task, key=item[1], num=num), heatmap(model, task, key=item[1], num=num, order=order)

    return jax.lax.map(one, (arrays, keys))


def _join(first: Any, second: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.concatenate([a, b]) if eqx.is_array(a) else a, first, second)


def _halves(count: int) -> tuple[slice, slice]:
    return slice(None, count), slice(count, None)


Regime = Literal["sharp", "diluted"]


def length_training(scale: Scale, symmetric: bool, regime: Regime = "sharp") -> LengthTraining:
    """The run at a scale. Smoke has smaller groups of the same two kinds, and one regime.

    Sharp: block-sparse attention (Assumption 3.5), no weight decay; it reaches the longest sentences. Diluted: scores
    are divided by the root of a head's size and weights decay (at laptop scale every slot attends too), so attention
    stays soft; here there is something to repair, and the symmetric action is trained further by its own labels.
    """
    name = scale.pick(smoke=("C3", "S3"), laptop=("C6", "S4"), paper=("C6", "S5"))[symmetric]
    acting = action(name)
    smoke = scale.name == "smoke"
    diluted = regime == "diluted" and not smoke
    variables = scale.pick(smoke=9, laptop=41, paper=170)
    stages = scale.pick(smoke=(4,), laptop=(10, 20), paper=(10, 20, 40))
    model = ExperimentalConfig(
        variables=variables,
        actions=acting.num_actions,
        values=acting.num_values,
        width=scale.pick(smoke=4, laptop=16, paper=64),
        hidden=scale.pick(smoke=16, laptop=128, paper=1024),
        attention="full" if diluted and scale.name == "laptop" else "block-sparse",
        score_scale=None if diluted else 0.3,
        outputs=scale.pick(smoke="slot", laptop="slot", paper="vocabulary"),
        precision=scale.pick(smoke="float32", laptop="float32", paper="tensorfloat32"),
        table_gradient=scale.pick(smoke="scatter", laptop="scatter", paper="matmul"),
    )
    return LengthTraining(
        task=LegoConfig(action=name, variables=variables, length=scale.pick(smoke=2, laptop=5, paper=5)),
        model=model,
        rate=scale.pick(smoke=1e-2, laptop=1e-3, paper=1e-4),
        decay=scale.pick(smoke=0.0, laptop=0.06, paper=1.0) if diluted else 0.0,
        batch=scale.pick(smoke=8, laptop=64, paper=512),
        sequences=scale.pick(smoke=64, laptop=20_000, paper=20_000 if diluted else 100_000),
        steps=scale.pick(smoke=20, laptop=3000 if symmetric else 2000, paper=6000 if diluted else 14_000),
        stages=stages if symmetric and (diluted or smoke) else (),
        stage_steps=scale.pick(smoke=20, laptop=800, paper=5000),
        lengths=scale.pick(smoke=(2, 8), laptop=(5, 10, 20, 40), paper=(5, 10, 20, 40, 80, 160)),
        test_sentences=scale.pick(smoke=16, laptop=256, paper=512),
        map_sentences=scale.pick(smoke=8, laptop=100, paper=100),
        replicas=scale.pick(smoke="map", laptop="map", paper="vmap"),
        seeds=scale.seeds(smoke=2, laptop=3, paper=3),
    )
