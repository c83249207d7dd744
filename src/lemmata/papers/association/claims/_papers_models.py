"""The paper's own cuts of its own models: readings of answer and "the", and the figure of several models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lemmata.core import Artefact, Part, Rule, RunResult, Runs, only
from lemmata.papers.association.probe.gains import OverPrompts, Probabilities, fold, gain
from lemmata.papers.association.run.fixed_truncation import FixedTruncation, Prompts
from lemmata.report.plots import columns, legend, new_figure

CHECKPOINTS = {"final": None, "14K": "step14000"}  # the hub's revisions
WHY_TWO = (
    'The paper says "at 14K steps"; Table 1, whose ratios are those of that place, names no step. Both step 14,000 and '
    "the last one (143,000) are run, and the one whose whole model is nearer to the printed numbers is judged, by what "
    "truncation does to it. The name of a checkpoint has been seen to serve wrong weights: the runs' records hold "
    "hashes."
)
SETTING = "The sentences are ours (the paper prints none but one), the decomposition is exact (LASER's is randomized)."


@dataclass(frozen=True)
class Edited:
    """A model after an edit, and whole."""

    edit: Probabilities
    whole: Probabilities


def probabilities(run: RunResult, edit: str, **where: object) -> Probabilities:
    """Of every prompt; of random subspaces the mean."""
    count = len(run.column("the", edit="whole"))
    answer, the = (run.column(name, edit=edit, **where).reshape(-1, count).mean(axis=0) for name in ("answer", "the"))
    return Probabilities(answer, the)


def edited(run: RunResult, edit: str = "cut") -> Edited:
    return Edited(probabilities(run, edit), probabilities(run, "whole"))


def nearest_checkpoint(runs: Runs, printed: float) -> RunResult:
    """The checkpoint whose whole model has the answer/"the" nearest to the printed one."""

    def distance(run: RunResult) -> float:
        one = probabilities(run, "whole")
        return abs(float(np.log(one.ratio(np.arange(len(one.the))) / printed)))

    return min((runs[name] for name in CHECKPOINTS), key=distance)


def at_checkpoint(runs: Runs, printed: float, edit: str) -> Edited:
    """That checkpoint, edited."""
    return edited(nearest_checkpoint(runs, printed), edit)


PYTHIA_1B = dict.fromkeys(CHECKPOINTS, only("model", "EleutherAI/pythia-1b", why="the printed numbers are Pythia-1B's"))
Cuts = Mapping[str, tuple[str, int, float]]  # a model's size -> its name, the layer and the share of the rank


def cut_runs(cuts: Cuts, task: Prompts) -> dict[str, FixedTruncation]:
    return {
        name: FixedTruncation(model=model, task=task, layers=(layer,), shares=(share,))
        for name, (model, layer, share) in cuts.items()
    }


def sizes(runs: Runs, cuts: Cuts, edit: str) -> dict[str, Edited]:
    return {name: edited(runs[name], edit) for name in cuts}


def of_each_size(cuts: Cuts, readings: Mapping[str, tuple[Callable[[Edited], OverPrompts], Rule]]) -> dict[str, Part]:
    """The same readings of every size."""
    return {
        f"{name}, {what}": Part(lambda of, name=name, read=read: read(of[name]), rule)
        for name in cuts
        for what, (read, rule) in readings.items()
    }


def ratio(of: Probabilities) -> float:
    return float(of.ratio(np.arange(len(of.the))))


def log_error(of: Probabilities, printed: float) -> float:
    """How far a ratio is from a printed one, in doublings."""
    return abs(float(np.log2(ratio(of) / printed)))


def gained(of: Edited) -> OverPrompts:
    return gain(of.edit, of.whole)


def the_left(of: Edited) -> OverPrompts:
    return fold(of.edit.the, of.whole.the)


def answer_left(of: Edited) -> OverPrompts:
    return fold(of.edit.answer, of.whole.answer)


def in_words(run: RunResult) -> str:
    config, of = run.config, edited(run)
    rank = int(run.column("rank", edit="cut")[0])
    at = f" at {config.revision}" if config.revision else ""
    return (
        f'{config.model}{at}, {config.matrix} of layer {config.layers[0]}, rank {rank}: answer/"the" '
        f"{ratio(of.whole):.3g} whole, {ratio(of.edit):.3g} cut, {ratio(probabilities(run, 'random')):.3g} with random "
        "subspaces."
    )


def draw_models(runs: Runs, title: str) -> Artefact:
    """Each model a panel: a prompt's answer against "the", whole and cut."""
    figure, axes = new_figure(1, len(runs), width=3.6 * len(runs), height=3.4, squeeze=False, sharex=True, sharey=True)
    rows = []
    for ax, (name, run) in zip(axes[0], runs.items(), strict=True):
        for edit, colour, mark in (("whole", "C7", "o"), ("cut", "C0", "^"), ("random", "C1", "x")):
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
