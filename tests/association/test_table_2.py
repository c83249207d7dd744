"""What printed accuracies can tell: intervals against simulation, pairing against enumeration, verdicts on Table 2."""

import numpy as np
import pytest

from lemmata.core import Scale, Undecided, judge, named_generator
from lemmata.core.registry import experiments
from lemmata.core.run import RunResult, Runs, Unattended
from lemmata.papers.association.claims._printed_table import each, mean, truncation
from lemmata.papers.association.claims.tab_2_contrast import EXPERIMENT as CONTRAST
from lemmata.papers.association.claims.tab_2_eight_shots import EXPERIMENT as EIGHT_SHOTS
from lemmata.papers.association.claims.tab_2_significance import EXPERIMENT as SIGNIFICANCE
from lemmata.papers.association.probe.shares import Contrast
from lemmata.papers.association.run.printed_accuracies import PrintedAccuracies, Z
from lemmata.papers.association.theory import paired


def table(**changes) -> Runs:
    config = PrintedAccuracies(**changes)
    output = config.compute(Unattended())
    return Runs({"printed": RunResult(config, output.metrics, output.arrays)}, Scale("laptop"))


CLAIMS = [claim for one in (SIGNIFICANCE, EIGHT_SHOTS, CONTRAST) for claim in one.claims]


def verdicts(runs: Runs) -> dict[str, str]:
    return {claim.id: judge(claim, runs).status for claim in CLAIMS}


def test_the_unpaired_error_is_that_of_simulated_answers() -> None:
    stream, n = named_generator(0, "answers"), 1319
    drawn = stream.binomial(n, [[0.56, 0.661]], size=(40_000, 2)) / n
    error = paired.unpaired_error(np.array([0.56]), np.array([0.661]), n)
    assert (drawn[:, 1] - drawn[:, 0]).std() == pytest.approx(error[0], rel=0.02)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    stream, n, truth = named_generator(1, "answers"), 1319, np.array([0.45, 0.47, 0.83, 0.80])
    weights = np.array([[-1.0, 1.0, 0.0, 0.0], [-0.5, 0.5, -0.5, 0.5]])
    covered = []
    for _ in range(4000):
        low, high = Contrast(stream.binomial(n, truth) / n, weights, n).interval()
        covered.append((low <= weights @ truth) & (weights @ truth <= high))
    assert np.mean(covered, axis=0) == pytest.approx([0.95, 0.95], abs=0.015)


def test_pairing_against_every_number_of_lost_questions() -> None:
    n, won_less_lost = 1319, 9
    lost = np.arange(0, (n - won_less_lost) // 2 + 1)
    z = won_less_lost / np.sqrt(won_less_lost + 2 * lost)  # McNemar's, by the number of questions lost
    gain = np.array([won_less_lost / n])
    assert paired.favourable_z(gain, n)[0] == pytest.approx(z.max())
    assert paired.favourable_z(-gain, n)[0] == pytest.approx(-z.max())
    changed = won_less_lost + 2 * lost[z >= Z]
    assert changed.max() <= paired.most_changed(gain, n, Z)[0] < changed.max() + 2
    assert paired.most_changed(np.array([0.5]), n, Z)[0] == n


def test_the_printed_gains_and_which_of_them_stand_out() -> None:
    run = table()["printed"]
    gains = {shots: (100 * run.column("gain", shots=shots)).round(1).tolist() for shots in (1, 2, 4, 8)}
    assert gains == {1: [10.1, 1.4, 1.0], 2: [2.2, 0.7, 0.9], 4: [-1.2, -1.7, -0.8], 8: [-0.4, -2.2, -2.7]}
    stands = np.abs(run.column("z")) > Z
    assert [
        (int(m), int(s)) for m, s in zip(run.column("model")[stands], run.column("shots")[stands], strict=True)
    ] == [(0, 1)]
    assert run.column("z").max() == pytest.approx(5.35, abs=0.01)
    few = run.column("shots") <= 2
    assert (run.column("favourable_z")[few] > Z).all(), "with the most favourable pairing every gain would be"


def test_readings_of_the_table() -> None:
    change = truncation(table(), (1, 2))
    np.testing.assert_allclose(each(change).mean, [0.101, 0.014, 0.010, 0.022, 0.007, 0.009], atol=1e-12)
    assert mean(change).mean == pytest.approx(np.mean(each(change).mean))
    with pytest.raises(Undecided, match="shots = 16"):
        truncation(table(), (16,))


def test_verdicts_follow_the_number_of_questions() -> None:
    printed = {"tab-2-significance": "undecided", "tab-2-eight-shots": "undecided", "tab-2-contrast": "holds"}
    assert verdicts(table()) == printed
    assert set(verdicts(table(questions=100)).values()) == {"undecided"}
    assert set(verdicts(table(questions=100_000)).values()) == {"holds"}
    full = PrintedAccuracies().full
    harmful = tuple(share - 0.1 for share in full)
    assert verdicts(table(truncated=harmful))["tab-2-significance"] == "fails"
    assert verdicts(table(truncated=full))["tab-2-significance"] == "undecided", "no change at all decides nothing"


def test_the_controls_fail_and_the_remark_is_computed() -> None:
    runs = table()
    for claim in CLAIMS:
        judgement = judge(claim, runs)
        assert judgement.control_status == "fails"
        assert set(judgement.control.values()) == {"fails"}
    assert "Of 6 printed gains 1 can be told from chance: Phi-3 at 1 shot (z = 5.3)" in judge(CLAIMS[0], runs).remark
    assert "Without the largest gain 3.0 points are left" in judge(CLAIMS[2], runs).remark
    assert "none" in judge(CLAIMS[0], table(questions=100)).remark
    assert SIGNIFICANCE.draw(runs).figure is not None
    assert "association/tab-2-significance" in experiments("association")
