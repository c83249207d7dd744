"""Before any training: what the constant attention v = 1/6 already knows (Section 4.2, proof of Lemma C.1)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most, near, rows_of
from lemmata.papers.ic_recall.claims import _exact_first_step as exact
from lemmata.papers.ic_recall.claims._formula import backwards
from lemmata.papers.ic_recall.run.full_world_start import FullWorldStart
from lemmata.papers.ic_recall.theory.low_temperature import log_start_odds, start_odds
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.papers.ic_recall.theory.relations import most_relations
from lemmata.report import plots

COLD = 1e-3  # where the initial solution is read


class Start(NamedTuple):
    """p(r_1) in full worlds; log(1/I - p(r_1)) of kinds of sequence of one world, I, and the logarithm of the odds of
    all relations that match once or never, by the counts of the proof."""

    full: RunResult
    log_missing: np.ndarray
    matchings: np.ndarray
    log_odds: np.ndarray

    def over_bound(self) -> np.ndarray:
        """1/I - p(r_1) over odds / I^2."""
        logs = self.log_missing + 2 * np.log(self.matchings) - self.log_odds
        return np.exp(np.minimum(logs, 700.0))  # a wrong subject is off by e^(1/T)


def _at_the_start(runs: Runs) -> Start:
    run = runs[exact.ENOUGH]
    return Start(runs["full worlds"], run.arrays["start_log_short_of"], run.arrays["start_matchings"], _log_odds(run))


def _after_the_step(runs: Runs) -> Start:
    """On confusing sequences Stage 1 leaves 1/2 and on others 1, whatever I(Z) is: here for I = 6 and 1/2. Full worlds
    at other temperatures."""
    run = runs[exact.ENOUGH]
    wrong = np.exp(run.metrics["log_wrong_confusing"])
    missing = np.resize(np.log(np.abs(1 / 6 - (1 - wrong))), run.arrays["start_p"].shape)
    return Start(backwards(runs["full worlds"]), missing, np.full(missing.shape, 6.0), _log_odds(run))


def _log_odds(run: RunResult) -> np.ndarray:
    """Of each kind of sequence, by counts that hold in any world."""
    once, never = (most_relations(run.config.world.n, matches) for matches in (1, 0))
    return np.asarray(log_start_odds(run.arrays["start_temperature"], once, never))


def _full_world(runs: Runs) -> Real:
    found = runs["full worlds"].metrics
    once, never = (np.array([most_relations(int(n), matches) for n in found["n"]]) for matches in (1, 0))
    return 1 / (most_relations(5, 2) + start_odds(found["temperature"], once, never))


def _alone(run: RunResult) -> np.ndarray:
    return run.arrays["start_matchings"] == 1


CLAIMS = (
    Claim(
        id="initial-probability",
        locus="Appendix C, proof of Lemma C.1",
        statement=r"Under Assumption 2.2, at $v = (\frac16, \ldots, \frac16)$ the $I(Z)$ relations that match twice "
        r"tie, so $p_1(r_1) = \frac{1}{I(Z)} - O(n\exp(-\frac{1}{18T}) + n^2\exp(-\frac{1}{9T}))$. Judged in one "
        r"world with the counts of the proof for $n$ and $n^2$, over $I(Z)^2$; and in full worlds, where the counts "
        "are attained, as an equation.",
        subject=_at_the_start,
        wrong=_after_the_step,
        parts={
            "(1/I - p) / bound": Part(
                Start.over_bound,
                at_most(1.0, paper="every n and T < 1/(40 log n)"),
                along=exact.by_kind(exact.every_kind),
            ),
            "p in full worlds": Part(
                lambda start: start.full.metrics["p"],
                near(_full_world, rtol=1e-10),
                along={"world": lambda runs: rows_of(runs["full worlds"], n="n", T="temperature")},
            ),
        },
        remark=r"At most $6(n-3)$ relations match once and $(n-3)(n-4)$ never, so $\frac1I - p \le$ their odds over "
        r"$I^2$. The control takes $p_1(r_1)$ after the step, and full worlds at other temperatures.",
    ),
    Claim(
        id="initial-suffices",
        locus="Section 4.2, after Assumption 4.3",
        statement=r"If no sequence is confusing and none mismatched, the initial solution $v = (\frac16, \ldots, "
        r"\frac16)$ already has full accuracy. Judged sequence by sequence, as $p_1(r_1) \ge 0.999$.",
        subject=lambda runs: exact.kinds_at_start(runs, _alone),
        wrong=lambda runs: exact.kinds_at_start(runs, lambda run: ~_alone(run)),
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
    start = exact.kinds_at_start(runs, exact.every_kind)
    t, p, many = (start.column(name) for name in ("temperature", "p", "matchings"))
    figure, (left, right) = plots.new_figure(1, 2)
    for colour, i in zip(plots.CYCLE, np.unique(many), strict=False):
        left.plot(t[many == i], _at_the_start(runs).over_bound()[many == i], "o", color=colour, label=f"I = {i:g}")
        right.plot(t[many == i], p[many == i], "o", color=colour)
        plots.ceiling(right, 1 / i, color=colour)
    plots.ceiling(left, 1.0, "bound")
    plots.legend(left)
    left.set(xscale="log", xlabel="temperature T", ylabel="(1/I − p) / bound")
    right.set(xscale="log", xlabel="temperature T", ylabel="p(r₁) at v = 1/6, and 1/I")
    caption = "Every kind of sequence of the world at the constant attention, in exact arithmetic; no seeds."
    return Artefact(figure, {"temperature": t, "I": many, "p": p}, caption)


EXPERIMENT = Experiment(
    title="What the constant attention already knows",
    runs=lambda scale: {**exact.exact_first_step_runs(scale), "full worlds": FullWorldStart()},
    claims=CLAIMS,
    draw=draw,
)
