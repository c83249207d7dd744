"""A GGUF file made into a safetensors folder, once: dequantizing takes long, and later loads take seconds.

The folder is kept under the file's hash, so a changed file is another folder.
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

FLOAT32_PER_QUANTIZED = 8  # four bits become thirty-two: the most a usual file grows


def converted(name: str, file: Path, digest: str, say: Callable[[str], None]) -> Path:
    """The folder of a GGUF file's float32 weights and tokenizer."""
    target = cache_folder() / "converted" / digest
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
    _check_tensors(name, file)
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
    return network, tokenizer


def _check_tensors(name: str, file: Path) -> None:
    """Read the header: every tensor must end inside the file."""
    gguf = library("gguf")
    try:
        tensors = gguf.GGUFReader(file).tensors
        end = max(int(tensor.data_offset) + int(tensor.n_bytes) for tensor in tensors)
    except Exception as error:
        raise UserError(f"{name}: {file} is damaged: its GGUF header cannot be read ({first_line(error)})") from None
    if end > os.path.getsize(file):
        raise UserError(f"{name}: {file} is damaged: cut off before its last tensor")


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
