"""Table 2: which of the printed gains at one and two shots are distinguishable from chance."""

import numpy as np

from lemmata.core import Claim, RunResult, Runs, at_least
from lemmata.papers.association.claims._printed_table import FEW, gains, other_shots, printed_table, truncation
from lemmata.papers.association.run.printed_accuracies import Z


def few(run: RunResult) -> np.ndarray:
    """The rows of one and two shots."""
    return np.isin(run.column("shots"), FEW)


def distinguishable(runs: Runs) -> str:
    """Which gains are, and what the same answers, paired, could show."""
    run = runs["printed"]
    z, names = run.column("z"), run.config.models
    found = [
        f"{names[model]} at {shots} shot{'s' if shots > 1 else ''} (z = {one:.1f})"
        for model, shots, one in zip(run.column("model"), run.column("shots"), z, strict=True)
        if shots in FEW and one > Z
    ]
    rest = z[few(run) & (z <= Z)]
    allowed = run.column("most_changed")[few(run) & (z <= Z)]
    words = [f"Of {few(run).sum()} printed gains {len(found)} can be told from chance: {', '.join(found) or 'none'}."]
    if rest.size:
        share = allowed / run.config.questions
        words.append(
            f"The others have z of {rest.min():.1f} to {rest.max():.1f}. They are not refuted: both models answered "
            "the same questions, and a paired comparison, which needs every answer, would tell a gain from chance "
            f"if truncation changed the outcome of at most {allowed.min():.0f} to {allowed.max():.0f} questions "
            f"({share.min():.1%} to {share.max():.1%}), the fewer the smaller the gain."
        )
    return " ".join(words)


EXPERIMENT = printed_table(
    "Table 2: which gains at few shots are more than chance",
    Claim(
        id="tab-2-significance",
        locus="Section 4.2 and Table 2: improves when only using 1 or 2 shots",
        statement="LASER improves the few-shot chain-of-thought accuracy on GSM8K at one and at two shots, for each of "
        "the three models and on average over them. Judged is whether the printed gains are beyond what the number of "
        "questions leaves to chance.",
        subject=lambda runs: truncation(runs, FEW),
        wrong=lambda runs: other_shots(runs, ((2, 1), (4, 2))),  # half the shots, in the place of truncation
        parts=gains(at_least, FEW),
        remark=distinguishable,
    ),
)
