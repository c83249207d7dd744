"""Every sentence of T^2 at its two steps: against the engine's derivative, ideal features, and closed forms."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Scale, Unattended, named_generator, precision, to_jax
from lemmata.papers.lego.claims._growth import worlds
from lemmata.papers.lego.model.fast.four_scores import entry_speeds
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.probe.two_steps import Neurons, Step, weights
from lemmata.papers.lego.run.attention_course import AttentionCourse
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.fast.population_loss import population, population_loss
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory import attention_convergence, attention_start


def drawn(table: np.ndarray, seed: int, width: int = 7, size: float = 4.0) -> Neurons:
    stream, (acting, values) = named_generator(seed, "two steps"), table.shape
    tables = (size * stream.standard_normal((width, values, count)) for count in (acting, values))
    return Neurons(*tables, bias=0.1, rho=1.0, power=4, bound=9.0, vocabulary=50)


def ideal(table: np.ndarray, psi: float, vocabulary: int, bias: float = 0.0) -> Neurons:
    """(17): r_{g,y} has psi on its own action and value, -psi on every other."""
    acting, values = table.shape
    neurons = Neurons(*(-psi * np.ones((values, values, n)) for n in (acting, values)), bias, 1.0, 4, psi, vocabulary)
    for g, y in np.ndindex(table.shape):
        neurons.actions[y, table[g, y], g] = neurons.values[y, table[g, y], y] = psi
    return neurons


@pytest.mark.parametrize("name", ["C4", "S3"])
def test_the_refined_gradients_are_the_derivative(name: str) -> None:
    table, variables = action(name).table, 11
    neurons = drawn(table, 0)
    scores = named_generator(1, "scores").standard_normal((3, 4))
    with precision("float64"):
        engine = ValueNeurons(
            actions=to_jax(neurons.actions),
            values=to_jax(neurons.values),
            speaks=jnp.ones(len(neurons.actions)),
            bias=jnp.asarray(neurons.bias),
            rho=jnp.asarray(neurons.rho),
            bound=jnp.asarray(neurons.bound),
            vocab=jnp.asarray(float(neurons.vocabulary)),
            power=neurons.power,
        )
        whole = population(table, "sum")
        found = sum(Step(neurons, table, scores, number).gradients() for number in (1, 2))
        for own, at in zip(found, scores, strict=True):
            loss, slope = population_loss(engine, to_jax(table), to_jax(at), whole)
            np.testing.assert_allclose(own, -np.asarray(slope), rtol=1e-12, atol=1e-14)
            steps = [Step(neurons, table, at[None], number) for number in (1, 2)]
            ours = sum(-np.log(step.of(step.right)).mean() for step in steps)
            np.testing.assert_allclose(ours, loss, rtol=1e-12)
            np.testing.assert_allclose(
                [1 - step.of(step.right) for step in steps], [step.but(step.right) for step in steps], atol=1e-14
            )
        # An entry of Q moves as its score: |X| times the entry's gradient on a diagonal.
        np.testing.assert_allclose(entry_speeds(variables)[0], 1)


def test_events_share_the_sentences_between_them() -> None:
    events = Step(ideal(action("C6").table, 5.0, 50), action("C6").table, np.zeros((1, 4)), 2).events()
    whole = np.ones(216, bool)
    np.testing.assert_array_equal(events["E1"] ^ events["not E1"], whole)
    parts = [events[name] for name in ("E2", "coincidence", "same action", "same value", "same both")]
    np.testing.assert_array_equal(np.sum(parts, axis=0), 1)
    np.testing.assert_array_equal(events["E2"] | events["coincidence"], events["E2 bar"])
    assert [int(one.sum()) for one in parts] == [96, 54, 30, 30, 6]


@pytest.mark.parametrize("name", ["C4", "C6"])
@pytest.mark.parametrize("psi", [30.0, 60.0])
def test_slopes_at_the_start_are_the_closed_forms(name: str, psi: float) -> None:
    table, vocabulary = action(name).table, 3000
    at = Step(ideal(table, psi, vocabulary, bias=0.01), table, np.zeros((1, 4)), 1)
    found = sum(replace(at, number=number).gradients()[0] for number in (1, 2))
    told = attention_start.slopes(table.shape[1], vocabulary, psi, 0.01, 1.0, 4)
    np.testing.assert_allclose(found, told, rtol=2e-3, atol=1e-5 * psi)
    if psi > 50:  # far above 3 log d
        np.testing.assert_allclose(found, attention_start.leading(table.shape[1], psi), rtol=0.02)
        np.testing.assert_array_equal(at.right != at.spurious, at.events()["E1"])
        for answer in (at.right, at.spurious):  # of step 1, one half each
            np.testing.assert_allclose(at.of(answer)[:, at.events()["E1"]], 0.5, atol=0.01)


@pytest.mark.parametrize("number", [1, 2])
def test_ideal_features_read_what_the_lemma_says(number: int) -> None:
    table, psi = action("C6").table, 20.0
    scores = named_generator(2, "scores").uniform(0, 3, (5, 4)) * np.array([1, 0.01, 1, 0.01])
    scores[:, 3] = scores[:, 1]  # no difference off the diagonals, as Lemma D.34 has it
    step = Step(ideal(table, psi, 10**6), table, scores, number)
    told = attention_convergence.read(*weights(scores, number), number)
    g1, g2, y0, y1 = step.sentences
    event = step.events()["E1" if number == 1 else "E2 bar"]
    acting, value = (g1, y0) if number == 1 else (g2, y1)
    right, rival = step.pre(acting, value), step.pre(g2, y0)
    for name, reading in told.items():
        found = {"right": right, "spurious": rival, "right less spurious": right - rival}.get(name.split("), ")[1])
        if found is not None:
            np.testing.assert_allclose(found[:, event] / psi, np.tile(reading[:, None], event.sum()), atol=1e-12)


@pytest.mark.parametrize("diagonals", [(7.0, 7.0), (2.5, 2.5), (2.6, 2.2), (2.2, 2.6)])
def test_powers_of_what_is_wrong_count_every_rival(diagonals: tuple[float, float]) -> None:
    table, constant, d = action("C4").table, 5.0, 10**8
    scores = np.array([[diagonals[0], 0, diagonals[1], 0]])
    asked = {"D.37 (1)": (1, "E1"), "D.39 (1)": (1, "not E1"), "D.39 (2b)": (2, "same value")}
    for name, (number, event) in (asked | {"D.39 (2c)": (2, "same both")}).items():
        step = Step(ideal(table, constant * np.log(d), d), table, scores, number)
        g1, _, _, y1 = step.sentences
        wrong = step.of(table[g1, y1]) if name == "D.39 (2b)" else step.but(step.right)
        found = -np.log(wrong[0, step.events()[event]].max()) / np.log(d)
        right, printed = (
            formula(*step.weights, constant)[name][0]
            for formula in (attention_convergence.power, attention_convergence.printed_power)
        )
        assert abs(found - right) < 0.07
        assert printed >= right
        if diagonals == (7.0, 7.0) and name != "D.39 (2b)":  # the unnamed tokens are a power more
            assert printed == pytest.approx(right + 1, abs=0.01)


def test_halving_the_strides_of_stage_1_moves_nothing() -> None:
    """Of the plan that Theorem 4.1's claims have, in a small world, and later than they read it."""
    plan = worlds(Scale("laptop"))["world/4/404"].one_step
    world = {"action": "C3", "vocabulary": 256, "clips": (4.0,), "widths": (8,), "scales": (None,), "lengths": (2,)}
    record = {"records": (256.0**3.75,), "test_sentences": 2, "seeds": (0,)}

    def epsilon(one_step: ToTheFloor) -> float:
        found = PopulationRun(**world, **record, one_step=replace(one_step, steps=100_000)).execute(Unattended())
        return float(found.metrics["epsilon_22"][0])

    fine = epsilon(plan)
    assert abs(epsilon(replace(plan, finest=plan.finest / 2)) / fine - 1) < 0.02
    assert abs(epsilon(replace(plan, finest=plan.finest / 2, stride=plan.stride / 2)) / fine - 1) < 0.04
    assert epsilon(replace(plan, finest=1.0)) > 1.05 * fine  # strides of one length overshoot the clip


def test_a_course_is_the_flow_of_the_population() -> None:
    course = AttentionCourse(action="C3", vocabulary=64, width=6, seeds=(0,), degree=0.0, a_decade=2)
    found = course.execute(Unattended())
    same = {"action": "C3", "vocabulary": 64, "clips": (4.0,), "widths": (6,), "scales": (course.scale,)}
    times = tuple(float(t) for t in course.records[-3:])
    other = PopulationRun(
        **same, records=times, one_step=course.one_step, stride=0.05, lengths=(2,), test_sentences=2, seeds=(0,)
    ).execute(Unattended())
    np.testing.assert_allclose(found.arrays["scores"][0, -3:, 0], other.metrics["third_diagonal"], atol=0.01)
    assert found.arrays["times"][0, 0] == 0
    assert not found.arrays["scores"][0, 0].any()
    assert np.all(np.diff(found.arrays["times"][0]) > 0)
