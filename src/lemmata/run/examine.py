"""From what was asked for to verdicts: collect the runs of every chosen experiment, obtain them, judge."""

import contextlib
import itertools
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace

from lemmata.core import (
    Examined,
    Experiment,
    NotRun,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    Selection,
    UserError,
    judge,
    missing_extra,
    select,
)
from lemmata.run.changes import Changes, change
from lemmata.run.execute import Reporter, filled, missing
from lemmata.run.store import Store
from lemmata.run.verdicts import keep_verdict


def examine(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    *,
    jobs: int = 1,
    reporter: Reporter | None = None,
    changes: Mapping[str, str] | None = None,
) -> list[Examined]:
    """Judge every selected claim; the experiments in the order in which they were asked for."""
    found = {
        one.experiment.id: one
        for one in examine_in_turn(selections, scale, store, jobs=jobs, reporter=reporter, changes=changes)
    }
    return [found[selection.experiment.id] for selection in selections]


def examine_in_turn(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    *,
    jobs: int = 1,
    reporter: Reporter | None = None,
    changes: Mapping[str, str] | None = None,
) -> Generator[Examined, None, None]:
    """Judge every selected claim, each experiment as soon as its runs are there; shared runs are computed once.

    An experiment that cannot be run here is refused: `possible` tells those apart.
    """
    made = [change(selection.experiment, scale, changes) if changes else None for selection in selections]
    asked = [
        one.after if one else selection.experiment.runs(scale) for selection, one in zip(selections, made, strict=True)
    ]
    for selection, named in zip(selections, asked, strict=True):
        if reason := obstacle(selection.experiment, named.values(), store):
            raise UserError(f"{selection.experiment.id} cannot be run here: {reason}")
    configs = {config.digest: config for named in asked for config in named.values()}
    waiting = dict(enumerate({config.digest for config in named.values()} for named in asked))
    stored: dict[str, RunResult] = {}
    arriving = filled(configs.values(), store, jobs=jobs, reporter=reporter)
    with contextlib.closing(arriving):  # whatever stops the judging stops the workers, too
        for digest in itertools.chain([None], arriving):
            if digest:
                stored[digest] = store.load(configs[digest])
            for place in [place for place, wanted in waiting.items() if wanted <= stored.keys()]:
                del waiting[place]
                runs = Runs({name: stored[config.digest] for name, config in asked[place].items()}, scale)
                yield _judged(selections[place], runs, made[place], store)


def _judged(selection: Selection, runs: Runs, made: Changes | None, store: Store) -> Examined:
    judgements = tuple(judge(claim, runs, selection.experiment.needs) for claim in selection.claims)
    examined = Examined(selection, runs, judgements)
    if made:
        return _under(made, examined)
    if not runs.scale.replication:  # a verdict is the reference's; confirmations keep the others
        for row in examined.rows():
            keep_verdict(store, row)
    return examined


def _under(changes: Changes, examined: Examined) -> Examined:
    """Without the verdicts that the changes did not reach."""
    why = {judgement.claim.id: changes.why_left_out(judgement) for judgement in examined.judgements}
    return replace(
        examined,
        judgements=tuple(one for one in examined.judgements if not why[one.claim.id]),
        head=tuple(changes.words()),
        left_out=tuple((one.claim, reason) for one in examined.judgements if (reason := why[one.claim.id])),
    )


def obstacle(experiment: Experiment, configs: Iterable[RunConfig], store: Store) -> str | None:
    """Why these runs of the experiment cannot be had here; None if they can. What is stored needs no extra."""
    wanted = list({config.asked: config for config in configs}.values())
    absent = missing_extra(experiment.extra)
    for config in wanted:
        if reason := config.lacks():
            return absent or reason
    return absent if absent and missing(wanted, store) else None


def apart(selections: Iterable[Selection], scale: Scale, store: Store) -> tuple[list[Selection], list[NotRun]]:
    """The experiments that can be run here, and those that cannot, each with its reason."""
    can: list[Selection] = []
    cannot: list[NotRun] = []
    for selection in selections:
        if reason := obstacle(selection.experiment, selection.experiment.runs(scale).values(), store):
            cannot.append(NotRun(selection, scale, reason))
        else:
            can.append(selection)
    return can, cannot


def possible(ids: Sequence[str], scale: Scale, store: Store) -> tuple[list[Selection], list[NotRun]]:
    """What can be run of what was asked for, and what cannot.

    As part of a paper, or of all papers, an experiment that cannot be run is left out and said to be; one that was
    asked for by its own name, or by a claim's, is refused.
    """
    if named := [id for id in ids if "/" in id]:
        for one in apart(select(named), scale, store)[1]:
            raise UserError(f"{one.experiment.id} cannot be run here: {one.reason}")
    return apart(select(ids), scale, store)
