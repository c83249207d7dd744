"""What Figure 4's claims read from a table of answers: sums over relations, covered and uncovered, labels mixed."""

from dataclasses import asdict

import numpy as np
import pytest

from lemmata.core import RunResult, Undecided
from lemmata.papers.knowledge.claims._popqa_answers import Answers
from lemmata.papers.knowledge.run.popqa_plan import Arm
from lemmata.papers.knowledge.run.popqa_tuning import PopqaTuning

RELATIONS = ("capital", "color", "country", "sport")
ASKED = (4, 4, 6, 6)
CONFIG = PopqaTuning(rank=1, ranks=(0,), facts=(2, 8), relations=(2,), equal_facts=8, seeds=(0, 1))
BLOCKS = {0: (True, False, True, False), 1: (False, True, False, True)}


def matched(arm: Arm, seed: int, place: int) -> int:
    """Made up: nothing before, all that is covered after eight facts, half of the rest, none with wrong answers."""
    if not arm.facts or arm.shuffled:
        return 0
    if arm.relations:
        return ASKED[place] if BLOCKS[arm.block][place] else ASKED[place] // 2
    if arm.facts == 2:
        return seed
    return ASKED[place] - (arm.rank == 1)


def made_up(config: PopqaTuning = CONFIG) -> RunResult:
    rows = []
    for seed in config.seeds:
        for arm in (Arm(rank=1, facts=0, relations=0), *config.arms()):
            for place, relation in enumerate(RELATIONS):
                is_covered = BLOCKS[arm.block][place] if arm.relations else bool(arm.facts)
                labels = {"relation": relation, "covered": is_covered, "asked": ASKED[place]}
                rows.append({"seed": seed, **asdict(arm), **labels, "matched": matched(arm, seed, place)})
    return RunResult(config, {name: np.array([row[name] for row in rows]) for name in rows[0]}, {})


def test_exact_match_is_over_all_relations() -> None:
    found = Answers(made_up())
    np.testing.assert_allclose(found.before, 0)
    np.testing.assert_allclose(found.most, 16 / 20)
    np.testing.assert_allclose(found.rise, [16 / 20, 12 / 20])
    np.testing.assert_allclose(found.behind, -4 / 20)
    np.testing.assert_allclose(found.by_relations, 16 / 20 - 15 / 20)


def test_covered_and_uncovered_are_sides_of_the_same_relations() -> None:
    found = Answers(made_up())
    np.testing.assert_allclose(found.sides(2), [[1, 1], [0.5, 0.5]])
    np.testing.assert_allclose(found.gap, 0.5)
    np.testing.assert_allclose(found.match(facts=8, relations=2), 0.75)


def test_wrong_subjects_show_nothing() -> None:
    run = made_up()
    np.testing.assert_allclose(Answers(run, mixed=True).gap, 14 / 20 - 16 / 20)  # of 0.5; 0 were relations of one size
    wrong = Answers(run, shuffled=True)
    np.testing.assert_allclose(wrong.most, 0)
    np.testing.assert_allclose(wrong.behind, -1)
    np.testing.assert_allclose(Answers(run, tuned=False).by_relations, 0)


def test_what_was_not_asked_is_undecided() -> None:
    with pytest.raises(Undecided, match="no number of covered relations"):
        _ = Answers(made_up(PopqaTuning(rank=1, relations=(), facts=(2, 8)))).gap
    with pytest.raises(Undecided, match="no row"):
        _ = Answers(made_up(PopqaTuning(rank=1, ranks=(4,), facts=(2, 8), relations=(2,)))).behind
    run = made_up()
    empty = np.where(run.metrics["relations"] == 2, 0, run.metrics["asked"])
    with pytest.raises(Undecided, match="not 8 facts to ask in 2 relations"):
        _ = Answers(RunResult(CONFIG, {**run.metrics, "asked": empty}, {})).gap
