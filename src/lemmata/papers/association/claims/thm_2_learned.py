"""Theorem 2 with the value matrix that training leaves: the first gap's sign at the ends of α's range."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, Scale
from lemmata.core.rule import exactly
from lemmata.papers.association.claims._attention_gaps import ADMITTED, Gaps, sign
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.attention_gaps import KeyGradients
from lemmata.papers.association.sizes import AttentionGaps

ALPHAS = (0.1, 0.38)  # the ends of what Assumption F.1 admits
GROUPS = {"learned": "ȳ in [N]", "learned, ȳ ≠ q": "ȳ ≠ q"}


def runs(scale: Scale) -> dict[str, KeyGradients]:
    seeds, batch = unseen(scale, AttentionGaps.LEARNED_SEEDS), AttentionGaps.BATCH.at(scale)
    settings = {"seeds": seeds, "values": "learned", "phase_two": 8, "batch": batch}
    return {
        f"{group}/{alpha:g}": KeyGradients(alpha=alpha, exclude_trigger=group != "learned", **settings)
        for group in GROUPS
        for alpha in ALPHAS
    }


def first_signs(group: dict[str, RunResult]) -> tuple[int, ...]:
    """Of the first gap for each α."""
    return tuple(sign(Gaps(run).first()) for run in group.values())


def draw(runs: Runs) -> Artefact:
    curves = {}
    for name, label in GROUPS.items():
        group = runs.group(name).values()
        curves[label] = [run.config.alpha for run in group], np.stack([Gaps(run).first() for run in group], axis=1)
    caption = "Theorem 2's first gap after phase 2 as it is, over batches."
    return draw_curves(curves, caption, at=(0.0,), marker="o", xlabel="α", ylabel="first gap · N²/(1-α)²")


EXPERIMENT = Experiment(
    title="Theorem 2 with the W_V that training leaves",
    runs=runs,
    claims=(
        Claim(
            id="thm-2-learned",
            locus="Theorem 2, with the W_V that training leaves",
            statement=r"Under Assumption F.1, for every $\alpha \le 1.5 - \sqrt{5}/2$, the first step of $W_{QK}$ "
            r"gives $\xi_{q \to j} > \xi_{q \to N+1}$ when $W_V$ is what a gradient step under the same assumption "
            r"leaves. Judged is the sign of the gap, in the mean over $j \ne q$, at both ends of $\alpha$'s range.",
            needs={"learned": ADMITTED},
            subject=lambda runs: first_signs(runs.group("learned")),
            wrong=lambda runs: first_signs(runs.group("learned, ȳ ≠ q")),
            parts=Part(
                lambda found: found,
                exactly(lambda runs: (1,) * len(runs.group("learned"))),
                corrected=lambda runs: (-1,) * len(runs.group("learned")),
                along={"α": lambda runs: [run.config.alpha for run in runs.group("learned").values()]},
            ),
            correction=Correction(
                severity="statement",
                printed=r"positive for every $\alpha \le 1.5 - \sqrt{5}/2$",
                corrected=r"negative for every $\alpha \le 1.5 - \sqrt{5}/2$; positive for all of them with "
                r"$\bar y \ne q$",
                reason=r"Beside the diagonal, $W_V$ gets a row for the output $q$ (a context with $\bar y = q$ shows "
                r"$q$ and $N+1$ $1/\alpha$ times as often), and this row sends $W_{QK}$ to the noise.",
                root="thm-2",
                survives=r"The theorem for data with $\bar y \ne q$, at every $\alpha$ that Assumption F.1 admits.",
                source=SOURCE,
                latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$.",
            ),
            remark=r"The condition $\alpha\beta_1 > (1-\alpha)\beta_2$ of the corrected Theorem 2 is met by no "
            r"$\alpha < 1/2$, because $\beta_1 = \beta_2$.",
        ),
    ),
    draw=draw,
)
