"""Table 2: whether the printed losses at eight shots are distinguishable from chance."""

from lemmata.core import Claim, at_most
from lemmata.papers.association.claims._printed_table import MANY, gains, other_shots, printed_table, truncation

EXPERIMENT = printed_table(
    "Table 2: which losses at eight shots are more than chance",
    Claim(
        id="tab-2-eight-shots",
        locus="Section 4.2 and Table 2: worse in the standard 8-shot setting",
        statement="LASER lowers the accuracy on GSM8K in the standard 8-shot setting, for each of the three models and "
        "on average over them. Judged is whether the printed losses are beyond what the number of questions leaves to "
        "chance.",
        subject=lambda runs: truncation(runs, (MANY,)),
        wrong=lambda runs: other_shots(runs, ((1, MANY),)),  # seven more shots in the place of truncation
        parts=gains(at_most, (MANY,)),
        remark="At four shots, of which the text does not speak, all three printed changes are losses too.",
    ),
)
