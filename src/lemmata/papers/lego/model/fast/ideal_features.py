"""Equal to `ValueNeurons` with the features of Theorem C.1, without its errors: contexts are counts of permutations.

S_n has one neuron a combination (Fiber_{j,y}, y). In neuron r_{j,y} stand V(g) = a for an action that sends y to j and
-b for another, V(y) = b and V(y') = -a, with a + b = 2 psi, a / b = C_alpha and psi the magnitude at which the neuron
says B; the bias, of order sigma_0, is 0.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from lemmata.papers.lego.model.fast.four_scores import Scores, attention
from lemmata.papers.lego.task.count_contexts import CountContexts


class IdealFeatures(eqx.Module):
    action: Float[Array, ""]  # V(g) = a
    value: Float[Array, ""]  # V(y) = b
    bound: Float[Array, ""]  # B
    vocab: Float[Array, ""]  # d
    rho: Float[Array, ""]
    points: int = eqx.field(static=True)  # n_y
    power: int = eqx.field(static=True)  # q

    @property
    def floor(self) -> Float[Array, ""]:
        """The least loss of a step that the clip allows."""
        return jnp.log1p((self.vocab - 1) * jnp.exp(-self.bound))

    def fire(self, x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The smoothed ReLU (Definition 3.4)."""
        bend = self.rho / self.power * jnp.clip(x / self.rho, 0, 1) ** self.power
        return bend + jnp.maximum(x - self.rho, 0)

    def lambdas(
        self, scores: Scores, around: CountContexts, step: int = 2
    ) -> Float[Array, "2 contexts classes values"]:
        """What each neuron r_{j,y} reads (Lemmas E.6 and F.3), where y_0 is y_1 and where it is another value. At step
        1 the pair is (g_1, y_0), and nothing was answered before."""
        a, b, n = self.action, self.value, self.points
        seen = attention(scores, around.length, float(step))
        pair = seen.predicate * jnp.where(jnp.eye(n, dtype=bool), a, -b)
        context = seen.other_predicate * ((a + b) * around.counts - b * (around.length - 1))
        before = seen.other_answer * (step - 1)
        query = jnp.full(n, -a).at[0].set(b)
        other = jnp.stack([query, jnp.full(n, -a).at[1].set(b)])
        return (pair + context)[None] + (seen.answer * query + before * other)[:, None, None, :]

    def odds(
        self, scores: Scores, around: CountContexts, step: int = 2
    ) -> tuple[Float[Array, "2 contexts"], Bool[Array, "2 contexts"]]:
        """(1 - p) / p of the right class, the first, and whether its logit is the largest."""
        logits = jnp.minimum(jnp.sum(self.fire(self.lambdas(scores, around, step)), axis=-1), self.bound)
        right, others = logits[..., 0], logits[..., 1:]
        odds = jnp.sum(jnp.exp(others - right[..., None]), axis=-1) + (self.vocab - self.points) * jnp.exp(-right)
        return odds, (right > jnp.max(others, axis=-1)) & (right > 0)

    def mean(self, of_context: Float[Array, "2 contexts"], around: CountContexts) -> Float[Array, ""]:
        """Over contexts; y_0 is y_1 for one value in n_y."""
        same, other = of_context @ around.weights
        return same / self.points + other * (1 - 1 / self.points)

    def loss(self, scores: Scores, around: CountContexts, step: int = 2) -> Float[Array, ""]:
        """Loss_5^{L,step}."""
        return self.mean(jnp.log1p(self.odds(scores, around, step)[0]), around)

    def error(self, scores: Scores, around: CountContexts, step: int = 2) -> Float[Array, ""]:
        """The mean of 1 - p, for equation (5)."""
        odds, _ = self.odds(scores, around, step)
        return self.mean(odds / (1 + odds), around)

    def false(self, scores: Scores, around: CountContexts, step: int = 2) -> Float[Array, ""]:
        """The share of sentences whose greedy answer is wrong."""
        return self.mean(1 - self.odds(scores, around, step)[1].astype(scores.dtype), around)


loss_and_slope = eqx.filter_jit(jax.value_and_grad(lambda scores, features, around: features.loss(scores, around)))
