"""Theorem 4.1: trained on T^1 and T^2 under its assumptions, how far a simply transitive action reaches, and how."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.lego.claims._growth import DEGREES, POWER, assumed, by_size, grown, kept, no_longer, worlds
from lemmata.papers.lego.claims._population import LEVEL, by_record, reached
from lemmata.report.plots import CYCLE, band, joined, legend, letter, new_figure


def left_out(runs: Runs) -> str:
    found = [kept(run) for run in by_size(runs, "world")]
    return (
        f"{sum(int(np.sum(~one)) for one in found)} of {sum(map(len, found))} stages 1 ended above their floor and are "
        "left out."
    )


CONCENTRATION = Claim(
    id="thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    uses=("balance",),
    statement=r"Under the hypotheses of thm-4.1-length, given $Z^{2,\ell}$ with $\ell \in \{0, 1\}$, "
    r"$\mathrm{Attn}_{\mathrm{ans},\ell \to \mathrm{pred},\ell+1} + \mathrm{Attn}_{\mathrm{ans},\ell \to "
    r"\mathrm{ans},\ell} \ge 1 - O(d^{-c^*})$. Judged: the exponent of $1/d$ in $\varepsilon^{2,2}$ after $T_2 = "
    r"d^{C_B - 1 + 1/2}$ of the gradient flow. Control: $T_2 = d^{C_B - 1}$.",
    subject=lambda runs: grown(runs, "world"),
    wrong=lambda runs: no_longer(runs, "world"),
    parts={
        "at least": Part(lambda growth: growth.attention(0.5), at_least(POWER)),
        "at most": Part(lambda growth: growth.attention(0.5), at_most(1.0)),
    },
    needs={"world": assumed},
    remark=left_out,
)

LENGTH = Claim(
    id="thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    uses=("one-step-learned", "balance", "dilution-law"),
    statement=r"Under Assumptions 3.1 to 3.5 and 4.1, for a constant $0 < c^* < 1$ and $n_y \le m \le \log^2 d$, the "
    r"model that Algorithm 1 trains on $\mathcal{T}^1$ and $\mathcal{T}^2$ has $\mathrm{Acc}_L \ge 1 - "
    r"1/\mathrm{poly}(d)$ for every $L \le O(d^{c^*})$. Judged after $T_2 = d^{C_B - 1 + 1/4}$ of the population's "
    f"flow: the exponents in $d$ of the length at which equation (5) is {LEVEL:g} of its ceiling and of "
    r"$1 - \mathrm{Acc}_8$, the variable's token as Section 6.1.1 proves it. Control: $T_2 = d^{C_B - 1}$.",
    subject=lambda runs: (grown(runs, "world"), 8),
    wrong=lambda runs: (no_longer(runs, "world"), 8),
    parts={
        "length": Part(lambda found: found[0].length(0.25), at_least(POWER)),
        "error": Part(lambda found: found[0].error(0.25, found[1]), at_most(-1.0)),
    },
    needs={"world": assumed},
)


def draw(runs: Runs) -> Artefact:
    figure, (look, reach) = new_figure(1, 2)
    members = by_size(runs, "world")
    d = [run.config.vocabulary for run in members]
    for (record, degree), colour in zip(enumerate(DEGREES), CYCLE, strict=False):
        epsilon = np.array([by_record(run, "epsilon_22")[:, record] for run in members]).T
        band(look, d, epsilon, f"c = {degree:g}", color=colour)
        band(reach, d, np.array([reached(run)[:, record] for run in members]).T, f"c = {degree:g}", color=colour)
        look.plot(d, epsilon[:, 0].mean() * (np.array(d) / d[0]) ** -degree, ":", color=colour, linewidth=0.8)
    look.set(xscale="log", yscale="log", xlabel="d", ylabel="ε on T²", title="attention elsewhere")
    reach.set(xscale="log", yscale="log", xlabel="d", ylabel="length reached, equation (5)", title="T² alone")
    for ax in (look, reach):
        legend(ax, fontsize=7)
    letter((look, reach))
    config = members[0].config
    caption = (
        f"Algorithm 1 on the exact population of {config.action} after T₂ = d^(C_B - 1 + c), C_B = "
        f"{config.clips[0]:g}, σ₀ = d^-1/2, m = {config.widths[0]}, {len(config.seeds)} seeds (bands: one standard "
        "deviation). (a) Equation (19); dotted: d^-c. (b) The length at which equation (5) is "
        f"{LEVEL:g} of its ceiling, up to {max(config.lengths)}."
    )
    return Artefact(figure, joined([_table(run) for run in members]), caption)


def _table(run: RunResult) -> dict[str, Any]:
    cells, records = by_record(run, "epsilon_22").shape
    return {
        "action": [run.config.action] * (cells * records),
        "d": [run.config.vocabulary] * (cells * records),
        "seed": np.asarray(run.metrics["seed"]).astype(int),
        "degree": list(DEGREES[:records]) * cells,
        "time": run.metrics["time"],
        "epsilon": run.metrics["epsilon_22"],
        "reached": reached(run).ravel(),
        "reached_greedy": reached(run, "greedy").ravel(),
    }


EXPERIMENT = Experiment(
    title="From chains of two to chains of a power of d", runs=worlds, claims=(LENGTH, CONCENTRATION), draw=draw
)
