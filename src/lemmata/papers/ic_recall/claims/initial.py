"""Before any training: what the constant attention v = 1/6 already knows (Section 4.2, proof of Lemma C.1)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.ic_recall.claims import _exact_first_step as exact
from lemmata.papers.ic_recall.theory.low_temperature import start_shortfall
from lemmata.report import plots

COLD = 1e-3  # where the initial solution is read


class Shortfall(NamedTuple):
    """log(1/I - p(r_1)) of kinds of sequence, and the logarithm of the proof's n e^(-1/(18T)) + n^2 e^(-1/(9T))."""

    log_missing: np.ndarray
    log_bound: np.ndarray

    def over_bound(self) -> np.ndarray:
        return np.exp(np.minimum(self.log_missing - self.log_bound, 700.0))  # a wrong subject is off by e^(1/T)


def _at_the_start(runs: Runs) -> Shortfall:
    run = runs[exact.ENOUGH]
    t = run.arrays["start_temperature"]
    return Shortfall(run.arrays["start_log_short_of"], np.asarray(start_shortfall(t, run.config.world.n)))


def _after_the_step(runs: Runs) -> Shortfall:
    """On confusing sequences Stage 1 leaves 1/2 and on others 1, whatever I(Z) is: here for I = 6 and 1/2."""
    run = runs[exact.ENOUGH]
    t, wrong = run.metrics["temperature"], np.exp(run.metrics["log_wrong_confusing"])
    return Shortfall(np.log(np.abs(1 / 6 - (1 - wrong))), np.asarray(start_shortfall(t, run.config.world.n)))


def _alone(run: RunResult) -> np.ndarray:
    return run.arrays["start_matchings"] == 1


CLAIMS = (
    Claim(
        id="initial-probability",
        locus="Appendix C, proof of Lemma C.1",
        statement=r"Under Assumption 2.2, at $v = (\frac16, \ldots, \frac16)$ the $I(Z)$ relations that match twice "
        r"tie, so $p_1(r_1) = \frac{1}{I(Z)} - O(n\exp(-\frac{1}{18T}) + n^2\exp(-\frac{1}{9T}))$. Judged with the "
        "constant 6 in one world.",
        subject=_at_the_start,
        wrong=_after_the_step,
        parts={"(1/I - p) / bound": Part(Shortfall.over_bound, at_most(6.0), along=exact.by_kind(exact.everything))},
        remark=r"6 is the constant that the counts of the proof give: at most $6(n-3)$ relations match once, fewer "
        r"than $n^2$ never. The control takes $p_1(r_1)$ after the step.",
    ),
    Claim(
        id="initial-suffices",
        locus="Section 4.2, after Assumption 4.3",
        statement=r"If no sequence is confusing and none mismatched, the initial solution $v = (\frac16, \ldots, "
        r"\frac16)$ already has full accuracy. Judged sequence by sequence, as $p_1(r_1) \ge 0.999$.",
        subject=lambda runs: exact.start(runs, _alone),
        wrong=lambda runs: exact.start(runs, lambda run: ~_alone(run)),
        parts=Part(
            lambda start: start.column("p")[start.column("temperature") <= COLD],
            at_least(0.999),
            along=exact.by_kind(lambda run: _alone(run) & (run.arrays["start_temperature"] <= COLD)),
        ),
        remark="A world of two or more relations always has a sequence of one of the two kinds. The permutation that "
        "takes one relation to another has a cycle: of length two, then some sequence is confusing, or longer, then "
        "some is mismatched. The control is all other sequences.",
    ),
)


def draw(runs: Runs) -> Artefact:
    start = exact.start(runs, exact.everything)
    t, p, many = (start.column(name) for name in ("temperature", "p", "matchings"))
    figure, (left, right) = plots.new_figure(1, 2)
    for colour, i in zip(plots.CYCLE, np.unique(many), strict=False):
        left.plot(t[many == i], _at_the_start(runs).over_bound()[many == i], "o", color=colour, label=f"I = {i:g}")
        right.plot(t[many == i], p[many == i], "o", color=colour)
        plots.ceiling(right, 1 / i, color=colour)
    plots.ceiling(left, 6.0, "6")
    plots.legend(left)
    left.set(xscale="log", xlabel="temperature T", ylabel="(1/I − p) / bound")
    right.set(xscale="log", xlabel="temperature T", ylabel="p(r₁) at v = 1/6, and 1/I")
    caption = "Every kind of sequence of the world at the constant attention, in exact arithmetic; no seeds."
    return Artefact(figure, {"temperature": t, "I": many, "p": p}, caption)


EXPERIMENT = Experiment(
    title="What the constant attention already knows", runs=exact.enough_sequences, claims=CLAIMS, draw=draw
)
