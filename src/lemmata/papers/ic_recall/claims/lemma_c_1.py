"""Lemma C.1: where one large step ends, in exact arithmetic; and how many relations can match a sequence."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims import _exact_first_step as exact
from lemmata.papers.ic_recall.run.matching_counts import MatchingCounts
from lemmata.papers.ic_recall.theory import relations
from lemmata.report import plots


class AfterStage1(NamedTuple):
    """The point after one step, and which of its tokens and sequences are read."""

    run: core.RunResult
    tokens: str = "answers"
    certain: str = "plain"  # the sequences on which r_1 must be sure
    split: str = "confusing"  # those on which it must share with r_2

    def by_temperature(self, name: str, reduce: Callable = np.max) -> tuple[np.ndarray, np.ndarray]:
        """Temperatures, the highest first, and one value at each over the seeds."""
        t = np.array(exact.falling(self.run.config.temperatures))
        return t, np.array([reduce(self.run.column(name, temperature=x)) for x in t])

    def against_step(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A mean distance against eta_1 / T."""
        t, moved = self.by_temperature(name, np.mean)
        schedule = self.run.config.schedule
        return np.array([schedule.learning_rates(float(x))[0] / x for x in t]), moved

    def subjects_apart(self) -> tuple[np.ndarray, np.ndarray]:
        """Temperatures, and the typical |v1 - v3| / T^2."""
        t, squares = self.by_temperature("log_subjects_apart", lambda logs: np.mean(np.exp(2 * logs)))
        return t, np.sqrt(squares) / t**2

    def subjects_power(self) -> float:
        return core.log_slope(*self.subjects_apart())

    def apart(self) -> np.ndarray:
        """log |v2 - v4| + 1/(40T), the largest over seeds, as T falls: to -infinity where the ratio is o(1)."""
        t, logs = self.by_temperature(f"log_{self.tokens}_apart")
        return logs + 1 / (40 * t)

    def exponent(self, name: str) -> np.ndarray:
        """-sqrt(T) log of the largest distance, as T falls: to infinity where it is o(exp(-1/sqrt T))."""
        t, logs = self.by_temperature(name)
        return -np.sqrt(t) * logs


def _most_allowed(runs: core.Runs) -> list[int]:
    return [relations.most_relations(run.config.n, m) for run in runs.group("lawful").values() for m in range(3)]


BY_T = {"T": lambda runs: exact.falling(runs[exact.ENOUGH].config.temperatures)}

CLAIMS = (
    core.Claim(
        id="lemma-c.1",
        locus="Appendix C, Lemma C.1",
        uses=("lemma-c.1-counts", "initial-probability"),
        statement=r"If $|D| = \omega(\frac{1}{T^3}\log^2\frac1T\log\frac1\delta)$ and $T < \frac{1}{40\log n}$, with "
        r"probability at least $1 - \delta/3$ Stage 1 ends where $\|v - (\frac16 + \alpha, \frac16, \frac16 + \alpha, "
        r"\frac16, \frac16 - 2\alpha, \frac16)\|_\infty \lesssim \eta_1^2/T^2$ and $|v_1 - v_3| = o(T^2)$, with "
        r"$\alpha = c\,p_{\text{mis}}\eta_1/T$. Judged in one world, as powers of $\eta_1/T$ and of $T$.",
        subject=lambda runs: AfterStage1(runs[exact.ENOUGH]),
        wrong=lambda runs: AfterStage1(runs["too few sequences"]),
        parts={
            "a against eta_1/T": core.Part(lambda after: after.against_step("alpha"), core.slope_near(1.0, 0.1)),
            "rest against eta_1/T": core.Part(lambda after: after.against_step("rest"), core.slope_near(2.0, 0.3)),
            "power of T in |v1 - v3| / T^2": core.Part(AfterStage1.subjects_power, core.at_least(0.15)),
        },
        remark=lambda runs: (
            f"$|D| = \\log(1/T)^2 / T^K$ with K = {runs[exact.ENOUGH].config.sample_power:g}, so that $|v_1 - v_3| / "
            f"T^2$ should fall like $T$ to the {(runs[exact.ENOUGH].config.sample_power - 3) / 2:g}. The control has "
            r"$\log(1/T)^2 / T^2$ sequences."
        ),
    ),
    core.Claim(
        id="lemma-c.1-accuracy",
        locus="Appendix C, Lemma C.1",
        statement=r"Under the same hypotheses $|v_2 - v_4| = o(\exp(-\frac{1}{40T}))$ after Stage 1. There $p_1(r_1) = "
        r"1 - o(\exp(-1/\sqrt T))$ on non-confusing sequences and $\frac12 - o(\exp(-1/\sqrt T))$ on confusing ones.",
        subject=lambda runs: AfterStage1(runs[exact.ENOUGH]),
        wrong=lambda runs: AfterStage1(runs[exact.ENOUGH], "subjects", "confusing", "plain"),
        parts={
            "log |v2 - v4| + 1/(40T)": core.Part(AfterStage1.apart, core.falls(), along=BY_T),
            "-sqrt(T) log(1 - p), non-confusing": core.Part(
                lambda after: after.exponent(f"log_wrong_{after.certain}"), core.rises(), along=BY_T
            ),
            "-sqrt(T) log|p - 1/2|, confusing": core.Part(
                lambda after: after.exponent(f"log_off_half_{after.split}"), core.rises(), along=BY_T
            ),
        },
        remark="In exact arithmetic: what is bounded is far below float64's rounding. A small o shows as a trend that "
        "does not end. The control reads $v_1 - v_3$ for $v_2 - v_4$ and takes confusing sequences for the others.",
    ),
    core.Claim(
        id="lemma-c.1-counts",
        locus="Appendix C, proof of Lemma C.1",
        statement=r"Under Assumption 2.2 a sequence has $1 \le I(Z) \le 6$ relations that match twice, at most "
        "$6(n-3)$ that match once and at most $n(n-1) - 6(n-2)$ that match none.",
        subject=lambda runs: [*runs.group("lawful").values()],
        wrong=lambda runs: [runs["unlawful"]] * len(runs.group("lawful")),
        parts=core.Part(
            lambda worlds: np.concatenate([run.metrics["most"] for run in worlds]),
            core.at_most(_most_allowed, paper="every n >= 3"),
            along={
                "world": lambda runs: core.crossed(
                    n=[run.config.n for run in runs.group("lawful").values()], matches=range(3)
                )
            },
        ),
        remark=r"The print gives no argument. One: a relation through $(s_i, a_j)$ that matches nothing else must send "
        r"one of the $n - 3$ other subjects to the other answer, and by the assumption no two send the same. Likewise "
        r"a relation without a match sends two of them to $a_1$ and $a_2$, $(n-3)(n-4)$ ways. Full worlds attain all "
        "three. The control is worlds of random bijections, which break the assumption.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    after, few = (AfterStage1(runs[name]) for name in (exact.ENOUGH, "too few sequences"))
    figure, (left, middle, right) = plots.new_figure(1, 3)
    for one, label, colour in ((after, exact.ENOUGH, plots.CYCLE[0]), (few, "too few", plots.CYCLE[1])):
        left.plot(*one.subjects_apart(), "o-", color=colour, label=label)
    left.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="typical |v₁ − v₃| / T²")
    step, rest = after.against_step("rest")
    middle.plot(step, rest, "o-", color=plots.CYCLE[0], label="rest")
    middle.plot(*after.against_step("alpha"), "s-", color=plots.CYCLE[2], label="a")
    middle.plot(step, rest[0] * (step / step[0]) ** 2, "--", color=plots.GREY, label="(η₁/T)²")
    middle.set(xscale="log", yscale="log", xlabel="η₁/T", ylabel="distance from 1/6")
    for name, label in (
        ("log_wrong_plain", "1 − p, non-confusing"),
        ("log_off_half_confusing", "|p − 1/2|, confusing"),
    ):
        right.plot(BY_T["T"](runs), after.exponent(name), "o-", label=label)
    right.set(xscale="log", xlabel="temperature T", ylabel="−√T × log of the largest")
    for ax in (left, middle, right):
        plots.legend(ax)
    config = after.run.config
    caption = (
        f"One large step in exact arithmetic, in a world of {config.world.share:g} of all affine maps of "
        f"{config.world.n} subjects; {len(config.seeds)} samples a temperature. Left: the two subjects' scores come "
        "closer than T². Middle: the step and what it leaves over. Right: errors fall faster than exp(−1/√T) where "
        "the line rises as T falls."
    )
    return core.Artefact(figure, dict(after.run.metrics), caption)


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    enough, worlds = exact.exact_first_step(scale), sizes.MATCHING_WORLDS.at(scale)
    return {
        exact.ENOUGH: enough,
        "too few sequences": replace(enough, sample_power=2.0),
        **{f"lawful/{n}": MatchingCounts(n=n, worlds=worlds) for n in (4, 5)},
        "unlawful": MatchingCounts(n=5, worlds=2, lawful=False),
    }


EXPERIMENT = core.Experiment(title="Where one large step ends: Lemma C.1", runs=_runs, claims=CLAIMS, draw=draw)
