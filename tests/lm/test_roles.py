"""Matrices by role: each family's own layout, fused ones taken apart."""

import numpy as np
import pytest
import torch
import transformers

from lemmata.core import UserError
from lemmata.lm import Matrix
from lemmata.lm.roles import roles_of
from lm_models import CONFIGS, FAMILIES, GROUPS, HEADS, INNER, WIDTH, tiny, tiny_network

HEAD = WIDTH // HEADS


def own_matrix(family: str, network: torch.nn.Module, layer: int, role: str) -> np.ndarray:
    """The matrix read row by row from the weights, as each family's documentation lays them out."""
    weights = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    if family == "gpt2":
        own = {"mlp in": "mlp.c_fc", "mlp out": "mlp.c_proj", "o": "attn.c_proj"}
        prefix = f"transformer.h.{layer - 1}."
        if role in own:
            return weights[f"{prefix}{own[role]}.weight"].T
        start = "qkv".index(role) * WIDTH
        return weights[f"{prefix}attn.c_attn.weight"][:, start : start + WIDTH].T
    if family == "gpt_neox":
        own = {"mlp in": "mlp.dense_h_to_4h", "mlp out": "mlp.dense_4h_to_h", "o": "attention.dense"}
        prefix = f"gpt_neox.layers.{layer - 1}."
        if role in own:
            return weights[f"{prefix}{own[role]}.weight"]
        fused, which = weights[f"{prefix}attention.query_key_value.weight"], "qkv".index(role)
        return np.stack([fused[(3 * head + which) * HEAD + row] for head in range(HEADS) for row in range(HEAD)])
    prefix = f"model.layers.{layer - 1}."
    if family == "phi3":
        fused, both = weights[f"{prefix}self_attn.qkv_proj.weight"], weights[f"{prefix}mlp.gate_up_proj.weight"]
        key = HEADS * HEAD
        value = key + GROUPS * HEAD
        parts = {"q": fused[:key], "k": fused[key:value], "v": fused[value:], "mlp gate": both[:INNER]}
        parts |= {"mlp in": both[INNER:], "mlp out": weights[f"{prefix}mlp.down_proj.weight"]}
        return (parts | {"o": weights[f"{prefix}self_attn.o_proj.weight"]})[role]
    own = {"mlp in": "mlp.up_proj", "mlp gate": "mlp.gate_proj", "mlp out": "mlp.down_proj"}
    return weights[f"{prefix}{own.get(role, f'self_attn.{role}_proj')}.weight"]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_role_is_the_familys_own_matrix_and_is_written_alone(family: str) -> None:
    network = tiny_network(family)
    expected_roles = 6 if family in ("gpt2", "gpt_neox") else 7
    assert len(roles_of(network)) == expected_roles
    shapes = {"mlp in": (INNER, WIDTH), "mlp gate": (INNER, WIDTH), "mlp out": (WIDTH, INNER)}
    for role in roles_of(network):
        matrix = Matrix(2, role)
        np.testing.assert_array_equal(matrix.get(network), own_matrix(family, network, 2, role))
        if role in shapes:
            assert matrix.get(network).shape == shapes[role]
    for role in roles_of(network):
        before = {other: Matrix(layer, other).get(network) for layer in (2,) for other in roles_of(network)}
        elsewhere = {name: weight.clone() for name, weight in network.named_parameters() if ".1." not in name}
        new = np.random.default_rng(1).standard_normal(before[role].shape).astype(np.float32)
        Matrix(2, role).set(network, new)
        for other in roles_of(network):
            np.testing.assert_array_equal(Matrix(2, other).get(network), new if other == role else before[other])
        assert all(torch.equal(dict(network.named_parameters())[name], old) for name, old in elsewhere.items())


def test_query_and_value_do_what_their_names_say() -> None:
    """With its values at zero, attention adds its output bias alone, in every family."""
    for family in FAMILIES:
        network = tiny_network(family)
        value = Matrix(1, "v")
        value.set(network, np.zeros_like(value.get(network)))
        bias = [weight for name, weight in network.named_parameters() if name.endswith("bias") and "attn" in name]
        bias += [weight for name, weight in network.named_parameters() if name.endswith("query_key_value.bias")]
        with torch.no_grad():
            for weight in bias:
                weight.zero_()
        seen = []
        output = Matrix(1, "o")
        layers = network.get_submodule(
            {"gpt2": "transformer.h", "gpt_neox": "gpt_neox.layers"}.get(family, "model.layers")
        )
        name = {"gpt2": "attn.c_proj", "gpt_neox": "attention.dense"}.get(family, "self_attn.o_proj")
        layers[0].get_submodule(name).register_forward_pre_hook(lambda module, given, seen=seen: seen.append(given[0]))
        with torch.no_grad():
            network(torch.arange(6)[None])
        assert output.get(network).any()
        assert len(seen) == 1
        assert seen[0].abs().max() == 0.0


@pytest.mark.parametrize("family", ["gpt2", "gpt_neox"])
def test_a_role_that_a_family_has_not_is_refused(family: str) -> None:
    with pytest.raises(UserError, match=f"'mlp gate' is not possible: {family} has none; it has 'mlp in'"):
        Matrix(1, "mlp gate").get(tiny_network(family))


def test_layers_count_from_one() -> None:
    network = tiny_network("llama")
    for layer in (0, 4, -1):
        with pytest.raises(UserError, match=f"layer = {layer} is not possible: 1 to 3, counted from 1"):
            Matrix(layer, "q").get(network)


def test_an_unknown_family_is_named_with_those_that_are_known() -> None:
    config = transformers.OPTConfig(
        vocab_size=60, hidden_size=16, ffn_dim=16, num_hidden_layers=1, num_attention_heads=2, word_embed_proj_dim=16
    )
    with pytest.raises(UserError, match=r"'opt' models are not known by role; known: gpt2, gpt_neox, llama.*phi3"):
        Matrix(1, "q").get(transformers.OPTForCausalLM(config))


def test_every_family_named_in_the_table_is_tested() -> None:
    from lemmata.lm.roles import FAMILIES as KNOWN

    assert {CONFIGS[name]().model_type for name in FAMILIES} == set(KNOWN)
    assert tiny("llama").layers == 3
