"""Runs that take a shorter way, against the plain one: two rules in one program, paths that end when all arrived."""

import jax
import numpy as np
import optax
import pytest

from lemmata.core import Unattended, named_key, named_keys, precision
from lemmata.papers.ic_recall.run import low_temperature
from lemmata.papers.ic_recall.run.adam_or_descent import RULES, adam_or_descent
from lemmata.papers.ic_recall.run.algorithm_1 import algorithm_1
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, first_step_loss
from lemmata.papers.ic_recall.run.first_step import starting_at, theta_of, watch_theta
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature
from lemmata.papers.ic_recall.task import dataset_of_kinds
from lemmata.train import stack


@pytest.mark.parametrize(("name", "rule"), [("adam", optax.adam), ("gradient descent", optax.sgd)])
def test_adam_or_descent_is_either_to_the_last_bit(name, rule):
    ours, theirs = adam_or_descent(RULES[name](0.1)), rule(0.1)
    x = jax.random.normal(named_key(0, "x"), (5,))
    states = ours.init(x), theirs.init(x)
    for step in range(3):
        slope = jax.random.normal(named_key(step, "slope"), (5,))
        one, other = ours.update(slope, states[0], x), theirs.update(slope, states[1], x)
        np.testing.assert_array_equal(one[0], other[0])
        states = one[1], other[1]


@pytest.mark.parametrize("constant", [1.0, 0.0])
def test_a_path_that_ends_is_the_beginning_of_algorithm_1(constant):
    t, seeds = 1e-3, (0, 1)
    run = LowTemperature(n=31, temperatures=(t,), seeds=seeds, sample_constants=(constant,), steps=5000, every=50)
    found = run.execute(Unattended())
    with precision("float64"), np.errstate(divide="ignore"):
        data = []
        for seed in seeds:
            kinds, common = run._world(0.5).draw(seed).kinds(2)[:2]
            weights = low_temperature._weights(common, constant, t, seed)
            data.append(dataset_of_kinds(kinds, weights, low_temperature.KINDS))
        plain = algorithm_1(
            first_step_loss,
            theta_of,
            run.schedule,
            stack([FineTuning(one, t) for one in data]),
            starting_at(np.zeros((2, 6))),
            named_keys(seeds, "push", "low"),
            stops=((1,), range(50, 5001, 50)),
            probe=watch_theta,
        )
    v = np.exp(plain.stage2["theta"][0])
    v /= v.sum(axis=-1, keepdims=True)
    gap, ours = (v[:, 0] - v[:, 2]) * (v[:, 1] - v[:, 3]), found.arrays["gap"][0]
    there = np.isfinite(ours)
    assert there[:50].all()
    np.testing.assert_allclose(ours[there], gap[there], rtol=1e-7, atol=1e-15)
