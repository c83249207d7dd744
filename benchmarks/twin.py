"""The papers' PyTorch versions, which lie in examples/torch."""

import importlib.util
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "examples" / "torch"


def twin(name: str) -> ModuleType:
    """By its path: a folder named torch is best not searched for modules."""
    spec = importlib.util.spec_from_file_location(f"{name}_in_torch", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
