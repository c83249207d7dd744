"""What a config's code says of its fields: the comments beside them, which give reasons and the paper's own names."""

import dataclasses
import inspect
import io
import tokenize
from functools import cache
from typing import Any


def field_comment(config: Any, path: str) -> str:
    """The comment on the line of the field that a dotted key names; empty if there is none."""
    *outer, name = path.split(".")
    for step in outer:
        config = getattr(config, step)
    return _of_class(type(config)).get(name, "")


@cache
def _of_class(config_type: type) -> dict[str, str]:
    """Field name -> the comment where it is declared, in the class itself or in one it inherits from."""
    found: dict[str, str] = {}
    for one in reversed(config_type.__mro__):
        if dataclasses.is_dataclass(one):
            found |= _of_source(one)
    return found


def _of_source(config_type: type) -> dict[str, str]:
    try:
        source = inspect.getsource(config_type)
    except (OSError, TypeError):  # made in a notebook, or by a program
        return {}
    names = {field.name for field in dataclasses.fields(config_type)}
    found: dict[str, str] = {}
    last, at = "", 0  # the field being declared; the line it ends on
    tokens = list(tokenize.generate_tokens(io.StringIO(inspect.cleandoc(source) + "\n").readline))
    for i, token in enumerate(tokens[:-1]):
        if token.type == tokenize.NAME and token.string in names and tokens[i + 1].string == ":":
            last = token.string
        elif token.type == tokenize.NEWLINE:
            at = token.start[0]
            last = ""
        elif token.type == tokenize.COMMENT and last and token.start[0] != at:
            found.setdefault(last, token.string.lstrip("# "))
    return found
