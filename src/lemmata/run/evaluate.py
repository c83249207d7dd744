"""From what was asked for to verdicts: collect the runs of every chosen experiment, obtain them, judge."""

import contextlib
import itertools
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from lemmata.core import Experiment, RunConfig, RunResult, Runs, Scale, UserError, judge
from lemmata.core.claim import Judgement
from lemmata.core.extras import missing_extra
from lemmata.core.judge import requested_by
from lemmata.core.registry import Selection, full_id, select
from lemmata.core.run import NotComputed
from lemmata.core.warnings import suppress_warnings
from lemmata.record import ExperimentResult, NotRun, current_rule, read_baseline
from lemmata.record.record_of import KEPT
from lemmata.run.changes import Changes, change
from lemmata.run.execute import missing
from lemmata.run.reporter import Computing
from lemmata.run.scheduler import Failures, compute_each, load
from lemmata.run.store import Store
from lemmata.run.verdicts import keep_verdict


def evaluate(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    *,
    changes: Mapping[str, str] | None = None,
    own_runs: bool = False,
    **how: Unpack[Computing],
) -> list[ExperimentResult]:
    """Judge every selected claim; the experiments in the order in which they were asked for. `own_runs`: of single
    claims compute only the runs that their verdicts read."""
    parts = [one for one in selections if own_runs and not changes and is_part(one)]
    whole = [one for one in selections if one not in parts]
    judged = itertools.chain(
        evaluate_each(whole, scale, store, changes=changes, **how),
        evaluate_claims([(one, scale) for one in parts], store, **how),
    )
    found = {one.experiment.id: one for one in judged}
    return [found[selection.experiment.id] for selection in selections]


def is_part(selection: Selection) -> bool:
    """Whether some of an experiment's claims are asked for, or its only one: then its drawing is not."""
    return len(selection.claims) < max(len(selection.experiment.claims), 2)


def named_one_by_one(ids: Sequence[str]) -> bool:
    """Whether claims and experiments were asked for, not papers."""
    return bool(ids) and all("/" in full_id(one) for one in ids)


def evaluate_claims(
    requested: Sequence[tuple[Selection, Scale]], store: Store, **how: Unpack[Computing]
) -> Generator[ExperimentResult, None, None]:
    """Judge every selected claim from its own runs: what it asks for is computed, then it is judged again, until it
    asks for nothing more. (What a kept verdict read is asked for at once.)"""
    named = [selection.experiment.runs(scale) for selection, scale in requested]
    for (selection, _), configs in zip(requested, named, strict=True):
        require_possible(selection.experiment, configs.values(), store)
    stored, failures = dict[str, RunResult](), Failures()
    judged: list[dict[str, Judgement]] = [{} for _ in requested]
    while True:
        runs = [
            runs_of(configs, stored, failures, scale, True)
            for (_, scale), configs in zip(requested, named, strict=True)
        ]
        wanted: dict[str, RunConfig] = {}
        for (selection, _), configs, there, found in zip(requested, named, runs, judged, strict=True):
            for claim in selection.claims:
                if claim.id in found:
                    continue
                try:
                    found[claim.id] = judge(claim, there, selection.experiment.needs)
                except NotComputed as lacking:
                    names = lacking.names | requested_by(claim, there, selection.experiment.needs)
                    known = read_baseline(selection.paper).claims.get(claim.id)
                    names |= there.absent.keys() & set(known.reads if known else ())
                    wanted |= {configs[name].digest: configs[name] for name in names}
        if not wanted:
            break
        for digest, reason in compute_each(wanted.values(), store, **how):
            if reason is None:
                stored[digest] = store.load(wanted[digest])
            else:
                failures[digest] = reason
    for (selection, _), there, found in zip(requested, runs, judged, strict=True):
        judgements = tuple(found[claim.id] for claim in selection.claims)
        yield _kept(ExperimentResult(selection, there, judgements), store)


def evaluate_each(
    selections: Sequence[Selection],
    scale: Scale,
    store: Store,
    *,
    changes: Mapping[str, str] | None = None,
    in_order: bool = False,
    **how: Unpack[Computing],
) -> Generator[ExperimentResult, None, None]:
    """Judge every selected claim, each experiment as soon as its runs are there; shared runs are computed once.
    `in_order`: begin with the runs of the first.

    An experiment that cannot be run here is refused: `possible` tells those apart. A run whose code raises, or whose
    process dies again and again, leaves the claims that read it undecided.
    """
    made = [change(selection.experiment, scale, changes) if changes else None for selection in selections]
    requested = [
        one.after if one else selection.experiment.runs(scale) for selection, one in zip(selections, made, strict=True)
    ]
    for selection, named in zip(selections, requested, strict=True):
        require_possible(selection.experiment, named.values(), store)
    configs = {config.digest: config for named in requested for config in named.values()}
    waiting = dict(enumerate({config.digest for config in named.values()} for named in requested))
    stored, failures = dict[str, RunResult](), Failures()
    arriving = compute_each(configs.values(), store, in_order=in_order, **how)
    with contextlib.closing(arriving):  # whatever stops the judging stops the workers, too
        for arrival in itertools.chain([None], arriving):
            if arrival:
                digest, reason = arrival
                if reason is None:
                    stored[digest] = load(configs[digest], store, how.get("reporter"))
                else:
                    failures[digest] = reason
            for place in [place for place, wanted in waiting.items() if wanted <= stored.keys() | failures.keys()]:
                del waiting[place]
                yield _judged(selections[place], runs_of(requested[place], stored, failures, scale), made[place], store)


def _judged(selection: Selection, runs: Runs, made: Changes | None, store: Store) -> ExperimentResult:
    claims = (claim.under(made.before, made.after) if made else claim for claim in selection.claims)
    with suppress_warnings(made is not None):
        judgements = tuple(judge(claim, runs, selection.experiment.needs) for claim in claims)
    result = ExperimentResult(selection, runs, judgements)
    return _under(made, result) if made else _kept(result, store)


def _kept(result: ExperimentResult, store: Store) -> ExperimentResult:
    """A verdict is the reference's; confirmations keep the others."""
    if not result.runs.scale.replication and not result.runs.failed:
        for judgement, record in zip(result.judgements, result.records(limit=KEPT), strict=True):
            rule = current_rule(result.experiment, judgement.claim)
            keep_verdict(store, replace(record, digest=rule.digest, code=rule.code))
    return result


def runs_of(
    named: Mapping[str, RunConfig],
    stored: Mapping[str, RunResult],
    failures: Failures,
    scale: Scale,
    on_demand: bool = False,
) -> Runs:
    """What is there, and why the rest is not; `on_demand`: the rest can still be asked for."""
    digests = {name: config.digest for name, config in named.items()}
    there = {name: stored[digest] for name, digest in digests.items() if digest in stored}
    failed = {name: failures[one] for name, one in digests.items() if one in failures}
    absent = {name: named[name] for name in named if on_demand and name not in there and name not in failed}
    return Runs(there, scale, failed=failed, absent=absent)


def _under(changes: Changes, result: ExperimentResult) -> ExperimentResult:
    """Without the verdicts that the changes did not reach."""
    why = {judgement.claim.id: changes.why_left_out(judgement.reads) for judgement in result.judgements}
    resting = changes.resting({judgement.claim.id: judgement.reads for judgement in result.judgements})
    return replace(
        result,
        judgements=tuple(one for one in result.judgements if not why[one.claim.id]),
        head=(*changes.words(), *resting),
        left_out=tuple((one.claim, reason) for one in result.judgements if (reason := why[one.claim.id])),
    )


def obstacle(experiment: Experiment, configs: Iterable[RunConfig], store: Store) -> str | None:
    """Why these runs of the experiment cannot be had here; None if they can. What is stored needs no extra."""
    wanted = list({config.requested: config for config in configs}.values())
    absent = missing_extra(experiment.extra)
    for config in wanted:
        if reason := config.lacks():
            return absent or reason
    return absent if absent and missing(wanted, store) else None


def require_possible(experiment: Experiment, configs: Iterable[RunConfig], store: Store) -> None:
    """Refuse, before anything is computed, what cannot be had here."""
    if reason := obstacle(experiment, configs, store):
        raise UserError(f"{experiment.id} cannot be run here: {reason}")


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
    if named := [id for id in map(full_id, ids) if "/" in id]:
        for one in select(named):
            require_possible(one.experiment, one.experiment.runs(scale).values(), store)
    return apart(select(ids), scale, store)
