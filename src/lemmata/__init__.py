"""lemmata makes theory papers about transformers executable.

    import lemmata

    lemmata.claims("lego")                                   what a paper says
    lemmata.check("ic-recall/fig-3", scale="smoke")          run what is missing, judge
    lemmata.results("association/fig-3").table()             the stored numbers

Names load when they are first asked for, so that importing the package costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from lemmata.api import (
        Checked as Checked,
        Claims as Claims,
        Drawing as Drawing,
        check as check,
        claims as claims,
        results as results,
    )
    from lemmata.core import (
        Artefact as Artefact,
        Claim as Claim,
        Correction as Correction,
        Experiment as Experiment,
        Paper as Paper,
        Part as Part,
        RunConfig as RunConfig,
        RunOutput as RunOutput,
        Runs as Runs,
        Scale as Scale,
        Seeds as Seeds,
        Successes as Successes,
        Undecided as Undecided,
        UserError as UserError,
        at_least as at_least,
        at_most as at_most,
        exactly as exactly,
        falls as falls,
        near as near,
        rises as rises,
    )
    from lemmata.core.registry import papers as papers
    from lemmata.train import fit as fit, fit_many as fit_many

_OF_API = {"Checked", "Claims", "Drawing", "check", "claims", "results"}
_OF_TRAIN = {"fit", "fit_many"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    home = "api" if name in _OF_API else "train" if name in _OF_TRAIN else "core"
    try:
        return getattr(importlib.import_module(f"lemmata.{home}"), name)
    except AttributeError:
        raise AttributeError(f"module 'lemmata' has no attribute {name!r}") from None
