"""A tiny Llama as a GGUF file, laid out as llama.cpp's converter does."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np

from lm_models import GROUPS, HEADS, INNER, LAYERS, WIDTH

LETTERS = [chr(code) for code in (*range(33, 127), 0x120)]  # bytes as GPT-2's tokenizer writes them; the last: a space
TOKENS = ["<s>", *LETTERS, "in"]
VOCABULARY = len(TOKENS)
NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def write_gguf(file: Path, network: Any, *, begins_with_bos: bool | None = None) -> Path:
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_name("tiny")
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(GROUPS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, *[1] * (VOCABULARY - 1)])
    writer.add_token_merges(["i n"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    if begins_with_bos is not None:
        writer.add_add_bos_token(begins_with_bos)
    weights = {name: weight.detach().numpy() for name, weight in network.named_parameters()}
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"])
    writer.add_tensor("output.weight", weights["lm_head.weight"])
    for layer in range(LAYERS):
        for own, theirs in NAMES.items():
            values = weights[f"model.layers.{layer}.{own}.weight"]
            heads = {"attn_q": HEADS, "attn_k": GROUPS}.get(theirs)
            values = values if heads is None else interleaved(values, heads)
            writer.add_tensor(f"blk.{layer}.{theirs}.weight", np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def interleaved(values: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp rotates neighbouring pairs, transformers halves: the rows of q and k are in another order."""
    halves = values.reshape(heads, 2, values.shape[0] // heads // 2, values.shape[1])
    return halves.swapaxes(1, 2).reshape(values.shape)
