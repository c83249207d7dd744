"""Stage 1 of Algorithms 1 and 2: gradient descent of the neurons on the one-step task T^1, attention uniform.

The feed-forward layer then reads half of the predicate and half of the first answer (section 6.1), so W_5 sees only
the pair (g_1, y_0) and W_4 only x_1 if they read no other slot, and the full-batch gradient is exact: |G| |Y| inputs
for the value, |X| for the variable. Neurons that read every slot are trained on sampled sentences.
"""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.core import AbstractAlgorithm, Metrics, TrainState, require
from lemmata.models.lego import Neurons, TheoryTransformer
from lemmata.tasks.lego import Lego

Token = Literal["variable", "value"]


class Pace(eqx.Module):
    """A replica's own rate and length of training, so that many of them are one program."""

    rate: Float[Array, ""]
    left: Int[Array, ""]  # steps still to go; at 0 it stands still


class OneStep(AbstractAlgorithm):
    """Plain descent of W_4 (`variable`) or W_5 (`value`) on Loss^1 of that token; the other weights stay.

    `batch` is None for the exact gradient over all inputs, else the number of sentences drawn a step.
    """

    token: Token = eqx.field(static=True)
    rate: float = eqx.field(static=True, default=10.0)
    batch: int | None = eqx.field(static=True, default=None)

    def init(self, model: TheoryTransformer, rate: float | None = None, steps: int | None = None) -> TrainState:
        """`rate` and `steps` of this replica: the algorithm's own and no end, unless given."""
        rate = self.rate if rate is None else rate
        require(rate > 0, "rate", rate, "positive")
        require(steps is None or steps >= 0, "steps", steps, "not negative")
        forever = jnp.iinfo(jnp.int32).max
        return TrainState(model, Pace(jnp.asarray(rate, float), jnp.asarray(forever if steps is None else steps)))

    def step(self, task: Lego, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        model, pace = state.model, state.memory
        neurons = getattr(model, self.token)

        def loss(tables: Any) -> tuple[Float[Array, ""], Metrics]:
            moved = eqx.tree_at(lambda n: n.tables, neurons, tables)
            answers = self.answers(moved, task, key)
            return answers["loss"], answers

        (_, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(neurons.tables)
        rate = jnp.where(pace.left > 0, pace.rate, 0)
        tables = jax.tree.map(lambda w, g: w - rate * g, neurons.tables, gradient)
        new = eqx.tree_at(lambda m: getattr(m, self.token).tables, model, tables)
        return TrainState(new, Pace(pace.rate, jnp.maximum(pace.left - 1, 0))), metrics

    def answers(self, neurons: Neurons, task: Lego, key: Key[Array, ""]) -> Metrics:
        """Loss, accuracy of the largest logit, and the probability of the truth (equation 5), over the inputs."""
        if self.batch is None:
            read, target = all_inputs(neurons, task.table, self.token)
        else:
            read, target = sampled_inputs(neurons, task, self.token, self.batch, key)
        return score(neurons, neurons.of_input(read), target)


def all_inputs(
    neurons: Neurons, table: Int[Array, "action value"], token: Token
) -> tuple[Float[Array, "*inputs classes neurons"], Int[Array, "*inputs"]]:
    """What the neurons read on every input of T^1, and the true classes: [action, value] pairs or [variable]."""
    read = {slot for slot, weights in enumerate(neurons.tables) if weights is not None}
    x1, g1, _, _, y0 = neurons.tables
    if token == "variable":
        require(read == {0}, "reads", "all", "needed: the exact gradient is of neurons that read slot 1 alone")
        assert x1 is not None
        return x1 / 2, jnp.arange(len(x1)) - neurons.first
    require(read == {1, 4}, "reads", "all", "needed: the exact gradient is of neurons that read slots 2 and 5 alone")
    assert g1 is not None
    assert y0 is not None
    first_value = neurons.vocab - 1 - table.shape[1]
    return (g1[:, None] + y0) / 2, table + (first_value - neurons.first)


def sampled_inputs(
    neurons: Neurons, task: Lego, token: Token, batch: int, key: Key[Array, ""]
) -> tuple[Float[Array, "batch classes neurons"], Int[Array, " batch"]]:
    """The same on sentences of D^1."""
    sentences = task.draw(batch, key=key, length=1)
    v = task.vocabulary
    offsets = (0, v.first_action, 0, 0, v.first_value)
    # The predicate fills slots 1-3, the first answer slots 4 and 5.
    places = [sentences[:, 0, 0], sentences[:, 0, 1], sentences[:, 0, 2], sentences[:, 1, 3], sentences[:, 1, 4]]
    rows = [w[t - o] for w, t, o in zip(neurons.tables, places, offsets, strict=True) if w is not None]
    return sum(rows[1:], rows[0]) / 2, sentences[:, 2, 3 if token == "variable" else 4] - neurons.first


def score(
    neurons: Neurons, logits: Float[Array, "*inputs classes"], target: Int[Array, "*inputs"]
) -> dict[str, Float[Array, ""]]:
    """Under the softmax over the whole vocabulary: each token without neurons adds exp(0) to the sum."""
    silent = neurons.vocab - neurons.classes
    padded = jnp.concatenate([logits, jnp.zeros_like(logits[..., :1])], axis=-1)
    weights = jnp.ones(neurons.classes + 1, logits.dtype).at[-1].set(silent)
    normalizer = jax.nn.logsumexp(padded, axis=-1, b=weights)
    right = jnp.take_along_axis(logits, target[..., None], axis=-1)[..., 0]
    rivals = jnp.where(jnp.arange(neurons.classes) == target[..., None], -jnp.inf, logits)
    best_rival = jnp.maximum(jnp.max(rivals, axis=-1), 0 if silent else -jnp.inf)
    return {
        "loss": jnp.mean(normalizer - right),
        "accuracy": jnp.mean((right > best_rival).astype(logits.dtype)),
        "probability": jnp.mean(jnp.exp(right - normalizer)),
    }
