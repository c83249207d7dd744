"""Where Stage 1 ends at low temperature, and when it is enough (Section 4.2)."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, at_least, at_most, exactly
from lemmata.papers.ic_recall.claims import _drawn_slopes as drawn, _warmup as warmup
from lemmata.papers.ic_recall.claims._pattern_shape import OUTSIDE, Attention
from lemmata.papers.ic_recall.theory.saddle import SADDLE
from lemmata.report import plots


def _after_stage_1(runs: Runs, which: str) -> np.ndarray:
    return drawn.records(runs[which], "first_argmax_worst")[:, 1]


class Points(NamedTuple):
    """Attention after Stage 1 and at the end, replica by replica."""

    settled: np.ndarray
    final: np.ndarray

    def nearer_uniform(self) -> np.ndarray:
        """After Stage 1: the distance to 1/6 over that to the saddle (1/4, 1/4, 1/4, 1/4, 0, 0)."""
        uniform, saddle = (np.linalg.norm(self.settled - point, axis=-1) for point in (1 / 6, SADDLE))
        return uniform / saddle

    def one_pair_ahead(self) -> np.ndarray:
        """At the end: the lighter token of the heavier pair over the heavier token of the lighter pair."""
        pairs = self.final[:, :4].reshape(-1, 2, 2)
        heavier = np.take_along_axis(pairs, pairs.sum(-1).argmax(-1)[:, None, None], axis=1)[:, 0]
        lighter = np.take_along_axis(pairs, pairs.sum(-1).argmin(-1)[:, None, None], axis=1)[:, 0]
        return heavier.min(-1) / lighter.max(-1)

    def outside(self) -> np.ndarray:
        return Attention(self.final, self.final).outside()


def _short(runs: Runs) -> Points:
    attention = np.concatenate([run.arrays["attention"] for run in runs.group("mixed").values()])
    return Points(attention[:, 1], attention[:, -1])


def _converged(runs: Runs) -> Points:
    """The warm-up's Stage 1, run to convergence and not perturbed."""
    end = runs["to convergence"].arrays["stage1_v"][:, -1]
    return Points(end, end)


def _replicas(runs: Runs) -> list[dict[str, Any]]:
    found = []
    for n, run in runs.group("mixed").items():
        columns = (drawn.records(run, name)[:, 0] for name in ("confusing", "seed"))
        found += [{"n": n, "confusing": share, "seed": seed} for share, seed in zip(*columns, strict=True)]
    return found


MIXED = {"replica": _replicas}

CLAIMS = (
    Claim(
        id="stage-1-suffices",
        locus="Section 4.2, after Assumption 4.3",
        statement="If no input sequence is confusing, the point that Stage 1 reaches has full accuracy. Judged in "
        "worlds of drawn slopes: argmax decoding finds the relation on every kind of sequence before any perturbation.",
        subject=lambda runs: _after_stage_1(runs, "none confusing"),
        wrong=lambda runs: _after_stage_1(runs, next(name for name in runs if name.startswith("mixed/"))),
        parts=Part(np.array, exactly(1.0), along={"seed": lambda runs: runs["none confusing"].config.seeds}),
        remark="The control is the same reading in worlds of the same size where some sequences are confusing: a tie "
        "between $r_1$ and $r_2$.",
    ),
    Claim(
        id="stage-1-point",
        locus="Section 4.2, before Theorem 4.4",
        statement=r"Under the hypotheses of Theorem 4.4 the point after Stage 1 is nearer to $(\frac16, \ldots, "
        r"\frac16)$ than to $(\frac14, \frac14, \frac14, \frac14, 0, 0)$. The final attention is not the exact "
        "pairwise pattern: the query subject and EoS keep weight. Yet it attends more to one pair than to the other.",
        subject=_short,
        wrong=_converged,
        parts={
            "distance to 1/6 / to the saddle": Part(Points.nearer_uniform, at_most(1.0), along=MIXED),
            "on query and EoS at the end": Part(Points.outside, at_least(OUTSIDE), along=MIXED),
            "heavier pair / lighter pair": Part(Points.one_pair_ahead, at_least(1.05), along=MIXED),
        },
        remark="What must stay on query and EoS is what the rule of Figure 2 allows at most. The control is the "
        "warm-up's Stage 1 run to convergence: at the saddle, nothing on the query subject, both pairs alike.",
    ),
)


def draw(runs: Runs) -> Artefact:
    short, converged = _short(runs), _converged(runs)
    figure, axes = plots.new_figure(1, 3)
    for ax, read, label, bound in zip(
        axes,
        (Points.nearer_uniform, Points.outside, Points.one_pair_ahead),
        ("after Stage 1: distance to 1/6 / to the saddle", "on query and EoS at the end", "heavier / lighter pair"),
        (1.0, OUTSIDE, 1.05),
        strict=True,
    ):
        for place, points in enumerate((short, converged)):
            values = read(points)
            ax.plot(np.linspace(place - 0.2, place + 0.2, len(values)), values, ".", color=plots.CYCLE[place])
        plots.ceiling(ax, bound)
        ax.set_xticks((0, 1), ("one large step", "control: converged"))
        ax.set_ylabel(label)
    axes[0].set_yscale("log")
    caption = "Attention in worlds of drawn slopes, one mark a seed and share of confusing sequences; lines: the rule."
    names = ("nearer_uniform", "outside", "one_pair_ahead")
    values = {name: getattr(short, name)() for name in names}
    return Artefact(figure, {**plots.columns(_replicas(runs)), **values}, caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    mixed = drawn.drawn_slopes_runs(scale)
    none = replace(drawn.smallest_mixed_world(mixed), confusing=(0.0,))
    return {**mixed, "none confusing": none, "to convergence": warmup.warmup_stages(scale)}


EXPERIMENT = Experiment(
    title="Where Stage 1 ends at low temperature, and when it is enough",
    runs=_runs,
    claims=CLAIMS,
    draw=draw,
    notes=drawn.WORLDS,
)
