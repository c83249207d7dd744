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

from lemmata.core import AbstractAlgorithm, Bound, Metrics, TrainState, named_key, require
from lemmata.papers.lego.model import TheoryTransformer
from lemmata.papers.lego.run.chains import Chains, draw_chains, next_logits, step_scores, value_loss, value_offset
from lemmata.papers.lego.task import Lego, check_length

Labels = Literal["true", "greedy"]
FRESH = 2**31 - 1  # sentences in a set that is never seen twice
Sentences = Annotated[int, Bound(least=1, most=FRESH)]


class Course(eqx.Module):
    """What a replica has of its own: learning rate, data, annotator, and where its loss may stop it."""

    learning_rate: Float[Array, ""]  # times |X|, which a variable waits for its turn
    stop_below: Float[Array, ""]  # a batch's loss under this ends the stage (Algorithm 2: d^-E1)
    stopped: Bool[Array, ""]
    taken: Int[Array, ""]  # steps that moved Q
    sentences: Int[Array, ""]  # how many there are to draw from
    corpus: Key[Array, ""]  # sentence i is a function of this key and i
    length: Int[Array, ""]  # of the sentences, cut from longer ones if need be
    annotated: Bool[Array, ""]  # whether the labels are the annotator's
    annotator: tuple[Float[Array, "variables variables"], Float[Array, "variables variables"]]  # the frozen Q


class AttentionDescent(AbstractAlgorithm):
    """Descent on the sum over `answers` of Loss_5^{L,l}; W stays. `labels` says who may have written the answers.

    Algorithm 1 sums l = 1, 2 at L = 2; Algorithm 2 prints l = 2 alone, at L = 2 and at every doubled length.
    """

    length: int = eqx.field(static=True, default=2)  # of the sentences that are drawn
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
        learning_rate: float = 0.2,
        stop_below: float = 0.0,
        sentences: int = FRESH,
        corpus: Key[Array, ""] | None = None,
        cut: int | None = None,
        labels: Labels | None = None,
    ) -> TrainState:
        """The annotator is the model as it stands now: Algorithm 2 freezes it for the stage. `cut` shortens the
        sentences, and `labels` may be true where the algorithm's are greedy: the program is the same."""
        require(learning_rate > 0, "learning_rate", learning_rate, "positive")
        require(1 <= sentences <= FRESH, "sentences", sentences, f"1 to {FRESH} (never the same twice)")
        check_length(self.length, len(model.query_third))
        length = self.length if cut is None else cut
        require(max(self.answers) <= length <= self.length, "cut", length, f"{max(self.answers)} to {self.length}")
        course = Course(
            learning_rate=jnp.asarray(learning_rate, float),
            stop_below=jnp.asarray(stop_below, float),
            stopped=jnp.asarray(False),
            taken=jnp.asarray(0),
            sentences=jnp.asarray(sentences),
            corpus=named_key(0, "corpus") if corpus is None else corpus,
            length=jnp.asarray(length),
            annotated=jnp.asarray((labels or self.labels) == "greedy"),
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
            scores = self.scores(third, fourth, chains, answer, course)
            loss, slope = jax.value_and_grad(value_loss)(scores, model.value, chains, answer, value_offset(model))
            total += loss
            slopes.append(slope)
        stopped = course.stopped | (total < course.stop_below)
        step_size = jnp.where(stopped, 0, course.learning_rate * len(third))
        for answer, slope in zip(self.answers, slopes, strict=True):
            query = chains.named[:, answer - 1, None]
            third = third.at[query, chains.links].add(-step_size * slope[:, : self.length])
            fourth = fourth.at[query, chains.named[:, :answer]].add(-step_size * slope[:, self.length :])
        moved = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, (third, fourth))
        later = dataclasses.replace(course, stopped=stopped, taken=course.taken + ~stopped)
        # The last answer's variable is in no loss here, and W_4 need not write it.
        same = jnp.concatenate([chains.values == truth.values, (chains.named == truth.named)[:, :-1]], axis=1)
        labels_right = jnp.mean(jnp.all(same, axis=1).astype(total.dtype))
        spent = {"steps_taken": course.taken, "stopped": course.stopped}
        return TrainState(moved, later), {"loss": total, "labels_right": labels_right, **spent}

    def draw(self, task: Lego, course: Course, key: Key[Array, ""]) -> Chains:
        """A batch of the replica's sentences, by their numbers, with the answers that the loss reads."""
        numbers = jax.random.randint(key, (self.batch,), 0, course.sentences)
        keys = jax.vmap(lambda i: jax.random.fold_in(course.corpus, i))(numbers)
        return draw_chains(task, keys, self.length, max(self.answers))

    def scores(
        self, third: Float[Array, "x x"], fourth: Float[Array, "x x"], chains: Chains, answer: int, course: Course
    ) -> Float[Array, "num clauses"]:
        """Of the sentences cut to the course's length: the first predicates of a chain are a chain of D^L."""
        seen = jnp.concatenate([jnp.arange(self.length) < course.length, jnp.ones(answer, bool)])
        return jnp.where(seen, step_scores(third, fourth, chains, answer), -jnp.inf)

    def annotate(self, model: TheoryTransformer, course: Course, truth: Chains) -> Chains:
        """Answers 1, ... as the frozen annotator writes them greedily, each read back before the next (equation 9)."""
        chains = truth
        for answer in range(1, max(self.answers) + 1):
            weights = jax.nn.softmax(self.scores(*course.annotator, chains, answer, course), axis=-1)
            value = jnp.argmax(next_logits(model.value, weights, chains, answer), axis=-1) - value_offset(model)
            name = jnp.argmax(next_logits(model.variable, weights, chains, answer), axis=-1) + model.variable.first
            named = chains.named.at[:, answer].set(name.astype(chains.named.dtype))
            values = chains.values.at[:, answer].set(value.astype(chains.values.dtype))
            chains = dataclasses.replace(chains, named=named, values=values)
        return jax.tree.map(lambda own, true: jnp.where(course.annotated, own, true), chains, truth)
