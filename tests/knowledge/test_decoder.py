"""Spelled questions, padded worlds, and Figure 3's reading of them, against loops and made-up results."""

from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import (
    AbstractAlgorithm,
    Checkpoint,
    Metrics,
    RunResult,
    Runs,
    Scale,
    TrainState,
    Unattended,
    UserError,
    judge,
    named_key,
)
from lemmata.papers.knowledge.claims.fig_3 import EXPERIMENT, decoder_run
from lemmata.papers.knowledge.model.gpt2 import GPT2, GPT2Config
from lemmata.papers.knowledge.run.decoder_extraction import (
    CellConfig,
    DecoderExtraction,
    PhaseConfig,
    PlacedLoss,
    extraction,
    stored_accuracy,
)
from lemmata.papers.knowledge.task import ASK, START, CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit_many, next_token_loss
from lemmata.train.loop import FORM

WORLD = FactsConfig(subjects=6, templates=4, multiplicity=2, name_length=3, alphabet=8)
MODEL = GPT2Config(vocab=11, length=10, width=8, heads=2)
call = eqx.filter_jit(lambda model, tokens: model(tokens))


def random_model() -> GPT2:
    stream = np.random.default_rng(0)
    shapes = eqx.filter_eval_shape(lambda: GPT2.create(MODEL, key=named_key(0, "init")))
    return jax.tree.map(lambda leaf: jnp.asarray(0.5 * stream.normal(size=leaf.shape), jnp.float32), shapes)


def test_a_question_is_a_sentence_with_the_prompt_in_the_relation_s_place() -> None:
    facts = Facts.create(WORLD, 0)
    subjects, another = np.array([4, 1, 1]), np.array([0, 2, 3])
    question = facts.question_batch(jnp.asarray(subjects), jnp.asarray(another))
    sentence = facts.sentences(jnp.asarray(subjects), jnp.asarray([3, 0, 1]))
    names, answers = np.asarray(facts.subject_names), np.asarray(facts.answer_names)
    for row, (subject, answer) in enumerate(zip(subjects, another, strict=True)):
        expected = [START, *names[subject], ASK, ASK, ASK, *answers[answer]]
        np.testing.assert_array_equal(question.tokens[row], expected)
        np.testing.assert_array_equal(question.targets[row, 6:9], answers[answer])
        np.testing.assert_array_equal(sentence.targets[row, 6:9], answers[subject])
    np.testing.assert_array_equal(question.mask[0], [False] * 6 + [True] * 3 + [False])
    np.testing.assert_array_equal(sentence.mask[0], [True, False, False] + [True] * 6 + [False])


def test_a_padded_world_gives_the_samples_of_the_world_itself() -> None:
    facts = Facts.create(WORLD, 3)
    larger = Facts.create(replace(WORLD, pad_subjects=9, pad_templates=7, pad_multiplicity=5), 3)
    key = named_key(0, "data")
    for one, other in (
        (facts.sample(32, key=key), larger.sample(32, key=key)),
        *(
            tuple(Questions.choose(f, CoverageConfig(answers=answers), 3).sample(32, key=key) for f in (facts, larger))
            for answers in ("true", "shuffled")
        ),
    ):
        for left, right in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            np.testing.assert_array_equal(left, right)
    with pytest.raises(UserError, match="pad_templates = 3 is not possible: None, or at least 4"):
        replace(WORLD, pad_templates=3)


def greedy(model: GPT2, prompt: list[int], count: int) -> list[int]:
    tokens = np.zeros(10, int)
    tokens[: len(prompt)] = prompt
    for place in range(len(prompt), len(prompt) + count):
        tokens[place] = int(np.argmax(call(model, jnp.asarray(tokens))[place - 1]))
    return [int(token) for token in tokens[len(prompt) : len(prompt) + count]]


def test_extraction_is_the_exact_match_of_greedy_answers() -> None:
    """Some answers of a world are replaced by what the model says; exactly those must be found."""
    model, facts = random_model(), Facts.create(WORLD, 1)
    questions = Questions.choose(facts, CoverageConfig(), 1)
    held_out = np.flatnonzero(np.asarray(questions.test).max(axis=1))
    asked = np.setdiff1d(np.arange(6), held_out)
    assert (len(held_out), len(asked)) == (3, 3)
    answers = np.array(facts.answer_names)
    for subject in (*held_out[:2], asked[0]):
        answers[subject] = greedy(model, [START, *np.asarray(facts.subject_names)[subject].tolist(), *[ASK] * 3], 3)
    others = [*held_out[2:], *asked[1:]]
    answers[others] = 3 + (answers[others] - 3 + 1) % 8
    right = {
        subject: greedy(model, [START, *np.asarray(facts.subject_names)[subject].tolist(), *[ASK] * 3], 3)
        == answers[subject].tolist()
        for subject in range(6)
    }
    changed = eqx.tree_at(lambda q: q.facts.answer_names, questions, jnp.asarray(answers))
    found = eqx.filter_jit(extraction)(model, changed)
    np.testing.assert_allclose(found["held_out"], np.mean([right[s] for s in held_out]), rtol=1e-6)
    np.testing.assert_allclose(found["asked"], np.mean([right[s] for s in asked]), rtol=1e-6)
    assert found["held_out"] >= 2 / 3 - 1e-6
    assert found["held_out_first"] >= found["held_out"]


def test_stored_accuracy_reads_sentences_and_skips_padding() -> None:
    model, facts = random_model(), Facts.create(replace(WORLD, pad_subjects=9), 1)
    subjects, templates = np.asarray(facts.subject_names)[:6], np.asarray(facts.template_names)
    one_template = eqx.tree_at(lambda f: f.templates, facts, jnp.zeros_like(facts.templates))
    said = [greedy(model, [START, *s.tolist(), *templates[0].tolist()], 3) for s in subjects]
    answers = np.array(facts.answer_names)
    answers[:5] = said[:5]
    answers[5] = 3 + (np.array(said[5]) - 3 + 1) % 8
    changed = eqx.tree_at(lambda f: f.answer_names, one_template, jnp.asarray(answers))
    stored = eqx.filter_jit(stored_accuracy)(model, changed, named_key(0, "slots"))["told"]
    np.testing.assert_allclose(stored, 5 / 6, rtol=1e-6)


def test_the_loss_at_the_masked_places_is_the_next_token_loss() -> None:
    model, facts = random_model(), Facts.create(WORLD, 0)
    batch = facts.sample(4, key=named_key(0, "data"))
    questions = facts.question_batch(jnp.arange(4))
    placed, whole = eqx.filter_jit(
        lambda m: (
            [PlacedLoss((0, *range(3, 9)))(m, batch), PlacedLoss((6, 7, 8))(m, questions)],
            [next_token_loss(m, batch), next_token_loss(m, questions)],
        )
    )(model)
    np.testing.assert_allclose(placed, whole, rtol=1e-5)


class Halving(AbstractAlgorithm):
    def init(self, model: Any) -> TrainState:
        return TrainState(model, None)

    def step(self, task: Any, state: TrainState, *, key: object) -> tuple[TrainState, Metrics]:
        return TrainState(state.model / 2, None), {"value": state.model}


@pytest.mark.parametrize("checkpoints", [True, False])
def test_a_run_without_checkpoints_neither_writes_nor_reads_one(checkpoints: bool) -> None:
    saved: list[int] = []

    class Watch(Unattended):
        def save(self, stage: str, checkpoint: Checkpoint) -> None:
            saved.append(checkpoint.step)

        def load(self, stage: str) -> Checkpoint | None:
            leaves = {"leaf00000": np.array([1.0], np.float32), "leaf00001": np.zeros((1, 4), np.float32)}
            return Checkpoint(2, {FORM: np.array([1]), **leaves})

    start, keys = TrainState(jnp.array([64.0]), None), jnp.stack([named_key(0, "data")])
    state, found = fit_many(
        Halving(), None, start, keys, steps=3, every=1, context=Watch(), stage="half", checkpoints=checkpoints
    )
    assert bool(saved) == checkpoints
    np.testing.assert_array_equal(state.model, [0.5] if checkpoints else [8.0])
    np.testing.assert_array_equal(found["value"][0], [0, 0, 1, 0.5] if checkpoints else [64, 32, 16, 8])


def made_up(stored: float, by_cell: dict[tuple[int, int], float], before: float) -> Runs:
    """A made-up run at laptop scale: the same value for each seed, and for each cell before fine-tuning."""
    config = decoder_run(Scale("laptop"))
    rows: dict[str, list[Any]] = {
        name: [] for name in ("stage", "seed", "step", "subjects", "templates", "multiplicity", "told", "held_out")
    }
    for cell, seed in config.replicas():
        value = by_cell[cell.templates, cell.multiplicity]
        for stage, step, held_out in (
            ("pretraining", 0, np.nan),
            ("fine-tuning", 0, before),
            ("fine-tuning", 1, value),
        ):
            row = (stage, seed, step, cell.subjects, cell.templates, cell.multiplicity, stored, held_out)
            for column, entry in zip(rows.values(), row, strict=True):
                column.append(entry)
    return Runs({"main": RunResult(config, {k: np.array(v) for k, v in rows.items()}, {})}, Scale("paper"))


TRENDS = {(20, 1): 0.1, (20, 2): 0.6, (20, 5): 0.9, (40, 2): 0.4, (80, 2): 0.2}


@pytest.mark.parametrize(
    ("stored", "changes", "expected"),
    [
        (1.0, {}, "holds"),
        (0.9, {}, "undecided"),
        (1.0, {(80, 2): 0.4}, "fails"),
        (1.0, {(20, 1): 0.8}, "fails"),
        (1.0, {(40, 2): 0.9}, "fails"),
        (1.0, {(20, 5): 0.45}, "fails"),
    ],
)
def test_the_rule_tells_trends_from_their_absence(
    stored: float, changes: dict[tuple[int, int], float], expected: str
) -> None:
    runs = made_up(stored, TRENDS | changes, before=0.1)
    assert [judge(claim, runs, EXPERIMENT.needs).status for claim in EXPERIMENT.claims] == [expected]


def test_what_cannot_be_is_refused_in_one_line() -> None:
    phase = PhaseConfig(steps=4, every=2, batch=2, learning_rate=1e-3)

    def run(cell: CellConfig, vocab: int = 67, length: int = 16) -> DecoderExtraction:
        model = GPT2Config(vocab=vocab, length=length)
        return DecoderExtraction(cells=(cell,), model=model, pretraining=phase, fine_tuning=phase)

    run(CellConfig())
    with pytest.raises(UserError, match="multiplicity = 9 is not possible: 1 to templates = 4"):
        run(CellConfig(templates=4, multiplicity=9))
    with pytest.raises(UserError, match=r"model\.vocab = 66 is not possible: at least 67"):
        run(CellConfig(), vocab=66)
    with pytest.raises(UserError, match=r"model\.length = 15 is not possible: at least 16"):
        run(CellConfig(), length=15)
    with pytest.raises(UserError, match="every = 3 is not possible: a divisor of steps = 4"):
        PhaseConfig(steps=4, every=3, batch=2, learning_rate=1e-3)


def test_a_decoder_reads_phrases_and_is_asked_about_few() -> None:
    phase = PhaseConfig(steps=2, every=2, batch=4, learning_rate=1e-3)
    cells = tuple(CellConfig(subjects=6, templates=r, multiplicity=2) for r in (2, 4))
    model = GPT2Config(vocab=3 + 3 * 4 + 12, length=6, width=8, heads=2)
    run = DecoderExtraction(
        cells=cells, name_length=1, phrase=3, asked=2, model=model, pretraining=phase, fine_tuning=phase
    )
    found = run.execute(Unattended()).metrics
    tuned = found["stage"] == "fine-tuning"
    assert tuned.sum() == 4
    assert np.all(np.isfinite(found["held_out"][tuned]))
    with pytest.raises(UserError, match=r"asked\.subjects = 4 is not possible"):
        replace(run, asked=4)
