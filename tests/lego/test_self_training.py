"""Algorithm 2 on a small world: stages, provenance, the loss that ends a stage, and plans that share a beginning."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Unattended, UserError, named_key
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import over_lengths
from lemmata.papers.lego.run.one_step_descent import OneStep
from lemmata.papers.lego.run.self_training import Stage, train_stages
from lemmata.papers.lego.run.theory import Plan, StageOne, TheoryRun
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import fit_many, stack

DOUBLED = Stage(length=4, labels="greedy", answers=(2,), steps=200, every=100, error_degree=0.05)


def test_a_stage_of_algorithm_2() -> None:
    assert DOUBLED.stop_below(100) == pytest.approx(100**-0.05)
    assert Stage().stop_below(100) == 0.0
    # Three for a gradient over L + 2 clauses; the annotator reads L + 1, then L + 2.
    assert DOUBLED.clause_passes(10) == 4 * 10 * (3 * 6 + 5 + 6)
    assert dataclasses.replace(DOUBLED, labels="true").clause_passes(10) == 4 * 10 * 3 * 6
    assert DOUBLED.algorithm(10).batch == 40, "batches grow with |X|"


def test_self_training_from_true_and_from_untrained_annotators() -> None:
    """C3 learns T^2; its own labels of length 4 are then all right, those of a model that knows no action are not."""
    task = Lego.create(LegoConfig(action="C3", variables=9, length=2))
    config = TheoryConfig(variables=9, actions=3, values=3, width=6, scale=0.1)
    untrained = stack([eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))(named_key(0, "init"))])
    models, tasks, keys = untrained, stack([task]), jnp.stack([named_key(0, "data")])
    for token in ("value", "variable"):
        algorithm = OneStep(token=token)
        state = stack([algorithm.init(jax.tree.map(lambda leaf: leaf[0], models))])
        state, metrics = fit_many(algorithm, tasks, state, keys, steps=1500, every=1500)
        assert metrics["accuracy"][0, -1] == 1
        models = state.model
    after, histories = train_stages(models, task, keys, (Stage(steps=200, every=100), DOUBLED))
    assert np.all(histories[1]["labels_right"] == 1)
    assert histories[1]["stopped"][0, -1]  # d^-0.05 is nearly 1: met at once
    assert histories[1]["steps_taken"][0, -1] == 0
    last = jax.tree.map(lambda leaf: leaf[0], after[-1])
    first = jax.tree.map(lambda leaf: leaf[0], models)
    read = eqx.filter_jit(lambda model: over_lengths(model, task, (4,), key=named_key(1, "test"), num=64))
    solved, before = read(last), read(first)
    assert float(solved["values"][0]) > 0.9 > float(before["values"][0])
    assert float(solved["epsilon"][0]) < float(before["epsilon"][0])
    _, lost = train_stages(untrained, task, keys, (dataclasses.replace(DOUBLED, steps=100),))
    assert lost[0]["labels_right"].mean() < 0.5


def test_refusals() -> None:
    base = TheoryRun(one_step=StageOne(variable_steps=0))
    for changes in (
        {"lengths": (41,)},
        {"plans": (Plan(name="a", stages=(Stage(length=4, labels="greedy", answers=(2,)),)),)},
        {"plans": (Plan(name="a", stages=(Stage(),), after="b"),)},
        {"plans": ()},
        {"action": "C0"},
    ):
        with pytest.raises(UserError):
            dataclasses.replace(base, **changes)
    with pytest.raises(UserError):
        Stage(steps=10, every=3)


def test_plans_continue_where_another_ended() -> None:
    stage = Stage(steps=2, every=1, batch=2)
    run = TheoryRun(
        action="C2",
        variables=6,
        width=4,
        one_step=StageOne(value_steps=20, variable_steps=0, every=10),
        plans=(Plan(name="a", stages=(stage,)), Plan(name="b", stages=(stage,), after="a")),
        lengths=(2,),
        test_sentences=8,
        seeds=(0,),
    )
    output = run.execute(Unattended())
    np.testing.assert_array_equal(output.arrays["a.1.third_diagonal"][:, -1], output.arrays["b.1.third_diagonal"][:, 0])
    assert output.arrays["a.1.third_diagonal"][0, 0] == 0
    np.testing.assert_array_equal(output.metrics["clause_passes"], [0, 2 * 12 * 21, 4 * 12 * 21])
