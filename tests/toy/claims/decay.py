"""One claim that holds, and one erratum."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, Scale, near
from lemmata.report.plots import band, new_figure
from toy.run.decay import Decay


def runs(scale: Scale) -> dict[str, Decay]:
    steps = scale.pick(smoke=20, laptop=200, paper=2000)
    return {"main": Decay(steps=steps, seeds=scale.seeds(smoke=2, laptop=3, paper=5))}


def ratio(values: np.ndarray) -> float:
    return float((values[:, 1] / values[:, 0]).mean())


def unmoved(run: RunResult) -> np.ndarray:
    """The start in the place of the second step, too."""
    return run.arrays["x"][:, [0, 0]]


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, ax = new_figure()
    band(ax, np.arange(run.arrays["x"].shape[1]), run.arrays["x"], label="x")
    return Artefact(figure, {"seed": run.metrics["seed"], "x": run.metrics["x"]}, "x over steps.")


EXPERIMENT = Experiment(
    title="Decay",
    runs=runs,
    claims=(
        Claim(
            id="rate",
            locus="Section 1",
            statement="x decays <fast> & surely.",
            subject=lambda runs: runs["main"].arrays["x"],
            wrong=lambda runs: unmoved(runs["main"]),
            parts=Part(ratio, near(lambda runs: 1 - runs["main"].config.rate, rtol=1e-12)),
            remark=lambda runs: f"It decays to {runs['main'].arrays['x'].min():.1e}.",
        ),
        Claim(
            id="typo",
            locus="Section 1",
            statement="x decays at the printed rate.",
            subject=lambda runs: runs["main"].arrays["x"],
            wrong=lambda runs: unmoved(runs["main"]),
            parts=Part(
                ratio,
                near(lambda runs: 1 + runs["main"].config.rate, rtol=1e-12),
                corrected=lambda runs: 1 - runs["main"].config.rate,
            ),
            correction=Correction(
                severity="constant",
                printed="1 + rate",
                corrected="1 - rate",
                reason="A sign is lost.",
                survives="That x decays & stays positive.",
                source="a scan of the first page",
                latex=r"$1 - \eta$",
            ),
        ),
    ),
    draw=draw,
)
