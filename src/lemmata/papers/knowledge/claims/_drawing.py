"""What the extraction figures share: curves with their table, and captions that say sizes, pre-training and seeds."""

from typing import Any

from lemmata.papers.knowledge.claims._extraction_runs import OPTIMIZERS, READ_AT
from lemmata.papers.knowledge.claims._tuned import Tuned
from lemmata.report.plots import band, legend, letter, long_table

SHARE = (-0.02, 1.02)  # the limits of an axis of shares


class Curves(dict[str, tuple[Any, Any]]):
    """Curves by name, (places, values as [seed, place]): drawn, and kept for the table."""

    def add(self, ax: Any, name: str, curve: tuple[Any, Any], label: str | None = None, **style: Any) -> None:
        self[name] = curve
        band(ax, *curve, label or name, **style)

    def table(self, axis: str, *shown: Tuned) -> dict[str, list[Any]]:
        """Beside what pre-training reached, in the only run or in the run at each place."""
        found = long_table(self, axis)
        return found | reached(*shown * (len(found["curve"]) // len(shown)))


def finish(axes: Any, **style: Any) -> None:
    """Letters and legends."""
    letter(axes)
    for ax in axes:
        legend(ax, **{"fontsize": 7.5} | style)


def described(*shown: Tuned, every_seed: bool = False) -> str:
    """Sizes, what pre-training reached and which seeds are shown."""
    config = shown[0].run.config
    facts, one = config.facts, len(shown) == 1
    names = ["" if one else f"K = {each.multiplicity}: " for each in shown]
    ends = "; ".join(
        f"{name}accuracy {each.accuracy:.3f}, loss {each.excess:.3f} nats over the least"
        for name, each in zip(names, shown, strict=True)
    )
    judged = "; ".join(
        name + ", ".join(f"{len(each.shown_seeds(optimizer))} ({optimizer})" for optimizer in OPTIMIZERS)
        for name, each in zip(names, shown, strict=True)
    )
    seeds = f"{len(config.seeds)} seeds."
    if not every_seed:
        seeds = (
            "the seeds in which fine-tuning on all has learned its own questions, as the verdicts are. Of "
            f"{len(config.seeds)} these are {judged}."
        )
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}{f', K = {facts.multiplicity}' if one else ''}, "
        f"d = {config.model.width}. Extraction is read after {min(READ_AT, config.tuning.steps)} fine-tuning steps. "
        f"Pre-training reached: {ends}. Mean and one standard deviation over {seeds}"
    )


def reached(*shown: Tuned) -> dict[str, list[Any]]:
    """Of pre-training, a row a run."""
    accuracy, excess = [one.accuracy for one in shown], [one.excess for one in shown]
    return {"pre-training accuracy": accuracy, "loss over the least": excess}
