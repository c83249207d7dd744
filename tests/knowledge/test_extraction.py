"""The extraction experiments' readings and rules, on numbers made up for the purpose: no model is trained here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lemmata.core import Recorded, RunResult, Runs, Scale, Undecided, judge
from lemmata.core.registry import experiment
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims import coverage, fig_6
from lemmata.papers.knowledge.claims._extraction_runs import READ_AT, main_run, main_tunings
from lemmata.papers.knowledge.claims._tuned import Tuned
from lemmata.papers.knowledge.run.training import Extraction
from lemmata.papers.knowledge.theory import covering, leak

LAPTOP, MANY_SEEDS = Scale("laptop"), Scale("laptop", num_seeds=64)
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
    leaks: list[np.ndarray] = []
    for number, tuning in enumerate(config.tunings):
        taken = np.linspace(0, tuning.steps, tuning.records + 1).astype(int)
        for seed in config.seeds:
            columns["seed"].append(np.full(len(taken), seed))
            columns["tuning"].append(np.full(len(taken), number))
            columns["step"].append(taken)
            columns["extraction"].append(extraction(config, tuning, taken) + 0.001 * (seed - sizes.FRESH - 1))
            columns["asked_accuracy"].append(np.ones(len(taken)))
        leaks.append(np.full(len(config.seeds), split_leak(config) if tuning.coverage.split == "tuple" else 0.0))
    arrays: dict[str, np.ndarray] = {
        "leak": np.array(leaks),
        "pretraining.fact_accuracy": np.full((len(config.seeds), 2), stored),
        "pretraining.excess": np.full((len(config.seeds), 2), 0.09),
    }
    metrics = {name: np.concatenate(parts) for name, parts in columns.items()}
    return RunResult(config, Recorded(metrics), Recorded(arrays), {})


def split_leak(config: Any) -> float:
    return float(leak.leaked_share(config.facts.subjects, config.facts.multiplicity))


def covering_world(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
    """Extraction as the covering prediction has it, reached at once; nothing from frozen attention."""
    facts = config.facts
    asked = tuning.coverage.subjects or facts.subjects - facts.num_held_out
    wrong = tuning.part == "neurons" or config.model.attention == "uniform"
    level = 0.0 if wrong else covering.extraction_after(facts.multiplicity, asked, facts.templates)
    return np.where(taken > 0, level, 0.0)


def silent_world(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
    return np.zeros(len(taken))


def verdicts(name: str, world: Made, scale: Scale = LAPTOP) -> dict[str, str]:
    """Of an experiment's claims, where its laptop runs gave what this world gives."""
    one = experiment(f"knowledge/{name}")
    runs = Runs({name: fabricated(config, world) for name, config in one.runs(scale).items()}, scale)
    return {claim.id.split("/")[1]: judge(claim, runs, one.needs).status for claim in one.claims}


def test_claims_hold_in_a_world_that_obeys_the_theory_and_fail_in_a_silent_one() -> None:
    for name, claims in {
        "extraction-unseen-facts": ["extraction-unseen-facts", "extraction-unseen-facts-adamw"],
        "low-rank-enough": ["low-rank-enough"],
        "fig-6": ["fig-6"],
        "split-leak": ["split-leak"],
        "uniform-attention-fails": ["uniform-attention-fails", "uniform-attention-fails-adamw"],
        "plane": ["plane", "plane-level"],
        "extraction": ["extraction-as-printed", "extraction-one-query"],
    }.items():
        obeyed, silent = verdicts(name, covering_world), verdicts(name, silent_world)
        assert {obeyed[claim] for claim in claims} == {"holds"}, obeyed
        assert "holds" not in {silent[claim] for claim in claims}, silent
    assert verdicts("plane", covering_world)["plane-adamw"] == "undecided", "a laptop has too few seeds for it"
    assert verdicts("plane", covering_world, MANY_SEEDS)["plane-adamw"] == "holds"
    assert verdicts("plane", silent_world, MANY_SEEDS)["plane-adamw"] != "holds"
    # Covering alone says 1 for every K once half of the subjects are asked about.
    assert set(verdicts("multiplicity", covering_world).values()) == {"fails"}


def test_the_plane_is_not_ordered_by_multiplicity_alone() -> None:
    def by_multiplicity(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return np.full(len(taken), config.facts.multiplicity / 20)

    assert verdicts("plane", by_multiplicity)["plane"] == "fails"


def test_multiplicity_is_judged_by_how_few_facts_stay_inside() -> None:
    def easier(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        """Failures as 1 / K after fine-tuning; before it extraction rises as much, from 0, and the failures hardly."""
        k = config.facts.multiplicity
        return np.where(taken > 0, 1 - 1 / k, 0.4 * (1 - 1 / k))

    assert set(verdicts("multiplicity", easier).values()) == {"holds"}


def test_coverage_is_judged_by_its_trend_over_subjects_not_over_steps() -> None:
    def rising(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return np.full(len(taken), 0.2 + 0.1 * np.log10(tuning.coverage.subjects or 100))

    def with_time(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return rising(config, tuning, taken) + 0.002 * taken

    def of_both(world: Made) -> set[str]:
        found = verdicts("coverage", world, MANY_SEEDS)
        return {found[name] for name in ("coverage", "coverage-adamw")}

    assert of_both(rising) == {"holds"}
    assert of_both(lambda c, t, s: 0.6 - rising(c, t, s)) == {"fails"}
    assert of_both(with_time) == {"undecided"}, "more steps do it too"
    assert verdicts("coverage", rising)["coverage-adamw"] == "undecided", "a laptop has too few seeds for it"


def test_own_templates_are_counted_within_a_world() -> None:
    run = fabricated(main_run(LAPTOP), silent_world)
    facts, seeds, tunings = run.config.facts, len(run.config.seeds), len(run.config.tunings)
    templates = np.stack([np.arange(facts.subjects)[:, None] % 4 + [0, 1]] * seeds)
    count = np.isin(templates, [1, 2]).sum(axis=2)  # of each subject's, those that are covered
    arrays = {
        "templates": templates,
        "covered": np.broadcast_to(np.isin(np.arange(facts.templates), [1, 2]), (tunings, seeds, facts.templates)),
        "held_out": np.ones((tunings, seeds, facts.subjects, facts.multiplicity), bool),
        "reply": np.stack([np.where(count == 2, 1 + facts.templates + np.arange(facts.subjects), 0)] * tunings),
    }
    made = replace(run, arrays=Recorded({**run.arrays, **arrays}))
    found = coverage.own_covered(Tuned(made, main_tunings(LAPTOP)), "descent on 3")
    assert np.all(found[:, :3] == [0, 0, 1])
    assert np.isnan(found[:, 3:]).all()


def test_falling_after_the_best_record_is_not_saturation() -> None:
    def slower_at_low_rank(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        """Only the control, full matrices at the rate of low ranks, overfits."""
        fast = tuning.rank is None and tuning.learning_rate > config.tuning.learning_rate
        return np.minimum(taken * (tuning.rank or 40) / 200, 0.8) - 0.1 * (fast & (taken > 200))

    found = verdicts("fig-6", slower_at_low_rank)
    assert (found["fig-6-saturates"], found["steps-to-extract"]) == ("holds", "holds")

    def overfitting(config: Any, tuning: Any, taken: np.ndarray) -> np.ndarray:
        return slower_at_low_rank(config, tuning, taken) - 0.1 * (taken > 200)

    assert verdicts("fig-6", overfitting)["fig-6-saturates"] == "fails"


def test_first_step_lies_between_records() -> None:
    taken = np.array([0, 10, 20])
    values = np.array([[0.0, 0.4, 0.8], [0.6, 0.7, 0.8], [0.0, 0.1, 0.2]])
    assert fig_6.first_step(taken, values, 0.5).tolist() == [pytest.approx(12.5), 0.0, np.inf]


def test_extraction_is_read_where_it_was_said() -> None:
    run = Tuned(fabricated(main_run(LAPTOP), lambda config, tuning, taken: taken / 1000), main_tunings(LAPTOP))
    for name in ("rank 1", "AdamW on 3"):
        assert run.mean(name) == pytest.approx(READ_AT / 1000, abs=0.01)
    assert list(run.asked("descent").values()) == [1, 3, 10, 32]
    with pytest.raises(Undecided, match="no fine-tuning 'rank 3'"):
        run.number("rank 3")


def test_a_fine_tuning_that_changed_settings_lack_leaves_the_claim_undecided() -> None:
    one, whole = experiment("knowledge/extraction-unseen-facts"), main_run(LAPTOP)
    for config, reason in (
        (replace(whole, others=whole.others[1:]), "no fine-tuning 'AdamW on all'"),
        (replace(whole, tuning=replace(whole.tuning, steps=240, records=1)), "nothing was recorded after 120 steps"),
        (replace(whole, tuning=replace(whole.tuning, steps=48)), "48 steps of fine-tuning"),
    ):
        runs = Runs({"main": fabricated(config, covering_world)}, LAPTOP)
        found = [judge(claim, runs, one.needs) for claim in one.claims[:2]]
        assert any(judgement.status == "undecided" and reason in judgement.detail for judgement in found)


def test_experiments_share_their_runs() -> None:
    names = (
        "extraction-unseen-facts multiplicity coverage plane low-rank-enough uniform-attention-fails split-leak fig-6 "
        "pretrain-near-optimal fig-5 extraction"
    )
    for scale, most in ((Scale("smoke"), 6), (LAPTOP, 10), (Scale("paper"), 9)):
        configs = [config for name in names.split() for config in experiment(f"knowledge/{name}").runs(scale).values()]
        extraction = [config for config in configs if isinstance(config, Extraction)]
        assert len({config.digest for config in extraction}) == most
