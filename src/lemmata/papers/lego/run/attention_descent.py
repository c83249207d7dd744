"""Stage 2 of Algorithm 1 and every later stage of Algorithm 2: gradient steps on Q_{4,3} and Q_{4,4} alone.

A step's loss asks for one answer at a time, so only one query's attention is ever computed, and its gradient touches
one row of Q a sentence: the derivative is taken in the scores and added where they were read.
"""

import dataclasses
from typing import Annotated, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Bound, Metrics, TrainState, invalid, named_key, require
from lemmata.papers.lego.model import Neurons, TheoryTransformer
from lemmata.papers.lego.task import Lego, check_length

Labels = Literal["true", "greedy"]
FRESH = 2**31 - 1  # sentences in a set that is never seen twice
Sentences = Annotated[int, Bound(least=1, most=FRESH)]


class Chains(eqx.Module):
    """Sentences of D^L without what the value's loss never reads; answers may be somebody's labels."""

    heads: Int[Array, "num length"]  # x_1, ..., x_L: the predicates' first tokens
    links: Int[Array, "num length"]  # x_0, ..., x_{L-1}: their third
    actions: Int[Array, "num length"]
    named: Int[Array, "num answers"]  # the answers' variables
    values: Int[Array, "num answers"]


class Course(eqx.Module):
    """What a replica has of its own: rate, data, annotator, and where its loss may stop it."""

    rate: Float[Array, ""]  # times |X|, which a variable waits for its turn
    stop_below: Float[Array, ""]  # a batch's loss under this ends the stage (Algorithm 2: d^-E1)
    stopped: Bool[Array, ""]
    taken: Int[Array, ""]  # steps that moved Q
    sentences: Int[Array, ""]  # how many there are to draw from
    corpus: Key[Array, ""]  # sentence i is a function of this key and i
    annotator: tuple[Float[Array, "variables variables"], Float[Array, "variables variables"]]  # the frozen Q


class AttentionDescent(AbstractAlgorithm):
    """Descent on the sum over `answers` of Loss_5^{L,l}; W stays. `labels` says who wrote the answers.

    Algorithm 1 sums l = 1, 2 at L = 2; Algorithm 2 prints l = 2 alone, at L = 2 and at every doubled length.
    """

    length: int = eqx.field(static=True, default=2)
    answers: tuple[int, ...] = eqx.field(static=True, default=(1, 2))
    batch: int = eqx.field(static=True, default=64)
    labels: Labels = eqx.field(static=True, default="true")

    def __check_init__(self) -> None:
        allowed = f"steps of the chain, 1 to {self.length}"
        require(len(self.answers) > 0, "answers", self.answers, "at least one")
        require(all(1 <= a <= self.length for a in self.answers), "answers", self.answers, allowed)
        require(self.batch >= 1, "batch", self.batch, "at least 1")

    def init(
        self,
        model: TheoryTransformer,
        rate: float = 0.2,
        stop_below: float = 0.0,
        sentences: int = FRESH,
        corpus: Key[Array, ""] | None = None,
    ) -> TrainState:
        """The annotator is the model as it stands now: Algorithm 2 freezes it for the stage."""
        require(rate > 0, "rate", rate, "positive")
        require(1 <= sentences <= FRESH, "sentences", sentences, f"1 to {FRESH} (never the same twice)")
        check_length(self.length, len(model.query_third))
        course = Course(
            rate=jnp.asarray(rate, float),
            stop_below=jnp.asarray(stop_below, float),
            stopped=jnp.asarray(False),
            taken=jnp.asarray(0),
            sentences=jnp.asarray(sentences),
            corpus=named_key(0) if corpus is None else corpus,
            annotator=(model.query_third, model.query_fourth),
        )
        return TrainState(model, course)

    def step(self, task: Lego, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        model, course = state.model, state.opt_state
        truth = self.draw(task, course, key)
        chains = truth if self.labels == "true" else self.annotate(model, course, truth)
        third, fourth = model.query_third, model.query_fourth
        total, slopes = jnp.zeros(()), []
        for answer in self.answers:
            scores = step_scores(third, fourth, chains, answer)
            loss, slope = jax.value_and_grad(step_loss)(scores, model.value, chains, answer, _offset(model))
            total += loss
            slopes.append(slope)
        stopped = course.stopped | (total < course.stop_below)
        rate = jnp.where(stopped, 0, course.rate * len(third))
        for answer, slope in zip(self.answers, slopes, strict=True):
            asked = chains.named[:, answer - 1, None]
            third = third.at[asked, chains.links].add(-rate * slope[:, : self.length])
            fourth = fourth.at[asked, chains.named[:, :answer]].add(-rate * slope[:, self.length :])
        moved = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, (third, fourth))
        later = dataclasses.replace(course, stopped=stopped, taken=course.taken + ~stopped)
        same = (chains.values == truth.values) & (chains.named == truth.named)
        labels_right = jnp.mean(jnp.all(same, axis=1).astype(total.dtype))
        spent = {"steps_taken": course.taken, "stopped": course.stopped}
        return TrainState(moved, later), {"loss": total, "labels_right": labels_right, **spent}

    def draw(self, task: Lego, course: Course, key: Key[Array, ""]) -> Chains:
        """A batch of the replica's sentences, by their numbers, with the answers that the loss reads."""
        numbers = jax.random.randint(key, (self.batch,), 0, course.sentences)
        keys = jax.vmap(lambda i: jax.random.fold_in(course.corpus, i))(numbers)
        clauses = jax.vmap(lambda k: task.draw(1, key=k, length=self.length)[0])(keys)
        predicates, answers = clauses[:, : self.length], clauses[:, self.length : self.length + max(self.answers) + 1]
        return Chains(
            heads=predicates[..., 0],
            links=predicates[..., 2],
            actions=predicates[..., 1] - task.vocabulary.first_action,
            named=answers[..., 3],
            values=answers[..., 4] - task.vocabulary.first_value,
        )

    def annotate(self, model: TheoryTransformer, course: Course, truth: Chains) -> Chains:
        """Answers 1, ... as the frozen annotator writes them greedily, each read back before the next (equation 9)."""
        chains = truth
        for answer in range(1, max(self.answers) + 1):
            weights = jax.nn.softmax(step_scores(*course.annotator, chains, answer), axis=-1)
            value = jnp.argmax(value_logits(model.value, weights, chains, answer), axis=-1) - _offset(model)
            name = jnp.argmax(variable_logits(model.variable, weights, chains), axis=-1) + model.variable.first
            named = chains.named.at[:, answer].set(name.astype(chains.named.dtype))
            values = chains.values.at[:, answer].set(value.astype(chains.values.dtype))
            chains = dataclasses.replace(chains, named=named, values=values)
        return chains


def step_scores(
    third: Float[Array, "variables variables"], fourth: Float[Array, "variables variables"], chains: Chains, answer: int
) -> Float[Array, "num clauses"]:
    """Scores of the last answer before `answer` with the predicates and with the answers up to itself (21)."""
    asked = chains.named[:, answer - 1, None]
    return jnp.concatenate([third[asked, chains.links], fourth[asked, chains.named[:, :answer]]], axis=1)


def value_logits(
    neurons: Neurons, weights: Float[Array, "num clauses"], chains: Chains, answer: int
) -> Float[Array, "num classes"]:
    """Token 5's logits, by its classes with neurons: slots 2 and 5 of the attended clauses."""
    new, actions, old, named, values = neurons.tables
    if not (new is old is named is None) or actions is None or values is None:
        raise invalid("reads", "all", "needed: W_5 reads g and y")
    length = chains.actions.shape[1]
    read = jnp.einsum("nk,nkcr->ncr", weights[:, :length], actions[chains.actions])
    return neurons.of_input(read + jnp.einsum("nk,nkcr->ncr", weights[:, length:], values[chains.values[:, :answer]]))


def variable_logits(
    neurons: Neurons, weights: Float[Array, "num clauses"], chains: Chains
) -> Float[Array, "num classes"]:
    """Token 4's logits from slot 1 of the attended predicates."""
    heads = neurons.tables[0]
    assert heads is not None
    num, length = chains.heads.shape
    mass = jnp.zeros((num, len(heads))).at[jnp.arange(num)[:, None], chains.heads].add(weights[:, :length])
    return neurons.of_input(jnp.einsum("nv,vcr->ncr", mass, heads))


def step_loss(
    scores: Float[Array, "num clauses"], neurons: Neurons, chains: Chains, answer: int, offset: int
) -> Float[Array, ""]:
    """Loss_5^{L,l}: the mean surprise at the value of answer l under the softmax over the whole vocabulary."""
    logits = value_logits(neurons, jax.nn.softmax(scores, axis=-1), chains, answer)
    silent = neurons.vocab - neurons.classes  # tokens without neurons have the logit 0
    rest = jnp.full_like(logits[:, :1], jnp.log(silent) if silent else -jnp.inf)
    normalizer = jax.nn.logsumexp(jnp.concatenate([logits, rest], axis=1), axis=1)
    right = jnp.take_along_axis(logits, chains.values[:, answer, None] + offset, axis=1)[:, 0]
    return jnp.mean(normalizer - right)


def _offset(model: TheoryTransformer) -> int:
    """Of a value's number among the classes with neurons."""
    return model.slots[4][0] - model.value.first
