"""Claims about trainings, judged on curves that are made up: those the paper draws hold, flat ones do not."""

from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs, Scale, judge
from lemmata.core.claim import Judgement
from lemmata.core.registry import experiments
from lemmata.papers.association.run.own_training import EDITS, OwnTraining

PROMPTS = 50


def judged(runs: dict[str, RunResult], *names: str) -> dict[str, Judgement]:
    found = [experiments("association")[f"association/{name}"] for name in names]
    given = Runs(runs, Scale("paper"))
    return {claim.id.partition("/")[2]: judge(claim, given, one.needs) for one in found for claim in one.claims}


def table(config: Any, steps: Any, edits: int, values: Any) -> RunResult:
    """`values(step, edit)` by column; prompts differ by a few percent."""
    rng = np.random.default_rng(0)
    rows: dict[str, list[np.ndarray]] = {}
    for step in steps:
        for edit in range(edits):
            labels = {"step": step, "edit": edit}
            for name, value in (labels | values(step, edit)).items():
                noise = np.exp(0.05 * rng.standard_normal(PROMPTS)) if isinstance(value, float) else 1
                rows.setdefault(name, []).append(np.full(PROMPTS, value) * noise)
    arrays = {"chosen": np.array([[step, 2, 0.2] for step in steps], float)}
    return RunResult(config, {name: np.concatenate(parts) for name, parts in rows.items()}, arrays)


def phases(step: int, edit: int) -> dict[str, float]:
    """As the paper tells Figure 5: equal, then the article, then the answer, which truncation raises fivefold."""
    late = step >= 2000
    if step < 10:
        return {"answer": 2e-5, "distractor": 2e-5, "the": 3e-5}
    answer, distractor, the = (0.5, 0.05, 0.2) if late else (0.004, 0.004, 0.3)
    return {"answer": answer, "distractor": distractor, "the": the / 5 if late and edit == 1 else the}


def test_the_phases_of_figure_5() -> None:
    names = ("fig-5-phases", "fig-5-benefit", "fig-5-fact-phases")
    every = [experiments("association")[f"association/{name}"].runs(Scale("paper")) for name in names]
    configs = {name: config for some in every for name, config in some.items()}
    runs = {name: table(config, config.steps, 3, phases) for name, config in configs.items()}
    for name, found in judged(runs, *names).items():
        assert (found.status, found.control_status) == ("holds", "fails"), name
    never = {name: table(config, config.steps, 3, lambda s, e: phases(100, e)) for name, config in configs.items()}
    assert {found.status for found in judged(never, *names).values()} == {"undecided"}, "it does not know the answer"
    flat = {name: table(config, config.steps, 3, lambda s, e: phases(2000, 0)) for name, config in configs.items()}
    assert {found.status for found in judged(flat, *names).values()} == {"fails"}


def test_figure_14() -> None:
    configs = experiments("association")["association/fig-14"].runs(Scale("paper"))

    def ranks(step: int, edit: int) -> dict[str, float]:
        return {"rank of the": 20000.0 if step < 8 else 2.0, "rank of answer": 20000.0 if step < 8 else 900.0}

    runs = {name: table(config, config.steps, 1, ranks) for name, config in configs.items()}
    found = judged(runs, "fig-14")["fig-14"]
    assert (found.status, found.control_status) == ("holds", "fails")
    late = {
        name: table(config, config.steps, 1, lambda s, e: ranks(8 if s >= 256 else 0, e))
        for name, config in configs.items()
    }
    assert judged(late, "fig-14")["fig-14"].status == "fails"


def curves(names_from: int, help_from: int) -> RunResult:
    """The article from step 8 on; names, and what the cut does for them, from these steps on."""

    def values(step: int, edit: int) -> dict[str, float]:
        the = 0.2 if step >= 8 else 0.001
        helped = step >= help_from and EDITS[edit] == "cut"
        return {"the": the / (4 if helped else 1), "name": 0.02 if step >= names_from else 0.005, "absent": 0.005}

    return table(OwnTraining(), (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), len(EDITS), values)


def test_our_own_training() -> None:
    never, names = 10**6, ("own-training", "own-truncation")
    shuffled = curves(never, never)
    found = judged({"text": curves(64, 128), "shuffled": shuffled}, *names)
    for name, one in found.items():
        assert (one.status, one.control_status) == ("holds", "fails"), name
    remark = found["own-training"].remark
    assert '"the" from step 8, names from step 64, help from step 128' in remark
    at_once = judged({"text": curves(8, 512), "shuffled": shuffled}, *names)
    assert at_once["own-training"].status == "fails"
    assert at_once["own-truncation"].status == "holds"
    helpless = judged({"text": curves(64, never), "shuffled": shuffled}, *names)
    assert [helpless[name].status for name in ("own-training", "own-truncation")] == ["holds", "fails"]
    assert "help not by step 1024" in helpless["own-training"].remark
