"""The dilution of attention with length: predicted from sentences of two steps, measured on longer ones."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Undecided
from lemmata.core.legacy import AtMost, Claim, Close, Each, Experiment, Results
from lemmata.papers.lego.run.reasoners import TrainedReasoner, reasoners
from lemmata.papers.lego.theory.dilution import diluted, irrelevant, printed_bound, tolerated_length
from lemmata.report.plots import CYCLE, GREY, band, ceiling, legend, new_figure, panel_label

CLOSE = 0.1  # of eps itself: the law assumes equal irrelevant scores, training leaves them nearly so
CONSTANT = 2.0  # the printed O(1): any constant from 1 / (1 - eps) on follows from the law, and eps < 1/2 here
CONCENTRATED = 0.25  # eps^{2,2} above it: attention was not learned


def epsilons(run: RunResult, moment: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lengths, steps (first, middle, last) and eps [seed, point], for every length beyond two."""
    lengths, steps, values = [], [], []
    for i, length in enumerate(run.config.lengths):
        for step in (1, (length + 1) // 2, length) if length > 2 else ():
            lengths.append(length)
            steps.append(step)
            values.append(run.arrays[f"{moment}.epsilon"][:, i, step])
    return np.array(lengths), np.array(steps), np.array(values).T


def shortest(run: RunResult, moment: str = "two steps") -> np.ndarray:
    """eps^{2,2} of every seed."""
    return run.arrays[f"{moment}.epsilon"][:, run.config.lengths.index(2), 2]


def _unlearned(results: Results) -> Undecided | None:
    for run in results.where(TrainedReasoner):
        if run.arrays["one_step.value.accuracy"].min() < 1:
            return Undecided(f"{run.config.action}: one step is not learned at this scale")
        if shortest(run).max() > CONCENTRATED:
            return Undecided(f"{run.config.action}: attention is not concentrated at length 2 at this scale")
    return None


def _measured(results: Results, moment: str) -> dict[str, Any]:
    parts = [epsilons(run, moment)[2].mean(axis=0) for run in results.where(TrainedReasoner)]
    return dict.fromkeys(("law", "bound"), np.concatenate(parts))


def _predicted(results: Results) -> dict[str, Any]:
    law, bound = [], []
    for run in results.where(TrainedReasoner):
        lengths, steps, _ = epsilons(run, "two steps")
        known = shortest(run)[:, None]
        law.append(diluted(known, lengths, steps).mean(axis=0))
        bound.append(printed_bound(known, lengths, CONSTANT).mean(axis=0))
    return {"law": np.concatenate(law), "bound": np.concatenate(bound)}


DILUTION = Claim(
    id="lego/dilution-law",
    locus="Section 6.2.1, strong length generalization",
    statement="The attention that misses the two right clauses, eps, grows with length only because irrelevant clauses "
    "become more: eps^{L,l} is bounded by O(1) L / (O(1) L + 1/eps^{2,2}). Their scores stay near the initial ones, so "
    "the law is eps^{L,l} = N / (N + 2 (1 - eps^{2,2}) / eps^{2,2}) with N = L + l - 2. Rule, on models trained on two "
    "steps alone, first, middle and last step of every longer length: eps within 10% of the law, and below the bound "
    "with O(1) = 2. Control: the same models before attention was trained.",
    predict=_predicted,
    measure=lambda results: (
        dict.fromkeys(("law", "bound"), why) if (why := _unlearned(results)) else _measured(results, "two steps")
    ),
    control=lambda results: _measured(results, "one step"),
    check=Each({"law": Close(rtol=CLOSE), "bound": AtMost()}),
)


def draw(results: Results) -> Artefact:
    figure, (left, right) = new_figure(1, 2)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("action", "length", "step", "irrelevant", "measured", "law", "bound")
    }
    tolerated = []
    for run, colour in zip(results.where(TrainedReasoner), CYCLE, strict=False):
        name, known = run.config.action, shortest(run)
        lengths, steps, values = epsilons(run, "two steps")
        count = irrelevant(lengths, steps)
        order = np.argsort(count)
        predicted = diluted(known[:, None], lengths, steps)
        allowed = printed_bound(known[:, None], lengths, CONSTANT)
        left.plot(count[order], values.mean(axis=0)[order], "o", color=colour, markersize=4, label=f"{name}, measured")
        band(left, count[order], predicted[:, order], f"{name}, law", color=colour, linewidth=1)
        longest = tolerated_length(float(known.mean()), 0.5)
        tolerated.append(f"{name} {longest}")
        seeds = len(run.config.seeds)
        shape = (seeds, len(run.config.lengths))
        band(right, run.config.lengths, run.column("values", moment="two steps").reshape(shape), name, color=colour)
        if longest <= 2 * max(run.config.lengths):
            right.axvline(longest, color=colour, linestyle=":", linewidth=1)
        for column, entries in (
            ("action", [name] * len(lengths)),
            ("length", lengths),
            ("step", steps),
            ("irrelevant", count),
            ("measured", values.mean(axis=0)),
            ("law", predicted.mean(axis=0)),
            ("bound", allowed.mean(axis=0)),
        ):
            columns[column].extend(entries)
    ceiling(left, 0.5, "1/2", color=GREY)
    left.set(xscale="log", yscale="log", xlabel="irrelevant clauses N", ylabel="attention elsewhere, eps")
    _plain_ticks(left.xaxis, np.array([5, 10, 20, 40, 80]))
    _plain_ticks(left.yaxis, np.array([0.05, 0.1, 0.2, 0.5]))
    legend(left, fontsize=7)
    right.set(xscale="log", xlabel="length", ylabel="share with every value right", ylim=(-0.03, 1.05))
    made = results.where(TrainedReasoner).runs[0].config
    _plain_ticks(right.xaxis, np.array(made.lengths))
    legend(right, fontsize=7)
    panel_label(left, "a")
    panel_label(right, "b")
    caption = (
        "Models trained on two steps alone. a: attention on other clauses at the first, middle and last step of longer "
        f"sentences, against the law from length 2. b: accuracy, {made.sentences} sentences, bands over "
        f"{len(made.seeds)} seeds; dotted: the length at which eps of the last step reaches 1/2 by the law "
        f"({', '.join(tolerated)}); features of the form (17) then fall silent unless other clauses happen to agree."
    )
    return Artefact(figure, {name: np.array(values) for name, values in columns.items()}, caption)


def _plain_ticks(axis: Any, places: np.ndarray) -> None:
    axis.set_ticks(places, labels=[f"{place:g}" for place in places])
    axis.set_ticks([], minor=True)


EXPERIMENTS = (
    Experiment(
        id="lego/dilution",
        title="Attention dilutes with length",
        grid=reasoners,
        claims=(DILUTION,),
        render=draw,
    ),
)
