"""Lemma 4.5: the second decoding step is right from the first step of training on."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_least, rises
from lemmata.papers.ic_recall.claims import _short_schedule as schedule
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.report import plots


def _exponent(run: RunResult) -> np.ndarray:
    """-log(1 - p_2) in units of 1/sqrt(T), the smallest over seeds, after stage 1 and throughout stage 2, by n."""
    cold = {n: values[0, 0] ** -0.5 for n, values in schedule.by_size(run, "temperature").items()}
    errors = schedule.by_size(run, "second_log_error")
    return np.array([(-values[:, 1:] / cold[n]).min() for n, values in errors.items()])


LEMMA = Claim(
    id="lemma-4.5",
    locus="Lemma 4.5 (D.1), Section 4.3",
    uses=("lemma-d.1-initial", "lemma-d.1-lead", "lemma-d.1-monotone"),
    statement=r"Under Assumptions 2.2 and 4.3, with $T$, $\eta_1$, $\eta_2$ and $|D|$ as in Theorem 4.1, after Stage 1 "
    r"and throughout Stage 2 the second decoding step has accuracy $1 - o(\exp(-1/\sqrt T))$ on all IC-recall "
    r"sequences. Judged in affine worlds: $-\sqrt T\log(1 - p_2)$ is above 1 and grows as $T$ falls with $n$.",
    subject=lambda runs: [_exponent(run) for run in schedule.both_families(runs)],
    wrong=lambda runs: [_exponent(runs["almost no first step"])],
    parts={
        "above 1": Part(np.concatenate, at_least(1.0), along=schedule.BY_WORLD),
        "growing with n": Part(
            lambda exponents: exponents[0], rises(), along={"n": lambda runs: sorted(runs["all slopes"].config.sizes)}
        ),
    },
    remark="One step is enough: the error after stage 1 is already far below the bound. The control takes (almost) no "
    "first step.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = plots.new_figure()
    cold = np.array([1.0])
    for run, colour, name in zip(schedule.both_families(runs), plots.CYCLE, schedule.WORLDS, strict=False):
        cold = np.array([values[0, 0] for values in schedule.by_size(run, "temperature").values()])
        nats = np.stack([-v[:, 1:].max(axis=1) for v in schedule.by_size(run, "second_log_error").values()], axis=1)
        plots.band(ax, cold**-0.5, nats, name, colour, marker="o")
    ends = np.array([cold.max(), cold.min()]) ** -0.5
    ax.plot(ends, ends, "--", color="black", linewidth=1, label="exp(−1/√T)")
    ax.set(xscale="log", yscale="log", xlabel="1/√T", ylabel="−log(1 − p₂(a₃)), from stage 1 on")
    plots.legend(ax)
    about = schedule.short_schedule_words(runs)
    caption = f"{about} The second step's worst moment after stage 1, against the lemma's bound."
    return Artefact(figure, schedule.short_schedule_table(runs), caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    almost_none = replace(schedule.control(scale), schedule=replace(SHORT, c1=1e-6))
    return {**schedule.short_schedule_runs(scale), "almost no first step": almost_none}


EXPERIMENT = Experiment(
    title="The second decoding step, after one step of training",
    runs=_runs,
    claims=(LEMMA,),
    draw=draw,
    notes=schedule.SCHEDULE,
)
