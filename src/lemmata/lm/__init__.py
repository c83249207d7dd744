"""Pretrained language models: load one, cut its matrices exactly, see what that does, keep the result.

    from lemmata import lm

    model = lm.load()                                         a small real model that a package carries
    with lm.edited(model, lm.Edit(29, "mlp in", lm.Largest(0.2))):
        model.last_logits(["Madrid is located in"])

Importing this costs nothing and needs no torch. What needs the extra says so when it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from lemmata.lm.embedded import DEFAULT as DEFAULT

if TYPE_CHECKING:
    from lemmata.lm.edit import Change as Change, Edit as Edit, changes as changes, edited as edited
    from lemmata.lm.exporting import export as export
    from lemmata.lm.keep import (
        Keep as Keep,
        Largest as Largest,
        RandomSubspace as RandomSubspace,
        Scaled as Scaled,
        Smallest as Smallest,
        Without as Without,
    )
    from lemmata.lm.map import Map as Map, Question as Question, measure_map as measure_map
    from lemmata.lm.model import LanguageModel as LanguageModel, load as load
    from lemmata.lm.roles import ROLES as ROLES, Matrix as Matrix, Role as Role
    from lemmata.lm.source import weights_hash as weights_hash
    from lemmata.lm.spectra import Spectrum as Spectrum, spectrum as spectrum
    from lemmata.lm.upper import Upper as Upper

# No file has the name of a public function: importing the file would hide the function.
_HOMES = {
    "edit": ("Change", "Edit", "changes", "edited"),
    "exporting": ("export",),
    "keep": ("Keep", "Largest", "RandomSubspace", "Scaled", "Smallest", "Without"),
    "map": ("Map", "Question", "measure_map"),
    "model": ("LanguageModel", "load"),
    "roles": ("ROLES", "Matrix", "Role"),
    "source": ("weights_hash",),
    "spectra": ("Spectrum", "spectrum"),
    "upper": ("Upper",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lemmata.lm' has no attribute {name!r}")
    return getattr(importlib.import_module(f"lemmata.lm.{_HOME_OF[name]}"), name)
