"""Numbers of one fine-tuning among a run's: along it, or after the steps where extraction is read."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.core import RunResult, Undecided
from lemmata.core.legacy import Results
from lemmata.papers.knowledge.missing import NotRun
from lemmata.papers.knowledge.model import Part
from lemmata.papers.knowledge.run.finetuning import FineTuningConfig
from lemmata.papers.knowledge.run.training import stored_at_end
from lemmata.papers.knowledge.task import CoverageConfig

TOO_SHORT = Undecided("a few steps at toy size: nothing is learned at this scale")
READ_AT = 120  # fine-tuning steps, fixed before any run; what longer fine-tuning does is the subject of Figure 6


def place(
    run: RunResult, *, rank: int | None = None, part: Part = "both", rate: float | None = None, **coverage: Any
) -> int:
    """The number, among the run's fine-tunings, of the first with this rank, part and coverage (and rate, if given)."""
    wanted = CoverageConfig(**coverage)
    for number, one in enumerate(run.config.tunings):
        if (one.rank, one.part, one.coverage) == (rank, part, wanted) and rate in (None, one.rate):
            return number
    usual = {"rank": None, "part": "both", "rate": None} | vars(CoverageConfig())
    named = {"rank": rank, "part": part, "rate": rate} | vars(wanted)
    changes = ", ".join(f"{name} = {value}" for name, value in named.items() if value != usual[name])
    raise NotRun(f"with these settings nothing was fine-tuned with {changes or 'every question, in full'}")


def curve(run: RunResult, column: str = "extraction", **which: Any) -> tuple[np.ndarray, np.ndarray]:
    """Fine-tuning steps, and the column's values as [seed, record]."""
    number, seeds = place(run, **which), run.config.seeds
    values = np.stack([run.column(column, seed=seed, tuning=number) for seed in seeds]).astype(float)
    return run.column("step", seed=seeds[0], tuning=number), values


def tuned(run: RunResult, column: str = "extraction", **which: Any) -> np.ndarray:
    """A value a seed, after `READ_AT` steps or at the end of shorter fine-tuning."""
    steps, values = curve(run, column, **which)
    return values[:, np.flatnonzero(steps <= READ_AT)[-1]]


def accuracy(run: RunResult) -> float:
    """Of [o s r] -> a after pre-training, the mean over seeds."""
    return float(stored_at_end(run, "fact_accuracy").mean())


def excess(run: RunResult) -> float:
    """Pre-training loss above the least possible, in nats, the mean over seeds."""
    return float(stored_at_end(run, "excess").mean())


def asked_number(run: RunResult, tuning: FineTuningConfig) -> int:
    """The subjects that a fine-tuning by subjects asks about."""
    facts = run.config.facts
    return tuning.coverage.subjects or facts.subjects - facts.num_held_out


def asked_numbers(run: RunResult) -> dict[int | None, int]:
    """Subjects asked about, as the configs say it (None: all that are not held out) and as a number."""
    found = {
        one.coverage.subjects: asked_number(run, one)
        for one in run.config.tunings
        if (one.rank, one.part, one.rate) == (None, "both", run.config.tuning.rate)
        and one.coverage == CoverageConfig(subjects=one.coverage.subjects)
    }
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def learned(results: Results, value: Any) -> Any:
    """The value, except at smoke scale, where nothing has been learned."""
    return TOO_SHORT if results.scale.name == "smoke" else value


def described(*runs: RunResult) -> str:
    """Sizes and what pre-training reached, for captions."""
    facts, config = runs[0].config.facts, runs[0].config
    reached = "; ".join(
        ("" if len(runs) == 1 else f"K = {run.config.facts.multiplicity}: ")
        + f"accuracy {accuracy(run):.3f}, loss {excess(run):.3f} nats over the least"
        for run in runs
    )
    own = f", K = {facts.multiplicity}" if len(runs) == 1 else ""
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}{own}, d = {config.model.width}; extraction is read after "
        f"{min(READ_AT, config.tuning.steps)} fine-tuning steps. Pre-training reached: {reached}. "
        f"Mean and one standard deviation of {len(config.seeds)} seeds."
    )


def long_table(curves: Mapping[str, tuple[np.ndarray, np.ndarray]], axis: str, *runs: RunResult) -> dict[str, Any]:
    """Curves as columns of name, place, mean and standard deviation over seeds, beside what pre-training reached
    (of the only run, or of the run at each place)."""
    table: dict[str, list[Any]] = {
        name: [] for name in ("curve", axis, "mean", "std", "pre-training accuracy", "loss over the least")
    }
    for name, (places, values) in curves.items():
        owners = runs * len(places) if len(runs) == 1 else runs
        table["curve"] += [name] * len(places)
        table[axis] += [place.item() for place in np.asarray(places)]
        table["mean"] += [float(value) for value in values.mean(axis=0)]
        table["std"] += [float(value) for value in values.std(axis=0)]
        table["pre-training accuracy"] += [accuracy(run) for run in owners]
        table["loss over the least"] += [excess(run) for run in owners]
    return table
