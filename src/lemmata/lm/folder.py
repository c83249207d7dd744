"""A model's folder looked at before anything is loaded: are its files all there, whole, safe, and a causal model's?

Everything here reads JSON and headers only. It needs no torch.
"""

import json
import struct
from pathlib import Path
from typing import Any

from lemmata.core import UserError

WEIGHTS, INDEX, CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".h5", ".msgpack")
CAUSAL = ("ForCausalLM", "LMHeadModel")


class NotHere(UserError):
    """Files that are not on this machine, or not all of them: a download would help."""


def weight_files(folder: Path, name: str) -> tuple[Path, ...]:
    """The safetensors files of a causal model, each of them whole."""
    check_config(folder, name)
    files = _listing(folder, name)
    for file in files:
        check_safetensors(file, name)
    return files


def check_config(folder: Path, name: str) -> dict[str, Any]:
    """The model's configuration; refused if it is not a causal language model, or if it is quantized."""
    file = folder / CONFIG
    if not file.is_file():
        raise UserError(f"{name}: no {CONFIG} in {folder}: not a model's folder, or half-downloaded")
    try:
        config = json.loads(file.read_text())
        kinds = config.get("architectures") or []
    except (ValueError, AttributeError):
        raise UserError(f"{name}: {file} is damaged: it is not a JSON object") from None
    if kinds and not any(str(kind).endswith(CAUSAL) for kind in kinds):
        raise UserError(f"{name} is not a causal language model: its architecture is {', '.join(map(str, kinds))}")
    if "quantization_config" in config:
        raise UserError(f"{name} is quantized: its matrices cannot be cut; take the unquantized model, or a GGUF file")
    return config


def check_safetensors(file: Path, name: str) -> None:
    """Header and length: a file that was cut off, or is something else, is named."""
    size = file.stat().st_size
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > size - 8:
                raise ValueError
            header = json.loads(stream.read(length))
        ends = [entry["data_offsets"][1] for key, entry in header.items() if key != "__metadata__"]
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{name}: {file} is damaged: it has no safetensors header") from None
    expected = 8 + length + max(ends, default=0)
    if size != expected:
        raise UserError(f"{name}: {file} is damaged: {size} bytes, where its header says {expected}; get it again")


def _listing(folder: Path, name: str) -> tuple[Path, ...]:
    index = folder / INDEX
    if (folder / WEIGHTS).is_file():
        return (folder / WEIGHTS,)
    if index.is_file():
        try:
            shards = sorted(set(json.loads(index.read_text())["weight_map"].values()))
            if not all(isinstance(shard, str) and Path(shard).name == shard and "\0" not in shard for shard in shards):
                raise ValueError  # a shard stands in the folder itself
        except (ValueError, KeyError, AttributeError, TypeError):
            raise UserError(f"{name}: {index} is damaged") from None
        missing = [shard for shard in shards if not (folder / shard).is_file()]
        if missing:
            raise NotHere(
                f"{name} is half-downloaded: {len(missing)} of {len(shards)} weight files are missing, "
                f"the first is {missing[0]}"
            )
        return tuple(folder / shard for shard in shards)
    if pickles := sorted(file.name for file in folder.iterdir() if file.suffix in PICKLES):
        raise UserError(
            f"{name} holds its weights in {pickles[0]}, which could run code when it is loaded: "
            "only safetensors and GGUF are read; convert it, or take a revision with safetensors"
        )
    raise UserError(f"{name}: no {WEIGHTS} in {folder}: half-downloaded, or not a model's folder")
