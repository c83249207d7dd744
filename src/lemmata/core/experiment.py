"""An experiment: the named runs it needs at each scale, the claims they decide, and the drawing made from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lemmata.core.claim import Claim
from lemmata.core.condition import Needs
from lemmata.core.extras import EXTRAS
from lemmata.core.run import RunConfig, Runs
from lemmata.core.scale import Scale
from lemmata.core.view import Live

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Artefact:
    """A figure, the table beneath it, and what a reader should know before believing it."""

    figure: "Figure | None"
    table: Mapping[str, Any]
    caption: str


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What `claims/<name>.py` of a paper exports as `EXPERIMENT`."""

    title: str
    runs: Callable[[Scale], Mapping[str, RunConfig]]  # by name: the readings take them by these names
    claims: tuple[Claim, ...]
    draw: Callable[[Runs], Artefact] = lambda runs: Artefact(None, {}, "Nothing is drawn.")
    needs: Needs = field(default_factory=dict)  # of every claim that reads the run
    extra: str = ""  # optional dependencies that its runs need, as "lm"; its file must load without them
    live: Live = field(default_factory=Live)  # what the live page shows of it besides
    notes: str = ""  # what to know when reading the figure: ceilings, choices, known differences from the paper
    id: str = ""  # "<paper>/<file>", set by the registry

    def __post_init__(self) -> None:
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) != len(ids):
            raise ValueError(f"{self.id}: two claims share an id among {ids}")
        parts = {(claim.id.rpartition("/")[2], name) for claim in self.claims for name in claim.named_parts()}
        if lost := [one for one in self.live.follows if (one.claim, one.part) not in parts]:
            raise ValueError(f"{self.id}: {lost[0].row!r} follows {lost[0].claim}, {lost[0].part!r}, which is no part")
        if self.extra and self.extra not in EXTRAS:
            raise ValueError(f"{self.id}: extra {self.extra!r} is none of {', '.join(EXTRAS)}")
