"""`lemmata sweep`: one experiment under every combination of listed values."""

from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

import lemmata
from lemmata.commands.compute import ensure_folder, jobs_of
from lemmata.commands.options import Engine, ExperimentId, Jobs, Json, SeededScale, print_json
from lemmata.commands.progress import ProgressReporter
from lemmata.core import Artefact
from lemmata.core.cli_hints import command
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import select_one
from lemmata.report.figure import save_artefact
from lemmata.report.page_entry import Footer
from lemmata.report.sweep import reasons, sweep_columns, sweep_figure, sweep_table
from lemmata.report.sweep_curves import curves_figure
from lemmata.run import Store, axis, cells, sweep


def sweep_experiment(
    experiment_id: ExperimentId,
    scale: SeededScale,
    store: Store,
    assignments: Annotated[
        tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
        tyro.conf.arg(
            name="set", metavar="KEY=VALUE,...", help="A config field and its values; may be given several times."
        ),
    ] = (),
    out: Annotated[Path, tyro.conf.arg(help="Folder of the figure and the table.")] = Path("report-sweep"),
    jobs: Jobs = None,
    *,
    console: Console,
    as_json: Json = False,
    engine: Engine = "local",
) -> int:
    """One experiment under every combination of listed values.

    A verdict a cell, one table and, for one or two lists, one figure of verdicts over them. What is stored is not
    computed again: run the same command again to continue, or with longer lists. A combination that is not possible
    says so in its cell. A value that is a list itself stands in brackets: seeds=[0,1],[2,3]. A range is
    FIRST:LAST:COUNT. Over numbers the figure shows what was measured, with the rule's band; else it is of verdicts.

    Example: lemmata sweep association/noise-first --set task.alpha=0.1:0.8:8
    Example: lemmata sweep ic-recall/fig-2 --set temperature=0.01,0.02,0.05 --set world.n=7,31,127
    """
    selection = select_one(experiment_id, "sweep")
    lists = [text for group in assignments for text in group]
    axes = [axis(text) for text in lists]
    requested = cells(selection, scale, axes)
    ensure_folder(out)
    with ProgressReporter() as reporter:
        found = sweep(selection, scale, requested, store, jobs=jobs_of(jobs), engine=engine, reporter=reporter)
        judged = list(found)
    words = ["sweep", experiment_id, "--scale", scale.name, *(w for text in lists for w in ("--set", text))]
    words += ["--seeds", str(scale.num_seeds)] if scale.num_seeds else []
    caption = (
        f"{selection.experiment.title}: verdicts in {pluralize(len(judged), 'cell')}, not the paper's own settings."
    )
    tried = {one.key: one.values for one in axes}
    figure = curves_figure(judged, tried) or sweep_figure(judged, tried)
    artefact = Artefact(figure, sweep_columns(judged), caption)
    provenance = Footer(command=command(*words), scale=scale.name, version=lemmata.__version__)
    saved = save_artefact(artefact, out, "sweep", provenance)
    if as_json:
        print_json([one.to_json() for one in judged])
    else:
        console.print(sweep_table(judged))
        for line in reasons(judged):
            console.print(line, markup=False)
        refused = [one.cell.refused for one in judged if one.cell.refused]
        if refused:
            console.print(
                f"{pluralize(len(refused), 'cell is', 'cells are')} not possible, as {refused[0]}", markup=False
            )
        console.print(f"table: {saved.csv}" + (f", figure: {saved.png}" if saved.png else ""), soft_wrap=True)
    return int(bool(reporter.failures))
