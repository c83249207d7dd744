"""What a fine-tuning set covers of a test set: questions a relation and a template, and leaks.

In the theory of `knowledge` a stored fact comes out if enough questions cover its templates.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lemmata.lm.cover_rows import Row
from lemmata.lm.cover_templates import Made, templates_of

LINKED = 2  # facts that two templates share, if they ask for one relation


@dataclass(frozen=True)
class Fact:
    """A question of the test set. `shared`: lines of the training set that have so much of it."""

    row: Row
    shared: Mapping[str, tuple[int, ...]]  # relation, template, answer (in the relation), subject, fact, prompt
    contradicted: bool  # its prompt is in training, with an answer that is not right


def placed(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Every row with its relation, template and subject: those given, else those found."""
    unknown: defaultdict[str | None, list[str]] = defaultdict(list)
    for row in rows:
        if row.template is None and row.subject is None:
            unknown[row.relation].append(row.prompt)
    found = {relation: templates_of(prompts) for relation, prompts in unknown.items()}
    whole = [_completed(row, found.get(row.relation, {}).get(row.prompt)) for row in rows]
    names = _relations(whole)
    return tuple(replace(row, relation=row.relation or names[str(row.template)]) for row in whole)


def _completed(row: Row, found: Made | None) -> Row:
    if row.template is not None:
        before, after = row.template.split("{}")
        return replace(row, subject=row.prompt[len(before) : len(row.prompt) - len(after)])
    if found is None:
        return replace(row, template=row.prompt.replace(str(row.subject), "{}", 1))
    return replace(row, template=found.template, subject=found.subject)


def _relations(rows: Sequence[Row]) -> dict[str, str]:
    """Templates that share facts ask for one relation, which is called by the one with the most questions."""
    facts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.subject is not None:
            facts[plain(row.subject), plain(row.answers[0])].add(str(row.template))
    shared = Counter((a, b) for some in facts.values() for a in some for b in some if a < b)
    count = Counter(str(row.template) for row in rows)
    group = {template: {template} for template in count}
    for (a, b), times in shared.items():
        if times >= LINKED and group[a] is not group[b]:
            group[a] |= group[b]
            group |= dict.fromkeys(group[b], group[a])
    return {template: max(mine, key=lambda one: (count[one], one)) for template, mine in group.items()}


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def facts_of(train: Sequence[Row], test: Sequence[Row]) -> list[Fact]:
    """Rows that are placed."""
    index: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in train:
        for key in _keys(row):
            index[key].append(row)
    facts = []
    for row in test:
        same = {key[0]: index.get(key, []) for key in _keys(row)}
        right = {plain(answer) for answer in row.answers}
        lines = {name: tuple(one.line for one in mine) for name, mine in same.items()}
        facts.append(Fact(row, lines, any(plain(one.answers[0]) not in right for one in same["prompt"])))
    return facts


def _keys(row: Row) -> list[tuple[str, ...]]:
    relation, subject = str(row.relation), plain(row.subject or row.prompt)
    about = [("template", relation, str(row.template)), ("answer", relation, plain(row.answers[0]))]
    return [
        ("relation", relation),
        *about,
        ("subject", subject),
        ("fact", relation, subject),
        ("prompt", plain(row.prompt)),
    ]
