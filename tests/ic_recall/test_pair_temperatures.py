"""k pairs at a positive temperature: what is proved, and what pairwise attention is best by a search."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lemmata.core import Scale, UserError
from lemmata.papers.ic_recall.claims.pair_temperatures_proved import BOUNDS, EXPERIMENT
from lemmata.papers.ic_recall.proof import pair_temperature
from lemmata.papers.ic_recall.proof.pairs import partial_injections
from lemmata.papers.ic_recall.run.pair_temperature_proof import PairTemperature
from lemmata.papers.ic_recall.theory import phase
from lemmata.papers.ic_recall.theory.pair_weights import best_pair_weights, expected_loss, mean_counts
from lemmata.proofs import exact, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")


@pytest.mark.parametrize("k", BOUNDS)
def test_wrong_bounds_are_refuted_and_certificates_are_not_exchanged(k: int) -> None:
    runs = EXPERIMENT.runs(Scale("smoke"))
    right, wrong = runs[f"temperature/{k}"], runs[f"wrong-temperature/{k}"]
    assert isinstance(right, PairTemperature)
    assert isinstance(wrong, PairTemperature)
    certificate = prove(right.proposition, right.steps())
    assert certificate.outcome == "closed"
    assert right.problem(certificate) is None
    assert prove(wrong.proposition, wrong.steps()).outcome == "refuted"
    assert "another statement" in str(wrong.problem(certificate))


def test_an_upper_bound_below_the_truth_is_refuted() -> None:
    too_low = PairTemperature(low="0.08", high="0.0854031", weights=("0.0657", "0.4343"))
    assert prove(too_low.proposition, too_low.steps()).outcome == "refuted"
    four = PairTemperature(k=4, low="0.003", high="0.0042", weights=BOUNDS[4].weights, prices=BOUNDS[4].prices)
    assert prove(four.proposition, four.steps()).outcome == "refuted"


def test_two_pairs_are_the_warm_up() -> None:
    assert float(BOUNDS[2].low) == pytest.approx(phase.recall_temperature(float(np.log(3))), rel=1e-6)


@pytest.mark.parametrize("k", [3, 4, 5])
def test_the_search_finds_the_bounds(k: int) -> None:
    """At a little below the lower bound the best pairwise loss is below log 2; at the upper one it is not."""
    counts = mean_counts(k, k + 1, int(np.prod(range(1, k + 2))))
    for temperature, below in ((0.999 * float(BOUNDS[k].low), True), (float(BOUNDS[k].high) * 1.001, False)):
        best = best_pair_weights(k, k + 1, int(np.prod(range(1, k + 2))), temperature)
        assert (expected_loss(best, temperature, counts) < np.log(2)) == below


@pytest.mark.parametrize("k", [2, 3, 4])
def test_squared_differences_are_the_gaps_of_all_bijections(k: int) -> None:
    rng = np.random.default_rng(0)
    weights, t = np.sort(rng.dirichlet(np.ones(k))) / 2, 0.05
    kept = [one for one in partial_injections(k) if len(one) >= k - 1]
    gaps = [2 * (weights @ weights - sum(weights[i] * weights[j] for i, j in one)) for one in kept]
    found = pair_temperature.total([exact(Fraction(one)) for one in weights], exact(Fraction(t)))
    assert float(found) == pytest.approx(np.exp(-np.array(gaps) / t).sum(), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_pairwise_attention_is_never_worse(k: int) -> None:
    """Geometric means in the places of both tokens' weights, then scaled up to 1: the loss does not rise."""
    rng = np.random.default_rng(1)
    kept = [one for one in partial_injections(k) if len(one) >= k - 1]

    def total(u: np.ndarray, w: np.ndarray, t: float) -> float:
        return sum(np.exp(-2 * (u @ w - sum(u[i] * w[j] for i, j in one)) / t) for one in kept)

    for u, w in rng.dirichlet(np.ones(2 * k), size=200).reshape(200, 2, k):
        p = np.sqrt(u * w)
        t = float(rng.uniform(0.01, 0.3))
        assert total(p / (2 * p.sum()), p / (2 * p.sum()), t) <= total(u, w, t) * (1 + 1e-12)


@pytest.mark.parametrize(("field", "value"), [("low", "1.5"), ("weights", ("0.5",)), ("prices", ("1", "2"))])
def test_numbers_that_do_not_fit_are_one_line(field: str, value: object) -> None:
    with pytest.raises(UserError, match=f"{field} = "):
        replace(PairTemperature(), **{field: value})


def test_five_pairs_need_prices() -> None:
    with pytest.raises(UserError, match="prices = "):
        PairTemperature(k=5, low="0.001", high="0.002", weights=BOUNDS[5].weights)
