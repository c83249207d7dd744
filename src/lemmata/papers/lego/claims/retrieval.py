"""Section 6.1.1: W_4 copies the variable, because its diagonal alone grows."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.core.rule import at_least
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.retrieval import Retrieval
from lemmata.report.plots import new_figure

DOMINANT = 10.0  # the diagonal over everything else


def retrieval(scale: Scale) -> dict[str, Retrieval]:
    return {
        "main": Retrieval(
            action=sizes.RETRIEVAL_ACTION.at(scale),
            variables=sizes.RETRIEVAL_VARIABLES.at(scale),
            width=sizes.RETRIEVAL_WIDTH.at(scale),
            steps=sizes.RETRIEVAL_STEPS.at(scale),
            seeds=sizes.seeds(sizes.RETRIEVAL_SEEDS, scale),
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
    statement=r"In stage 1 the diagonal correlations $\langle W_{4,s,r,1}, e_s \rangle$ of a variable $s$ with its "
    "own class grow, and all off-diagonal ones remain $o(1)$. Judged in the worst seed, of the weights and of their "
    "updates: the least on the diagonal (the largest over neurons) over the largest magnitude off it, of a $W_4$ "
    "that reads slot 1 alone. Control: $W_5$ and the value in slot 5, which is not copied but acted on.",
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
