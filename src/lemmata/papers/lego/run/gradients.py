"""Gradients of the dense model by autodiff, at weights as they come: what the printed gradients are compared with."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lemmata.core import RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision
from lemmata.core.constraints import Count, NonNegative, Positive, Several
from lemmata.papers.lego.model.dense import Dense, token_loss
from lemmata.papers.lego.task import Lego, LegoConfig, Vocabulary

LENGTHS = (1, 2, 4)


@dataclass(frozen=True, kw_only=True)
class Gradients(RunConfig):
    """An identity in the weights holds at any: they are drawn large, so that every branch of the activation is met."""

    kind = "lego/gradients"

    action: str = "S3"
    variables: Several = 5
    width: Count = 2
    power: Several = 4
    bias: NonNegative = 0.3
    spread: Positive = 1.0  # of W and Q
    bare: bool = False  # W reads slots 2 and 5 alone, for classes of values alone, and Q has two blocks
    sentences: Count = 64  # drawn: an identity sentence by sentence holds for any of them
    seed: int = 0

    def cross_check(self) -> None:
        LegoConfig(action=self.action, variables=self.variables, length=max(LENGTHS))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            task = Lego.create(LegoConfig(action=self.action, variables=self.variables, length=max(LENGTHS)))
            words, vocab = task.vocabulary, task.vocabulary.size
            keys = [named_key(self.seed, name, "gradients") for name in ("feed", "query")]
            shapes = ((5, vocab, self.width, 5, vocab), (5, vocab, 5, vocab))
            drawn = (self.spread * jax.random.normal(key, shape) for key, shape in zip(keys, shapes, strict=True))
            model = self.without_the_rest(Dense(*drawn), words)
            uniform = Dense(model.feed, jnp.zeros_like(model.query))
            arrays = {"feed": np.asarray(model.feed), "query": np.asarray(model.query)}
            for length in LENGTHS:
                key = named_key(self.seed, "sentences", str(length))
                corpus = task.draw(self.sentences, key=key, length=length)
                arrays[f"sentences.{length}"] = np.asarray(corpus)
                if length == 1:
                    arrays["by feed, uniform"] = self.slopes(uniform, corpus, 1, 1)[0]
                steps = (1,) if length == 1 else (1, 2)
                found = [self.slopes(model, corpus, length, step) for step in steps]
                for step, (by_feed, by_query) in zip(steps, found, strict=True):
                    arrays |= {f"by feed.{length}.{step}": by_feed, f"by query.{length}.{step}": by_query}
        return RunOutput({"vocab": np.array([vocab])}, arrays)

    def without_the_rest(self, model: Dense, words: Vocabulary) -> Dense:
        """W_5 of Section 6.1.2 and Q of Assumption 3.5."""
        if not self.bare:
            return model
        read = np.zeros((1, words.size, 1, 5, words.size))
        classes = slice(words.first_value, words.blank)
        read[:, classes, :, 1, words.first_action : words.first_value] = 1
        read[:, classes, :, 4, classes] = 1
        blocks = np.zeros((5, 1, 5, 1))
        blocks[3, :, 2:4] = 1
        return Dense(model.feed * read, model.query * blocks)

    def slopes(self, model: Dense, corpus: Array, length: int, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Minus the gradients: in W of the loss summed over tokens, in Q of each token's loss, [i, ...]."""
        by_feed, by_query = _slopes(model, corpus, self.bias, length, step, self.power)
        return np.asarray(by_feed), np.asarray(by_query)


@optimized_jit
def _slopes(model: Dense, corpus: Array, bias: float, length: int, step: int, power: int) -> tuple[Array, Array]:
    losses, pull = jax.vjp(lambda m: token_loss(m, corpus, length, step, bias, power), model)
    (by_token,) = jax.vmap(pull)(-jnp.eye(len(losses)))
    return jnp.sum(by_token.feed, axis=0), by_token.query
