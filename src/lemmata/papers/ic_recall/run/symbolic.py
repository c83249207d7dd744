"""The run that derives the appendices' formulas with SymPy."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput

WORDS = {"identity": "name", "printed": "printed", "corrected": "corrected"}


@dataclass(frozen=True, kw_only=True)
class SymbolicAlgebra(RunConfig):
    """Each formula derived with SymPy from Table 2, and whether the printed and the corrected form equal it."""

    kind = "ic-recall/symbolic-algebra"

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
