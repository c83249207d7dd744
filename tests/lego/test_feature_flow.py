"""Stage 1 in any vocabulary: its slopes by autodiff, its phases on constructed tracks, the theory by brute force."""

import dataclasses
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import Recorded, RunResult, Unattended, Undecided, UserError, precision
    from lemmata.papers.lego.model.fast.feature_neurons import FeatureNeurons, new_neurons, right_of, slopes
    from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
    from lemmata.papers.lego.probe import feature_shapes as reading
    from lemmata.papers.lego.run.fast.one_step_flow import one_step_slopes
    from lemmata.papers.lego.run.feature_flow import EARLY, FeatureFlow, phases
    from lemmata.papers.lego.run.power_method import PowerMethod
    from lemmata.papers.lego.run.variable_flow import VariableFlow, every_sentence
    from lemmata.papers.lego.task import action
    from lemmata.papers.lego.theory import features as theory, power_method

TABLE = action("S3").table


def drawn(leak: float, sigma: float = 1.0) -> FeatureNeurons:
    return new_neurons((4, 6, 3), 3.0, sigma, 9.0, 4, 1.0, leak, key=jax.random.key(0))


@pytest.mark.parametrize("leak", [0.0, 0.3])
def test_slopes_are_the_losss_own(leak: float) -> None:
    with precision("float64"):
        neurons, truth = drawn(leak), right_of(jnp.asarray(TABLE))
        found = slopes(neurons, truth)
        x = jnp.linspace(-9, 3, 240).reshape(4, 3, 2, 10)
        by_autodiff = jax.grad(lambda x: jnp.sum(neurons.fire(x)))(x)
        np.testing.assert_allclose(by_autodiff, neurons.slope(x), atol=1e-12)

        def loss(actions: jax.Array, values: jax.Array) -> jax.Array:
            moved = eqx.tree_at(lambda n: (n.actions, n.values), neurons, (actions, values))
            return slopes(moved, truth).loss

        by_actions, by_values = jax.grad(loss, argnums=(0, 1))(neurons.actions, neurons.values)
        np.testing.assert_allclose(found.actions, by_actions, atol=1e-12)
        np.testing.assert_allclose(found.values, by_values, atol=1e-12)
        assert np.abs(by_actions).max() > 1e-4
        assert (neurons.read() < -leak).any(), "the leak's branches are met"


@pytest.mark.parametrize("leak", [0.0, 0.3])
def test_the_activation_is_the_integral_of_its_slope(leak: float) -> None:
    """So its branches join; from below -B on it is constant."""
    with precision("float64"):
        neurons = drawn(leak)
        bound = 9 * np.log(3.0)
        assert float(neurons.bound) == pytest.approx(bound, rel=1e-12)
        assert float(neurons.bias) == pytest.approx(np.log(3.0), rel=1e-12)
        x = np.linspace(-1.2 * bound, 3.0, 400_001)
        fire, slope = (np.asarray(of(jnp.asarray(x)[None, None, None])).ravel() for of in (neurons.fire, neurons.slope))
    climbed = np.concatenate([[0.0], np.cumsum((slope[1:] + slope[:-1]) / 2 * np.diff(x))])
    np.testing.assert_allclose(fire - fire[0], climbed, atol=1e-4)
    assert np.interp(0.0, x, fire) == pytest.approx(0, abs=1e-9)


def test_without_a_leak_they_are_the_other_engines() -> None:
    with precision("float64"):
        neurons = drawn(0.0, sigma=0.5)
        same = ValueNeurons(
            neurons.actions,
            neurons.values,
            jnp.ones(4),
            *(getattr(neurons, name) for name in ("bias", "rho", "bound", "vocab")),
            power=4,
        )
        loss, by_actions, by_values = one_step_slopes(same, jnp.asarray(TABLE))
        found = slopes(neurons, right_of(jnp.asarray(TABLE)))
        np.testing.assert_allclose(found.loss, loss, rtol=1e-12)
        np.testing.assert_allclose(found.actions, by_actions, atol=1e-13)
        np.testing.assert_allclose(found.values, by_values, atol=1e-13)


def track(config: FeatureFlow) -> dict[str, np.ndarray]:
    """Neuron y of class j grows along with time, features one after another."""
    steps, count = 40, 3
    magnitude = np.full((steps, count, 3, count), 0.1 * config.bias)
    right = np.ones((steps, count, 6))
    for order, (j, y) in enumerate(np.ndindex(count, count)):
        here = np.arange(steps) - 4 * order
        magnitude[:, j, y, y] += np.where(here > 0, 0.4 * config.bound * here.clip(0, 3), 0)
        for g in np.flatnonzero(TABLE[:, y] == j):
            right[here >= 3, y, g] = 1e-9
    value = magnitude.max(axis=3) * 0.5
    return {
        "magnitude": magnitude,
        "value": np.stack([value] * 3, axis=3),
        "right": right,
        "time": np.arange(steps) * 2.0,
    }


def test_phases_are_timed_where_they_end() -> None:
    config = FeatureFlow(action="S3", vocabulary=1e4, seeds=(0,))
    found = phases(config, track(config))
    order = np.arange(9).reshape(3, 3)
    np.testing.assert_array_equal(found["neuron"], np.tile(np.arange(3), (3, 1)))
    np.testing.assert_array_equal(found["emerged"], 2.0 * (4 * order + 1))
    np.testing.assert_array_equal(found["grown"], 2.0 * (4 * order + 1))
    np.testing.assert_array_equal(found["confident"], 2.0 * (4 * order + 3))
    own = 0.1 * config.bias + 0.4 * config.bound
    np.testing.assert_allclose(found["value at grown"], own / 2)
    np.testing.assert_allclose(found["action at grown"], 1.5 * own)
    np.testing.assert_allclose(found["rival at emerged"], 0.1 * config.bias)
    result = RunResult(config, {}, Recorded({name: values[None] for name, values in found.items()}), {})
    assert reading.intervals(result) == 1.0
    late = found | {"confident": found["confident"] + 5}  # past the next one's beginning
    assert reading.intervals(RunResult(config, {}, {name: values[None] for name, values in late.items()}, {})) == 0.0
    never = found | {"confident": found["confident"] * np.inf}
    with pytest.raises(Undecided, match="not learned"):
        reading.intervals(RunResult(config, {}, {name: values[None] for name, values in never.items()}, {}))
    assert EARLY > 0


def test_shapes_of_a_balanced_feature() -> None:
    config = FeatureFlow(action="S3", vocabulary=1e4, width=4, seeds=(0,))
    form, bound = theory.balanced_structure(3, 2), config.bound
    acting, value = np.zeros((4, 3, 6)), np.zeros((4, 3, 3))
    for j, y in np.ndindex(3, 3):
        acting[y, j] = bound * np.where(TABLE[:, y] == j, form.action, form.other_action)
        value[y, j] = bound * np.where(np.arange(3) == y, form.value, form.other_value)
    acting[3], neuron = 0.25, np.tile(np.arange(3), (3, 1))
    arrays = {"final.action": acting[None], "final.value": value[None], "neuron": neuron[None]}
    run = RunResult(config, {}, arrays, {})
    found = reading.shapes(run)
    np.testing.assert_allclose(found["output"], bound)
    np.testing.assert_allclose(found["V(g)"] / found["V(y)"], float(theory.c_alpha(6, 3)))
    for name in ("highest", "middle", "lowest"):
        np.testing.assert_allclose(found[name], 0, atol=1e-12)
    np.testing.assert_allclose(found["incorrect"], -bound)
    assert reading.learned_alone(run).all()
    np.testing.assert_allclose(reading.unlearned(run), 0.125)


def test_the_exact_constants() -> None:
    assert theory.c_alpha(120, 5) == Fraction(97, 28)
    for actions, values in ((6, 3), (24, 4), (120, 5), (60, 5), (20, 5), (6, 6)):
        form = theory.balanced_structure(values, actions // values)
        assert form.action / form.value == pytest.approx(float(theory.c_alpha(actions, values)))
        assert theory.split_before_cancelling(actions, values) == Fraction(values, actions)
    x, time, rate = 0.01, 0.0, (1 / 36 + 1 / 36) / 4
    while x < 0.1:  # by brute force
        step = 1e-3 * x / (rate * x**5)
        x, time = x + step * rate * x**5, time + step
    assert theory.emergence_time(0.01, x, 6, 6, 6) == pytest.approx(time, rel=5e-3)
    assert theory.least_slack(404.0, 2 * np.log(404.0)) == pytest.approx(403 / (404**2 + 403))
    draws = np.random.default_rng(0).normal(size=400_000)
    by_draws = np.mean(np.maximum(0.3 + 0.2 * draws, 0) ** 5)
    assert theory.expected_power(np.array([0.3]), 0.2, 5)[0] == pytest.approx(by_draws, rel=0.02)


def test_the_power_method_by_iteration() -> None:
    for power in (4, 6):
        low, high = power_method.time_bounds(np.array([0.1]), 1e6, power, 1e-4)
        limit = 0.1 ** (2 - power) / (power - 2)
        assert low[0] < limit < high[0] < 1.001 * low[0]
    config = PowerMethod(power=4, starts=(0.1,), gaps=(0.05,), rate=1e-3, ratio=3.0)
    out = config.execute(Unattended())
    said = power_method.left_behind(np.array([0.1]), np.array([0.05]), 3.0, 1.0, 4)
    np.testing.assert_allclose(out.metrics["reached"], said, rtol=5e-3)


def test_every_sentence_of_one_step_once_and_the_variable_is_copied() -> None:
    found = every_sentence(4, TABLE)
    assert len(found) == len(np.unique(found, axis=0)) == 4 * 3 * 6 * 3
    assert (found[:, 0] != found[:, 2]).all()
    assert (found[:, 2] == found[:, 3]).all()
    config = VariableFlow(variables=4, width=2, steps=600, tolerance=0.1, seeds=(0,))
    out = config.execute(Unattended())
    assert out.metrics["excess"][0] <= 0.1
    diagonal = np.diagonal(np.asarray(out.arrays["slot 1"])[0, :, :4]).max(axis=0)  # [r, j], over neurons
    assert (diagonal > 0.4 * config.model().bound).all()
    assert 0 <= out.metrics["first"][0] <= out.metrics["last"][0] < np.inf


def test_a_flow_that_cannot_be_is_refused() -> None:
    with pytest.raises(UserError, match="transitive"):
        FeatureFlow(action="C2:[[0,1,2],[1,0,2]]")
    with pytest.raises(UserError, match="vocabulary"):
        FeatureFlow(vocabulary=10.0)
    assert dataclasses.replace(FeatureFlow(), scale=0.1).sigma == 0.1
