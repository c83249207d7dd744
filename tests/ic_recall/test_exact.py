"""What is computed in many digits, against float64 where float64 can tell; and a slip traced to its cause."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mpmath import mp

from lemmata.core import Unattended, precision
from lemmata.core.rng import replicated
from lemmata.papers.ic_recall.run.exact_first_step import CONFUSING, Attention, ExactFirstStep
from lemmata.papers.ic_recall.run.first_step import loss_in_v
from lemmata.papers.ic_recall.run.turning_points import quadratics, turning_points
from lemmata.papers.ic_recall.task import RandomSlopes, SomeAffine
from lemmata.papers.ic_recall.theory import escape, pairwise_line
from lemmata.papers.ic_recall.theory.relations import RELATIONS, TABLE_2

T = 0.05


def kinds() -> list[tuple[int, ...]]:
    world = SomeAffine(n=5).draw(3)
    counts = np.unique(world.counts(world.sequences(40, 2, seed=0, name="kinds")), axis=0)
    return [tuple(int(count) for count in row) for row in counts]


def test_the_exact_gradient_and_step_are_those_of_autodiff() -> None:
    for kind in kinds()[:5]:
        with mp.workdps(40):
            start = Attention.uniform(T)
            slope = start.gradient(kind)
            after = start.moved(slope, 0.02)
            wrong = float(after.wrong(kind))
        with precision("float64"):
            log_counts = jnp.log(jnp.asarray(kind, jnp.float64))
            theta = -0.02 * jax.grad(lambda t, c=log_counts: loss_in_v(jax.nn.softmax(t), c, T))(jnp.zeros(6))
            expected = T * jax.grad(lambda v, c=log_counts: loss_in_v(v, c, T))(jnp.full(6, 1 / 6))
            moved = jax.nn.softmax(theta)
            loss = float(loss_in_v(moved, log_counts, T))
        # the gradient of the squares, 2v for the first five, is the same for every relation and drops out
        np.testing.assert_allclose([float(x) for x in slope], expected, atol=1e-13)
        np.testing.assert_allclose([float(x) for x in after.v], moved, atol=1e-14)
        assert wrong == pytest.approx(1 - float(np.exp(-loss)), abs=1e-12)


def test_the_first_step_is_reproducible_and_symmetric_in_expectation() -> None:
    run = ExactFirstStep(temperatures=(5e-3,), seeds=(0, 1, 2, 3), hottest_start=0.01)
    metrics = run.execute(Unattended()).metrics
    assert (metrics["alpha"] > 0).all()
    assert (metrics["v5"] < metrics["v1"]).all()
    assert (metrics["log_answers_apart"] < metrics["log_subjects_apart"]).all()


@pytest.mark.parametrize("temperature", [0.005, 0.05])
def test_turning_points_are_those_of_the_closed_form(temperature: float) -> None:
    samples = pairwise_line.evaluate(pairwise_line.GAPS, np.array([0.0, 0.25, 0.5])).T
    (barrier, _, is_minimum), (minimum, loss, also) = turning_points(quadratics(samples), temperature)
    expected = pairwise_line.critical_points(temperature)
    assert (is_minimum, also) == (0.0, 1.0)
    assert minimum == pytest.approx(expected.minimum, rel=1e-9)
    assert np.log(barrier) == pytest.approx(expected.log_barriers[0], rel=1e-9)
    assert loss == pytest.approx(float(pairwise_line.warmup_line_loss(minimum, temperature)), rel=1e-12)


def test_the_printed_gaps_take_the_query_squares_for_zero() -> None:
    """(v_5 + v_j)^2 set to 0 at v_5 = 0 gives the printed d_3 and d_6, d_4 and d_5 exchanged, and the gap 3/16."""

    def gaps(v: np.ndarray) -> list[float]:
        logits = [
            sum(sum(v[i - 1] for i in group) ** 2 for group in TABLE_2[name] if not (5 in group and len(group) > 1))
            for name in RELATIONS
        ]
        return [logit - logits[0] for logit in logits[1:]]

    for x in (0.05, 0.1, 0.2):
        slipped = gaps(np.array([x, x, 0.5 - x, 0.5 - x, 0, 0]))
        printed = pairwise_line.evaluate(pairwise_line.PRINTED_GAPS, x)
        np.testing.assert_allclose(slipped, printed[[0, 1, 3, 2, 4]], atol=1e-14)
    np.testing.assert_allclose(gaps(np.array([1, 1, 1, 1, 0, 0]) / 4)[1:], -3 / 16)


def test_the_promise_of_the_escape() -> None:
    found = escape.escape_promise(4.0, 2.0, 1.0, delta=float(np.exp(-2)) * 24, dim=6, constant=1.0)
    assert found == pytest.approx((1 / 4, 1 / 8 / 4, 2 * 4, 1 / 4 / 8))


def test_the_world_of_the_first_step_has_confusing_sequences() -> None:
    """Some worlds of so few maps have none; the lemma is about those that do."""
    found = set()
    for seed in range(30):
        with replicated(seed):
            run = ExactFirstStep(world=SomeAffine(n=5, share=0.2), temperatures=(1e-3,), seeds=(0,))
            first = run.world.draw(run.world_seed)
            found.add(bool(np.any(first.counts(first.every_sequence(2))[:, CONFUSING])))
            assert np.any(run._kinds()[0][:, CONFUSING])
    assert found == {True, False}, "there is something to avoid"


def test_kinds_of_a_world_of_drawn_slopes_have_its_share_of_mismatched_sequences() -> None:
    world = RandomSlopes(n=31, mismatched=0.8)
    run = ExactFirstStep(world=world, temperatures=(1e-3,), sample_power=2.0, seeds=(0,))
    arrays = run.execute(Unattended()).arrays
    share = arrays["kind_share"]
    assert share.sum() == pytest.approx(1.0)
    mismatched = arrays["start_mismatched"][: len(share)]
    assert share[mismatched].sum() == pytest.approx(world.draw(0).report(2).mismatched)
