"""Models of the Hugging Face hub: read from the local cache; downloaded only when the user asked for it."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from lemmata.core import UserError
from lemmata.lm.extra import library
from lemmata.lm.folder import PICKLES, NotHere
from lemmata.lm.place import disk_reason, need_room, readable

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
WANTED = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja")
UNWANTED = ("*/*",)  # subfolders hold other formats of the same weights
KNOWN_SIZES = {  # of the safetensors files, for the line that asks
    "openai-community/gpt2": 548_000_000,
    "gpt2": 548_000_000,
    "EleutherAI/pythia-160m": 375_000_000,
    "EleutherAI/pythia-410m": 911_000_000,
    "EleutherAI/pythia-1b": 2_090_000_000,
    "EleutherAI/pythia-1.4b": 2_930_000_000,
    "EleutherAI/pythia-2.8b": 5_680_000_000,
    "HuggingFaceTB/SmolLM2-135M": 269_000_000,
    "HuggingFaceTB/SmolLM2-135M-Instruct": 269_000_000,
    "google/gemma-3-270m": 536_000_000,
    "meta-llama/Llama-3.2-1B": 2_470_000_000,
    "meta-llama/Llama-3.1-8B": 16_100_000_000,
    "meta-llama/Llama-3.1-8B-Instruct": 16_100_000_000,
    "microsoft/Phi-3-mini-4k-instruct": 7_640_000_000,
}


@dataclass(frozen=True)
class Snapshot:
    """A revision of a hub model on this machine."""

    folder: Path
    commit: str


def hub_folder() -> Path:
    """The hub's own cache, where its own tools look for it."""
    if place := os.environ.get("HF_HUB_CACHE"):
        return Path(place).expanduser()
    base = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(base).expanduser() / "hub"


def find_snapshot(name: str, revision: str | None) -> Snapshot:
    """The model in the hub's cache; what is needed, in one line, if it is not there."""
    home = hub_folder() / f"models--{name.replace('/', '--')}"
    wanted = revision or "main"
    reference = home / "refs" / wanted
    commit = reference.read_text().strip() if reference.is_file() else wanted
    folder = home / "snapshots" / commit
    begun = any((home / "blobs").glob("*.incomplete"))
    if not folder.is_dir() and not begun:
        size = f" (about {readable(KNOWN_SIZES[name])})" if name in KNOWN_SIZES else ""
        at = f" at revision {revision!r}" if revision else ""
        raise NotHere(f"{name}{at} is not on this machine{size}: `{_command(name, revision)}` takes it from the hub")
    here = {file.suffix for file in folder.iterdir() if file.exists()} if folder.is_dir() else set()
    if not here & {".safetensors", *PICKLES}:
        raise NotHere(f"{name} is half-downloaded: `{_command(name, revision)}` goes on with it")
    return Snapshot(folder, commit)


def cached_names() -> list[str]:
    """Names of the models in the hub's cache."""
    folders = sorted(hub_folder().glob("models--*/snapshots"))
    return [folder.parent.name.removeprefix("models--").replace("--", "/") for folder in folders]


def download(name: str, revision: str | None) -> Snapshot:
    """Take a model's safetensors, configuration and tokenizer from the hub into its cache."""
    hub = library("huggingface_hub")
    try:
        described = hub.HfApi().model_info(name, revision=revision, files_metadata=True)
        sizes = {file.rfilename: file.size or 0 for file in described.siblings if "/" not in file.rfilename}
        weights = [file for file in sizes if file.endswith(".safetensors")]
        if not weights:
            pickles = any(file.endswith(PICKLES) for file in sizes)
            found = "only pickled weights, which are never loaded" if pickles else "no safetensors"
            raise UserError(f"{name}: {found}; nothing was downloaded")
        need_room(hub_folder(), sum(sizes[file] for file in weights), name)
        hub.snapshot_download(
            name, revision=revision, allow_patterns=list(WANTED), ignore_patterns=list(UNWANTED), cache_dir=hub_folder()
        )
    except UserError:
        raise
    except Exception as error:
        raise UserError(_reason(name, revision, error)) from None
    return find_snapshot(name, revision)


def _reason(name: str, revision: str | None, error: Exception) -> str:
    """What the hub's error means for the user. A gated model is also a missing one, so it is asked for first."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "GatedRepoError" in kinds:
        return f"{name} is gated: accept its licence on its page, `hf auth login`, then `{_command(name, revision)}`"
    if "RevisionNotFoundError" in kinds:
        return f"{name} has no revision {revision!r}"
    if "RepositoryNotFoundError" in kinds:
        return f"the hub has no model {name!r}, or it is private"
    if "EntryNotFoundError" in kinds:
        return f"{name}: a file is missing on the hub"
    if reason := disk_reason(error):
        for rest in (hub_folder() / f"models--{name.replace('/', '--')}" / "blobs").glob("*.incomplete"):
            rest.unlink(missing_ok=True)
        return f"{name} cannot be downloaded: {reason}"
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{name} cannot be downloaded: {type(error).__name__}: {first[:200]}"


def _command(name: str, revision: str | None) -> str:
    return f"lemmata lm fetch {name}" + (f" --revision {revision}" if revision else "")
