"""Theorem 4.4: one large step, a perturbation and a short descent find the relation; and the size of the sample."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.claims import _short_schedule as schedule
from lemmata.papers.ic_recall.run.matching_counts import SampleSizes
from lemmata.papers.ic_recall.theory import low_temperature
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.report import plots

CONFIDENT = 0.9  # 1 - delta: the share of seeds that must reach it


def _share_that_reaches(worlds: schedule.Worlds, level: float) -> np.ndarray:
    """For each world the share of seeds whose final probability is at least the level."""
    by_world = [values for run in worlds for values in schedule.by_size(run, "first_worst").values()]
    return np.array([np.mean(values[:, -1] >= level) for values in by_world])


def _coldness(run: core.RunResult) -> str:
    return f"{min(1 / np.asarray(run.metrics['temperature'])):.0f}"


def _enough(runs: core.Runs, size: Callable[[Real, Real], Real]) -> np.ndarray:
    metrics = runs["sample sizes"].metrics
    return np.asarray(np.ceil(size(metrics["zeta"], metrics["delta"])))


THEOREM = core.Claim(
    id="thm-4.4",
    locus="Theorem 4.4, Section 4.2",
    uses=("lemma-c.1", "lemma-c.3", "thm-4.4-sample"),
    statement=r"Under Assumptions 2.2 and 4.3 there are $C_1, C_2 > 0$ such that for any $T \le C_1/\log n$, with "
    r"$\eta_1 = \Theta(T\sqrt T\log\frac1T)$, $\eta_2 = \Theta(T^2)$, $t_1 = 1$ and $t_2 \ge "
    r"\frac{C_2}{T}\log\frac1T$, Algorithm 1 on $\tilde O(\text{poly}(\frac1T))$ samples has, with probability at "
    r"least $1 - \delta$, accuracy at least 0.999 for the first decoding step on all IC-recall sequences. Judged at $T "
    r"= C_1/\log n$ and the least $t_2$ in affine worlds, as the share of seeds in which $p_1(r^*) \ge 0.999$ on every "
    "kind of sequence.",
    subject=schedule.both_families,
    wrong=lambda runs: (runs["no push"],),
    parts=core.Part(
        lambda worlds: _share_that_reaches(worlds, 0.999), core.at_least(CONFIDENT), along=schedule.BY_WORLD
    ),
    remark=lambda runs: (
        "The smallest of all worlds and seeds: "
        f"{schedule.worst_at_the_end(schedule.both_families(runs), 'first_worst').min():.5f}. "
        f"{runs['all slopes'].config.sequences} sequences, where 1/T is {_coldness(runs['all slopes'])} or more. The "
        "control leaves out the perturbation and keeps rounding from standing in for it: the model stays at 1/2."
    ),
)

SAMPLE = core.Claim(
    id="thm-4.4-sample",
    locus="Appendix C, proof of Theorem 4.4",
    statement=r"Under Assumption 4.3, if $|D| \ge \frac{13}{\zeta}\log\frac1\delta$, with probability at least $1 - "
    r"\delta/3$ both $p_{\text{conf}}$ and $p_{\text{mis}}$ are at least $\zeta/2$. Judged for $\delta \le 0.53$.",
    subject=lambda runs: runs["sample sizes"],
    wrong=lambda runs: runs["stricter sample sizes"],
    parts=core.Part(
        lambda run: run.metrics["needed"],
        core.at_most(lambda runs: _enough(runs, low_temperature.sample_size), paper="every zeta and delta"),
        along={"case": lambda runs: core.rows_of(runs["sample sizes"], zeta="zeta", delta="delta")},
    ),
    remark=r"By exact binomials. Chernoff's bound as the proof uses it would ask for $\frac8\zeta\log\frac6\delta$, "
    r"which is more at such $\delta$; and as $\delta \to 1$ no multiple of $\log\frac1\delta$ is enough. The control "
    r"asks for nine tenths of $\zeta$ in place of a half.",
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, middle, right) = plots.new_figure(1, 3, width=13)
    schedule.draw_error_by_step(left, runs)
    schedule.draw_error_by_facts(middle, runs, "first_worst", "1 − p₁(r*), worst kind of sequence")
    sizes = runs["sample sizes"].metrics
    for colour, zeta in zip(plots.CYCLE, np.unique(sizes["zeta"]), strict=False):
        keep = sizes["zeta"] == zeta
        delta = sizes["delta"][keep]
        right.plot(delta, sizes["needed"][keep], "o", color=colour, label=f"needed, ζ = {zeta:g}")
        right.plot(delta, low_temperature.sample_size(zeta, delta), "--", color=colour)
        right.plot(delta, low_temperature.chernoff_sample_size(zeta, delta), "-", color=colour)
    right.set(xscale="log", yscale="log", xlabel="δ", ylabel="|D|", title="dashed: printed; line: Chernoff")
    for ax in (left, middle, right):
        if ax is not right:
            plots.ceiling(ax, 1e-3, "0.001 (Theorem 4.4)")
        plots.legend_below(ax, ncols=3)
    plots.letter((left, middle, right))
    caption = (
        f"{schedule.short_schedule_words(runs)} (a) Error of the first decoding step on the worst kind of fresh "
        "sequence (all slopes; mean over seeds). (b) The same at the end, against the number of stored facts; bands "
        "are one standard deviation over seeds. (c) Sequences needed so that both fractions are at least ζ/2 with "
        "probability 1 - δ/3 (exact binomials), the printed size and Chernoff's."
    )
    return core.Artefact(figure, schedule.short_schedule_table(runs), caption)


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    return {
        **schedule.short_schedule_runs(scale),
        "no push": replace(schedule.control(scale), stage2="symmetric"),
        "sample sizes": SampleSizes(),
        "stricter sample sizes": SampleSizes(fraction=0.9),
    }


EXPERIMENT = core.Experiment(
    title="One large step, a perturbation, a short descent: the relation at every size",
    runs=_runs,
    claims=(THEOREM, SAMPLE),
    draw=draw,
    notes=schedule.SCHEDULE,
)
