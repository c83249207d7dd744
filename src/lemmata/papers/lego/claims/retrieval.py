"""Section 6.1.1: W_4 copies the variable, because its diagonal alone grows."""

from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_least,
    of_result,
)
from lemmata.papers.lego.run.retrieval import Retrieval
from lemmata.report.plots import new_figure

DOMINANT = 10.0  # the diagonal over everything else


def retrieval(scale: Scale) -> dict[str, Retrieval]:
    return {
        "main": Retrieval(
            action=scale.pick(smoke="C3", laptop="C6", paper="C6"),
            variables=scale.pick(smoke=9, laptop=41, paper=170),
            width=scale.pick(smoke=6, laptop=12, paper=12),
            steps=scale.pick(smoke=600, laptop=1500, paper=3000),
            seeds=scale.seeds(smoke=1, laptop=3, paper=5),
        )
    }


@of_result
def learned(run: RunResult) -> Undecided | None:
    least = float(np.min(run.metrics["variable.accuracy"]))
    return None if least > 1 - 1e-6 else TooShort(f"W_4 copies only {least:.2f} of the variables")


class Copy(NamedTuple):
    run: RunResult
    token: str

    def dominance(self, what: str) -> float:
        """The least weight on the diagonal over the largest off it, in the worst seed."""
        own, other = (np.asarray(self.run.metrics[f"{self.token}.{what}_{side}"]) for side in ("own", "other"))
        return float((own / other).min())


RETRIEVAL = Claim(
    id="retrieval",
    locus="Section 6.1.1, after equation (15)",
    statement="In-context retrieval: only the correlations of W₄'s class s with the variable s in slot 1 grow; all "
    "others stay small. The least on the diagonal (the largest over neurons) over the largest magnitude off it, of the "
    "weights and of their updates, in the worst seed. Slot 1 is the only one our W₄ reads. Control: W₅ and the value "
    "in slot 5, which is not copied but acted on.",
    subject=lambda runs: Copy(runs["main"], "variable"),
    wrong=lambda runs: Copy(runs["main"], "value"),
    parts={
        "weights": Part(lambda copy: copy.dominance("weight"), at_least(DOMINANT)),
        "updates": Part(lambda copy: copy.dominance("update"), at_least(DOMINANT)),
    },
    needs={"main": learned},
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, ax = new_figure(1, 1, width=4.2, height=3.4)
    names = [f"{token}.weight_{side}" for token in ("variable", "value") for side in ("own", "other")]
    for place, name in enumerate(names):
        ax.plot(np.full(len(run.metrics[name]), place), run.metrics[name], "o", markersize=4)
    labels = ["W₄\ndiagonal", "W₄\nelsewhere", "W₅\ndiagonal", "W₅\nelsewhere"]
    ax.set_xticks(range(len(names)), labels)
    ax.set(ylabel="weight", title=f"{run.config.action}, |X| = {run.config.variables}")
    caption = (
        "Weights after T¹, by seed: the least over tokens of the largest that says the token's own class, and the "
        "largest magnitude of all others; W₄ by the variable in slot 1, W₅ by the value in slot 5."
    )
    return Artefact(figure, {name: list(values) for name, values in run.metrics.items()}, caption)


EXPERIMENT = Experiment(title="Retrieval: W4's diagonal", runs=retrieval, claims=(RETRIEVAL,), draw=draw)
