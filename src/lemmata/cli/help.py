"""Help that depends on more than the command: an experiment's keys, the views that a query may name."""

import ast
import importlib.util
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

Commands = Mapping[str, str]  # a command's name -> its function, as `module:name` in `lemmata`
HELP = {"-h", "--help"}


def overview(prog: str, groups: Mapping[str, Commands], text: str) -> str:
    """Every command on one screen: its name, and the first line that its own help says."""
    first, _, rest = text.partition("\n\n")
    lines = [first, f"usage: {prog} COMMAND [OPTIONS]   ({prog} COMMAND --help: all about one)"]
    for group, commands in groups.items():
        lines += ["", f"{group}:"]
        lines += [f"  {name:13} {about(place).partition(chr(10))[0]}" for name, place in commands.items()]
    return "\n".join([*lines, "", rest.rstrip() + "\n"])


def help_from_code(words: list[str]) -> list[str] | None:
    """The command that prints what belongs to a command's help; None where its own help says all."""
    if not HELP & set(words):
        return None
    rest = [word for word in words[1:] if word not in HELP]
    if words[0] == "run" and rest and not rest[0].startswith("-"):
        return ["fields", rest[0], *_known(rest[1:])]
    return ["views", *_known(rest, without="--scale")] if words[0] == "query" else None


def _known(words: list[str], without: str = "") -> list[str]:
    """Those options of a command that the one beneath it takes too."""
    kept: list[str] = []
    for option, value in pairwise(words):
        if option in {"--scale", "--store", "--paper-path"} - {without}:
            kept += [option, value]
    return kept


def about(place: str) -> str:
    """What a command, or the module of several, says of itself; its module is not loaded."""
    module, _, name = place.partition(":")
    found = importlib.util.find_spec(f"lemmata.{module}")
    tree = ast.parse(Path(str(found and found.origin)).read_text())
    named = (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name)
    return ast.get_docstring(next(named) if name else tree) or ""
