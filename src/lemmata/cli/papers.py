"""What the commands for those who write and check papers may be given."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from lemmata.cli.options import Ids, InStore, Json, ScaleOption

Papers = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[PAPER ...]", help="All if none.")]


@dataclass(frozen=True, kw_only=True)
class Ledger(InStore):
    """The history of claims' rules, and what had been seen.

    When each rule was written, what had been seen by then, why it was changed. Exits 1 if a claim's statement, parts,
    runs or code are not those of its last line.

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
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Plain(InStore):
    """A paper's model and training in one file, to read or to copy.

    It imports jax, numpy and optax alone. A paper may have two; all are printed, or copied. A copy says where it is
    from and under which licence.

    Example: lemmata plain association | less
    Example: lemmata plain lego --copy mine
    """

    paper: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PAPER", help="Its id, as in `association`.")]
    copy: Annotated[
        Path | None, tyro.conf.arg(metavar="DIR", help="Write the files into this folder; none is overwritten.")
    ] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Errata(InStore):
    """Printed formulas that are wrong, with the right ones.

    One entry a slip, what follows from it beneath.

    Example: lemmata errata association --format tex > errata.tex
    """

    ids: Papers = ()
    format: Annotated[
        Literal["md", "tex", "json"], tyro.conf.arg(help="md: to read; tex: to paste; json: for scripts.")
    ] = "md"
    json: Annotated[bool, tyro.conf.arg(help="The same as --format json.")] = False


@dataclass(frozen=True, kw_only=True)
class VerifyProof(InStore):
    """Check the stored certificates of proved claims again.

    Every box, against the claim's own statement. It searches for nothing: the statement gives the steps, the
    certificate the boxes. Of a paper or an experiment, all its claims that are proved. Exits 1 if a certificate does
    not prove its claim. Needs the extra `proofs`.

    Example: lemmata verify-proof ic-recall/turning-points-proved
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class NewPaper(InStore):
    """A new paper's package; it passes its checks as it stands.

    One worked claim, its run, its theory, its test.

    Example: lemmata new-paper grokking --title "Progress measures for grokking"
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="The paper's id, as in `grokking`.")]
    title: Annotated[str, tyro.conf.arg(help="The paper's title.")] = "A paper to be made executable"
    authors: Annotated[str, tyro.conf.arg(help="Names, a comma between them.")] = "Somebody"
    year: int = 2026
    out: Annotated[Path, tyro.conf.arg(help="Folder in which the package's folder is made.")] = Path()
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Docs(InStore):
    """Write the generated tables and numbers of the pages.

    Each paper's tables of claims, errata and rules, from its code, its ledger and its last verdicts and replications in
    the store, which are kept with it; the numbers that pages read from verdicts; and docs/coverage.md, controls.md,
    replications.md.
    """

    ids: Papers = ()
    check: Annotated[bool, tyro.conf.arg(help="Write nothing; exit 1 if something is out of date.")] = False
    scale: ScaleOption = "laptop"
    json: Json = False
