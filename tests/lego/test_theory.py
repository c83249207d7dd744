"""Closed forms against enumeration, softmax and automatic differentiation."""

import itertools
from fractions import Fraction

import jax
import numpy as np
import pytest
from scipy import stats

from lemmata.core import precision
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.run.action_catalogue import distractors_of
from lemmata.papers.lego.run.one_step_descent import all_inputs, score
from lemmata.papers.lego.task import Lego, LegoConfig, action
from lemmata.papers.lego.theory import clip, curriculum, dilution, distractors, features


@pytest.mark.parametrize("name", ["C3", "S3", "D4", "F5", "S3:self"])
def test_distractors_by_enumeration(name: str) -> None:
    table, (order, values) = action(name).table, action(name).table.shape
    triples = list(itertools.product(range(order), range(order), range(values)))
    same = [(g, h) for g, h, y in triples if table[g, y] == table[h, y]]
    assert Fraction(len(same), len(triples)) == Fraction(1, values)


@pytest.mark.parametrize("name", ["C3", "S3"])
def test_distractors_of_whole_contexts_by_enumerating_sentences(name: str) -> None:
    """Every sentence of three steps: the state a step starts from depends on other clauses, and it does not matter."""
    table = action(name).table
    order, values = table.shape
    seen = np.zeros(3, dtype=int)
    total = 0
    for first, *acting in itertools.product(range(values), *[range(order)] * 3):
        states = [first]
        for g in acting:
            states.append(table[g, states[-1]])
        for step in range(3):
            seen[step] += any(table[acting[k], states[step]] == states[step + 1] for k in range(3) if k != step)
        total += 1
    expected = distractors.context_probability(Fraction(1, values), 3)
    assert [Fraction(int(count), total) for count in seen] == [expected] * 3


def test_drawn_sentences_hold_as_many_distractors() -> None:
    task = Lego.create(LegoConfig(action="S3", variables=9, length=4))
    v = task.vocabulary
    clauses = np.asarray(task.draw(3000, key=jax.random.key(0)))
    found = distractors_of(clauses, action("S3").table, v.first_action, v.first_value)
    assert np.all(np.diagonal(found, axis1=1, axis2=2)), "the right clause is right"
    wrong = found[:, ~np.eye(4, dtype=bool)]
    assert abs(wrong.mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / wrong.size)


def test_dilution_is_the_softmax_of_equal_scores() -> None:
    a, b = 3.1, 2.2

    def epsilon(length: int, step: int) -> float:
        scores = np.zeros(length + step)
        scores[step - 1], scores[-1] = a, b
        weights = np.exp(scores) / np.exp(scores).sum()
        return 1 - weights[step - 1] - weights[-1]

    for length, step in ((2, 1), (2, 2), (5, 3), (40, 40), (160, 7)):
        assert dilution.diluted(epsilon(2, 2), length, step) == pytest.approx(epsilon(length, step), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 0.02, 1e-4])
def test_printed_bound_needs_its_constant(epsilon: float) -> None:
    lengths = np.array([2, 5, 40, 10**4, 10**8])
    exact = dilution.diluted(epsilon, lengths, lengths)
    constant = 1 / (1 - epsilon)
    assert np.all(exact <= dilution.printed_bound(epsilon, lengths, constant))
    assert np.any(exact > dilution.printed_bound(epsilon, lengths, 0.999 * constant))
    for limit in (1 / 3, 1 / 2):
        longest = dilution.tolerated_length(epsilon, limit)
        every = np.arange(1, 10**5)
        assert longest == every[dilution.diluted(epsilon, every, every) < limit].max()


@pytest.mark.parametrize(("values", "fibre"), [(6, 1), (5, 24), (5, 4), (3, 2)])
def test_balanced_structure_solves_its_equations(values: int, fibre: int) -> None:
    s = features.balanced_structure(values, fibre)
    assert s.action + s.value == pytest.approx(2)
    assert s.other_action + s.value == pytest.approx(0)
    assert s.action + s.other_value == pytest.approx(0)
    actions = fibre * (s.action + (values - 1) * s.other_action)
    assert actions == pytest.approx(s.value + (values - 1) * s.other_value)


def test_balanced_structure_has_both_printed_ones_as_limits() -> None:
    assert features.balanced_structure(6, 1) == features.printed_structure(6, simply_transitive=True)
    values, large = 1000, 10**9
    ours, printed = features.balanced_structure(values, large), features.printed_structure(values, False)
    for name in ("action", "value", "other_action", "other_value"):
        assert getattr(ours, name) == pytest.approx(getattr(printed, name), rel=2e-3)


@pytest.mark.parametrize("name", ["C3", "S3"])
def test_one_step_gradient_conserves_the_balance(name: str) -> None:
    with precision("float64"):
        task = Lego.create(LegoConfig(action=name, variables=4, length=1))
        v = task.vocabulary
        config = TheoryConfig(variables=4, actions=v.actions, values=v.values, width=4, scale=0.5)
        model = TheoryTransformer.create(config, key=jax.random.key(0))

        slope = jax.jit(jax.grad(lambda n: score(n, *all_inputs(n, task.table, "value"))["loss"]))(model.value)
        action_part, value_part = slope.tables[1], slope.tables[4]
        kept = np.sum(action_part, axis=0) - np.sum(value_part, axis=0)  # sum_g V(g) - sum_y V(y) of every neuron
        assert np.abs(action_part).max() > 1e-3
        assert np.abs(kept).max() < 1e-14


def test_curriculum_by_hand_and_against_the_definition() -> None:
    initial = np.array([[[3.0, 9.0], [8.0, 7.0]], [[1.0, 2.0], [5.0, 4.0]]])  # [class, neuron, value]
    found = curriculum.curriculum(initial)
    # Class 0: value 1 takes neuron 0 (9), so value 0 takes neuron 1 (8). Class 1: value 0 takes neuron 1 (5), value 1
    # cannot and takes neuron 0 (2).
    assert found.neuron.tolist() == [[1, 0], [1, 0]]
    assert found.rank.tolist() == [[1, 0], [2, 3]]
    assert found.magnitude.tolist() == [[8.0, 9.0], [5.0, 2.0]]
    drawn = curriculum.curriculum(np.random.default_rng(0).normal(size=(3, 7, 3)))
    assert all(len(set(row)) == 3 for row in drawn.neuron.tolist())
    in_order = drawn.magnitude.ravel()[np.argsort(drawn.rank.ravel())]
    assert np.all(np.diff(in_order) < 0)
    narrow = curriculum.curriculum(np.ones((1, 1, 2)))
    assert sorted(narrow.neuron[0].tolist()) == [-1, 0]


def test_rank_agreement_is_kendalls() -> None:
    stream = np.random.default_rng(1)
    times, ranks = stream.integers(0, 6, size=30), stream.permutation(30)
    assert curriculum.rank_agreement(times, ranks) == pytest.approx(stats.kendalltau(times, ranks)[0])
    assert curriculum.rank_agreement(ranks, ranks) == 1
    assert curriculum.rank_agreement(np.zeros(4, int), np.arange(4)) == 0


def test_the_clip_leaves_a_floor_and_a_ceiling() -> None:
    vocab, bound = 7, 3.0
    logits = np.array([bound, *[0.0] * (vocab - 1)])
    probability = np.exp(logits[0]) / np.exp(logits).sum()
    assert clip.floor(vocab, bound) == pytest.approx(-np.log(probability))
    assert clip.ceiling(vocab, bound) == pytest.approx(probability**2), "a clause is two uncertain tokens"
