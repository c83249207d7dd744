"""The one large step of Stage 1 in exact arithmetic: eqs. (17)-(19), p = 1/I(Z) at the start, Lemma C.1."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    at_least,
    at_most,
    falls,
    log_slope,
    rises,
    slope_near,
)
from lemmata.papers.ic_recall.run.exact_step import ExactFirstStep
from lemmata.papers.ic_recall.theory.low_temperature import start_shortfall
from lemmata.report import plots

SUBJECTS, ANSWERS, QUERY = [0, 2], [1, 3], 4


def _runs(scale: Scale) -> dict[str, RunConfig]:
    enough = ExactFirstStep(
        temperatures=scale.pick(
            smoke=(1e-3, 5e-4, 2.5e-4), laptop=ExactFirstStep.temperatures, paper=ExactFirstStep.temperatures
        ),
        seeds=scale.seeds(smoke=8, laptop=24, paper=100),
    )
    few = ExactFirstStep(temperatures=enough.temperatures, seeds=enough.seeds, sample_power=2.0)
    return {"enough sequences": enough, "too few sequences": few}


class AfterStage1(NamedTuple):
    """The point after one step, and which of its tokens and sequences are read."""

    run: RunResult
    tokens: str = "answers"
    certain: str = "plain"  # the sequences on which r_1 must be sure
    split: str = "confusing"  # those on which it must share with r_2

    def by_temperature(self, name: str, reduce: Callable = np.max) -> tuple[np.ndarray, np.ndarray]:
        """Temperatures, the highest first, and one value at each over the seeds."""
        run = self.run
        t = np.array(sorted(set(run.config.temperatures), reverse=True))
        return t, np.array([reduce(run.column(name, temperature=x)) for x in t])

    def against_step(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A mean distance against eta_1 / T."""
        t, moved = self.by_temperature(name, np.mean)
        return np.array([self.run.config.schedule.rates(float(x))[0] / x for x in t]), moved

    def subjects_power(self) -> float:
        """The power of T in the typical |v1 - v3| / T^2."""
        t, squares = self.by_temperature("log_subjects_apart", lambda logs: np.mean(np.exp(2 * logs)))
        return log_slope(t, np.sqrt(squares) / t**2)

    def apart(self) -> np.ndarray:
        """log |v2 - v4| + 1/(40T), the largest over seeds, as T falls: to -infinity where the ratio is o(1)."""
        t, logs = self.by_temperature(f"log_{self.tokens}_apart")
        return logs + 1 / (40 * t)

    def exponent(self, name: str) -> np.ndarray:
        """-sqrt(T) log of the largest distance, as T falls: to infinity where it is o(exp(-1/sqrt T))."""
        t, logs = self.by_temperature(name)
        return -np.sqrt(t) * logs


class Start(NamedTuple):
    """Kinds of sequence at v = 1/6 and a temperature each: [row], and gradients times T as [row, 6]."""

    run: RunResult
    rows: np.ndarray
    columns: list[int]

    def column(self, name: str) -> np.ndarray:
        return self.run.arrays[f"start_{name}"][self.rows]

    def query_lead(self) -> np.ndarray:
        """T (dl/dv_5 - dl/dv_i) over p(r_1)/3, the least over i."""
        slope = self.column("slope")
        return (slope[:, QUERY] - np.delete(slope, QUERY, axis=1).max(axis=1)) * 3 / self.column("p")

    def query_most(self) -> np.ndarray:
        """T (dl/dv_5 - dl/dv_i), the largest over i."""
        slope = self.column("slope")
        return slope[:, QUERY] - np.delete(slope, QUERY, axis=1).min(axis=1)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """log T |...| + 1/(36T), the largest over kinds, as T falls: bounded where it is O(exp(-1/(36T)))."""
        t = self.column("temperature")
        worst = values.reshape(len(t), -1).max(axis=1) + 1 / (36 * t)
        return np.array([worst[t == x].max() for x in sorted(set(t), reverse=True)])


def _start(runs: Runs, keep: Callable[[RunResult], np.ndarray], columns: list[int] | None = None) -> Start:
    run = runs["enough sequences"]
    return Start(run, np.flatnonzero(keep(run)), columns or ANSWERS)


def _mismatched(run: RunResult) -> np.ndarray:
    return run.arrays["start_mismatched"]


def _everything(run: RunResult) -> np.ndarray:
    return np.ones(len(run.arrays["start_p"]), bool)


def _alone(run: RunResult) -> np.ndarray:
    return run.arrays["start_matchings"] == 1


class Shortfall(NamedTuple):
    """log(1/I - p(r_1)) of kinds of sequence, and the logarithm of the proof's n e^(-1/(18T)) + n^2 e^(-1/(9T))."""

    log_missing: np.ndarray
    log_bound: np.ndarray

    def over_bound(self) -> np.ndarray:
        return np.exp(np.minimum(self.log_missing - self.log_bound, 700.0))  # a wrong subject is off by e^(1/T)


def _at_the_start(runs: Runs) -> Shortfall:
    run = runs["enough sequences"]
    t = run.arrays["start_temperature"]
    return Shortfall(run.arrays["start_log_short_of"], np.asarray(start_shortfall(t, run.config.world.n)))


def _after_the_step(runs: Runs) -> Shortfall:
    """On confusing sequences Stage 1 leaves 1/2 and on others 1, whatever I(Z) is: here for I = 6 and 1/2."""
    run = runs["enough sequences"]
    t, wrong = run.metrics["temperature"], np.exp(run.metrics["log_wrong_confusing"])
    return Shortfall(np.log(np.abs(1 / 6 - (1 - wrong))), np.asarray(start_shortfall(t, run.config.world.n)))


def _by_kind(keep: Callable[[RunResult], np.ndarray]) -> dict[str, Any]:
    """Kinds of sequence at the start, by temperature and by how many relations match twice."""

    def labels(runs: Runs) -> list[dict[str, Any]]:
        run = runs["enough sequences"]
        arrays = (run.arrays[f"start_{name}"][keep(run)] for name in ("temperature", "matchings"))
        return [{"T": t, "I": matchings} for t, matchings in zip(*arrays, strict=True)]

    return {"kind of sequence": labels}


def _falling(temperatures: Iterable[float]) -> list[float]:
    return sorted({float(t) for t in temperatures}, reverse=True)


START_BY_T = {"T": lambda runs: _falling(runs["enough sequences"].arrays["start_temperature"])}
BY_T = {"T": lambda runs: _falling(runs["enough sequences"].config.temperatures)}

CLAIMS = (
    Claim(
        id="initial-probability",
        locus="Appendix C, proof of Lemma C.1",
        statement="At v = 1/6 all relations that match twice tie, so p(r_1) = 1/I(Z) - O(n exp(-1/(18T)) + n^2 "
        "exp(-1/(9T))), with I(Z) the number of relations that match twice.",
        subject=_at_the_start,
        wrong=_after_the_step,
        parts={"(1/I - p) / bound": Part(Shortfall.over_bound, at_most(6.0), along=_by_kind(_everything))},
        remark="Every kind of sequence of a world under Assumption 2.2. 6 is the constant that the counts of the proof "
        "give (at most 6(n - 3) relations match once, fewer than n^2 never). The control takes p(r_1) after the step.",
    ),
    Claim(
        id="initial-suffices",
        locus="Section 4.2, after Assumption 4.3",
        statement="On sequences that are neither confusing nor mismatched the initial solution is right already.",
        subject=lambda runs: _start(runs, _alone),
        wrong=lambda runs: _start(runs, lambda run: ~_alone(run)),
        parts=Part(
            lambda start: start.column("p")[start.column("temperature") <= 1e-3],
            at_least(0.999),
            along=_by_kind(lambda run: _alone(run) & (run.arrays["start_temperature"] <= 1e-3)),
        ),
        remark="Sequence by sequence: a world of two or more relations always has a sequence of one of the two kinds, "
        "since the permutation that takes one relation to another has a cycle: of length two, then some sequence is "
        "confusing, or longer, then some is mismatched. The control is all other sequences.",
    ),
    Claim(
        id="eq-17",
        locus="Appendix C, eq. (17)",
        statement="At v = 1/6, on a mismatched sequence, dl/dv_5 exceeds every other dl/dv_i by at least p(r_1)/(3T) "
        "and by less than 2/(3T).",
        subject=lambda runs: _start(runs, _mismatched),
        wrong=lambda runs: _start(runs, lambda run: ~_mismatched(run)),
        parts={
            "least lead, over p(r_1)/(3T)": Part(
                Start.query_lead, at_least(1.0, slack=1e-12), along=_by_kind(_mismatched)
            ),
            "largest lead, times T": Part(Start.query_most, at_most(2 / 3), along=_by_kind(_mismatched)),
        },
        remark="Summed over a sample this is the printed (17). The control is sequences that are not mismatched.",
    ),
    Claim(
        id="eq-18-19",
        locus="Appendix C, eqs. (18) and (19)",
        statement="At v = 1/6, dl/dv_2, dl/dv_4 and the sum of dl/dv_1, dl/dv_3, dl/dv_5 are O(exp(-1/(36T))/T) on "
        "every sequence.",
        subject=lambda runs: _start(runs, _everything),
        wrong=lambda runs: _start(runs, _everything, SUBJECTS),
        parts={
            "answers": Part(
                lambda start: start.largest(start.column("log_slope")[:, start.columns]), falls(), along=START_BY_T
            ),
            "subjects and query together": Part(
                lambda start: start.largest(
                    start.column("log_sum") if start.columns == ANSWERS else start.column("log_slope")[:, [0]]
                ),
                falls(),
                along=START_BY_T,
            ),
        },
        remark="log of T times the derivative, plus 1/(36T), must not grow as T falls; in as many digits as it takes. "
        "The control reads the subjects' derivatives one by one, which do not vanish.",
    ),
    Claim(
        id="lemma-c.1",
        locus="Appendix C, Lemma C.1",
        uses=("lemma-c.1-counts", "initial-probability"),
        statement="One step of size eta_1 on more than log(1/T)^2/T^3 sequences gives v = (1/6 + a, 1/6, 1/6 + a, 1/6, "
        "1/6 - 2a, 1/6) up to O(eta_1^2/T^2), with a proportional to eta_1/T, and |v1 - v3| = o(T^2).",
        subject=lambda runs: AfterStage1(runs["enough sequences"]),
        wrong=lambda runs: AfterStage1(runs["too few sequences"]),
        parts={
            "a against eta_1/T": Part(lambda after: after.against_step("alpha"), slope_near(1.0, 0.1)),
            "rest against eta_1/T": Part(lambda after: after.against_step("rest"), slope_near(2.0, 0.3)),
            "power of T in |v1 - v3| / T^2": Part(AfterStage1.subjects_power, at_least(0.15)),
        },
        remark=lambda runs: (
            f"|D| = log(1/T)^2 / T^{runs['enough sequences'].config.sample_power:g}, so that |v1 - v3| / T^2 should "
            f"fall like T^{(runs['enough sequences'].config.sample_power - 3) / 2:g}. The control has log(1/T)^2 / T^2 "
            "sequences."
        ),
    ),
    Claim(
        id="lemma-c.1-accuracy",
        locus="Appendix C, Lemma C.1",
        statement="After that step |v2 - v4| = o(exp(-1/(40T))); accuracy is 1 - o(exp(-1/sqrt T)) on non-confusing "
        "sequences and 1/2 - o(exp(-1/sqrt T)) on confusing ones.",
        subject=lambda runs: AfterStage1(runs["enough sequences"]),
        wrong=lambda runs: AfterStage1(runs["enough sequences"], "subjects", "confusing", "plain"),
        parts={
            "log |v2 - v4| + 1/(40T)": Part(AfterStage1.apart, falls(), along=BY_T),
            "-sqrt(T) log(1 - p), non-confusing": Part(
                lambda after: after.exponent(f"log_wrong_{after.certain}"), rises(), along=BY_T
            ),
            "-sqrt(T) log|p - 1/2|, confusing": Part(
                lambda after: after.exponent(f"log_off_half_{after.split}"), rises(), along=BY_T
            ),
        },
        remark="In exact arithmetic: what is bounded is far below float64's rounding. o() shows as a trend that does "
        "not end. The control reads v1 - v3 for v2 - v4 and takes confusing sequences for the others.",
    ),
)


def draw(runs: Runs) -> Artefact:
    after, few = (AfterStage1(runs[name]) for name in ("enough sequences", "too few sequences"))
    figure, (left, middle, right) = plots.new_figure(1, 3)
    for one, label, colour in ((after, "enough sequences", plots.CYCLE[0]), (few, "too few", plots.CYCLE[1])):
        t, squares = one.by_temperature("log_subjects_apart", lambda logs: np.mean(np.exp(2 * logs)))
        left.plot(t, np.sqrt(squares) / t**2, "o-", color=colour, label=label)
    left.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="typical |v₁ − v₃| / T²")
    step, rest = after.against_step("rest")
    middle.plot(step, rest, "o-", color=plots.CYCLE[0], label="rest")
    middle.plot(*after.against_step("alpha"), "s-", color=plots.CYCLE[2], label="a")
    middle.plot(step, rest[0] * (step / step[0]) ** 2, "--", color=plots.GREY, label="(η₁/T)²")
    middle.set(xscale="log", yscale="log", xlabel="η₁/T", ylabel="distance from 1/6")
    t, _ = after.by_temperature("alpha")
    for name, label in (
        ("log_wrong_plain", "1 − p, non-confusing"),
        ("log_off_half_confusing", "|p − 1/2|, confusing"),
    ):
        right.plot(t, after.exponent(name), "o-", label=label)
    right.set(xscale="log", xlabel="temperature T", ylabel="−√T × log of the largest")
    for ax in (left, middle, right):
        plots.legend(ax)
    config = runs["enough sequences"].config
    caption = (
        f"One large step in exact arithmetic, in a world of {config.world.share:g} of all affine maps of "
        f"{config.world.n} subjects; {len(config.seeds)} samples a temperature. Left: the two subjects' scores come "
        "closer than T². Middle: the step and what it leaves over. Right: errors fall faster than exp(−1/√T) where "
        "the line rises as T falls."
    )
    return Artefact(figure, dict(runs["enough sequences"].metrics), caption)


EXPERIMENT = Experiment(
    title="The one large step of Stage 1 in exact arithmetic: Lemma C.1", runs=_runs, claims=CLAIMS, draw=draw
)
