"""Facts to complete: Table 5 of the paper, cities of our own, relation sets, and facts that a language model knew.

A fact is a prompt that ends before its answer. Of an answer of several tokens a probe reads the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lemmata.core import UserError, require
from lemmata.lm import cities
from lemmata.lm.data import Source, find, read_json, text_field
from lemmata.papers.association.task.language.cities import CITIES as MORE, WORDINGS

RELATIONS = Source(
    title="the relations of Linearity of Relation Decoding",
    project="evandez/relations",
    licence="MIT",
    files=("relations", "data"),
)
KNOWN = Source(title="the known facts of ROME", project="kmeng01/rome", licence="MIT", files=("known_1000.json",))


@dataclass(frozen=True, kw_only=True)
class Fact:
    prompt: str
    answer: str  # without the space before it
    subject: str
    relation: str


def _located(subject: str, words: str, answer: str) -> Fact:
    return Fact(prompt=f"{subject} {words}", answer=answer, subject=subject, relation="Table 5")


def _city(city: str, country: str, relation: str = "city") -> Fact:
    return Fact(prompt=cities.where_is(city), answer=country, subject=city, relation=relation)


MADRID = _city("Madrid", "Spain", "Table 1")

# In the words of the paper's Table 1: the next word is a country, or "the".
CITIES = (MADRID, *(_city(city, country) for city, country in cities.CITIES[1:]))

# In other words, one a city.
OTHER_WORDINGS = tuple(
    Fact(prompt=WORDINGS[i % len(WORDINGS)].format(city), answer=country, subject=city, relation="city")
    for i, (city, country) in enumerate(MORE)
)

TABLE_5 = (
    _located("The Great Wall", "is located in", "China"),
    _located("Mount Kilimanjaro", "is located in", "Tanzania"),
    _located("The Nobel Prize", "is awarded in", "Sweden"),
    _located("The Statue of Liberty", "stands in", "New York Harbor"),
    _located("Vatican City", "is enclosed within", "Rome"),
    _located("The Acropolis", "is situated in", "Athens"),
    _located("The Sydney Opera House", "is located on", "Bennelong Point"),
    _located("The Galápagos Islands", "belong to", "Ecuador"),
    _located("The Aurora Borealis", "can be seen in", "Norway"),
    _located("The Amazon River", "flows through", "Brazil"),
    _located("The Andes Mountains", "extend through", "Chile"),
    _located("Machu Picchu", "is found in", "Peru"),
    _located("The Kremlin", "is located in", "Moscow"),
    _located("Uluru", "is a landmark found in", "Australia"),
    _located("Petra", "is an archaeological city in", "Jordan"),
    _located("Angkor Wat", "is located in", "Cambodia"),
    _located("The city of Toronto", "is in", "Canada"),
    _located("The city of Barcelona", "is in", "Spain"),
    _located("The city of Mumbai", "is in", "India"),
    _located("The Eiffel Tower", "is located in", "Paris"),
)


@dataclass(frozen=True, kw_only=True)
class Relation:
    """One relation: ways to ask for it, and its pairs of subject and object."""

    name: str
    kind: str  # the folder it stands in: factual, linguistic, commonsense, bias
    templates: tuple[str, ...]  # "{}" stands for the subject
    pairs: tuple[tuple[str, str], ...]

    def facts(self, template: int = 0) -> tuple[Fact, ...]:
        require(0 <= template < len(self.templates), "template", template, f"0 to {len(self.templates) - 1}")
        words = self.templates[template]
        return tuple(
            Fact(prompt=words.replace("{}", subject), answer=answer, subject=subject, relation=self.name)
            for subject, answer in self.pairs
        )


def relations(folder: Path | str | None = None) -> dict[str, Relation]:
    """Every relation of the user's copy, by name."""
    root = find(RELATIONS, folder)
    found = [_relation(path) for path in sorted(root.rglob("*.json"))]
    if not found:
        raise UserError(f"no JSON file below {root}: {RELATIONS.project} keeps one a relation")
    named = {one.name: one for one in found}
    if len(named) < len(found):
        raise UserError(f"two files below {root} describe a relation of the same name")
    return named


def _relation(path: Path) -> Relation:
    data = read_json(path)
    name = text_field(data, "name", str(path))
    templates, samples = data.get("prompt_templates"), data.get("samples")
    if not _is_list(templates) or not all(isinstance(one, str) and one.count("{}") == 1 for one in templates):
        raise UserError(f"{path}: 'prompt_templates' is not a list of texts with one {{}} each")
    if not _is_list(samples):
        raise UserError(f"{path}: 'samples' is not a list of subjects and objects")
    pairs = tuple(
        (text_field(one, "subject", f"{path} sample {i}"), text_field(one, "object", f"{path} sample {i}"))
        for i, one in enumerate(samples)
    )
    return Relation(name=name, kind=path.parent.name, templates=tuple(templates), pairs=pairs)


def known_facts(folder: Path | str | None = None) -> tuple[Fact, ...]:
    """The facts of `known_1000.json`: their authors kept those that GPT-2 XL completed."""
    path = find(KNOWN, folder)
    rows = read_json(path)
    if not _is_list(rows):
        raise UserError(f"{path} is not a list of facts")
    found = []
    for i, row in enumerate(rows):
        prompt, answer, subject, relation = (
            text_field(row, key, f"{path} fact {i}") for key in ("prompt", "attribute", "subject", "relation_id")
        )
        found.append(Fact(prompt=prompt, answer=answer, subject=subject, relation=relation))
    return tuple(found)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and bool(value)
