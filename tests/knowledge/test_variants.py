"""The leak of the split by tuple, against enumeration; the variants of the model and of fine-tuning."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.papers.knowledge.theory import leak


def enumerated(subjects: int, multiplicity: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of the leaked share over every way to draw the fine-tuning half."""
    tuples = subjects * multiplicity
    shares = []
    for train in itertools.combinations(range(tuples), tuples // 2):
        asked = {index // multiplicity for index in train}
        held = [index for index in range(tuples) if index not in train]
        shares.append(Fraction(sum(index // multiplicity in asked for index in held), len(held)))
    mean = sum(shares, Fraction(0)) / len(shares)
    return mean, sum(((share - mean) ** 2 for share in shares), Fraction(0)) / len(shares)


@pytest.mark.parametrize(("subjects", "multiplicity"), [(2, 1), (3, 2), (4, 3), (3, 4), (5, 3)])
def test_leak_is_what_enumeration_of_all_halves_gives(subjects: int, multiplicity: int) -> None:
    mean, variance = enumerated(subjects, multiplicity)
    assert leak.leaked_share(subjects, multiplicity) == mean
    assert leak.leaked_variance(subjects, multiplicity) == variance


def test_leak_tends_to_one_minus_a_power_of_a_half() -> None:
    for multiplicity in (1, 2, 5):
        assert float(leak.leaked_share(5000, multiplicity)) == pytest.approx(1 - 0.5 ** (multiplicity - 1), abs=1e-3)


def test_drawn_splits_leak_as_predicted() -> None:
    config = FactsConfig(subjects=40, templates=8, multiplicity=3)
    facts = Facts.create(config, seed=0)
    by_tuple = CoverageConfig(split="tuple")
    shares = np.array([float(Questions.choose(facts, by_tuple, seed).leak()) for seed in range(60)])
    spread = float(leak.leaked_variance(40, 3)) ** 0.5
    assert abs(shares.mean() - float(leak.leaked_share(40, 3))) < 4 * spread / 60**0.5
    assert 0.6 < shares.std() / spread < 1.6
