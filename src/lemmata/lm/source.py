"""What a model's name means: the embedded default, a local folder, a GGUF file, or a model of the hub."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lemmata.core import UserError
from lemmata.core.errors import nearest
from lemmata.lm.embedded import EMBEDDED, fetch_embedded, find_embedded
from lemmata.lm.folder import PICKLES, NotHere, weight_files
from lemmata.lm.hashing import hash_files
from lemmata.lm.hub import NAME, Snapshot, download, find_snapshot

MAGIC = b"GGUF"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a model's weights lie on this machine, and which they are."""

    name: str
    kind: Literal["embedded", "gguf", "folder", "hub"]
    revision: str  # the hub's commit; the package and its version; "local" for files of the user's own
    path: Path  # a folder of safetensors, or a GGUF file
    files: tuple[Path, ...]

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files)

    @property
    def is_gguf(self) -> bool:
        return self.kind in ("embedded", "gguf")


def weights_hash(model: str, revision: str | None = None) -> str:
    """The sha256 of a model's weight files, without loading them. Hubs have served wrong weights under right names."""
    return hash_files(find_source(model, revision).files)


def absence(model: str, revision: str | None = None) -> str | None:
    """Why a model cannot be loaded on this machine, with the command that helps; None if it can. Loads nothing."""
    try:
        find_source(model, revision)
    except UserError as error:
        return str(error)
    return None


def find_source(model: str, revision: str | None = None, *, allow_download: bool = False) -> Source:
    """Look a model up on this machine; the network is used only if `allow_download` says so."""
    if model in EMBEDDED:
        _no_revision(model, revision)
        carried = EMBEDDED[model]
        file = fetch_embedded(model) if allow_download else find_embedded(model)
        released = f"{carried.package} {carried.version}"
        return Source(name=model, kind="embedded", revision=released, path=file, files=(file,))
    path = Path(model).expanduser()
    if path.exists() or _looks_like_a_path(model):
        _no_revision(model, revision)
        return _local(model, path)
    if guess := nearest(model.lower(), EMBEDDED) if "/" not in model else None:
        raise UserError(f"unknown model {model!r}: did you mean {guess!r}?")
    if not NAME.fullmatch(model):
        raise UserError(f"unknown model {model!r}: a hub name (owner/name), a folder, or a .gguf file")
    try:
        return _from_hub(model, find_snapshot(model, revision))
    except NotHere:
        if not allow_download:
            raise
    return _from_hub(model, download(model, revision))


def _from_hub(model: str, snapshot: Snapshot) -> Source:
    files = weight_files(snapshot.folder, model)
    return Source(name=model, kind="hub", revision=snapshot.commit, path=snapshot.folder, files=files)


def _local(model: str, path: Path) -> Source:
    if not path.exists():
        raise UserError(f"no model at {model!r}: neither a folder nor a file is there")
    if path.is_dir():
        files = weight_files(path, model)
        return Source(name=model, kind="folder", revision="local", path=path, files=files)
    if path.suffix in PICKLES:
        raise UserError(f"{model!r} could run code when it is loaded: only safetensors and GGUF are read")
    if path.suffix == ".safetensors":
        raise UserError(f"{model!r} is one file of a model: name its folder, {str(path.parent)!r}")
    with path.open("rb") as stream:
        if stream.read(4) != MAGIC:
            raise UserError(f"{model!r} is damaged, or not a GGUF file: it does not begin with {MAGIC.decode()!r}")
    return Source(name=model, kind="gguf", revision="local", path=path, files=(path,))


def _looks_like_a_path(model: str) -> bool:
    endings = (".gguf", ".safetensors", *PICKLES)
    return model.startswith((".", "/", "~")) or model.count("/") > 1 or model.lower().endswith(endings)


def _no_revision(model: str, revision: str | None) -> None:
    if revision is not None:
        raise UserError(f"revision = {revision!r} is not possible: {model!r} is not a model of the hub")
