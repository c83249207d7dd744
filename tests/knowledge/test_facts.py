"""The world of facts and its questions: counts, splits, coverage, padding, spelled names."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key
from lemmata.papers.knowledge.task import ASK, DUMMY, START, CoverageConfig, Facts, FactsConfig, Questions

CONFIG = FactsConfig(subjects=30, templates=8, multiplicity=3)


def test_every_subject_has_k_different_templates() -> None:
    facts = Facts.create(CONFIG, 0)
    assert facts.templates.shape == (30, 3)
    assert all(len(set(row)) == 3 for row in np.asarray(facts.templates).tolist())
    assert len(np.unique(facts.templates)) == 8
    assert not np.array_equal(facts.templates, Facts.create(CONFIG, 1).templates)


def test_templates_are_drawn_uniformly() -> None:
    facts = Facts.create(FactsConfig(subjects=20_000, templates=8, multiplicity=3), 5)
    counts = np.bincount(np.asarray(facts.templates).ravel(), minlength=8)
    assert np.abs(counts / 20_000 - 3 / 8).max() < 4 * np.sqrt(3 / 8 * 5 / 8 / 20_000)


def test_sentences_and_questions_read_as_written() -> None:
    facts = Facts.create(CONFIG, 0)
    batch = facts.sample(4000, key=named_key(0, "data"))
    first_subject, first_answer = facts.vocabulary.first_subject, facts.vocabulary.first_answer
    o, s, r, a = np.asarray(batch.tokens).T
    assert (o == START).all()
    assert np.array_equal(a - first_answer, s - first_subject)
    templates = np.asarray(facts.templates)[s - first_subject]
    assert (templates == (r - 3)[:, None]).any(axis=1).all()
    assert len(np.unique(np.stack([s, r]), axis=1).T) == 90, "every fact is told"
    assert np.array_equal(batch.targets[:, :3], np.stack([np.full(4000, DUMMY), r, a], axis=1))
    assert np.array_equal(batch.mask[0], [True, True, True, False])
    question = facts.question_batch(jnp.arange(30))
    assert (question.tokens[:, 2] == ASK).all()
    assert np.array_equal(question.mask[0], [False, False, True, False])
    assert np.array_equal(question.targets[:, 2], first_answer + np.arange(30))


def test_without_o_the_same_sentences_lack_their_first_token() -> None:
    facts, printed = Facts.create(CONFIG, 0), Facts.create(replace(CONFIG, opened=False), 0)
    subjects = jnp.arange(30)
    for whole, short in (
        (facts.sentences(subjects, facts.templates[:, 0]), printed.sentences(subjects, facts.templates[:, 0])),
        (facts.question_batch(subjects), printed.question_batch(subjects)),
    ):
        for part, rest in zip(jax.tree.leaves(whole), jax.tree.leaves(short), strict=True):
            assert np.array_equal(part[:, 1:], rest)
    assert np.array_equal(printed.prompts(subjects), facts.prompts(subjects)[:, 1:])
    assert np.array_equal(printed.prefixes(subjects), facts.subject_names)


def test_the_classes_are_the_tokens_that_can_follow() -> None:
    facts = Facts.create(CONFIG, 0)
    batch = facts.sample(4000, key=named_key(0, "data"))
    assert set(np.unique(batch.targets[:, :3])) == set(facts.vocabulary.classes())


def test_padding_changes_no_number() -> None:
    small = Facts.create(CONFIG, 3)
    wide = Facts.create(
        FactsConfig(subjects=30, templates=8, multiplicity=3, pad_subjects=50, pad_templates=12, pad_multiplicity=5), 3
    )
    assert np.array_equal(wide.templates[:30, :3], small.templates)
    assert np.array_equal(wide.subject_order[:30], small.subject_order)
    for drawn, expected in zip(
        wide.draw(64, key=named_key(1, "data")), small.draw(64, key=named_key(1, "data")), strict=True
    ):
        assert np.array_equal(drawn, expected)
    for coverage in (CoverageConfig(), CoverageConfig(split="tuple"), CoverageConfig(templates=5)):
        few, many = (Questions.choose(facts, coverage, 3) for facts in (small, wide))
        assert np.array_equal(few.draw(64, key=named_key(1, "ask")), many.draw(64, key=named_key(1, "ask")))
        assert np.array_equal(few.test, many.test[:30, :3])
        assert float(few.test.sum()) == float(many.test.sum())


def test_split_by_subject_keeps_held_out_subjects_unasked() -> None:
    facts = Facts.create(CONFIG, 0)
    questions = Questions.choose(facts, CoverageConfig(), 0)
    assert int(questions.num_asked) == 15
    assert float(questions.test.sum()) == 45
    assert float(questions.leak()) == 0
    assert set(np.asarray(questions.draw(2000, key=named_key(0, "ask")))) == set(
        np.nonzero(np.asarray(questions.asked_subjects))[0]
    )


def test_split_by_tuple_leaks_as_often_as_counting_says() -> None:
    facts = Facts.create(FactsConfig(subjects=2000, templates=8, multiplicity=3), 0)
    questions = Questions.choose(facts, CoverageConfig(split="tuple"), 0)
    assert int(questions.num_asked) == 3000
    # A held-out fact leaks unless both of its subject's other facts are held out too.
    assert float(questions.leak()) == pytest.approx(3 / 4, abs=0.03)


def test_coverage_nests_and_is_what_it_says() -> None:
    facts = Facts.create(FactsConfig(subjects=400, templates=10, multiplicity=2), 0)
    before: set[int] = set()
    for number in (4, 7, 10):
        questions = Questions.choose(facts, CoverageConfig(templates=number), 0)
        asked = set(np.nonzero(np.asarray(questions.asked_subjects))[0].tolist())
        allowed = set(np.asarray(facts.template_order)[:number].tolist())
        assert before <= asked
        assert set(np.nonzero(np.asarray(questions.covered))[0].tolist()) <= allowed
        assert set(np.asarray(facts.templates)[sorted(asked)].ravel().tolist()) <= allowed
        before = asked
    assert len(before) == 200
    few = Questions.choose(facts, CoverageConfig(subjects=3), 0)
    assert int(few.asked_subjects.sum()) == 3
    assert int(few.covered.sum()) <= 6


def test_shuffled_answers_are_all_wrong_and_all_used() -> None:
    facts = Facts.create(CONFIG, 0)
    train_answers = np.asarray(Questions.choose(facts, CoverageConfig(answers="shuffled"), 0).train_answers)
    assert (train_answers != np.arange(30)).all()
    assert sorted(train_answers) == list(range(30))


def test_spelled_names_are_different_words_and_predicted_letter_by_letter() -> None:
    facts = Facts.create(FactsConfig(subjects=30, templates=8, multiplicity=3, name_length=5, alphabet=16), 0)
    words = np.concatenate([facts.subject_names, facts.template_names, facts.answer_names])
    assert len({tuple(word) for word in words.tolist()}) == 68
    batch = jax.jit(lambda key: facts.sample(7, key=key))(named_key(0, "data"))
    assert batch.tokens.shape == (7, 16)
    assert np.array_equal(batch.targets[:, 5:15], batch.tokens[:, 6:16])
    assert np.array_equal(np.nonzero(np.asarray(batch.mask[0]))[0], [0, *range(5, 15)])
    question = facts.question_batch(jnp.arange(3))
    assert question.tokens.shape == (3, 16)
    assert np.array_equal(np.nonzero(np.asarray(question.mask[0]))[0], range(10, 15))
    assert np.array_equal(question.targets[:, 10:15], facts.answer_names[:3])
    assert facts.vocabulary.size == 19


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"multiplicity": 9}, "multiplicity = 9 is not possible: 1 to templates = 8"),
        ({"multiplicity": 0}, "multiplicity"),
        ({"subjects": 1}, "subjects"),
        ({"held_out": 1.0}, "held_out"),
        ({"pad_subjects": 20}, "at least 30"),
        ({"name_length": 2, "alphabet": 5}, "alphabet"),
    ],
)
def test_impossible_worlds_are_refused(fields: dict[str, int], message: str) -> None:
    with pytest.raises(UserError, match=message):
        FactsConfig(**{"subjects": 30, "templates": 8, "multiplicity": 3, **fields})  # pyright: ignore


def test_impossible_coverage_is_refused() -> None:
    with pytest.raises(UserError, match=r"coverage\.templates = 9"):
        CoverageConfig(templates=9).check(CONFIG)
    with pytest.raises(UserError, match=r"coverage\.subjects = 16"):
        CoverageConfig(subjects=16).check(CONFIG)
    with pytest.raises(UserError, match="split"):
        CoverageConfig(split="tuple", templates=3)
