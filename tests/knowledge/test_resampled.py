"""Numbers of many seeds with their bootstrap."""

import numpy as np
import pytest

from lemmata.core import at_least
from lemmata.papers.knowledge.claims._resampled import Resampled
from lemmata.papers.knowledge.claims.plane import rank_correlation, rank_correlations


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
