"""A padded cell gives the numbers of an unpadded one: a gradient in float32, whole trainings in float64."""

import dataclasses

import equinox as eqx
import numpy as np
import pytest

from lemmata.core import Unattended, UserError, named_key, precision
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.run.fast.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import pretrain, tune
from lemmata.papers.knowledge.task import Facts, FactsConfig

SMALL = FactsConfig(subjects=12, templates=5, multiplicity=2)
PADDED = dataclasses.replace(SMALL, pad_subjects=17, pad_templates=9, pad_multiplicity=4)
MODEL = OneLayerConfig(width=10, neurons=2)
PRETRAINING = PreTrainingConfig(steps=60, batch=16, neuron_learning_rate=1e-2, attention_learning_rate=1e-3, records=1)
TUNING = FineTuningConfig(steps=10, batch=8, learning_rate=3e-3)
SEEDS = (0, 4)


def test_a_padded_gradient_in_float32() -> None:
    found = []
    for world in (SMALL, PADDED):
        model, facts = OneLayer.create(MODEL, world, 0), Facts.create(world, 0)
        drawn = facts.draw(16, key=named_key(0, "data"))
        said, attention, neurons = eqx.filter_jit(sentence_gradient)(model, facts, *drawn)
        found.append((said.loss(), attention, np.asarray(neurons)[:, :, np.asarray(model.present)]))
    for plain, wide in zip(*found, strict=True):
        assert np.allclose(plain, wide, rtol=1e-5, atol=1e-6 * float(np.abs(plain).max()))


def test_a_padded_world_trains_to_the_same_numbers() -> None:
    with precision("float64"):
        found = []
        for world in (SMALL, PADDED):
            models, facts, stored = pretrain([(world, seed) for seed in SEEDS], MODEL, PRETRAINING, Unattended())
            (outcome,) = tune(models, facts, [TUNING], SEEDS, Unattended(), "fine-tuning")
            found.append((models, stored, outcome.metrics))
    (plain, stored, tuned), (wide, wide_stored, wide_tuned) = found
    real = np.asarray(wide.present)[0]
    size = float(np.abs(np.asarray(plain.neurons)).max())
    assert size > 0.05, "the neurons have learned something"
    assert np.abs(np.asarray(wide.neurons)[..., real] - np.asarray(plain.neurons)).max() < 1e-9 * size
    assert np.abs(np.asarray(wide.neurons)[..., ~real]).max() == 0
    assert np.abs(np.asarray(wide.attention) - np.asarray(plain.attention)).max() < 1e-9
    for name in ("full_loss", "excess", "fact_accuracy", "template_accuracy", "attention_os", "attention_osr"):
        assert np.allclose(stored[name], wide_stored[name], rtol=1e-9, atol=1e-9), name
    for name in ("loss", "extraction", "relation_fraction", "other_fraction", "attention_osp", "answer_from_subject"):
        assert np.allclose(tuned[name], wide_tuned[name], rtol=1e-9, atol=1e-9), name
    assert np.array_equal(tuned["reply"][..., :12] <= 5, wide_tuned["reply"][..., :12] <= 9)


def test_cells_go_to_the_first_shape_that_holds_them() -> None:
    sweep = Sweep(cells=((50, 10, 2), (100, 10, 5), (50, 40, 2)), shapes=((50, 20), (100, 40)))
    small, large = (sweep.worlds(shape) for shape in sweep.shapes)
    assert [(world.subjects, world.templates) for world in small] == [(50, 10)]
    assert [(world.subjects, world.templates) for world in large] == [(100, 10), (50, 40)]
    assert {world.vocabulary() for world in large} == {large[0].vocabulary()}
    assert {world.pad_multiplicity for world in large} == {5}
    with pytest.raises(UserError, match="cells"):
        Sweep(cells=((60, 10, 2),), shapes=((50, 20),))
    with pytest.raises(UserError, match="multiplicity = 11"):
        Sweep(cells=((50, 10, 11),), shapes=((50, 20),))
