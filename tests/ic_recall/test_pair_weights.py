"""Mean counts of random bijections by brute force, and the weights they prefer."""

from itertools import permutations

import numpy as np
import pytest

from lemmata.papers.ic_recall.matchings import partial_matchings
from lemmata.papers.ic_recall.theory.pair_weights import best_pair_weights, bijections_that_keep, mean_counts


@pytest.mark.parametrize(("k", "n"), [(2, 3), (2, 5), (3, 5)])
def test_bijections_by_what_they_keep(k: int, n: int) -> None:
    kept = [tuple((i, image[i]) for i in range(k) if image[i] < k) for image in permutations(range(n))]
    for matching in partial_matchings(k, k):
        assert bijections_that_keep(matching, k, n) == kept.count(matching)


def test_counts_add_up_to_all_relations() -> None:
    counts = mean_counts(3, 8, 512)
    assert counts.sum() == pytest.approx(512)
    right = partial_matchings(3, 3).index(((0, 0), (1, 1), (2, 2)))
    assert counts[right] > 1
    assert mean_counts(2, 3, 6).tolist() == pytest.approx(
        [bijections_that_keep(m, 2, 3) for m in partial_matchings(2, 2)]
    )


@pytest.mark.parametrize("k", [2, 3, 4])
def test_cold_weights_tend_to_the_proved_ones(k: int) -> None:
    relations = int(np.prod(range(1, k + 2)))
    unit = 1 / (k * (k + 1))
    off = [
        np.abs(best_pair_weights(k, k + 1, relations, share * unit**2) - unit * np.arange(1, k + 1)).max()
        for share in (0.4, 0.1)
    ]
    assert off[1] < off[0]
    assert off[1] < 0.1 * unit
