"""The extra `lm`: its libraries are imported when they are first used, and missed in one line."""

import importlib
import os
from types import ModuleType
from typing import Any

from lemmata.core import UserError

LIBRARIES = ("torch", "transformers", "gguf", "huggingface_hub")


def library(name: str) -> Any:
    """A library of the extra, quiet: what it has to say to users, we say."""
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"language models need the extra `lm` ({error.name or name} is not installed): "
            "pip install 'lemmata[lm]', or `make lm` in a clone"
        ) from None
    if name == "transformers":
        _quieten(module)
    return module


def _quieten(transformers: ModuleType) -> None:
    if "TRANSFORMERS_VERBOSITY" not in os.environ:
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
