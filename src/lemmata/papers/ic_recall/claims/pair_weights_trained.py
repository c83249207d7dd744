"""Beyond the paper: the pair weights that training finds for two, three and four pairs are the best ones."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, Seeds, Undecided, near
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims import _pattern_shape as shape
from lemmata.papers.ic_recall.claims._figure_worlds import PANELS
from lemmata.papers.ic_recall.run.adam_fine_tuning import AdamFineTuning
from lemmata.papers.ic_recall.task import RandomBijections
from lemmata.papers.ic_recall.theory.pair_weights import best_pair_weights
from lemmata.report import plots

CASES: dict[str, dict[str, Any]] = {
    "2 pairs": PANELS["left"],
    "3 pairs": PANELS["right"],
    "3 pairs, colder": PANELS["right"] | {"temperature": 0.005},
    "4 pairs": {"world": RandomBijections(n=8, relations=2048), "k": 4, "temperature": 0.004},
}

LEFT = 0.01  # on query and EoS, at most
HOTTER = {"2 pairs": 0.1, "3 pairs": 0.02, "3 pairs, colder": 0.02, "4 pairs": 0.008}  # the lightest pair is given up


def _runs(scale: Scale) -> dict[str, RunConfig]:
    steps = sizes.PAIR_STEPS.at(scale)
    seeds, few = sizes.seeds(sizes.BLOCK_SEEDS, scale), sizes.seeds(sizes.PAIR_SEEDS, scale)
    hot: dict[str, dict[str, Any]] = {name: one | {"temperature": HOTTER[name]} for name, one in CASES.items()}
    return {  # ten seeds where Figure 2 has them already
        f"{group}/{name}": AdamFineTuning(
            **one, steps=steps, seeds=seeds if group == "trained" and one in PANELS.values() else few
        )
        for group, settings in (("trained", CASES), ("hot", hot))
        for name, one in settings.items()
    }


def _weights(run: RunResult) -> np.ndarray:
    """Attention on a token of each pair, lightest pair first, seed by seed."""
    first = shape.attention(run).first[:, :-2]
    return np.sort(first.reshape(len(first), -1, 2).mean(axis=-1), axis=-1)


def _settled(runs: Runs) -> dict[str, RunResult]:
    """Trained until hardly anything is left on query and EoS: while more is, the pairs still gain."""
    found = runs.group("trained")
    for name, run in found.items():
        left = float(shape.attention(run).outside().max())
        if left > LEFT:
            raise Undecided(f"{name}: {left:.3f} of the attention is still on query and EoS; train longer")
    return found


def _best(run: RunResult) -> np.ndarray:
    config = run.config
    return best_pair_weights(config.k, config.world.n, config.world.relations, config.temperature)


def _part(name: str) -> Part:
    return Part(
        lambda runs: Seeds(_weights(runs[name])),
        near(lambda runs: _best(runs[f"trained/{name}"]), atol=0.01, over_seeds=True),
        along={"pair": lambda runs: list(range(1, runs[f"trained/{name}"].config.k + 1))},
    )


CLAIMS = (
    Claim(
        id="pair-weights-trained",
        locus="beyond the paper: Figure 2",
        statement="With two, three and four pairs in context the trained attention on the pairs, lightest first, is "
        "that of the lowest loss on pairwise attention in a world in which every relation is as frequent as it is on "
        "average over worlds. Judged with the position block trained by Adam in worlds of random bijections.",
        subject=_settled,
        wrong=lambda runs: runs.group("hot"),
        parts={name: _part(name) for name in CASES},
        remark=r"On a token each; as $T \to 0$ and with every bijection there it is $\frac{i}{k(k+1)}$ "
        "(pair-weights-proved). The control is trained at a higher temperature, where the lightest pair "
        "is given up.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    figure, axes = plots.new_figure(1, len(CASES), width=11)
    rows: list[dict[str, Any]] = []
    for ax, (name, run) in zip(axes, runs.group("trained").items(), strict=True):
        best, found = _best(run), _weights(run)
        places = np.arange(1, len(best) + 1)
        ax.plot(places, found.T, ".", color=plots.GREY)
        ax.plot(places, best, "_", markersize=18, color=plots.CYCLE[0], label="lowest expected loss")
        ax.plot(
            places, places / (len(best) * (len(best) + 1)), "--", color=plots.CYCLE[1], label="T → 0, all bijections"
        )
        ax.set(title=f"{name}, T = {run.config.temperature:g}", xlabel="pair, lightest first", ylabel="a token")
        ax.set_xticks(places)
        rows += [
            {"setting": name, "seed": seed, "pair": int(i), "trained": one[i - 1], "best": best[i - 1]}
            for seed, one in zip(run.config.seeds, found, strict=True)
            for i in places
        ]
    plots.legend(axes[0])
    caption = (
        "Trained attention on a token of each pair, one dot a seed, beside the weights of the lowest expected loss and "
        "those of the limit T → 0 in the world of all bijections."
    )
    return Artefact(figure, plots.columns(rows), caption)


EXPERIMENT = Experiment(
    title="k pairs in context: the weights that training finds", runs=_runs, claims=CLAIMS, draw=_draw
)
