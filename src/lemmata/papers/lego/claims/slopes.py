"""The gradients of Q on symmetry actions: the orders of E.19, E.20, E.31, E.32, F.12 and F.13 with their constants."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.lego.claims._paper_stop import FEATURES, WHERE, Path, Stops, main, paths, some, stopped, world_axes
from lemmata.report.plots import CYCLE, legend_beside, new_figure

CONSTANT = 0.25  # our reading of Omega
NEAR = 5.0  # our reading of O(1/d)


def growth(path: Path, signs: tuple[int, int] = (1, 1)) -> float:
    """The least sum of the diagonals' gradients over the order that the lemma gives it, while the stage converges: of
    T^2 B / n_y, for E.31 has that order for all events but the first, later B eps."""
    bound = path.clip * np.log(path.vocabulary)
    order = bound / path.points if path.length == 2 else bound * path.epsilon
    each = path.speeds[:, [0, 2]] @ np.array(signs) / (order * np.minimum(path.loss, 1))
    return float(each[path.converging].min())


def difference(path: Path) -> float:
    """The same of the blocks' difference, a wrong subject."""
    return growth(path, (1, -1))


def off_diagonal(path: Path) -> float:
    """The largest gradient of an entry off the diagonals over the sum of those on them, times d."""
    on = path.speeds[:, [0, 2]].sum(axis=1)
    return float((path.vocabulary * np.abs(path.speeds[:, [1, 3]]).max(axis=1) / on).max())


def of_a_row(path: Path) -> float:
    """The same of all entries of a row off the diagonal together, a wrong subject."""
    return path.vocabulary * off_diagonal(path)


class Orders(NamedTuple):
    stops: Stops
    exchanged: bool = False  # a wrong subject: differences for sums, rows for entries

    def growth(self, later: bool) -> np.ndarray:
        read = difference if self.exchanged else growth
        return self.stops.later(read) if later else self.stops.by_world(2, read)

    def off_diagonal(self, later: bool) -> np.ndarray:
        read = of_a_row if self.exchanged else off_diagonal
        return self.stops.later(read) if later else self.stops.by_world(2, read)


ORDERS = Claim(
    id="slopes-orders",
    locus="Appendices E and F, Lemmas E.19 (ii), E.20, E.31, E.32, F.12 and F.13",
    uses=("corridor-first",),
    statement=r"While a stage converges, $[-\nabla_{Q_{4,3}} \mathrm{Loss}]_{s,s} + [-\nabla_{Q_{4,4}} "
    r"\mathrm{Loss}]_{s,s}$ is $\Omega(B/(n_y d)) \, \mathbb{E}[1 - \mathrm{logit}_{5,j_2}]$ in $\mathcal{T}^2$ and "
    r"$\Omega(B/d) \, \mathbb{E}[\varepsilon (1 - \mathrm{logit}_{5,j_2})]$ later, and a gradient off the diagonals "
    r"is $O(1/d)$ of those on them. Judged at every iteration, with min(Loss, 1), which is the larger, in the place "
    r"of $1 - \mathrm{logit}$, "
    rf"{WHERE}; the constants are ours: {CONSTANT:g} and {NEAR:g}. Controls: the blocks' difference for their sum; a "
    rf"row's entries together.",
    subject=lambda runs: Orders(main(runs)),
    wrong=lambda runs: Orders(main(runs), exchanged=True),
    parts={
        "sum over B min(Loss, 1) / n_y, T²": Part(lambda o: o.growth(False), at_least(CONSTANT), along=world_axes()),
        "sum over B ε min(Loss, 1), later": Part(
            lambda o: o.growth(True), at_least(CONSTANT), along=world_axes(later=True)
        ),
        "off the diagonals, times d, T²": Part(lambda o: o.off_diagonal(False), at_most(NEAR), along=world_axes()),
        "off the diagonals, times d, later": Part(
            lambda o: o.off_diagonal(True), at_most(NEAR), along=world_axes(later=True)
        ),
    },
    needs={"main": stopped},
    protocol=FEATURES,
    remark=r"Lemmas E.20, E.32 and F.13 compare each block's gradients with the same block's. $Q_{4,3}$'s diagonal "
    r"has gradient 0 at one point, where it turns; both diagonals together are what the bound needs.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=5, height=3.6)
    table: dict[str, list[float]] = {name: [] for name in ("n_y", "d", "C_B", "L", "over_c1", "sum")}
    for path in paths(runs["main"]):
        bound = path.clip * np.log(path.vocabulary)
        each = path.speeds[:, [0, 2]].sum(axis=1) / (bound * path.epsilon * np.minimum(path.loss, 1))
        label = f"S{path.points}, d = {path.vocabulary:g}, C_B = {path.clip:g}" if path.length == 2 else None
        world = runs["main"].config.worlds().index((path.points, path.vocabulary, path.clip))
        look = {"color": CYCLE[world % len(CYCLE)], "linestyle": ("-", "--")[world // len(CYCLE) % 2]}
        ax.plot(path.over_c1[path.converging], each[path.converging], linewidth=0.9, label=label, **look)
        for k in range(0, len(each), max(1, len(each) // 20)):
            values = (path.points, path.vocabulary, path.clip, path.length, path.over_c1[k], each[k])
            for name, value in zip(table, values, strict=True):
                table[name].append(float(value))
    ax.axhline(CONSTANT, color="#999999", linewidth=0.8, linestyle="--")
    ax.set(xlabel="ε over c₁", ylabel="sum of gradients over B ε min(Loss, 1)", title="E.31 and F.12")
    ax.invert_xaxis()
    legend_beside(ax, fontsize=6)
    caption = (
        "The gradients of both diagonals of Q together, over the order that Lemma F.12 gives them, along all stages."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(title="The gradients of Q on symmetry actions", runs=some(), claims=(ORDERS,), draw=draw)
