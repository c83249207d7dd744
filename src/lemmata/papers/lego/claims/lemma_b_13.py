"""Section B.5: the tensor power method, by iteration."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_least, at_most, near
from lemmata.papers.lego.run.power_method import PowerMethod
from lemmata.papers.lego.theory.power_method import left_behind, time_bounds

POWERS = (4, 6)
DELTA = 0.05
FLOW = 0.1  # of what is left behind: finite steps, and noise
NOISE = 0.1  # of xi, as a share of y_0


def runs_of(scale: Scale) -> dict[str, PowerMethod]:
    starts = {4: (0.02, 0.04, 0.08), 6: (0.08, 0.12, 0.16)}  # the time is start^(2 - q)
    found = {f"q = {power}": PowerMethod(power=power, starts=starts[power]) for power in POWERS}
    noisy = {
        f"noisy, q = {power}": PowerMethod(power=power, starts=starts[power], noise=NOISE, ratio=1.0)
        for power in POWERS
    }
    return found | noisy


def over_bounds(run: RunResult, power: int) -> tuple[np.ndarray, np.ndarray]:
    """The time over the printed lower and upper bound."""
    low, high = time_bounds(np.asarray(run.metrics["first"]), run.config.threshold, power, DELTA)
    return np.asarray(run.metrics["time"]) / low, np.asarray(run.metrics["time"]) / high


def over_predicted(run: RunResult, power: int) -> np.ndarray:
    """What the smaller sequence has reached over what the flow of a power says, without noise."""
    start, gap = (np.asarray(run.metrics[name]) for name in ("start", "gap"))
    return np.asarray(run.metrics["reached"]) / left_behind(start, gap, run.config.ratio, run.config.threshold, power)


def exchanged(runs: Runs) -> dict[str, tuple[RunResult, int]]:
    """Each power's run in the other's place."""
    return {
        name: (runs[name.replace(f"{p}", f"{POWERS[1 - POWERS.index(p)]}")], p) for name, (_, p) in own(runs).items()
    }


def own(runs: Runs) -> dict[str, tuple[RunResult, int]]:
    return {f"{kind}q = {p}": (runs[f"{kind}q = {p}"], p) for kind in ("", "noisy, ") for p in POWERS}


TENSOR = Claim(
    id="lemma-b.13",
    locus="Lemmas B.12 and B.13; Corollary B.1",
    statement=r"The power method $x_{t+1} = x_t + \eta C_t x_t^{q-1}$ needs $\sum_{x_t \le A} \eta C_t$ of at least "
    r"$\frac{\delta (1+\delta)^{-1}}{(1+\delta)^{q-2} - 1}(1 - (\frac{(1+\delta)x_0}{A})^{q-2}) x_0^{2-q}$ and "
    r"at most $\frac{\delta(1+\delta)^{q-2}}{(1+\delta)^{q-2} - 1} x_0^{2-q}$, for small $\eta$. With $x_0 \ge y_0 "
    r"S^{1/(q-2)}(1 + \gamma)$, $\gamma = 1/\text{polylog}(d)$, the other is then $\tilde{O}(y_0)$ (B.1), and so with "
    r"a Gaussian $\xi$ in it (B.12). Judged for $q = 4, 6$ with $\delta = 0.05$; $y/y_0$ is that of the flow, of order "
    r"$\gamma^{-1/(q-2)}$. Control: the two $q$ exchanged; of the lower bound $q = 8$, of the upper one $q - 1$.",
    subject=own,
    wrong=exchanged,
    parts={
        **{
            f"q = {p}, over the lower bound": Part(
                lambda found, p=p: over_bounds(*found[f"q = {p}"])[0],
                at_least(1.0, paper="any start, end and rate"),
                wrong=lambda runs: {f"q = {p}": (runs[f"q = {max(POWERS)}"], 8) for p in POWERS},
            )
            for p in POWERS
        },
        **{
            f"q = {p}, over the upper bound": Part(
                lambda found, p=p: over_bounds(*found[f"q = {p}"])[1],
                at_most(1.0, paper="any start, end and rate"),
                wrong=lambda runs: {f"q = {p}": (runs[f"q = {p}"], p - 1) for p in POWERS},
            )
            for p in POWERS
        },
        **{
            f"{kind}q = {p}, left behind": Part(
                lambda found, name=f"{kind}q = {p}": over_predicted(*found[name]), near(1.0, rtol=FLOW)
            )
            for kind in ("", "noisy, ")
            for p in POWERS
        },
    },
)


def draw(runs: Runs) -> Artefact:
    rows = {"run": [], "gap": [], "y over y_0": []}
    for name, run in runs.items():
        rows["run"] += [name] * len(run.metrics["gap"])
        rows["gap"] += list(run.metrics["gap"])
        rows["y over y_0"] += list(run.metrics["reached"])
    caption = "What the smaller sequence has reached when the larger is at the threshold."
    return Artefact(None, {name: np.array(column) for name, column in rows.items()}, caption)


EXPERIMENT = Experiment(title="The tensor power method", runs=runs_of, claims=(TENSOR,), draw=draw)
