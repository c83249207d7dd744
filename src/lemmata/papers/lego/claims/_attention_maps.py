"""Attention maps of the experimental model at its training length, as Figures 2 and 5 read and draw them."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Runs
from lemmata.papers.lego.claims._length_curves import joined, learned
from lemmata.report.plots import heatmap, new_figure

JUDGED = {"simply transitive": "transitive/sharp", "symmetric": "symmetric/sharp"}  # part -> run
NEEDS = dict.fromkeys(JUDGED.values(), learned)


def maps(run: RunResult, moment: str, permuted: bool = False) -> np.ndarray:
    """Mean attention from answers 0..L-1 (rows) to the 2L clauses: [seed, L, 2L]."""
    return run.arrays[f"{moment}.map_permuted" if permuted else f"{moment}.map"]


def draw_maps(runs: Runs, words: str, permuted: bool = False) -> Artefact:
    figure, axes = new_figure(1, 2, height=3.2)
    tables: list[dict[str, Any]] = []
    for ax, name in zip(axes, JUDGED.values(), strict=True):
        run = runs[name]
        shown = maps(run, "trained", permuted).mean(axis=0)
        length, action = len(shown), run.config.task.action
        order = run.arrays["trained.order"] if permuted else np.arange(length)
        columns = [f"p{i + 1}" for i in order] + [f"a{i}" for i in range(length)]
        heatmap(ax, shown, columns, [f"a{i}" for i in range(length)], fmt=".2f" if length <= 5 else "", vmin=0, vmax=1)
        ax.set(title=action, xlabel="clause attended to", ylabel="answer clause asking")
        query, key = np.indices(shown.shape).reshape(2, -1)
        cells = {"query answer": query, "key": np.array(columns)[key], "attention": shown.reshape(-1)}
        tables.append({"action": np.repeat(action, shown.size), **cells})
    made = runs["symmetric/sharp"].config
    setting = (
        f"{made.map_sentences} sentences of length {made.task.length}, both heads, {len(made.seeds)} seeds averaged."
    )
    return Artefact(figure, joined(tables), f"{words}: {setting}")
