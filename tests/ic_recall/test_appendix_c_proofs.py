"""Constants of Lemmas C.2 and C.3 in balls: sharp to the sixth digit, and those of the theory."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.ic_recall.claims.lemma_c_proved import COLDEST, CURVATURES, HIGHEST, TOO_NARROW
from lemmata.papers.ic_recall.proof import appendix_c, one_large_step
from lemmata.papers.ic_recall.proof.escape import Attention
from lemmata.papers.ic_recall.run.appendix_c_proofs import CurvatureAfterStep, GapGrowth
from lemmata.papers.ic_recall.theory.relations import MATCHINGS, all_logits, full_world_counts
from lemmata.proofs import ProofRun, exact, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")


def outcome(run: ProofRun) -> str:
    return prove(run.proposition, run.steps()).outcome


@pytest.mark.parametrize("n", CURVATURES)
def test_bounds_off_in_the_sixth_digit_are_refuted(n: int) -> None:
    def run(low: str, high: str) -> CurvatureAfterStep:
        return CurvatureAfterStep(n=n, least=COLDEST, most=HIGHEST[n], low=low, high=high)

    right = run(*CURVATURES[n])
    certificate = prove(right.proposition, right.steps())
    assert certificate.outcome == "closed"
    assert right.problem(certificate) is None
    wrong = run(*TOO_NARROW[n])
    assert outcome(wrong) == "refuted"
    assert "another statement" in str(wrong.problem(certificate))


def test_growth_and_time_are_sharp_to_the_sixth_digit() -> None:
    right = GapGrowth(growth="0.000106068", time="348.138")
    assert outcome(right) == "closed"
    assert outcome(replace(right, growth="0.000106069")) == "refuted"
    assert outcome(replace(right, time="348.137")) == "refuted"
    assert outcome(replace(right, growth="0.000099")) == "refuted"  # below the lemma's own


@pytest.mark.parametrize("n", [7, 101])
def test_the_curvature_in_balls_is_that_of_the_theory(n: int) -> None:
    t = 0.003
    log_counts = np.log(full_world_counts(n))
    v = np.array([float(one) for one in one_large_step.scores_after(exact(Fraction(t)), n, 100)])
    right = MATCHINGS.index(((0, 0), (1, 1)))

    def loss(along: float) -> float:
        scores = v * np.exp(along * np.array([1, 1, -1, -1, 0, 0]) / 2)
        logits = all_logits(scores / scores.sum()) / t + log_counts
        return float(np.logaddexp.reduce(logits) - logits[right])

    step = 1e-3
    expected = -t * (loss(step) - 2 * loss(0.0) + loss(-step)) / step**2
    assert float(appendix_c.curvature(exact(Fraction(t)), n, 100)) == pytest.approx(expected, rel=1e-4)


def test_the_gap_grows_as_the_flow_says() -> None:
    """By a small step of the flow with r_1 and r_2 alone, in all six scores."""
    v, t, step = np.array([0.3, 0.2, 0.2, 0.1, 0.12, 0.08]), 0.05, 1e-7
    first, second = v[0] - v[2], v[1] - v[3]
    p2 = 1 / (1 + np.exp(2 * first * second / t))
    in_v = 2 * p2 / t * np.array([-second, -first, second, first, 0, 0])
    moved = v * np.exp(-step * v * (in_v - v @ in_v))
    moved /= moved.sum()
    rate = ((moved[0] - moved[2]) * (moved[1] - moved[3]) - first * second) / step
    a, c, b, e = map(Fraction, map(str, v[:4]))
    found = appendix_c.gap_rate(Attention(a, b, c, e), Fraction("0.12") ** 2 + Fraction("0.08") ** 2)
    assert float(found) * 2 * p2 / t == pytest.approx(rate, rel=1e-5)


def test_bounds_that_are_none_are_one_line() -> None:
    with pytest.raises(UserError, match="low = "):
        CurvatureAfterStep(low="0.08", high="0.07")
    with pytest.raises(UserError, match="most = "):
        GapGrowth(most="1")
