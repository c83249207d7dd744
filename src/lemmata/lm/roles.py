"""Weight matrices by their role, whatever a family calls them and however it fuses them. Layers count from 1.

Every matrix is given as [out, in]: it maps a column of inputs to outputs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from lemmata.core import UserError, require, unknown
from lemmata.lm.extra import library

Role = Literal["mlp in", "mlp gate", "mlp out", "q", "k", "v", "o"]
ROLES: tuple[Role, ...] = get_args(Role)
Tensor = Any  # torch's; this file is read without torch
Part = Callable[[Tensor, Any], Tensor]  # ([out, in] weight, the model's configuration) -> a view of one role's rows


@dataclass(frozen=True)
class Place:
    """Where in a layer a role's matrix lies: a module's weight, or a part of it."""

    module: str
    part: Part | None = None


@dataclass(frozen=True)
class Family:
    """How one family of models names its layers and matrices."""

    layers: str
    norm: str  # what the last layer's output goes through before the output matrix
    places: Mapping[Role, Place]
    transposed: bool = False  # GPT-2 keeps [in, out]


def thirds(index: int) -> Part:
    """GPT-2: all of q, then all of k, then all of v."""
    return lambda weight, config: weight.chunk(3)[index]


def of_each_head(index: int) -> Part:
    """GPT-NeoX: head by head, its q, its k, its v."""

    def rows(weight: Tensor, config: Any) -> Tensor:
        heads = config.num_attention_heads
        return weight.view(heads, 3, weight.shape[0] // (3 * heads), weight.shape[1])[:, index]

    return rows


def grouped(index: int) -> Part:
    """Phi-3: q of all heads, then k and v of the fewer key-value heads."""

    def rows(weight: Tensor, config: Any) -> Tensor:
        of_values = config.num_key_value_heads
        head = weight.shape[0] // (config.num_attention_heads + 2 * of_values)
        return weight.split([config.num_attention_heads * head, of_values * head, of_values * head])[index]

    return rows


def halves(index: int) -> Part:
    """Phi-3: the gate, then the up-projection."""
    return lambda weight, config: weight.chunk(2)[index]


GPT2 = Family(
    "transformer.h",
    "transformer.ln_f",
    {
        "mlp in": Place("mlp.c_fc"),
        "mlp out": Place("mlp.c_proj"),
        "q": Place("attn.c_attn", thirds(0)),
        "k": Place("attn.c_attn", thirds(1)),
        "v": Place("attn.c_attn", thirds(2)),
        "o": Place("attn.c_proj"),
    },
    transposed=True,
)
NEOX = Family(
    "gpt_neox.layers",
    "gpt_neox.final_layer_norm",
    {
        "mlp in": Place("mlp.dense_h_to_4h"),
        "mlp out": Place("mlp.dense_4h_to_h"),
        "q": Place("attention.query_key_value", of_each_head(0)),
        "k": Place("attention.query_key_value", of_each_head(1)),
        "v": Place("attention.query_key_value", of_each_head(2)),
        "o": Place("attention.dense"),
    },
)
LLAMA = Family(
    "model.layers",
    "model.norm",
    {
        "mlp in": Place("mlp.up_proj"),
        "mlp gate": Place("mlp.gate_proj"),
        "mlp out": Place("mlp.down_proj"),
        "q": Place("self_attn.q_proj"),
        "k": Place("self_attn.k_proj"),
        "v": Place("self_attn.v_proj"),
        "o": Place("self_attn.o_proj"),
    },
)
PHI3 = Family(
    "model.layers",
    "model.norm",
    {
        "mlp in": Place("mlp.gate_up_proj", halves(1)),
        "mlp gate": Place("mlp.gate_up_proj", halves(0)),
        "mlp out": Place("mlp.down_proj"),
        "q": Place("self_attn.qkv_proj", grouped(0)),
        "k": Place("self_attn.qkv_proj", grouped(1)),
        "v": Place("self_attn.qkv_proj", grouped(2)),
        "o": Place("self_attn.o_proj"),
    },
)
FAMILIES = {  # by transformers' model_type
    "gpt2": GPT2,
    "gpt_neox": NEOX,
    "llama": LLAMA,
    "mistral": LLAMA,
    "qwen2": LLAMA,
    "qwen3": LLAMA,
    "gemma": LLAMA,
    "gemma2": LLAMA,
    "gemma3_text": LLAMA,
    "phi3": PHI3,
}


@dataclass(frozen=True)
class Matrix:
    """One matrix of any model: its layer, from 1, and its role."""

    layer: int
    role: Role

    def get(self, network: Any) -> Float[np.ndarray, "out in"]:
        """A copy, [out, in]."""
        view = self._view(network)
        return view.reshape(-1, view.shape[-1]).cpu().numpy().copy()

    def set(self, network: Any, values: Float[np.ndarray, "out in"]) -> None:
        """Write the matrix in place; of a fused one, its own part alone."""
        torch = library("torch")
        view = self._view(network)
        with torch.no_grad():
            view.copy_(torch.from_numpy(np.ascontiguousarray(values)).reshape(view.shape))

    def parameter(self, network: Any) -> Any:
        """The whole weight that holds this matrix."""
        place = find_place(network, self.role)
        return decoder_layer(network, self.layer).get_submodule(place.module).weight

    def _view(self, network: Any) -> Tensor:
        weight = self.parameter(network).detach()
        rows = weight.T if family_of(network).transposed else weight
        part = find_place(network, self.role).part
        return rows if part is None else part(rows, network.config)


def family_of(network: Any) -> Family:
    kind = network.config.model_type
    if kind not in FAMILIES:
        raise UserError(f"matrices of {kind!r} models are not known by role; known: {', '.join(FAMILIES)}")
    return FAMILIES[kind]


def roles_of(network: Any) -> tuple[Role, ...]:
    """The roles that this model has."""
    return tuple(role for role in ROLES if role in family_of(network).places)


def find_place(network: Any, role: Role) -> Place:
    if role not in ROLES:
        raise unknown("matrix", role, ROLES)
    if role not in roles_of(network):
        has = ", ".join(repr(name) for name in roles_of(network))
        raise UserError(f"matrix {role!r} is not possible: {network.config.model_type} has none; it has {has}")
    return family_of(network).places[role]


def decoder_layer(network: Any, layer: int) -> Any:
    layers = network.get_submodule(family_of(network).layers)
    require(1 <= layer <= len(layers), "layer", layer, f"1 to {len(layers)}, counted from 1")
    return layers[layer - 1]


def final_norm(network: Any) -> Any:
    """The norm before the output matrix."""
    return network.get_submodule(family_of(network).norm)
