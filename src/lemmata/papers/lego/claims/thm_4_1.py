"""Theorem 4.1: trained on T^1 and T^2 under its assumptions, how far a simply transitive action reaches, and how."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Rule, RunResult, Runs, at_least, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._growth import (
    DEGREE,
    NAMES,
    POWER,
    START,
    Growth,
    assumed,
    by_size,
    clips,
    grown,
    kept,
    worlds,
)
from lemmata.papers.lego.claims._population import LEVEL, by_record, reached
from lemmata.report.plots import CYCLE, band, joined, legend_below, letter, new_figure


def left_out(runs: Runs) -> str:
    found = [kept(run) for run in runs.group("world").values()]
    return (
        f"{sum(int(np.sum(~one)) for one in found)} of {sum(map(len, found))} stages 1 ended above their floor and are "
        "left out."
    )


def each_clip(runs: Runs, group: str, degree: float | None) -> dict[str, Growth]:
    return {clip: grown(runs, f"{group}/{clip}", degree) for clip in clips(runs, group)}


def parts(
    wrong: Callable[[Runs], Any] | None = None, **rules: tuple[Callable[[Growth], float], Rule]
) -> dict[str, Part]:
    """Of every C_B: a reading of its worlds under a rule."""
    return {
        f"{name}, C_B = {clip:g}": Part(lambda found, c=f"{clip:g}", r=read: r(found[c]), rule, wrong=wrong)
        for name, (read, rule) in rules.items()
        for clip in sizes.GROWTH_CLIPS.laptop
    }


CONCENTRATION = Claim(
    id="thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    uses=("balance", "convergence"),
    statement=r"Under the hypotheses of thm-4.1-length, given $Z^{2,\ell}$ with $\ell \in \{0, 1\}$, "
    r"$\mathrm{Attn}_{\mathrm{ans},\ell \to \mathrm{pred},\ell+1} + \mathrm{Attn}_{\mathrm{ans},\ell \to "
    r"\mathrm{ans},\ell} \ge 1 - O(d^{-c^*})$. Judged on the models of thm-4.1-length, at the same $T_2 = "
    r"d^{C_B - 1 + 1/4}$: the exponent of $1/d$ in $\varepsilon^{2,2}$. Control: $T_2 = d^{C_B - 1}$.",
    subject=lambda runs: each_clip(runs, "world", DEGREE),
    wrong=lambda runs: each_clip(runs, "world", 0.0),
    parts=parts(attention=(Growth.attention, at_least(POWER))),
    needs={"world": assumed},
    remark=left_out,
)

LENGTH = Claim(
    id="thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    uses=("one-step-learned", "thm-4.1-attention", "balance", "dilution-law"),
    statement=r"Under Assumptions 3.1 to 3.5 and 4.1, for a constant $0 < c^* < 1$ and $n_y \le m \le \log^2 d$, the "
    r"model that Algorithm 1 trains on $\mathcal{T}^1$ and $\mathcal{T}^2$ has $\mathrm{Acc}_L \ge 1 - "
    r"1/\mathrm{poly}(d)$ for every $L \le O(d^{c^*})$. Judged after $T_2 = d^{C_B - 1 + 1/4}$ of the population's "
    f"flow: the exponents in $d$ of the length at which equation (5) is {LEVEL:g} of its ceiling and of "
    r"$1 - \mathrm{Acc}_8$, the variable's token as Section 6.1.1 proves it. Control: $T_2 = d^{C_B - 1}$, "
    "and $T_2 = 1$ for the error.",
    subject=lambda runs: each_clip(runs, "world", DEGREE),
    wrong=lambda runs: each_clip(runs, "world", 0.0),
    parts={
        **parts(length=(Growth.length, at_least(POWER))),
        **parts(wrong=lambda runs: each_clip(runs, "world", START), error=(Growth.error, at_most(-1.0))),
    },
    needs={"world": assumed},
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    members: list[RunResult] = []
    for clip, style in zip(clips(runs, "world"), ("-", "--"), strict=False):
        group = by_size(runs, f"world/{clip}")
        d = [run.config.vocabulary for run in group]
        for (record, name), colour in zip(enumerate(NAMES), CYCLE, strict=False):
            looks = {"color": colour, "linestyle": style}
            epsilon = np.array([by_record(run, "epsilon_22")[:, record] for run in group]).T
            lengths = np.array([reached(run)[:, record] for run in group]).T
            for ax, values in zip(axes, (epsilon, lengths), strict=True):
                band(ax, d, values, f"{name}, C_B = {clip}", **looks)
        members += group
    for ax, words in zip(axes, ("ε on T²", "length reached, equation (5)"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel="d", ylabel=words)
        legend_below(ax, fontsize=6, ncols=2)
    letter(axes)
    config = members[0].config
    caption = (
        f"Algorithm 1 on the exact population of {config.action} after the times T₂ in the legend, σ₀ = d^-1/2, m = "
        f"{config.widths[0]}, {len(config.seeds)} seeds (bands: one standard deviation). (a) Equation (19). (b) The "
        f"length at which equation (5) is {LEVEL:g} of its ceiling."
    )
    return Artefact(figure, joined([_table(run) for run in members]), caption)


def _table(run: RunResult) -> dict[str, Any]:
    cells, records = by_record(run, "epsilon_22").shape
    return {
        "action": [run.config.action] * (cells * records),
        "d": [run.config.vocabulary] * (cells * records),
        "seed": np.asarray(run.metrics["seed"]).astype(int),
        "clip": [run.config.clips[0]] * (cells * records),
        "time": run.metrics["time"],
        "epsilon": run.metrics["epsilon_22"],
        "reached": reached(run).ravel(),
        "reached_greedy": reached(run, "greedy").ravel(),
    }


EXPERIMENT = Experiment(
    title="From chains of two to chains of a power of d", runs=worlds, claims=(LENGTH, CONCENTRATION), draw=draw
)
