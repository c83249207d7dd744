"""Appendix C trained, as Lemmas C.2 and C.3 read it: one large step, the perturbation, a short second stage, at
temperatures far below 1/(40 log n)."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, RunConfig, RunResult, Runs, Scale, Successes, Undecided, rows_of
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._temperature import cold
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature
from lemmata.report import plots

NEVER = 1e12  # steps of a replica that did not get there
NEEDS = {"temperatures": cold(0.001), "shares": cold(0.001)}


class Replicas(NamedTuple):
    """Of the run over temperatures and of the run over shares of confusing sequences, those on one size of sample."""

    over_temperature: RunResult
    over_share: RunResult

    def steps_by_temperature(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Temperatures, and median steps over log(1/T)."""
        t = np.array(sorted(set(self.over_temperature.config.temperatures), reverse=True))
        return t, _medians(self.over_temperature, name, "temperature", t) / np.log(1 / t)

    def steps_by_share(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Shares of confusing sequences in the worlds, and median steps."""
        shares = np.array(sorted(set(self.over_share.config.confusing)))
        p, steps = (_medians(self.over_share, column, "confusing", shares) for column in ("is_confusing", name))
        return p, steps

    def steps_in_units(self, name: str) -> np.ndarray:
        """Median steps at each temperature, then at each share, in units of log(1/T) / (p_conf T)."""
        t, steps = self.steps_by_temperature(name)
        p, steps_at = self.steps_by_share(name)
        (cold,) = self.over_share.config.temperatures
        by_temperature = steps * t * _medians(self.over_temperature, "is_confusing", "temperature", t)
        return np.concatenate([by_temperature, steps_at * p * cold / np.log(1 / cold)])

    def reached(self, name: str) -> Successes:
        """How many replicas got there, of all."""
        values = np.concatenate([run.metrics[name] for run in self])
        return Successes(int(np.isfinite(values).sum()), len(values))

    def slowest_growth(self) -> np.ndarray:
        return np.concatenate([run.metrics["slowest_growth"] for run in self])

    def eigenvalues(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of confusing sequences, and minus T times the median least eigenvalue."""
        shares = np.array(sorted(set(self.over_share.config.confusing)))
        p, least = (
            _medians(self.over_share, name, "confusing", shares) for name in ("is_confusing", "least_eigenvalue")
        )
        return p, np.maximum(-least * self.over_share.config.temperatures[0], 1e-12)

    def eigenvalue_limit(self) -> float:
        """Minus T times the median least eigenvalue over the share of confusing sequences, as T falls to 0: by the
        parabola in sqrt(T) log(1/T), the order of what Stage 1 leaves over, through every temperature."""
        t = np.array(sorted(set(self.over_temperature.config.temperatures)))
        p, least = (
            _medians(self.over_temperature, name, "temperature", t) for name in ("is_confusing", "least_eigenvalue")
        )
        return float(np.polyfit(np.sqrt(t) * np.log(1 / t), -least * t / p, 2)[-1])


def _medians(run: RunResult, name: str, by: str, values: np.ndarray) -> np.ndarray:
    """The median over replicas at each value of another column; what was not reached counts as never."""
    return np.array([np.median(np.nan_to_num(run.column(name, **{by: x}), nan=NEVER)) for x in values])


def replicas(run: RunResult, keep: np.ndarray, which: str) -> RunResult:
    """The run with the chosen rows of its table."""
    if not keep.any():
        raise Undecided(f"the run has no replica {which}")
    return replace(run, metrics={name: values[keep] for name, values in run.metrics.items()})


def trained_on_enough(runs: Runs) -> Replicas:
    """Trained on as many sequences as the lemma asks for."""
    chosen = (runs["temperatures"], runs["shares"])
    return Replicas(*(replicas(run, run.metrics["sample_constant"] > 0, "with enough sequences") for run in chosen))


def trained_on_one(runs: Runs) -> Replicas:
    chosen = (runs["temperatures"], runs["shares"])
    return Replicas(*(replicas(run, run.metrics["sample_constant"] == 0, "with one sequence") for run in chosen))


def promised_share(runs: Runs) -> float:
    return 1 - runs["temperatures"].config.schedule.delta / 3


def shares_of(runs: Runs) -> list[float]:
    return sorted(set(runs["shares"].config.confusing))


def temperatures_then_shares(runs: Runs) -> list[dict[str, float]]:
    temperatures = sorted(set(runs["temperatures"].config.temperatures), reverse=True)
    return [{"T": t} for t in temperatures] + [{"confusing": share} for share in shares_of(runs)]


def every_replica(runs: Runs) -> list[dict[str, float]]:
    return [
        row
        for run in trained_on_enough(runs)
        for row in rows_of(run, T="temperature", confusing="confusing", seed="seed")
    ]


def draw(runs: Runs) -> Artefact:
    run, found = runs["temperatures"], trained_on_enough(runs)
    figure, (left, middle, right) = plots.new_figure(1, 3)
    shown = zip(plots.CYCLE, run.config.temperatures, run.arrays["gap"], run.arrays["log_wrong"], strict=False)
    for colour, temperature, gap, wrong in shown:
        scaled = run.arrays["step"] * temperature / np.log(1 / temperature)
        left.plot(scaled, np.maximum(np.abs(gap), 1e-30), color=colour, label=f"T = {temperature:g}")
        middle.plot(scaled, np.exp(wrong), color=colour)
    left.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="g = (v₁ − v₃)(v₂ − v₄)", xlim=(0, 0.3))
    middle.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="1 − p(r₁), worst confusing kind", xlim=(0, 0.6))
    plots.ceiling(middle, 1e-3, "0.001")
    for name, label in (("escape_steps", "escape"), ("accurate_steps", "0.999")):
        share, steps = found.steps_by_share(name)
        right.plot(share, np.where(steps < NEVER, steps, np.nan), "o-", label=label)
    right.plot(share, steps[-1] * share[-1] / share, "--", color=plots.GREY, label="1 / p_conf")
    right.set(xscale="log", yscale="log", xlabel="share of confusing sequences p_conf", ylabel="steps of Stage 2")
    for ax in (left, middle, right):
        plots.legend(ax)
    caption = (
        f"The short schedule in worlds of drawn slopes of {run.config.n} subjects. Left and middle, half of the "
        "sequences confusing, one seed a temperature: the gap between r₁ and r₂ grows exponentially, the error on "
        "confusing sequences falls to ≤ 0.001, both at a number of steps proportional to log(1/T)/T. Right: how often "
        f"sequences are confusing decides how long it takes (T = {runs['shares'].config.temperatures[0]:g}, medians "
        "over seeds)."
    )
    return Artefact(figure, plots.joined([dict(one.metrics) for one in found]), caption)


def low_temperature_runs(scale: Scale) -> dict[str, RunConfig]:
    base = LowTemperature(
        temperatures=sizes.LOW_TEMPERATURES.at(scale),
        seeds=sizes.seeds(sizes.LOW_SEEDS, scale),
        steps=sizes.LOW_STEPS.at(scale),
    )
    second = sizes.LOW_TEMPERATURES.paper[1:2]
    shares = replace(base, temperatures=second, confusing=sizes.LOW_SHARES.at(scale))
    return {"temperatures": base, "shares": shares}
