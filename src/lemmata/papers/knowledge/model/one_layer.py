"""The one-layer transformer of Figure 1: softmax attention through one matrix, then neurons of a class each."""

from dataclasses import dataclass
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from lemmata.core import AbstractModel, Config, Count, NonNegative, Positive, Trace, named_integer, require
from lemmata.papers.knowledge.model.low_rank import Factors, Part

Embeddings = Literal["gaussian", "orthonormal"]
Attention = Literal["softmax", "uniform"]


@dataclass(frozen=True, kw_only=True)
class OneLayerConfig(Config):
    """The paper's text fixes sigma = 1 and d = 50; lambda, m and the starting sizes are our choices."""

    width: Count = 50  # d
    neurons: Count = 8  # m, of each class
    scale: Positive = 8.0  # lambda; lambda = m makes a class's logit the plain sum of its neurons
    embeddings: Embeddings = "gaussian"  # N(0, sigma^2 I), or orthogonal rows of the same length sigma sqrt(d)
    sigma: Positive = 1.0
    attention: Attention = "softmax"  # "uniform" is the paper's comparison 'uniform attention + MLP'
    neuron_start: NonNegative = 0.01  # sigma_0, the spread of the neurons' first weights; attention starts at 0

    def check(self, tokens_read: int, where: str = "model") -> None:
        """Refuse a width in which that many tokens cannot be orthogonal."""
        fits = self.embeddings == "gaussian" or self.width >= tokens_read
        allowed = f"at least {tokens_read}, the tokens that orthonormal embeddings must tell apart"
        require(fits, f"{where}.width", self.width, allowed)


class OneLayer(AbstractModel):
    """Xi = x_last + sum_l alpha_l x_l with alpha = softmax(x_last A x_l); logit_c = (lambda / m) sum_k relu(w_ck Xi).

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
    def create(
        cls,
        config: OneLayerConfig,
        seed: int,
        *,
        present: Bool[np.ndarray, " token"],
        read: Bool[np.ndarray, " token"],
        classes: Int[np.ndarray, " class"],
    ) -> "OneLayer":
        """`present` marks the real tokens, `read` those that are ever read (the others need no embedding).

        Numbers are drawn for what is real and then spread over the padded arrays: padding changes none of them.
        """
        m, d = config.neurons, config.width
        real, seen = present[classes], present & read
        config.check(int(seen.sum()))
        embeddings = np.zeros((len(present), d))
        drawn = _stream(seed, "embeddings").standard_normal((int(seen.sum()), d))
        if config.embeddings == "orthonormal":
            drawn = np.linalg.qr(drawn.T)[0].T * np.sqrt(d)
        embeddings[seen] = config.sigma * drawn
        neurons = np.zeros((d, m, len(classes)))
        neurons[:, :, real] = config.neuron_start * _stream(seed, "neurons").standard_normal((d, m, int(real.sum())))
        return cls(
            jnp.asarray(embeddings),
            jnp.zeros((d, d)),
            jnp.asarray(neurons),
            jnp.asarray(classes, jnp.int32),
            jnp.asarray(real),
            None,
            None,
            config,
        )

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
        return jax.nn.softmax(jnp.where(reach, x @ self.matrices()[0] @ x.T, -jnp.inf), axis=-1)

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


def learned(model: OneLayer, part: Part = "both") -> PyTree:
    """True on the leaves that learn: the factors where the model has them, the matrices where it does not."""
    chosen = []
    if part != "neurons":
        chosen.append("attention" if model.attention_update is None else "attention_update")
    if part != "attention":
        chosen.append("neurons" if model.neuron_update is None else "neuron_update")
    nothing = jax.tree.map(lambda _: False, model)
    for name in chosen:
        everything = jax.tree.map(lambda _: True, getattr(model, name))
        nothing = eqx.tree_at(lambda one, name=name: getattr(one, name), nothing, everything)
    return nothing


def _stream(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(named_integer(seed, "knowledge", purpose))
