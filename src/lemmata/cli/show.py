"""What the commands that look at claims may be given."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from lemmata.cli.options import ExperimentId, Ids, InStore, Json, ScaleOption


@dataclass(frozen=True, kw_only=True)
class List(InStore):
    """Papers, experiments and claims, with their last verdicts.

    Example: lemmata list knowledge --unstable
    Example: lemmata list --by resolution
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    unstable: Annotated[
        bool, tyro.conf.arg(help="Only claims whose verdict moved under fresh randomness (`lemmata confirm`).")
    ] = False
    by: Annotated[
        Literal["paper", "resolution"],
        tyro.conf.arg(help="resolution: what holds, the claim that would notice least of a wrong statement first."),
    ] = "paper"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Show(InStore):
    """All that is known of a paper, an experiment or a claim.

    Of a paper what was found, and its claims; of an experiment every claim in full, and the keys of its runs; of a
    claim its statement, where the paper says it, its rule, prediction, measurement, evidence and cost.

    Example: lemmata show lego

    Example: lemmata show ic-recall/table-2
    """

    wanted: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="A paper, experiment or claim.")]
    scale: ScaleOption = "laptop"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Power(InStore):
    """Which wrong versions of what claims say their verdicts reject.

    A sign, a factor 2, an exponent, an index, a dropped term: slips in the theory that a verdict calls, judged on the
    stored runs. Versions that only weaken a bound cannot be rejected and are counted apart.

    Example: lemmata power ic-recall --out report/power
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help="Draw a figure a paper into this folder.")] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Fields(InStore):
    """What --set may change in an experiment.

    Every field of its runs, what it may hold, and what it holds. `lemmata run EXPERIMENT --help` shows the same.
    """

    experiment_id: ExperimentId
    scale: ScaleOption = "laptop"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Serve(InStore):
    """A page on this machine to find, read, change and watch claims.

    It needs the extra `serve`. It listens on the loopback alone, at an address with a random token. A port that is
    taken gives the next one.

    Example: lemmata serve 'change/ic-recall/fig-2?scale=smoke&set=temperature%3D0.2'
    """

    page: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[PAGE]", help="What to show first, as a page's `Send it` says."),
    ] = ""
    scale: ScaleOption = "laptop"
    port: Annotated[int, tyro.conf.arg(help="The first port to try; 0: any that is free.")] = 8765
    browser: Annotated[bool, tyro.conf.arg(help="Open it in the default browser.")] = False
