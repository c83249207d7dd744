"""The extraction experiments' readings and rules, on numbers made up for the purpose: no model is trained here."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lemmata.core import RunResult, Scale, experiments, judge
from lemmata.core.legacy import Results
from lemmata.papers.knowledge import coverage, extraction, plane, split, steps, tuned_readings, tuned_runs, variants
from lemmata.papers.knowledge.theory import covering

LAPTOP = Scale("laptop")
Made = Callable[[Any, Any, np.ndarray], np.ndarray]


def fabricated(config: Any, extraction: Made, stored: float = 0.99) -> RunResult:
    """A stored run whose extraction is a function of config, tuning and step, plus a little for each seed."""
    columns: dict[str, list[np.ndarray]] = {
        "seed": [],
        "tuning": [],
        "step": [],
        "extraction": [],
        "asked_accuracy": [],
    }
    leaks = []
    for number, tuning in enumerate(config.tunings):
        taken = np.linspace(0, tuning.steps, tuning.records + 1).astype(int)
        for seed in config.seeds:
            columns["seed"].append(np.full(len(taken), seed))
            columns["tuning"].append(np.full(len(taken), number))
            columns["step"].append(taken)
            columns["extraction"].append(extraction(config, tuning, taken) + 0.001 * (seed - 1))
            columns["asked_accuracy"].append(np.ones(len(taken)))
        leaks.append(np.full(len(config.seeds), split_leak(config) if tuning.coverage.split == "tuple" else 0.0))
    arrays = {
        "leak": np.array(leaks),
        "pretraining.fact_accuracy": np.full((len(config.seeds), 2), stored),
        "pretraining.excess": np.full((len(config.seeds), 2), 0.1),
    }
    return RunResult(config, {name: np.concatenate(parts) for name, parts in columns.items()}, arrays, {})


def split_leak(config: Any) -> float:
    return float(split.leak.leaked_share(config.facts.subjects, config.facts.multiplicity))


def covering_world(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
    """Extraction as the covering prediction has it, reached at once; nothing from wrong answers or frozen attention."""
    facts = config.facts
    asked = tuning.coverage.subjects or facts.subjects - facts.num_held_out
    wrong = tuning.coverage.answers == "shuffled" or tuning.part == "neurons" or config.model.attention == "uniform"
    level = 0.0 if wrong else covering.extraction_after(facts.multiplicity, asked, facts.templates)
    return np.where(taken > 0, level, 0.0)


def silent_world(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
    return np.zeros(len(taken))


def verdicts(grid: Any, claims: tuple[Any, ...], world: Made) -> dict[str, str]:
    results = Results(tuple(fabricated(config, world) for config in grid), LAPTOP)
    return {claim.id.split("/")[1]: judge(claim, results).status for claim in claims}


def test_claims_hold_in_a_world_that_obeys_the_theory_and_fail_in_a_silent_one() -> None:
    main, uniform = tuned_runs.main_run(LAPTOP), tuned_runs.uniform_run(LAPTOP)
    cells = tuned_runs.plane_runs(LAPTOP)
    for grid, claims in (
        ((main,), (extraction.UNSEEN, variants.LOW_RANK, steps.FIG_6, split.SPLIT)),
        ((main, uniform), (variants.UNIFORM,)),
        (cells, (extraction.MULTIPLICITY, plane.PLANE, plane.LEVEL)),
    ):
        obeyed = verdicts(grid, claims, covering_world)
        if "multiplicity" in obeyed:  # covering alone says 1 for every K once a hundred subjects are asked about
            assert obeyed.pop("multiplicity") == "fails"
        assert set(obeyed.values()) == {"holds"}, obeyed
        silent = verdicts(grid, claims, silent_world)
        assert "holds" not in silent.values(), silent


def test_coverage_is_judged_by_its_trend() -> None:
    grid = (tuned_runs.main_run(LAPTOP), tuned_runs.templates_run(LAPTOP))

    def rising(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        numbers = tuning.coverage.subjects or 100, tuning.coverage.templates or 20
        level = 0.0 if tuning.coverage.answers == "shuffled" else 0.2 + 0.1 * np.log10(numbers[0]) + 0.02 * numbers[1]
        return np.full(len(taken), level)

    claims = (coverage.SUBJECTS, coverage.TEMPLATES)
    assert set(verdicts(grid, claims, rising).values()) == {"holds"}
    assert set(verdicts(grid, claims, lambda c, t, s: 0.6 - rising(c, t, s) / 2).values()) == {"fails"}


def test_falling_after_the_best_record_is_not_saturation() -> None:
    grid, claims = (tuned_runs.main_run(LAPTOP),), (steps.SATURATES, steps.STEPS)

    def slower_at_low_rank(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return np.minimum(taken * (tuning.rank or 40) / 200, 0.8)

    assert verdicts(grid, claims, slower_at_low_rank) == {"fig-6-saturates": "holds", "steps-to-extract": "holds"}

    def overfitting(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return slower_at_low_rank(config, tuning, taken) - 0.1 * (taken > 200)

    assert verdicts(grid, claims, overfitting)["fig-6-saturates"] == "fails"


def test_first_step_lies_between_records() -> None:
    taken = np.array([0, 10, 20])
    values = np.array([[0.0, 0.4, 0.8], [0.6, 0.7, 0.8], [0.0, 0.1, 0.2]])
    assert steps.first_step(taken, values, 0.5).tolist() == [pytest.approx(12.5), 0.0, np.inf]


def test_extraction_is_read_where_it_was_said() -> None:
    run = fabricated(tuned_runs.main_run(LAPTOP), lambda config, tuning, taken: taken / 1000)
    assert tuned_readings.tuned(run, rank=1).mean() == pytest.approx(tuned_readings.READ_AT / 1000)
    assert list(tuned_readings.asked_numbers(run).values()) == [1, 3, 10, 30, 100]
    with pytest.raises(LookupError, match="rank = 3"):
        tuned_readings.place(run, rank=3)


def test_experiments_share_their_runs() -> None:
    names = (
        "extraction-unseen-facts multiplicity coverage plane low-rank-enough uniform-attention-fails split-leak fig-6"
    )
    for scale, most in ((Scale("smoke"), 3), (LAPTOP, 5), (Scale("paper"), 6)):
        grids = [experiments("knowledge")[f"knowledge/{name}"].grid(scale) for name in names.split()]
        assert len({config.digest for grid in grids for config in grid}) == most
