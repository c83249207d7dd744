"""The map as a figure: a panel a matrix, layers down, rank shares across, coloured by what the edit did."""

import numpy as np
from matplotlib.colors import TwoSlopeNorm

from lemmata.core import Artefact
from lemmata.lm.map import Map
from lemmata.report.plots import new_figure

COLOURS = "RdBu_r"
PANEL = 1.35  # inches


def draw_map(measured: Map) -> Artefact:
    """Red where the answer gained on the common word, blue where it lost; white is the whole model."""
    gain = np.log2(measured.ratio / measured.base)
    limit = max(float(np.abs(gain[np.isfinite(gain)]).max(initial=0.0)), 0.1)
    rows, panels = len(measured.layers), len(measured.roles)
    height = max(2.6, 1.3 + 0.15 * rows)
    figure, axes = new_figure(1, panels, width=1.6 + PANEL * panels, height=height, sharey=True, squeeze=False)
    image = None
    for j, (ax, role) in enumerate(zip(axes[0], measured.roles, strict=True)):
        norm = TwoSlopeNorm(0.0, -limit, limit)
        image = ax.imshow(gain[:, j], cmap=COLOURS, norm=norm, aspect="auto", interpolation="nearest")
        ax.set_title(role, fontsize=9)
        ax.set_xticks(range(len(measured.shares)), [f"{share:g}" for share in measured.shares], fontsize=7)
        ax.set_yticks(_some(rows), [str(measured.layers[row]) for row in _some(rows)], fontsize=7)
        ax.grid(False)
        ax.tick_params(length=0)
    axes[0][0].set_ylabel("layer (from 1)")
    figure.supxlabel("share of the rank kept", fontsize=9)
    word = measured.reference.strip()
    figure.suptitle(
        f'{measured.model}: P(answer) / P("{word}") after each cut; whole model {measured.base:.3g}', fontsize=10
    )
    assert image is not None
    bar = figure.colorbar(image, ax=list(axes[0]), pad=0.01, aspect=30)
    bar.set_label("log2 of the ratio over the whole model's", fontsize=8)
    bar.ax.tick_params(labelsize=7, length=2)
    return Artefact(figure, measured.table(), _caption(measured))


def _some(rows: int) -> list[int]:
    step = max(1, round(rows / 12))
    return list(range(0, rows, step))


def _caption(measured: Map) -> str:
    layer, role, share = measured.best()
    return (
        f"Mean probability of the answer over that of {measured.reference.strip()!r}, {measured.prompts} prompts: "
        f"{measured.base:.3g} for the whole model ({measured.base_answer:.3g} : {measured.base_reference:.3g}), "
        f"at most {measured.ratio.max():.3g} ({role} of layer {layer}, share {share:g}). "
        f"The best of {measured.ratio.size} cuts, chosen and read on the same prompts: a map, not a test."
    )
