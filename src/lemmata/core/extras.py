"""Optional dependencies. Whether they are installed is found out without importing any of them."""

import importlib.util

EXTRAS = {  # extra -> the modules that it brings
    "lm": ("torch", "transformers", "peft", "lm_eval", "gguf"),
    "proofs": ("flint",),
    "serve": ("starlette", "uvicorn"),
}


def missing_extra(name: str) -> str | None:
    """Why what needs this extra cannot be computed here, with the command that helps; None if it is installed."""
    absent = [module for module in EXTRAS.get(name, ()) if importlib.util.find_spec(module) is None]
    if not absent:
        return None
    return f"the extra {name} is not installed (no {', '.join(absent)}): `pip install 'lemmata[{name}]'`"
