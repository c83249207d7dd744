"""The extra `lm`: its libraries are imported when they are first used, and missed in one line."""

import importlib
import importlib.util
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
        raise _missing(error.name or name) from None
    if name == "transformers":
        _quieten(module)
    return module


def need_libraries() -> None:
    """Refuse where one is missing, without importing any: that takes seconds, and what was asked may be a slip."""
    for name in LIBRARIES:
        try:
            found = importlib.util.find_spec(name)
        except ImportError:
            found = None
        if found is None:
            raise _missing(name)


def _missing(name: str) -> UserError:
    return UserError(
        f"language models need the extra `lm` ({name} is not installed): "
        "pip install 'lemmata[lm]', or `make lm` in a clone"
    )


def _quieten(transformers: ModuleType) -> None:
    if "TRANSFORMERS_VERBOSITY" not in os.environ:
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
