"""Figure 4: three panels (facts asked, relations covered, rank), seeds as dots, means with their intervals."""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Runs, Seeds, Undecided
from lemmata.papers.knowledge.claims._drawing import finish
from lemmata.papers.knowledge.claims._popqa_answers import Answers
from lemmata.report.plots import COLOURS, GREY, columns, new_figure


def points(ax: Axes, x: float, values: np.ndarray, colour: str, label: str | None = None) -> dict[str, float]:
    """A seed a dot, their mean, and its 95% interval."""
    sample = Seeds(values)
    low, high = (float(end) for end in sample.interval())
    mean = float(sample.mean)
    ax.plot(np.full(len(values), x), values, ".", color=colour, alpha=0.45, markersize=4)
    reach = [[mean - max(low, 0.0)], [min(high, 1.0) - mean]]
    ax.errorbar(x, mean, reach, fmt="o", color=colour, capsize=3, markersize=5, label=label)
    return {"mean": mean, "low": low, "high": high, "seeds": len(values)}


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, rows = run.config, []
    figure, axes = new_figure(1, 3, sharey=True)

    def note(panel: int, x: float, what: str, colour: str, read: Callable[[], np.ndarray]) -> None:
        named = what not in axes[panel].get_legend_handles_labels()[1]
        try:
            found = points(axes[panel], x, read(), COLOURS.get(colour, GREY), what if named else None)
        except Undecided as missing:
            found = {"mean": float("nan"), "low": float("nan"), "high": float("nan"), "seeds": 0, "why": missing.reason}
        rows.append({"panel": "abc"[panel], "at": x, "what": what, "why": "", **found})

    true, wrong = Answers(run), Answers(run, shuffled=True)
    numbers, most = sorted(config.facts), max(config.facts)
    for place, count in enumerate((0, *numbers)):
        note(0, place, "true answers", "blue", partial(true.match, facts=count))
    for count in dict.fromkeys((numbers[0], most)):
        note(0, 1.15 + numbers.index(count), "answers shuffled", "orange", partial(wrong.match, facts=count))
    axes[0].set_xticks(range(len(numbers) + 1), ["none", *map(str, numbers)])
    axes[0].set(xlabel="facts asked, all relations covered", ylabel="exact match, held-out stored facts")
    sizes = sorted(config.relations)
    for place, count in enumerate((*sizes, 0)):
        note(1, place, "all relations", "grey", partial(true.match, facts=config.equal_facts, relations=count))
        for side, (name, colour) in enumerate((("covered", "blue"), ("uncovered", "vermillion")) if count else ()):
            note(1, place + 0.15 * (1 + side), name, colour, lambda c=count, s=side: true.sides(c)[s])
    axes[1].set_xticks(range(len(sizes) + 1), [*map(str, sizes), "all"])
    axes[1].set(xlabel=f"relations covered, {config.equal_facts} facts asked")
    ranks = sorted({config.rank, *config.ranks}, key=lambda rank: (rank == 0, rank))  # 0: every weight
    for place, rank in enumerate(ranks):
        note(2, place, "true answers", "green", partial(true.match, facts=most, rank=rank))
    axes[2].set_xticks(range(len(ranks)), [str(rank) if rank else "full" for rank in ranks])
    axes[2].set(xlabel=f"rank of LoRA, {most} facts asked", ylim=(-0.03, 1.05))
    finish(axes, fontsize=7, loc="best")
    known, looked = run.arrays["stored"], run.arrays["looked_at"]
    caption = (
        f"{config.model} on PopQA: exact match on facts of held-out subjects that it has stored ({known.sum()} of "
        f"{looked.sum()} facts: those it answers after {config.shots} demonstrations of the relation). The ceiling is "
        f"1. {config.steps} steps of {config.batch} questions, rank {config.rank} in (a) and (b). Dots are seeds, bars "
        f"95% intervals of the mean of {len(config.seeds)}. Each relation is covered once and left out once in (b)."
    )
    return Artefact(figure, columns(rows), caption)
