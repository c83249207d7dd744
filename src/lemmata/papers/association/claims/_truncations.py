"""What truncating a language model does to answer/"the": readings of chosen cuts, and their claims and figure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import LEVEL, Artefact, Claim, Experiment, Part, RunResult, Runs, Size, Undecided, at_least
from lemmata.papers.association.claims._knows import knows
from lemmata.papers.association.probe.gains import OverPrompts, Probabilities, fold, gain
from lemmata.papers.association.run._questions import Task
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation
from lemmata.report.plots import DIVERGING, ceiling, columns, legend, letter, new_figure

FACTOR = 3.0  # by which answer/"the" must rise
KEPT = 0.8  # of the answer's probability, on the prompts that judge
OURS = "Beyond the paper: any language model, by default a small one"
FOUR_BITS = (
    "The default model's weights are of 4 bits: its smallest singular values are of the order of their rounding. "
    "`--set model=...` takes any causal model."
)


MATRICES = {
    **{"mlp in": "MLP input matrix", "mlp gate": "MLP gate matrix", "mlp out": "MLP output matrix"},
    **{"q": "query matrix", "k": "key matrix", "v": "value matrix", "o": "attention output matrix"},
}


@dataclass(frozen=True)
class Compared:
    """An edit, and on the same prompts what it must be more than: all of the same layer's matrix."""

    edit: Probabilities
    random: Probabilities  # subspaces of the same rank
    scaled: Probabilities  # the matrix, by the share of its directions that the edit keeps
    dropped: Probabilities  # the matrix
    whole: Probabilities


def whole(run: RunResult) -> Probabilities:
    return probabilities(run, half=run.config.judged_on, edit="whole")


def probabilities(run: RunResult, **where: object) -> Probabilities:
    return Probabilities(run.column("answer", **where), run.column("the", **where))


def random_subspaces(run: RunResult, numbers: range, matrix: int, layer: int) -> Probabilities:
    """Each prompt's probabilities, in the mean over some random subspaces."""
    each = [
        probabilities(run, half=run.config.judged_on, edit="random", matrix=matrix, layer=layer, subspace=number)
        for number in numbers
    ]
    return Probabilities(*(np.mean([getattr(one, name) for one in each], axis=0) for name in ("answer", "the")))


def judged(run: RunResult, matrix: int = 0) -> list[int]:
    """The layers at which some rank could be chosen."""
    mine = (run.metrics["edit"] == "random") & (run.metrics["matrix"] == matrix)
    return sorted(set(np.asarray(run.metrics["layer"])[mine].tolist()))


def truncated(run: RunResult, layer: int, matrix: int = 0) -> Compared:
    edits = {
        edit: probabilities(run, half=run.config.judged_on, edit=edit, matrix=matrix, layer=layer)
        for edit in ("cut", "scaled", "dropped")
    }
    random = random_subspaces(run, _first_half(run), matrix, layer)
    return Compared(edits["cut"], random, edits["scaled"], edits["dropped"], whole(run))


def randomly_cut(run: RunResult, layer: int, matrix: int = 0) -> Compared:
    """Other random subspaces in the place of the truncation."""
    return replace(truncated(run, layer, matrix), edit=random_subspaces(run, _later_half(run), matrix, layer))


def _first_half(run: RunResult) -> range:
    return range(run.config.subspaces // 2)


def _later_half(run: RunResult) -> range:
    return range(run.config.subspaces // 2, run.config.subspaces)


def chosen_share(run: RunResult, layer: int, matrix: int = 0) -> float:
    return float(run.column("share", half=run.config.judged_on, edit="cut", matrix=matrix, layer=layer)[0])


def chosen_layer(run: RunResult, matrix: int = 0) -> int:
    """The layer whose chosen cut has the largest ratio on the prompts that choose."""
    layers = judged(run, matrix)
    if not layers:
        raise Undecided(f"no cut left the answer {run.config.keeps:g} of its probability: nothing could be chosen")

    return max(layers, key=lambda layer: on_choice(run, layer, matrix))


def on_choice(run: RunResult, layer: int, matrix: int) -> float:
    """The chosen cut's ratio on the prompts that choose."""
    share = chosen_share(run, layer, matrix)
    return probabilities(run, half=run.config.chosen_on, edit="cut", matrix=matrix, layer=layer, share=share).of_all


def over_random(compared: Compared) -> OverPrompts:
    return gain(compared.edit, compared.random)


def over_scaled(compared: Compared) -> OverPrompts:
    return gain(compared.edit, compared.scaled)


def over_dropped(compared: Compared) -> OverPrompts:
    return gain(compared.edit, compared.dropped)


def over_whole(compared: Compared) -> OverPrompts:
    return gain(compared.edit, compared.whole)


def answer_kept(compared: Compared) -> OverPrompts:
    return fold(compared.edit.answer, compared.whole.answer)


def gaining(compared: list[Compared]) -> int:
    """At how many layers the gain over all three is at least FACTOR for certain; the layers share the level."""
    if len(compared) < 2:
        raise Undecided(f"a rank could be chosen at {len(compared)} layers alone")
    level = 1 - (1 - LEVEL) / len(compared)
    each = [(over_random(one), over_scaled(one), over_whole(one)) for one in compared]
    return sum(all(one.interval(level)[0] >= FACTOR for one in three) for three in each)


def setting(run: RunResult) -> str:
    config, base = run.config, whole(run)
    count = len(base.the)
    return (
        f"{config.model}, {config.matrices[0]}; {count} prompts choose, {count} others judge. Whole model: answer "
        f'{base.answer.mean():.3f}, "the" {base.the.mean():.3f}'
    )


def what_was_chosen(runs: Runs) -> str:
    run = runs["main"]
    layer = chosen_layer(run)
    compared = truncated(run, layer)
    one = over_whole(compared)
    random, scaled, dropped = (
        gain(other, compared.whole).mean for other in (compared.random, compared.scaled, compared.dropped)
    )
    return (
        f"Chosen: layer {layer}, share {chosen_share(run, layer):g} of the rank. {setting(run)}. The cut multiplies "
        f'answer/"the" by {one.mean:.3g} (95% interval {one.interval()[0]:.3g} to {one.interval()[1]:.3g}), random '
        f"subspaces of that rank by {random:.3g}, the matrix scaled by that share by {scaled:.3g}, the matrix dropped "
        f"by {dropped:.3g}."
    )


def which_layers(runs: Runs) -> str:
    run = runs["main"]
    found = {layer: over_whole(truncated(run, layer)).mean for layer in judged(run)}
    best = sorted(found, key=lambda layer: -found[layer])[:5]
    words = ", ".join(f"{layer} ({found[layer]:.3g})" for layer in best)
    return f'Of {len(found)} layers, the largest factors on answer/"the" on the prompts that judge: {words}.'


def matrix_named(configs: Mapping[str, Any]) -> str:
    """The matrix that is cut, in a statement's words."""
    return MATRICES[configs["main"].matrices[0]]


def any_model(task: Task, words: str, notes: str, **sizes: Size) -> Experiment:
    """A task's claims: some layer and rank, against shrinking and against removal; and how many layers."""
    id = f"truncation-{task}"
    over_prompts = {"over_seeds": True, "unit": "prompts"}
    said = {"MLP input matrix": matrix_named}
    some = Claim(
        id=id,
        locus=f"{OURS}; Sections 2.2 and 4.1",
        statement=f"Keeping the largest singular directions of one MLP input matrix raises {words} by a factor of "
        f"{FACTOR:g} and more over random subspaces of the same rank, over the matrix scaled by the share that is "
        "kept, and over the whole model, and leaves the answer its probability. Layer and rank are chosen on other "
        "prompts than those that judge.",
        wording=said,
        subject=lambda runs: truncated(runs["main"], chosen_layer(runs["main"])),
        wrong=lambda runs: randomly_cut(runs["main"], chosen_layer(runs["main"])),
        parts={
            "over random subspaces": Part(over_random, at_least(FACTOR, **over_prompts)),
            "over the matrix scaled": Part(over_scaled, at_least(FACTOR, **over_prompts)),
            "over the whole model": Part(over_whole, at_least(FACTOR, **over_prompts), carries=False),
            "answer kept": Part(answer_kept, at_least(KEPT, **over_prompts), carries=False),
        },
        remark=what_was_chosen,
    )
    dropped = Claim(
        id=f"{id}-dropped",
        locus=f"{OURS}; Section 2.2: the smallest singular directions carry the noise",
        statement=f"The chosen cut of the MLP input matrix raises {words} more than dropping that matrix does.",
        wording=said,
        subject=lambda runs: truncated(runs["main"], chosen_layer(runs["main"])),
        wrong=lambda runs: randomly_cut(runs["main"], chosen_layer(runs["main"])),
        parts={"over the matrix dropped": Part(over_dropped, at_least(1.0, **over_prompts))},
        remark=what_was_chosen,
    )
    layers = Claim(
        id=f"{id}-layers",
        locus=f"{OURS}; Appendix C.2, the search for a layer",
        statement="That truncation of the MLP input matrix helps is not the peculiarity of one layer: at two and more "
        f"of the upper layers {words} rises by a factor of {FACTOR:g} over random subspaces, over the matrix scaled "
        "and over the whole model. The rank is chosen layer by layer on other prompts.",
        wording=said,
        subject=lambda runs: [truncated(runs["main"], layer) for layer in judged(runs["main"])],
        wrong=lambda runs: [randomly_cut(runs["main"], layer) for layer in judged(runs["main"])],
        parts=Part(gaining, at_least(2)),
        remark=which_layers,
    )
    return Experiment(
        title=f"Truncating any language model: {'indirect objects' if task == 'ioi' else 'facts'}",
        runs=lambda scale: {
            "main": ChosenTruncation(task=task, **{name: size.at(scale) for name, size in sizes.items()})
        },
        needs={"main": knows},
        claims=(some, dropped, layers),
        draw=draw,
        extra="lm",
        notes=f"{notes} {FOUR_BITS}",
    )


def ratio_grid(run: RunResult, matrix: int = 0) -> tuple[list[int], np.ndarray]:
    """Layers, and of every cut there, [layer, share], the factor on answer/"the" on the prompts that choose."""
    config = run.config
    layers = sorted(set(run.column("layer", half=config.chosen_on, edit="cut").tolist()))
    where = {"half": config.chosen_on, "edit": "cut", "matrix": matrix}
    grid = [
        [probabilities(run, layer=layer, share=share, **where).of_all for share in config.shares] for layer in layers
    ]
    return layers, np.array(grid) / probabilities(run, half=config.chosen_on, edit="whole").of_all


def show_grid(ax: Axes, run: RunResult, layers: list[int], grid: np.ndarray, limit: float) -> Any:
    """In powers of two, within plus and minus `limit`."""
    image = ax.imshow(np.log2(grid), cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto", origin="lower")
    ax.set_xticks(range(len(run.config.shares)), [f"{share:g}" for share in run.config.shares], fontsize=7)
    ax.set_yticks(range(len(layers))[::2], [str(layer) for layer in layers[::2]], fontsize=7)
    ax.grid(False)
    return image


def grid_rows(run: RunResult, layers: list[int], grid: np.ndarray, **about: object) -> list[dict[str, object]]:
    return [
        about | {"layer": layer, "share": share, "factor": float(grid[i, j])}
        for i, layer in enumerate(layers)
        for j, share in enumerate(run.config.shares)
    ]


def draw(runs: Runs) -> Artefact:
    """Left: every cut, on the prompts that choose. Right: what was chosen, on the prompts that judge."""
    run = runs["main"]
    config = run.config
    figure, (left, right) = new_figure(1, 2, width=9.6, height=3.9, width_ratios=(1, 1.35))
    layers, grid = ratio_grid(run)
    image = show_grid(left, run, layers, grid, limit=float(np.abs(np.log2(grid)).max()))
    figure.colorbar(image, ax=left).set_label('log2 of the factor on answer/"the"', fontsize=8)
    left.set(xlabel="share of the rank kept", ylabel="layer (from 1)", title="every cut, prompts that choose")
    rows = grid_rows(run, layers, grid, half="chosen on", edit="largest")
    kinds = {"largest directions": "edit", "random subspaces": "random"}
    kinds |= {"matrix scaled": "scaled", "matrix dropped": "dropped"}
    compared = {layer: truncated(run, layer) for layer in judged(run)}
    for place, (name, field) in enumerate(kinds.items()):
        found = {layer: gain(getattr(one, field), one.whole) for layer, one in compared.items()}
        low, high = (np.array([one.interval()[side] for one in found.values()]) for side in (0, 1))
        mean = np.array([one.mean for one in found.values()])
        if found:
            x = np.array(list(found)) + 0.15 * (place - 1.5)
            right.errorbar(x, mean, yerr=[mean - low, high - mean], fmt="o", ms=3, color=f"C{place}", label=name)
        rows += [
            {"half": "judged on", "layer": layer, "share": chosen_share(run, layer), "edit": name}
            | {"factor": one.mean, "low": one.interval()[0], "high": one.interval()[1]}
            for layer, one in found.items()
        ]
    ceiling(right, FACTOR, f"a factor of {FACTOR:g}")
    right.axhline(1.0, color="black", lw=0.8)
    right.set_yscale("log")
    right.set(xlabel="layer (from 1)", ylabel='factor on answer/"the"', title="chosen ranks, prompts that judge")
    legend(right, loc="upper left")
    letter((left, right))
    caption = (
        'Mean probability of the answer over that of "the", against the whole model\'s, after one cut. '
        f"{setting(run)}. "
        "Intervals (95%) are over prompts; a rank is chosen among those that leave the answer "
        f"{config.keeps:g} of its probability."
    )
    return Artefact(figure, columns(rows), caption)
