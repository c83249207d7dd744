"""Theorem 4.2 with an explicit temperature: what closes, what does not, and that descent does what is proved."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.ic_recall.claims.thm_4_2_proved import FIRST_BEYOND, LAST, STILL
from lemmata.papers.ic_recall.proof import escape, stage_one
from lemmata.papers.ic_recall.run.convergence_proof import Convergence, NotTheLowest, StageOne
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.papers.ic_recall.theory.relations import TABLE_2, quadratic_form
from lemmata.proofs import ProofRun, exact, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")

FORMS = np.array([quadratic_form(TABLE_2[f"r_{i}"])[:4, :4] for i in range(1, 7)])  # v_1 ... v_4 alone


def outcome(run: ProofRun) -> str:
    return prove(run.proposition, run.steps()).outcome


def probabilities(v: np.ndarray, t: float) -> np.ndarray:
    logits = np.einsum("rij,i,j->r", FORMS, v, v) / t
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def velocity(theta: np.ndarray, t: float) -> np.ndarray:
    """Minus the gradient in theta_1 ... theta_4 of -log p(r_1), from Table 2's quadratic forms."""
    v = np.exp(theta - theta.max())
    v /= v.sum()
    slopes = 2 * np.einsum("rij,j->ri", FORMS, v) / t
    in_v = probabilities(v, t) @ slopes - slopes[0]
    return -v * (in_v - v @ in_v)


def test_the_temperature_is_sharp_to_its_sixth_digit() -> None:
    right = Convergence(until=LAST, best="0.0546469344687")
    certificate = prove(right.proposition, right.steps())
    assert certificate.outcome == "closed"
    assert right.problem(certificate) is None
    assert outcome(Convergence(until="0.088387707178908", best="0.0546469344687")) == "refuted"
    assert outcome(NotTheLowest(since=FIRST_BEYOND, until=STILL)) == "closed"
    assert outcome(NotTheLowest(since="0.088387507178909", until=STILL)) == "refuted"
    assert "another statement" in str(NotTheLowest().problem(certificate))


def test_a_barrier_on_the_wrong_side_of_the_minimum_does_not_hold() -> None:
    assert outcome(Convergence(until="0.08", barrier="0.12")) == "refuted"


def test_flipped_signs_are_refuted() -> None:
    statement = Convergence().proposition
    assert prove(statement, escape.identities()).outcome == "closed"
    assert prove(statement, escape.identities(-1)).outcome == "refuted"


@pytest.mark.parametrize("until", ["0.1", "0", "x"])
def test_a_temperature_beyond_the_fold_is_one_line(until: str) -> None:
    with pytest.raises(UserError, match="until = "):
        Convergence(until=until)


def test_the_flow_of_the_identities_is_that_of_table_2() -> None:
    t, theta = 0.05, np.array([0.3, -0.2, 0.1, 0.4])
    v = np.exp(theta) / np.exp(theta).sum()
    one, two, three, four = v
    found = escape.flow(escape.Attention(one, three, two, four), tuple(probabilities(v, t)))
    np.testing.assert_allclose(np.array([found.a, found.c, found.b, found.e]) * 2 / t, velocity(theta, t), rtol=1e-9)


def test_the_part_that_falls_is_the_derivative_it_says() -> None:
    t, y, step = 0.06, 0.03, 1e-6
    half = 0.5  # within escape.HALF

    def part(x: float) -> float:
        v = escape.Attention((half + t * x) / 2, (half - t * x) / 2, (half - t * y) / 2, (half + t * y) / 2)
        weights = [float(np.exp((2 * kept - half * half / 2) / t)) for kept in v.kept()]
        return float(escape.mismatched(v, tuple(weights)))

    slope = (part(0.02 + step) - part(0.02 - step)) / (2 * step)
    with_ball = escape.mismatched_falls(*(exact(Fraction(str(z))) for z in (0.02, y, t)))
    assert with_ball.contains(exact(Fraction(-slope).limit_denominator(10**7)))


@pytest.mark.parametrize("t", [0.03, 0.08, 0.088, 0.0895])
def test_descent_from_the_saddle_ends_at_the_unequal_minimum(t: float) -> None:
    """Also where it first has to leave A > 0 > C, and above T_g, where that is not the lowest point."""
    best = pairwise_line.critical_points(t).minimum
    for push in ([0.1, -0.1, -0.1, 0.099], [0.07, 0.02, -0.05, 0.03]):
        theta, widest = t * np.array(push), 0.0
        for _ in range(40_000):
            theta = theta + t * t * 5 * velocity(theta, t)
            widest = max(widest, abs(theta[0] - theta[1]), abs(theta[2] - theta[3]))
        v = np.sort(np.exp(theta) / np.exp(theta).sum())
        np.testing.assert_allclose(v, [best, best, 0.5 - best, 0.5 - best], atol=1e-4)
        assert widest < float(escape.TUBE)


def test_only_a_quarter_is_the_limit_of_stage_1() -> None:
    found = {limit: outcome(StageOne(limit=limit)) for limit in ("0.25", "0.250001", "0.249999")}
    assert found == {"0.25": "closed", "0.250001": "refuted", "0.249999": "refuted"}
    certificate = prove(StageOne().proposition, StageOne().steps())
    assert "another statement" in str(Convergence().problem(certificate))


def test_stage_1_descends_as_its_products_say() -> None:
    """The exact gradient at a symmetric point is that of a finite difference of the loss."""
    t, theta = 0.05, np.log([0.2, 0.15, 0.2, 0.15, 0.1, 0.2])

    def loss(scores: np.ndarray) -> float:
        v = np.exp(scores) / np.exp(scores).sum()
        found = np.array([float(one) for one in stage_one.logits(tuple(map(Fraction, v)))]) / t
        return float(np.logaddexp.reduce(found) - found[0])

    v = tuple(Fraction(one) for one in (0.2, 0.15, 0.2, 0.15, 0.1, 0.2))
    weights = np.exp([float(one) / t for one in stage_one.logits(v)])
    exactly = stage_one.gradient(v, tuple(map(Fraction, weights / weights.sum())))
    slopes = [(loss(theta + d) - loss(theta - d)) / 2e-5 for d in 1e-5 * np.eye(6)]
    np.testing.assert_allclose([float(one) / t for one in exactly], slopes, rtol=1e-6, atol=1e-9)
