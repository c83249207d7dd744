"""How a command's options reach the function that does its work: each parameter by its name."""

import dataclasses
import importlib
import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Union

import tyro
from rich.console import Console

from lemmata.cli.options import scale_of

COLLECTED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)  # of a stand-in for a command
Commands = Mapping[str, tuple[type, str]]  # a command's name -> its options, and its function in `lemmata`


def union(commands: Commands) -> Any:
    """The type that tyro reads: one of the commands' options."""
    return Union[tuple(Annotated[kind, tyro.conf.subcommand(name)] for name, (kind, _) in commands.items())]  # noqa: UP007


def call(commands: Commands, options: Any, console: Console) -> int:
    """Do what was asked. A parameter is an option, an option of a group, or made from options: scale, store."""
    module, _, name = next(place for kind, place in commands.values() if kind is type(options)).partition(":")
    function = getattr(importlib.import_module(f"lemmata.{module}"), name)
    named = [one.name for one in inspect.signature(function).parameters.values() if one.kind not in COLLECTED]
    return function(**{name: _given(options, name, console) for name in named})


def _given(options: Any, name: str, console: Console) -> Any:
    if name == "console":
        return console
    if name == "as_json":
        return options.json
    if name == "store":
        from lemmata.run import Store

        return Store(options.where.store)
    if name == "scale":
        return scale_of(options.scale, getattr(options, "seeds", None), getattr(options, "replication", 0))
    groups = [getattr(options, one.name) for one in dataclasses.fields(options)]
    holds = next(one for one in (options, *groups) if hasattr(one, name))
    return getattr(holds, name)
