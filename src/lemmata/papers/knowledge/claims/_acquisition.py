"""The run that is about the end of pre-training, and when that end has been reached."""

from dataclasses import replace

from lemmata.core import RunResult, Scale
from lemmata.papers.knowledge.run.training import Extraction, setting

STILL_FALLING = 0.03  # nats, in the last quarter of the steps


def acquisition_run(scale: Scale) -> Extraction:
    """Longer than the extraction runs, on fewer facts at laptop scale."""
    base = setting(scale)
    subjects = scale.pick(smoke=base.facts.subjects, laptop=100, paper=base.facts.subjects)
    longer = scale.pick(smoke={}, laptop={"steps": 4000, "records": 16}, paper={"records": 16})
    pretraining = replace(base.pretraining, **longer)
    return replace(base, facts=replace(base.facts, subjects=subjects), pretraining=pretraining)


def finished(run: RunResult) -> str | None:
    loss = run.arrays["pretraining.full_loss"].mean(axis=0)
    fall = float(loss[3 * (len(loss) - 1) // 4] - loss[-1])
    if fall <= STILL_FALLING:
        return None
    return f"the loss fell by {fall:.2f} nats in the last quarter of pre-training: it is not finished"
