"""Equal to `rollout` of a frozen annotator on every sentence, two answers long: equation (9) on the population.

The annotator is the same W_5 with earlier scores. Variables (token 4) are taken as written right: W_4 needs only that
the predicate of the query's own variable gets more attention than any other (section 6.1.3).
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import require
from lemmata.papers.lego.model.fast.four_scores import Scores, attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.run.fast.population_loss import Contexts, Labels


@eqx.filter_jit
def _write(
    neurons: ValueNeurons, table: Int[Array, "action value"], scores: Scores, around: Contexts
) -> tuple[Labels, Float[Array, ""]]:
    """Clipped logits: an argmax among equals takes the first, as the theory transformer's does."""
    true = jnp.arange(table.shape[1])[:, None, None]
    shape = (len(true), len(true), len(around.first), len(table))
    early, late = (attention(scores, around.length, step) for step in (1.0, 2.0))

    def first(actions: Array, values: Array) -> Array:
        """Step 1 asks (g_1, y_0); among its other predicates stands g_2."""
        of_first = actions[:, around.first]
        others = actions @ around.others.T - of_first
        before = jnp.einsum("jz,ykz->jyk", values, around.before)
        context = (early.predicate * of_first + early.other_predicate * others)[:, None, :] + early.answer * before
        return context[..., None] + early.other_predicate * actions[:, None, None, :]

    written = jnp.argmax(jnp.minimum(neurons.logits(first, shape), neurons.bound), axis=0)

    def second(actions: Array, values: Array) -> Array:
        before = jnp.einsum("jz,ykz->jyk", values, around.before)
        context = late.other_predicate * (actions @ around.others.T)[:, None, :] + late.other_answer * before
        return context[..., None] + late.predicate * actions[:, None, None, :] + late.answer * values[:, written]

    after = jnp.argmax(jnp.minimum(neurons.logits(second, shape), neurons.bound), axis=0)
    right = (written == true) & (after == table.T[:, None, :])
    return Labels(written, after), jnp.mean(right.astype(scores.dtype))


def writes_variables(scores: Scores) -> bool:
    """Whether the query's own predicate gets the most attention; else every sentence has a wrong variable."""
    return bool(scores[0] > scores[1])


def greedy_labels(
    neurons: ValueNeurons, table: Int[Array, "action value"], scores: Scores, around: Contexts
) -> tuple[Labels | None, float]:
    """Answers 1 and 2 on contexts of step 2, and the share of sentences where both are the true ones; no labels where
    all are, since the loss on true answers is the cheaper program."""
    require(float(around.step) == 2, "step", float(around.step), "2: Algorithm 2 asks for the second answer")
    require(writes_variables(scores), "scores", scores.tolist(), "by which variables are written right")
    labels, right = _write(neurons, table, scores, around)
    return (None if right == 1 else labels), float(right)
