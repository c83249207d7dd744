"""`lemmata errata`: the printed formulas that are wrong, to read, to paste or to process."""

import json
from collections.abc import Sequence

from lemmata.commands.docs import documented
from lemmata.core.registry import paper_ids, papers
from lemmata.report.errata import errata_json, errata_latex, errata_markdown


def errata(ids: Sequence[str], format: str, *, as_json: bool) -> int:
    """Print the errata of papers, with the verdicts that their folders keep."""
    records = {id: documented(papers()[id]) for id in paper_ids(ids)}
    if as_json or format == "json":
        print(json.dumps({id: errata_json(mine) for id, mine in records.items()}, indent=1, ensure_ascii=False))
    elif format == "tex":
        print("\n".join(errata_latex(papers()[id], mine) for id, mine in records.items()), end="")
    else:
        print("\n\n".join(f"## {id}: {papers()[id].title}\n\n{errata_markdown(mine)}" for id, mine in records.items()))
    return 0
