"""What a model says: transformers' own logits, several prompts at once, and the upper layers alone."""

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.lm import Edit, Largest, Upper, edited
from lm_models import FAMILIES, PROMPTS, own_logits, tiny


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_transformers(family: str) -> None:
    model = tiny(family)
    ours = model.last_logits(PROMPTS)
    own = np.stack([own_logits(model, prompt).numpy() for prompt in PROMPTS])
    np.testing.assert_allclose(ours, own, atol=1e-5 * np.abs(own).max())
    assert np.ptp(own, axis=0).max() > 0.1  # the prompts are told apart
    np.testing.assert_allclose(model.last_logits(PROMPTS[2:3])[0], own[2], atol=1e-6 * np.abs(own).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_upper_layers_alone_give_what_the_whole_gives(family: str) -> None:
    model = tiny(family)
    whole = model.last_logits(PROMPTS)
    uppers = Upper.at_each(model, PROMPTS, (1, 2, 3))
    for layer in (1, 2, 3):
        np.testing.assert_array_equal(Upper(model, PROMPTS, layer).last_logits(), whole)
        np.testing.assert_array_equal(uppers[layer].last_logits(), whole)
        with edited(model, Edit(layer, "mlp in", Largest(3)), Edit(3, "v", Largest(2))):
            after = model.last_logits(PROMPTS)
            np.testing.assert_array_equal(uppers[layer].last_logits(), after)
        assert np.abs(after - whole).max() > 1e-2
    np.testing.assert_array_equal(model.last_logits(PROMPTS), whole)  # nothing is left of the detour


def test_an_edit_below_is_refused_unless_it_was_there_before() -> None:
    model = tiny("llama")
    below = Edit(1, "mlp in", Largest(2))
    upper = Upper(model, PROMPTS, 2)
    with edited(model, below):
        with pytest.raises(UserError, match="a layer below 2 was edited"):
            upper.last_logits()
        inside = Upper(model, PROMPTS, 2)
        np.testing.assert_array_equal(inside.last_logits(), model.last_logits(PROMPTS))
    upper.last_logits()
    with pytest.raises(UserError, match="a layer below 2 was edited"):
        inside.last_logits()


def test_layers_below_are_not_run() -> None:
    model = tiny("llama")
    upper = Upper(model, PROMPTS, 3)
    runs: list[int] = []
    for number, layer in enumerate(model.network.model.layers, 1):
        layer.mlp.register_forward_hook(lambda *given, number=number: runs.append(number))
    upper.last_logits()
    assert set(runs) == {3}


def test_a_layer_that_is_not_there_is_refused_and_nothing_stays_hooked() -> None:
    model = tiny("gpt2")
    with pytest.raises(UserError, match="layer = 4 is not possible: 1 to 3"):
        Upper.at_each(model, PROMPTS, (2, 4))
    assert not any(block._forward_pre_hooks for block in model.network.transformer.h)


def test_prompts_that_cannot_be_read_are_refused() -> None:
    model = tiny("llama")
    with pytest.raises(UserError, match="at least one token"):
        model.last_logits([""])
    with pytest.raises(UserError, match="65 tokens, where tiny-llama reads 64"):
        model.last_logits(["w1 " * 65])
    with pytest.raises(UserError, match="no prompts"):
        model.last_logits([])
    with pytest.raises(UserError, match="answer = ''"):
        model.first_token("")
