"""Relation sets: facts of one relation each, with several wordings, from the user's copy of `evandez/relations`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.core import UserError
from lemmata.lm.data import Source, find, read_json, text_field

RELATIONS = Source(
    title="the relations of Linearity of Relation Decoding",
    project="evandez/relations",
    licence="MIT",
    files=("relations", "data"),
)
WORDINGS = ("prompt_templates", "prompt_templates_zs")


@dataclass(frozen=True, kw_only=True)
class RelationSet:
    name: str
    wordings: tuple[str, ...]  # "{}" stands for the subject
    answers: Mapping[str, tuple[str, ...]]  # of each subject


def files(kinds: tuple[str, ...], folder: Path | str | None = None) -> tuple[Path, ...]:
    """Of the kinds that are wanted: factual, linguistic, commonsense, bias."""
    root = find(RELATIONS, folder)
    found = tuple(path for path in sorted(root.rglob("*.json")) if path.parent.name in kinds)
    if not found:
        raise UserError(f"no JSON file of {', '.join(kinds)} below {root}: {RELATIONS.project} keeps one a relation")
    return found


def relation_set(path: Path) -> RelationSet:
    data = read_json(path)
    name = text_field(data, "name", str(path))
    wordings = [one for key in WORDINGS for one in data.get(key) or []]
    samples: Any = data.get("samples")
    if not wordings or not all(isinstance(one, str) and one.count("{}") == 1 for one in wordings):
        raise UserError(f"{path}: its prompt templates are not texts with one {{}} each")
    if not isinstance(samples, list) or not samples:
        raise UserError(f"{path}: 'samples' is not a list of subjects and objects")
    answers: dict[str, tuple[str, ...]] = {}
    for i, one in enumerate(samples):
        subject, answer = (text_field(one, key, f"{path} sample {i}") for key in ("subject", "object"))
        answers[subject] = tuple(dict.fromkeys((*answers.get(subject, ()), answer)))
    return RelationSet(name=name, wordings=tuple(dict.fromkeys(wordings)), answers=answers)
