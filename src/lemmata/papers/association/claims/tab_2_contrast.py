"""Table 2: whether truncation does more at few shots than at eight."""

import numpy as np

from lemmata.core import Claim, Part, at_least
from lemmata.papers.association.claims._printed_table import (
    FEW,
    MANY,
    Change,
    first_over_second,
    other_shots,
    printed_table,
    truncation,
)


def without_the_largest(change: Change) -> str:
    """What is left of the contrast when the one gain that carries most of it is left out."""
    kept = np.delete(np.arange(len(change.before[0])), np.argmax(change.after[0] - change.before[0]))
    before, after = ((groups[0][kept], groups[1]) for groups in (change.before, change.after))
    rest = first_over_second(Change(before, after, change.questions))
    low, high = rest.interval()
    return (
        f"Without the largest gain {100 * rest.mean:.1f} points are left (95% interval {100 * low:.1f} to "
        f"{100 * high:.1f}). The accuracies are taken as independent, though their questions are the same."
    )


EXPERIMENT = printed_table(
    "Table 2: truncation at few shots against eight",
    Claim(
        id="tab-2-contrast",
        locus="Table 2, caption: improves in few-shot settings while it is worse with eight shots",
        statement="LASER does more for the accuracy on GSM8K at one and two shots than at eight, on average over the "
        "three models. Judged is the printed contrast against what the number of questions leaves to chance.",
        subject=lambda runs: truncation(runs, FEW, (MANY,)),
        wrong=lambda runs: other_shots(runs, ((2, 1), (4, 2)), ((MANY, 4),)),  # half the shots: worst where few
        parts={
            "mean gain at 1 and 2 shots - at 8": Part(first_over_second, at_least(0, over_seeds=True, unit="questions"))
        },
        remark=lambda runs: without_the_largest(truncation(runs, FEW, (MANY,))),
    ),
)
