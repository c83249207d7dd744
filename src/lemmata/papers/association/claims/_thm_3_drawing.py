"""The drawing of Theorem 3: both margins and the truncated model's noise, over eight decades of time."""

import numpy as np

from lemmata.core import Artefact, Runs
from lemmata.papers.association.theory import memory
from lemmata.report.plots import ceiling, new_figure


def draw(runs: Runs) -> Artefact:
    run, descent = runs["flow/inside"], runs["descent"]
    n, alpha, time = run.config.inputs, run.config.alpha, run.column("time")
    path = memory.integrate(memory.margin_rates(n, alpha), time)
    printed = memory.integrate(memory.printed_margin_rates(alpha), time)
    figure, (first, second, third) = new_figure(1, 3, width=13)
    later = time > 0
    first.semilogx(time[later], run.column("a")[later], color="C0", lw=4, alpha=0.35, label="a, flow of the matrix")
    first.semilogx(time[later], path.a[later], color="C0", lw=1, label="a, equation")
    tail = time > min(10, time[-1] / 10)
    first.semilogx(time[tail], np.log(memory.constant(n, alpha) / time[tail]), "k:", label="log(4/(3(1-α)t))")
    first.semilogx(time[tail], np.log(memory.printed_constant(alpha) / time[tail]), "r:", label="printed")
    first.semilogx(descent.column("time")[1:], descent.column("a")[1:], "C1--", lw=1, label="gradient descent")
    first.set(xlabel="t", ylabel="a = W_12 - W_11")
    second.semilogx(time[later], run.column("b")[later], color="C2", lw=4, alpha=0.35, label="flow of the matrix")
    second.semilogx(time[later], path.b[later], color="C2", lw=1, label="equation")
    second.semilogx(time[later], printed.b[later], "r--", lw=1, label="equation (43) as printed")
    ceiling(second, memory.limit_b(alpha), "log(α/(1-α))")
    second.set(xlabel="t", ylabel="b = W_13 - W_11")
    third.loglog(time[tail], run.column("cut_noise")[tail], color="C3", label="rank 1: P(noise)")
    third.loglog(time[tail], memory.rank_one_noise_constant(alpha) / np.sqrt(time[tail]), "k:", label="(4/(3(1-α)t))^½")
    third.loglog(time[tail], run.column("full_noise")[tail], color="C4", label="full: P(noise)")
    third.loglog(time[tail], run.column("full_wrong")[tail], color="C5", label="full: P(other)")
    third.set(xlabel="t", ylabel="probability")
    for ax in (first, second, third):
        ax.legend(fontsize=7)
    caption = (
        f"Theorem 3 at α = {alpha:g}, d = {run.config.width}: gradient flow of the real matrix (gradients by autodiff, "
        f"LSODA in log-time) on top of the two-margin equation, to t = {time[-1]:g}, and gradient descent with rate "
        f"{descent.config.rate:g} for {descent.config.steps} steps. Deterministic: one seed for the basis."
    )
    table = {"time": time, "a": run.column("a"), "b": run.column("b"), "a equation": path.a, "b equation": path.b}
    table |= {"a printed": printed.a, "b printed": printed.b, "rank-1 noise": run.column("cut_noise")}
    return Artefact(figure, table | {"full noise": run.column("full_noise")}, caption)
