"""What the model says in place of a fact that fine-tuning does not reach."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Runs, at_least
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._covering import DESCENT, SIDES, Covering, covering_run, described
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.probe.covering import KINDS, failures
from lemmata.report.plots import CYCLE, columns, legend, new_figure

HALLUCINATION = Claim(
    id="hallucination-regime",
    locus="Abstract: insufficient coverage leaves facts stored but inaccessible, a stylized mechanism of "
    "hallucination; what is said instead is ours",
    statement="Facts of uncovered templates that fine-tuning by gradient descent does not reach are stored but "
    "inaccessible: their sentences $[o\\,s_j\\,r_i]$ give $a_j$. Their questions $[o\\,s_j\\,p]$ get $r_i$, the token "
    "that followed the subject in pre-training, which is our reading of hallucination. Judged: shares of those "
    "failures, means over the seeds that have some.",
    subject=lambda runs: Covering(runs["main"], DESCENT),
    wrong=lambda runs: Covering(runs["main"], None),  # before fine-tuning no question is understood
    parts={
        "stored": share_over_seeds(lambda found: found.stored, at_least(0.9)),
        "answered with its own relation": share_over_seeds(lambda found: found.own, at_least(0.5)),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=5.4)
    rows = []
    for place, group in enumerate(SIDES):
        bottom, shares = 0.0, np.nan_to_num(failures(runs["main"], covered=group == "covered")).T
        for kind, share, colour in zip(KINDS, shares, CYCLE, strict=False):
            ax.bar(place, share.mean(), 0.6, bottom=bottom, color=colour, label=None if place else kind)
            bottom += share.mean()
            rows.append({"failure": kind, "template": group, "mean": float(share.mean()), "std": float(share.std())})
    ax.set_xticks([0, 1], list(SIDES))
    ax.set(xlim=(-0.5, 2.9), ylim=(0, 1), ylabel="share of the failures", title="in place of the answer")
    legend(ax, fontsize=7, loc="center right")
    caption = f"What gradient descent leaves in place of the answer, as shares of the failures. {described(runs)}"
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="What failures look like",
    runs=lambda scale: {"main": covering_run(scale)},
    needs={"main": stored},
    claims=(HALLUCINATION,),
    draw=draw,
)
