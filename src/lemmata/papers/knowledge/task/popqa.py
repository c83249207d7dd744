"""PopQA: questions about entities of all degrees of fame, sixteen relations, asked by one template each."""

import csv
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.core import UserError, named_generator, require, unknown
from lemmata.lm.data import Source, find, read_lines, text_field

POPQA = Source(
    title="PopQA",
    project="AlexTMallen/adaptive-retrieval",
    licence="MIT",
    files=("popqa.jsonl", "popqa_test.jsonl", "popqa_1000.jsonl", "popQA.tsv"),
)
TEMPLATES = {  # relation -> question; "{}" stands for the subject
    "author": "Who is the author of {}?",
    "capital": "What is the capital of {}?",
    "capital of": "What is {} the capital of?",
    "color": "What color is {}?",
    "composer": "Who was the composer of {}?",
    "country": "In what country is {}?",
    "director": "Who was the director of {}?",
    "father": "Who is the father of {}?",
    "genre": "What genre is {}?",
    "mother": "Who is the mother of {}?",
    "occupation": "What is {}'s occupation?",
    "place of birth": "In what city was {} born?",
    "producer": "Who was the producer of {}?",
    "religion": "What is the religion of {}?",
    "screenwriter": "Who was the screenwriter for {}?",
    "sport": "What sport does {} play?",
}


@dataclass(frozen=True, kw_only=True)
class Question:
    subject: str
    relation: str
    answer: str
    answers: tuple[str, ...]  # all that count as right, the answer among them
    popularity: int  # page views a month of the subject

    @property
    def question(self) -> str:
        return TEMPLATES[self.relation].replace("{}", self.subject)

    @property
    def prompt(self) -> str:
        return f"Q: {self.question} A:"


def questions(folder: Path | str | None = None) -> tuple[Question, ...]:
    """The user's copy: one JSON object a line (with `metadata` and `golden_answers`), or the publisher's own TSV."""
    path = find(POPQA, folder)
    return tuple(_question(where, row) for where, row in (_table(path) if path.suffix == ".tsv" else _lines(path)))


def _lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, row in read_lines(path):
        metadata = row.get("metadata")
        if not isinstance(metadata, dict):
            raise UserError(f"{where} has no 'metadata'")
        yield where, metadata | {"possible_answers": row.get("golden_answers")}


def _table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t"), start=2):
            where = f"{path}:{number}"
            try:
                yield where, row | {"possible_answers": json.loads(row.get("possible_answers") or "null")}
            except ValueError:
                raise UserError(f"{where}: 'possible_answers' is not a JSON list") from None


def _question(where: str, requested: Mapping[str, Any]) -> Question:
    subject, relation, answer = (text_field(requested, key, where) for key in ("subj", "prop", "obj"))
    if relation not in TEMPLATES:
        raise unknown(f"relation in {where}:", relation, TEMPLATES)
    answers = requested["possible_answers"]
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise UserError(f"{where} has no list of answers")
    try:
        popularity = int(requested.get("s_pop") or 0)
    except (TypeError, ValueError):
        raise UserError(f"{where}: 's_pop' = {requested.get('s_pop')!r} is not a number") from None
    return Question(
        subject=subject,
        relation=relation,
        answer=answer,
        answers=tuple(dict.fromkeys((answer, *answers))),
        popularity=popularity,
    )


def split_by_subject(
    requested: Iterable[Question], *, held_out: float, seed: int
) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Questions to train on, and a share of each relation's to hold out; no subject is on both sides."""
    require(0 < held_out < 1, "held_out", held_out, "above 0 and below 1")
    requested = tuple(requested)
    first_relation: dict[str, str] = {}
    for one in requested:
        first_relation.setdefault(one.subject, one.relation)
    out: set[str] = set()
    for relation in sorted(set(first_relation.values())):
        mine = sorted(subject for subject, first in first_relation.items() if first == relation)
        order = named_generator(seed, "popqa", relation).permutation(len(mine))
        out |= {mine[place] for place in order[: round(held_out * len(mine))]}
    return tuple(q for q in requested if q.subject not in out), tuple(q for q in requested if q.subject in out)


def exact_match(generated: str, answers: Iterable[str]) -> bool:
    """Whether the first line of a generated text is one of the answers, but for case, articles and punctuation."""
    first, *_ = generated.strip().split("\n")
    return _plain(first) in {_plain(answer) for answer in answers} - {""}


def mentions(generated: str, answers: Iterable[str]) -> bool:
    """Whether an answer stands in a generated text, in words of its own: PopQA's looser score."""
    text = f" {_plain(generated)} "
    return any(f" {words} " in text for words in map(_plain, answers) if words)


def _plain(text: str) -> str:
    text = text.lower().translate(str.maketrans("", "", string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())
