"""The page from what is stored: `lemmata report` computes nothing."""

import json
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from lemmata.commands.compute import ensure_folder, entry_of
from lemmata.commands.findings import Findings
from lemmata.commands.options import OUT, AtScale, Ids, Json, SingleFile
from lemmata.core import UserError
from lemmata.core.cli_hints import command
from lemmata.core.pluralize import pluralize
from lemmata.report.incremental import IncrementalReport
from lemmata.report.page import Report
from lemmata.run import Store, evaluate_each, missing, possible


def report(
    ids: Ids,
    scale: AtScale,
    store: Store,
    out: Annotated[Path, tyro.conf.arg(help=OUT)] = Path("report"),
    *,
    console: Console,
    single_file: SingleFile = False,
    as_json: Json = False,
) -> int:
    """The report from what is stored; computes nothing.

    Experiments whose runs are all there are judged and drawn; the others stand as not run, with the command that runs
    them. An index and a page a paper, figures as files beside them; `--single-file`: one file that can be sent.

    Example: lemmata report lego --out report --single-file
    """
    selections, not_run = possible(ids, scale, store)
    stored = [one for one in selections if not missing(list(one.experiment.runs(scale).values()), store)]
    computes = command("reproduce", *ids, scale=scale.name)
    if not stored:
        raise UserError(f"nothing of this is stored at scale {scale.name}: `{computes}` computes it")
    ensure_folder(out)
    findings = Findings([*{one.paper.id: one.paper for one in (*selections, *not_run)}.values()])
    begun = Report(scale=scale, not_run=not_run, coming=selections, computes=computes)
    page = IncrementalReport(
        begun, selections, out, lambda records, _: findings.checked(records, ()), single_file=single_file
    )
    for item in evaluate_each(stored, scale, store):
        page.add(entry_of(item, scale, store, {}))
    path = page.write()
    rest = len(selections) - len(stored)
    facts = {"page": str(path), "judged": len(stored), "not_computed": rest}
    if as_json:
        print(json.dumps(facts))
    else:
        words = f"{pluralize(len(stored), 'experiment')}" + (
            f"; {rest} not run: `{computes}` runs them" if rest else ""
        )
        console.print(f"page: {path} ({words})", soft_wrap=True, markup=False)
    return 0
