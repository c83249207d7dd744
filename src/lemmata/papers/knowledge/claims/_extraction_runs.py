"""The runs of the paper's experiments: AdamW pre-trains and the last token asks."""

from dataclasses import replace

from lemmata.core import Scale
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.run.finetuning import DescentConfig
from lemmata.papers.knowledge.run.training import Extraction, base_cell


def main_run(scale: Scale) -> Extraction:
    """The base cell of every scale, with one fine-tuning by gradient descent."""
    base = base_cell(scale)
    return replace(
        base,
        model=replace(base.model, neuron_start=sizes.EXTRACTION_NEURON_START.at(scale)),
        pretraining=replace(base.pretraining, steps=sizes.EXTRACTION_STEPS.at(scale)),
        tuning=replace(base.tuning, descent=DescentConfig()),
    )


def uniform_run(scale: Scale) -> Extraction:
    """The same with attention that does not learn, in half of the seeds."""
    base = main_run(scale)
    half = base.seeds[: max(1, len(base.seeds) // 2)]
    return replace(base, model=replace(base.model, attention="uniform"), seeds=half)
