"""The commands for those who write papers."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from lemmata.cli.options import Ids, Json, Places, ScaleOption, Where
from lemmata.core import Scale

Papers = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[PAPER ...]", help="All if none.")]


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """The history of claims' rules: when each was written, what had been seen by then, why it was changed. Exits 1 if a
    claim's statement, parts, runs or code are not those of its last line.

    With --write, a line is added for every such claim (of those named, or of all). A rule for which --seen begins with
    "nothing" is called registered, any other exploratory; fresh randomness (`lemmata confirm`) can confirm both. Of a
    claim that the store has judged at scale laptop or paper, under whichever rule, something was seen.

    A line of kind "reworded" is for words alone; one of kind "moved" is for code from which the stored runs give the
    same verdicts, number for number. Both are refused where that is not so.

    Example: lemmata ledger lego/fig-1a
    Example: lemmata ledger lego/fig-1a --write --why "the figure's own block" --seen "one seed at 30 epochs"
    """

    ids: Ids = ()
    write: Annotated[bool, tyro.conf.arg(help="Add lines; without it, only print.")] = False
    why: Annotated[str, tyro.conf.arg(help="For --write: why the rule was written or changed.")] = ""
    seen: Annotated[str, tyro.conf.arg(help='For --write: what had been seen of its settings; "nothing" if so.')] = ""
    kind: Annotated[
        Literal["changed", "reworded", "moved"],
        tyro.conf.arg(help="For --write: reworded and moved keep badge, verdicts and replications."),
    ] = "changed"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.ledger import history, write
        from lemmata.run import Store

        if self.write:
            store = Store(self.where.store)
            return write(self.ids, self.why, self.seen, self.kind, store, as_json=self.json, console=console)
        return history(self.ids, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Errata:
    """Printed formulas that are wrong, with the right ones: one entry a slip, what follows from it beneath.

    Example: lemmata errata association --format tex > errata.tex
    """

    ids: Papers = ()
    format: Annotated[
        Literal["md", "tex", "json"], tyro.conf.arg(help="md: to read; tex: to paste; json: for scripts.")
    ] = "md"
    where: Where = field(default_factory=Places)
    json: Annotated[bool, tyro.conf.arg(help="The same as --format json.")] = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.errata import errata

        return errata(self.ids, "json" if self.json else self.format)


@dataclass(frozen=True, kw_only=True)
class Docs:
    """Write what is generated: each paper's tables of claims, errata and rules, from its code, its ledger and its last
    verdicts and replications in the store, which are kept with it; and docs/coverage.md, controls.md, replications.md.
    """

    ids: Papers = ()
    check: Annotated[bool, tyro.conf.arg(help="Write nothing; exit 1 if something is out of date.")] = False
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.docs import docs
        from lemmata.run import Store

        scale, store = Scale(self.scale), Store(self.where.store)
        return docs(self.ids, scale, store, check=self.check, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class NewPaper:
    """A new paper's package: one worked claim, its run, its theory, its test. It passes `check_paper` as it stands.

    Example: lemmata new-paper grokking --title "Progress measures for grokking"
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="The paper's id, as in `grokking`.")]
    title: Annotated[str, tyro.conf.arg(help="The paper's title.")] = "A paper to be made executable"
    authors: Annotated[str, tyro.conf.arg(help="Names, a comma between them.")] = "Somebody"
    year: int = 2026
    out: Annotated[Path, tyro.conf.arg(help="Folder in which the package's folder is made.")] = Path()
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.new_paper import new_paper

        about = (self.name, self.title, self.authors, self.year)
        return new_paper(*about, self.out, as_json=self.json, console=console)
