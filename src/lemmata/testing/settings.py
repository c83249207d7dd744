"""Whether what a claim says of its settings can be true: the phrases it rewords, and the runs its rule is bound to."""

from collections.abc import Iterator

from lemmata.core import Claim, Experiment, OutsideSetting, Scale
from lemmata.core.condition import each_condition
from lemmata.core.scale import SCALES


def setting_problems(experiment: Experiment, claim: Claim) -> Iterator[str]:
    """Phrases that are not in the claim's text, runs that no scale has, and rules without a meaning at a scale."""
    text = "\n".join([claim.statement, *claim.named_parts()])
    for phrase in claim.wording:
        if phrase not in text:
            yield f"{claim.id}: its wording has {phrase!r}, and its text has not"
    at_scale = {scale: experiment.runs(Scale(scale)) for scale in SCALES}
    for name, condition in each_condition(claim.needs):
        if condition.reads == "result":
            continue
        mine = [
            (scale, config)
            for scale, runs in at_scale.items()
            for full, config in runs.items()
            if full == name or full.startswith(f"{name}/")
        ]
        if not mine:
            yield f"{claim.id}: its rule is bound to {name!r}, and no scale has such a run"
        for scale, config in mine:
            if scale != "smoke" and isinstance(why := condition(config), OutsideSetting):
                yield f"{claim.id}: at scale {scale} its rule has no meaning: {why.why}"
    for phrase, word in claim.wording.items():
        if "None" in word(at_scale["paper"]):
            yield f"{claim.id}: nothing in its runs gives the words for {phrase!r}"
