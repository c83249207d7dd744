"""Table 2 with paired questions: what its readings say of answers that are made up. No model is run."""

from collections.abc import Mapping

import numpy as np
import pytest

from lemmata.core import RunResult, Runs, Scale, UserError, judge
from lemmata.core.registry import experiments
from lemmata.papers.association.claims.tab_2 import MODELS, SHOTS
from lemmata.papers.association.probe.paired_answers import PairedGains, mcnemar
from lemmata.papers.association.run.gsm8k_answers import EDITS, Gsm8kAnswers

COUNT = 1311


def answers(shares: Mapping[str, float], config: Gsm8kAnswers) -> RunResult:
    """So many of the first questions right, whatever the edit: as alike as answers can be."""
    right = np.concatenate([np.arange(COUNT) < round(shares[edit] * COUNT) for edit in EDITS if edit in shares])
    edit = np.repeat([EDITS.index(name) for name in EDITS if name in shares], COUNT)
    return RunResult(config, {"edit": edit, "question": np.arange(len(right)) % COUNT, "strict": right}, {})


def table(full: float, few: float, eight: float, random: float) -> Runs:
    """The whole model rises by a tenth from one shot to eight."""
    runs = {}
    for name, config in experiments("association")["association/tab-2"].runs(Scale("paper")).items():
        shots = int(name.partition("/")[2])
        base = full + 0.1 * np.log2(shots) / 3
        gain = eight if shots == 8 else few
        runs[name] = answers({"full": base, "truncated": base + gain, "random": base + random}, config)
    return Runs(runs, Scale("paper"))


def verdicts(runs: Runs) -> dict[str, tuple[str, str]]:
    experiment = experiments("association")["association/tab-2"]
    found = [judge(claim, runs, experiment.needs) for claim in experiment.claims]
    return {one.claim.id.partition("/")[2]: (one.status, one.control_status) for one in found}


def test_a_table_as_the_paper_says_it_holds_and_its_opposite_fails() -> None:
    as_said = verdicts(table(0.5, few=0.02, eight=-0.02, random=-0.3))
    assert as_said["tab-2"] == ("holds", "fails")
    assert as_said["tab-2-eight"] == ("holds", "fails")
    assert as_said["tab-2-printed"] == ("fails", "fails")
    opposite = verdicts(table(0.5, few=-0.02, eight=0.02, random=-0.3))
    assert opposite["tab-2"][0] == opposite["tab-2-eight"][0] == "fails"
    nothing = verdicts(table(0.5, few=0.0, eight=0.0, random=-0.3))
    assert nothing["tab-2"][0] == nothing["tab-2-eight"][0] == "undecided"


def test_the_printed_accuracies_are_within_their_own_rule() -> None:
    experiment = experiments("association")["association/tab-2"]
    (claim,) = [claim for claim in experiment.claims if claim.id.endswith("tab-2-printed")]
    printed = {part: rule.rule.target for part, rule in claim.named_parts().items()}
    cells = [f"{model}/{shots}" for model in MODELS for shots in SHOTS]
    configs = experiment.runs(Scale("paper"))
    runs = {
        name: answers({"full": printed["whole"][i], "truncated": printed["truncated"][i], "random": 0.1}, configs[name])
        for i, name in enumerate(cells)
    }
    found = judge(claim, Runs(runs, Scale("paper")), experiment.needs)
    assert (found.status, found.control_status) == ("holds", "fails")


def test_a_model_that_cannot_count_decides_nothing_and_says_why() -> None:
    experiment = experiments("association")["association/tab-2-any"]
    config = Gsm8kAnswers()
    runs = Runs({"main": answers({"full": 0.02}, config)}, Scale("laptop"))
    found = judge(experiment.claims[0], runs, experiment.needs)
    assert found.status == "undecided"
    assert "26 of 1311 questions rightly at 1 shots, below 5%" in found.detail


def test_pairing_tells_more_than_the_two_shares() -> None:
    before = np.arange(1000) < 500
    after = before.copy()
    after[500:512] = True
    assert mcnemar(before, after) == (12, 0, pytest.approx(2 * 0.5**12))
    low, high = PairedGains(after.astype(float) - before).interval()
    assert 0 < low < 0.012 < high < 0.02
    unpaired = 1.96 * np.sqrt(2 * 0.25 / 1000)
    assert 0.012 - unpaired < 0
    assert PairedGains(np.zeros(1000)).interval() == pytest.approx((-0.00369, 0.00369), abs=1e-5)


def test_what_is_not_possible_is_one_line() -> None:
    with pytest.raises(UserError, match="shots = 9 is not possible: at most 8"):
        Gsm8kAnswers(shots=9)
