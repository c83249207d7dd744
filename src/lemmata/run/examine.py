"""From what was asked for to verdicts: collect the runs of every chosen experiment, obtain them, judge."""

from collections.abc import Mapping, Sequence

from lemmata.core import (
    Examined,
    RunConfig,
    Runs,
    Scale,
    Selection,
    UserError,
    has_path,
    judge,
    override,
    paths,
    unknown,
)
from lemmata.run.execute import Reporter, obtain
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
    """Judge every selected claim; runs shared between experiments are computed once."""
    asked = [changed(selection.experiment.runs(scale), changes or {}) for selection in selections]
    stored = obtain((config for named in asked for config in named.values()), store, jobs=jobs, reporter=reporter)
    found = []
    for selection, named in zip(selections, asked, strict=True):
        runs = Runs({name: stored[config.digest] for name, config in named.items()}, scale)
        judgements = tuple(judge(claim, runs, selection.experiment.needs) for claim in selection.claims)
        found.append(Examined(selection, runs, judgements))
        if not changes and not scale.replication:  # a verdict is the reference's; confirmations keep the others
            for row in found[-1].rows():
                keep_verdict(store, row)
    return found


def changed(named: Mapping[str, RunConfig], changes: Mapping[str, str]) -> Mapping[str, RunConfig]:
    """The runs with dotted keys set on every one that has them."""
    if not named:
        raise UserError("this experiment has no runs at this scale")
    for key in changes:
        if not any(has_path(config, key) for config in named.values()):
            raise unknown("key", key, {path for config in named.values() for path in paths(config)})
    if not changes:
        return named
    return {
        name: override(config, {key: text for key, text in changes.items() if has_path(config, key)})
        for name, config in named.items()
    }
