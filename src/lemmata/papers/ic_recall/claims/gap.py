"""A gap in the proofs of Appendix C that does no harm: what pushes the escape, and how many steps it takes."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._temperature import cold
from lemmata.papers.ic_recall.run.escape_times import EscapeTimes
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.report import plots

SMALLER = 1e-4  # of Algorithm 1's push


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    pushed = LowTemperature(
        temperatures=sizes.LOW_TEMPERATURES.at(scale),
        seeds=sizes.seeds(sizes.GAP_SEEDS, scale),
        sample_constants=(1.0,),
        steps=1500,
        every=5,
    )
    hardly = replace(SHORT, perturbation=SMALLER)
    return {
        "pushed": pushed,
        "hardly pushed": replace(pushed, temperatures=pushed.temperatures[:2], schedule=hardly),
        "three subjects": EscapeTimes(temperatures=(0.03, 0.02), factors=(1.0, SMALLER), seeds=pushed.seeds),
    }


def _falling(run: core.RunResult) -> list[float]:
    return sorted(set(run.config.temperatures), reverse=True)


def _steps(run: core.RunResult, **where: float) -> np.ndarray:
    """Of the escape, as [T falling, seed]; a seed that did not escape has the run's last step."""
    found = [run.column("escape_steps", temperature=t, **where) for t in _falling(run)]
    return np.nan_to_num(np.array(found, float), nan=run.config.steps)


class Escape(NamedTuple):
    """Steps pushed and hardly pushed, as [T falling, seed], and the temperatures of the former."""

    pushed: np.ndarray
    hardly: np.ndarray
    temperatures: list[float]

    def slower(self) -> np.ndarray:
        """How many times as long the escape takes, in the median, when it is hardly pushed."""
        hardly = np.median(self.hardly, axis=1)
        return hardly / np.median(self.pushed, axis=1)[: len(hardly)]

    def power(self) -> core.Seeds:
        """Of T in the steps, seed by seed."""
        return core.Seeds([core.log_slope(np.array(self.temperatures), steps) for steps in self.pushed.T])


def _worlds(runs: core.Runs) -> Escape:
    return Escape(_steps(runs["pushed"]), _steps(runs["hardly pushed"]), _falling(runs["pushed"]))


def _three_subjects(runs: core.Runs) -> Escape:
    run = runs["three subjects"]
    return Escape(_steps(run, factor=1.0), _steps(run, factor=SMALLER), _falling(run))


CLAIMS = (
    core.Claim(
        id="gap-push",
        locus="Appendix C, Algorithm 1's perturbation against Lemma B.6's",
        statement=r"Algorithm 1's radius has $\log^{-2}\frac1\delta$ where Lemma B.6 asks for $p_{\text{conf}}^2"
        r"\log^{-2}\frac{1}{T\delta}$. With $|D| = \log^3(\frac1T)/T^3$ sequences it does not matter. After Stage 1 "
        r"the sample's own $v_1 - v_3$ is ahead of a push of order $T^3$: one $10^{-4}$ times as large escapes in as "
        "many steps.",
        protocol=core.Protocol(ours="the push and the constant of the sample's size", why="the proof has orders alone"),
        needs={"pushed": cold(0.001)},
        subject=_worlds,
        wrong=_three_subjects,
        parts={
            "steps hardly pushed, over pushed": core.Part(
                Escape.slower, core.near(1.0, atol=0.1), along={"T": lambda runs: _falling(runs["pushed"])[:2]}
            ),
            "power of T in the steps": core.Part(Escape.power, core.at_least(-1.1, over_seeds=True), carries=False),
        },
        remark=r"Lemma C.2 prints $O(1/T)$ steps, its proof $\tilde O(\frac{1}{p_{\text{conf}}T})$; by the power no "
        "logarithm is seen. The control is three subjects from the exact saddle: all sequences are alike there, and "
        "nothing but the push escapes.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, ax = plots.new_figure(height=3.8)
    for colour, name in zip(plots.CYCLE, ("pushed", "hardly pushed"), strict=False):
        ax.plot(_falling(runs[name]), np.median(_steps(runs[name]), axis=1), "o-", color=colour, label=name)
    t, steps = np.array(_falling(runs["pushed"])), np.median(_steps(runs["pushed"]), axis=1)
    ax.plot(t, steps[0] * t[0] / t, "--", color=plots.GREY, label="1/T")
    ax.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="steps of the escape")
    plots.legend(ax)
    config = runs["pushed"].config
    caption = (
        f"The short schedule in worlds of drawn slopes, n = {config.n}, half of the sequences confusing; medians over "
        f"{len(config.seeds)} seeds, read every {config.every} steps. 'Hardly pushed': {SMALLER:g} of Algorithm 1's "
        "radius."
    )
    return core.Artefact(figure, dict(runs["pushed"].metrics), caption)


EXPERIMENT = core.Experiment(
    title="Gaps, harmless: the steps of the escape, and what pushes it", runs=_runs, claims=CLAIMS, draw=draw
)
