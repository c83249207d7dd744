"""`lemmata new-paper`: a package for a paper of one's own, from the template shipped inside."""

import importlib.resources
import importlib.util
import keyword
import re
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from lemmata.commands.options import Json, print_json
from lemmata.core import UserError, require
from lemmata.core.registry import papers

LONGEST = 60  # characters of a name


def new_paper(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="The paper's id, as in `grokking`.")],
    title: Annotated[str, tyro.conf.arg(help="The paper's title.")] = "A paper to be made executable",
    authors: Annotated[str, tyro.conf.arg(help="Names, a comma between them.")] = "Somebody",
    year: int = 2026,
    out: Annotated[Path, tyro.conf.arg(help="Folder in which the package's folder is made.")] = Path(),
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """A new paper's package; it passes its checks as it stands.

    One worked claim, its run, its theory, its test.

    Example: lemmata new-paper grokking --title "Progress measures for grokking"
    """
    require(
        re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) is not None, "NAME", name, "small letters, digits, hyphens"
    )
    require(len(name) <= LONGEST, "NAME", name, f"at most {LONGEST} characters")
    for option, text in {"--title": title, "--authors": authors}.items():
        require(text.isprintable() and len(text) <= 5 * LONGEST, option, text, f"one line of at most {5 * LONGEST}")
    package = name.replace("-", "_")
    target = out / name
    if name in papers():
        raise UserError(f"NAME = {name!r} is not possible: {papers()[name].package} is a paper of that id already")
    if keyword.iskeyword(package) or importlib.util.find_spec(package) is not None:
        raise UserError(f"NAME = {name!r} is not possible: Python has a word or a package {package!r} already")
    if target.exists():
        raise UserError(f"{str(target)!r} is there already: choose another name, or another --out")
    try:
        import copier
    except ModuleNotFoundError:
        raise UserError("new-paper needs the library copier: pip install 'lemmata[new-paper]'") from None
    data = {"name": name, "package": package, "title": title, "authors": authors, "year": year}
    with importlib.resources.as_file(importlib.resources.files("lemmata") / "template") as template:
        copier.run_copy(str(template), target, data=data, defaults=True, quiet=True)
    if as_json:
        files = sorted(str(path) for path in target.rglob("*") if path.is_file())
        return print_json({"folder": str(target), "files": files})
    console.print(f"{target}: a package with one worked claim. Next:\n", highlight=False)
    for line in (
        f"  lemmata check {name} --scale smoke --paper-path {target / package}   # as it stands",
        f"  pip install -e {target}                                   # then it is one of the papers",
        f"  edit {target / package / 'claims' / 'decay.py'}",
        f'  lemmata ledger {name} --write --why "first written" --seen nothing   # before the runs that judge',
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return 0
