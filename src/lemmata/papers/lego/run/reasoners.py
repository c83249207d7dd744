"""Theory models trained through their stages: what they attend to at every length, and the words they can decide."""

from dataclasses import dataclass, field

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import RunConfig, RunContext, RunOutput, named_generator, named_keys, require, to_jax
from lemmata.core.constraints import Count, Natural, Positive, Some
from lemmata.papers.lego.model import AbstractReasoner, TheoryTransformer, rollout
from lemmata.papers.lego.probe import accuracy_of_prefixes, over_replicas
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.run.self_training import Stage, train_stages
from lemmata.papers.lego.run.stage_one import model_config, new_models, teach
from lemmata.papers.lego.task import Action, Lego, LegoConfig, Vocabulary, action, check_length
from lemmata.train import unstack

MEASURES = ("values", "both", "value_step", "values_low", "values_high")


@dataclass(frozen=True, kw_only=True)
class TrainedReasoner(RunConfig):
    """One action, every seed: stage 1, then attention on T^2 and on self-labelled lengths that double (Algorithm 2)."""

    kind = "lego/reasoner"
    version = 2

    action: str = "S5"
    variables: int = 41
    width: Count = 12
    scale: Positive = 0.02  # sigma_0: with d^-1/2 the two families differ less at this size
    clip: Positive = 2.0
    value: Descent = field(default_factory=lambda: Descent(steps=10_000, every=10_000))  # stage 1 of W_5
    variable: Descent = field(default_factory=lambda: Descent(steps=3000, every=3000))  # and of W_4
    stages: Some[Stage] = (Stage(),)
    lengths: Some[int] = (2, 5, 10, 20, 40)
    sentences: Count = 128  # for attention and accuracy
    words: Natural = 0  # to decide; half of them are the identity
    word_length: int = 20
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        acting = action(self.action)
        for length in (*self.lengths, self.word_length, *(stage.length for stage in self.stages)):
            check_length(length, self.variables)
        require(2 in self.lengths, "lengths", self.lengths, "2 among them: longer ones are predicted from it")
        require(self.width >= acting.num_values, "width", self.width, f"at least {acting.num_values}: one a value")
        faithful = acting.faithful or not self.words
        require(faithful, "action", self.action, "a faithful action: else a word cannot be read off its values")

    def execute(self, context: RunContext) -> RunOutput:
        acting = action(self.action)
        task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=max(self.lengths)))
        config = model_config(self.action, self.variables, width=self.width, scale=self.scale, clip=self.clip)
        descents: dict[Token, Descent] = {"value": self.value, "variable": self.variable}
        taught, arrays = teach(new_models(config, self.seeds), task, self.seeds, descents, context)
        after, _ = train_stages(taught, task, named_keys(self.seeds, "attention"), self.stages, context=context)
        moments = {"one step": taught, "two steps": after[0]} | ({"last": after[-1]} if len(after) > 1 else {})
        tables, shape = [], (len(self.seeds), len(self.lengths))
        for name, trained in moments.items():
            context.progress(f"reading: {name}", len(tables), len(moments))
            arrays[f"{name}.epsilon"] = self.epsilon(trained, task)
            keys = named_keys(self.seeds, "test")
            found = accuracy_of_prefixes(trained, task, self.lengths, key=keys, num=self.sentences)
            places = {"seed": np.repeat(self.seeds, shape[1]), "length": np.tile(self.lengths, shape[0])}
            measured = {measure: np.asarray(found[measure], np.float64) for measure in MEASURES}
            tables.append({"moment": np.full(shape, name), **places, **measured})
            if self.words:
                arrays[f"{name}.decided"] = self.decided(trained, acting)
        if "last" not in moments:
            same = [key for key in arrays if key.startswith("two steps.")]
            arrays |= {key.replace("two steps", "last"): arrays[key] for key in same}
        columns = {name: np.concatenate([table[name].ravel() for table in tables]) for name in tables[0]}
        return RunOutput(columns, arrays)

    def epsilon(self, models: TheoryTransformer, task: Lego) -> np.ndarray:
        """[seed, L, l] for the config's lengths, l counted from 1 (entry 0 and those past L are NaN)."""
        longest, keys = max(self.lengths), named_keys(self.seeds, "look")
        found = np.asarray(_mean_epsilons(models, task, keys, longest, self.sentences), np.float64)
        kept = np.full((len(self.seeds), len(self.lengths), longest + 1), np.nan)
        for i, length in enumerate(self.lengths):
            kept[:, i, 1 : length + 1] = found[:, length - 1, :length]
        return kept

    def decided(self, models: TheoryTransformer, acting: Action) -> np.ndarray:
        """[seed, word]: 1 where the model's verdict on "is this word the identity" is right."""
        found = []
        for model, seed in zip(unstack(models), self.seeds, strict=True):
            stream = named_generator(seed, "words")
            clauses, truth = words(acting, self.variables, self.words, self.word_length, stream)
            found.append(np.asarray(_says_identity(model, to_jax(clauses), self.word_length)) == truth)
        return np.array(found).astype(np.float64)


@eqx.filter_jit
def _mean_epsilons(
    models: TheoryTransformer, task: Lego, keys: Key[Array, " replica"], longest: int, num: int
) -> Float[Array, "replica length step"]:
    def one(model: TheoryTransformer, key: Key[Array, ""]) -> Float[Array, "length step"]:
        clauses = task.draw(num, key=key, length=longest)
        return jnp.mean(jax.vmap(lambda sentence: prefix_epsilons(model, sentence))(clauses), axis=0)

    return over_replicas(one, models, keys)


def prefix_epsilons(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Float[Array, "length step"]:
    """eps^{L,l} of one sentence of a model with one head, at [L - 1, l - 1]; entries with l > L mean nothing. The first
    L predicates of a long chain are a chain of D^L, and a softmax over fewer clauses is the same weights divided by
    their sum: one pass gives every length."""
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
    sentences = np.full((num, v.values, length + 1, 5), v.blank)
    sentences[:, :, :-1, :3] = np.stack([x[:, 1:], letters + v.first_action, x[:, :-1]], axis=2)[:, None]
    sentences[:, :, -1, 3] = x[:, :1]
    sentences[:, :, -1, 4] = v.first_value + np.arange(v.values)
    return sentences, product == group.identity


@eqx.filter_jit
def _says_identity(
    model: AbstractReasoner, clauses: Int[Array, "num values clauses 5"], length: int
) -> Bool[Array, " num"]:
    """Chain of thought from every first value: the word is the identity if each comes back."""

    def returns(given: Int[Array, "clauses 5"]) -> Bool[Array, ""]:
        return rollout(model, given, length)[-1, 4] == given[-1, 4]

    return jnp.all(jax.vmap(jax.vmap(returns))(clauses), axis=1)
