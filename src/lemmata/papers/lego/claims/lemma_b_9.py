"""Lemmas B.9 and C.9: what the softmax says once every combination is learned."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_flows import CONVERGED, at_floor
from lemmata.papers.lego.run.feature_flow import FeatureFlow
from lemmata.papers.lego.theory.features import least_slack

FITTED = 0.02  # of the constants of both O, which are 1
SMALL = {"transitive": "C3", "symmetric": "S3"}


def runs_of(scale: Scale) -> dict[str, FeatureFlow]:
    seeds = sizes.seeds(sizes.SHAPE_SEEDS, scale)
    found = {
        f"{family}/d = {d:.0e}, C_B = {clip:g}": FeatureFlow(
            action=name,
            vocabulary=d,
            clip=clip,
            stride=0.2,
            seeds=seeds,
            steps=sizes.LOGIT_STEPS.at(scale),
            tolerance=min(1e-6, FITTED / d / 2),  # a wrong class is 1/d of the loss
        )
        for family, name in SMALL.items()
        for d in sizes.LOGIT_VOCABULARIES.at(scale)
        for clip in sizes.LOGIT_CLIPS.at(scale)
    }
    return found | {"early": FeatureFlow(action="C3", vocabulary=1e6, stride=0.2, seeds=seeds, steps=500)}


def over_printed(run: RunResult) -> dict[str, float]:
    """1 - p of the right class over lambda, p of a wrong one over lambda / d; the worst pair and seed."""
    printed, metrics = least_slack(run.config.vocabulary, run.config.bound), run.metrics
    wrong = np.max(metrics["wrong"]) * run.config.vocabulary / printed
    return {"right": float(np.max(metrics["slack"]) / printed), "wrong": float(wrong)}


def of_group(runs: Runs, family: str) -> list[RunResult]:
    return list(runs.group(family).values())


SIDES = {"right": "1 - p over λ", "wrong": "wrong p over λ/d"}


def along(family: str):
    return {"world": lambda runs: [name.partition("/")[2] for name in runs if name.startswith(f"{family}/")]}


LOGITS = Claim(
    id="lemma-b.9",
    locus="Fact B.2; Lemmas B.9 and C.9",
    uses=("thm-b.1", "thm-c.1"),
    statement=r"Once the last feature is learned, $1 - p \le O(\lambda)$ for the right class of every pair and $p \le "
    r"O(\lambda/d)$ for every wrong one, with $\lambda = (d - 1)/(e^B + d - 1)$. Judged at the worst pair, in several "
    r"vocabularies and for several $C_B$: the constant of both $O$ is 1. Control: 500 steps of the flow.",
    needs=dict.fromkeys(SMALL, at_floor),
    subject=lambda runs: {family: [over_printed(run) for run in of_group(runs, family)] for family in SMALL},
    wrong=lambda runs: {family: [over_printed(runs["early"])] for family in SMALL},
    parts={
        f"{family}, {words}": Part(
            lambda found, family=family, side=side: [one[side] for one in found[family]],
            near(1.0, rtol=FITTED),
            along=along(family),
        )
        for family in SMALL
        for side, words in SIDES.items()
    },
)


def draw(runs: Runs) -> Artefact:
    rows = {"world": [], "1 - p over lambda": [], "wrong p over lambda / d": []}
    for name, run in runs.items():
        found = over_printed(run)
        for column, value in zip(rows, (name, found["right"], found["wrong"]), strict=True):
            rows[column].append(value)
    caption = f"The softmax at the end of stage 1, the loss within {CONVERGED:g} of its floor."
    return Artefact(None, {name: np.array(column) for name, column in rows.items()}, caption)


EXPERIMENT = Experiment(title="Logits once all is learned", runs=runs_of, claims=(LOGITS,), draw=draw)
