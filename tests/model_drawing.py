"""A drawn example and trained attention, from the arrays that a paper's plain.py returns."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lemmata.report.style import CYCLE, GREY, styled

ACROSS, WIDE = 16, 80  # tokens a line at most, and characters


def draw_example(tokens: Sequence[str], roles: Sequence[str]) -> Figure:
    """Tokens in reading order; those that play a part (`""`: none) have its colour."""
    colours = dict(zip(dict.fromkeys(role for role in roles if role), CYCLE, strict=False))
    across = min(ACROSS, len(tokens), WIDE // (3 + max(map(len, tokens))))
    lines = -(-len(tokens) // across)
    with styled():
        figure = Figure(figsize=(7, 0.45 * lines + 0.5), layout="constrained")
        axes = figure.add_subplot()
        for i, (token, role) in enumerate(zip(tokens, roles, strict=True)):
            box = {"facecolor": colours.get(role, "white"), "edgecolor": GREY, "alpha": 0.35, "pad": 3}
            axes.text(i % across + 0.5, -(i // across) - 0.5, token, ha="center", va="center", bbox=box)
        axes.set(xlim=(0, across), ylim=(-lines, 0))
        axes.axis("off")
        patches = [Patch(facecolor=colour, alpha=0.35, label=role) for role, colour in colours.items()]
        figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), frameon=False)
    return figure


def draw_attention(weights: Sequence[Sequence[float]], queries: Sequence[str], keys: Sequence[str]) -> Figure:
    """A row a query, a column a key."""
    with styled():
        figure = Figure(figsize=(7, 0.3 * len(queries) + 1.1), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(np.asarray(weights), cmap="Blues", vmin=0, aspect="auto")
        axes.grid(False)
        axes.set_xticks(range(len(keys)), keys, rotation=90 if len(keys) > ACROSS // 2 else 0, fontsize=7)
        axes.set_yticks(range(len(queries)), queries)
        figure.colorbar(image, label="attention", pad=0.01)
    return figure
