"""Questions with their answers, one JSON object a line, for `lemmata lm cover`: what is amiss is named by its line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.core import UserError
from lemmata.lm.data import read_lines, text_field

TEXTS = ("relation", "template", "subject")  # what is not given is found


@dataclass(frozen=True, kw_only=True)
class Row:
    line: int
    prompt: str
    answers: tuple[str, ...]  # all that count as right; the first is the one that is taught
    relation: str | None = None
    template: str | None = None  # "{}" stands for the subject
    subject: str | None = None
    correct: bool | None = None  # whether a fine-tuned model gave it


def read_rows(file: Path) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """All rows of a file, and the keys in it that nothing reads."""
    given = list(read_lines(file))
    rows = tuple(_row(where, row) for where, row in given)
    if not rows:
        raise UserError(f"{file} holds no questions: one JSON object a line, with 'prompt' and 'answer'")
    for key in ("relation", "correct"):
        without = [row.line for row in rows if getattr(row, key) is None]
        if without and len(without) < len(rows):
            raise UserError(f"{file}:{without[0]} has no {key!r}, other rows have: give it in all rows or in none")
    read = {"prompt", "answer", "answers", "correct", *TEXTS}
    return rows, tuple(dict.fromkeys(key for _, row in given for key in row if key not in read))


def _row(where: str, given: Mapping[str, Any]) -> Row:
    prompt, correct = text_field(given, "prompt", where), given.get("correct")
    answers = given["answers"] if "answers" in given else [text_field(given, "answer", where)]
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise UserError(f"{where}: 'answers' is not a list of texts")
    answers = [text_field(given, "answer", where), *answers] if "answer" in given else answers
    texts = {key: text_field(given, key, where) for key in TEXTS if given.get(key) is not None}
    subject, template = texts.get("subject"), texts.get("template")
    before, slot, after = (template or "{}").partition("{}")
    fits = len(prompt) > len(before) + len(after) and prompt.startswith(before) and prompt.endswith(after)
    for amiss, why in (
        (not answers or not all(one.strip() for one in answers), "an answer is blank, or there is none"),
        (not prompt.strip(), "the prompt is blank"),
        (correct not in (None, True, False), f"'correct' = {correct!r} is neither true nor false"),
        (not slot or "{}" in after, f"'template' = {template!r} has not one {{}}"),
        (not fits, f"the prompt {prompt!r} is not of the template {template!r}"),
        (subject is not None and subject not in prompt, f"the subject {subject!r} is not in the prompt {prompt!r}"),
        (template and subject and before + subject + after != prompt, "template and subject do not make the prompt"),
    ):
        if amiss:
            raise UserError(f"{where}: {why}")
    answers = tuple(dict.fromkeys(one.strip() for one in answers))
    return Row(line=int(where.rpartition(":")[2]), prompt=prompt, answers=answers, correct=correct, **texts)
