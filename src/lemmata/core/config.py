"""Strict configs: frozen keyword-only dataclasses that survive a round trip through JSON and refuse unknown keys."""

import dataclasses
import hashlib
import json
import re
import sys
import types
import typing
from typing import Any, Literal, TypeVar, Union

from lemmata.core.constraints import annotations, check_fields, describe
from lemmata.core.errors import InvalidField, UserError, invalid, unknown

C = TypeVar("C")
BARE_POINT = re.compile(r"-?(\d+\.|\.\d+)([eE][+-]?\d+)?")  # ".2" and "2.", numbers to everybody but JSON
UNSAID = {"unsaid at default": True}  # metadata of a field that came later: digests made before it stay as they are


class Config:
    """What frozen keyword-only dataclasses inherit so that no instance is out of its fields' bounds."""

    def __post_init__(self) -> None:
        check_fields(self)
        self.cross_check()

    def cross_check(self) -> None:
        """Refuse combinations of fields (with `require`); most configs have none to refuse."""


def fields(config_type: type) -> dict[str, Any]:
    """Field name -> resolved type of a config class."""
    hints = typing.get_type_hints(config_type)
    return {field.name: hints[field.name] for field in dataclasses.fields(config_type)}


def encode(value: Any) -> Any:
    """A config as plain JSON data; a dataclass carries its class name so that unions can be read back."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        said = [field for field in dataclasses.fields(value) if not _is_unsaid(field, getattr(value, field.name))]
        body = {_stored(field): encode(getattr(value, field.name)) for field in said}
        return {"type": stored_type(type(value)), **body}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a config holds numbers, strings, tuples and configs, not {type(value).__name__}")


def _is_unsaid(field: dataclasses.Field[Any], value: Any) -> bool:
    return field.metadata.get("unsaid at default", False) and value == field.default


def stored_as(name: str) -> dict[str, str]:
    """The metadata of a field that has another name in the store, so that digests survive a better name in code."""
    return {"stored": name}


def _stored(field: dataclasses.Field[Any]) -> str:
    return str(field.metadata.get("stored", field.name))


def stored_type(config_type: type) -> str:
    """A config class' name in the store: its own, or that of its `STORED`."""
    return vars(config_type).get("STORED", config_type.__name__)


def decode(annotation: Any, data: Any, where: str = "config") -> Any:
    """The value of type `annotation` that `data` encodes; raises `UserError` on anything that does not fit."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        return _decode_union(arguments, data, where)
    if origin is Literal:
        if data not in arguments:
            raise unknown(f"value of {where}:", str(data), [str(item) for item in arguments])
        return data
    if origin is tuple:
        if not isinstance(data, list | tuple):
            raise invalid(where, data, "a list")
        kinds = [arguments[0]] * len(data) if arguments[-1] is Ellipsis else list(arguments)
        if len(kinds) != len(data):
            raise invalid(where, data, f"a list of {len(kinds)}")
        return tuple(
            decode(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, data, strict=True))
        )
    if dataclasses.is_dataclass(annotation):
        return _decode_config(typing.cast(type, annotation), data, where)
    if annotation is float and isinstance(data, int | float) and not isinstance(data, bool):
        if not abs(data) <= sys.float_info.max:
            raise invalid(where, data, "expected a finite number")
        return float(data)
    if annotation in (bool, int, float, str, type(None)):
        if type(data) is not annotation:
            raise invalid(where, data, f"expected {annotation.__name__}")
        return data
    raise TypeError(f"{where}: configs cannot hold {annotation}")


def _decode_union(options: tuple[Any, ...], data: Any, where: str) -> Any:
    configs = {stored_type(typing.cast(type, option)): option for option in options if dataclasses.is_dataclass(option)}
    if isinstance(data, dict) and configs:
        name = data.get("type")
        if name not in configs:
            raise unknown(f"type of {where}:", str(name), configs)
        return decode(configs[name], data, where)
    for option in options:
        if not dataclasses.is_dataclass(option):
            try:
                return decode(option, data, where)
            except UserError:
                continue
    raise invalid(where, data, f"expected one of {', '.join(getattr(o, '__name__', str(o)) for o in options)}")


def _decode_config(config_type: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise invalid(where, data, f"expected the fields of {config_type.__name__}")
    kinds = fields(config_type)
    names: dict[str, str] = {_stored(field): field.name for field in dataclasses.fields(config_type)}
    given = {str(names.get(key, key)): item for key, item in data.items() if key != "type"}
    for key in given:
        if key not in kinds:
            raise unknown(f"key in {where}:", key, kinds)
    values = {key: decode(kinds[key], item, f"{where}.{key}".lstrip(".")) for key, item in given.items()}
    try:
        return config_type(**values)
    except InvalidField as error:  # a config does not know where it stands
        raise error.within(where) from None


def canonical(value: Any) -> str:
    """The one JSON text of a config: equal configs give equal texts."""
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def override(config: C, changes: dict[str, str]) -> C:
    """A copy of `config` with dotted keys set from text, as in `{"world.n": "13", "temperature": "0.05"}`."""
    data = encode(config)
    for path, text in changes.items():
        if not has_path(config, path):
            raise unknown("key", path, paths(config))
        *outer, name = path.split(".")
        inner, place = config, data
        for step in outer:
            inner, place = getattr(inner, step), place[_stored_name(inner, step)]
        try:
            place[_stored_name(inner, name)] = _parse(fields(type(inner))[name], text)
        except (ValueError, RecursionError):  # thousands of digits or brackets
            raise invalid(path, text, "too long or too deep to be read") from None
    return decode(type(config), data, where="")  # so that a refusal names the key as it is set


def _stored_name(config: Any, name: str) -> str:
    return next(_stored(field) for field in dataclasses.fields(config) if field.name == name)


def has_path(config: Any, path: str) -> bool:
    """Whether a dotted key names a field of this config."""
    for name in path.split("."):
        if not dataclasses.is_dataclass(config) or name not in {f.name for f in dataclasses.fields(config)}:
            return False
        config = getattr(config, name)
    return True


def also(name: str) -> dict[str, str]:
    """The metadata of a list field that means what other runs call `name`: setting that sets this to the one value."""
    return {"also": name}


def path_in(config: Any, path: str) -> str | None:
    """The dotted key that `path` sets in this config: itself, by the names it has in code or in the store, or a list
    that says it is `also` that name."""
    if has_path(config, path):
        return path
    found: list[str] = []
    *outer, last = path.split(".")
    for step in outer:
        name = _named(config, step)
        if name is None:
            return None
        found, config = [*found, name], getattr(config, name)
    name = _named(config, last)
    if name is None and dataclasses.is_dataclass(config):
        lists = [field.name for field in dataclasses.fields(config) if field.metadata.get("also") == last]
        name = lists[0] if lists else None
    return ".".join([*found, name]) if name else None


def _named(config: Any, name: str) -> str | None:
    """The field of this name, in code or in the store."""
    every = dataclasses.fields(config) if dataclasses.is_dataclass(config) else ()
    names = {_stored(field): field.name for field in every} | {field.name: field.name for field in every}
    return names.get(name)


def paths(config: Any) -> list[str]:
    """Every dotted key of a config."""
    return [path for path, _, _ in described(config)]


def described(config: Any, prefix: str = "") -> list[tuple[str, str, Any]]:
    """Every dotted key of a config, what it may hold in words, and what it holds."""
    found: list[tuple[str, str, Any]] = []
    for name, annotation in annotations(type(config)).items():
        value = getattr(config, name)
        if dataclasses.is_dataclass(value):
            found += described(value, f"{prefix}{name}.")
        else:
            found.append((f"{prefix}{name}", describe(annotation), encode(value)))
    return found


def _parse(annotation: Any, text: str) -> Any:
    """Text from the command line as JSON data: strings stay strings where a string is allowed."""
    arguments = typing.get_args(annotation)
    if annotation is str or (arguments and all(isinstance(item, str) for item in arguments)):
        return text
    if typing.get_origin(annotation) is tuple and not text.lstrip().startswith("["):
        return [_parse(arguments[0], part.strip()) for part in text.split(",") if part.strip()]
    try:
        return json.loads(text.lower() if text in ("True", "False", "None") else text)
    except json.JSONDecodeError:
        if BARE_POINT.fullmatch(text):
            return float(text)
        return None if text == "None" else text
