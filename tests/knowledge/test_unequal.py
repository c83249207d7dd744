"""Subjects with unequal numbers of templates: their sentences, their loss, and what claims read of them."""

from dataclasses import replace
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Recorded, RunResult, UserError, precision
from lemmata.papers.knowledge.claims.unequal import Replies, excess
from lemmata.papers.knowledge.model import OneLayer
from lemmata.papers.knowledge.run.pipeline import theory_model
from lemmata.papers.knowledge.run.staged_pretraining import Prompts, whole_gradient
from lemmata.papers.knowledge.run.unequal import UnequalMultiplicity, thinned
from lemmata.papers.knowledge.task import Facts, FactsConfig
from lemmata.train import next_token_loss

WORLD = FactsConfig(subjects=6, templates=5, multiplicity=4)
RUN = UnequalMultiplicity(facts=WORLD, multiplicities=(1, 2, 4), model=theory_model(16, 3), asked=(2, 3), seeds=(0,))


def test_each_subject_keeps_its_first_templates_and_repeats_them_evenly() -> None:
    world = Facts.create(WORLD, 0)
    before, after = (np.asarray(one.templates) for one in (world, thinned(world, RUN.counts)))
    np.testing.assert_array_equal(RUN.counts, [1, 2, 4, 1, 2, 4])
    for count, drawn, kept in zip(RUN.counts, before, after, strict=True):
        np.testing.assert_array_equal(kept, np.tile(drawn[:count], 4 // count))


def test_the_loss_is_over_each_sentence_once() -> None:
    with precision("float64"):
        world = thinned(Facts.create(WORLD, 1), RUN.counts)
        prompts = Prompts.of(world, RUN.counts)
        model = OneLayer.create(replace(theory_model(16, 3), neuron_start=0.2), WORLD, 1)
        loss, known, *_ = eqx.filter_jit(whole_gradient)(model, prompts)
        every = [(j, t) for j, k in enumerate(RUN.counts) for t in np.asarray(world.templates)[j, :k]]
        subjects, templates = (jnp.array(one) for one in zip(*every, strict=True))
        batch = world.sentences(subjects, templates)
        assert float(loss) == pytest.approx(float(eqx.filter_jit(next_token_loss)(model, batch)), abs=1e-12)
    np.testing.assert_array_equal(prompts.owner, subjects)
    np.testing.assert_array_equal(prompts.multiplicity, RUN.counts[np.asarray(subjects)])
    assert float(known["relation_most"]) > 0


def test_extraction_is_read_by_the_number_of_templates() -> None:
    right = 1 + WORLD.templates + np.arange(6)
    reply = np.stack([[right], [np.where(RUN.counts == 4, right, 2)]])  # number of questions, seed, subject
    arrays: dict[str, Any] = {"loss": np.array([0.5]), "counts": RUN.counts, "held_out": np.ones((1, 6), bool)}
    arrays |= {"reply": reply, "before.reply": np.full((1, 6), 2)}
    run = RunResult(RUN, Recorded({}), Recorded(arrays), {})
    np.testing.assert_array_equal(Replies(run).by_count(), [[[1, 1, 1], [0, 0, 1]]])
    np.testing.assert_array_equal(Replies(run).gain, [[0, 1]])
    np.testing.assert_array_equal(Replies(run, before=True).gain, [[0, 0]])
    least = 2 * (2 * np.log(2) + 4 * np.log(4)) / 14 / 3
    np.testing.assert_allclose(excess(run), 0.5 - least)


@pytest.mark.parametrize("multiplicities", [(1, 2), (3, 4)])
def test_multiplicities_divide_the_most(multiplicities: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="multiplicities"):
        replace(RUN, multiplicities=multiplicities)
