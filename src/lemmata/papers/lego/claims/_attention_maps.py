"""Attention maps of the experimental model at its training length, as Figures 2 and 5 draw them.

`trained.map` (and `untrained.map`, `trained.map_permuted`) is the mean attention from answers 0..L-1 to the 2L clauses:
[seed, L, 2L].
"""

import numpy as np

from lemmata.core import Artefact, Runs
from lemmata.papers.lego.claims._length_curves import JUDGED
from lemmata.report.plots import heatmap, joined, new_figure


def draw_maps(runs: Runs, words: str, permuted: bool = False) -> Artefact:
    figure, axes = new_figure(1, 2, height=3.2)
    tables = []
    for ax, name in zip(axes, JUDGED.values(), strict=True):
        run = runs[name]
        shown = run.arrays["trained.map_permuted" if permuted else "trained.map"].mean(axis=0)
        length, action = len(shown), run.config.task.action
        order = run.arrays["trained.order"] if permuted else np.arange(length)
        answers = [f"a{i}" for i in range(length)]
        clauses = [f"p{i + 1}" for i in order] + answers
        heatmap(ax, shown, clauses, answers, fmt=".2f" if length <= 5 else "", vmin=0, vmax=1)
        ax.set(title=action, xlabel="clause attended to", ylabel="answer clause asking")
        query, key = np.indices(shown.shape).reshape(2, -1)
        cells = {"query answer": query, "key": np.array(clauses)[key], "attention": shown.reshape(-1)}
        tables.append({"action": np.repeat(action, shown.size), **cells})
    made = runs["symmetric"].config
    setting = f"{made.map_sentences} sentences of length {made.task.length}, both heads, {len(made.seeds)} seeds"
    return Artefact(figure, joined(tables), f"{words}: {setting} averaged.")
