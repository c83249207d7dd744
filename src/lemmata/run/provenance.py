"""Where a run's numbers come from: code, libraries, device."""

import importlib.metadata
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jax

import lemmata

LIBRARIES = ("jax", "jaxlib", "equinox", "optax", "numpy", "scipy", "sympy")


@cache
def provenance() -> dict[str, Any]:
    commit, dirty = _git_state()
    return {
        "code": {"version": lemmata.__version__, "commit": commit, "dirty": dirty},
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "python": platform.python_version(),
        "device": jax.devices()[0].device_kind,
        "platform": jax.default_backend(),
    }


def _git_state() -> tuple[str | None, bool | None]:
    """The commit the package was run from and whether its files were changed; unknown for an installed wheel."""
    here = str(Path(__file__).parent)
    try:
        commit = subprocess.run(["git", "-C", here, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        status = subprocess.run(
            ["git", "-C", here, "status", "--porcelain", "--", "."], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None, None
    return commit.stdout.strip(), bool(status.stdout.strip())
