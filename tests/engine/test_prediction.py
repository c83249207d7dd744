"""What theory predicts is computed when a claim is judged: with another theory the verdicts on stored runs move."""

from collections.abc import Callable

import numpy as np
import pytest

from lemmata.core import Runs, Scale, judge
from lemmata.core.registry import select_one
from lemmata.core.run import RunResult, Unattended
from lemmata.papers.association.theory import noise_logit
from lemmata.papers.ic_recall.run import perturbed_descent
from lemmata.papers.ic_recall.theory import pairwise_line, phase
from lemmata.papers.knowledge.theory import concentration

CASES: dict[str, tuple] = {  # the runs read, where the theory stands, and by what it is multiplied, if not 1.5
    "ic-recall/phase-exist": (["transitions"], phase, "existence_temperature"),
    "ic-recall/lemma-b.6": (
        ["pushed/saddle", "pushed/minimum"],
        perturbed_descent,
        "curvature",
        100,
    ),  # a loose promise
    "ic-recall/symbolic": (["main"], pairwise_line, "GAPS"),
    "association/b.3-stationary": (["main"], noise_logit, "largest_step"),
    "knowledge/hoeffding-cover": (["main"], concentration, "hoeffding_bound"),
}


def times(factor: float, theory: Callable | np.ndarray) -> Callable | np.ndarray:
    if isinstance(theory, np.ndarray):
        return factor * theory
    return lambda *of, **named: type(found := theory(*of, **named))(factor * found)


@pytest.mark.parametrize("id", CASES)
def test_a_verdict_on_stored_runs_moves_with_the_theory(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names, module, name, *factor = CASES[id]
    selection, scale = select_one(id, "judge"), Scale("smoke")
    configs = {run: config for run, config in selection.experiment.runs(scale).items() if run in names}
    outputs = {run: config.compute(Unattended()) for run, config in configs.items()}
    runs = Runs({run: RunResult(configs[run], out.metrics, out.arrays) for run, out in outputs.items()}, scale)

    def judged() -> tuple[str, float]:
        judgement = judge(selection.claims[0], runs, selection.experiment.needs)
        assert judgement.evidence, judgement.detail
        return judgement.status, judgement.margin

    before = judged()
    monkeypatch.setattr(module, name, times(*factor or (1.5,), getattr(module, name)))
    assert judged() != before
