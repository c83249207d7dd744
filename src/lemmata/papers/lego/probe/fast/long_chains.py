"""Equal to `TheoryTransformer` on sentences of any length where Q is four scores: equation (5) and the greedy chain.

Chains of actions are enough. At step l of a chain of L the neurons read sums over the chain and over what was
answered, so all steps of a chain take one pass. W_4 is not trained by the exact engine: the variable's token is read
from the form that section 6.1.1 proves, one neuron a class that says B at half the attention on the variable's
predicate.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.papers.lego.model.fast.four_scores import Scores, attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons, nll_and_slope
from lemmata.papers.lego.probe.chunks import divisor

IN_CACHE = 2**15  # logits of one chunk of chains


class ActionChains(eqx.Module):
    actions: Int[Array, "num longest"]  # g_1, ..., g_L
    values: Int[Array, "num longest+1"]  # y_0, ..., y_L


def draw_chains(table: Int[Array, "action value"], num: int, longest: int, *, key: Key[Array, ""]) -> ActionChains:
    """D^L without its variables (Assumption 3.2). A shorter chain is the start of a longer one."""
    first, chain = jax.random.split(key)
    actions = jax.random.randint(chain, (longest, num), 0, len(table))
    start = jax.random.randint(first, (num,), 0, table.shape[1])

    def step(value: Array, acting: Array) -> tuple[Array, Array]:
        new = table[acting, value]
        return new, new

    _, later = jax.lax.scan(step, start, actions)
    return ActionChains(actions.T, jnp.concatenate([start[None], later]).T)


def at_lengths(
    neurons: ValueNeurons, scores: Scores, chains: ActionChains, lengths: Int[Array, " lengths"]
) -> dict[str, Float[Array, " lengths"]]:
    """`accuracy` is equation (5), the mean over steps of both true tokens' probability, and `error` what it lacks of 1,
    with all its digits; `value_accuracy` the value's alone; `greedy` the share of chains whose values are all right
    (teacher-forced, which is the same as rolled out); `epsilon` and `gap` those of the last step, where the most
    clauses compete."""
    longest = chains.actions.shape[1]
    place = jnp.arange(1, longest + 1, dtype=scores.dtype)

    def at(length: Float[Array, ""]) -> dict[str, Float[Array, ""]]:
        mask = place <= length
        loss, right = _by_step(neurons, scores, chains, length)
        probability, variable_loss = jnp.exp(-loss), variable_nll(neurons, scores, length, place)
        error = jnp.mean(-jnp.expm1(-loss - variable_loss), axis=0)
        worst = attention(scores, length, length)
        return {
            "accuracy": jnp.sum(jnp.where(mask, jnp.mean(probability, axis=0) * jnp.exp(-variable_loss), 0)) / length,
            "error": jnp.sum(jnp.where(mask, error, 0)) / length,
            "value_accuracy": jnp.sum(jnp.where(mask, jnp.mean(probability, axis=0), 0)) / length,
            "greedy": jnp.mean(jnp.all(right | ~mask, axis=1).astype(scores.dtype)),
            "epsilon": worst.epsilon,
            "gap": worst.gap,
        }

    return jax.lax.map(at, lengths.astype(scores.dtype))


def ceiling(neurons: ValueNeurons) -> Float[Array, ""]:
    """The greatest accuracy (equation 5) that the clip allows: both logits at B, all others at 0."""
    return jnp.exp(-2 * neurons.floor)


def variable_nll(
    neurons: ValueNeurons, scores: Scores, length: Float[Array, ""] | float, step: Float[Array, " steps"]
) -> Float[Array, " steps"]:
    """-log p of token 4 at each step: the L - 1 other predicates' variables compete with what attention they get."""
    magnitude = neurons.bound + neurons.rho * (1 - 1 / neurons.power) - neurons.bias  # where the neuron says B
    weights = attention(scores, length, step)

    def logit(weight: Array) -> Array:
        return jnp.minimum(neurons.fire(2 * magnitude * weight), neurons.bound)

    right, other, absent = logit(weights.predicate), logit(weights.other_predicate), logit(jnp.zeros(()))
    no_variables = 1 + neurons.actions.shape[-1] + neurons.values.shape[-1]
    odds = (length - 1) * jnp.exp(other - right) + no_variables * jnp.exp(-right)
    odds += (neurons.vocab - no_variables - length) * jnp.exp(absent - right)
    return jnp.log1p(odds)


def _by_step(
    neurons: ValueNeurons, scores: Scores, chains: ActionChains, length: Float[Array, ""]
) -> tuple[Float[Array, "num longest"], Array]:
    """The true value's -log p, and whether its logit is the largest; steps beyond the length mean nothing."""
    num, longest = chains.actions.shape
    place = jnp.arange(1, longest + 1, dtype=scores.dtype)
    weights = attention(scores, length, place)
    classes = jnp.arange(neurons.values.shape[1])[:, None, None]

    def some(chain: ActionChains) -> tuple[Array, Array]:
        def read(actions: Array, values: Array) -> Array:
            of_actions, of_values = actions[:, chain.actions], values[:, chain.values[:, :-1]]
            every = jnp.sum(jnp.where(place <= length, of_actions, 0), axis=-1, keepdims=True)
            before = jnp.cumsum(of_values, axis=-1) - of_values
            found = weights.predicate * of_actions + weights.other_predicate * (every - of_actions)
            return found + (weights.answer * of_values + weights.other_answer * before)

        logits = neurons.logits(read, (len(classes), *chain.actions.shape))
        truth = classes == chain.values[None, :, 1:]
        loss, _ = nll_and_slope(logits, truth, neurons)
        clipped = jnp.minimum(logits, neurons.bound)
        right = jnp.sum(jnp.where(truth, clipped, 0), axis=0)
        return loss, (right > jnp.max(jnp.where(truth, -jnp.inf, clipped), axis=0)) & (right > 0)

    size = divisor(num, IN_CACHE // (len(classes) * longest))
    together = jax.tree.map(lambda part: part.reshape(-1, size, part.shape[-1]), chains)
    found = jax.lax.map(some, together)
    return tuple(part.reshape(num, longest) for part in found)
