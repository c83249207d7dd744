"""A causal language model in float32, as transformers runs it, and its answer at the end of a prompt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import UserError, invalid
from lemmata.lm.conversion import converted, first_line
from lemmata.lm.embedded import DEFAULT
from lemmata.lm.extra import library, need_libraries
from lemmata.lm.folder import CONFIG, check_config
from lemmata.lm.hashing import hash_files
from lemmata.lm.prompts import Batch, batches, collect, run_batch
from lemmata.lm.source import find_source


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguageModel:
    """A model, its tokenizer, and where exactly its weights came from."""

    name: str
    revision: str
    weights: str  # sha256 of the weight files
    network: Any  # a transformers PreTrainedModel, float32, in evaluation mode
    tokenizer: Any
    device: str = "cpu"
    pinned: str | None = None  # the revision by which `load` finds the same weights again; None for what has none
    in_place: list[Any] = field(default_factory=list, repr=False)  # the edits that `edited` has made and not yet undone

    @property
    def layers(self) -> int:
        return int(self.network.config.num_hidden_layers)

    def batches(self, prompts: Sequence[str]) -> tuple[Batch, ...]:
        """The prompts as token ids, those of like length together."""
        if not prompts:
            raise UserError("no prompts were given")
        return batches([self.tokens(prompt) for prompt in prompts], self.device)

    def tokens(self, prompt: str) -> list[int]:
        """The prompt's token ids, with what the tokenizer adds of its own."""
        ids = list(self.tokenizer(prompt)["input_ids"])
        longest = getattr(self.network.config, "max_position_embeddings", None)
        if not ids:
            raise invalid("prompt", prompt, "it must hold at least one token")
        if longest is not None and len(ids) > longest:
            raise invalid("prompt", prompt[:40] + "...", f"{len(ids)} tokens, where {self.name} reads {longest}")
        return ids

    def last_logits(self, prompts: Sequence[str]) -> Float[np.ndarray, "prompt vocabulary"]:
        """Logits of the token after each prompt. Prompts are padded on the right, which no causal model can see."""
        groups = self.batches(prompts)
        return collect(groups, [run_batch(self.network, batch) for batch in groups])

    def first_token(self, text: str) -> int:
        """The first token of a text inside a sentence: give the space before a word."""
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        if not ids:
            raise invalid("answer", text, "it must hold at least one token")
        return int(ids[0])


def load(
    model: str = DEFAULT,
    *,
    revision: str | None = None,
    device: str = "cpu",
    allow_download: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> LanguageModel:
    """A model by hub name, folder or GGUF file. The network is used only with `allow_download`.

    Only safetensors and GGUF are read, and nothing from a model's repository is executed. `say` is told what takes
    long.
    """
    need_libraries()  # before anything is looked for: without them it would be in vain
    source = find_source(model, revision, allow_download=allow_download)
    weights = hash_files(source.files)
    folder = converted(source.name, source.path, weights, say) if source.is_gguf else source.path
    network, tokenizer = load_folder(folder, source.name)
    return LanguageModel(
        name=source.name,
        revision=source.revision,
        weights=weights,
        network=_moved(network, device),
        tokenizer=tokenizer,
        device=device,
        pinned=source.revision if source.kind == "hub" else None,
    )


def load_folder(folder: Path, name: str) -> tuple[Any, Any]:
    """Network and tokenizer of a checked folder. A tensor that is missing is refused, not drawn at random."""
    torch, transformers = library("torch"), library("transformers")
    kind = check_config(folder, name).get("model_type")
    if kind not in transformers.CONFIG_MAPPING:
        raise UserError(
            f"{name}: model_type {kind!r} in {CONFIG} is not one of transformers' own; "
            "code from a model's repository is never executed"
        )
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        network, info = transformers.AutoModelForCausalLM.from_pretrained(
            folder, **safe, dtype=torch.float32, use_safetensors=True, output_loading_info=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safe)
    except Exception as error:
        raise UserError(f"{name} cannot be loaded from {folder}: {first_line(error)}") from None
    if info["missing_keys"]:
        first = min(info["missing_keys"])
        raise UserError(f"{name} is damaged: {len(info['missing_keys'])} tensors are missing, the first is {first}")
    return network.float().eval().requires_grad_(False), tokenizer


def _moved(network: Any, device: str) -> Any:
    try:
        return network.to(device)
    except (RuntimeError, AssertionError) as error:
        raise invalid("device", device, first_line(error)) from None
