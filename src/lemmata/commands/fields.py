"""What `--set` takes in an experiment, for `fields`, `run EXPERIMENT --help` and `show EXPERIMENT`."""

from collections.abc import Mapping

from rich.console import Console

from lemmata.commands.options import AtScale, ExperimentId, Json, print_json
from lemmata.core import Experiment, Scale
from lemmata.core.cli_hints import command
from lemmata.core.registry import select_one
from lemmata.report.table_layout import Listing
from lemmata.report.values import shorten
from lemmata.run import Key, keys


def fields(experiment_id: ExperimentId, scale: AtScale, *, console: Console, as_json: Json = False) -> int:
    """What --set may change in an experiment.

    Every field of its runs, what it may hold, and what it holds. `lemmata run EXPERIMENT --help` shows the same.
    """
    experiment = select_one(experiment_id, "run").experiment
    if as_json:
        return print_json([key.row() for key in keys(experiment, scale)])
    console.print(f"[bold]{experiment.id}[/]: {experiment.title}\n")
    given = command("run", experiment.id, "--set", "KEY=VALUE")
    console.print(f"usage: {given.replace('KEY=VALUE', 'KEY=VALUE [KEY=VALUE ...]')} [OPTIONS]\n", markup=False)
    console.print(key_listing(experiment, scale))
    return 0


def key_listing(experiment: Experiment, scale: Scale) -> Listing:
    """A line a key. Columns that would be empty throughout are left out."""
    found = keys(experiment, scale)
    columns = {
        "key": [key.key for key in found],
        "may hold": [key.allowed for key in found],
        f"default at scale {scale.name}": [_default(key) for key in found],
        "at the paper's": ["" if scale.name == "paper" else _of_the_paper(key) for key in found],
        "meaning": [key.note for key in found],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    return Listing(tuple(shown), tuple(zip(*shown.values(), strict=True)), ("key",))


def _default(key: Key) -> str:
    return "\n".join(filter(None, [_held(key.held), f"also sets {key.sets}" if key.sets else ""]))


def _held(held: Mapping[str, list[str]]) -> str:
    """One value, or a line a value with the runs that hold it."""
    if len(held) <= 1:
        return shorten("".join(held), 70)
    lines = [f"{shorten(', '.join(names), 40)}: {value}" for value, names in held.items()]
    return "\n".join(shorten(line, 70) for line in lines)


def _of_the_paper(key: Key) -> str:
    """What it holds at the paper's scale; nothing where no run has it there."""
    if key.paper and set(key.paper) == set(key.held):
        return "the same"
    return shorten(" or ".join(key.paper), 70)
