"""Theory models trained through their stages: what they attend to at every length, and the words they can decide."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import RunConfig, RunContext, RunOutput, Scale, named_integer, named_key, require
from lemmata.papers.lego.model import AbstractReasoner, TheoryConfig, TheoryTransformer, rollout
from lemmata.papers.lego.probe import accuracy_of_prefixes
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.run.self_training import Stage, doubling, train_stages
from lemmata.papers.lego.run.theory import one_step_stage
from lemmata.papers.lego.task import Action, Lego, LegoConfig, Vocabulary, action, check_length
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class TrainedReasoner(RunConfig):
    """One action, every seed: stage 1, then attention on T^2 and on self-labelled lengths 4, 8, ... (Algorithm 2)."""

    kind: ClassVar[str] = "lego/reasoner"
    version: ClassVar[int] = 2

    action: str = "S5"
    variables: int = 41
    width: int = 12
    scale: float = 0.02  # sigma_0: with d^-1/2 the two families differ less at this size
    clip: float = 2.0
    value: Descent = field(default_factory=lambda: Descent(steps=10_000, every=10_000))  # stage 1 of W_5
    variable: Descent = field(default_factory=lambda: Descent(steps=3000, every=3000))  # and of W_4
    stages: tuple[Stage, ...] = (Stage(),)
    lengths: tuple[int, ...] = (2, 5, 10, 20, 40)
    sentences: int = 128  # for attention and accuracy
    words: int = 0  # to decide; half of them are the identity
    word_length: int = 20
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        acting = action(self.action)
        for length in (*self.lengths, self.word_length, *(stage.length for stage in self.stages)):
            check_length(length, self.variables)
        require(2 in self.lengths, "lengths", self.lengths, "2 among them: longer ones are predicted from it")
        require(len(self.stages) >= 1, "stages", self.stages, "at least one")
        require(self.width >= acting.num_values, "width", self.width, f"at least {acting.num_values}: one a value")
        require(self.sentences >= 1, "sentences", self.sentences, "at least 1")
        require(self.words >= 0, "words", self.words, "not negative")
        faithful = acting.faithful or not self.words
        require(faithful, "action", self.action, "a faithful action: else a word cannot be read off its values")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")

    def execute(self, context: RunContext) -> RunOutput:
        acting = action(self.action)
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=max(self.lengths)))
        config = TheoryConfig(
            variables=self.variables,
            actions=acting.num_actions,
            values=acting.num_values,
            width=self.width,
            scale=self.scale,
            clip=self.clip,
        )
        create = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))
        models = stack([create(named_key(seed, "init", "theory")) for seed in self.seeds])
        tasks = stack([task] * len(self.seeds))
        descents: dict[Token, Descent] = {"value": self.value, "variable": self.variable}
        taught, arrays = one_step_stage(models, tasks, self.seeds, descents, context)
        keys = jnp.stack([named_key(seed, "attention") for seed in self.seeds])
        after, _ = train_stages(taught, tasks, keys, self.stages, context=context)
        moments = {"one step": taught, "two steps": after[0], "last": after[-1]}
        rows = []
        for name, trained in moments.items():
            if name == "last" and len(after) == 1:
                arrays |= {f"last.{what}": arrays[f"two steps.{what}"] for what in self.readings()}
                continue
            context.progress(f"reading: {name}", len(rows), len(moments))
            arrays[f"{name}.epsilon"] = self.epsilon(trained, task)
            rows.append({"moment": name, **self.accuracy(trained, task)})
            if self.words:
                arrays[f"{name}.decided"] = self.decided(trained, acting)
        return RunOutput(self.table(rows), arrays)

    def readings(self) -> tuple[str, ...]:
        return ("epsilon", "decided") if self.words else ("epsilon",)

    def epsilon(self, models: TheoryTransformer, task: Lego) -> np.ndarray:
        """[seed, L, l] for the config's lengths, l counted from 1 (entry 0 and those past L are NaN)."""
        keys = jnp.stack([named_key(seed, "look") for seed in self.seeds])
        found = np.asarray(_all_epsilons(models, task, keys, max(self.lengths), self.sentences), np.float64)
        kept = np.full((len(self.seeds), len(self.lengths), max(self.lengths) + 1), np.nan)
        for i, length in enumerate(self.lengths):
            kept[:, i, 1 : length + 1] = found[:, length - 1, :length]
        return kept

    def accuracy(self, models: TheoryTransformer, task: Lego) -> dict[str, np.ndarray]:
        keys = jnp.stack([named_key(seed, "test") for seed in self.seeds])
        return accuracy_of_prefixes(models, task, self.lengths, key=keys, num=self.sentences)

    def decided(self, models: TheoryTransformer, acting: Action) -> np.ndarray:
        """[seed, word]: 1 where the model's verdict on "is this word the identity" is right."""
        found = []
        for i, seed in enumerate(self.seeds):
            model = jax.tree.map(lambda leaf, i=i: leaf[i] if eqx.is_array(leaf) else leaf, models)
            stream = np.random.default_rng(named_integer(seed, "words"))
            clauses, truth = words(acting, self.variables, self.words, self.word_length, stream)
            found.append(np.asarray(_says_identity(model, jnp.asarray(clauses), self.word_length)) == truth)
        return np.array(found).astype(np.float64)

    def table(self, rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
        size, lengths = len(self.seeds), len(self.lengths)
        columns = {
            "moment": np.repeat([row["moment"] for row in rows], size * lengths),
            "seed": np.tile(np.repeat(self.seeds, lengths), len(rows)),
            "length": np.tile(self.lengths, len(rows) * size),
        }
        for name in ("values", "both", "value_step", "values_low", "values_high"):
            columns[name] = np.concatenate([np.asarray(row[name], np.float64).reshape(-1) for row in rows])
        return columns


@eqx.filter_jit
def _all_epsilons(
    models: TheoryTransformer, task: Lego, keys: Key[Array, " replica"], longest: int, num: int
) -> Float[Array, "replica length step"]:
    """The mean eps^{L,l} at [L - 1, l - 1] (l <= L). The first L predicates of a long chain are a chain of D^L, and a
    softmax over fewer clauses is the same weights divided by their sum: one pass gives every length."""

    def one(item: tuple[Any, Key[Array, ""]]) -> Float[Array, "length step"]:
        model = eqx.combine(item[0], eqx.filter(models, eqx.is_array, inverse=True))
        clauses = task.draw(num, key=item[1], length=longest)
        return jnp.mean(jax.vmap(lambda sentence: prefix_epsilons(model, sentence))(clauses), axis=0)

    return jax.lax.map(one, (eqx.filter(models, eqx.is_array), keys))


def prefix_epsilons(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Float[Array, "length step"]:
    """eps^{L,l} of one sentence of a model with one head, at [L - 1, l - 1]; entries with l > L mean nothing."""
    longest = (clauses.shape[0] - 1) // 2
    weights = model.attention(clauses[:-1], longest)[0]
    on_predicates, on_answers = weights[:, :longest], jnp.sum(weights[:, longest:], axis=1)
    seen = jnp.cumsum(on_predicates, axis=1).T + on_answers  # [L - 1, l - 1]
    relevant = jnp.diagonal(on_predicates) + jnp.diagonal(weights, offset=longest)
    return 1 - relevant / seen


def words(
    acting: Action, variables: int, num: int, length: int, stream: np.random.Generator
) -> tuple[Int[np.ndarray, "num values clauses 5"], Bool[np.ndarray, " num"]]:
    """Words g_1, ..., g_L as sentences, one for each first value, and whether they are the identity: every other one is
    made so by its last letter."""
    v, group = Vocabulary(variables, acting.num_actions, acting.num_values), acting.group
    letters = stream.integers(group.order, size=(num, length))
    product = np.full(num, group.identity)
    for position in range(length):
        if position == length - 1:
            letters[::2, position] = group.inverses[product[::2]]
        product = group.table[letters[:, position], product]
    x = np.argsort(stream.random((num, variables)), axis=1)[:, : length + 1]
    blank = np.full((num, length), v.blank)
    predicates = np.stack([x[:, 1:], letters + v.first_action, x[:, :-1], blank, blank], axis=2)
    starts = []
    for value in range(v.values):
        answer = np.array([v.blank, v.blank, v.blank, 0, v.first_value + value]) + np.zeros((num, 1, 5), int)
        answer[:, 0, 3] = x[:, 0]
        starts.append(np.concatenate([predicates, answer], axis=1))
    return np.stack(starts, axis=1), product == group.identity


@eqx.filter_jit
def _says_identity(
    model: AbstractReasoner, clauses: Int[Array, "num values clauses 5"], length: int
) -> Bool[Array, " num"]:
    """Chain of thought from every first value: the word is the identity if each comes back."""

    def returns(given: Int[Array, "clauses 5"]) -> Bool[Array, ""]:
        return rollout(model, given, length)[-1, 4] == given[-1, 4]

    return jnp.all(jax.vmap(jax.vmap(returns))(clauses), axis=1)


def reasoners(scale: Scale) -> tuple[TrainedReasoner, ...]:
    """The simply transitive and the symmetric action of the paper; at smoke scale one small symmetric one."""
    seeds = scale.seeds(smoke=2, laptop=3, paper=5)
    if scale.name == "smoke":
        steps = {"value": Descent(steps=1500, every=1500), "variable": Descent(steps=500, every=500)}
        sizes = {"variables": 11, "width": 6, "lengths": (2, 5, 10), "sentences": 32, "words": 16, "word_length": 6}
        return (TrainedReasoner(action="S3", stages=(Stage(steps=200, every=200),), seeds=seeds, **steps, **sizes),)
    # The paper's sizes: |X| large enough for length 160.
    large = scale.name == "paper"
    variables, lengths = (170, (2, 5, 10, 20, 40, 80, 160)) if large else (41, (2, 5, 10, 20, 40))
    first = Stage(steps=1600, every=1600) if large else Stage(steps=400, every=400)
    learn = Descent(steps=15_000 if large else 3000, every=3000)  # a variable waits |X| steps
    shared = {"variables": variables, "lengths": lengths, "seeds": seeds, "variable": learn}
    return (
        TrainedReasoner(action="C6", stages=(first,), **shared),
        TrainedReasoner(action="S5", stages=doubling(first, 3), words=128 if large else 32, **shared),
    )
