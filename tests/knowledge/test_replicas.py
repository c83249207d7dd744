"""Replicas one after another, and numbers of many seeds with their bootstrap."""

import jax
import numpy as np
import pytest

from lemmata.core import at_least, named_keys
from lemmata.papers.knowledge.claims._resampled import Resampled
from lemmata.papers.knowledge.claims.plane import rank_correlation, rank_correlations
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, pre_training
from lemmata.papers.knowledge.run.replicas import fit_each
from lemmata.papers.knowledge.task import Facts, FactsConfig
from lemmata.train import fit_many, stack


def test_taking_turns_gives_the_numbers_of_one_program_for_all() -> None:
    world, seeds = FactsConfig(subjects=8, templates=4, multiplicity=2), (3, 4)
    algorithm = pre_training(PreTrainingConfig(steps=6, batch=8, records=2))
    facts = [Facts.create(world, seed) for seed in seeds]
    models = stack([OneLayer.create(OneLayerConfig(width=6, neurons=2), world, seed) for seed in seeds])
    start, keys = jax.vmap(algorithm.init)(models), named_keys(seeds, "pre-training")
    in_turn, rows = fit_each(algorithm, facts, start, keys, steps=6, every=3, stage="test")
    together, others = fit_many(algorithm, stack(facts), start, keys, steps=6, every=3)
    assert rows["loss"].shape == others["loss"].shape == (2, 3)
    np.testing.assert_allclose(rows["loss"], others["loss"], rtol=1e-5)
    np.testing.assert_allclose(in_turn.model.neurons, together.model.neurons, atol=1e-5)


def test_a_resampled_number_has_an_interval_that_narrows() -> None:
    stream = np.random.default_rng(0)
    groups = tuple(stream.normal(mean, 1.0, (seeds, 2)) for mean, seeds in ((0.0, 12), (4.0, 20)))
    found = Resampled(groups, lambda means: means[1].mean(axis=1) - means[0].mean(axis=1))
    low, high = found.interval()
    assert found.count == 12
    assert low < found.mean < high
    assert found.interval() == (low, high), "drawn alike each time"
    assert np.diff(found.interval(count=200)) < high - low
    assert at_least(2.0, over_seeds=True)(2.0, found).status == "holds"
    assert at_least(4.0, over_seeds=True)(4.0, found).status == "undecided"
    alone = Resampled(tuple(group[:1] for group in groups), found.read)
    assert at_least(2.0, over_seeds=True)(2.0, alone).status == "undecided"


def test_rank_correlations_are_spearmans() -> None:
    from scipy.stats import spearmanr

    first, rows = np.array([1.0, 2.0, 2.0, 5.0]), np.array([[4.0, 1.0, 2.0, 3.0], [1.0, 1.0, 2.0, 2.0], [3.0] * 4])
    found = rank_correlations(first, rows)
    for value, row in zip(found[:2], rows[:2], strict=True):
        assert value == pytest.approx(float(np.asarray(spearmanr(first, row))[0]))
    assert found[2] == rank_correlation(first, rows[2]) == 0.0
