"""The run that derives the appendices' formulas with SymPy."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput


@dataclass(frozen=True, kw_only=True)
class SymbolicAlgebra(RunConfig):
    """Each formula derived with SymPy from Table 2, and whether the printed and the corrected form equal it."""

    kind = "ic-recall/symbolic-algebra"

    def execute(self, context: RunContext) -> RunOutput:
        # SymPy is slow to import, and listing or judging claims does not need it.
        from lemmata.papers.ic_recall.theory.symbolic_errata import DERIVATIONS

        rows = []
        for done, derive in enumerate(DERIVATIONS):
            context.progress("derivations", done, len(DERIVATIONS))
            rows += [(found.name, found.printed, found.corrected, *found.verdicts()) for found in derive()]
        names = ("identity", "printed", "corrected", "printed_ok", "corrected_ok")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
