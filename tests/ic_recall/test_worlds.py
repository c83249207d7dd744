"""Worlds against brute force over all their relations, and the errors a user can trigger."""

from itertools import permutations
from math import comb, factorial

import jax
import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.core.config import decode, encode
from lemmata.papers.ic_recall.run.proofs import Transition
from lemmata.papers.ic_recall.task import (
    Affine,
    AllBijections,
    RandomBijections,
    RandomSlopes,
    SomeAffine,
    WorldConfig,
    confusing_pattern,
    correct_pattern,
    dataset,
    dataset_of,
    is_prime,
    is_prime_power,
    mismatched_patterns,
    patterns,
    stored,
)

WORLDS = (
    RandomBijections(n=8, relations=64),
    RandomBijections(n=11, relations=30),
    AllBijections(n=4),
    Affine(n=11),
    Affine(n=7, subgroup=3),
    Affine(n=13, subgroup=4),
    RandomSlopes(n=13, confusing=0.4, mismatched=0.8),
    SomeAffine(n=7),
)


def brute_counts(table, sequences):
    """Pattern by pattern, relation by relation, in plain Python."""
    k, index = sequences.k, {pattern: i for i, pattern in enumerate(patterns(sequences.k))}
    counts = np.zeros((len(sequences), len(index)))
    for row, (subjects, answers) in enumerate(zip(sequences.subjects, sequences.answers, strict=True)):
        context = list(answers[:k])
        for relation in table:
            given = [relation[s] for s in subjects]
            counts[row, index[tuple((i, context.index(a)) for i, a in enumerate(given) if a in context)]] += 1
    return counts


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_number_of_patterns_is_that_of_partial_matchings(k):
    expected = sum(comb(k + 1, size) * comb(k, size) * factorial(size) for size in range(k + 1))
    assert len(patterns(k)) == len(set(patterns(k))) == expected
    assert {2: 13, 3: 73}.get(k, expected) == expected


def test_named_patterns_of_two_pairs_are_table_1():
    every = patterns(2)
    assert every[correct_pattern(2)] == ((0, 0), (1, 1))
    assert every[confusing_pattern(2)] == ((0, 1), (1, 0))
    mismatched = {every[i] for i in np.flatnonzero(mismatched_patterns(2))}
    assert mismatched == {((0, 0), (2, 1)), ((0, 1), (2, 0)), ((1, 0), (2, 1)), ((1, 1), (2, 0))}


@pytest.mark.parametrize("config", WORLDS, ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_counts_equal_brute_force_over_all_relations(config, k):
    world = config.draw(3)
    sequences = world.sequences(25, k, seed=5, name="test")
    counts = world.counts(sequences)
    np.testing.assert_array_equal(counts, brute_counts(world.table, sequences))
    assert (counts.sum(axis=1) == world.num_relations).all()
    assert (counts[:, correct_pattern(k)] >= 1).all()


@pytest.mark.parametrize("config", WORLDS, ids=str)
def test_sequences_are_facts_with_distinct_subjects(config):
    world = config.draw(1)
    sequences = world.sequences(200, 3, seed=0, name="test")
    assert all(len(set(row)) == 4 for row in sequences.subjects)
    np.testing.assert_array_equal(sequences.answers, world.table[sequences.relations[:, None], sequences.subjects])
    assert (np.sort(world.table, axis=1) == np.arange(world.n)).all()
    assert len(np.unique(world.table, axis=0)) == world.num_relations


@pytest.mark.parametrize(
    "config",
    [AllBijections(n=4), Affine(n=7, subgroup=3), Affine(n=11, subgroup=2), RandomSlopes(n=11, mismatched=0.8)],
    ids=str,
)
def test_the_report_equals_enumeration_by_hand(config):
    world, report = config.draw(0), config.draw(0).report(2)
    table = world.table
    fits, confusing, mismatched, total = [], 0, 0, 0
    for r in table:
        for s in permutations(range(world.n), 3):
            a = r[list(s)]
            given = table[:, s]
            fits.append(int(((given[:, 0] == a[0]) & (given[:, 1] == a[1])).sum()))
            confusing += ((given[:, 0] == a[1]) & (given[:, 1] == a[0])).any()
            third = (given[:, 2] == a[0]) | (given[:, 2] == a[1])
            mismatched += (third & (np.isin(given, a[:2]).sum(axis=1) == 2)).any()
            total += 1
    assert report.fractions_how in ("exact", "by construction")
    assert report.confusing == pytest.approx(confusing / total)
    assert report.mismatched == pytest.approx(mismatched / total)
    assert report.ambiguous == pytest.approx(np.mean(np.array(fits) > 1))
    assert report.ceiling == pytest.approx(np.mean(1 / np.array(fits)))
    assert report.assumption_2_2 == (max(fits) == 1)


def test_no_world_of_64_bijections_of_8_satisfies_assumption_2_2():
    # two pairs name one relation: at most n (n - 1) = 56 relations can have distinct values on a pair of subjects
    reports = [RandomBijections(n=8, relations=64).draw(seed).report(2) for seed in range(2)]
    assert not any(report.assumption_2_2 for report in reports)
    assert all(0.5 < report.ceiling < 0.65 for report in reports)


def test_the_order_of_the_subgroup_decides_confusion():
    assert Affine(n=13, subgroup=4).draw().report(2).confusing == 1
    assert Affine(n=13, subgroup=3).draw().report(2).confusing == 0


@pytest.mark.parametrize(("confusing", "mismatched"), [(0.0, 0.5), (0.5, 0.5), (1.0, 0.2), (0.25, 0.9)])
def test_random_slopes_have_the_shares_of_sequences_that_were_asked_for(confusing, mismatched):
    world = RandomSlopes(n=251, confusing=confusing, mismatched=mismatched).draw(3)
    report = world.report(2)
    assert report.fractions_how == "exact"
    assert report.confusing == pytest.approx(confusing, abs=1.5 / world.slopes.size)
    assert report.mismatched == pytest.approx(mismatched, abs=0.05)
    assert len(world.kinds(2)[0]) <= 32


def test_a_world_of_2_to_the_61_subjects():
    config = Affine(n=2**61 - 1)
    world = config.draw()
    assert world.num_relations == (2**61 - 1) * (2**61 - 2)
    sequences = world.sequences(64, 2, seed=0, name="test")
    slope, intercept = (int(part) for part in divmod(sequences.relations[0], world.n))
    expected = [(slope * int(s) + intercept) % world.n for s in sequences.subjects[0]]
    assert [int(a) for a in sequences.answers[0]] == expected
    reduced = dataset_of(world, sequences)
    assert reduced.counts.shape == (1, 13)
    assert np.asarray(reduced.counts)[0, 0] == pytest.approx(2.0**122, rel=1e-12)
    odd = Affine(n=2**61 - 1, subgroup=(2**61 - 2) // 2).draw()
    assert (odd.counts(odd.sequences(20, 2, seed=1, name="test"))[:, confusing_pattern(2)] == 0).all()


def test_large_and_small_arithmetic_agree(monkeypatch):
    world = Affine(n=10007, subgroup=5003).draw()
    small = world.sequences(40, 3, seed=2, name="test")
    monkeypatch.setattr("lemmata.papers.ic_recall.task.modular.MACHINE_PRODUCT", 1)
    large = world.sequences(40, 3, seed=2, name="test")
    np.testing.assert_array_equal(small.answers, large.answers)
    by_python = world.counts(large)
    monkeypatch.undo()
    np.testing.assert_array_equal(by_python, world.counts(small))


def test_a_dataset_merges_duplicates_and_pads():
    world = RandomBijections(n=8, relations=64).draw(0)
    sequences = world.sequences(40, 2, seed=0, name="train")
    reduced, padded = dataset_of(world, sequences), dataset(world, 40, 2, 0, "train", rows=50)
    full = world.counts(sequences)
    np.testing.assert_allclose(np.asarray(reduced.weights) @ np.asarray(reduced.counts), full.mean(axis=0), rtol=1e-14)
    assert len(np.unique(np.asarray(reduced.counts), axis=0)) == len(reduced.counts)
    assert padded.counts.shape == (50, 13)
    np.testing.assert_allclose(np.asarray(padded.weights) @ np.asarray(padded.counts), full.mean(axis=0), rtol=1e-14)
    assert np.asarray(padded.weights).sum() == pytest.approx(1)


def test_token_batches_say_the_same_facts():
    world = RandomBijections(n=8, relations=20).draw(0)
    sequences = world.sequences(50, 3, seed=0, name="test")
    fixed = stored(world, sequences)
    batch = fixed.batch
    tokens, targets = np.asarray(batch.tokens), np.asarray(batch.targets)
    relation = tokens[:, -1] - 16
    np.testing.assert_array_equal(world.table[relation[:, None], tokens[:, 0:6:2]] + 8, tokens[:, 1:6:2])
    np.testing.assert_array_equal(targets[:, -2], tokens[:, -1])
    np.testing.assert_array_equal(targets[:, -1] - 8, world.table[relation, tokens[:, 6]])
    assert (tokens[:, -2] == 36).all()
    np.testing.assert_array_equal(np.asarray(batch.mask).sum(axis=0), [0] * 7 + [50, 50])
    np.testing.assert_array_equal(np.asarray(fixed.batch.tokens)[:, 0:7:2], sequences.subjects)
    drawn = np.asarray(fixed.sample(9, key=jax.random.key(1)).tokens)
    assert {tuple(row) for row in drawn} <= {tuple(row) for row in np.asarray(fixed.batch.tokens)}


def test_worlds_are_named_by_seed_and_purpose():
    config = RandomBijections(n=12, relations=40)
    np.testing.assert_array_equal(config.draw(4).table, config.draw(4).table)
    assert (config.draw(4).table != config.draw(5).table).any()
    world = config.draw(4)
    first, again, other = (world.sequences(9, 2, seed=1, name=name) for name in ("train", "train", "test"))
    np.testing.assert_array_equal(first.subjects, again.subjects)
    assert (first.subjects != other.subjects).any()
    assert decode(WorldConfig, encode(Affine(n=7, subgroup=2))) == Affine(n=7, subgroup=2)


def test_primes():
    small = [x for x in range(2, 500) if all(x % d for d in range(2, x))]
    assert [x for x in range(500) if is_prime(x)] == small
    assert is_prime(2**61 - 1)
    assert not is_prime((2**31 - 1) * (2**29 - 3))
    assert not is_prime(3215031751)  # the first composite that fools witnesses 2, 3, 5, 7


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Affine(n=91), "n = 91"),
        (lambda: Affine(n=2**61 + 1), "2^61"),
        (lambda: Affine(n=13, subgroup=5), "divisor of n - 1 = 12"),
        (lambda: RandomBijections(n=3, relations=7), "n! = 6"),
        (lambda: RandomBijections(n=8, relations=0), "at least 1"),
        (lambda: Affine(n=13, subgroup=0), "at least 1"),
        (lambda: RandomSlopes(n=127, mismatched=1e-6), "at least one slope"),
        (lambda: RandomSlopes(n=15), "prime"),
        (lambda: SomeAffine(n=15), "prime"),
        (lambda: SomeAffine(n=5, share=0.01), "at least one relation"),
        (lambda: AllBijections(n=6), "at least 2 and at most 5"),
        (lambda: AllBijections(n=3).draw().sequences(4, 3, seed=0, name="x"), "at most n - 1 = 2"),
        (lambda: Affine(n=7).draw().sequences(4, 1, seed=0, name="x"), "between 2 and 5"),
        (lambda: Affine(n=2**31 - 1).draw().table, "listing the facts"),
        (lambda: confusing_pattern(3), "2: with more pairs"),
        (lambda: dataset(RandomBijections(n=8, relations=64).draw(0), 40, 2, 0, "t", rows=1), "distinct rows"),
        (lambda: stored(w := Affine(n=2**31 - 1).draw(), w.sequences(2, 2, seed=0, name="x")), "table"),
    ],
)
def test_what_is_impossible_is_refused_in_one_line(make, says):
    with pytest.raises(UserError) as error:
        make()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_fields_have_a_prime_power_of_elements():
    fields = [n for n in range(30) if is_prime_power(n)]
    assert fields == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29]
    assert is_prime_power(2**61 - 1)
    assert is_prime_power(10_007**2)
    assert not any(is_prime_power(n) for n in (10**4, 10**6, 2**61 - 3))
    assert is_prime_power(2**61)
    with pytest.raises(UserError, match="prime power"):
        Transition(n=10)
