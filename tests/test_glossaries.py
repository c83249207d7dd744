"""Every paper's glossary points at things that exist."""

import dataclasses
import importlib
import re
from typing import Any

import pytest

PAPERS = ("association", "ic_recall", "knowledge", "lego")


def places(paper: str) -> list[str]:
    glossary = importlib.import_module(f"lemmata.papers.{paper}.glossary").GLOSSARY
    return sorted({place for meaning in glossary.values() for place in re.findall(r"`(\w+(?:\.\w+)+)`", meaning)})


def found(place: str) -> bool:
    parts = place.split(".")
    here: Any = importlib.import_module(package)
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


@pytest.mark.parametrize("paper", PAPERS)
def test_glossary_places_exist(paper: str) -> None:
    assert [place for place in places(paper) if not found(place)] == []


@pytest.mark.parametrize("paper", ["association", "knowledge", "lego"])
def test_glossary_says_where_symbols_live(paper: str) -> None:
    assert len(places(paper)) > 20


def test_a_wrong_place_would_be_seen() -> None:
    assert not found("theory.association.margins.no_such_name")
    assert not found("theory.association.chain.RecallChain.no_such_field")
