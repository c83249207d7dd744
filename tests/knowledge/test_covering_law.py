"""The covering law against descent by autodiff, enumeration and its own limits."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import precision
from lemmata.papers.knowledge.theory.covering import (
    Asked,
    all_covered,
    best_increasing,
    extraction_law,
    least_count,
    one_is_enough,
    prompt_after,
)

WORLD = Asked(40, 3, 3, 12, 4.1, 3.4, 0.6, 0.4, 1.0, 1.0, 1.0)  # every subject has every template
LEARNING_RATE, STEPS = 3.0, 40


def test_five_numbers_are_descent_on_every_logit() -> None:
    """Of a model with a logit a class, linear in what prompt and subject add: jax.grad of the loss."""
    n, r, _, f, *_ = WORLD
    answers = r + jnp.arange(f)
    with precision("float64"):

        def logits(parameters: dict[str, jax.Array]) -> jax.Array:
            """[question, class]: relations, the asked answers, and what is never asked for, at 0."""
            prompt = (1 + WORLD.to_prompt) * parameters["prompt"]
            base = jnp.zeros((f, r + f)).at[:, :r].set(WORLD.relation_logit)
            base = base.at[jnp.arange(f), answers].set(WORLD.answer_logit)
            mine = jnp.zeros((f, r + f), bool).at[:, :r].set(True).at[jnp.arange(f), answers].set(True)
            own = jnp.where(mine, WORLD.to_subject * parameters["subject"], 0)
            return jnp.concatenate([base + prompt + own, jnp.zeros((f, n - f + 1))], axis=1)

        @jax.jit
        @jax.grad
        def gradient(parameters: dict[str, jax.Array]) -> jax.Array:
            return -jnp.mean(jax.nn.log_softmax(logits(parameters))[jnp.arange(f), answers])

        at = {"prompt": jnp.zeros(r + f), "subject": jnp.zeros((f, r + f))}
        for _ in range(STEPS):
            at = jax.tree.map(lambda value, change: value - LEARNING_RATE * change, at, gradient(at))
        added = (1 + WORLD.to_prompt) * np.asarray(at["prompt"])
    moved = prompt_after(WORLD, LEARNING_RATE, STEPS)
    np.testing.assert_allclose(added[:r], moved.relation, rtol=1e-9)
    np.testing.assert_allclose(added[r:], moved.asked_answer, rtol=1e-9)


def test_a_question_spreads_over_its_relations() -> None:
    """K times the count at K times the relations: the prompt silences a template about as much."""
    one, four = (Asked(64, 16, k, 32, 4.5, 3.5, 0.6, 0.4)._replace(templates=16, multiplicity=k) for k in (1, 4))
    counts = [least_count(world, prompt_after(world, LEARNING_RATE, 120)) / world.multiplicity for world in (one, four)]
    assert counts[1] / counts[0] == pytest.approx(1, abs=0.4)


def test_the_law_at_its_ends() -> None:
    world = Asked(64, 8, 1, 24, 5.0, 3.4, 0.6, 0.4, 0.8, 0.8)
    by_asked = [extraction_law(world._replace(asked=f), LEARNING_RATE, 120) for f in (1, 4, 16, 24, 30)]
    assert by_asked[0] == 0.0
    assert by_asked[-1] > 0.5
    assert extraction_law(world._replace(relation_logit=20.0), LEARNING_RATE, 120) == 0.0, "no prompt silences that"
    always = world._replace(multiplicity=8)
    assert extraction_law(always, LEARNING_RATE, 120) == 1.0, "every question covers every template"
    needed = least_count(world, prompt_after(world, LEARNING_RATE, 120))
    drawn = np.random.default_rng(3).binomial(24, 1 / 8, 200_000) > needed
    assert extraction_law(world, LEARNING_RATE, 120) == pytest.approx(drawn.mean(), abs=0.01)


def test_all_covered_against_enumeration() -> None:
    for k, c, r in itertools.product((1, 2, 3), (0, 2, 5), (5, 6)):
        sets = list(itertools.combinations(range(r), k))
        assert all_covered(k, c, r) == pytest.approx(np.mean([max(one) < c for one in sets]))


def test_one_is_enough_against_draws() -> None:
    k, f, r = 2, 3, 9
    order = np.argsort(np.random.default_rng(2).random((20_000, f + 1, r)), axis=2)[:, :, :k]
    shown = np.zeros((len(order), r), bool)
    np.put_along_axis(shown, order[:, :-1].reshape(len(order), -1), True, axis=1)
    some = np.take_along_axis(shown, order[:, -1], axis=1).any(axis=1)
    assert one_is_enough(k, f, r) == pytest.approx(some.mean(), abs=0.015)


def test_best_increasing_pools_what_falls() -> None:
    found = best_increasing(np.array([1, 1, 2, 3]), np.array([0.0, 1.0, 0.2, 0.9]))
    np.testing.assert_allclose(found, [0.4, 0.4, 0.4, 0.9])
