"""The one-layer transformer of Figure 1: softmax attention through one matrix, then neurons of a class each.

A low-rank change leaves its matrices as they are and lets two thin factors of each learn (Hu et al., 2022)."""

from dataclasses import dataclass
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from lemmata.core import AbstractModel, Config, Count, NonNegative, Positive, Trace, require, to_jax
from lemmata.papers.knowledge.task import START, FactsConfig, random_stream
from lemmata.train import chosen_leaves

TrainedPart = Literal["both", "attention", "neurons"]  # of the model
# Whose embedding asks for attention. Our text does not say. The last token's is the usual choice; with one query for
# all prompts, that of o, which opens them, a score depends on the key alone, and Lemma 10 can hold.
Query = Literal["last", "first"]


@dataclass(frozen=True, kw_only=True)
class OneLayerConfig(Config):
    """The paper's text fixes sigma = 1 and d = 50; lambda, m and the starting sizes are our choices."""

    width: Count = 50  # d
    neurons: Count = 8  # m, of each class
    scale: Positive = 8.0  # lambda; lambda = m makes a class's logit the plain sum of its neurons
    embeddings: Literal["gaussian", "orthonormal"] = "gaussian"  # N(0, sigma^2 I), or rows of length sigma sqrt(d)
    sigma: Positive = 1.0
    attention: Literal["softmax", "uniform"] = "softmax"  # the paper compares with 'uniform attention + MLP'
    query: Query = "last"
    neuron_start: NonNegative = 0.01  # sigma_0, the spread of the neurons' first weights; attention starts at 0

    @property
    def learning_rate_unit(self) -> float:
        """m / (lambda^2 d): a step of descent at this rate moves the logit of a prompt of weight 1 by order 1."""
        return self.neurons / (self.scale**2 * self.width * self.sigma**2)

    def check(self, world: FactsConfig) -> None:
        """Refuse a width in which the tokens read cannot be orthogonal, and a first token that is not the same."""
        allowed = "'last': sentences without o do not begin with one token"
        require(self.query == "last" or world.opened, "model.query", self.query, allowed)
        read = int((world.present() & world.vocabulary().read()).sum())
        fits = self.embeddings == "gaussian" or self.width >= read
        require(fits, "model.width", self.width, f"at least {read}, the number of tokens that are to be orthogonal")


class Factors(eqx.Module):
    """left @ right. The right factor starts at 0, so nothing changes before the first step."""

    left: Float[Array, "rows rank"]
    right: Float[Array, "rank columns"]

    @classmethod
    def create(cls, rows: int, columns: int, rank: int, seed: int, name: str, room: int | None = None) -> "Factors":
        """With `room` for a larger rank the rest of both factors is 0, and without a gradient it stays so."""
        check_rank(rank, min(rows, columns))
        left = np.zeros((rows, room or rank))
        left[:, :rank] = random_stream(seed, "factors", name).standard_normal((rows, rank)) / np.sqrt(rows)
        return cls(to_jax(left), jnp.zeros((room or rank, columns)))

    def product(self) -> Float[Array, "rows columns"]:
        return self.left @ self.right


def check_rank(rank: int, most: int, where: str = "rank") -> None:
    require(1 <= rank <= most, where, rank, f"1 to {most}, the rank of the matrix it changes")


def low_rank_factors(shape: tuple[int, ...], rank: int, seed: int, room: int | None = None) -> tuple[Factors, Factors]:
    """For A and for w, where `shape` is that of w: (width, neuron, class)."""
    d, m, c = shape
    return (Factors.create(d, d, rank, seed, "attention", room), Factors.create(d, m * c, rank, seed, "neurons", room))


class OneLayer(AbstractModel):
    """Xi = x_last + sum_l alpha_l x_l with alpha = softmax(x_last A x_l), or softmax(x_first A x_l);
    logit_c = (lambda / m) sum_k relu(w_ck Xi).

    Neurons are stored as (width, neuron, class): a batch of Xi times the flattened matrix is one matrix product, and
    the sum over a class's neurons adds contiguous rows.
    """

    embeddings: Float[Array, "token width"]  # fixed
    attention: Float[Array, "width width"]  # A
    neurons: Float[Array, "width neuron class"]  # w
    classes: Int[Array, " class"]  # the token of each class; other tokens are never predicted
    present: Bool[Array, " class"]  # classes that exist; the others pad the array and have probability 0
    attention_update: Factors | None  # of low-rank fine-tuning
    neuron_update: Factors | None
    config: OneLayerConfig = eqx.field(static=True)

    @classmethod
    def create(cls, config: OneLayerConfig, world: FactsConfig, seed: int) -> "OneLayer":
        """Tokens that are never read need no embedding. Numbers are drawn for what is real and then spread over the
        padded arrays: padding changes none of them.

        The theorem's neurons are so many that some of d's respond to o, which opens every prompt. Of m neurons none
        does in one seed of 2^m, and without a gradient none ever will: there they are turned around."""
        config.check(world)
        m, d = config.neurons, config.width
        words, present = world.vocabulary(), world.present()
        classes, seen = words.classes(), present & words.read()
        real = present[classes]
        embeddings = np.zeros((words.size, d))
        drawn = random_stream(seed, "embeddings").standard_normal((int(seen.sum()), d))
        if config.embeddings == "orthonormal":
            drawn = np.linalg.qr(drawn.T)[0].T * np.sqrt(d)
        embeddings[seen] = config.sigma * drawn
        neurons = np.zeros((d, m, len(classes)))
        start = random_stream(seed, "neurons").standard_normal((d, m, int(real.sum())))
        neurons[:, :, real] = config.neuron_start * start
        dummy = neurons[:, :, 0]  # d is the first class
        if world.opened and np.all(embeddings[START] @ dummy <= 0):
            dummy *= -1
        arrays = (embeddings, np.zeros((d, d)), neurons, classes, real)
        return cls(*map(to_jax, arrays), attention_update=None, neuron_update=None, config=config)

    def matrices(self) -> tuple[Float[Array, "width width"], Float[Array, "width neuron class"]]:
        """A and w as the forward pass uses them, with the low-rank updates added."""
        a, w = self.attention, self.neurons
        if self.attention_update is not None:
            a = a + self.attention_update.product()
        if self.neuron_update is not None:
            w = w + self.neuron_update.product().reshape(w.shape)
        return a, w

    def with_factors(self, attention: Factors | None, neurons: Factors | None) -> "OneLayer":
        """The model (or a stack of them) with these low-rank updates."""
        where = lambda one: (one.attention_update, one.neuron_update)  # noqa: E731
        return eqx.tree_at(where, self, (attention, neurons), is_leaf=lambda leaf: leaf is None)

    def weights(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq seq"]:
        """Attention from each position to itself and those before it."""
        x, reach = self.embeddings[tokens], jnp.tril(jnp.ones((len(tokens), len(tokens)), bool))
        if self.config.attention == "uniform":
            return reach / jnp.sum(reach, axis=1, keepdims=True)
        asks = x if self.config.query == "last" else jnp.broadcast_to(x[:1], x.shape)
        return jax.nn.softmax(jnp.where(reach, asks @ self.matrices()[0] @ x.T, -jnp.inf), axis=-1)

    def features(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq width"]:
        """Xi of every prefix."""
        x = self.embeddings[tokens]
        return x + self.weights(tokens) @ x

    def class_logits(self, features: Float[Array, "seq width"]) -> Float[Array, "seq class"]:
        w = self.matrices()[1]
        active = jax.nn.relu(jnp.einsum("sd,dmc->smc", features, w))
        logits = self.config.scale / self.config.neurons * jnp.sum(active, axis=1)
        return jnp.where(self.present, logits, -jnp.inf)

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        logits = self.class_logits(self.features(tokens))
        nothing = jnp.full((len(tokens), self.embeddings.shape[0]), -jnp.inf, logits.dtype)
        return nothing.at[:, self.classes].set(logits)

    def last(self, tokens: Int[Array, " seq"]) -> Float[Array, " class"]:
        """Class logits after the whole sequence."""
        return self.class_logits(self.features(tokens)[-1:])[0]

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        x = self.embeddings[tokens]
        return Trace(self.weights(tokens)[None], jnp.stack([x, self.features(tokens)]), self(tokens))


def trainable(model: OneLayer) -> PyTree:
    """True on the leaves that learn: the factors where the model has them, the matrices where it does not."""

    def where(one: OneLayer) -> list[Any]:
        attention = one.attention if one.attention_update is None else one.attention_update
        neurons = one.neurons if one.neuron_update is None else one.neuron_update
        return jax.tree.leaves((attention, neurons))

    return chosen_leaves(model, where)
