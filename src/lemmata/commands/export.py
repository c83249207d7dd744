"""`lemmata export`: an experiment as an RO-Crate of the Process Run Crate profile, to deposit or to send.

Every run is an action of the software on its config; one more action judges them and draws the figure.
"""

import datetime
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro
from rich.console import Console

import lemmata
from lemmata.commands.claim_records import claim_records
from lemmata.commands.compute import evaluated
from lemmata.commands.options import Jobs, Json, SeededScale, print_json
from lemmata.commands.with_baseline import with_baselines
from lemmata.core import Paper, RunResult, Scale, UserError
from lemmata.core.cli_hints import command_of
from lemmata.core.config import encode
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import experiments, paper_ids, papers, select_one
from lemmata.record import ExperimentResult
from lemmata.report.claim_graph import SCHEMA, claim_graph
from lemmata.report.figure import draw, save_artefact
from lemmata.report.files import write_whole
from lemmata.report.page_entry import footer_of
from lemmata.report.print import Width, pdf_bytes, usual_width
from lemmata.run import Store
from lemmata.run.environment import code_name
from lemmata.run.store import ARRAYS, METRICS, RECORD

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

PROFILE = "https://w3id.org/ro/wfrun/process/0.6"
TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".safetensors": "application/octet-stream",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".csv": "text/csv",
}


def export_one(
    wanted: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="An experiment, or one of its claims; or a paper.")
    ],
    scale: SeededScale,
    store: Store,
    format: Annotated[
        Literal["crate", "claims", "schema", "pdf"],
        tyro.conf.arg(
            help="crate: a folder; claims: a paper's claims as JSON; schema: the form of that JSON; pdf: the figure."
        ),
    ] = "crate",
    out: Annotated[
        Path | None, tyro.conf.arg(help="A crate's folder (crate), or a figure's file (figure.pdf); not there yet.")
    ] = None,
    width: Annotated[
        Width | None, tyro.conf.arg(help="A figure's: of a column, 3.25 inches, or of a page, 6.75. Default: it fits.")
    ] = None,
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
) -> int:
    """A crate, a figure for print, or a paper's claims as JSON.

    A crate is of the Process Run Crate profile, with configs and the version of the code; what is missing is run first.
    The graph is JSON, with statements, verdicts, what each rests on and what it would have refuted, as they stand; its
    schema is printed by --format schema. A figure is vector graphics with its fonts, as wide as a column or a page.

    Example: lemmata export ic-recall/fig-3 --out fig-3-crate
    Example: lemmata export ic-recall/phase --format pdf --width page --out phase.pdf
    Example: lemmata export ic-recall --format claims > ic-recall.json
    """
    if format not in ("crate", "pdf"):
        print(claims_json(wanted, scale, store) if format == "claims" else SCHEMA.read_text().rstrip())
        return 0
    selection = select_one(wanted, "export")
    (result,) = evaluated([selection], scale, store, jobs)
    for name, reason in result.runs.failed.items():
        raise UserError(f"{wanted} cannot be exported: its run {name!r} could not be computed: {reason}")
    out = out or Path("crate" if format == "crate" else "figure.pdf")
    if out.exists():
        raise UserError(f"--out {str(out)!r} is there already: name what is not")
    if format == "pdf":
        write_whole(out, pdf_of(result, wanted, width))
    else:
        write_crate(result, store, out)
    if as_json:
        verdicts = {one.claim.id: one.status for one in result.judgements}
        return print_json({format: str(out), "runs": list(result.run_ids), "verdicts": verdicts})
    console.print(f"{out}: {pluralize(len(result.run_ids), 'run')}, {pluralize(len(result.judgements), 'verdict')}")
    return 0


def pdf_of(result: ExperimentResult, wanted: str, width: Width | None) -> bytes:
    """The experiment's figure for print."""
    if (figure := draw(result).figure) is None:
        raise UserError(f"{wanted} has no figure; `lemmata show {wanted}` prints its numbers")
    footer = footer_of(result, command_of(result.experiment.id, result.runs.scale))
    return pdf_bytes(figure, footer, width or usual_width(figure))


def claims_json(paper_id: str, scale: Scale, store: Store) -> str:
    """A paper's claims as a graph, with this store's verdicts or the reference's."""
    if "/" in paper_id:
        raise UserError(f"--format claims is of a whole paper: name {paper_id.partition('/')[0]!r}, not {paper_id!r}")
    (id,) = paper_ids([paper_id])
    records = with_baselines(claim_records([id], scale, store), scale)
    claims = {claim.id: claim for one in experiments(id).values() for claim in one.claims}
    return json.dumps(claim_graph(papers()[id], claims, records), indent=1, ensure_ascii=False)


def write_crate(result: ExperimentResult, store: Store, out: Path) -> None:
    """The crate of one experiment's result, in a folder that does not exist yet."""
    try:
        from rocrate.rocrate import ROCrate
    except ModuleNotFoundError:
        raise UserError("export needs the library rocrate: pip install 'lemmata[export]'") from None
    experiment, paper, scale = result.experiment, result.paper, result.runs.scale
    crate = ROCrate()
    crate.name = f"{experiment.id}: {experiment.title}"
    crate.description = f"Runs, verdicts and figure of {experiment.id} at scale {scale.name}, by lemmata."
    crate.license = "https://spdx.org/licenses/Apache-2.0"
    crate.root_dataset["conformsTo"] = _add(crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.6")
    crate.root_dataset["citation"] = [_paper(crate, paper)]
    software = _software(crate, result)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        actions = [_run(crate, software, name, run, store, scratch) for name, run in result.runs.items()]
        actions.append(_verdict(crate, software, result, command_of(experiment.id, scale), scratch))
        crate.root_dataset["mentions"] = actions
        crate.write(out)


def _paper(crate: "ROCrate", paper: Paper) -> Any:
    about = {"name": paper.title, "author": paper.authors, "datePublished": str(paper.year)}
    return _add(crate, paper.link or f"#paper-{paper.id}", "ScholarlyArticle", **about)


def _software(crate: "ROCrate", result: ExperimentResult) -> Any:
    records = [run.record for run in result.runs.values()]
    codes = sorted({code_name(record.get("code", {})) for record in records})
    return _add(
        crate,
        "#lemmata",
        "SoftwareApplication",
        name="lemmata",
        version=lemmata.__version__,
        softwareRequirements=[f"{name} {version}" for name, version in records[0].get("libraries", {}).items()],
        description=f"code of the runs: {', '.join(codes)}",
    )


def _run(crate: "ROCrate", software: Any, name: str, run: RunResult, store: Store, scratch: Path) -> Any:
    digest = run.config.digest
    config = scratch / f"{digest}.json"
    config.write_text(json.dumps(encode(run.config), indent=1) + "\n")
    folder = store.folder(digest)
    end = datetime.datetime.fromtimestamp((folder / RECORD).stat().st_mtime, datetime.UTC)
    start = end - datetime.timedelta(seconds=float(run.record["seconds"]))
    return crate.add_action(
        software,
        identifier=f"#run-{name}",
        object=_file(crate, config, f"runs/{digest}/config.json", f"config of the run {name!r}"),
        result=[_file(crate, folder / one, f"runs/{digest}/{one}", one) for one in (METRICS, ARRAYS, RECORD)],
        properties={
            "name": f"run {name!r} ({run.config.kind})",
            "startTime": start.isoformat(timespec="seconds"),
            "endTime": end.isoformat(timespec="seconds"),
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )


def _verdict(crate: "ROCrate", software: Any, result: ExperimentResult, command: str, scratch: Path) -> Any:
    verdicts = scratch / "verdicts.json"
    verdicts.write_text(json.dumps([record.to_json() for record in result.records()], indent=1) + "\n")
    saved = save_artefact(draw(result), scratch, "figure", footer_of(result, command))
    drawn = [path for path in (saved.png, saved.svg, saved.csv, saved.json) if path is not None]
    tables = [crate.get(f"runs/{digest}/{METRICS}") for digest in result.run_ids]
    return crate.add_action(
        software,
        identifier="#verdict",
        object=tables,
        result=[_file(crate, path, path.name, path.name) for path in (verdicts, *drawn)],
        properties={"name": command, "actionStatus": "http://schema.org/CompletedActionStatus"},
    )


def _file(crate: "ROCrate", source: Path, target: str, name: str) -> Any:
    known = crate.get(target)  # two names may stand for one run
    about = {"name": name, "encodingFormat": TYPES[Path(target).suffix]}
    return known or crate.add_file(os.fspath(source), target, properties=about)


def _add(crate: "ROCrate", id: str, type: str, **properties: Any) -> Any:
    return crate.add_jsonld({"@id": id, "@type": type, **properties})
