"""Is an attention vector pairwise? The numbers that the claims about Figures 2 and 4 judge, and how they are drawn."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core.legacy import AtLeast, AtMost, Check
from lemmata.report.plots import heatmap

# Fixed beforehand: within a pair at most a quarter of the smallest difference between pairs; at most a twentieth of the
# attention on query and EoS; at the second step the query subject a quarter above anything else.
WITHIN, OUTSIDE, LEAD = 0.25, 0.05, 1.25
FIRST_RULE: dict[str, Check] = {"within / between pairs": AtMost(), "on query and EoS": AtMost()}
FIRST_PREDICTION: dict[str, float] = {"within / between pairs": WITHIN, "on query and EoS": OUTSIDE}
SECOND_RULE: dict[str, Check] = {"query subject / next": AtLeast()}
SECOND_PREDICTION: dict[str, float] = {"query subject / next": LEAD}


def first_shape(attention: np.ndarray) -> dict[str, np.ndarray]:
    """Of attention vectors [..., 2k + 2] over s_1, a_1, ..., s_{k+1}, EoS. Which pair is heavier is chance: pairs are
    sorted by weight."""
    pairs = attention[..., :-2].reshape(*attention.shape[:-1], -1, 2)
    within = np.abs(np.diff(pairs, axis=-1)).max(axis=(-2, -1))
    between = np.diff(np.sort(pairs.mean(axis=-1), axis=-1), axis=-1).min(axis=-1)
    ratio = np.divide(within, between, out=np.full(within.shape, np.inf), where=between > 0)
    return {"within / between pairs": ratio, "on query and EoS": attention[..., -2:].sum(axis=-1)}


def second_shape(attention: np.ndarray) -> dict[str, np.ndarray]:
    """Of attention vectors [..., 2k + 3] over s_1, a_1, ..., s_{k+1}, EoS, r*."""
    query = attention[..., -3]
    others = np.delete(attention, -3 % attention.shape[-1], axis=-1).max(axis=-1)
    return {"query subject / next": query / others}


def positions(k: int) -> list[str]:
    """The names of the positions, as in the paper's figures."""
    subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    pairs = [f"{letter}{i}".translate(subscript) for i in range(1, k + 1) for letter in "sa"]
    return [*pairs, f"s{k + 1}".translate(subscript), "EoS", "r*"]


def draw_attention(ax: Axes, first: np.ndarray, second: np.ndarray, title: str) -> None:
    """Both decoding steps as two rows of cells; EoS cannot look ahead at r*."""
    k = (len(first) - 2) // 2
    heatmap(ax, np.stack([np.append(first, np.nan), second]), positions(k), ["from EoS", "from r*"], vmin=0.0)
    ax.set_title(title)


def attention_rows(panel: str, seed: int, first: np.ndarray, second: np.ndarray) -> list[dict[str, Any]]:
    """The cells of one panel as rows of a table."""
    names = positions((len(first) - 2) // 2)
    rows = [(panel, seed, "EoS", name, weight) for name, weight in zip(names, first, strict=False)]
    rows += [(panel, seed, "r*", name, weight) for name, weight in zip(names, second, strict=True)]
    return [dict(zip(("panel", "seed", "from", "to", "attention"), row, strict=True)) for row in rows]
