"""Proved, not sampled: the pairwise line of the warm-up and of full worlds, in ball arithmetic."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lemmata.core import Experiment, RunConfig, Runs, Scale
from lemmata.papers.ic_recall.run.proofs import BestOnLine, SaddleCurvature, Transition, TurningPoints
from lemmata.proofs import proved_by, proved_by_each, table_of_proofs

LOCUS = "Theorem 4.2 (B.3): what 'T small enough', 'unique' and 'global' are worth"
BEYOND = "beyond the paper: what T <= C_1 / log n of Theorem 4.4 allows"


class World(NamedTuple):
    """Bounds of both temperatures to fifteen digits, with the x that shows the lower one."""

    n: int
    exist: tuple[str, str]
    fold: str
    best: tuple[str, str]
    optimum: str
    rises_to: str


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
        10**4,
        ("0.037328996259664", "0.037328996259665"),
        "0.0213060016768",
        ("0.036955151278947", "0.036955151278948"),
        "0.0339683105861",
        "0.003",
    ),
    World(
        10**6,
        ("0.027256364837705", "0.027256364837706"),
        "0.0149408378492",
        ("0.027059683120957", "0.027059683120958"),
        "0.0238028612767",
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


SIZES = tuple(world.n for world in WORLDS)


def in_the_sixth_digit(text: str) -> str:
    """The same decimal, one more in its sixth digit after the leading zeros."""
    zeros = len(text) - len(text.removeprefix("0.").lstrip("0"))
    place = zeros + 5
    raised = str(int(text[2 : place + 1]) + 1).rjust(place - 1, "0")
    return f"0.{raised}{text[place + 1 :]}"


def _transitions(world: World, change: Callable[[str], str] = str) -> dict[str, Transition]:
    low, high = map(change, world.exist)
    first = Transition(of="exist", n=world.n, low=low, high=high, dip=world.fold)
    low, high = map(change, world.best)
    second = Transition(of="global", n=world.n, low=low, high=high, dip=world.optimum, split=world.rises_to)
    return {"exist": first, "global": second}


def _runs(scale: Scale) -> dict[str, RunConfig]:
    found: dict[str, RunConfig] = {
        "turning-points": TurningPoints(until="0.090860738164839", dip="0.03478344"),
        "wrong/turning-points": TurningPoints(until="0.090860738164839", dip="0.03478344", count=1),
        "best-on-line": BestOnLine(),
        "wrong/best-on-line": BestOnLine(right=2),
        "saddle": SaddleCurvature(),
        "wrong/saddle": SaddleCurvature(sign="positive"),
    }
    for world in WORLDS:
        found |= {f"{of}/{world.n}": run for of, run in _transitions(world).items()}
        found |= {f"wrong-{of}/{world.n}": run for of, run in _transitions(world, in_the_sixth_digit).items()}
    return found


def _bounds(of: str) -> Callable[[Runs], str]:
    def remark(runs: Runs) -> str:
        found = [run.config for run in runs.group(of).values()]
        words = [
            f"{one.low} to {one.high} at n = {one.n} (T log n = {float(one.low) * np.log(one.n):.4f})" for one in found
        ]
        return f"{'; '.join(words)}. The control's constants are off in the sixth digit."

    return remark


CLAIMS = (
    proved_by(
        "turning-points",
        {"count": 2},
        id="turning-points-proved",
        locus=LOCUS,
        statement="Warm-up, n = 3: at every temperature up to the last at which an unequal minimum exists the loss on "
        "the pairwise line has exactly two critical points in (0, 1/4), a maximum and then a minimum. (The proof of "
        "Theorem B.3 says one.)",
        remark="The control says one, as printed. Below T = 1/20 the count is an argument with x of the order of T, "
        "above it a cover by boxes; docs/proofs.md has both.",
    ),
    proved_by_each(
        "exist",
        "n",
        "n",
        SIZES,
        id="exist-proved",
        locus=BEYOND,
        statement="The highest temperature at which the loss has an unequal minimum on the pairwise line lies between "
        "two numbers that differ in the fifteenth digit, world by world.",
        remark=_bounds("exist"),
    ),
    proved_by_each(
        "global",
        "n",
        "n",
        SIZES,
        id="global-proved",
        locus=LOCUS,
        statement="Up to a temperature T_g the lowest loss over the whole simplex of attention is on both pairs, and "
        "from it on at one pair alone; T_g lies between two numbers that differ in the fifteenth digit, world by "
        "world.",
        remark=_bounds("global"),
    ),
    proved_by(
        "best-on-line",
        {"right": 1},
        id="best-on-line-proved",
        locus=LOCUS,
        statement="At every temperature and in every full world the lowest loss over the 5-simplex of attention is "
        "attained on the pairwise line (x, x, 1/2 - x, 1/2 - x, 0, 0).",
        remark="The control asks for another relation, whose pairs are others. The argument is three lines of "
        "arithmetic and geometric means; the certificate holds the facts about relations that it uses.",
    ),
    proved_by(
        "saddle",
        {"sign": "negative"},
        id="saddle-proved",
        locus="Lemma B.5",
        statement="The curvature at the saddle along the escaping direction is negative at every temperature.",
        remark="The control says positive.",
    ),
)


EXPERIMENT = Experiment(
    title="Proved, not sampled: the pairwise line in ball arithmetic",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
