"""`lemmata docs`: a paper's README tables from its code and from the verdicts of its last whole run, which it keeps."""

import runpy
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Annotated, cast

import tyro
from rich.console import Console

import lemmata
from lemmata.commands.claim_records import claim_records
from lemmata.commands.keep_verdicts import keep_verdicts, write_json
from lemmata.commands.options import AtScale, Json, PaperIds, print_json
from lemmata.core import Paper, Scale, UserError
from lemmata.core.registry import paper_ids, papers, select
from lemmata.core.verdict import Status
from lemmata.record import (
    NOT_RUN,
    REPLICATIONS,
    STALE,
    Record,
    current_rule,
    current_rules,
    fresh,
    is_fresh,
    kept_replications,
    read_baseline,
)
from lemmata.report.errata import errata_markdown
from lemmata.report.files import write_whole
from lemmata.report.markdown import claims_table, ledger_section, replaced
from lemmata.report.model_page import readme_of
from lemmata.report.references import with_numbers
from lemmata.run import Store, last_replications

TOP = Path(lemmata.__file__).parents[2]
DOCS = TOP / "docs"
SITE = TOP / "site" / "index.html"


def documented(paper: Paper) -> list[Record]:
    """A record a claim: what the code says, and the verdict the paper's folder keeps.

    The same on every machine: a claim that needs an extra stands as the folder keeps it, and as `not run` where it
    keeps nothing, whether or not the extra is installed here.
    """
    kept = read_baseline(paper)
    known = fresh(kept.claims, current_rules([paper.id]))
    large = fresh(kept.paper, current_rules([paper.id], "paper"))
    records = []
    for one in claim_records([paper.id], Scale(kept.scale), None):
        file = str(Path(one.file).relative_to(paper.folder))
        one = replace(one, file=file, at_paper=large[one.id].status if one.id in large else None)
        if one.id in known:
            one = one.with_found(known[one.id])
        elif one.extra:
            one = replace(one, status=NOT_RUN, detail=f"needs `pip install 'lemmata[{one.extra}]'`")
        elif one.id in kept.claims:
            one = replace(one, detail=STALE)
        records.append(one)
    return records


def page_of(paper: Paper) -> str:
    """The paper's README with its generated parts as they should be."""
    path, records = readme_of(paper), documented(paper)
    if not path.is_file():
        raise UserError(f"paper {paper.id!r} has no README.md in {paper.folder} or beside it")
    text = path.read_text()
    for name, made in {"claims": claims_table, "errata": errata_markdown, "ledger": ledger_section}.items():
        text = replaced(text, name, made(records))
    return with_numbers(text, path, paper)


def docs(
    ids: PaperIds,
    scale: AtScale,
    store: Store,
    *,
    console: Console,
    check: Annotated[bool, tyro.conf.arg(help="Write nothing; exit 1 if something is out of date.")] = False,
    open: Annotated[bool, tyro.conf.arg(help="Write nothing; open the site that `make docs` built.")] = False,
    as_json: Json = False,
) -> int:
    """Write the generated tables and numbers of the pages.

    Each paper's tables of claims, errata and rules, from its code, its ledger and its last verdicts and replications in
    the store, which are kept with it; the numbers that pages read from verdicts; and docs/coverage.md, controls.md,
    replications.md.
    """
    if open:
        if not SITE.is_file():
            raise UserError(f"there is no {SITE}: `make docs` builds it")
        return 0 if webbrowser.open(SITE.as_uri()) else 1
    stale, texts = [], {}
    for paper in (papers()[id] for id in paper_ids(ids)):
        if not check:
            keep_verdicts(paper, scale, store, None if as_json else console)
            _keep_confirmations(paper, scale, store)
        texts[readme_of(paper)] = page_of(paper)
    if (DOCS / "pages.py").is_file() and not ids:  # a checkout; an installed package has no such folder
        texts |= runpy.run_path(str(DOCS / "pages.py"))["texts"]()
    for path, text in texts.items():
        if not path.is_file() or path.read_text() != text:
            stale.append(str(path))
            if not check:
                write_whole(path, text.encode())
    if as_json:
        return print_json({"out_of_date" if check else "written": stale}, int(check and bool(stale)))
    console.print(
        "\n".join(f"{'out of date' if check else 'written'}: {path}" for path in stale) or "Everything is up to date."
    )
    return int(check and bool(stale))


def _keep_confirmations(paper: Paper, scale: Scale, store: Store) -> None:
    """Those of the store beside those kept before, each set against the verdict that is kept now; what is of another
    rule, or of a claim that is gone, is dropped."""
    before, kept, references = kept_replications(paper), {}, read_baseline(paper).claims
    for selection in select([paper.id]):
        for claim in selection.claims:
            rule, known = current_rule(selection.experiment, claim), before.get(claim.id)
            known = known if known and rule.accepts(known.digest, known.code) else None
            fresh = last_replications(store, claim.id, scale=scale.name, rule=rule)
            if found := fresh.merged(known) if fresh else known:
                reference = references.get(claim.id)
                if reference and is_fresh(reference, rule):
                    found = replace(found, reference=cast(Status, reference.status))
                kept[claim.id] = found.to_json()
    if kept or before:
        write_json(paper.folder / REPLICATIONS, kept)
