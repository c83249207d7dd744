"""Whose the settings of a verdict are: said by the claim, or read from where the paper says it and from the runs."""

import re
from collections.abc import Callable, Mapping
from functools import cache

from lemmata.core.claim import Claim
from lemmata.core.config import described
from lemmata.core.experiment import Experiment
from lemmata.core.run import RunConfig
from lemmata.core.scale import Scale, ScaleName

EXACT = "exact"  # setting, metric and size are the paper's, or a theorem's hypotheses hold
BEYOND = "the statement, which goes beyond the paper"
OF_THEORY = re.compile(
    r"\b(Theorem|Lemma|Proposition|Prop\.|Corollary|Assumption|Claim|Remark|[Ee]qs?\.|[Ee]quations?|Algorithm)\b|\(\d+\)"
)
MANY = 3  # sizes that are named
NO_SIZES = {"seeds", "seed", "replication"}


def protocol_of(claim: Claim, experiment: Experiment, scale: Scale) -> str:
    """`exact`, or what is ours: of a statement of theory its hypotheses count, of an observation its sizes too."""
    if ours := claim.protocol.at(scale):
        return ours
    if "beyond the paper" in claim.locus.lower():
        return BEYOND
    if OF_THEORY.search(claim.locus) or scale.name == "paper":
        return EXACT
    smaller = _sizes_of_ours(experiment.runs, scale.name)
    more = f" and {len(smaller) - MANY} more" if len(smaller) > MANY else ""
    return f"{', '.join(smaller[:MANY])}{more}: not the paper's size" if smaller else EXACT


@cache
def _sizes_of_ours(runs: Callable[[Scale], Mapping[str, RunConfig]], scale: ScaleName) -> list[str]:
    """The keys of an experiment's runs that have other values at the paper's scale."""
    here, paper = runs(Scale(scale)), runs(Scale("paper"))
    found: dict[str, None] = {}
    for name, run in here.items():
        if name not in paper or type(paper[name]) is not type(run):
            found["the runs"] = None
            continue
        theirs = {key: value for key, _, value in described(paper[name])}
        found |= {key: None for key, _, value in described(run) if theirs.get(key, value) != value}
    return [key for key in found if key.rpartition(".")[2] not in NO_SIZES]
