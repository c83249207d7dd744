"""The dilution of attention with length: predicted from sentences of two steps, measured on longer ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_most, near
from lemmata.papers.lego.claims._reasoners import symmetric_reasoner, transitive_reasoner
from lemmata.papers.lego.run.reasoners import TrainedReasoner
from lemmata.papers.lego.theory.dilution import diluted, irrelevant, printed_bound, tolerated_length
from lemmata.report.plots import CYCLE, GREY, band, ceiling, joined, legend, letter, new_figure

CLOSE = 0.1  # of eps itself: the law assumes equal irrelevant scores, training leaves them nearly so
CONSTANT = 2.0  # the printed O(1): any constant from 1 / (1 - eps) on follows from the law, and eps < 1/2 here
CONCENTRATED = 0.25  # eps^{2,2} above it: attention was not learned


def reasoners(scale: Scale) -> dict[str, TrainedReasoner]:
    symmetric = {"reasoner/symmetric": symmetric_reasoner(scale)}
    return symmetric if scale.name == "smoke" else {"reasoner/transitive": transitive_reasoner(scale), **symmetric}


def dilution(run: RunResult, moment: str) -> dict[str, np.ndarray]:
    """At the first, middle and last step of every length beyond two: eps of the model at a moment, and what follows
    from its eps^{2,2} after training on two steps; [seed, point]."""
    points = [
        (place, length, step)
        for place, length in enumerate(run.config.lengths)
        for step in ((1, (length + 1) // 2, length) if length > 2 else ())
    ]
    if not points:
        raise Undecided("no length beyond two is read")
    places, lengths, steps = np.array(points).T
    known = shortest(run)[:, None]
    return {
        "irrelevant": irrelevant(lengths, steps),
        "length": lengths,
        "step": steps,
        "measured": run.arrays[f"{moment}.epsilon"][:, places, steps],
        "law": diluted(known, lengths, steps),
        "bound": printed_bound(known, lengths, CONSTANT),
    }


def shortest(run: RunResult) -> np.ndarray:
    """eps^{2,2} of every seed."""
    return run.arrays["two steps.epsilon"][:, run.config.lengths.index(2), 2]


def concentrated(run: RunResult) -> str | None:
    if run.arrays["one_step.value.accuracy"].min() < 1:
        return f"{run.config.action}: one step is not learned at this scale"
    if not shortest(run).max() <= CONCENTRATED:
        return f"{run.config.action}: attention is not concentrated at length 2 at this scale"
    return None


def mean(name: str, moment: str = "two steps") -> Callable[[Runs], np.ndarray]:
    """A column's means over seeds, for all actions."""
    return lambda runs: np.concatenate(
        [dilution(run, moment)[name].mean(axis=0) for run in runs.group("reasoner").values()]
    )


DILUTION = Claim(
    id="dilution-law",
    locus="Section 6.2.1, strong length generalization",
    statement="The attention that misses the two right clauses, eps, grows with length only because irrelevant clauses "
    "become more: eps^{L,l} is bounded by O(1) L / (O(1) L + 1/eps^{2,2}), here with O(1) = 2. Their scores stay near "
    "the initial ones, so the law is eps^{L,l} = N / (N + 2 (1 - eps^{2,2}) / eps^{2,2}) with N = L + l - 2. Models "
    "trained on two steps alone; first, middle and last step of every longer length. Control: the same models before "
    "attention was trained.",
    subject=mean("measured"),
    wrong=mean("measured", moment="one step"),
    parts={"law": Part(np.asarray, near(mean("law"), rtol=CLOSE)), "bound": Part(np.asarray, at_most(mean("bound")))},
)


def draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2)
    tables, tolerated = [], []
    reasoners = list(runs.group("reasoner").values())
    for run, colour in zip(reasoners, CYCLE, strict=False):
        config, known, found = run.config, float(shortest(run).mean()), dilution(run, "two steps")
        means = {name: values if values.ndim == 1 else values.mean(axis=0) for name, values in found.items()}
        tables.append({"action": [config.action] * len(found["step"]), **means})
        order = np.argsort(found["irrelevant"])
        count, seen = found["irrelevant"][order], means["measured"][order]
        left.plot(count, seen, "o", color=colour, markersize=4, label=f"{config.action}, measured")
        band(left, count, found["law"][:, order], f"{config.action}, law", color=colour, linewidth=1)
        accuracy = run.column("values", moment="two steps").reshape(len(config.seeds), -1)
        band(right, config.lengths, accuracy, config.action, color=colour)
        if 0 < known < 1:
            longest = tolerated_length(known, 0.5)
            tolerated.append(f"{config.action} {longest}")
            if longest <= 2 * max(config.lengths):
                right.axvline(longest, color=colour, linestyle=":", linewidth=1)
    made = reasoners[0].config
    ceiling(left, 0.5, "1/2", color=GREY)
    left.set(xscale="log", yscale="log", xlabel="irrelevant clauses N", ylabel="attention elsewhere, eps")
    _plain_ticks(left.xaxis, (5, 10, 20, 40, 80))
    _plain_ticks(left.yaxis, (0.05, 0.1, 0.2, 0.5))
    right.set(xscale="log", xlabel="length", ylabel="share with every value right", ylim=(-0.03, 1.05))
    _plain_ticks(right.xaxis, made.lengths)
    legend(left, fontsize=7)
    legend(right, fontsize=7)
    letter((left, right))
    caption = (
        "Models trained on two steps alone. a: attention on other clauses at the first, middle and last step of longer "
        f"sentences, against the law from length 2. b: accuracy, {made.sentences} sentences, bands over "
        f"{len(made.seeds)} seeds; dotted: the length at which eps of the last step reaches 1/2 by the law "
        f"({', '.join(tolerated)}); features of the form (17) then fall silent unless other clauses happen to agree."
    )
    return Artefact(figure, joined(tables), caption)


def _plain_ticks(axis: Any, places: tuple[float, ...]) -> None:
    axis.set_ticks(places, labels=[f"{place:g}" for place in places])
    axis.set_ticks([], minor=True)


EXPERIMENT = Experiment(
    title="Attention dilutes with length",
    runs=reasoners,
    needs={"reasoner": concentrated},
    claims=(DILUTION,),
    draw=draw,
)
