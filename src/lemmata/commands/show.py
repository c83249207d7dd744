"""`lemmata show`: what was found of a paper, what an experiment is made of, all that is known of a claim."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import tyro
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lemmata.commands.claim_records import claim_records
from lemmata.commands.fields import key_listing
from lemmata.commands.findings import Findings
from lemmata.commands.options import AtScale, Json, print_json
from lemmata.commands.with_baseline import with_baselines
from lemmata.core import Paper, Scale
from lemmata.core.cli_hints import command
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import file_of, full_id, papers, select
from lemmata.record import Record
from lemmata.report.page_entry import Found
from lemmata.report.show import claim_panel
from lemmata.report.statuses import failing_words
from lemmata.report.summary import cited
from lemmata.report.tables import ClaimList
from lemmata.report.terminal import verdict_counts
from lemmata.run import Store


def show(
    wanted: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="A paper, experiment or claim.")],
    scale: AtScale,
    store: Store,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """All that is known of a paper, an experiment or a claim.

    Of a paper what was found, and its claims; of an experiment every claim in full, and the keys of its runs; of a
    claim its statement, where the paper says it, its rule, prediction, measurement, evidence and cost.

    Example: lemmata show lego

    Example: lemmata show ic-recall/table-2
    """
    wanted = full_id(wanted)
    records = with_baselines(claim_records([wanted], scale, store), scale)
    named = [one for one in records if one.id == wanted]
    if as_json:
        return print_json([one.to_json() for one in named or records])
    if wanted in papers():
        _show_paper(papers()[wanted], records, scale, console)
        return 0
    whole = [one.experiment for one in select([wanted]) if one.experiment.id == wanted]
    for experiment in whole:
        console.print(ClaimList(records))
        console.print(f"file {file_of(experiment.id)}", soft_wrap=True, markup=False)
    for one in named or records:
        console.print(claim_panel(one))
    for experiment in whole:
        console.print(f"What `{command('run', experiment.id, '--set', 'KEY=VALUE')}` takes:", markup=False)
        console.print(key_listing(experiment, scale))
    return 0


def _show_paper(paper: Paper, records: Sequence[Record], scale: Scale, console: Console) -> None:
    """What was found last, where a terminal ends."""
    computed = {one.id: one for one in records if one.status and not one.reference}
    found = Findings([paper]).checked(computed, ())[paper.id]
    console.print(ClaimList(records))
    console.print(Text(paper.title, style="bold"))
    console.print(cited(paper), style="dim", markup=False)
    console.print(f"{paper.sentence}\n", markup=False)
    console.print(Text.assemble(f"{pluralize(len(records), 'claim')}: ", verdict_counts(records), "\n"))
    if words := failing_words(records):
        console.print(f"{words}\n")
    for line in _findings(found):
        console.print(line)
    hint = f"`{command('show', 'ID', scale=scale.name)}` shows an experiment or a claim."
    console.print(hint, style="dim", markup=False)


def _findings(found: Sequence[Found]) -> Iterator[Text | Padding]:
    """A paragraph a finding, with the experiment whose figure shows it and, if it is not of this store, whose it is."""
    yield Text("What was found" if found else "No finding is written down for it.", style="bold")
    for one in found:
        said = Text.assemble(one.text, " " if one.text else "", (f"({one.experiment})", "bold"))
        yield Padding(said.append(f"\n{one.note}", style="dim") if one.note else said, (0, 0, 1, 2))
