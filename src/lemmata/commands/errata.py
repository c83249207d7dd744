"""`lemmata errata`: the printed formulas that are wrong, to read, to paste or to process."""

import json
from typing import Annotated, Literal

import tyro

from lemmata.commands.docs import documented
from lemmata.commands.options import PaperIds
from lemmata.core.registry import paper_ids, papers
from lemmata.report.errata import errata_json, errata_latex, errata_markdown


def errata(
    ids: PaperIds,
    format: Annotated[
        Literal["md", "tex", "json"], tyro.conf.arg(help="md: to read; tex: to paste; json: for scripts.")
    ] = "md",
    *,
    as_json: Annotated[bool, tyro.conf.arg(name="json", help="The same as --format json.")] = False,
) -> int:
    """Printed formulas that are wrong, with the right ones.

    One entry a slip, what follows from it beneath, with the verdicts that the papers' folders keep.

    Example: lemmata errata association --format tex > errata.tex
    """
    records = {id: documented(papers()[id]) for id in paper_ids(ids)}
    if as_json or format == "json":
        print(json.dumps({id: errata_json(mine) for id, mine in records.items()}, indent=1, ensure_ascii=False))
    elif format == "tex":
        print("\n".join(errata_latex(papers()[id], mine) for id, mine in records.items()), end="")
    else:
        print("\n\n".join(f"## {id}: {papers()[id].title}\n\n{errata_markdown(mine)}" for id, mine in records.items()))
    return 0
