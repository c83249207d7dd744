"""The paper's own cuts of its own models: readings of answer and "the", families of claims, their figure."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Rule, RunResult, Runs, at_most, only
from lemmata.papers.association.claims._knows import knows
from lemmata.papers.association.probe.gains import Compared, OverPrompts, Probabilities
from lemmata.papers.association.run.fixed_truncation import FixedTruncation, Prompts
from lemmata.report.plots import columns, legend, new_figure

CHECKPOINTS = {"final": None, "14K": "step14000"}  # the hub's revisions
WHY_TWO = (
    'The paper says "at 14K steps"; Table 1, whose ratios are those of that place, names no step. Both step 14,000 and '
    "the last one (143,000) are run. The one whose whole model is nearer to the printed numbers is judged, by what "
    "truncation does to it. A checkpoint's name can serve wrong weights: the runs' records hold hashes."
)
SETTING = (
    "The sentences have the words of the one that the paper prints, the names are ours; the decomposition is exact "
    "(LASER's is randomized)."
)


def probabilities(run: RunResult, edit: str, **where: object) -> Probabilities:
    """Of every prompt; of random subspaces the mean."""
    count = len(run.column("the", edit="whole"))
    answer, the = (run.column(name, edit=edit, **where).reshape(-1, count).mean(axis=0) for name in ("answer", "the"))
    return Probabilities(answer, the)


def edited(run: RunResult, edit: str = "cut") -> Compared:
    return Compared(probabilities(run, edit), probabilities(run, "whole"))


def nearest_checkpoint(runs: Runs, printed: float) -> RunResult:
    """The checkpoint whose whole model has the answer/"the" nearest to the printed one."""

    def distance(run: RunResult) -> float:
        return abs(float(np.log(probabilities(run, "whole").of_all / printed)))

    return min((runs[name] for name in CHECKPOINTS), key=distance)


PYTHIA_1B = dict.fromkeys(
    CHECKPOINTS, (only("model", "EleutherAI/pythia-1b", why="the printed numbers are Pythia-1B's"), knows)
)


def both_checkpoints(**cut: Any) -> dict[str, FixedTruncation]:
    return {
        name: FixedTruncation(model="EleutherAI/pythia-1b", revision=revision, **cut)
        for name, revision in CHECKPOINTS.items()
    }


def about_both(runs: Runs) -> str:
    return " ".join(in_words(runs[name]) for name in CHECKPOINTS)


def doublings(of: Probabilities, printed: float) -> float:
    """How far a ratio is from a printed one."""
    return abs(float(np.log2(of.of_all / printed)))


def boost(full: float, truncated: float, close: float, more: Mapping[str, Part] | None = None, **words: Any) -> Claim:
    """That truncation takes answer/"the" from one printed ratio to another, at the nearer checkpoint."""
    parts = {
        f"doublings from {full:g}".replace(" 0.", " ."): Part(
            lambda of: doublings(of.whole, full), at_most(close), carries=False
        ),
        f"doublings from {truncated:g}": Part(lambda of: doublings(of.edit, truncated), at_most(close)),
    }
    return Claim(
        needs=PYTHIA_1B,
        subject=lambda runs: edited(nearest_checkpoint(runs, full), "cut"),
        wrong=lambda runs: edited(nearest_checkpoint(runs, full), "random"),
        parts=parts | dict(more or {}),
        remark=about_both,
        **words,
    )


Cuts = Mapping[str, tuple[str, int, float]]  # a model's size -> its name, the layer and the share of the rank
Reading = tuple[Callable[[Compared], OverPrompts], Rule]


def several_sizes(
    cuts: Cuts, task: Prompts, readings: Mapping[str, Reading], *, title: str, caption: str, notes: str, **words: Any
) -> Experiment:
    """The same readings of several sizes of Pythia, each cut as the paper says."""
    claim = Claim(
        needs=dict.fromkeys(cuts, knows),
        subject=lambda runs: {name: edited(runs[name], "cut") for name in cuts},
        wrong=lambda runs: {name: edited(runs[name], "random") for name in cuts},
        parts={
            f"{name}, {what}": Part(lambda of, name=name, read=read: read(of[name]), rule)
            for name in cuts
            for what, (read, rule) in readings.items()
        },
        remark=lambda runs: " ".join(in_words(run) for run in runs.values()),
        **words,
    )
    return Experiment(
        title=title,
        runs=lambda scale: {
            name: FixedTruncation(model=model, task=task, layers=(layer,), shares=(share,))
            for name, (model, layer, share) in cuts.items()
        },
        claims=(claim,),
        draw=lambda runs: draw_models(runs, caption),
        extra="lm",
        notes=notes,
    )


def in_words(run: RunResult) -> str:
    config, of = run.config, edited(run)
    rank = int(run.column("rank", edit="cut")[0])
    at = f" at {config.revision}" if config.revision else ""
    return (
        f'{config.model}{at}, {config.matrix} of layer {config.layers[0]}, rank {rank}: answer/"the" '
        f"{of.whole.of_all:.3g} whole, {of.edit.of_all:.3g} cut, {probabilities(run, 'random').of_all:.3g} with random "
        f"subspaces, {probabilities(run, 'scaled').of_all:.3g} with the matrix scaled by that share, "
        f"{probabilities(run, 'dropped').of_all:.3g} with the matrix dropped."
    )


def draw_models(runs: Runs, title: str) -> Artefact:
    """Each model a panel: a prompt's answer against "the", whole and cut."""
    figure, axes = new_figure(1, len(runs), width=3.6 * len(runs), height=3.4, squeeze=False, sharex=True, sharey=True)
    rows = []
    for ax, (name, run) in zip(axes[0], runs.items(), strict=True):
        for edit, colour, mark in (
            ("whole", "C7", "o"),
            ("cut", "C0", "^"),
            ("random", "C1", "x"),
            ("dropped", "C2", "+"),
        ):
            one = probabilities(run, edit)
            ax.plot(one.the, one.answer, mark, color=colour, ms=4, alpha=0.75, label=edit)
            rows += [
                {"run": name, "edit": edit, "prompt": i, "answer": float(answer), "the": float(the)}
                for i, (answer, the) in enumerate(zip(one.answer, one.the, strict=True))
            ]
        ax.set(xlabel='P("the")', title=f"{name}: {run.config.model}")
        ax.title.set_fontsize(9)
    axes[0][0].set_ylabel("P(answer)")
    legend(axes[0][-1])
    return Artefact(figure, columns(rows), f"{title} {' '.join(in_words(run) for run in runs.values())}")
