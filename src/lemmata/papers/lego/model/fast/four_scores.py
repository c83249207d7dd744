"""Equal to Q_{4,3} and Q_{4,4} of `TheoryTransformer`, trained from zero on a whole population: four scores.

Variables are exchangeable. Every variable stands in the place of every other in D^L, and the loss of the value reads
no variable. So each entry on a block's diagonal has the same gradient, and so has each entry off it. The four scores,
in this order: a predicate of the query's own variable, any other predicate, the query itself, any other answer.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

SCORES = ("third_diagonal", "third_rest", "fourth_diagonal", "fourth_rest")
Scores = Float[Array, "4"]


class Attention(eqx.Module):
    """Of the query x_{l-1} in a sentence of D^L: what each clause of a kind gets."""

    predicate: Float[Array, "*#shape"]  # x_l = g_l(x_{l-1})
    other_predicate: Float[Array, "*#shape"]  # each of L - 1
    answer: Float[Array, "*#shape"]  # x_{l-1} = y_{l-1}, the query itself
    other_answer: Float[Array, "*#shape"]  # each of l - 1
    epsilon: Float[Array, "*#shape"]  # equation (19): all others together (one minus the two would lose its digits)

    @property
    def gap(self) -> Float[Array, "*shape"]:
        """Equation (20)."""
        return jnp.abs(self.predicate - self.answer)


def attention(
    scores: Float[Array, "*#shape 4"],
    length: Float[Array, "*#shape"] | Int[Array, "*#shape"] | float,
    step: Float[Array, "*#shape"] | Int[Array, "*#shape"] | float,
) -> Attention:
    """The softmax over L predicates and l answers, by kind. Length and step may be arrays."""
    weights = jnp.exp(scores - jnp.max(scores, axis=-1, keepdims=True))
    predicate, other_predicate, answer, other_answer = jnp.moveaxis(weights, -1, 0)
    elsewhere = (length - 1) * other_predicate + (step - 1) * other_answer
    total = predicate + answer + elsewhere
    return Attention(
        predicate=predicate / total,
        other_predicate=other_predicate / total,
        answer=answer / total,
        other_answer=other_answer / total,
        epsilon=elsewhere / total,
    )


def entry_speeds(variables: Float[Array, ""] | float) -> Float[Array, "4"]:
    """How fast the four scores move when every entry of Q moves against its gradient, times |X|.

    The derivative in a score is the sum of those of its entries, |X| on a diagonal and |X| (|X| - 1) off it.
    """
    rest = 1 / (jnp.asarray(variables, float) - 1)
    return jnp.stack([jnp.ones_like(rest), rest, jnp.ones_like(rest), rest])
