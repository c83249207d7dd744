"""Figure 4's run on a tiny model: what is asked and held out, and that a killed run ends with the same numbers."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import Checkpoint, RunResult, Unattended
from lemmata.papers.knowledge.claims._popqa_answers import Answers
from lemmata.papers.knowledge.claims.fig_4 import EXPERIMENT, stored
from lemmata.papers.knowledge.run.popqa_tuning import PopqaTuning
from lemmata.papers.knowledge.task.popqa import questions
from lm_models import save_tiny, tiny

RELATIONS = ("capital", "color", "country", "sport")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PopqaTuning:
    """Forty facts in four relations, of which the model is said to have stored all but every tenth."""
    monkeypatch.setenv("LEMMATA_LM_DATA", str(tmp_path))
    rows = []
    for place, relation in enumerate(RELATIONS):
        for number in range(10):
            metadata = {"subj": f"w{number} w{place}", "prop": relation, "obj": f"w{20 + number}", "s_pop": number}
            rows.append(json.dumps({"metadata": metadata, "golden_answers": [f"w{20 + number}"]}))
    (tmp_path / "popqa.jsonl").write_text("\n".join(rows))
    monkeypatch.setattr(PopqaTuning, "_answered_after_demonstrations", lambda self, model, pool: np.arange(40) % 10 > 0)
    return PopqaTuning(
        model=str(save_tiny("llama", tmp_path / "model")),
        least_stored=2,
        ranks=(0,),
        rank=1,
        facts=(2, 8),
        relations=(2,),
        equal_facts=4,
        steps=2,
        seeds=(0, 1),
    )


class Killed(Unattended):
    """Keeps checkpoints, and stops after some."""

    def __init__(self, after: int) -> None:
        self.kept: dict[str, Checkpoint] = {}
        self.after = after

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        self.kept[stage] = checkpoint
        if checkpoint.step == self.after:
            raise KeyboardInterrupt

    def load(self, stage: str) -> Checkpoint | None:
        return self.kept.get(stage)


def same(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    return list(first) == list(second) and all((first[name] == second[name]).all() for name in first)


def test_a_killed_run_ends_with_the_same_numbers(config: PopqaTuning) -> None:
    whole = config.compute(Unattended())
    context = Killed(5)
    with pytest.raises(KeyboardInterrupt):
        config.compute(context)
    context.after = -1
    resumed = config.compute(context)
    assert same(resumed.metrics, whole.metrics)
    assert same(resumed.arrays, whole.arrays)


def test_every_arm_asks_every_held_out_fact(config: PopqaTuning) -> None:
    found = config.compute(Unattended())
    run = RunResult(config, found.metrics, found.arrays)
    np.testing.assert_array_equal(run.arrays["looked_at"], [10] * 4)
    np.testing.assert_array_equal(run.arrays["stored"], [9] * 4)
    assert len(run.metrics["seed"]) == 2 * (1 + len(config.arms())) * 4
    for seed in config.seeds:
        requested = run.column("asked", seed=seed).reshape(-1, 4)
        assert (requested == requested[0]).all(), "the same questions after every fine-tuning"
        assert (requested[0] == 4).all()
    halves = run.column("covered", relations=2).reshape(-1, 4)
    assert (halves.sum(axis=1) == 2).all()
    first, second = (run.column("covered", relations=2, block=block, seed=0) for block in (0, 1))
    np.testing.assert_array_equal(first + second, 1)


def test_claims_read_it(config: PopqaTuning) -> None:
    found = config.compute(Unattended())
    run = RunResult(config, found.metrics, found.arrays)
    answers = Answers(run)
    for values in (answers.most, answers.rise, answers.before, answers.behind, answers.by_relations, answers.gap):
        assert values.shape == (2,)
        assert (np.abs(values) <= 1).all()
    assert stored(run) is None, "36 facts in four relations"
    few = RunResult(config, found.metrics, found.arrays | {"stored": np.array([9, 1, 0, 9])})
    assert "answers 19 of 40 facts" in str(stored(few))


def test_a_model_that_knows_nothing_leaves_the_claims_undecided(
    config: PopqaTuning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PopqaTuning, "_answered_after_demonstrations", lambda self, model, pool: np.zeros(40, bool))
    found = config.compute(Unattended())
    run = RunResult(config, found.metrics, found.arrays)
    assert not len(run.metrics["seed"])
    assert "knows too little" in str(EXPERIMENT.needs["main"](run))


def test_a_model_is_asked_after_demonstrations(config: PopqaTuning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pool = questions(Path(config.model).parent)
    prompts: list[str] = []

    def answers(model: object, requested: list[str], tokens: int) -> list[str]:
        prompts.extend(requested)
        return ["w21" for _ in requested]

    monkeypatch.setattr("lemmata.papers.knowledge.run.popqa_tuning.greedy", answers)
    right = config._answered_after_demonstrations(tiny("llama"), pool)
    assert len(prompts) == 40
    assert all(prompt.count("Q:") == 1 + config.shots for prompt in prompts)
    np.testing.assert_array_equal(np.flatnonzero(right), [1, 11, 21, 31])
