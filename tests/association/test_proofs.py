"""What is proved of Theorem 3's flow, that nothing near it can be, and that its rates are those of the theory."""

from fractions import Fraction

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.association.proof import restated
from lemmata.papers.association.proof.first_gap import gap
from lemmata.papers.association.proof.memory_flow import rate_a, rate_b
from lemmata.papers.association.run.proofs import (
    FirstGap,
    FlowConstant,
    FlowOrder,
    FlowTurn,
    NoiseDirection,
    RestatedTheorem2,
)
from lemmata.papers.association.theory import RecallChain, attention_logits, memory
from lemmata.proofs import ProofRun, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")


def outcome(run: ProofRun) -> str:
    return prove(run.proposition, run.steps()).outcome


def test_only_the_right_constant_closes() -> None:
    wrong = ("0.750001", "0.749999", "0.9", "0.25")  # 18/5 of the printed flow is 0.9 in these units
    assert outcome(FlowConstant()) == "closed"
    assert [outcome(FlowConstant(constant=one)) for one in wrong] == ["refuted"] * len(wrong)


def test_only_the_right_order_closes() -> None:
    assert [outcome(FlowOrder(larger=one)) for one in ("signal", "noise")] == ["closed", "refuted"]


def test_only_a_turn_upwards_closes() -> None:
    assert [outcome(FlowTurn(after=one)) for one in ("rises", "falls")] == ["closed", "refuted"]
    certificate = prove(FlowTurn().proposition, FlowTurn().steps())
    assert "another statement" in str(FlowConstant().problem(certificate))


@pytest.mark.parametrize("alpha", [0.21, 0.39])
def test_b_turns_once(alpha: float) -> None:
    path = memory.integrate(memory.margin_rates(2, alpha), np.concatenate([[0.0], np.logspace(-2, 4, 400)]))
    rises = np.diff(path.b) > 0
    assert not rises[0]
    assert rises[-1]
    assert np.count_nonzero(np.diff(rises)) == 1
    assert path.b.min() < np.log(alpha / (1 - alpha)) - 1e-3


def test_only_n_2_is_below() -> None:
    assert [outcome(NoiseDirection(last_smaller=n)) for n in (1, 2, 3)] == ["refuted", "closed", "refuted"]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_rates_are_those_of_the_theory(n: int) -> None:
    alpha, x, y = Fraction(3, 10), Fraction(1, 3), Fraction(3, 4)
    total = float(1 + (n - 1) * x + y)
    found = memory.margin_rates(n, float(alpha))(float(np.log(float(x))), float(np.log(float(y))))
    expected = [float(rate(x, y, alpha, n)) / (n * total) for rate in (rate_a, rate_b)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_flow_does_what_is_proved() -> None:
    for alpha in (0.21, 0.39):
        path = memory.integrate(memory.margin_rates(2, alpha), np.concatenate([[0.0], np.logspace(-2, 7, 200)]))
        assert (np.diff(path.a) < 0).all()
        assert (path.a[1:] < path.b[1:]).all()
        assert (path.b[1:] < 0).all()
        assert np.exp(-path.a[-1]) / path.time[-1] == pytest.approx(0.75 * (1 - alpha), rel=1e-3)


@pytest.mark.parametrize("constant", ["x", "0", "-1", "nan"])
def test_a_constant_that_is_none_is_one_line(constant: str) -> None:
    with pytest.raises(UserError, match="constant = "):
        FlowConstant(constant=constant)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.35])
@pytest.mark.parametrize(("n", "length"), [(5, 9), (16, 128)])
def test_the_closed_form_of_the_gap_is_the_exact_chain(n: int, length: int, alpha: float) -> None:
    chain = RecallChain(n, length, alpha)
    token, _ = attention_logits.key_gradient(chain, *attention_logits.phase_two_values(chain))
    found = gap(alpha, n, length) * (1 - alpha) ** 2 / (n * n * length)
    assert found == pytest.approx(token[1] - token[-1], rel=1e-9)


def test_only_the_right_sign_of_the_gap_closes() -> None:
    assert [outcome(FirstGap(sign=sign)) for sign in ("negative", "positive")] == ["closed", "refuted"]
    right = FirstGap()
    certificate = prove(right.proposition, right.steps())
    assert right.problem(certificate) is None
    assert "another statement" in str(FirstGap(num_tokens=17).problem(certificate))


@pytest.mark.parametrize("also_q", [False, True])
def test_the_limits_in_t_are_those_of_the_exact_chain(also_q: bool) -> None:
    n, alpha, betas = 5, 0.3, (1.0, 0.7)
    chain = RecallChain(n, 20_000, alpha, exclude_trigger=not also_q)
    found = attention_logits.key_gradient(chain, *attention_logits.diagonal_values(chain, *betas))
    for kind, gradient in zip(("token", "previous"), found, strict=True):
        for key, index in (("q", 0), ("j", 1), ("noise", n)):
            expected = (1 - alpha) * restated.logit(kind, key, n, alpha, *betas, also_q)
            assert gradient[index] == pytest.approx(expected, abs=2e-5)


def test_the_restated_theorem_closes_and_the_printed_data_does_not() -> None:
    assert outcome(RestatedTheorem2()) == "closed"
    assert outcome(RestatedTheorem2(target="any token")) == "refuted"
    assert not restated.is_positive(-restated.gaps(False)["(q, then N+1)"])
    values = (7, 0.05, 1.3, 0.4)
    assert min(restated.gaps(False, values).values()) > 0
