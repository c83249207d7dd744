"""Worlds of growing |X| on which Theorem 4.1 is measured, and how to read them."""

from collections.abc import Callable

import numpy as np

from lemmata.core import RunResult, Scale
from lemmata.core.legacy import Results
from lemmata.papers.lego.run.regime import Memory, RegimeCells


def worlds(scale: Scale) -> tuple[RegimeCells, ...]:
    """C_6 (and at the paper's scale S_5) in worlds of growing |X|: T_2 is 5 |X| steps, and for C_6 also |X|^2 / 8."""
    if scale.name == "smoke":
        return (RegimeCells.smallest("C3"),)
    paper = scale.name == "paper"
    found = []
    for action in ("C6", "S5") if paper else ("C6",):
        for size in (41, 81, 161, 321, 641) if paper else (21, 41, 81, 161):
            for steps in (linear(size), quadratic(size)):
                if steps == quadratic(size) and (action == "S5" or size not in (41, 81, 161)):
                    continue
                found.append(
                    RegimeCells(
                        action=action,
                        variables=size,
                        steps=steps,
                        every=size if steps == linear(size) else steps,
                        lengths=grid(size - 1),
                        test_sentences=64 if paper else 32,
                        seeds=scale.seeds(smoke=1, laptop=3, paper=3),
                    )
                )
    return tuple(found)


def linear(size: int) -> int:
    """T_2 proportional to d."""
    return 5 * size


def quadratic(size: int) -> int:
    """T_2 proportional to d^2; about the same at |X| = 41."""
    return size**2 // 80 * 10


def grid(last: int) -> tuple[int, ...]:
    """2, and then lengths a factor 2 apart up to the longest chain."""
    found = [2]
    while found[-1] * 2 < last / 1.2:
        found.append(2 * found[-1])
    return (*found, last)


def growing(results: Results, action: str = "C6", steps: Callable[[int], int] = linear) -> list[RunResult]:
    """The worlds of an action with this T_2, smallest first; at smoke scale there is one, with two steps."""
    smoke = results.scale.name == "smoke"
    found = [run for run in results.where(RegimeCells) if smoke or run.config.steps == steps(run.config.variables)]
    runs = [run for run in found if run.config.action == action]
    return sorted(runs, key=lambda run: run.config.variables)


def vocabulary(run: RunResult) -> int:
    """d."""
    config = run.config
    return config.model_config(Memory(config.scales[0], config.clips[0], config.widths[0], config.seeds[0])).vocab


def reached(run: RunResult, step: int | None = None) -> np.ndarray:
    """The length reached, by seed; of the last record unless a step is given."""
    return run.column("reached", step=run.config.steps if step is None else step)


def elsewhere(run: RunResult, record: int = -1) -> np.ndarray:
    """Attention that T^2's answers put elsewhere, at the worse of the two steps, by seed."""
    return run.arrays["epsilon_worst_step"][:, record, 0]
