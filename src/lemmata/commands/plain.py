"""`lemmata plain`: a paper's model and training as one file without the package, printed or given away."""

import json
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

import lemmata
from lemmata.commands.options import Json, print_json
from lemmata.core import UserError
from lemmata.core.registry import paper_ids, papers
from lemmata.report.files import write_whole


def plain(
    paper: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PAPER", help="Its id, as in `association`.")],
    copy: Annotated[
        Path | None, tyro.conf.arg(metavar="DIR", help="Write the files into this folder; none is overwritten.")
    ] = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """A paper's model and training in one file, to read or to copy.

    It imports jax, numpy and optax alone. A paper may have two; all are printed, or copied. A copy says where it is
    from and under which licence.

    Example: lemmata plain association | less
    Example: lemmata plain lego --copy mine
    """
    (id,) = paper_ids([paper])
    files = {path.name: path.read_text() for path in sorted(papers()[id].folder.glob("plain*.py"))}
    if not files:
        raise UserError(f"{id} has no plain edition: its folder holds no plain.py")
    if copy is None:
        print(json.dumps(files, indent=1, ensure_ascii=False) if as_json else "\n\n".join(files.values()), end="")
        return 0
    targets = {copy / _name_of(id, name): text for name, text in files.items()}
    if there := [str(path) for path in targets if path.exists()]:
        raise UserError(f"{there[0]!r} is there already: choose another folder")
    for path, text in targets.items():
        write_whole(path, (_licence(id) + text).encode())
    if as_json:
        return print_json([str(path) for path in targets])
    for path in targets:
        console.print(f"{path}: run it with `python {path}`", highlight=False, markup=False, soft_wrap=True)
    return 0


def _name_of(id: str, name: str) -> str:
    """`lego_decoder.py` of lego's `plain_decoder.py`: folders may hold the files of several papers."""
    return id.replace("-", "_") + name.removeprefix("plain")


def _licence(id: str) -> str:
    return (
        f"# From lemmata {lemmata.__version__}, paper {id}. Apache License 2.0: keep this line, change what you like.\n"
    )
