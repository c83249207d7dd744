"""Options that several commands take: each as the type of a command's parameter, with its name and its help."""

import json
from typing import Annotated, Any

import tyro

from lemmata.core import Scale, require
from lemmata.core.engine import EngineName
from lemmata.core.scale import ScaleName

Ids = Annotated[
    tuple[str, ...],
    tyro.conf.Positional,
    tyro.conf.arg(metavar="[ID ...]", help="Papers, experiments or claims; everything if none is named."),
]
PaperIds = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[PAPER ...]", help="All if none.")]
ExperimentId = Annotated[
    str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id, as `lemmata list` shows it.")
]
Changes = Annotated[
    tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
    tyro.conf.arg(name="set", metavar="KEY=VALUE", help="A config field to change; may be given several times."),
]
Jobs = Annotated[
    int | None,
    tyro.conf.arg(
        help="Worker processes; None: one a core, up to 8. On a GPU they share its memory; --jobs 1 takes least."
    ),
]
Engine = Annotated[
    EngineName,
    tyro.conf.arg(
        help="local: processes on this machine; ray: tasks of the cluster at $RAY_ADDRESS, or of one started here."
    ),
]
SingleFile = Annotated[
    bool,
    tyro.conf.arg(help="One file with every figure inside; else an index and a page a paper, figures beside them."),
]
Json = Annotated[bool, tyro.conf.arg(name="json", help="Print JSON for scripts instead of tables.")]
OUT = "Folder of the page, figures and tables."


def print_json(data: Any, code: int = 0) -> int:
    """On standard output; `code` is the command's exit code."""
    print(json.dumps(data, indent=1))
    return code


def _at(
    scale: Annotated[
        ScaleName, tyro.conf.arg(help="smoke: seconds; laptop: minutes on two cores; paper: the paper's own sizes.")
    ] = "laptop",
) -> Scale:
    return Scale(scale)


def _seeded(
    at: Annotated[Scale, tyro.conf.arg(name="", constructor=_at)],
    seeds: Annotated[
        int | None, tyro.conf.arg(help="Seeds a run is repeated with; None: the experiment's own number.")
    ] = None,
) -> Scale:
    require(seeds is None or seeds >= 1, "--seeds", seeds, "at least 1")
    return Scale(at.name, seeds)


def _replicated(
    at: Annotated[Scale, tyro.conf.arg(name="", constructor=_seeded)],
    replication: Annotated[
        int, tyro.conf.arg(help="0: the reference; another number: the same runs with all randomness fresh.")
    ] = 0,
) -> Scale:
    require(replication >= 0, "--replication", replication, "at least 0")
    return Scale(at.name, at.num_seeds, replication)


AtScale = Annotated[Scale, tyro.conf.arg(name="", constructor=_at)]
SeededScale = Annotated[Scale, tyro.conf.arg(name="", constructor=_seeded)]
ReplicatedScale = Annotated[Scale, tyro.conf.arg(name="", constructor=_replicated)]
