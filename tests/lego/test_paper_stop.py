"""Appendices E and F: count matrices, ideal features and the stop, against the general engine and enumeration."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from lemmata.core import UserError, precision, to_jax
from lemmata.papers.lego.model.fast.four_scores import attention
from lemmata.papers.lego.model.fast.ideal_features import IdealFeatures, loss_and_slope
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons
from lemmata.papers.lego.run import ideal_attention
from lemmata.papers.lego.run.fast.population_labels import greedy_labels
from lemmata.papers.lego.run.fast.population_loss import contexts, population, population_loss
from lemmata.papers.lego.run.ideal_attention import IdealAttention
from lemmata.papers.lego.run.paper_stop import PaperStop, World
from lemmata.papers.lego.task import action
from lemmata.papers.lego.task.count_contexts import count_contexts, enumerated, weighted, worst_context
from lemmata.papers.lego.theory.logit_tables import EVENTS, TABLE, event, exact, membership, printed, ratio
from lemmata.papers.lego.theory.self_training import (
    LEAST,
    MOST_FIRST,
    MOST_LATER,
    c1,
    c2,
    collision_shares,
    log_stop,
    lower_corridor,
    lower_corridor_of_features,
)

SCORES = np.array([1.3, -0.1, 1.1, 0.05])


def features(points: int, clip: float = 3.0) -> IdealFeatures:
    return PaperStop(points=(points,), stages=1).features(World(points, 404.0, clip))


def general(ideal: IdealFeatures) -> ValueNeurons:
    """The same features in the engine that knows of no structure: a neuron a value."""
    d = float(ideal.vocab)
    config = IdealAttention(action=f"S{ideal.points}", vocabularies=(d,))
    return config.neurons(ideal_attention.World(d, float(ideal.bound) / math.log(d)))


@pytest.mark.parametrize(("points", "length"), [(3, 2), (4, 2), (3, 4)])
def test_loss_and_slopes_are_those_of_the_general_engine(points: int, length: int) -> None:
    with precision("float64"):
        ideal = features(points)
        around = count_contexts(points, length, most=10_000, drawn=1)
        loss, slope = loss_and_slope(to_jax(SCORES), ideal, around)
        table = action(f"S{points}").table
        all_of_it = population(table, "second", length=length)
        expected = population_loss(general(ideal), to_jax(table), to_jax(SCORES), all_of_it)
    assert loss == pytest.approx(float(expected[0]), rel=1e-12)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-10)


@pytest.mark.parametrize(("fourth", "share"), [(1.9, 0.0), (1.3, 1 / 324)])
def test_false_labels_are_those_that_the_annotator_writes(fourth: float, share: float) -> None:
    with precision("float64"):
        ideal, around = features(3, clip=8.0), count_contexts(3, 4, most=10_000, drawn=1)
        scores = to_jax(np.array([1.8, 0.0, fourth, 0.0]))
        false = [float(ideal.false(scores, around, step)) for step in (1, 2)]
        table = action("S3").table
        _, right = greedy_labels(general(ideal), to_jax(table), scores, contexts(table, length=4, step=2))
    assert false == pytest.approx([0, share], abs=1e-12)
    assert 1 - right == pytest.approx(share, abs=1e-12)


def test_count_matrices_are_sums_of_permutations_with_their_probabilities() -> None:
    counts, weights = enumerated(3, 3, most=10_000) or (np.empty(0), np.empty(0))
    assert weights.sum() == pytest.approx(1)
    assert len(counts) == 55  # of that many squares; three values leave nothing to rename
    assert set(counts.sum(axis=1).ravel()) == set(counts.sum(axis=2).ravel()) == {3}
    permutations = [np.eye(3)[list(order)].T for order in itertools.permutations(range(3))]
    sums = [sum(three) for three in itertools.product(permutations, repeat=3)]
    one = counts[7]
    assert weights[7] == pytest.approx(sum(np.array_equal(s, one) for s in sums) / 216)
    assert enumerated(3, 3, most=54) is None


def test_weighted_draws_agree_with_all_of_them() -> None:
    with precision("float64"):
        ideal = features(4, clip=8.0)
        scores = to_jax(np.array([2.4, 0.0, 2.4, 0.0]))
        every = count_contexts(4, 4, most=10_000, drawn=1)
        drawn = count_contexts(4, 4, most=1, drawn=20_000)
        for read in (IdealFeatures.loss, IdealFeatures.error):
            assert float(read(ideal, scores, drawn)) == pytest.approx(float(read(ideal, scores, every)), rel=0.02)


def test_drawn_actions_are_permutations() -> None:
    counts, weights = weighted(5, 7, 300, seed=1)
    assert set(counts.sum(axis=1).ravel()) == set(counts.sum(axis=2).ravel()) == {7}
    assert weights.sum() == pytest.approx(1)
    assert counts.min() == 0
    assert counts[:, 1, 1].max() == 7


def test_no_context_is_worse_than_lemma_f9s() -> None:
    with precision("float64"):
        ideal, scores = features(4, clip=8.0), to_jax(np.array([2.0, 0.0, 1.9, 0.0]))
        odds = np.asarray(ideal.odds(scores, count_contexts(4, 4, most=10_000, drawn=1))[0])
        worst = np.asarray(ideal.odds(scores, worst_context(4, 4))[0])
    assert worst[1, 0] == pytest.approx(odds.max(), rel=1e-9)


def test_halving_the_stride_moves_nothing() -> None:
    run = PaperStop(points=(4,), clips=(8.0,), stages=2)
    ends = []
    for config in (run, replace(run, stride=run.stride / 2)):
        with precision("float64"):
            around = config.contexts(4)
            stages = config.train(config.worlds()[0], around)
            ends.append([attention(to_jax(path[-1][2:6]), row["length"], 2.0).epsilon for row, path in stages])
    np.testing.assert_allclose(ends[0], ends[1], rtol=3e-3)


def test_a_stage_ends_at_the_papers_loss() -> None:
    run = PaperStop(points=(3,), vocabularies=(64.0,), clips=(8.0,), stages=1)
    with precision("float64"):
        row, path = next(iter(run.train(run.worlds()[0], run.contexts(3))))
        loss, _ = loss_and_slope(to_jax(path[-1][2:6]), run.features(run.worlds()[0]), run.contexts(3)[2])
    bound = 8 * math.log(64)
    assert row["stop"] == pytest.approx(math.exp((-0.5 + 3.01 * 1.005 * math.log(64) / (2 * bound)) * 2 * bound))
    assert float(loss) == pytest.approx(row["stop"], rel=0.05)
    assert row["ended_by_loss"]


def test_constants() -> None:
    d, clip = 404.0, 8.0
    bound = clip * math.log(d)
    assert c1(clip) == pytest.approx(1.005 * math.log(d) / (2 * bound))
    assert c2(clip) == pytest.approx(math.log(d) / (4.02 * bound))
    assert log_stop(d, clip, 2.0) == pytest.approx((-0.5 + 2 * c1(clip)) * 2 * bound)
    assert (LEAST, MOST_FIRST, MOST_LATER) == (4 / 3, 2.52, 5.04)  # Lemmas E.24 and F.9, E.35, F.16


def test_the_corrected_corridor_is_where_the_neuron_reads_the_proofs_amount() -> None:
    """At its edge E_2's wrong neuron reads log d / 2.01; and with V(y) negligible it is the printed one."""
    d, clip, ratio_, pred1, ans0 = 404.0, 16.0, 97 / 28, 0.16, 0.15
    behind = lower_corridor_of_features(pred1, ans0, clip, ratio_)
    pred2 = (1 - pred1 - ans0 - behind) / 2
    seen = np.array([[pred2, pred1, pred2 + behind, ans0]])
    reading = 2 * clip * math.log(d) * exact(seen, (True, True), (False, True), ratio_)[0]
    assert reading == pytest.approx(math.log(d) / 2.01)
    assert lower_corridor_of_features(pred1, ans0, clip, 1e12) == pytest.approx(lower_corridor(pred1, clip))


@pytest.mark.parametrize("points", [3, 4])
def test_events_by_their_definitions(points: int) -> None:
    table = action(f"S{points}").table
    found = event(table)
    for g1, g2, y0 in itertools.product(range(0, len(table), 5), range(0, len(table), 3), range(points)):
        y1 = table[g1, y0]
        same = [table[g1, y0] == table[g2, y0], table[g1, y1] == table[g2, y1]]
        if y0 == y1:
            expected = 6 if same[1] else 3
        else:
            expected = {(False, False): 1, (True, False): 2, (True, True): 4, (False, True): 5}[tuple(map(bool, same))]
        assert found[g1, g2, y0] == expected
    shares = [(found == number).mean() for number in EVENTS]
    np.testing.assert_allclose(shares, collision_shares(points), atol=1e-15)


def test_the_tables_are_exact_on_ideal_features_and_printed_to_leading_order() -> None:
    """Against the readings of the model on a sentence of each event; and as n_y grows, against what is printed."""
    seen = np.array([[0.4, 0.15, 0.3, 0.15]])
    for row in TABLE:
        rough = printed(row, seen, 500)[0] - exact(seen, *membership(row), 499.0)[0]
        assert abs(rough) < 0.01, row
    assert ratio(5, 24) == pytest.approx(97 / 28)
    with precision("float64"):
        ideal = features(5)
        size = float(ideal.action + ideal.value)
        assert float(ideal.action / ideal.value) == pytest.approx(97 / 28)
        scores = to_jax(np.log([0.4, 0.15, 0.3, 0.15]))
        around = count_contexts(5, 2, most=100, drawn=1)
        read = np.asarray(ideal.lambdas(scores, around)) / size
    first = [k for k, n in enumerate(around.counts) if not (n[0, 0] or n[1, 1])]  # E_1: g_1 agrees with g_2 on neither
    right = exact(seen, (True, False), (True, False), 97 / 28)[0]
    np.testing.assert_allclose(read[1, first, 0, 0], right, rtol=1e-12)
    wrong = exact(seen, (True, False), (False, True), 97 / 28)[0]
    np.testing.assert_allclose(read[1, first, 1, 1], wrong, rtol=1e-12)


def test_the_loss_is_differentiable_where_logits_are_clipped() -> None:
    with precision("float64"):
        _, slope = loss_and_slope(to_jax(3 * SCORES), features(3, clip=1.0), count_contexts(3, 2, most=10, drawn=1))
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("given", [{"points": (8,)}, {"vocabularies": (40.0,)}, {"clips": (300.0,)}, {"stages": 11}])
def test_what_cannot_run_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UserError, match=next(iter(given))):
        PaperStop(**given)  # pyright: ignore[reportArgumentType]
