"""Help that depends on more than the command: an experiment's keys, the views that a query may name."""

from collections.abc import Mapping
from itertools import pairwise

from lemmata.cli.parse import Commands, about

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
