"""Help that depends on more than the command: an experiment's keys, the views that a query may name."""

from itertools import pairwise

HELP = {"-h", "--help"}


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
