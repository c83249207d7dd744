"""Templates that are phrases of several words: their sentences, their loss and its gradient."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe import stored_facts
from lemmata.papers.knowledge.run.pipeline import Pipeline
from lemmata.papers.knowledge.run.pretraining import Sentences
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import next_token_loss

WORLD = FactsConfig(subjects=4, templates=3, multiplicity=2, phrase=3)


def test_a_sentence_has_its_whole_phrase() -> None:
    facts, words = Facts.create(WORLD, 0), WORLD.vocabulary()
    assert words.templates == 9
    subjects, templates = jnp.arange(4), facts.templates[:, 0]
    batch = facts.sentences(subjects, templates)
    np.testing.assert_array_equal(batch.tokens[:, 1], words.first_subject + subjects)
    np.testing.assert_array_equal(batch.tokens[:, 2:5], 3 + templates[:, None] + jnp.arange(3))
    np.testing.assert_array_equal(batch.tokens[:, 5], words.first_answer + subjects)
    np.testing.assert_array_equal(batch.mask[0], [True, True, True, True, True, False])
    assert set(templates.tolist()) <= {0, 3, 6}
    np.testing.assert_array_equal(facts.prompts(subjects), [[0, words.first_subject + one, 1] for one in subjects])


def test_the_same_facts_as_with_one_word() -> None:
    phrases, words = Facts.create(WORLD, 5), Facts.create(replace(WORLD, phrase=1), 5)
    np.testing.assert_array_equal(phrases.templates, 3 * np.asarray(words.templates))
    found = [Questions.choose(one, CoverageConfig(templates=2), 5) for one in (phrases, words)]
    np.testing.assert_array_equal(found[0].different, found[1].different)
    np.testing.assert_array_equal(np.asarray(found[0].covered)[::3], found[1].covered)


def test_the_loss_over_every_fact() -> None:
    with precision("float64"):
        facts = Facts.create(WORLD, 1)
        model = OneLayer.create(OneLayerConfig(width=10, neurons=3, neuron_start=0.4), WORLD, 1)
        owner = jnp.repeat(jnp.arange(4), 2)
        batch = facts.sentences(owner, facts.templates.reshape(-1))
        direct = float(eqx.filter_jit(next_token_loss)(model, batch))
        found = jax.jit(stored_facts)(model, facts)
        assert float(found["full_loss"]) == pytest.approx(direct, rel=1e-12)
        assert float(found["excess"]) == pytest.approx(direct - np.log(2) / 5, rel=1e-9)


def test_a_step_descends_on_the_next_token_loss() -> None:
    with precision("float64"):
        facts, key = Facts.create(WORLD, 2), named_key(2, "step")
        model = OneLayer.create(OneLayerConfig(width=10, neurons=3, neuron_start=0.4), WORLD, 2)
        moving, fixed = eqx.partition(model, eqx.is_inexact_array)
        found, gradient = Sentences(6)(moving, fixed, facts, key)
        batch = facts.sentences(*facts.draw(6, key=key))
        loss, direct = eqx.filter_value_and_grad(next_token_loss)(model, batch)
        assert float(found["loss"]) == pytest.approx(float(loss), rel=1e-12)
        np.testing.assert_allclose(gradient.neurons, direct.neurons, rtol=1e-9)


def test_phrases_have_no_stages() -> None:
    with pytest.raises(UserError, match="stages"):
        Pipeline(facts=WORLD)
    with pytest.raises(UserError, match="phrase"):
        replace(WORLD, name_length=2)
