"""Appendix B.3, observation iii: avoiding the noise rests on its being rarer than any other token."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs
from lemmata.core.rule import exactly
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.run.noise_frequency import NoiseFrequency


def signs(run: RunResult, token: str) -> tuple[int, ...]:
    """Of W_QK's first move on a token, by how frequent the noise is."""
    return tuple(int(sign) for sign in np.sign(run.column(token)))


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    frequency = run.column("frequency")
    curves = {label: (frequency, [run.column(name)]) for name, label in (("noise", "noise"), ("ordinary", "any k ≤ N"))}
    caption = (
        f"The first step of W_QK by the exact law of the contexts, N = {run.config.num_tokens}, T = "
        f"{run.config.length}, α = {run.config.alpha:g}."
    )
    labels = {"xlabel": "noise tokens per ordinary token", "ylabel": "W_E(b)ᵀ(-∇W_QK)W_E(q)"}
    return draw_curves(curves, caption, at=(0.0,), marker="o", **labels)


EXPERIMENT = Experiment(
    title="The first step of W_QK where the noise is frequent",
    runs=lambda scale: {"main": NoiseFrequency()},  # exact and cheap: the same at every scale
    claims=(
        Claim(
            id="b.3-frequency",
            locus="Appendix B.3, observation iii",
            uses=("eq-24",),
            statement=r"That $W_{QK}$'s first step avoids the noise rests on the noise's appearing less often than "
            "any other token. Where the data are made to have it more often, the result is the opposite. Judged is "
            r"the sign of $W_E(N+1)^\top (-\nabla_{W_{QK}} L) W_E(q)$: negative where the noise is rarer than an "
            "ordinary token, positive where it is more frequent.",
            subject=lambda runs: signs(runs["main"], "noise"),
            wrong=lambda runs: signs(runs["main"], "ordinary"),  # another token's
            parts=Part(
                lambda found: found,
                exactly(lambda runs: tuple(-1 if f < 1 else 1 for f in runs["main"].column("frequency"))),
                along={"noise tokens per ordinary token": lambda runs: runs["main"].column("frequency").round(2)},
            ),
            remark="The paper manipulates nothing; here every token but the trigger is followed by the noise with a "
            "probability of its own.",
        ),
    ),
    draw=draw,
)
