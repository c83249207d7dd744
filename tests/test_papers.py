"""Every paper passes the checks that anyone's paper must pass: every claim run, judged and drawn at smoke scale.

In a drawing no text lies over another or is cut, no legend over data, no look is used twice, every axis has a name.
"""

import zlib

import jax
import pytest

from figure_faults import drawn_faults
from lemmata.core import Scale
from lemmata.core.registry import experiments, papers, select
from lemmata.run import Store, apart
from lemmata.testing import experiment_problems, package_problems

# Neighbours share runs, and a worker waits for a run that another computes: so neighbours are kept apart.
EXPERIMENTS = sorted((id for paper in papers() for id in experiments(paper)), key=lambda id: zlib.crc32(id.encode()))


@pytest.mark.parametrize("paper", papers())
def test_package(paper: str) -> None:
    assert list(package_problems(papers()[paper])) == []


@pytest.mark.parametrize("experiment_id", EXPERIMENTS)
def test_claims_at_smoke_scale(experiment_id: str, smoke_store: Store) -> None:
    for not_run in apart(select([experiment_id]), Scale("smoke"), smoke_store)[1]:
        pytest.skip(not_run.reason)
    assert experiment_problems(experiment_id, smoke_store) == []
    assert drawn_faults(experiment_id, smoke_store) == []
    jax.clear_caches()  # seventy experiments' programs would fill the memory
