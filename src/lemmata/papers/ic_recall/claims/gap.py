"""Gaps in the proofs of Appendix C that do no harm: the steps of the escape, and what pushes it."""

from dataclasses import replace

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._low_temperature import NEVER
from lemmata.papers.ic_recall.claims._temperature import cold
from lemmata.papers.ic_recall.run.escape_times import EscapeTimes
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.report import plots

SMALLER = 1e-4  # of Algorithm 1's push


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    pushed = LowTemperature(
        temperatures=sizes.LOW_TEMPERATURES.at(scale), seeds=sizes.seeds(sizes.GAP_SEEDS, scale), steps=2000, every=5
    )
    hardly = replace(SHORT, perturbation=SMALLER)
    symmetric = EscapeTimes(temperatures=(0.03, 0.02), factors=(1.0, SMALLER), seeds=pushed.seeds)
    return {
        "pushed": pushed,
        "hardly pushed": replace(pushed, sample_constants=(1.0,), schedule=hardly),
        "three subjects": symmetric,
    }


def _falling(run: core.RunResult) -> list[float]:
    return sorted(set(run.config.temperatures), reverse=True)


def _medians(run: core.RunResult, constant: float) -> np.ndarray:
    """Steps of the escape, the median over seeds, as T falls."""
    steps = [run.column("escape_steps", temperature=t, sample_constant=constant) for t in _falling(run)]
    return np.array([np.median(np.nan_to_num(one, nan=NEVER)) for one in steps])


def _by_temperature(run: core.RunResult, constant: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array(_falling(run)), _medians(run, constant)


def _slower(runs: core.Runs) -> np.ndarray:
    """How many times as long the escape takes when it is hardly pushed, at the two highest temperatures."""
    return (_medians(runs["hardly pushed"], 1.0) / _medians(runs["pushed"], 1.0))[:2]


def _slower_if_symmetric(runs: core.Runs) -> np.ndarray:
    run = runs["three subjects"]
    hardly, pushed = (
        np.array([np.median(run.column("escape_steps", temperature=t, factor=f)) for t in _falling(run)])
        for f in (SMALLER, 1.0)
    )
    return hardly / pushed


CLAIMS = (
    core.Claim(
        id="gap-escape-steps",
        locus="Appendix C, Lemma C.2 against Lemma B.6: the number of iterations",
        statement=r"Under the hypotheses of Lemma C.2, at a share $p_{\text{conf}}$ of confusing sequences, the loss "
        r"on them is below $\log 2 - (p_{\text{conf}}T)^3$ after $O(1/T)$ iterations of Stage 2. Judged as a power.",
        needs={"pushed": cold(0.001)},
        subject=lambda runs: _by_temperature(runs["pushed"], 1.0),
        wrong=lambda runs: _by_temperature(runs["pushed"], 0.0),
        parts=core.Part(lambda found: core.log_slope(*found), core.near(-1.0, atol=0.1)),
        remark=r"Lemma B.6 gives $\tilde O(\frac{1}{p_{\text{conf}}T})$; the lemma prints no logarithm, and none is "
        "seen. The control has a sample of one sequence.",
    ),
    core.Claim(
        id="gap-push",
        locus="Appendix C, Algorithm 1's perturbation against Lemma B.6's",
        statement=r"Algorithm 1's radius has $\log^{-2}\frac1\delta$ where Lemma B.6 asks for $p_{\text{conf}}^2"
        r"\log^{-2}\frac{1}{T\delta}$. With $|D| = \log^3(\frac1T)/T^3$ sequences it does not matter. After Stage 1 "
        r"the sample's own $v_1 - v_3$ is ahead of a push of order $T^3$: one $10^{-4}$ times as large escapes in as "
        "many steps.",
        protocol=core.Protocol(ours="the push and the constant of the sample's size", why="the proof has orders alone"),
        needs={"pushed": cold(0.001)},
        subject=_slower,
        wrong=_slower_if_symmetric,
        parts={
            "steps hardly pushed, over pushed": core.Part(
                np.asarray, core.near(1.0, atol=0.1), along={"T": lambda runs: _falling(runs["pushed"])[:2]}
            )
        },
        remark="The control is three subjects from the exact saddle: all sequences are alike there, and nothing but "
        "the push escapes.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, ax = plots.new_figure(height=3.8)
    for colour, name in zip(plots.CYCLE, ("pushed", "hardly pushed"), strict=False):
        ax.plot(*_by_temperature(runs[name], 1.0), "o-", color=colour, label=name)
    t, steps = _by_temperature(runs["pushed"], 1.0)
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
