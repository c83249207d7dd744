"""The run that derives the appendices' formulas with SymPy."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput


@dataclass(frozen=True, kw_only=True)
class SymbolicAlgebra(RunConfig):
    """Each formula in words, as printed and as corrected, and what SymPy derives from Table 2 in its place."""

    kind = "ic-recall/symbolic-algebra"

    def execute(self, context: RunContext) -> RunOutput:
        # SymPy is slow to import, and listing claims does not need it.
        from lemmata.papers.ic_recall.theory.symbolic_errata import DERIVATIONS

        rows = []
        for done, derive in enumerate(DERIVATIONS):
            context.progress("derivations", done, len(DERIVATIONS))
            rows += [(found.name, found.printed, found.corrected, str(list(found.derived))) for found in derive()]
        names = ("identity", "printed", "corrected", "derived")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
