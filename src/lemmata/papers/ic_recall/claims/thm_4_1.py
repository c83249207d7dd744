"""Theorem 4.1: the final answer, decoded in two steps."""

from dataclasses import replace

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, at_least
from lemmata.papers.ic_recall.claims import _short_schedule as schedule
from lemmata.report import plots

HOT = 100.0  # times too hot, for a control

THEOREM = Claim(
    id="thm-4.1",
    locus="Theorem 4.1, Section 4",
    uses=("thm-4.4", "lemma-4.5"),
    statement=r"Under Assumptions 2.2 and 4.3 there are $C_1, C_2 > 0$ such that for any $T \le C_1/\log n$, with "
    r"$\eta_1 = \Theta(T\sqrt T\log\frac1T)$, $\eta_2 = \Theta(T^2)$, $t_1 = 1$ and $t_2 \ge "
    r"\frac{C_2}{T}\log\frac1T$, Algorithm 1 on $\tilde O(\text{poly}(\frac1T))$ samples has, with probability at "
    r"least $1 - \delta$, accuracy at least 0.99 on all IC-recall sequences for the final answers. Judged at $T = "
    r"C_1/\log n$ and the least $t_2$ in affine worlds, for the worst seed and kind of sequence.",
    subject=schedule.both_families,
    wrong=lambda runs: (runs["too hot"],),
    parts=Part(
        lambda worlds: schedule.worst_at_the_end(worlds, "final_worst"), at_least(0.99), along=schedule.BY_WORLD
    ),
    remark=lambda runs: f"The control is too hot: T = {runs['too hot'].config.constant:g}/log n.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = plots.new_figure()
    schedule.draw_error_by_facts(ax, runs, "final_worst", "1 − p(a₃), worst kind of sequence")
    plots.ceiling(ax, 1e-2, "0.01 (Theorem 4.1)")
    plots.legend(ax)
    caption = (
        f"{schedule.short_schedule_words(runs)} Error of the final answer; bands are one standard deviation over seeds."
    )
    return Artefact(figure, schedule.short_schedule_table(runs), caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    control = schedule.control(scale)
    return {**schedule.short_schedule_runs(scale), "too hot": replace(control, constant=HOT * control.constant)}


EXPERIMENT = Experiment(
    title="The final answer, decoded in two steps, at every size",
    runs=_runs,
    claims=(THEOREM,),
    draw=draw,
    notes=schedule.SCHEDULE,
)
