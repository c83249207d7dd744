"""The command line as a call: a command's options are the parameters of the function that does its work."""

import dataclasses
import importlib
import importlib.util
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

GIVEN = ("console", "store")  # parameters that are no options
COLLECTED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)  # of a stand-in for a command


def default_store() -> Path:
    return Path(os.environ.get("LEMMATA_STORE", ".lemmata"))


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where runs are kept, and where papers are found besides the installed ones: options of every command."""

    store: Annotated[Path, tyro.conf.arg(help="Folder of stored runs; $LEMMATA_STORE sets another default.")] = field(
        default_factory=default_store
    )
    paper_path: Annotated[
        tyro.conf.UseAppendAction[tuple[Path, ...]],
        tyro.conf.arg(metavar="DIR", help="A paper's folder that is not installed; may be given several times."),
    ] = ()

    def given(self) -> list[str]:
        """Those that are not the defaults, as options of another command."""
        store = [] if self.store == default_store() else ["--store", str(self.store)]
        return store + [word for path in self.paper_path for word in ("--paper-path", str(path))]


@dataclass(frozen=True, kw_only=True)
class InStore:
    """What the options of every command begin with."""

    where: Annotated[StoreOptions, tyro.conf.arg(name="")] = field(default_factory=StoreOptions)


@dataclass(frozen=True)
class Call:
    """A command and what it was given."""

    function: Callable[..., int]
    options: Any

    @property
    def where(self) -> StoreOptions:
        return self.options.where

    def run(self, console: Console) -> int:
        from lemmata.run import Store

        made = {"console": console, "store": Store(self.where.store)}
        names = [one.name for one in parameters_of(self.function)]
        return self.function(**{name: made[name] if name in made else getattr(self.options, name) for name in names})


def parsed(place: str, prog: str, words: Sequence[str]) -> Call:
    """Ends the process where the words are none of the command's options, or ask for its help."""
    module, _, name = place.partition(":")
    function = getattr(importlib.import_module(f"lemmata.{module}"), name)
    return Call(function, tyro.cli(options_of(function), prog=prog, args=words))


def parameters_of(function: Callable[..., int]) -> list[inspect.Parameter]:
    return [one for one in inspect.signature(function).parameters.values() if one.kind not in COLLECTED]


def options_of(function: Callable[..., int]) -> type:
    """What tyro reads of a command: its parameters, and what it says of itself."""
    own = [one for one in parameters_of(function) if one.name not in GIVEN]
    fields = [(one.name, one.annotation, *([] if one.default is one.empty else [one.default])) for one in own]
    said = {"__doc__": inspect.getdoc(function)}
    return dataclasses.make_dataclass(
        function.__name__, fields, bases=(InStore,), namespace=said, frozen=True, kw_only=True
    )
