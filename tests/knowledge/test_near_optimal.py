"""Pre-training that is still on its way to the bound decides nothing; what rests above it fails."""

from types import SimpleNamespace

import numpy as np
import pytest

from lemmata.core import RunResult, TooShort
from lemmata.papers.knowledge.claims._acquisition import NEAR, least_loss
from lemmata.papers.knowledge.claims.pretrain_near_optimal import near_or_at_rest
from lemmata.papers.knowledge.task import FactsConfig


@pytest.mark.parametrize(("last_quarter", "moving"), [((0.08, 0.057), True), ((0.058, 0.057), False)])
def test_a_seed_on_its_way_to_the_bound_decides_nothing(last_quarter: tuple[float, float], moving: bool) -> None:
    config = SimpleNamespace(facts=FactsConfig(subjects=8, templates=4, multiplicity=2), seeds=(3, 4))
    run = RunResult(config, {}, {})
    excess = np.array([np.linspace(0.5, NEAR / 2, 9), np.linspace(0.5, last_quarter[1], 9)])
    excess[1, 6] = last_quarter[0]
    arrays = {"pretraining.fact_accuracy": np.ones((2, 9)), "pretraining.full_loss": least_loss(run) + excess}
    found = near_or_at_rest(RunResult(config, {}, arrays))
    assert isinstance(found, TooShort) == moving
    assert not moving or "seed 4" in str(found)
