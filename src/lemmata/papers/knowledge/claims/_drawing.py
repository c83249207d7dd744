"""What the extraction figures share: curves with their table, and captions that say sizes, pre-training and seeds."""

from typing import Any

from lemmata.papers.knowledge.claims._extraction_runs import OPTIMIZERS, READ_AT
from lemmata.papers.knowledge.claims._tuned import Tuned
from lemmata.report.plots import band, legend, letter, long_table

SHARE = (-0.02, 1.02)  # the limits of an axis of shares
SEEDS_JUDGED = "those in which fine-tuning on all has learned its own questions"


class Curves(dict[str, tuple[Any, Any]]):
    """Curves by name, (places, values as [seed, place]): drawn, and kept for the table."""

    def add(self, ax: Any, name: str, curve: tuple[Any, Any], label: str | None = None, **style: Any) -> None:
        self[name] = curve
        band(ax, *curve, label or name, **style)

    def table(self, axis: str, *shown: Tuned) -> dict[str, list[Any]]:
        """Beside what pre-training reached, in the only run or in the run at each place."""
        found = long_table(self, axis)
        return found | reached(*shown * (len(found.get("curve", ())) // len(shown)))


def finish(axes: Any, **style: Any) -> None:
    """Letters and legends."""
    letter(axes)
    for ax in axes:
        legend(ax, **{"fontsize": 7.5} | style)


def described(*shown: Tuned, every_seed: bool = False) -> str:
    """Sizes, what pre-training reached and which seeds are shown."""
    config = shown[0].run.config
    facts, one = config.facts, len(shown) == 1
    at = "" if one else f" at K = {', '.join(str(each.multiplicity) for each in shown)}"
    accuracy = ", ".join(f"{each.accuracy:.3f}" for each in shown)
    excess = ", ".join(f"{each.excess:.3f}" for each in shown)
    judged = " and ".join(
        f"{', '.join(str(len(each.shown_seeds(optimizer))) for each in shown)} ({optimizer})"
        for optimizer in OPTIMIZERS
    )
    seeds = f"{len(config.seeds)} seeds." if every_seed else f"the seeds that are judged, {SEEDS_JUDGED}."
    counts = "" if every_seed else f" Of {len(config.seeds)} these are {judged}{at}."
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}{f', K = {facts.multiplicity}' if one else ''}, "
        f"d = {config.model.width}. Extraction is read after {min(READ_AT, config.tuning.steps)} fine-tuning steps. "
        f"Pre-training reached accuracy {accuracy} and loss {excess} nats over the least{at}. Mean and one standard "
        f"deviation over {seeds}{counts}"
    )


def reached(*shown: Tuned) -> dict[str, list[Any]]:
    """Of pre-training, a row a run."""
    accuracy, excess = [one.accuracy for one in shown], [one.excess for one in shown]
    return {"pre-training accuracy": accuracy, "loss over the least": excess}
