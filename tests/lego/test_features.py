"""Readings of features from arrays whose answer is known, and impossible one-step runs."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    import lemmata.papers.lego.probe.neurons as reading
    from lemmata.core import RunResult, Undecided, UserError
    from lemmata.papers.lego.claims import _feature_theory as predicting
    from lemmata.papers.lego.model import TheoryConfig, smooth_relu
    from lemmata.papers.lego.run.one_step import OneStepTraining
    from lemmata.papers.lego.run.one_step_descent import Descent
    from lemmata.papers.lego.task import LegoConfig, action
    from lemmata.papers.lego.theory.features import balanced_structure

NAME, WIDTH = "S3", 4
TABLE = action(NAME).table
CONFIG = OneStepTraining(
    task=LegoConfig(action=NAME, variables=5, length=1),
    model=TheoryConfig(variables=5, actions=6, values=3, width=WIDTH),
    value=Descent(steps=4, every=1),
    seeds=(0,),
)


def constructed(share_neuron: bool = False, twice: bool = False) -> RunResult:
    """Neuron y of class j holds exactly the balanced structure of the fibre of (j, y)."""
    form, bound = balanced_structure(3, 2), CONFIG.model.bound
    acting, value = np.zeros((1, 3, WIDTH, 6)), np.zeros((1, 3, WIDTH, 3))
    for j, y in np.ndindex(3, 3):
        for r in {y, 3} if twice and y == 0 else {0 if share_neuron and y == 1 else y}:
            acting[0, j, r] = bound * np.where(TABLE[:, y] == j, form.action, form.other_action)
            value[0, j, r] = bound * np.where(np.arange(3) == y, form.value, form.other_value)
    arrays = {
        f"{moment}.{name}": part
        for moment in ("initial", "final")
        for name, part in (("action", acting), ("value", value))
    }
    return RunResult(CONFIG, {}, arrays, {})


def test_the_structure_is_read_back() -> None:
    run, form = constructed(), balanced_structure(3, 2)
    found = reading.median_structure(run)
    for symbol, share in predicting.by_symbol(form).items():
        assert found[symbol] == pytest.approx(share)
    assert found["confounding"] == pytest.approx(0, abs=1e-12)
    bias = CONFIG.scales[0] * np.log(CONFIG.model.vocab)
    finite = predicting.finite_structure(run)
    psi = (finite["V(g)"] + finite["V(y)"]) / 2 * CONFIG.model.bound
    model = dataclasses.replace(CONFIG.model, scale=CONFIG.scales[0])
    said = smooth_relu(jnp.asarray(psi + bias), jnp.asarray(model.smoothing), model.power)
    assert float(said) == pytest.approx(model.bound, rel=1e-6), "the neuron says exactly B"
    assert finite["V(y)"] / finite["V(g)"] == pytest.approx(form.value / form.action)
    assert found["output"] == pytest.approx((CONFIG.model.bound + bias - 0.75) / CONFIG.model.bound)


def test_one_neuron_each_shared_or_twice() -> None:
    assert np.all(reading.neurons_per_combination(constructed()) == 1)
    assert reading.distinct(constructed())
    one = constructed()
    one.arrays["final.value"][0, 0, 1] = 99 * CONFIG.model.bound
    assert not reading.distinct(one), "neuron 1 of class 0 is the largest for every value"
    assert not np.all(reading.neurons_per_combination(constructed(share_neuron=True)) == 1)
    assert reading.neurons_per_combination(constructed(twice=True))[0, 0].tolist() == [2, 1, 1]


def test_learning_steps_and_their_order() -> None:
    rng = np.random.default_rng(0)
    run = constructed()
    initial = {"initial.action": rng.normal(size=(1, 3, WIDTH, 6)), "initial.value": rng.normal(size=(1, 3, WIDTH, 3))}
    run = dataclasses.replace(run, arrays={**run.arrays, **initial})
    (predicted,) = predicting.predicted_curricula(run)
    history = np.zeros((10, 3, WIDTH, 3))
    for j, y in np.ndindex(3, 3):
        history[predicted.rank[j, y] + 1 :, j, predicted.neuron[j, y], y] = CONFIG.model.bound
    run = dataclasses.replace(run, arrays={**run.arrays, "magnitude": history[None]})
    np.testing.assert_array_equal(reading.learning_steps(run, 0), predicted.rank + 1)
    assert predicting.order_agreement(run) == pytest.approx(1)
    backwards = dataclasses.replace(run, arrays={**run.arrays, "magnitude": history[None, ::-1] * 0})
    assert predicting.order_agreement(backwards) == 0


def test_seeds_of_one_scale() -> None:
    config = dataclasses.replace(CONFIG, scales=(0.1, 0.2), seeds=(0, 1))
    run = RunResult(config, {}, {"final.value": np.arange(4)}, {})
    assert reading.at_scale(run, 1).arrays["final.value"].tolist() == [2, 3]
    assert reading.at_scale(run, -1).config.scales == (0.2,)
    with pytest.raises(Undecided, match="2 scales"):
        reading.at_scale(run, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": TheoryConfig(variables=5, actions=6, values=6)}, "model.values = 6 .*needs .*model.values=3"),
        ({"seeds": ()}, "seeds"),
        ({"model": TheoryConfig(variables=5, actions=6, values=3, reads="all")}, "batch = None"),
    ],
)
def test_impossible_runs_are_refused(changes, message) -> None:
    with pytest.raises(UserError, match=message):
        dataclasses.replace(CONFIG, **changes)


def test_impossible_descents_are_refused() -> None:
    with pytest.raises(UserError, match="every = 3"):
        Descent(steps=10, every=3)
    with pytest.raises(UserError, match="batch = 0"):
        Descent(batch=0)
