"""How long stage 2 takes: the gradient near its end is of the order d^(1 - C_B)."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, near, word
from lemmata.papers.lego.claims._growth import DEGREES, assumed, by_size, grown, no_longer, single_worlds, worlds
from lemmata.papers.lego.claims._population import by_record
from lemmata.report.plots import CYCLE, band, legend, new_figure

APART = 0.15  # of an exponent: more than half of the distance between two degrees would be another law


def _exponents(runs: Runs) -> str:
    found = grown(runs, "world")
    return ", ".join(f"{found.attention(c):.2f} (c = {c:g})" for c in DEGREES)


TIME_LAW = Claim(
    id="time-law",
    locus="beyond the paper; Theorem 4.1 says T₂ = poly(d)",
    statement=r"Near the end the gradient of $\mathcal{T}^2$ is of the order $d^{1 - C_B}$, so after $T_2 = d^{C_B - 1 "
    r"+ c}$ of the gradient flow $\varepsilon^{2,2}$ is about $d^{-c}$. Judged: the exponent of $1/d$, where one "
    r"neuron has learned each combination ($\sigma_0 = 0.005$). Control: $T_2 = d^{C_B - 1}$.",
    wording={r"\sigma_0 = 0.005": word(r"\sigma_0 = {}", "single.scales")},
    subject=lambda runs: grown(runs, "single"),
    wrong=lambda runs: no_longer(runs, "single"),
    parts={f"c = {c:g}": Part(lambda growth, c=c: growth.attention(c), near(c, atol=APART)) for c in DEGREES if c > 0},
    needs={"single": assumed},
    remark=lambda runs: (
        rf"At the paper's $\sigma_0 = d^{{-1/2}}$, where several neurons share a combination: {_exponents(runs)}."
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=4.8, height=3.6)
    table: dict[str, list] = {"degree": [], "d": [], "seed": [], "epsilon": []}
    members = by_size(runs, "single")
    d = [run.config.vocabulary for run in members]
    for (record, degree), colour in zip(enumerate(DEGREES), CYCLE, strict=False):
        epsilon = np.array([by_record(run, "epsilon_22")[:, record] for run in members]).T
        band(ax, d, epsilon, f"c = {degree:g}", color=colour)
        ax.plot(d, epsilon[:, 0].mean() * (np.array(d) / d[0]) ** -degree, ":", color=colour, linewidth=0.8)
        for values, seed in zip(epsilon, members[0].config.seeds, strict=True):
            table["degree"] += [degree] * len(d)
            table["d"] += d
            table["seed"] += [seed] * len(d)
            table["epsilon"] += values.tolist()
    ax.set(xscale="log", yscale="log", xlabel="d", ylabel="ε on T²", title="attention elsewhere")
    legend(ax, fontsize=7)
    config = members[0].config
    caption = (
        f"Equation (19) after T₂ = d^(C_B - 1 + c) of {config.action}'s exact population from σ₀ = "
        f"{config.scales[0]:g}, {len(config.seeds)} seeds (bands: one standard deviation). Dotted: d^-c."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="How long attention takes to concentrate",
    runs=lambda scale: {**single_worlds(scale), **worlds(scale)},
    claims=(TIME_LAW,),
    draw=draw,
)
