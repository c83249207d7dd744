"""Options that several commands share."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from lemmata.core import Scale, require
from lemmata.core.engine import EngineName
from lemmata.core.scale import ScaleName

Json = Annotated[bool, tyro.conf.arg(help="Print JSON for scripts instead of tables.")]
Ids = Annotated[
    tuple[str, ...],
    tyro.conf.Positional,
    tyro.conf.arg(metavar="[ID ...]", help="Papers, experiments or claims; everything if none is named."),
]
ExperimentId = Annotated[
    str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id, as `lemmata list` shows it.")
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
ScaleOption = Annotated[
    ScaleName, tyro.conf.arg(help="smoke: seconds; laptop: minutes on two cores; paper: the paper's own sizes.")
]
Seeds = Annotated[int | None, tyro.conf.arg(help="Seeds a run is repeated with; None: the experiment's own number.")]
Replication = Annotated[
    int, tyro.conf.arg(help="0: the reference; another number: the same runs with all randomness fresh.")
]


def default_store() -> Path:
    return Path(os.environ.get("LEMMATA_STORE", ".lemmata"))


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where runs are kept, and where papers are found besides the installed ones."""

    store: Annotated[Path, tyro.conf.arg(help="Folder of stored runs; $LEMMATA_STORE sets another default.")] = field(
        default_factory=default_store
    )
    paper_path: Annotated[
        tyro.conf.UseAppendAction[tuple[Path, ...]],
        tyro.conf.arg(metavar="DIR", help="A paper's folder that is not installed; may be given several times."),
    ] = ()

    def given(self) -> list[str]:
        """Those that are not the defaults, as options of another command."""
        store = [] if self.store == default_store() else ["--store", str(self.store)]
        return store + [word for path in self.paper_path for word in ("--paper-path", str(path))]


Where = Annotated[StoreOptions, tyro.conf.arg(name="")]


@dataclass(frozen=True, kw_only=True)
class InStore:
    """What the options of every command begin with."""

    where: Where = field(default_factory=StoreOptions)


def scale_of(name: ScaleName, seeds: int | None, replication: int = 0) -> Scale:
    require(seeds is None or seeds >= 1, "--seeds", seeds, "at least 1")
    require(replication >= 0, "--replication", replication, "at least 0")
    return Scale(name, seeds, replication)
