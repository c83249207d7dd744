"""Stage 1 in vocabularies from 404 to 10^16, as the appendices' claims of features and phases read it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.feature_flow import FeatureFlow
from lemmata.papers.lego.task import action

LEAK = 1e-4  # varpi of Assumption B.2
CONVERGED = 1e-3  # of the loss over its floor


def shape_runs(scale: Scale, actions: tuple[str, ...], leaky: str) -> dict[str, FeatureFlow]:
    """To the floor of the loss, by action; one action by the proof's activation too, and one stopped early."""
    settings: dict[str, Any] = {
        "vocabulary": sizes.SHAPE_VOCABULARY.at(scale),
        "stride": 0.2,
        "steps": sizes.SHAPE_STEPS.at(scale),
        "seeds": sizes.seeds(sizes.SHAPE_SEEDS, scale),
    }
    found = {f"actions/{name}": FeatureFlow(action=name, **settings) for name in actions}
    one = FeatureFlow(action=leaky, **settings)
    return found | {"Assumption B.2": replace(one, leak=LEAK, tolerance=0.0), "early": replace(one, steps=500)}


def phase_runs(scale: Scale) -> dict[str, FeatureFlow]:
    """Both families in growing vocabularies: long enough that everything is learned."""
    names = dict(zip(("transitive", "symmetric"), sizes.PHASE_ACTIONS.at(scale), strict=True))
    settings: dict[str, Any] = {
        "stride": 0.2,
        "tolerance": 1e-2,
        "steps": sizes.PHASE_STEPS.at(scale),
        "seeds": sizes.seeds(sizes.PHASE_SEEDS, scale),
    }
    return {
        f"{family}/{vocabulary:.0e}": FeatureFlow(action=name, vocabulary=vocabulary, **settings)
        for family, name in names.items()
        for vocabulary in sizes.PHASE_VOCABULARIES.at(scale)
    }


def by_size(runs: Runs, family: str) -> list[RunResult]:
    """The runs of a group, by d."""
    return sorted(runs.group(family).values(), key=lambda run: run.config.vocabulary)


def each(group: str, read: Callable[[RunResult], Any]) -> Callable[[Runs], np.ndarray]:
    return lambda runs: np.array([read(run) for run in by_size(runs, group)])


def counts(run: RunResult) -> tuple[int, int]:
    """n_G and n_y."""
    return action(run.config.action).table.shape


@of_result
def at_floor(run: RunResult) -> Undecided | None:
    """A need: shapes are read where stage 1 has come to its end."""
    excess = float(np.max(run.metrics["excess"]))
    return None if excess <= CONVERGED else TooShort(f"{run.config.action} ends {excess:.2g} above the loss's floor")


@of_result
def all_learned(run: RunResult) -> Undecided | None:
    """A need: phases are timed where every combination has passed through them."""
    late = float(np.mean(~np.isfinite(run.arrays["confident"])))
    return TooShort(f"{run.config.action}: {late:.0%} of the combinations are not learned") if late else None
