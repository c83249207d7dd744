"""`lemmata lm cover`: what a fine-tuning set covers of a test set, and what may come out."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console

from lemmata import __version__
from lemmata.commands.lm import Device, bar, say
from lemmata.commands.options import Json, print_json
from lemmata.core import Artefact, UserError, named_generator, require
from lemmata.core.pluralize import pluralize
from lemmata.lm.cover import Fact, facts_of, placed, plain
from lemmata.lm.cover_chance import auc, auc_interval, chance, on_held_out
from lemmata.lm.cover_rows import Row, read_rows
from lemmata.lm.place import need_room, refusing_disk
from lemmata.report.plots import GREY, columns, legend, new_figure
from lemmata.report.table_layout import rows_table

FIGURE = Path("lm-cover.png")
COUNTS = ("relation", "template", "answer")  # of questions in training that have the fact's
# Of log(1 + count) of each, stored, log-probability, and 1. See docs/language-models.md for what they were fitted on.
WEIGHTS = np.array([0.279, 0.191, 0.611, 1.152, 0.456, -0.786])
Answers = tuple[np.ndarray, np.ndarray]


def cover(
    train: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="TRAIN.jsonl")],
    test: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="TEST.jsonl")],
    model: Annotated[
        str | None, tyro.conf.arg(help="Which test facts has it stored? It is asked after demonstrations.")
    ] = None,
    tuned: Annotated[
        str | None, tyro.conf.arg(help="A fine-tuned model: what does it answer? The prediction is scored by it.")
    ] = None,
    shots: Annotated[int, tyro.conf.arg(help="Demonstrations before a question to --model.")] = 3,
    out: Annotated[
        Path, tyro.conf.arg(metavar="FILE", help="The figure; .svg, .csv and .json are beside it.")
    ] = FIGURE,
    device: Device = "cpu",
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """What a fine-tuning set covers of a test set: relations, templates, leaks, and what may come out.

    Each row: {"prompt": ..., "answer": ...}, with relation, template and subject or without: what is missing is found.

    Example: lemmata lm cover train.jsonl test.jsonl

    Example: lemmata lm cover train.jsonl test.jsonl --model smollm2-135m-instruct --tuned ./fine-tuned
    """
    require(shots >= 1, "--shots", shots, "at least 1")
    require(out.suffix in ("", ".png"), "--out", str(out), "a name that ends in .png")
    (train_rows, unread), (test_rows, more) = read_rows(train), read_rows(test)
    if (train_rows[0].relation is None) != (test_rows[0].relation is None):
        raise UserError(f"{train} and {test}: give 'relation' in both files, or in neither")
    if tuned is not None and test_rows[0].correct is not None:
        raise UserError(f"{test} has 'correct' already: leave it out, or --tuned")
    need_room(out.parent, 10**6, f"--out {str(out)!r}")
    rows = placed([*train_rows, *test_rows])
    facts = facts_of(rows[: len(train_rows)], rows[len(train_rows) :])
    relations = [str(fact.row.relation) for fact in facts]
    read = {name: np.log1p([len(fact.shared[name]) for fact in facts]) for name in COUNTS}
    if model is not None:
        stored = _answers(model, device, [(_demonstrated(fact, rows, shots), fact.row.answers) for fact in facts])
        read |= dict(zip(("stored", "log-probability"), stored, strict=True))
    came_out = None if test_rows[0].correct is None else np.array([row.correct for row in test_rows])
    if tuned is not None:
        came_out, _ = _answers(tuned, device, [(fact.row.prompt, fact.row.answers) for fact in facts])
    x = np.column_stack([values.astype(float) for values in read.values()])
    held_out = None if came_out is None else on_held_out(x, came_out, relations)
    if held_out is not None or model is not None:
        read["predicted"] = chance(x, WEIGHTS) if held_out is None else held_out
    notes = _notes(train, train_rows, rows, facts, dict.fromkeys((*unread, *more)))
    notes.append(
        "predicted: the chance that a fact comes out after fine-tuning, by a fit on "
        + ("SmolLM2-135M, not on your model." if held_out is None else "the other relations of these rows.")
        if "predicted" in read
        else "What comes out depends first on what the model has stored: --model says, and predicts."
    )
    scores = {}
    if came_out is not None:
        both = 0 < came_out.sum() < len(came_out)
        notes += [] if both else ["No AUC: all facts came out, or none."]
        scores = {
            name: (auc(one, came_out), *auc_interval(one, came_out, relations)) for name, one in read.items() if both
        }
        notes += [
            f"AUC of {name}: {a:.2f} (95% over relations: {b:.2f} to {c:.2f})" for name, (a, b, c) in scores.items()
        ]
        read["came out"] = came_out
        if "stored" in read:
            covered = np.sign(read["relation"]) + np.sign(read["template"])
            for level, words in enumerate(("not covered", "covered, the template not", "and template covered")):
                of = came_out[read["stored"] & (covered == level)]
                if len(of):
                    notes.append(f"Of {len(of)} stored facts came out, relation {words}: {of.mean():.2f}")
    by_relation = [_summary(name, facts, read) for name in sorted(set(relations))]
    with refusing_disk(out):
        asks = [word for option in (("--model", model), ("--tuned", tuned)) if option[1] for word in option if word]
        saved = _draw(by_relation, out, shlex.join(["lemmata", "lm", "cover", str(train), str(test), *asks]), notes)
    if as_json:
        fact_rows = [
            {name: getattr(fact.row, name) for name in ("line", "relation", "template", "subject")}
            | {"lines of training": fact.shared, "contradicted": fact.contradicted}
            | {name: values[i].item() for name, values in read.items() if name not in COUNTS}
            for i, fact in enumerate(facts)
        ]
        return print_json({"notes": notes, "auc": scores, "relations": by_relation, "facts": fact_rows})
    shown = [[f"{cell:.2f}" if isinstance(cell, float) else cell for cell in one.values()] for one in by_relation]
    console.print(rows_table(list(by_relation[0]), shown))
    console.print("\n".join([*notes, f"{saved}; fact by fact: --json"]), markup=False)
    return 0


def _demonstrated(fact: Fact, rows: Sequence[Row], shots: int) -> str:
    """After other facts of the relation, none of which gives the answer away; as many as there are."""
    right = {plain(one) for one in fact.row.answers}
    others = {(row.prompt, row.answers[0]) for row in rows if row.relation == fact.row.relation}
    apart = sorted(one for one in others if one[0] != fact.row.prompt and plain(one[1]) not in right)
    order = named_generator(0, "demonstrations", fact.row.prompt).permutation(len(apart))[:shots]
    return "".join(f"{apart[i][0]} {apart[i][1]}\n" for i in order) + fact.row.prompt


def _answers(name: str, device: str, questions: Sequence[tuple[str, tuple[str, ...]]]) -> Answers:
    from lemmata.lm.cover_answers import answers_given
    from lemmata.lm.model import load

    model = load(name, device=device, say=say)
    with bar(f"questions to {model.name}") as progress:
        return answers_given(model, questions, progress)


def _notes(
    train: Path, train_rows: Sequence[Row], rows: Sequence[Row], facts: Sequence[Fact], unread: dict[str, None]
) -> list[str]:
    """What was found and not given, and what leaks."""
    found = sum(one.template is None and one.subject is None for one in train_rows)
    alone = sum(one.subject is None for one in rows)
    again = len(train_rows) - len({(plain(one.prompt), plain(one.answers[0])) for one in train_rows})
    word, same, subject = (sum(bool(fact.shared[key]) for fact in facts) for key in ("prompt", "fact", "subject"))
    other = sum(fact.contradicted for fact in facts)
    lines = {
        "Relations were found: templates that share facts ask for one relation.": train_rows[0].relation is None,
        f"Templates were found, not given, for {pluralize(found, 'question')} of {train}.": found,
        f"Prompts that share no template with others, and stand for themselves: {alone}.": alone,
        f"{pluralize(again, 'question')} of {train} asked before, with the same answer.": again,
        f"Leaks: of {pluralize(len(facts), 'test question')} {word} asked word for word in training ({other} of them "
        f"with another answer), {same - word} in other words, {subject} about a subject of training.": True,
        f"Keys that nothing reads: {', '.join(unread)}.": unread,
    }
    return [line for line, is_so in lines.items() if is_so]


def _summary(name: str, facts: Sequence[Fact], read: dict[str, np.ndarray]) -> dict[str, Any]:
    mine = [i for i, fact in enumerate(facts) if fact.row.relation == name]
    templates = {facts[i].row.template: bool(facts[i].shared["template"]) for i in mine}
    counts = {"training": len(facts[mine[0]].shared["relation"]), "test": len(mine)}
    counts |= {"templates": len(templates), "covered": sum(templates.values())}
    shares = {key: float(read[key][mine].mean()) for key in ("stored", "predicted", "came out") if key in read}
    return {"relation": name, **counts, **shares}


def _draw(by_relation: Sequence[dict[str, Any]], out: Path, command: str, notes: Sequence[str]) -> str:
    from lemmata.report.figure import save_artefact
    from lemmata.report.page_entry import Footer

    ordered = sorted(by_relation, key=lambda one: (one["training"], one.get("predicted", 0)))
    y = np.arange(len(ordered))
    figure, (left, right) = new_figure(1, 2, width=9.0, height=max(2.6, 0.9 + 0.17 * len(y)), sharey=True)
    left.barh(y, [one["training"] for one in ordered], color=GREY)
    left.set_yticks(y, [one["relation"][:40] for one in ordered], fontsize=7)
    left.set(xlabel="questions in training")
    templates = [one["covered"] / one["templates"] for one in ordered]
    right.plot(templates, y, "|", ms=8, color=GREY, label="templates covered")
    for name, mark in (("stored", "x"), ("predicted", "o"), ("came out", "s")):
        if name in ordered[0]:
            right.plot([one[name] for one in ordered], y, mark, ms=4, label=name, alpha=0.8)
    right.set(xlabel="share of the relation's templates or facts in the test set", xlim=(-0.03, 1.03))
    legend(right, fontsize=7, loc="best")
    artefact = Artefact(figure, columns(ordered), " ".join(notes))
    return str(save_artefact(artefact, out.parent, out.stem, Footer(command=command, version=__version__)).png)
