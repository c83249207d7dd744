"""The dilution of attention with length: predicted from sentences of two steps, measured on longer ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, TooShort, Undecided, of_result
from lemmata.core.rule import at_most, near
from lemmata.papers.lego.claims._theory_runs import AfterStage, converged, last_stage, symmetric_run, transitive_run
from lemmata.papers.lego.theory.dilution import diluted, irrelevant, printed_bound, tolerated_length
from lemmata.report.plots import CYCLE, GREY, band, ceiling, joined, legend, letter, new_figure

CLOSE = 0.1  # of eps itself: the law assumes equal irrelevant scores, training leaves them nearly so
CONSTANT = 2.0  # the printed O(1): any constant from 1 / (1 - eps) on follows from the law, and eps < 1/2 here
CONCENTRATED = 0.25  # of eps^{2,2} at most, half of uniform attention's 1/2: else there is nothing yet to dilute


def dilution(known: AfterStage, read: AfterStage) -> dict[str, np.ndarray]:
    """At the first, middle and last step of every length beyond two: eps of the model that is read, and what follows
    from eps^{2,2} of the one that is known; [seed, point]."""
    points = [
        (length, step)
        for length in read.run.config.lengths
        for step in ((1, (length + 1) // 2, length) if length > 2 else ())
    ]
    if not points:
        raise Undecided("no length beyond two is read")
    lengths, steps = np.array(points).T
    start = known.elsewhere(2, 2)[:, None]
    return {
        "irrelevant": irrelevant(lengths, steps),
        "length": lengths,
        "step": steps,
        "measured": np.array([read.elsewhere(*point) for point in points]).T,
        "law": diluted(start, lengths, steps),
        "bound": printed_bound(start, lengths, CONSTANT),
    }


def two_steps(runs: Runs) -> list[AfterStage]:
    return [last_stage(run, "T2") for run in runs.values()]


@of_result
def concentrated(run: RunResult) -> Undecided | None:
    start = float(last_stage(run, "T2").elsewhere(2, 2).max())
    loose = f"{run.config.action}: attention is not concentrated at length 2 at this scale"
    return converged(run) or (None if start <= CONCENTRATED else TooShort(loose))


def mean(name: str, later: Callable[[AfterStage], AfterStage] = lambda model: model) -> Callable[[Runs], np.ndarray]:
    """A column's means over seeds, for both actions; `later` reads another model in the place of each."""
    return lambda runs: np.concatenate([dilution(m, later(m))[name].mean(axis=0) for m in two_steps(runs)])


def at_first(model: AfterStage) -> AfterStage:
    """The same training after its first stage, where attention is looser."""
    return AfterStage(model.run, model.plan, 1)


def _points(runs: Runs) -> list[dict[str, Any]]:
    found = []
    for model in two_steps(runs):
        read = dilution(model, model)
        places = zip(read["length"], read["step"], strict=True)
        found += [{"action": model.run.config.action, "L": length, "l": step} for length, step in places]
    return found


BY_POINT = {"point": _points}

DILUTION = Claim(
    id="dilution-law",
    locus="Section 6.2.1, strong length generalization",
    uses=("thm-4.1-attention",),
    statement="After training on two steps (of simply transitive actions in the paper, here of both families) "
    r"irrelevant clauses alone dilute the attention of longer sentences: $\varepsilon^{L,\ell} \le O(1) L / (O(1) L + "
    r"1/\varepsilon^{2,2})$. Judged with $O(1) = 2$ at the first, middle and last step of every longer length, as is "
    r"the law behind it, of equal irrelevant scores: $\varepsilon^{L,\ell} = N / (N + 2(1 - "
    r"\varepsilon^{2,2})/\varepsilon^{2,2})$ with $N = L + \ell - 2$. Control: earlier in the same training, against "
    "the law from its end.",
    subject=mean("measured"),
    wrong=mean("measured", later=at_first),
    parts={
        "law": Part(np.asarray, near(mean("law"), rtol=CLOSE), along=BY_POINT),
        "bound": Part(np.asarray, at_most(mean("bound")), along=BY_POINT),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2)
    tables, tolerated = [], []
    for model, colour in zip(two_steps(runs), CYCLE, strict=False):
        config, known, found = model.run.config, float(model.elsewhere(2, 2).mean()), dilution(model, model)
        means = {name: values if values.ndim == 1 else values.mean(axis=0) for name, values in found.items()}
        tables.append({"action": [config.action] * len(found["step"]), **means})
        order = np.argsort(found["irrelevant"])
        count, seen = found["irrelevant"][order], means["measured"][order]
        left.plot(count, seen, "o", color=colour, markersize=4, label=f"{config.action}, measured")
        band(left, count, found["law"][:, order], f"{config.action}, law", color=colour, linewidth=1)
        for measure, line in (("value_probability", "-"), ("values", ":")):
            values = model.column(measure).reshape(len(config.seeds), -1)
            label = f"{config.action}, {'probability' if line == '-' else 'every argmax right'}"
            band(right, config.lengths, values, label, color=colour, linestyle=line)
        if 0 < known < 1:
            longest = tolerated_length(known, 0.5)
            tolerated.append(f"{config.action} {longest}")
            if longest <= 2 * max(config.lengths):
                right.axvline(longest, color=colour, linestyle="--", linewidth=0.8)
    made = runs["symmetric"].config
    ceiling(left, 0.5, "1/2", color=GREY)
    left.set(xscale="log", yscale="log", xlabel="irrelevant clauses N", ylabel="attention elsewhere, eps")
    _plain_ticks(left.xaxis, (5, 10, 20, 40, 80))
    _plain_ticks(left.yaxis, (0.01, 0.05, 0.1, 0.2, 0.5))
    right.set(xscale="log", xlabel="length", ylabel="of the next value", ylim=(-0.03, 1.05))
    _plain_ticks(right.xaxis, made.lengths)
    legend(left, fontsize=7)
    legend(right, fontsize=7)
    letter((left, right))
    caption = (
        "Models trained on two steps alone. a: attention on other clauses at the first, middle and last step of longer "
        f"sentences, against the law from length 2. b: {made.test_sentences} sentences, bands over {len(made.seeds)} "
        f"seeds; dashed: the length at which eps of the last step reaches 1/2 by the law "
        f"({', '.join(tolerated)}); features of the form (17) then fall silent unless other clauses happen to agree."
    )
    return Artefact(figure, joined(tables), caption)


def _plain_ticks(axis: Any, places: tuple[float, ...]) -> None:
    axis.set_ticks(places, labels=[f"{place:g}" for place in places])
    axis.set_ticks([], minor=True)


EXPERIMENT = Experiment(
    title="Attention dilutes with length",
    runs=lambda scale: {"transitive": transitive_run(scale), "symmetric": symmetric_run(scale)},
    needs={"transitive": concentrated, "symmetric": concentrated},
    claims=(DILUTION,),
    draw=draw,
)
