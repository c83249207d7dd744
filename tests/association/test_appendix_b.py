"""Appendix B's exact laws and constructions, equation (3)'s offset, and the script's conventions: each against another
way of getting it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Unattended, UserError, named_generator, named_key
from lemmata.core.config import encode
from lemmata.papers.association.claims.thm_1 import THEOREM_1
from lemmata.papers.association.model import Transformer, TransformerConfig
from lemmata.papers.association.model.constructed import constructed
from lemmata.papers.association.probe.answers import answers, answers_of_edits, answers_without_residual
from lemmata.papers.association.probe.snapshot import follower_scores, token_scores
from lemmata.papers.association.probe.sweep import without_direction
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.run.noise_frequency import NoiseFrequency
from lemmata.papers.association.run.order_map import OrderMap
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.task import NoisyRecall, RecallConfig, transition_rows
from lemmata.papers.association.theory import RecallChain, attention_logits, margins, memory


def test_the_first_step_of_keys_is_the_exact_chains_where_the_noise_follows_triggers_alone() -> None:
    chain = RecallChain(8, 24, 0.3)
    feed = chain.answer_law() - 1 / 9
    predicted = attention_logits.noise_prediction(chain, np.exp(feed[-1] - feed[1]))
    token, _ = attention_logits.key_gradient(chain, *margins.value_update(chain), predicted)
    frequency, noise, ordinary = NoiseFrequency(num_tokens=8, length=24, alpha=0.3).first_step(0.0)
    np.testing.assert_allclose((noise, ordinary), token[[-1, 1]], rtol=1e-9)
    assert frequency < 1


@pytest.mark.parametrize("offset", [0.0, 0.7])
def test_an_offset_on_every_input_follows_the_two_margin_equation(offset: float) -> None:
    config = MemoryFlow(inputs=3, alpha=0.3, last_time=1e3, points=20, offset=offset)
    found = config.execute(Unattended()).metrics
    path = memory.integrate(memory.margin_rates(3, 0.3, offset), config.times)
    np.testing.assert_allclose(found["a"], path.a, atol=1e-7)
    np.testing.assert_allclose(found["b"], path.b, atol=1e-7)
    signal, noise = memory.singular_values(path.a, path.b, 3, offset)
    np.testing.assert_allclose(found["signal_singular"][1:], signal[1:], rtol=1e-6)
    np.testing.assert_allclose(found["noise_singular"][1:], noise[1:], rtol=1e-5)
    assert ("offset" in encode(config)) == (offset > 0)  # older digests stay


def test_the_limit_of_the_noise_is_below_one_where_the_offset_is_long_enough() -> None:
    for n in range(2, 40):
        edge = max((n - 3) / (n + 1), 0.0) ** 0.5
        assert memory.noise_to_signal(n, 1.001 * edge + 1e-3) < 1
        assert n <= 3 or memory.noise_to_signal(n, 0.999 * edge) > 1


def test_the_constructed_model_copies_the_answer_and_avoids_the_noise() -> None:
    tokens = jnp.array([3, 1, 5, 4, 1, 2, 0, 1])  # trigger 1, answer 5, noise 2
    for c, looked in ((0.5, 2), (-0.5, 5)):
        model = constructed(6, 8, trigger=1, noise=2, alpha=0.3, avoid=c)
        trace = model.trace(tokens)
        assert int(trace.attention[1, -1].argmax()) == looked
        assert trace.attention[0].argmax(axis=1).tolist() == [0, *range(7)]
    said = jax.nn.softmax(constructed(6, 8, 1, 2, 0.3, 0.5)(tokens)[-1])
    np.testing.assert_allclose((said[5], said[2]), (0.7, 0.3), atol=2e-3)


def test_the_script_is_one_switch() -> None:
    script = RecallConfig(symbols=6, length=9, conventions="script")
    by_hand = RecallConfig(symbols=6, length=9, trigger_outputs=True, noise_outputs=True, loss_from=2, last="natural")
    np.testing.assert_array_equal(transition_rows(script), transition_rows(by_hand))
    one, other = (NoisyRecall.create(config).sample(8, key=named_key(0, "data")) for config in (script, by_hand))
    np.testing.assert_array_equal(one.tokens, other.tokens)
    np.testing.assert_array_equal(one.mask, other.mask)
    assert len(script.outputs()) == 6
    assert "conventions" not in encode(RecallConfig())


BY_BLOCK = THEOREM_1.named_parts()
MODEL = Transformer.create(
    TransformerConfig(vocab=6, length=9, width=8, feeds=("none", "none")), key=named_key(0, "init")
)


def test_without_the_last_residual_the_logits_are_attentions_alone() -> None:
    sample = NoisyRecall.create(RecallConfig(symbols=6, length=9)).draw(32, key=named_key(0, "data"))
    traces = jax.vmap(MODEL.trace)(sample.tokens)
    gathered = traces.residuals[:, -1] - traces.residuals[:, -2]
    expected = answers(gathered @ MODEL.output.T, sample, 2)
    found = answers_without_residual({"full": MODEL}, sample, 2)
    for name, value in expected.items():
        np.testing.assert_allclose(found[f"full.{name}"], value, rtol=2e-4, atol=1e-5)
    whole = answers_of_edits({"full": MODEL}, sample, 2)
    assert abs(float(whole["full.clean_loss"] - found["full.clean_loss"])) > 1e-3


def test_a_removed_direction_is_no_longer_written() -> None:
    direction = MODEL.output[2] - MODEL.output.mean(axis=0)
    cut = without_direction(MODEL, 2)
    np.testing.assert_allclose(direction @ cut.blocks[0].output, 0, atol=1e-6)
    other = MODEL.output[3] - MODEL.output.mean(axis=0)
    other -= direction * (other @ direction) / (direction @ direction)
    np.testing.assert_allclose(other @ cut.blocks[0].output, other @ MODEL.blocks[0].output, atol=1e-5)


def test_scores_of_followers_are_those_of_the_trace_without_positions() -> None:
    model = Transformer.create(TransformerConfig(vocab=6, length=9, width=8), key=named_key(1, "init"))
    first, second = model.blocks[0], model.blocks[1]
    x = model.tokens[4] + first.output @ first.value @ model.tokens[1]
    key, query = (one + first.feed(one, "float32") for one in (x, model.tokens[1]))  # pyright: ignore[reportOptionalCall]
    expected = query @ second.key @ key / 8**0.5
    np.testing.assert_allclose(follower_scores(model, 1)[4], expected, rtol=1e-3)
    np.testing.assert_allclose(
        token_scores(model)[4, 1], model.tokens[1] @ second.key @ model.tokens[4] / 8**0.5, rtol=1e-3
    )


def test_bare_readings_are_refused_where_there_is_a_feed_forward_layer() -> None:
    with pytest.raises(UserError, match="bare"):
        RecallTraining(bare=True, fractions=(0.5, 1.0))


def test_theorem_1s_rule_tells_alpha_hat_from_alpha() -> None:
    chain, rule = RecallChain(32, 128, 0.5), BY_BLOCK["attention"].rule
    tokens = named_generator(0, "tests").integers(0, 32, size=(8, 128))
    tokens[4:, : 128 // 2] = 32  # half of the context is noise: α̂ is three quarters of α
    tokens[:, -1] = 0
    margin = margins.exact_attention_margin(tokens, chain)
    right, mutated = margin / margins.printed_attention_margin(tokens, chain), margin / (0.5 / 32)
    assert rule(2.0, right).status == "holds"
    assert rule(2.0, mutated[:4]).status == "holds"
    assert rule(2.0, mutated[4:]).status == "fails"


def test_a_map_finds_first_passages() -> None:
    config = OrderMap(
        symbols=6, length=10, width=8, batch=8, steps=20, every=10, test_sequences=8, rates=(0.01, 0.1), alphas=(0.5,)
    )
    found = config.execute(Unattended()).metrics
    assert len(found["depth"]) == 4
    assert {int(step) for step in found["noise"]} <= {0, 10, 20, 30}
    assert config._first(np.array([False, True, True])) == 10
    assert config._first(np.array([False, False])) == 30
