"""What is proved of Theorem 3: an experiment that proves a statement, and a wrong one as its control."""

from typing import Any

from lemmata.core import Experiment
from lemmata.proofs import ProofRun, proved_by, table_of_proofs


def proved(
    name: str, right: ProofRun, wrong: ProofRun, says: dict[str, Any], *, title: str, **words: Any
) -> Experiment:
    return Experiment(
        title=title,
        runs=lambda scale: {name: right, f"wrong/{name}": wrong},
        claims=(proved_by(name, says, **words),),
        draw=table_of_proofs,
        extra="proofs",
    )
