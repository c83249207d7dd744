"""Joint training: one step of it is the gradient of the next-clause loss in every weight."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.run.joint import JointTraining
from lemmata.papers.lego.run.joint_descent import JointDescent
from lemmata.papers.lego.task import Lego, LegoConfig

TASK = Lego.create(LegoConfig(action="C3", variables=5, length=2))
CONFIG = TheoryConfig(variables=5, actions=3, values=3, width=4, scale=0.7, clip=6.0)


def test_a_step_is_the_gradient_of_the_next_clause_loss() -> None:
    with precision("float64"):
        model = TheoryTransformer.create(CONFIG, key=named_key(0, "init"))
        tables = tuple(jnp.asarray(np.random.default_rng(0).normal(size=(5, 5))) for _ in range(2))
        model = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, tables)
        algorithm, key = JointDescent(batch=8, stride=1e9, learning_rate=0.1), named_key(1, "step")
        drawn = jax.vmap(lambda k: TASK.draw(1, key=k, length=2)[0])(jax.random.split(key, 8))

        def loss(model: TheoryTransformer) -> jax.Array:
            def nll(clauses: jax.Array, answer: int) -> jax.Array:
                after = model.next_clause(clauses[: 2 + answer], 1)
                truth = clauses[2 + answer]
                name, value = (jax.nn.log_softmax(logits[0]) for logits in (after.variable, after.value))
                return -name[truth[3]] - value[truth[4]]

            return jnp.sum(jnp.stack([jnp.mean(jax.vmap(lambda c, a=a: nll(c, a))(drawn)) / 2 for a in (1, 2)]))

        slope = eqx.filter_jit(eqx.filter_grad(loss))(model)
        new, metrics = eqx.filter_jit(algorithm.step)(TASK, algorithm.init(model), key=key)
        np.testing.assert_allclose(metrics["value_loss"] + metrics["variable_loss"], loss(model), rtol=1e-10)
        for part in (lambda m: m.query_third, lambda m: m.query_fourth, lambda m: m.variable.tables[0]):
            assert np.abs(part(slope)).max() > 1e-5
            np.testing.assert_allclose(part(new.model), part(model) - 0.1 * part(slope), atol=1e-12)
        for slot in (1, 4):
            moved = model.value.tables[slot] - 0.1 * slope.value.tables[slot]
            np.testing.assert_allclose(new.model.value.tables[slot], moved, atol=1e-12)


def test_a_stride_bounds_every_score_and_the_value_alone_leaves_w4() -> None:
    model = TheoryTransformer.create(CONFIG, key=named_key(0, "init"))
    algorithm = JointDescent(tokens="value", batch=8, stride=0.01)
    new, _ = eqx.filter_jit(algorithm.step)(TASK, algorithm.init(model), key=named_key(1, "step"))
    assert 0 < float(jnp.abs(new.model.query_third - model.query_third).max()) <= 0.01 * (1 + 1e-3)
    assert eqx.tree_equal(new.model.variable, model.variable)


def test_refusals() -> None:
    wrong: tuple[dict[str, Any], ...] = ({"lengths": (29,)}, {"every": 7}, {"stride": 0.0}, {"seeds": ()})
    for changes in wrong:
        with pytest.raises(UserError):
            JointTraining(**changes)
