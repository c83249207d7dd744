"""The corrected formulas of the appendices, derived exactly from Table 2."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lemmata.core import Artefact, RunConfig, RunContext, RunOutput, Scale
from lemmata.core.legacy import Claim, Exact, Experiment, Results
from lemmata.report import plots

RED_TO_BLUE = "RdBu"  # red: does not follow; the wide range keeps both pale enough for dark words
WORDS = {"identity": "name", "printed": "printed", "corrected": "corrected"}


@dataclass(frozen=True, kw_only=True)
class SymbolicAlgebra(RunConfig):
    """Each formula derived with SymPy from Table 2, and whether the printed and the corrected form equal it."""

    kind: ClassVar[str] = "ic-recall/symbolic-algebra"
    version: ClassVar[int] = 1

    def execute(self, context: RunContext) -> RunOutput:
        # SymPy is slow to import, and listing or judging claims does not need it.
        from lemmata.papers.ic_recall.theory.symbolic_errata import IDENTITIES

        verdicts = []
        for done, identity in enumerate(IDENTITIES):
            context.progress("identities", done, len(IDENTITIES))
            verdicts.append(identity.verdicts())
        printed_ok, corrected_ok = np.array(verdicts).T
        words = {name: np.array([getattr(i, field) for i in IDENTITIES]) for name, field in WORDS.items()}
        return RunOutput({**words, "printed_ok": printed_ok, "corrected_ok": corrected_ok})


def _verdicts(results: Results, column: str) -> tuple[bool, ...]:
    return tuple(bool(x) for x in results.one(SymbolicAlgebra).metrics[column])


CLAIMS = (
    Claim(
        id="ic-recall/symbolic",
        locus="Appendices B and C, the formulas corrected elsewhere",
        statement="Every corrected form follows exactly from the six logits of Table 2: the difference between it and "
        "what SymPy derives is identically zero. The printed forms it replaces do not follow.",
        predict=lambda results: (True,) * len(_verdicts(results, "corrected_ok")),
        measure=lambda results: _verdicts(results, "corrected_ok"),
        control=lambda results: _verdicts(results, "printed_ok"),
        check=Exact(),
        remark="The control puts the printed forms in the corrected ones' place. Only d_2, which is printed right and "
        "listed for completeness, follows; every other one differs from the derivation at a rational point.",
    ),
)


def _render(results: Results) -> Artefact:
    metrics = results.one(SymbolicAlgebra).metrics
    follows = np.stack([metrics["printed_ok"], metrics["corrected_ok"]], axis=1).astype(bool)
    figure, ax = plots.new_figure(width=9.5, height=0.27 * len(follows) + 0.8)
    names = metrics["identity"].tolist()
    plots.heatmap(ax, follows, ["printed", "corrected"], names, fmt="", cmap=RED_TO_BLUE, vmin=-1, vmax=2)
    for (row, column), ok in np.ndenumerate(follows):
        words = str(metrics[("printed", "corrected")[column]][row])
        ax.text(column, row, f"{'✓' if ok else '✗'}  {words}", ha="center", va="center", fontsize=8)
    ax.set(xlabel="form", ylabel="formula")
    caption = (
        "Which form of each formula is what SymPy derives from Table 2: the difference is identically zero (✓) or not "
        "(✗). Exact algebra, no seeds; d_2 is printed right."
    )
    return Artefact(figure, dict(metrics), caption)


def _grid(scale: Scale) -> tuple[SymbolicAlgebra, ...]:
    return (SymbolicAlgebra(),)


EXPERIMENTS = (
    Experiment(
        id="ic-recall/symbolic",
        title="The corrected formulas, derived exactly from Table 2",
        grid=_grid,
        claims=CLAIMS,
        render=_render,
    ),
)
