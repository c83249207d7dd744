"""Experiments whose claims are proved, by certificates in ball arithmetic; and the worlds that several speak of."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from lemmata.core import Claim, Experiment, RunConfig, Runs
from lemmata.papers.ic_recall.run.proofs import Transition
from lemmata.proofs import proved_by_each, table_of_proofs

THEOREM_4_2 = "Theorem 4.2 (B.3): what 'T small enough', 'unique' and 'global' are worth"
BEYOND = "beyond the paper: what T <= C_1 / log n of Theorem 4.4 allows"


def proved(title: str, runs: Mapping[str, RunConfig], *claims: Claim) -> Experiment:
    """The same at every scale."""
    return Experiment(title=title, runs=lambda scale: runs, claims=claims, draw=table_of_proofs, extra="proofs")


class World(NamedTuple):
    """Bounds of both temperatures to fifteen digits, with the x that shows the lower one."""

    n: int
    exist: tuple[str, str]
    fold: str
    best: tuple[str, str]
    optimum: str
    rises_to: str

    def transitions(self, change: Callable[[str], str] = str) -> dict[str, Transition]:
        low, high = map(change, self.exist)
        exist = Transition(of="exist", n=self.n, low=low, high=high, dip=self.fold)
        low, high = map(change, self.best)
        best = Transition(of="global", n=self.n, low=low, high=high, dip=self.optimum, split=self.rises_to)
        return {"exist": exist, "global": best}


WORLDS = (
    World(
        3,
        ("0.090860738164839", "0.090860738164840"),
        "0.0347834399727",
        ("0.088387607178908", "0.088387607178909"),
        "0.0546469344687",
        "0.005",
    ),
    World(
        101,
        ("0.060449305640159", "0.060449305640160"),
        "0.0374684876586",
        ("0.059431712428958", "0.059431712428959"),
        "0.0598848521645",
        "0.005",
    ),
    World(
        10_007,
        ("0.037326869416099", "0.037326869416100"),
        "0.0213045984211",
        ("0.036953068078453", "0.036953068078454"),
        "0.0339660657477",
        "0.003",
    ),
    World(
        1_000_003,
        ("0.027256360101443", "0.027256360101444"),
        "0.0149408349826",
        ("0.027059678454290", "0.027059678454291"),
        "0.0238028567051",
        "0.002",
    ),
    World(
        2**61 - 1,
        ("0.010456840560805", "0.010456840560806"),
        "0.0054022658392",
        ("0.010428538338926", "0.010428538338927"),
        "0.00860592014103",
        "0.001",
    ),
)
WARM_UP = WORLDS[0]


def in_the_sixth_digit(text: str) -> str:
    """The same decimal, one more in its sixth digit after the leading zeros."""
    zeros = len(text) - len(text.removeprefix("0.").lstrip("0"))
    place = zeros + 5
    raised = str(int(text[2 : place + 1]) + 1).rjust(place - 1, "0")
    return f"0.{raised}{text[place + 1 :]}"


def transition(title: str, of: str, *, locus: str, statement: str) -> Experiment:
    """A temperature of the phase diagram, world by world."""
    runs: dict[str, RunConfig] = {f"{of}/{world.n}": world.transitions()[of] for world in WORLDS}
    runs |= {f"wrong-{of}/{world.n}": world.transitions(in_the_sixth_digit)[of] for world in WORLDS}

    def remark(runs: Runs) -> str:
        found = [run.config for run in runs.group(of).values()]
        words = [
            f"{one.low} to {one.high} at n = {one.n} (T log n = {float(one.low) * np.log(one.n):.4f})" for one in found
        ]
        return f"{'; '.join(words)}. The control's constants are off in the sixth digit."

    members = tuple(world.n for world in WORLDS)
    claim = proved_by_each(of, "n", "n", members, id=f"{of}-proved", locus=locus, statement=statement, remark=remark)
    return proved(title, runs, claim)
