"""What the `lm` commands do."""

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lemmata import __version__
from lemmata.commands.json_output import print_json
from lemmata.core import UserError, require
from lemmata.core.pluralize import pluralize
from lemmata.lm.cities import CITIES, where_is
from lemmata.lm.edit import Edit, edited
from lemmata.lm.embedded import DEFAULT, EMBEDDED
from lemmata.lm.exporting import export
from lemmata.lm.hub import KNOWN_SIZES, cached_names
from lemmata.lm.map import Map, Question, softmax
from lemmata.lm.map_workers import jobs_for, measure_map_by
from lemmata.lm.model import LanguageModel, load
from lemmata.lm.place import cache_folder, need_room, readable, refusing_disk
from lemmata.lm.pretrain import RECIPE, Recipe, pretrain
from lemmata.lm.source import find_source
from lemmata.report.table_layout import rows_table

Load = Callable[[], LanguageModel]


def say(line: str) -> None:
    """What takes long is told on standard error, so output can be piped."""
    print(f"lemmata: {line}", file=sys.stderr, flush=True)


def loader(model: str, revision: str | None, device: str, *, allow_download: bool) -> Load:
    return lambda: load(model, revision=revision, device=device, allow_download=allow_download, say=say)


def fetch(names: Sequence[str], revision: str | None, *, as_json: bool, console: Console) -> int:
    """Get models onto this machine, and make them ready."""
    rows = []
    for name in names or (DEFAULT,):
        say(f"looking for {name}; what is missing is downloaded")
        model = load(name, revision=revision, allow_download=True, say=say)
        rows.append({key: getattr(model, key) for key in ("name", "revision", "layers", "weights")})
        if not as_json:
            console.print(f"{model.name}: {model.revision}, {model.layers} layers, weights sha256 {model.weights}")
    if as_json:
        return print_json(rows)
    return 0


def models(*, as_json: bool, console: Console) -> int:
    """What can be used here, and what could be."""
    rows = [model_row(name, "registry package", EMBEDDED[name].size) for name in EMBEDDED]
    here = cached_names()
    rows += [model_row(name, "hub", KNOWN_SIZES.get(name)) for name in dict.fromkeys([*here, *KNOWN_SIZES])]
    if as_json:
        return print_json(rows)
    columns = ["model", "here", "size", "from"]
    console.print(rows_table(columns, [[str(one[name]) for name in columns] for one in rows]))
    console.print(f"[dim]Also any folder of safetensors and any .gguf file. Kept in {cache_folder()}.[/]")
    return 0


def model_row(name: str, origin: str, size: int | None) -> dict[str, Any]:
    """One line of the list: a model that is here is looked at, one that is not has the size that is known."""
    try:
        source = find_source(name)
    except UserError as error:
        shown = "?" if size is None else f"about {readable(size)}"
        absent = "is not on this machine" in str(error)
        command = f"no: lemmata lm fetch {name}" if absent else f"no: {error}"
        return {"model": name, "here": command, "size": shown, "from": origin, "revision": None}
    where = {"model": name, "here": "yes", "size": readable(source.size), "from": origin}
    return {**where, "revision": source.revision}


def truncate(loaded: Load, edit: Edit, prompt: str, top: int, *, as_json: bool, console: Console) -> int:
    """The most probable tokens after a prompt, before and after an edit."""
    require(top >= 1, "--top", top, "at least 1")
    model = loaded()
    change = edit.describe(model)
    before = softmax(model.last_logits([prompt]))[0]
    with edited(model, edit):
        after = softmax(model.last_logits([prompt]))[0]
    best = list(dict.fromkeys([*np.argsort(-before)[:top].tolist(), *np.argsort(-after)[:top].tolist()]))
    tokens = [
        {
            "token": model.tokenizer.decode([token]),
            "id": token,
            "whole": float(before[token]),
            "edited": float(after[token]),
        }
        for token in best
    ]
    if as_json:
        about = {"model": model.name, "revision": model.revision, "weights_sha256": model.weights, "prompt": prompt}
        return print_json({**about, "edit": asdict(change), "tokens": tokens})
    console.print(str(change), markup=False)
    console.print(f"After {prompt!r}:", markup=False)
    cells = [[repr(one["token"]), f"{one['whole']:.4f}", f"{one['edited']:.4f}"] for one in tokens]
    console.print(rows_table(["token", "whole model", "edited"], cells))
    return 0


def draw(
    loaded: Load,
    questions: Path | None,
    ranks: Sequence[float],
    out: Path,
    jobs: int | None,
    *,
    as_json: bool,
    console: Console,
) -> int:
    """Measure the map and write it as a figure with its table."""
    from lemmata.lm.map_figure import draw_map
    from lemmata.report.figure import save_artefact
    from lemmata.report.page_entry import Footer

    require(jobs is None or jobs >= 1, "--jobs", jobs, "at least 1")
    require(out.suffix in ("", ".png"), "--out", str(out), "a name that ends in .png")
    need_room(out.parent, 10**6, f"--out {str(out)!r}")
    pairs = (
        [(where_is(city), f" {country}") for city, country in CITIES]
        if questions is None
        else read_questions(questions)
    )
    model = loaded()
    posed = [Question(prompt, model.first_token(answer)) for prompt, answer in pairs]
    with bar(f"cuts of {model.name}") as progress:
        measured = measure_map_by(jobs or jobs_for(model), model, posed, shares=ranks, progress=progress)
    command = f"lemmata lm map {shlex.quote(model.name)}"
    about = Footer(command=command, version=__version__)
    with refusing_disk(out):
        saved = save_artefact(draw_map(measured), out.parent, out.stem, about)
    if as_json:
        return print_json(summary(measured, model))
    layer, role, share = measured.best()
    words = measured.reference.strip()
    console.print(
        f"{model.name}, {pluralize(len(posed), 'prompt')}, answer / {words!r}: {measured.base:.3g} for the whole model,"
    )
    console.print(
        f"at most {measured.ratio.max():.3g} of {measured.ratio.size} cuts ({role} of layer {layer}, share {share:g})"
    )
    console.print(f"{saved.png}, {saved.csv}", markup=False)
    return 0


def summary(measured: Map, model: LanguageModel) -> dict[str, Any]:
    about = {"model": model.name, "revision": model.revision, "weights_sha256": model.weights}
    base = {"base": measured.base, "base_answer": measured.base_answer, "base_reference": measured.base_reference}
    table = measured.table()
    return {**about, **base, "cuts": [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]}


def read_questions(file: Path) -> list[tuple[str, str]]:
    """Lines of prompt, tab, answer; the answer gets the space that stands before a word."""
    try:
        lines = [line for line in file.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--questions {str(file)!r} cannot be read: {error}") from None
    pairs = [line.split("\t") for line in lines]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise UserError(f"--questions {str(file)!r} is not possible: each line is a prompt, a tab and the answer")
    return [(prompt.rstrip(), " " + answer.strip()) for prompt, answer in pairs]


def export_edited(loaded: Load, edit: Edit, out: Path, *, as_json: bool, console: Console) -> int:
    """Save an edited model as a folder."""
    if out.exists():
        raise UserError(f"--out {str(out)!r} exists already: name a folder that does not")
    model = loaded()
    (made,) = export(model, out, edit)
    if as_json:
        return print_json({"model": model.name, "out": str(out), "edit": asdict(made)})
    console.print(str(made), markup=False)
    console.print(f"{out}: AutoModelForCausalLM.from_pretrained({str(out)!r}) loads it", markup=False)
    return 0


def train(text: Path, out: Path, recipe: Recipe, device: str, *, as_json: bool, console: Console) -> int:
    """Train a small model and keep its checkpoints."""
    with bar("steps") as progress:
        about = pretrain(text, out, recipe, device=device, progress=progress)
    if as_json:
        return print_json(about)
    step, _, held_out = about["losses"][-1]
    console.print(f"{about['weights']} weights, {about['tokens']} tokens, step {step}: held-out loss {held_out:.3f}")
    console.print(f"{out}: {len(about['sha256'])} checkpoints, {RECIPE}", markup=False)
    return 0


@contextmanager
def bar(label: str) -> Any:
    """Progress on standard error: a bar on a terminal, a line every ten seconds in a log."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    spoke = time.monotonic()
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task(label, total=None)

        def progress(done: int, total: int) -> None:
            nonlocal spoke
            shown.update(task, completed=done, total=total)
            if not console.is_terminal and time.monotonic() - spoke > 10:
                spoke = time.monotonic()
                say(f"{label}: {done} of {total}")

        yield progress
