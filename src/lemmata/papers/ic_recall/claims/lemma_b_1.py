"""Lemma B.1: the relation cannot be skipped."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_most, near, word
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.memory import DirectDecoding
from lemmata.report import plots


def _best(runs: Runs, decoding: str) -> list[float]:
    return [float(runs["direct"].metrics[f"{decoding}_{name}"].max()) for name in ("argmax", "probability")]


LEMMA = Claim(
    id="lemma-b.1",
    locus="Lemma B.1",
    statement="With the memory of Lemma A.1, if the first decoding step's prediction is used to predict from the three "
    "answers without the intermediate relation, accuracy cannot exceed $1/3$ ($n = 3$, all bijections) for any input "
    r"$\tilde Z = (s_1, a_1, s_2, a_2, s_3, u_{\text{EoS}})$ and any $W^{KQ}$.",
    wording={"three answers": word("{} answers", "direct.n"), "$1/3$ ($n = 3$": word("$1/{0}$ ($n = {0}$", "direct.n")},
    subject=lambda runs: _best(runs, "direct"),
    wrong=lambda runs: _best(runs, "stepped"),
    parts=Part(
        np.array,
        at_most(lambda runs: 1 / runs["direct"].config.n, slack=1e-9, paper="every input and W^KQ"),
        along={"decoding": ("argmax", "probability")},
    ),
    remark="Measured: the largest over random full $W^{KQ}$ and all sequences, by argmax (ties split) and by "
    "probability. The control reads the answer after the relation. The slack covers rounding of the logits, divided by "
    "$T$.",
)


def _best_times_n(runs: Runs, decoding: str) -> np.ndarray:
    """The best accuracy times n, for each n above 3."""
    return np.array(
        [run.metrics[f"{decoding}_probability"].max() * run.config.n for run in runs.group("more").values()]
    )


MORE = Claim(
    id="lemma-b.1-more",
    locus="beyond the paper: Lemma B.1 with more subjects (Section 2.2)",
    uses=("lemma-b.1",),
    statement="With the memory of Lemma A.1 and all bijections of $n > 3$ subjects, an answer predicted at the first "
    r"decoding step, without the intermediate relation, has accuracy $\frac1n$, for any input and any $W^{KQ}$.",
    subject=lambda runs: _best_times_n(runs, "direct"),
    wrong=lambda runs: _best_times_n(runs, "stepped"),
    parts=Part(
        np.asarray,
        near(1.0, atol=1e-9),
        along={"n": lambda runs: [run.config.n for run in runs.group("more").values()]},
    ),
    remark="By probability, the largest over random full $W^{KQ}$ and all sequences. Every answer has the logit "
    r"$\sum_s v_s^2$ there: no relation has been seen. The control reads the answer after the relation.",
)


def draw(runs: Runs) -> Artefact:
    run = runs["direct"]
    figure, ax = plots.new_figure(height=3.6)
    bins, n = np.linspace(0, 1, 41), run.config.n
    ax.hist(run.metrics["stepped_probability"], bins, alpha=0.6, label="with the relation")
    ax.hist(run.metrics["direct_probability"], bins, alpha=0.8, label="directly from EoS")
    ax.axvline(1 / n, color="black", linestyle="--", linewidth=1, label=f"1/{n}")
    ax.set(xlabel="largest probability of the right answer over the sequences", ylabel="random W^KQ")
    plots.legend(ax, fontsize=7)
    caption = (
        f"The right answer's largest probability for {len(run.metrics['spread'])} random full W^KQ "
        f"({len(run.config.scales)} scales), n = {n}, T = {run.config.temperature:g}."
    )
    return Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = Experiment(
    title="The relation cannot be skipped",
    runs=lambda scale: {
        "direct": DirectDecoding(draws=sizes.DIRECT_DRAWS.at(scale)),
        **{f"more/{n}": DirectDecoding(n=n, draws=sizes.MORE_DIRECT_DRAWS.at(scale)) for n in (4, 5)},
    },
    claims=(LEMMA, MORE),
    draw=draw,
)
