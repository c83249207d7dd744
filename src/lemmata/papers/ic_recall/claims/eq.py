"""Eqs. (16), (17), (18) and (19): logits of any relation, and the gradient at the start in exact arithmetic."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_least, at_most, falls
from lemmata.papers.ic_recall.claims import _exact_first_step as exact
from lemmata.papers.ic_recall.claims._algebra import in_three_worlds, three_worlds
from lemmata.papers.ic_recall.claims._formula import draw_formula, formula, points
from lemmata.papers.ic_recall.theory import relations
from lemmata.report import plots

SUBJECTS, ANSWERS, QUERY = [0, 2], [1, 3], 4


class Slopes(NamedTuple):
    """Gradients at v = 1/6, and which of their entries are read."""

    start: exact.Start
    columns: list[int]

    def query_lead(self) -> np.ndarray:
        """T (dl/dv_5 - dl/dv_i) over p(r_1)/3, the least over i."""
        slope = self.start.column("slope")
        return (slope[:, QUERY] - np.delete(slope, QUERY, axis=1).max(axis=1)) * 3 / self.start.column("p")

    def query_most(self) -> np.ndarray:
        """T (dl/dv_5 - dl/dv_i), the largest over i."""
        slope = self.start.column("slope")
        return slope[:, QUERY] - np.delete(slope, QUERY, axis=1).min(axis=1)

    def answers(self) -> np.ndarray:
        return self._largest(self.start.column("log_slope")[:, self.columns])

    def together(self) -> np.ndarray:
        alone = self.start.column("log_slope")[:, [0]]
        return self._largest(self.start.column("log_sum") if self.columns == ANSWERS else alone)

    def _largest(self, values: np.ndarray) -> np.ndarray:
        """log T |...| + 1/(36T), the largest over kinds, as T falls: bounded where it is O(exp(-1/(36T)))."""
        t = self.start.column("temperature")
        worst = values.reshape(len(t), -1).max(axis=1) + 1 / (36 * t)
        return np.array([worst[t == x].max() for x in exact.falling(t)])


def _mismatched(run: RunResult) -> np.ndarray:
    return run.arrays["start_mismatched"]


def _others(run: RunResult) -> np.ndarray:
    return ~_mismatched(run)


def _every_slope(runs: Runs, columns: list[int]) -> Slopes:
    return Slopes(exact.kinds_at_start(runs, exact.every_kind), columns)


BY_T = {"T": lambda runs: exact.falling(runs[exact.ENOUGH].arrays["start_temperature"])}

EQ_16 = in_three_worlds(
    formula(
        "eq-16",
        "Appendix C, eq. (16)",
        r"With the memory of Lemma 3.1, for any relation $l(r) = 2 \sum_{i \le 3, j \le 2} v_{2i-1} v_{2j} "
        r"\mathbf{1}_{\{r(s_i) = a_j\}} + \sum_{i=1}^5 v_i^2$.",
        lambda run: relations.all_logits(run.arrays["v"])[:, run.arrays["pattern"]].T,
        lambda run: run.arrays["memory_logits"].T,
        along={"relation": lambda run: range(1, run.arrays["memory_logits"].shape[1] + 1), "point": points},
        remark="Every relation of three affine worlds, straight from the associative memory.",
    )
)

CLAIMS = (
    EQ_16,
    Claim(
        id="eq-17",
        locus="Appendix C, eq. (17)",
        statement=r"Under Assumption 2.2, at $v = (\frac16, \ldots, \frac16)$, a mismatched sequence has "
        r"$\frac{p_1(r_1)}{3T} \le \frac{\partial \ell_1}{\partial v_5} - \frac{\partial \ell_1}{\partial v_i} < "
        r"\frac{2}{3T}$ for all $i \ne 5$. Summed over a sample this is (17).",
        subject=lambda runs: Slopes(exact.kinds_at_start(runs, _mismatched), ANSWERS),
        wrong=lambda runs: Slopes(exact.kinds_at_start(runs, _others), ANSWERS),
        parts={
            "least lead, over p(r_1)/(3T)": Part(
                Slopes.query_lead, at_least(1.0, slack=1e-12, paper="every T and n"), along=exact.by_kind(_mismatched)
            ),
            "largest lead, times T": Part(
                Slopes.query_most, at_most(2 / 3, paper="every T and n"), along=exact.by_kind(_mismatched)
            ),
        },
        remark="The control is sequences that are not mismatched.",
    ),
    Claim(
        id="eq-18-19",
        locus="Appendix C, eqs. (18) and (19)",
        statement=r"Under Assumption 2.2 and $T < \frac{1}{40\log n}$, at $v = (\frac16, \ldots, \frac16)$ the entries "
        r"$|\frac{\partial L_1}{\partial v_i}|$ for $i = 2, 4, 6$ and the sum $|\frac{\partial L_1}{\partial v_1} + "
        r"\frac{\partial L_1}{\partial v_3} + \frac{\partial L_1}{\partial v_5}|$ are "
        r"$O(\exp(-\frac{1}{36T})/T)$. Judged on every kind of sequence of one world.",
        subject=lambda runs: _every_slope(runs, ANSWERS),
        wrong=lambda runs: _every_slope(runs, SUBJECTS),
        parts={
            "answers": Part(Slopes.answers, falls(), along=BY_T),
            "subjects and query together": Part(Slopes.together, falls(), along=BY_T),
        },
        remark=r"The logarithm of $T$ times the derivative, plus $\frac{1}{36T}$, must not grow as $T$ falls; in as "
        "many digits as it takes. The control reads the subjects' derivatives one by one, which do not vanish.",
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, (left, middle, right) = plots.new_figure(1, 3)
    draw_formula(left, EQ_16, runs)
    mismatched = Slopes(exact.kinds_at_start(runs, _mismatched), ANSWERS)
    t = mismatched.start.column("temperature")
    for label, values, bound in (
        ("least lead × 3T / p(r₁)", mismatched.query_lead(), 1.0),
        ("largest lead × T", mismatched.query_most(), 2 / 3),
    ):
        (line,) = middle.plot(t, values, "o", label=label)
        plots.ceiling(middle, bound, color=line.get_color())
    middle.set(xscale="log", xlabel="temperature T", title="eq. (17), mismatched sequences")
    every, falling = _every_slope(runs, ANSWERS), BY_T["T"](runs)
    right.plot(falling, every.answers(), "o-", label="answers")
    right.plot(falling, every.together(), "s-", label="subjects and query together")
    right.set(xscale="log", xlabel="temperature T", ylabel="log T|…| + 1/(36T)", title="eqs. (18), (19)")
    for ax in (middle, right):
        plots.legend(ax)
    table = {"temperature": falling, "answers": every.answers(), "together": every.together()}
    caption = (
        "Left: logits from the memory against eq. (16). Middle: how fast the query subject's score falls, against the "
        "bounds of eq. (17). Right: bounded where eqs. (18) and (19) hold. Exact arithmetic, no seeds."
    )
    return Artefact(figure, table, caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {**three_worlds(scale), **exact.exact_first_step_runs(scale)}


EXPERIMENT = Experiment(
    title="Logits of any relation, and the gradient at the start", runs=_runs, claims=CLAIMS, draw=draw
)
