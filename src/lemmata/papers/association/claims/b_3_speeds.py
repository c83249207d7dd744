"""Appendix B.3: how fast the three matrices of equation (2) move."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs
from lemmata.core.rule import slope_near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.run.key_orders import GradientOrders

EXPONENTS = {"W_F": ("feed", 0), "W_V": ("value", -1), "W_QK": ("key", -2)}  # columns, and what is printed of N
TOLERANCE = 0.4  # of an exponent: terms of relative order 1/(αN) bend the lines


class Moves(NamedTuple):
    """The gradients at one kind of token: the noise, or any k ≤ N (the trigger apart)."""

    run: RunResult
    token: str = "noise"

    def sizes(self, matrix: str) -> tuple[np.ndarray, np.ndarray]:
        """N, and the absolute size of the matrix's gradient there, at the longest contexts."""
        read = partial(self.run.column, ratio=max(self.run.config.ratios))
        return read("num_tokens"), np.abs(read(f"{matrix}_{self.token}"))


def draw(runs: Runs) -> Artefact:
    run, curves = runs["main"], {}
    for token, label in (("noise", "noise"), ("ordinary", "any k ≤ N")):
        for matrix, (column, _) in EXPONENTS.items():
            n, size = Moves(run, token).sizes(column)
            curves[f"{matrix}, {label}"] = n, [size]
    caption = f"The first updates by the exact chain at α = {run.config.alpha:g}, T = {max(run.config.ratios)} N."
    axes: dict[str, Any] = {"xlabel": "N", "ylabel": "size of the first update", "xscale": "log", "yscale": "log"}
    return draw_curves(curves, caption, marker="o", **axes)


EXPERIMENT = Experiment(
    title="The first updates of W_F, W_V and W_QK: orders",
    runs=lambda scale: {"main": GradientOrders()},  # exact and cheap: the same at every scale
    claims=(
        Claim(
            id="b.3-speeds",
            locus="Appendix B.3, observation ii; equations (4) and (22)",
            uses=("lemma-d.1", "table-3", "eq-24"),
            statement=r"For $T, N \gg 1$ and from zero weights the first update of $W_F$ is $\Theta(1)$, that of $W_V$ "
            r"$\Theta(1/N)$ and that of $W_{QK}$, one step later, $\Theta(1/N^2)$, each where it writes about the "
            "noise. Measured are exponents of $N$ over the sizes run, by the exact chain.",
            subject=lambda runs: Moves(runs["main"]),
            wrong=lambda runs: Moves(runs["main"], token="ordinary"),  # the same matrices at any other token
            parts={
                name: Part(lambda moves, matrix=matrix: moves.sizes(matrix), slope_near(exponent, tolerance=TOLERANCE))
                for name, (matrix, exponent) in EXPONENTS.items()
            },
        ),
    ),
    draw=draw,
    notes="Computed by the exact chain, not sampled: the tests compare it with autodiff on every sequence of a small "
    "world. The update of $W_{QK}$ is read after a unit step of $W_F$ and $W_V$, where its own gradient stops being "
    "zero.",
)
