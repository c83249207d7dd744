"""All of W^KQ by gradient descent as scores of positions and tokens, and what a silenced memory answers."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import Unattended, named_key, precision
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    EosScores,
    MemoryTransformer,
    both_attentions,
    eos_decoding,
    eos_nll,
    full_key_query,
    recalled,
)
from lemmata.papers.ic_recall.model.fast.frozen_memory import evaluated, pairs_of_positions
from lemmata.papers.ic_recall.run.adam_fine_tuning import loss_from_counts, probe_from_counts, tokens_and_counts
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.papers.ic_recall.run.one_step import OneStep
from lemmata.papers.ic_recall.run.silenced_memory import EOS, SILENCED, silenced
from lemmata.papers.ic_recall.task import RandomBijections, stored
from lemmata.papers.ic_recall.theory.sign_step import token_lead
from lemmata.train import Autodiff, Descent, fit, only

WORLD = RandomBijections(n=6, relations=12).draw(0)
STEPS, RATE, T = 60, 0.2, 0.05


def test_scores_of_positions_and_tokens_follow_descent_on_all_of_w_kq():
    with precision("float64"):
        data = tokens_and_counts(WORLD, WORLD.sequences(5, 2, seed=0, name="x"), 5)
        task = FineTuning(data, T, tokens_and_counts(WORLD, WORLD.sequences(50, 2, seed=0, name="test"), 50))
        dense = MemoryTransformer.constructed(WORLD.table, 2, named_key(0, "embeddings"), 40)
        algorithm = Descent(Autodiff(loss_from_counts), only(full_key_query), optax.sgd, RATE)
        trained, _ = fit(algorithm, task, dense, named_key(0, "unused"), steps=STEPS, every=STEPS)
        context = data.tokens[:, :-2]

        def loss(model, task, key):
            return jnp.mean(eos_nll(model, context, data.log_counts, task.temperature))

        few = Descent(Autodiff(loss), only(lambda m: (m.position, m.token)), optax.sgd, RATE)
        scores, _ = fit(few, task, EosScores.zeros(2, WORLD.n), named_key(0, "unused"), steps=STEPS, every=STEPS)
        wanted, _ = both_attentions(trained, data.tokens)
        np.testing.assert_allclose(scores.attention(context), wanted, atol=1e-12)
        assert np.abs(wanted - 1 / 6).max() > 0.1  # it has moved
        found = eos_decoding(scores, task.test.tokens[:, :-2], task.test.log_counts).mean()
        assert found == pytest.approx(float(probe_from_counts(trained, task, named_key(0, ""))["first_argmax"]))


def test_a_step_by_signs_favours_pairs_of_tokens_by_the_width():
    run = OneStep(world=RandomBijections(n=8, relations=48), widths=(2, 6), sequences=(8,), seeds=(0, 1))
    found = run.execute(Unattended()).metrics
    lead = found["token"] / found["position"]
    for width in run.widths:
        told = token_lead(width * 65.0, found["coefficient"], found["norm"])
        for rule in ("adam", "adamw", "sign descent"):
            here = (found["rule"] == rule) & (found["width"] == width)
            np.testing.assert_allclose(lead[here], told[here], rtol=0.12)
    plain = found["rule"] == "gradient descent"
    np.testing.assert_allclose(lead[plain & (found["width"] == 2)], lead[plain & (found["width"] == 6)], rtol=1e-6)


def test_without_eos_the_memory_sees_everything_else():
    with precision("float64"):
        model = DenseTransformer.untrained(6, 12, 2, 20, named_key(0, "init"))
        batch = stored(WORLD, WORLD.sequences(4, 2, seed=0, name="x")).batch
        forms = recalled(model, batch.tokens, batch.targets)
        attention = jax.nn.softmax(jax.random.normal(named_key(0, "v"), (4, 6)), axis=1)
        kept = ~silenced("EoS", 6)
        found = evaluated(forms.relations * kept[None, :, None], attention)
        seen = jnp.einsum("bi,bid->bd", attention[:, :EOS], model.embeddings[batch.tokens[:, :EOS]])
        wanted = jax.vmap(model.memory)(seen) @ model.embeddings[model.vocabulary.relations].T
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_what_was_never_shown_is_eos_two_subjects_and_two_answers():
    i, j = pairs_of_positions(6)
    names = ["s1", "a1", "s2", "a2", "s3", "EoS"]
    gone = {(names[a], names[b]) for a, b, out in zip(i, j, silenced("what was never shown", 6), strict=True) if out}
    alike = {("s1", "s2"), ("s1", "s3"), ("s2", "s3"), ("a1", "a2")}
    assert gone == alike | {(name, "EoS") for name in names}
    assert not silenced("nothing", 7).any()
    assert all(silenced(which, 7).shape == pairs_of_positions(7)[0].shape for which in SILENCED)
