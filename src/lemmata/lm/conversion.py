"""A GGUF file made into a safetensors folder, once: dequantizing takes long, and later loads take seconds.

The folder is kept under the file's hash and the version of this file, so a changed file is another folder.
"""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from lemmata.core import UserError
from lemmata.lm.extra import library
from lemmata.lm.folder import CONFIG, weight_files
from lemmata.lm.place import cache_folder, need_room, readable, whole_folder

VERSION = 1  # of what is made of a file
FLOAT32_PER_QUANTIZED = 8  # four bits become thirty-two: the most a usual file grows


def converted(name: str, file: Path, digest: str, say: Callable[[str], None]) -> Path:
    """The folder of a GGUF file's float32 weights and tokenizer."""
    target = cache_folder() / "converted" / f"{digest}.{VERSION}"
    if (target / CONFIG).is_file():
        weight_files(target, name)
        return target
    size = file.stat().st_size
    need_room(target.parent, FLOAT32_PER_QUANTIZED * size, f"{name} as float32")
    say(f"converting {file.name} ({readable(size)}) to float32, once: about {max(1, round(size / 4e6))} s")
    with whole_folder(target) as trial:
        network, tokenizer = _read(name, file)
        clear_quantizer(network)
        network.save_pretrained(trial)
        tokenizer.save_pretrained(trial)
        network.config.to_json_file(trial / CONFIG)  # last: a folder with a configuration is whole
    return target


def clear_quantizer(network: Any) -> None:
    """The weights are plain float32 by now, but transformers refuses to save a model that remembers its quantizer."""
    network.hf_quantizer = None
    network.is_quantized = False
    for owner, field in ((network, "quantization_method"), (network.config, "quantization_config")):
        if hasattr(owner, field):
            delattr(owner, field)


def _read(name: str, file: Path) -> tuple[Any, Any]:
    torch, transformers = library("torch"), library("transformers")
    header = _checked_header(name, file)
    where = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name}
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        # Without `dequantize` a machine with a GPU would look for kernels on the hub and keep packed weights.
        plain = transformers.GgufConfig(dequantize=True)
        with redirect_stderr(io.StringIO()):  # its bars cannot be switched off
            network, info = transformers.AutoModelForCausalLM.from_pretrained(
                **where, **safe, dtype=torch.float32, quantization_config=plain, output_loading_info=True
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(**where, **safe)
    except Exception as error:
        raise UserError(f"{name}: {file} cannot be converted: {first_line(error)}") from None
    if info["missing_keys"]:
        raise UserError(f"{name}: {file} is damaged: {len(info['missing_keys'])} tensors are missing")
    if _begins_with_bos(header):
        _add_bos(tokenizer)
    return network, tokenizer


def _begins_with_bos(header: Any) -> bool:
    """Does the file want a first token before every text? If it does not say, sentencepiece models do."""
    said, kind = (header.fields.get(f"tokenizer.ggml.{field}") for field in ("add_bos_token", "model"))
    return bool(said.contents()) if said is not None else kind is not None and kind.contents() == "llama"


def _add_bos(tokenizer: Any) -> None:
    """transformers leaves the first token out, and models that were trained with it then talk nonsense."""
    if tokenizer.bos_token is None or tokenizer("a")["input_ids"][:1] == [tokenizer.bos_token_id]:
        return
    bos = tokenizer.bos_token
    tokenizer.backend_tokenizer.post_processor = library("tokenizers.processors").TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.bos_token_id)]
    )


def _checked_header(name: str, file: Path) -> Any:
    """The file's header; every tensor must end inside the file."""
    gguf = library("gguf")
    try:
        header = gguf.GGUFReader(file)
        end = max(int(tensor.data_offset) + int(tensor.n_bytes) for tensor in header.tensors)
    except Exception as error:
        is_short = "reshape" in str(error)  # a tensor of fewer bytes than its shape has
        why = "cut off inside a tensor" if is_short else f"its GGUF header cannot be read ({first_line(error)})"
        raise UserError(f"{name}: {file} is damaged: {why}") from None
    if end > os.path.getsize(file):
        raise UserError(f"{name}: {file} is damaged: cut off before its last tensor")
    return header


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
