"""Is attention pairwise? The numbers that the claims about Figures 2 and 4 judge, and how they are drawn."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Frames, Part, RunResult, Runs, Seeds, at_least, at_most
from lemmata.report.plots import columns, heatmap


class Attention(NamedTuple):
    """Of both decoding steps, seed by seed: [seed, 2k + 2] over s_1, a_1, ..., s_{k+1}, EoS, and one more, r*."""

    first: np.ndarray
    second: np.ndarray

    def within_over_between(self) -> np.ndarray:
        """How much the tokens of a pair differ, in units of how much pairs differ. Which pair is heavier is chance:
        pairs are sorted by weight."""
        pairs = self.first[..., :-2].reshape(*self.first.shape[:-1], -1, 2)
        within = np.abs(np.diff(pairs, axis=-1)).max(axis=(-2, -1))
        between = np.diff(np.sort(pairs.mean(axis=-1), axis=-1), axis=-1).min(axis=-1)
        return np.divide(within, between, out=np.full(within.shape, np.inf), where=between > 0)

    def outside(self) -> np.ndarray:
        """What the query subject and EoS get at the first step."""
        return self.first[..., -2:].sum(axis=-1)

    def lead(self, *, over_eos: bool) -> np.ndarray:
        """At the second step, the query subject's attention over that of the next token."""
        query = self.second.shape[-1] - 3
        others = np.delete(self.second, query if over_eos else (query, query + 1), axis=-1)
        return self.second[..., query] / others.max(axis=-1)

    def eos_over_answers(self) -> np.ndarray:
        """At the second step, the attention on EoS over that on an in-context answer."""
        return self.second[..., -2] / self.second[..., 1:-3:2].mean(axis=-1)


def _each(read: Callable[[Attention], np.ndarray]) -> Callable[[list[Attention]], np.ndarray]:
    return lambda panels: np.concatenate([read(panel) for panel in panels])


# Within a pair at most a quarter of the smallest difference between pairs; at most a twentieth of the attention on
# query and EoS; at the second step the query subject a quarter above anything else. The three numbers were adjusted
# after a trial of Figure 2.
OUTSIDE = 0.05
FIRST_STEP = {
    "within / between pairs": Part(_each(Attention.within_over_between), at_most(0.25)),
    "on query and EoS": Part(_each(Attention.outside), at_most(OUTSIDE)),
}


def leading(*, over_eos: bool) -> Part:
    return Part(_each(lambda panel: panel.lead(over_eos=over_eos)), at_least(1.25))


def on_average(part: Part) -> Part:
    """The same of the mean over seeds: a trained memory differs from seed to seed, and the pattern with it."""
    return Part(lambda panels: Seeds(part.read(panels)), replace(part.rule, over_seeds=True))


ON_EOS = Part(_each(Attention.eos_over_answers), at_least(1.25))


def attention(run: RunResult, record: int = -1) -> Attention:
    """At the end of training, or at another record; 0 is the untrained model."""
    return Attention(*(run.arrays[name][:, record] for name in ("first_attention", "second_attention")))


def positions(k: int) -> list[str]:
    """The names of the positions, as in the paper's figures."""
    subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    pairs = [f"{letter}{i}".translate(subscript) for i in range(1, k + 1) for letter in "sa"]
    return [*pairs, f"s{k + 1}".translate(subscript), "EoS", "r*"]


def draw_attention(ax: Axes, run: RunResult) -> None:
    """Both decoding steps of the first seed as two rows of cells; EoS cannot look ahead at r*."""
    config, (first, second) = run.config, attention(run)
    cells = np.stack([np.append(first[0], np.nan), second[0]])
    heatmap(ax, cells, positions(config.k), ["from EoS", "from r*"], vmin=0.0)
    ax.set_title(f"k = {config.k}, |R| = {config.world.relations}, T = {config.temperature:g}")


def attention_over_time(name: str, run: RunResult) -> Frames:
    """Both decoding steps of the first seed, record by record."""
    first, second = (run.arrays[f"{which}_attention"][0] for which in ("first", "second"))
    cells = np.stack([np.pad(first, ((0, 0), (0, 1)), constant_values=np.nan), second], axis=1)
    return Frames(
        title=f"Attention, {name}",
        steps=np.linspace(0, run.config.steps, len(cells)),
        values=cells,
        rows=["from EoS", "from r*"],
        columns=positions(run.config.k),
        note=f"Seed {run.config.seeds[0]}; EoS cannot look ahead at r*.",
    )


def attention_table(runs: Runs) -> dict[str, list[Any]]:
    """The cells of every panel and seed, as a table."""
    return columns(
        [
            {"panel": panel, "seed": seed, "from": asking, "to": to, "attention": weight}
            for panel, run in runs.items()
            for seed, *steps in zip(run.config.seeds, *attention(run), strict=True)
            for asking, weights in zip(("EoS", "r*"), steps, strict=True)
            for to, weight in zip(positions(run.config.k), weights, strict=False)
        ]
    )
