"""The glossary points at things that exist."""

import dataclasses
import importlib
import re
from typing import Any

import pytest

from lemmata.theory.association import GLOSSARY

PLACES = sorted({place for meaning in GLOSSARY.values() for place in re.findall(r"`(\w+(?:\.\w+)+)`", meaning)})


def found(place: str) -> bool:
    parts = place.split(".")
    here: Any = importlib.import_module("lemmata")
    for done, part in enumerate(parts, start=1):
        if dataclasses.is_dataclass(here) and part in {field.name for field in dataclasses.fields(here)}:
            return done == len(parts)
        if not hasattr(here, part):
            try:
                importlib.import_module(".".join(["lemmata", *parts[:done]]))
            except ModuleNotFoundError:
                return False
        here = getattr(here, part)
    return True


@pytest.mark.parametrize("place", PLACES)
def test_glossary_place_exists(place: str) -> None:
    assert found(place)


def test_a_wrong_place_would_be_seen() -> None:
    assert len(PLACES) > 20
    assert not found("theory.association.margins.no_such_name")
    assert not found("theory.association.chain.RecallChain.no_such_field")
