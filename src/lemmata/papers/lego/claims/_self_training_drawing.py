"""The drawing of `self_training`: accuracy by length after every stage and every control, and attention elsewhere."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, RunResult, Runs
from lemmata.papers.lego.claims._theory_runs import after, stages_of
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure, panel_label

SHADES = (COLOURS["vermillion"], COLOURS["orange"], COLOURS["yellow"], COLOURS["green"])
CONTROLS = {  # plan -> label, line
    "short": ("T², equal steps", ":"),
    "true": ("true labels, last stage", "--"),
    "T2 sum": ("T², sum", "-."),
}
COLUMNS = ("both", "values", "epsilon_worst_step")


class Curve(NamedTuple):
    label: str
    run: RunResult
    plan: str
    stage: int
    style: dict[str, str]


def stage_lengths(run: RunResult) -> list[tuple[str, int, int]]:
    """(plan, number, L_k) of F^(T_1), F^(T_2), ...: T^2 first, then the self-trained stages."""
    return [("T2", 1, 2), *(("self", i, s.length) for i, s in enumerate(stages_of(run, "self"), start=1))]


def curves(one: RunResult, other: RunResult) -> list[Curve]:
    """Every accuracy curve: the transitive action's, the symmetric one's by stage, and its controls."""
    found = [Curve(f"{one.config.action}, T²", one, "T2", len(stages_of(one, "T2")), {"color": COLOURS["blue"]})]
    name = other.config.action
    for i, (plan, number, length) in enumerate(stage_lengths(other)):
        label = f"{name}, T²" if plan == "T2" else f"{name}, self-trained to {length}"
        found.append(Curve(label, other, plan, number, {"color": SHADES[i % len(SHADES)]}))
    for plan in other.config.plans:
        if plan.name in CONTROLS:
            label, line = CONTROLS[plan.name]
            last = len(plan.stages) if plan.name == "true" else 1
            found.append(Curve(f"{name}, {label}", other, plan.name, last, {"color": "#555555", "linestyle": line}))
    return found


def draw(runs: Runs) -> Artefact:
    other = runs["symmetric"]
    figure, (left, right) = new_figure(1, 2, width=10.5, height=4.0)
    table: dict[str, list[Any]] = {name: [] for name in ("curve", "length", "seed", *COLUMNS)}
    for label, run, plan, stage, style in curves(runs["transitive"], other):
        where = {"plan": plan, "stage": stage}
        found = {name: run.column(name, **where) for name in ("length", "seed", *COLUMNS)}
        lengths = np.array(run.config.lengths)
        band(left, lengths, found["both"].reshape(-1, len(lengths)), label, **style)
        table["curve"] += [label] * len(found["length"])
        for name, values in found.items():
            table[name] += values.tolist()
    left.set(xlabel="length of the chain", ylabel="share with every clause right", ylim=(-0.03, 1.03), title="accuracy")
    ceiling(left, 1.0)
    legend(left, fontsize=6.5, loc="lower left")
    ticks: set[int] = set()
    for plan, colour in (("self", COLOURS["orange"]), ("long", COLOURS["purple"])):
        if any(p.name == plan for p in other.config.plans):
            stages = stages_of(other, plan)
            values = [after(other, plan, i, "epsilon_worst_step", s.length) for i, s in enumerate(stages, start=1)]
            label = f"{stages[-1].steps} steps a stage, rate {stages[-1].rate:g} |X|"
            band(right, [s.length for s in stages], np.array(values).T, label, color=colour, marker="o")
            ticks |= {s.length for s in stages}
    ceiling(right, 0.01, "0.01")
    right.set(xscale="log", yscale="log", xlabel="length 2^k of stage k", ylabel="ε at the worst step, after it")
    right.set_title("attention elsewhere")
    right.set_xticks(sorted(ticks), [str(tick) for tick in sorted(ticks)])
    right.minorticks_off()
    legend(right, fontsize=7)
    panel_label(left, "a")
    panel_label(right, "b")
    return Artefact(figure, table, _caption(other))


def _caption(run: RunResult) -> str:
    config = run.config
    ended = [
        f"{s.length} ({int(run.arrays[f'self.{i}.ended_by_loss'].sum())} of {len(config.seeds)} seeds by the loss, "
        f"labels {run.arrays[f'self.{i}.labels_right_mean'].min():.3f} right)"
        for i, s in enumerate(stages_of(run, "self"), start=1)
    ]
    return (
        f"Theory model, |X| = {config.variables}, m = {config.width}, C_B = {config.clip:g}; {len(config.seeds)} "
        f"seeds, {config.test_sentences} sentences each; bands are one standard deviation; the ceiling is 1. (a) "
        "Variables and values all right, teacher-forced or rolled out: it is the same. Dotted: T² alone for as many "
        "steps as all caps together; dashed: the same stages with true labels; dash-dotted: T² with the sum of both "
        "losses, as the transitive action. (b) Equation (19) at the stage's own length. "
        f"Stages ended: {', '.join(ended)}. The annotator of a stage is the model of the stage before, frozen."
    )
