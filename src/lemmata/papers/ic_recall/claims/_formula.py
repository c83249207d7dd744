"""Claims that compare a printed formula with what autodiff says at a run's points; their corrections and figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata import core
from lemmata.report import plots

Reading = Callable[[core.RunResult], Any]
SOURCE = "the paper's text as converted from its PDF; a sign or an exponent lost there would be the conversion's"


def slip(
    severity: core.Severity, *, printed: str, right: str, reason: str, survives: str, root: str = "", latex: str = ""
) -> core.Correction:
    """A correction of this paper; `latex` where what the authors can paste is more than the right form."""
    return core.Correction(
        severity=severity,
        printed=printed,
        corrected=right,
        reason=reason,
        root=root,
        survives=survives,
        source=SOURCE,
        latex=latex or right,
    )


def formula(
    id: str,
    locus: str,
    statement: str,
    predict: Reading,
    measure: Reading,
    *,
    corrected: Reading | None = None,
    correction: core.Correction | None = None,
    along: Mapping[str, Reading | Sequence[Any]],  # the axes of what is measured
    remark: str = "",
    atol: float = 1e-10,  # float64 rounding, amplified by 1/T and by a few cancellations
    rtol: float = 1e-9,
) -> core.Claim:
    """A formula against autodiff in the run "main". The control is what autodiff says at other points (or rows)."""

    def of_main(reading: Reading) -> Callable[[core.Runs], Any]:
        return lambda runs: reading(runs["main"])

    axes = {name: of_main(labels) if callable(labels) else labels for name, labels in along.items()}
    return core.Claim(
        id=id,
        locus=locus,
        statement=statement,
        subject=of_main(lambda run: run),
        wrong=of_main(backwards),
        parts=core.Part(
            measure, core.near(of_main(predict), atol, rtol), corrected=of_main(corrected or predict), along=axes
        ),
        correction=correction,
        remark=remark,
    )


def points(run: core.RunResult) -> range:
    """The numbers of a run's random attention vectors."""
    return range(1, len(run.arrays["v"]) + 1)


def scores(letter: str, count: int = 6) -> list[str]:
    """`v_1` to `v_6`."""
    return [f"{letter}_{i}" for i in range(1, count + 1)]


def backwards(run: core.RunResult) -> core.RunResult:
    """The run with its rows (points, temperatures, worlds) in the opposite order: every number is another row's."""

    def turned(recorded: Mapping[str, np.ndarray]) -> core.Recorded:
        return core.Recorded({name: values[::-1] if np.ndim(values) else values for name, values in recorded.items()})

    return replace(run, metrics=turned(run.metrics), arrays=turned(run.arrays))


def formula_values(claim: core.Claim, runs: core.Runs) -> dict[str, np.ndarray]:
    """Entry by entry: what autodiff measures, what is printed, and the corrected form where there is one."""
    subject, rows = claim.subject(runs), list[dict[str, np.ndarray]]()
    for part in claim.named_parts().values():
        found = {"measured": part.read(subject), "printed": part.rule.expected(runs)}
        if claim.correction:
            found["corrected"] = part.if_corrected(found["printed"], runs)
        wide = np.broadcast_arrays(*(np.asarray(value, float) for value in found.values()))
        rows.append({name: np.ravel(value) for name, value in zip(found, wide, strict=True)})
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def formula_table(claims: Sequence[core.Claim], runs: core.Runs) -> dict[str, list[Any]]:
    values = {claim.id: formula_values(claim, runs) for claim in claims}
    return plots.joined([{"formula": [id] * len(one["measured"]), **one} for id, one in values.items()])


def draw_formula(ax: Axes, claim: core.Claim, runs: core.Runs) -> None:
    """The formula against autodiff, one mark an entry."""
    values = formula_values(claim, runs)
    measured = values.pop("measured")
    for (name, found), marker, colour in zip(values.items(), ("x", "."), plots.CYCLE[1::-1], strict=False):
        ax.plot(measured, found, marker, color=colour, label=name)
    ends = [measured.min(), measured.max()]
    ax.plot(ends, ends, color=plots.GREY, linewidth=0.8)
    ax.set(title=claim.id, xlabel="autodiff through the model", ylabel="formula")
    ax.locator_params(axis="x", nbins=6)
    plots.legend(ax)


def formulas(
    title: str,
    runs: Callable[[core.Scale], Mapping[str, core.RunConfig]],
    *drawn: core.Claim,
    beside: tuple[core.Claim, ...] = (),
) -> core.Experiment:
    """An experiment of such claims; what stands beside them is not drawn."""

    def draw(runs: core.Runs) -> core.Artefact:
        figure, axes = plots.new_figure(1, len(drawn), squeeze=False)
        for ax, claim in zip(axes[0], drawn, strict=True):
            draw_formula(ax, claim, runs)
        caption = (
            "Formulas entry by entry at random attention vectors, as printed and corrected, against automatic "
            "differentiation through the model in float64."
        )
        return core.Artefact(figure, formula_table(drawn, runs), caption)

    return core.Experiment(title=title, runs=runs, claims=(*drawn, *beside), draw=draw)
