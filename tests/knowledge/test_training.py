"""Pre-training, fine-tuning and the shared run: AdamW by hand, what freezes, what the probes count."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from lemmata.papers.knowledge.claims._tuned import Tuned

from lemmata.core import RunResult, Scale, Unattended, UserError, named_key
from lemmata.core.config import decode, encode
from lemmata.papers.knowledge.claims._extraction_runs import in_many_seeds
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, low_rank_factors, trainable
from lemmata.papers.knowledge.probe import extracted_facts, stored_facts
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig, fine_tuning
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, Sentences, pre_training
from lemmata.papers.knowledge.run.training import Extraction, base_cell, groups
from lemmata.papers.knowledge.task import ASK, CoverageConfig, Facts, FactsConfig, Questions

WORLD = FactsConfig(subjects=10, templates=4, multiplicity=2)


def built(config: OneLayerConfig | None = None, world: FactsConfig = WORLD) -> tuple[OneLayer, Facts]:
    config = config or OneLayerConfig(width=9, neurons=3, neuron_start=0.3)
    return OneLayer.create(config, world, 0), Facts.create(world, 0)


def test_two_steps_are_adamw_with_two_learning_rates() -> None:
    model, facts = built()
    config = PreTrainingConfig(batch=16, neuron_learning_rate=1e-2, attention_learning_rate=1e-3, weight_decay=0.1)
    algorithm = pre_training(config)
    step = eqx.filter_jit(lambda state, key: algorithm.step(facts, state, key=key)[0])
    gradient = eqx.filter_jit(lambda model, key: Sentences(16)(*eqx.partition(model, trainable(model)), facts, key)[1])
    state = algorithm.init(model)
    by_hand = {name: np.asarray(getattr(model, name), float) for name in ("attention", "neurons")}
    first = {name: np.zeros_like(value) for name, value in by_hand.items()}
    second = {name: np.zeros_like(value) for name, value in by_hand.items()}
    for t in (1, 2):
        key = named_key(t, "data")
        found = gradient(state.model, key)
        for name, learning_rate in (("attention", 1e-3), ("neurons", 1e-2)):
            g = np.asarray(getattr(found, name), float)
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.999 * second[name] + 0.001 * g**2
            move = (first[name] / (1 - 0.9**t)) / (np.sqrt(second[name] / (1 - 0.999**t)) + 1e-8)
            by_hand[name] = by_hand[name] - learning_rate * (move + 0.1 * by_hand[name])
        state = step(state, key)
    for name, value in by_hand.items():
        # Adam divides by the gradient's own size, so float32 rounding of the smallest ones shows.
        assert np.abs(np.asarray(getattr(state.model, name)) - value).max() < 1e-4
    assert np.array_equal(state.model.embeddings, model.embeddings)


def test_fine_tuning_moves_only_what_it_says() -> None:
    model, facts = built()
    questions = Questions.choose(facts, CoverageConfig(), 0)
    moved: dict[str, OneLayer] = {}
    for name, config, start in (
        ("attention", FineTuningConfig(part="attention", batch=8), model),
        ("thin", FineTuningConfig(rank=1, batch=8), model.with_factors(*low_rank_factors(model.neurons.shape, 1, 0))),
    ):
        algorithm = fine_tuning(config, [questions])
        step = eqx.filter_jit(lambda state, key, algorithm=algorithm: algorithm.step(questions, state, key=key)[0])
        state = algorithm.init(start)
        for t in range(2):
            state = step(state, named_key(t, "ask"))
        moved[name] = state.model
    assert not np.array_equal(moved["attention"].attention, model.attention)
    assert np.array_equal(moved["attention"].neurons, model.neurons)
    thin = moved["thin"]
    assert np.array_equal(thin.attention, model.attention)
    assert np.array_equal(thin.neurons, model.neurons)
    assert float(jnp.abs(thin.neuron_update.right).max()) > 0
    assert float(jnp.abs(thin.attention_update.right).max()) > 0
    nobody = eqx.tree_at(lambda q: q.num_asked, questions, jnp.asarray(0, jnp.int32))
    algorithm = fine_tuning(FineTuningConfig(batch=8), [questions])
    state = eqx.filter_jit(lambda s: algorithm.step(nobody, s, key=named_key(0, "ask"))[0])(algorithm.init(model))
    assert np.array_equal(state.model.neurons, model.neurons), "without questions nothing is learned"


def knowing(model: OneLayer, facts: Facts, *, ask: str) -> OneLayer:
    """Neurons by hand, on orthogonal embeddings: s drives its relations and, less, its answer; r nothing; and p drives
    nothing ("relation") or inhibits every relation ("answer")."""
    words = facts.vocabulary
    w = np.zeros(model.neurons.shape)
    e = np.asarray(model.embeddings, float) / model.config.width
    for subject in range(words.subjects):
        x = e[words.first_subject + subject]
        w[:, 0, 1 + words.templates + subject] += x
        for template in np.asarray(facts.templates)[subject]:
            w[:, 0, 1 + template] += (2 + 0.1 * (template == 0)) * x
    for template in range(words.templates):
        w[:, 0, 1 : 1 + words.templates] -= 20 * e[3 + template][:, None]  # after a relation comes an answer
    if ask == "answer":
        w[:, 0, 1 : 1 + words.templates] -= 20 * e[ASK][:, None]
    w[:, 0, 0] += 20 * e[0] - 20 * e[words.first_subject : words.first_answer].sum(axis=0)
    w[:, 0, 0] -= 20 * e[3 : 3 + words.templates].sum(axis=0) + 20 * e[ASK]
    return eqx.tree_at(lambda one: one.neurons, model, jnp.asarray(w, model.neurons.dtype))


def test_probes_on_a_model_whose_answers_are_known() -> None:
    model, facts = built(OneLayerConfig(width=16, neurons=1, scale=30.0, embeddings="orthonormal"))
    questions = Questions.choose(facts, CoverageConfig(subjects=2), 0)
    probe = eqx.filter_jit(lambda model: (stored_facts(model, facts), extracted_facts(model, questions)))
    stored, silent = probe(knowing(model, facts, ask="relation"))
    _, telling = probe(knowing(model, facts, ask="answer"))
    assert float(stored["fact_accuracy"]) == 1
    assert float(stored["template_accuracy"]) == 1
    assert float(stored["excess"]) == pytest.approx(float(stored["full_loss"]) - np.log(2) / 3, rel=1e-5)
    assert np.allclose(stored["attention_osr"], 1 / 3), "A = 0 attends evenly"
    assert float(silent["extraction"]) == 0
    assert float(silent["relation_fraction"]) == float(silent["own_relation_fraction"]) == 1
    assert float(telling["extraction"]) == 1
    assert float(telling["relation_fraction"]) == float(telling["other_fraction"]) == 0
    covered = np.asarray(questions.covered)
    held = np.asarray(questions.test) > 0
    some = covered[np.asarray(facts.templates)][held]
    assert np.isnan(telling["extraction_uncovered"]) == bool(some.all())
    assert np.array_equal(np.asarray(telling["reply"]), 1 + 4 + np.arange(10))


def test_the_optimal_loss_is_reached_by_the_data_s_own_distribution() -> None:
    model, facts = built(OneLayerConfig(width=16, neurons=1, scale=300.0, embeddings="orthonormal"))
    even = knowing(model, facts, ask="relation")
    # Without the small preference for template 0 the K templates are equally likely: nothing better is possible.
    w = np.array(even.neurons)
    e = np.asarray(even.embeddings, float) / even.config.width
    for subject in range(10):
        if 0 in np.asarray(facts.templates)[subject]:
            w[:, 0, 1] -= 0.1 * e[facts.vocabulary.first_subject + subject]
    even = eqx.tree_at(lambda one: one.neurons, even, jnp.asarray(w))
    assert float(eqx.filter_jit(stored_facts)(even, facts)["excess"]) == pytest.approx(0, abs=1e-4)


def test_the_shared_run() -> None:
    base = base_cell(Scale("smoke"))
    shuffled = dataclasses.replace(base.tuning, coverage=CoverageConfig(answers="shuffled"))
    config = dataclasses.replace(base, others=(shuffled,))
    assert groups(config.tunings) == [[0, 1]], "coverage alone needs no second program"
    assert decode(Extraction, encode(config)) == config
    output = config.execute(Unattended())
    run = Tuned(RunResult(config, output.metrics, output.arrays, {}), {"true": base.tuning, "shuffled": shuffled})
    assert len(output.metrics["seed"]) == 2 * 2 * 5
    assert np.array_equal(run.before(), run.run.column("extraction", tuning=1, step=0))
    loss = output.arrays["pretraining.full_loss"]
    assert (loss[:, -1] < 0.5 * loss[:, 0]).all()
    assert (output.arrays["pretraining.excess"][:, -1] > 0).all()
    assert run.after("shuffled").shape == (2,)
    assert output.arrays["reply"].shape == (2, 2, 16)
    assert (output.arrays["leak"] == 0).all()
    held = output.arrays["held_out"][0, 0].any(axis=1)
    assert not (held & output.arrays["asked"][0, 0]).any()
    right = output.arrays["reply"][0, 0] == 1 + 6 + np.arange(16)
    assert run.after("true")[0] == pytest.approx(right[held].mean())
    train_answers = run.curve("shuffled", "asked_accuracy")[1]
    assert (train_answers[:, -1] >= train_answers[:, 0]).all()


def test_what_lies_at_its_bound_asks_for_many_seeds() -> None:
    need, config = in_many_seeds(3), base_cell(Scale("smoke"))
    few, enough = (RunResult(dataclasses.replace(config, seeds=tuple(range(count))), {}, {}, {}) for count in (2, 3))
    assert str(need(few)) == "2 seeds: so near the bound it takes 3 to tell (--seeds 3)"
    assert need(enough) is None


def test_what_the_run_refuses() -> None:
    base = base_cell(Scale("laptop"))
    with pytest.raises(UserError, match=r"tuning\.rank = 51"):
        dataclasses.replace(base, tuning=FineTuningConfig(rank=51))
    with pytest.raises(UserError, match="multiplicity = 30"):
        FactsConfig(multiplicity=30)
    with pytest.raises(UserError, match="steps = 7"):
        PreTrainingConfig(steps=7, records=4)
    with pytest.raises(UserError, match="rate"):
        FineTuningConfig(learning_rate=0.0)
    full, thin = FineTuningConfig(), FineTuningConfig(rank=1)
    fewer = dataclasses.replace(thin, coverage=CoverageConfig(subjects=3))
    assert groups((full, thin, fewer)) == [[0], [1, 2]]
