"""The model's loss on the pairwise line v = (x, x, 1/2 - x, 1/2 - x, 0, 0), as three experiments read it."""

from collections.abc import Sequence

import numpy as np

from lemmata.core import RunConfig, RunResult, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.landscape import PairwiseLine

LOCUS = "Appendix B, proof of Theorem B.3"


def pairwise_line_runs(scale: Scale) -> dict[str, RunConfig]:
    return {"main": PairwiseLine(points=sizes.LINE_POINTS.at(scale))}


def coefficients(samples: np.ndarray) -> np.ndarray:
    """Quadratics through their values at x = 0, 1/4, 1/2, as rows (x^2, x, 1)."""
    at_0, at_quarter, at_half = samples
    return np.stack([8 * (at_0 - 2 * at_quarter + at_half), -6 * at_0 + 8 * at_quarter - 2 * at_half, at_0], axis=1)


def minima(run: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """Temperatures, and where the line's minimum is."""
    keep = run.metrics["is_minimum"] == 1
    return run.metrics["temperature"][keep], run.metrics["x"][keep]


def span(values: Sequence[float]) -> str:
    return f"{min(values):g} ... {max(values):g}"
