"""What is proved of the pairwise line, that nothing near it can be, and that the balls evaluate theory's functions."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lemmata.cli import main
from lemmata.core import UserError
from lemmata.papers.ic_recall.claims._proved import WORLDS, World, in_the_sixth_digit
from lemmata.papers.ic_recall.proof import line, one_large_step
from lemmata.papers.ic_recall.proof.pairs import partial_injections
from lemmata.papers.ic_recall.run.proofs import (
    BestOnLine,
    OneLargeStep,
    PairWeights,
    SaddleCurvature,
    Transition,
    TurningPoints,
)
from lemmata.papers.ic_recall.theory import pairwise_line, phase
from lemmata.papers.ic_recall.theory.relations import MATCHINGS, all_logits, full_world_counts
from lemmata.proofs import ProofRun, exact, prove

pytest.importorskip("flint", reason="needs the extra `proofs`")


def outcome(run: ProofRun) -> str:
    return prove(run.proposition, run.steps()).outcome


def bounds(world: World, of: str, low: str, high: str) -> Transition:
    dip = world.fold if of == "exist" else world.optimum
    return Transition(
        of="exist" if of == "exist" else "global", n=world.n, low=low, high=high, dip=dip, split=world.rises_to
    )


def lowered(text: str) -> str:
    """One less in the sixth digit."""
    raised = in_the_sixth_digit(text)
    return f"{2 * float(text) - float(raised):.18f}"


@pytest.mark.parametrize("of", ["exist", "global"])
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: str(world.n))
def test_a_constant_off_in_the_sixth_digit_is_refuted(world: World, of: str) -> None:
    low, high = world.exist if of == "exist" else world.best
    right = bounds(world, of, low, high)
    certificate = prove(right.proposition, right.steps())
    assert certificate.outcome == "closed"
    assert right.problem(certificate) is None
    assert outcome(bounds(world, of, in_the_sixth_digit(low), in_the_sixth_digit(high))) == "refuted"
    assert outcome(bounds(world, of, lowered(low), lowered(high))) == "refuted"


def test_the_sixth_digit() -> None:
    assert in_the_sixth_digit("0.090860738164839") == "0.090860838164839"
    assert in_the_sixth_digit("0.010456940560805")[:10] == "0.01045704"


def test_only_the_right_count_closes() -> None:
    found = {count: outcome(TurningPoints(count=count)) for count in (0, 1, 2, 3)}
    assert found == {0: "refuted", 1: "refuted", 2: "closed", 3: "refuted"}


def test_beyond_the_fold_there_are_not_two() -> None:
    assert outcome(TurningPoints(until="0.0908608", dip="0.03478344")) == "refuted"


def test_a_flipped_sign_and_another_relation_are_refuted() -> None:
    assert [outcome(SaddleCurvature(sign=sign)) for sign in ("negative", "positive")] == ["closed", "refuted"]
    assert [outcome(BestOnLine(right=right)) for right in (1, 2, 3)] == ["closed", "refuted", "refuted"]


def test_one_claims_certificate_does_not_check_under_another() -> None:
    runs: list[ProofRun] = [TurningPoints(), TurningPoints(until="0.09"), BestOnLine(), SaddleCurvature()]
    certificates = [prove(run.proposition, run.steps()) for run in runs]
    for i, run in enumerate(runs):
        problems = [run.problem(certificate) for certificate in certificates]
        assert [problem is None for problem in problems] == [j == i for j in range(len(runs))]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: str(world.n))
def test_the_bounds_hold_what_the_search_finds(world: World) -> None:
    log_n = float(np.log(world.n))
    assert float(world.exist[0]) == pytest.approx(phase.existence_temperature(log_n), rel=1e-8)
    assert float(world.best[0]) == pytest.approx(phase.global_temperature(log_n), rel=1e-8)


@pytest.mark.parametrize("n", [3, 101])
def test_the_balls_evaluate_the_loss_of_the_theory(n: int) -> None:
    t, log_n = 0.0625, float(np.log(n))
    for x in (0.03125, 0.125, 0.1875):
        x_ball, t_ball = exact(Fraction(x)), exact(Fraction(t))
        lead = np.exp(pairwise_line.line_loss(x, t, log_n)) - np.exp(pairwise_line.line_loss(0.0, t, log_n))
        assert float(line.excess(x_ball, t_ball, n)) == pytest.approx(lead, rel=1e-9)
        step = 1e-6
        rise = np.exp(pairwise_line.line_loss(x + step, t, log_n)) - np.exp(pairwise_line.line_loss(x - step, t, log_n))
        expected = rise / (2 * step) * t * np.exp(2 * x * x / t)
        assert float(line.slope(x_ball, t_ball, n)) == pytest.approx(expected, rel=1e-5)


def test_the_turn_of_the_argument_is_the_derivative_it_says() -> None:
    t, step = 0.0625, 1e-5

    def rise(x: float) -> float:
        return float(line.rise(exact(Fraction(x)), exact(Fraction(t))))

    for x in (0.03125, 0.125):
        first = (rise(x + step) - rise(x - step)) / (2 * step)
        second = (rise(x + step) - 2 * rise(x) + rise(x - step)) / step**2
        here = (exact(Fraction(x)), exact(Fraction(t)))
        assert float(line.turning(*here)) == pytest.approx(t * (x * first - rise(x)), rel=1e-5)
        assert float(line.convexity(*here)) == pytest.approx(t * t * second, rel=1e-4)
        scaled = (exact(Fraction(x) / Fraction(t)), exact(Fraction(t)))
        assert float(line.scaled_convexity(*scaled)) == pytest.approx(float(line.convexity(*here)), rel=1e-12)


@pytest.mark.parametrize("low", ["x", "0", "-0.1", "0.3", "nan"])
def test_a_bound_that_is_no_temperature_is_one_line(low: str) -> None:
    with pytest.raises(UserError, match="low = "):
        Transition(low=low)


def test_verify_proof_checks_what_is_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def called(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([*words, "--store", str(tmp_path)])
        out = capsys.readouterr()
        return int(ended.value.code or 0), out.out + out.err

    code, text = called("verify-proof", "ic-recall/saddle-proved")
    assert code == 2
    assert "lemmata check ic-recall/saddle-proved" in text
    proved = ("ic-recall/saddle-proved", "ic-recall/best-on-line-proved")
    code, text = called("check", *proved, "--jobs", "1")
    assert code == 0
    assert text.count("holds (proved)") == len(proved)
    code, text = called("verify-proof", *proved)
    assert code == 0
    assert "does not prove it" not in text
    code, text = called("verify-proof", "ic-recall/table-1")
    assert code == 2
    assert "no claim of ic-recall/table-1 rests on a certificate" in text


def test_one_large_step_in_balls_is_that_of_the_theory() -> None:
    t = 0.004
    log_counts = np.log(full_world_counts(7))
    v, step = np.full(6, 1 / 6), 1e-6

    def loss(scores: np.ndarray) -> float:
        logits = all_logits(scores) / t + log_counts
        right = MATCHINGS.index(((0, 0), (1, 1)))
        return float(np.logaddexp.reduce(logits) - logits[right])

    slopes = np.array([(loss(v + step * e) - loss(v - step * e)) / (2 * step) for e in np.eye(6)])
    theta = -100 * t**1.5 * np.log(1 / t) * (slopes - slopes.mean()) / 6
    expected = np.exp(theta) / np.exp(theta).sum()
    found = [float(one) for one in one_large_step.scores_after(exact(Fraction(t)), 7, 100)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    short = 0.5 - np.exp(-loss(expected))
    assert float(one_large_step.room(exact(Fraction(t)), 7, 100)) == pytest.approx(
        -1 / np.sqrt(t) - np.log(short), rel=1e-3
    )


def test_lemma_c_1_holds_with_the_long_step_alone() -> None:
    narrow = {"n": 7, "least": "0.0035", "most": "0.004"}
    assert outcome(OneLargeStep(**narrow, factor=100)) == "closed"
    assert outcome(OneLargeStep(**narrow, factor=40)) == "refuted"
    assert outcome(OneLargeStep(n=7, least="0.0035", most="0.005")) == "refuted"


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_other_weights_have_a_larger_smallest_gap(k: int) -> None:
    assert [outcome(PairWeights(k=k, first=first)) for first in (1, 2, 3)] == ["closed", "refuted", "refuted"]
    best = 2 / (k * (k + 1)) ** 2
    rng = np.random.default_rng(0)
    subjects, answers = rng.dirichlet(np.ones(2 * k), size=500).reshape(500, 2, k).swapaxes(0, 1)
    right = tuple((i, i) for i in range(k))
    for u, w in zip(subjects, answers, strict=True):
        whole = u @ w
        gaps = [2 * (whole - sum(u[i] * w[j] for i, j in kept)) for kept in partial_injections(k) if kept != right]
        assert min(gaps) < best


def test_partial_injections_are_all_there() -> None:
    assert [len(set(partial_injections(k))) for k in (1, 2, 3)] == [2, 7, 34]
