"""Pre-training in the stages of the appendix: full-batch gradient descent on A and w with one rate a stage.

Stage 1 is a few steps of a large rate eta_1 (the proof of Lemma 10 says "after 2 iterations"); stage 2 goes on with
eta_2 until T_2, while neither relations nor answers are learned (1 - logit = Theta(1) for both); stage 3 goes on with
eta_3 to T_p. The text gives no number for T_2: here stage 2 ends when half is learned, that is, when the mean of
K_s(j) logit_r([o s_j]) or of logit_a([o s_j r]) passes 1/2.
"""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState
from lemmata.papers.knowledge.model import OneLayer, learned
from lemmata.papers.knowledge.task import DUMMY, START, Facts, Questions
from lemmata.train import Descent

Query = Literal["last", "first"]
HALF = 0.5


class Prompts(eqx.Module):
    """Every different prompt of a set of facts told by one-token names, and what follows it: the whole data set.

    `query` says whose embedding asks for attention. The model's is the last token's, alpha = softmax(x_last A x_l). Our
    text of the paper does not define it, and Lemma 10 reads otherwise when one query serves all prompts, as that of
    the first token, o, does: then a score depends on the key alone.
    """

    facts: Int[Array, "fact 3"]  # the tokens o s r of each sentence
    answers: Int[Array, " fact"]  # the token that follows
    subjects: Int[Array, "subject 2"]  # the tokens o s of each subject
    owner: Int[Array, " fact"]  # which subject a sentence is about
    multiplicity: Int[Array, ""]
    query: Query = eqx.field(static=True)

    @classmethod
    def of(cls, facts: Facts, query: Query = "last") -> "Prompts":
        """Of an unpadded world: each of the N K sentences once."""
        n, k = facts.templates.shape
        owner = jnp.repeat(jnp.arange(n), k)
        o, names = jnp.full(n, START, jnp.int32), facts.subject_names[:, 0]
        relations = facts.template_names[facts.templates.reshape(-1), 0]
        told = jnp.stack([o[owner], names[owner], relations], axis=1)
        return cls(told, facts.answer_names[owner, 0], jnp.stack([o, names], axis=1), owner, facts.multiplicity, query)

    def attention(self, model: OneLayer, prompts: Int[Array, "p l"]) -> Float[Array, "p l"]:
        """alpha of the last position, for each prompt."""
        x = model.embeddings[prompts]
        asks = x[:, -1] if self.query == "last" else x[:, 0]
        return jax.nn.softmax(jnp.einsum("pd,pld->pl", asks @ model.matrices()[0], x))

    def log_chances(self, model: OneLayer, prompts: Int[Array, "p l"]) -> Float[Array, "p class"]:
        x = model.embeddings[prompts]
        features = x[:, -1] + jnp.einsum("pl,pld->pd", self.attention(model, prompts), x)
        return jax.nn.log_softmax(model.class_logits(features))

    def surprises(self, model: OneLayer) -> tuple[Float[Array, ""], Float[Array, " fact"], Float[Array, " fact"]]:
        """Of d after [o], of r after [o s] and of a after [o s r], for every sentence."""
        one, two, three = (self.log_chances(model, p) for p in (self.facts[:1, :1], self.subjects, self.facts))
        relations, answers = (jnp.searchsorted(model.classes, tokens) for tokens in (self.facts[:, 2], self.answers))
        dummy = jnp.searchsorted(model.classes, DUMMY)
        return -one[0, dummy], -two[self.owner, relations], -three[jnp.arange(len(answers)), answers]


def whole_loss(model: OneLayer, prompts: Prompts) -> tuple[Float[Array, ""], Metrics]:
    """The next-token loss over all sentences and their three questions, and how much is learned."""
    dummy, relations, answers = prompts.surprises(model)
    known = {
        "dummy": jnp.exp(-dummy),
        "relation": prompts.multiplicity * jnp.mean(jnp.exp(-relations)),  # 1 when all is learned
        "answer": jnp.mean(jnp.exp(-answers)),
    }
    return (dummy + jnp.mean(relations) + jnp.mean(answers)) / 3, known


class Progress(eqx.Module):
    """The rates of the three stages (a replica may have its own), the stage it is in and the steps it has made."""

    rates: Float[Array, " stage"]
    stage: Int[Array, ""]
    step: Int[Array, ""]


class StagedDescent(AbstractAlgorithm):
    """x <- x - eta_stage * gradient on the attention matrix and the neurons; the task is the set of `Prompts`."""

    rates: tuple[float, float, float] = eqx.field(static=True)
    first_steps: int = eqx.field(static=True, default=2)

    def init(self, model: Any) -> TrainState:
        start = Progress(jnp.asarray(self.rates, model.neurons.dtype), jnp.asarray(0), jnp.asarray(0))
        return TrainState(model, start)

    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        moving, fixed = eqx.partition(state.model, learned(state.model))

        def loss(moving: Any) -> tuple[Float[Array, ""], Metrics]:
            return whole_loss(eqx.combine(moving, fixed), task)

        (value, known), gradient = jax.value_and_grad(loss, has_aux=True)(moving)
        progress = state.opt_state
        half = (known["relation"] >= HALF) | (known["answer"] >= HALF)
        second = jnp.maximum(progress.stage, jnp.where(progress.step >= self.first_steps, 1, 0))
        stage = jnp.where((second == 1) & half, 2, second)
        rate = progress.rates[stage]
        model = eqx.combine(eqx.apply_updates(moving, jax.tree.map(lambda g: -rate * g, gradient)), fixed)
        after = Progress(progress.rates, stage, progress.step + 1)
        return TrainState(model, after), {"loss": value, "stage": stage.astype(value.dtype), **known}


def question_descent(attention_rate: float, neuron_rate: float) -> Descent:
    """Fine-tuning as the theory has it: gradient descent on the mean loss over all questions that are asked."""
    return Descent(_asked, learned, _by_part, (attention_rate, neuron_rate))


def _by_part(rates: tuple[Any, Any]) -> optax.GradientTransformation:
    def scaled(gradient: Any, _: Any) -> Any:
        where = lambda one: (one.attention, one.neurons)  # noqa: E731
        return eqx.tree_at(where, gradient, tuple(-rate * g for rate, g in zip(rates, where(gradient), strict=True)))

    return optax.stateless(scaled)


def _asked(moving: Any, fixed: Any, questions: Questions, key: Key[Array, ""]) -> tuple[Metrics, Any]:
    loss, gradient = jax.value_and_grad(lambda part: asked_loss(eqx.combine(part, fixed), questions))(moving)
    return {"loss": loss}, gradient


def asked_loss(model: OneLayer, questions: Questions) -> Float[Array, ""]:
    """The mean surprise at the taught answers over the subjects asked about, each once; names of one token."""
    words = questions.facts.vocabulary
    subjects = jnp.arange(words.subjects)
    chances = jax.nn.log_softmax(jax.vmap(model.last)(questions.facts.prompts(subjects)), axis=1)
    surprise = -jnp.take_along_axis(chances, 1 + words.templates + questions.taught[:, None], axis=1)[:, 0]
    asked = questions.asked_subjects
    return jnp.sum(jnp.where(asked, surprise, 0)) / jnp.maximum(jnp.sum(asked), 1)
