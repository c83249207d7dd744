"""Tiny random models of every family, and a tokenizer of whole words, made on the spot."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from lemmata.lm.model import LanguageModel

transformers.logging.disable_progress_bar()  # what a test's set-up prints is not what a command prints
WORDS = ["[UNK]", "the", "Spain", "France", "Madrid", "Paris", "is", "located", "in", *(f"w{i}" for i in range(51))]
WIDTH, INNER, HEADS, GROUPS, LAYERS = 32, 48, 4, 2, 3
PROMPTS = ["Madrid is located in", "Paris", "w1 w2 w3 w4 w5 w6 w7 w8 w9", "w3 is", "Paris is located in"]
COMMON: dict[str, Any] = {"vocab_size": len(WORDS), "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
GATED = COMMON | {
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "num_key_value_heads": GROUPS,
    "max_position_embeddings": 64,
}
HEAD = {"head_dim": WIDTH // HEADS}
CONFIGS = {
    "gpt2": lambda: transformers.GPT2Config(
        **COMMON, n_embd=WIDTH, n_inner=INNER, n_head=HEADS, n_layer=LAYERS, n_positions=64
    ),
    "gpt_neox": lambda: transformers.GPTNeoXConfig(
        **COMMON,
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_attention_heads=HEADS,
        num_hidden_layers=LAYERS,
        max_position_embeddings=64,
    ),
    "llama": lambda: transformers.LlamaConfig(**GATED),
    "smollm": lambda: transformers.LlamaConfig(**GATED, tie_word_embeddings=True),
    "mistral": lambda: transformers.MistralConfig(**GATED, **HEAD),
    "qwen2": lambda: transformers.Qwen2Config(**GATED),
    "qwen3": lambda: transformers.Qwen3Config(**GATED, **HEAD),
    "gemma": lambda: transformers.GemmaConfig(**GATED, **HEAD),
    # Windows of four tokens, so that prompts are longer than what a layer may see.
    "gemma2": lambda: transformers.Gemma2Config(**GATED, **HEAD, sliding_window=4, query_pre_attn_scalar=8),
    "gemma3_text": lambda: transformers.Gemma3TextConfig(
        **GATED,
        **HEAD,
        sliding_window=4,
        query_pre_attn_scalar=8,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    ),
    "phi3": lambda: transformers.Phi3Config(**GATED),
}
FAMILIES = tuple(CONFIGS)


def tiny_tokenizer() -> Any:
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()  # type: ignore
    return transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]")


def tiny_network(family: str, seed: int = 0) -> Any:
    """Weights ten times the usual size: logits then differ by much more than rounding."""
    torch.manual_seed(seed)
    network = transformers.AutoModelForCausalLM.from_config(CONFIGS[family](), dtype=torch.float32)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.ndim == 2:
                weight.normal_(0.0, 0.2)
            elif name.endswith("bias"):
                weight.normal_(0.0, 0.1)
    return network.eval().requires_grad_(False)


def tiny(family: str, seed: int = 0) -> LanguageModel:
    return LanguageModel(
        name=f"tiny-{family}",
        revision="local",
        weights="0" * 64,
        network=tiny_network(family, seed),
        tokenizer=tiny_tokenizer(),
    )


def save_tiny(family: str, folder: Path, **saving: Any) -> Path:
    tiny_network(family).save_pretrained(folder, **saving)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def own_logits(model: LanguageModel, prompt: str) -> torch.Tensor:
    """What transformers itself says after a prompt."""
    with torch.no_grad():
        return model.network(**model.tokenizer(prompt, return_tensors="pt")).logits[0, -1]
