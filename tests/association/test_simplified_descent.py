"""Descent on the model of equation (2), and the spread of its first step, against the exact chain."""

import numpy as np
import pytest

from lemmata.core import RunResult, Runs, Unattended, UserError, judge
from lemmata.papers.association.claims._descents import Descent
from lemmata.papers.association.claims.thm_2_descent import EXPERIMENT, signs
from lemmata.papers.association.run.margin_spread import MarginSpread
from lemmata.papers.association.run.simplified_descent import SimplifiedDescent
from lemmata.papers.association.theory import RecallChain, margins

IN_DESCENT = EXPERIMENT.claims[0]


@pytest.mark.parametrize("exclude", [False, True])
def test_the_first_step_is_the_exact_chains(exclude: bool) -> None:
    config = SimplifiedDescent(num_tokens=5, length=12, batch=16384, steps=2, seeds=(7,), exclude_trigger=exclude)
    found = RunResult(config, config.compute(Unattended()).metrics, {})
    chain = RecallChain(5, 12, config.alpha, exclude)
    update, previous = (config.learning_rate * part for part in margins.value_update(chain))
    noise = chain.num_tokens
    expected = {
        "diagonal": np.diag(update)[1:noise].mean(),
        "diagonal_previous": np.diag(previous)[1:noise].mean(),
        "noise_row": update[noise, 1:noise].mean(),
        "noise_row_previous": previous[noise, 1:noise].mean(),
        "noise_on_noise": update[noise, noise],
    }
    for name, value in expected.items():
        assert found.curve(name)[1][0, 1] == pytest.approx(value, abs=0.004), name
    largest = found.curve("largest_key")[1][0]
    assert largest[1] == 0.0 < largest[2]
    assert found.curve("noise_probability")[1][0, 0] == pytest.approx(1 / (noise + 1))


def test_spread_shrinks_with_the_sample_and_centres_on_the_exact_margin() -> None:
    config = MarginSpread(sizes=(8,), alpha=0.5, groups=512, multiples=(1, 16), tests=4)
    run = RunResult(config, config.compute(Unattended()).metrics, {})
    for block in ("feed-forward", "attention"):
        few, many = run.column("spread", block=block)
        assert 0.15 < many / few < 0.4  # 1/4, but for the maximum over tokens
    forward, attention = (run.column("margin", block=block)[-1] for block in ("feed-forward", "attention"))
    assert forward == pytest.approx(0.5, abs=0.15)
    assert attention == pytest.approx(2 * 0.5 / 8, rel=0.4)
    with pytest.raises(UserError, match="multiples"):
        MarginSpread(groups=64, multiples=(16,))


def _descent(gaps: list[float]) -> RunResult:
    """A descent whose noise is learned at record 2, with these gaps."""
    config = SimplifiedDescent(steps=len(gaps) - 1, seeds=(0, 1))
    count = len(gaps)
    table = {
        "seed": np.repeat(config.seeds, count),
        "step": np.tile(np.arange(count), 2),
        "gap": np.tile(gaps, 2),
        "noise_probability": np.tile([0.06, 0.2] + [config.alpha] * (count - 2), 2),
        "after_trigger": np.tile(np.linspace(0, 3, count), 2),
    }
    return RunResult(config, table, {})


@pytest.mark.parametrize(
    ("gaps", "status"),
    [
        ([0.0, 0.01, 0.02, 0.03, 2.0], "undecided"),  # as printed: the control says the same
        ([0.0, 0.01, -0.02, -0.03, 2.0], "erratum"),
        ([0.0, 0.01, -0.02, -0.03, -2.0], "fails"),
    ],
)
def test_the_gaps_story(gaps: list[float], status: str) -> None:
    other = _descent([0.0, 0.01, 0.02, 0.03, 2.0])
    runs = Runs({"descent": _descent(gaps), "descent, ȳ ≠ q": other})
    assert signs(Descent(other)) == (1, 1, 1)
    assert judge(IN_DESCENT, runs).status == status
