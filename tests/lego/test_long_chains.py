"""Equation (5) and greedy chains of the four-score model against the dense transformer on the same sentences."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lego_oracles import as_tables, value_neurons
from lemmata.core import RunConfig, Unattended, UserError, named_key, precision
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import look
from lemmata.papers.lego.probe.fast.long_chains import ActionChains, at_lengths, ceiling, draw_chains
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.fast.population_labels import writes_variables
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.run.population_doubling import PopulationDoubling
from lemmata.papers.lego.task import Lego, LegoConfig, action

SCORES = (2.5, -0.1, 2.2, 0.1)
TINY = {"action": "C3", "vocabulary": 20, "widths": (4,), "clips": (2.0,), "lengths": (2, 4), "test_sentences": 8}


def dense_and_chains(name: str, variables: int, longest: int, num: int):
    """A dense model with four scores and the variable neurons of section 6.1.1, and sentences of its world."""
    actions, values = action(name).table.shape
    sizes = {"variables": variables, "actions": actions, "values": values, "width": 3}
    config = TheoryConfig(**sizes, scale=0.4, clip=1.5)
    dense = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))(named_key(0, "init"))
    magnitude = dense.value.bound + dense.value.rho * (1 - 1 / config.power) - dense.value.bias
    copies = jnp.zeros((variables, variables, 3)).at[..., 0].set(2 * magnitude * jnp.eye(variables))
    dense = eqx.tree_at(lambda m: m.variable.tables[0], dense, copies)
    dense = eqx.tree_at(lambda m: m.variable.speaks, dense, jnp.array([1.0, 0.0, 0.0]))
    dense = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), dense, as_tables(jnp.array(SCORES), variables))
    task = Lego.create(LegoConfig(action=name, variables=variables, length=longest))
    return dense, task, task.draw(num, key=named_key(1, "test"))


def test_every_length_is_the_dense_models() -> None:
    with precision("float64"):
        longest, num = 7, 6
        dense, task, clauses = dense_and_chains("S3", 12, longest, num)
        v = task.vocabulary
        chains = ActionChains(clauses[:, :longest, 1] - v.first_action, clauses[:, longest:, 4] - v.first_value)
        neurons, lengths = value_neurons(dense.value), (1, 4, 7)
        found = eqx.filter_jit(at_lengths)(neurons, jnp.array(SCORES), chains, jnp.asarray(lengths))
        for i, length in enumerate(lengths):
            cut = jnp.concatenate([clauses[:, :length], clauses[:, longest : longest + length + 1]], axis=1)
            after = eqx.filter_jit(jax.vmap(lambda c, n=length: dense.next_clause(c[:-1], n)))(cut)
            true = cut[:, length + 1 :]
            four, five = (
                jnp.take_along_axis(jax.nn.softmax(logits), true[..., slot, None], axis=-1)[..., 0]
                for logits, slot in ((after.variable, 3), (after.value, 4))
            )
            np.testing.assert_allclose(found["value_accuracy"][i], jnp.mean(five), rtol=1e-12)
            np.testing.assert_allclose(found["accuracy"][i], jnp.mean(four * five), rtol=1e-12)
            greedy = jnp.all(jnp.argmax(after.value, axis=-1) == true[..., 4], axis=1)
            np.testing.assert_allclose(found["greedy"][i], jnp.mean(greedy.astype(float)))
            seen = look(dense, cut[0])
            np.testing.assert_allclose(found["epsilon"][i], seen.epsilon[-1], rtol=1e-10, atol=1e-14)
            np.testing.assert_allclose(found["gap"][i], seen.gap[-1], rtol=1e-10, atol=1e-14)
        assert 0.01 < found["value_accuracy"][1] < 0.99


def test_chains_follow_their_actions() -> None:
    table = jnp.asarray(action("S4").table)
    chains = draw_chains(table, 50, 9, key=named_key(0, "test"))
    for step in range(9):
        np.testing.assert_array_equal(
            chains.values[:, step + 1], table[chains.actions[:, step], chains.values[:, step]]
        )
    assert len(np.unique(chains.actions)) > 10


def test_a_run_reaches_its_floor_and_its_ceiling() -> None:
    run = PopulationRun(**TINY, records=(10.0, 1e8), seeds=(0,), losses=("sum", "second"))
    found = run.execute(Unattended())
    table = found.metrics
    assert set(table["losses"]) == {"sum", "second"}
    assert np.all(found.arrays["one_step.excess"] <= run.one_step.tolerance)
    late = table["time"] == 1e8
    np.testing.assert_array_equal(table["time_reached"], table["time"])
    assert np.all(table["excess"][late] < 0.01)
    assert np.all(table["epsilon_22"][late] < table["epsilon_22"][~late] / 10)
    accuracy = found.arrays["accuracy"][0, -1]
    with precision("float64"):
        highest = float(ceiling(run.train_neurons(run.settings()[0])[0]))
    assert np.all(accuracy <= highest + 1e-12)
    assert accuracy[0] > 0.99 * highest
    np.testing.assert_array_equal(found.arrays["greedy"][0, -1], 1)
    again = PopulationRun(**TINY, records=(10.0, 1e8), seeds=(0,)).execute(Unattended())
    np.testing.assert_array_equal(again.metrics["loss"], table["loss"][table["losses"] == "sum"])


def test_descent_is_a_method_too_and_little_time_is_admitted() -> None:
    shared = {**TINY, "records": (1.0, 50.0), "seeds": (0,)}
    steps = PopulationRun(**shared, method="descent", learning_rate=0.05).execute(Unattended())
    flow = PopulationRun(**shared).execute(Unattended())
    np.testing.assert_allclose(steps.metrics["epsilon_22"], flow.metrics["epsilon_22"], rtol=0.1)
    short = PopulationRun(**TINY, records=(1e6,), evaluations=5, seeds=(0,)).execute(Unattended())
    assert short.metrics["time_reached"][0] < 1e6
    early = PopulationRun(**TINY, one_step=ToTheFloor(steps=3), records=(1.0,), seeds=(0,)).execute(Unattended())
    assert early.arrays["one_step.excess"][0] > 0.05


def test_refusals() -> None:
    wrong: list[dict] = [
        {"vocabulary": 9},
        {"lengths": (2, 40)},
        {"lengths": (4, 2)},
        {"records": (5.0, 1.0)},
        {"method": "descent", "learning_rate": 7.0, "records": (1.0,)},
        {"clips": (0.0,)},
    ]
    for changes in wrong:
        with pytest.raises(UserError):
            PopulationRun(**(TINY | changes))
    assert issubclass(PopulationRun, RunConfig)


def test_doubling_starts_where_the_stage_before_ended() -> None:
    sizes = {"action": "S3", "vocabulary": 40, "width": 6, "lengths": (2, 8), "test_sentences": 8, "contexts": 60}
    run = PopulationDoubling(**sizes, stages=3, seeds=(0,)).execute(Unattended())
    table = {name: values[run.metrics["arm"] == "self"] for name, values in run.metrics.items()}
    np.testing.assert_array_equal(table["length"], [2, 4, 8])
    np.testing.assert_array_equal(table["labels_right"], 1)  # the annotator has learned T^2
    assert np.all(table["epsilon_after"] < table["epsilon_before"])
    assert np.all(np.diff(table["third_diagonal"]) > 0)
    assert np.all(table["epsilon_before"][1:] <= 3 * table["epsilon_after"][:-1])  # from 2 clauses to 4, from 4 to 8
    assert np.all(table["epsilon_worst"] >= table["epsilon_after"])
    assert run.arrays["accuracy"].shape == (1, 2, 3, 2)
    with pytest.raises(UserError, match="length"):
        PopulationDoubling(**sizes, stages=9)


def test_the_arm_alone_reads_as_many_clauses_and_stays_with_two_steps() -> None:
    sizes = {"action": "S3", "vocabulary": 40, "width": 6, "lengths": (2, 8), "test_sentences": 8, "contexts": 60}
    run = PopulationDoubling(**sizes, stages=3, excess=0.05, seeds=(0,)).execute(Unattended())
    doubled, alone = (
        {name: values[run.metrics["arm"] == arm] for name, values in run.metrics.items()} for arm in ("self", "alone")
    )
    np.testing.assert_array_equal(doubled["clauses"], alone["clauses"])
    # T^2 reads 3 (2 + 2) clauses a sentence; length 4 reads 3 (4 + 2), and its annotator 5 + 6.
    np.testing.assert_allclose(alone["time"] * 12, alone["clauses"])
    np.testing.assert_allclose(doubled["clauses"][1], 12 * doubled["time"][0] + 29 * doubled["time"][1])
    np.testing.assert_allclose(alone["third_diagonal"][0], doubled["third_diagonal"][0], rtol=1e-6)  # one first stage
    assert alone["epsilon_after"][2] > doubled["epsilon_after"][2]


def test_an_annotator_that_writes_no_variable_right_is_not_learned_from() -> None:
    sizes = {"action": "S3", "vocabulary": 40, "width": 6, "lengths": (2, 8), "test_sentences": 8, "contexts": 60}
    config = PopulationDoubling(**sizes, stages=2, seeds=(0,))
    row = config.unlabelled(2, 5.0, np.array([-1.0, 0.0, 2.0, 0.0]))
    assert (row["labels_right"], row["time"], row["clauses"], row["length"]) == (0.0, 0.0, 5.0, 4)
    assert not row["ended_by_loss"]
    assert not writes_variables(jnp.array([-1.0, 0.0, 2.0, 0.0]))
    assert writes_variables(jnp.array([1.0, 0.0, 2.0, 0.0]))
    trained = config.execute(Unattended()).metrics  # a row of either kind has the same columns
    assert set(row) <= set(trained)
