"""Where a run's numbers come from: code, libraries, device."""

import hashlib
import importlib
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jax

import lemmata

LIBRARIES = ("jax", "jaxlib", "equinox", "optax", "numpy", "scipy", "sympy")
OF_EXTRAS = ("torch", "transformers", "peft", "lm_eval")  # recorded where a run has imported them


def environment() -> dict[str, Any]:
    found = _fixed()
    also = {name: importlib.metadata.version(name) for name in OF_EXTRAS if name in sys.modules}
    return {**found, "libraries": found["libraries"] | also}


@cache
def _fixed() -> dict[str, Any]:
    commit, dirty = _git_state()
    return {
        "code": {"version": lemmata.__version__, "commit": commit, "dirty": dirty},
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "python": platform.python_version(),
        "device": jax.devices()[0].device_kind + ("" if jax.default_backend() == "cpu" else "; float64 on the CPU"),
        "platform": jax.default_backend(),
    }


@cache
def sources(package: str) -> str:
    """The hash of all code of a package: what computes a run must be what asked for it."""
    found, folder = hashlib.sha256(), Path(str(importlib.import_module(package).__file__)).parent
    for path in sorted(folder.rglob("*.py")):
        found.update(f"|{path.relative_to(folder)}|".encode() + path.read_bytes())
    return found.hexdigest()[:20]


def code_name(code: Mapping[str, Any]) -> str:
    """Which code it was, from a record's `code`: its commit, else the version of the package that was installed."""
    if code.get("commit"):
        return f"{code['commit']}{' with changes' if code.get('dirty') else ''}"
    return f"lemmata {code.get('version', 'of unknown version')}"


def _git_state() -> tuple[str | None, bool | None]:
    """The commit the package was run from and whether its files were changed; unknown for an installed wheel.

    A wheel may be installed inside somebody's repository (`project/.venv`), whose commit says nothing of this code: it
    counts only where this file is one of its own.
    """
    here = str(Path(__file__).parent)
    try:
        own = ["git", "-C", here, "ls-files", "--error-unmatch", Path(__file__).name]
        subprocess.run(own, capture_output=True, text=True, check=True)
        commit = subprocess.run(["git", "-C", here, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        status = subprocess.run(
            ["git", "-C", here, "status", "--porcelain", "--", "."], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None, None
    return commit.stdout.strip(), bool(status.stdout.strip())
