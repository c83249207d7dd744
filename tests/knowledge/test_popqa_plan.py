"""Which facts of PopQA are asked, which are held out, and what a wrong answer is: no model is needed."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from lemmata.core import UserError
from lemmata.core.rng import replicated
from lemmata.papers.knowledge.run.popqa_plan import (
    Arm,
    by_relation,
    chosen,
    covered,
    demonstrated,
    most_popular,
    with_wrong_answers,
)
from lemmata.papers.knowledge.run.popqa_tuning import PopqaTuning
from lemmata.papers.knowledge.task.popqa import Question, split_by_subject

RELATIONS = ("capital", "color", "country", "sport")


def fact(relation: str, number: int, answer: str | None = None) -> Question:
    said = answer or f"{relation} answer {number}"
    return Question(subject=f"{relation} {number}", relation=relation, answer=said, answers=(said,), popularity=number)


WORLD = tuple(fact(relation, number) for relation in RELATIONS for number in range(10))


def arm(**changes: object) -> Arm:
    return Arm(**{"rank": 1, "facts": 8, "relations": 2} | changes)  # type: ignore


def test_a_relations_most_popular_subjects_are_looked_at() -> None:
    kept = by_relation(most_popular(WORLD, 3))
    assert list(kept) == sorted(RELATIONS)
    assert [one.popularity for one in kept["sport"]] == [9, 8, 7]


def test_demonstrations_never_give_the_answer_away() -> None:
    same = [fact("sport", number, "football" if number % 2 else f"game {number}") for number in range(10)]
    prompt = demonstrated(same[1], same, 3)
    assert prompt is not None
    assert "football" not in prompt
    assert prompt.endswith(same[1].prompt)
    assert prompt.count("Q:") == 4
    assert demonstrated(same[1], same, 6) is None, "five others have another answer"
    assert same[0].prompt not in (demonstrated(same[0], same, 3) or "").removesuffix(same[0].prompt)


def test_blocks_share_no_relation_and_all_is_all() -> None:
    for seed in range(5):
        first, second = (covered(RELATIONS, arm(block=block), seed) for block in (0, 1))
        assert sorted((*first, *second)) == sorted(RELATIONS)
    assert len({covered(RELATIONS, arm(), seed) for seed in range(20)}) > 2
    assert covered(RELATIONS, arm(relations=0), 0) == RELATIONS
    assert covered(RELATIONS, arm(relations=3, block=1), 0) == ()


def test_numbers_of_facts_are_equal_whatever_is_covered() -> None:
    for relations in (("sport",), ("sport", "color"), RELATIONS):
        facts = chosen(WORLD, arm(), relations, 0)
        assert len(set(facts)) == 8
        sizes = [len(mine) for mine in by_relation(facts).values()]
        assert sizes == [8 // len(relations)] * len(relations)
    assert chosen(WORLD, arm(facts=11), ("sport",), 0) == ()


def test_more_facts_hold_the_fewer() -> None:
    few, many = (chosen(WORLD, arm(facts=count), RELATIONS, 3) for count in (4, 16))
    assert many[:4] == few
    assert chosen(WORLD, arm(facts=4), RELATIONS, 4) != few
    with replicated(1):
        assert chosen(WORLD, arm(facts=4), RELATIONS, 3) != few


def test_wrong_answers_are_right_ones_of_the_same_relation() -> None:
    wrong = with_wrong_answers(WORLD, 0)
    assert sorted(one.subject for one in wrong) == sorted(one.subject for one in WORLD)
    for relation, mine in by_relation(wrong).items():
        assert sorted(one.answer for one in mine) == sorted(f"{relation} answer {n}" for n in range(10))
        assert all(one.answer not in one.answers for one in mine)


def test_wrong_answers_are_as_wrong_as_they_can_be() -> None:
    common = [fact("sport", number, "football" if number < 6 else f"game {number}") for number in range(10)]
    wrong = with_wrong_answers(common, 0)
    assert sum(one.answer in one.answers for one in wrong) <= 4
    assert with_wrong_answers(common[:1], 0)[0].answer == "football", "there is no other answer to give"


def test_held_out_subjects_are_never_asked_about() -> None:
    rest, held_out = split_by_subject(WORLD, held_out=0.5, seed=1)
    facts = chosen(rest, arm(facts=20), RELATIONS, 1)
    assert len(facts) == 20
    assert not {one.subject for one in facts} & {one.subject for one in held_out}


def test_true_and_wrong_answers_come_in_pairs() -> None:
    config = PopqaTuning(rank=1, ranks=(4, 0), facts=(2, 8), relations=(1, 2), equal_facts=4)
    arms = config.arms()
    assert len(set(arms)) == len(arms)
    true, wrong = ([one for one in arms if one.shuffled == shuffled] for shuffled in (False, True))
    assert {one.names for one in wrong} <= {one.names for one in true}
    assert {one.facts for one in true if one.relations} == {4}
    assert {(one.relations, one.block) for one in true if one.relations} == {(1, 0), (1, 1), (2, 0), (2, 1)}
    assert {one.rank for one in true} == {0, 1, 4}
    assert {one.rank for one in wrong} == {1}
    assert config.tuning(arms[0]).rate != config.tuning(Arm(rank=0, facts=8, relations=0)).rate


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'capital'"):
        PopqaTuning(asked_about=("capitol",))
    with pytest.raises(UserError, match="other than rank = 4"):
        PopqaTuning(rank=4, ranks=(1, 4))
    with pytest.raises(UserError, match="no two alike"):
        PopqaTuning(facts=(2, 2))


def test_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEMMATA_LM_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.delenv("LEMMATA_LM_DATA", raising=False)
    absent = PopqaTuning(model="meta-llama/Llama-3.2-1B").lacks()
    assert absent is not None
    assert "meta-llama/Llama-3.2-1B" in absent
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    save_file({"weight": np.zeros(2, np.float32)}, folder / "model.safetensors")
    with_weights = PopqaTuning(model=str(folder))
    missing = with_weights.lacks()
    assert missing is not None
    assert "PopQA (AlexTMallen/adaptive-retrieval" in missing
    monkeypatch.setenv("LEMMATA_LM_DATA", str(tmp_path))
    (tmp_path / "popqa.jsonl").write_text("")
    assert with_weights.lacks() is None
    before = with_weights.digest
    (tmp_path / "popqa.jsonl").write_text("\n")
    assert with_weights.digest != before, "the data are part of what decides the numbers"
