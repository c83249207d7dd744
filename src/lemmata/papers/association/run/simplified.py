"""What the theory claims share: the data and the one-layer model of equation (2), at zero or under Assumption F.1."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import Batch, named_integer
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.papers.association.theory import RecallChain

TRIGGER = 0


def theory_task(chain: RecallChain) -> NoisyRecall:
    """Section 3's data with uniform π_u and π_b: token 0 is the trigger, token N the noise; the loss is on y alone."""
    config = RecallConfig(
        source="uniform",
        symbols=chain.num_tokens,
        length=chain.length,
        triggers=(TRIGGER,),
        noise=None,
        alpha=chain.alpha,
        loss_on="last",
        trigger_outputs=not chain.exclude_trigger,
    )
    return NoisyRecall.create(config)


@eqx.filter_jit
def sample(task: NoisyRecall, num: int, key: Key[Array, ""]) -> Batch:
    """Compiled once for a task and a size, whichever run asks."""
    return task.sample(num, key=key)


def zero_model(chain: RecallChain, seed: int = 0) -> SimplifiedModel:
    """Random orthonormal embeddings (Assumption D.1), W_QK = W_V = W_F = 0."""
    vocab = chain.num_tokens + 1
    width = 2 * vocab
    stream = np.random.default_rng(named_integer(seed, "init"))
    inputs, outputs = (np.linalg.qr(stream.normal(size=(width, width)))[0] for _ in range(2))
    zero = jnp.zeros((width, width))
    return SimplifiedModel(
        tokens=jnp.asarray(inputs[:vocab]),
        previous=jnp.asarray(inputs[vocab:]),
        output=jnp.asarray(outputs[:vocab]),
        attention=zero,
        value=zero,
        feed=zero,
    )


def with_noise_learned(model: SimplifiedModel, chain: RecallChain) -> SimplifiedModel:
    """Assumption F.1: W_F alone predicts the noise with α and every possible output alike, in any context."""
    chance = np.full(chain.num_tokens + 1, (1 - chain.alpha) / chain.num_targets)
    chance[chain.num_tokens] = chain.alpha
    if chain.exclude_trigger:
        chance[TRIGGER] = 1e-12
    feed = np.outer(np.log(chance) @ np.asarray(model.output), np.asarray(model.tokens)[TRIGGER])
    return eqx.tree_at(lambda m: m.feed, model, jnp.asarray(feed))


def project(
    model: SimplifiedModel, matrix: Float[Array, "width width"]
) -> tuple[Float[Array, "outputs tokens"], Float[Array, "outputs tokens"]]:
    """W_U(j)^T matrix W_E(k) and W_U(j)^T matrix W̃_E(k), as [j, k]."""
    left = model.output @ matrix
    return left @ model.tokens.T, left @ model.previous.T
