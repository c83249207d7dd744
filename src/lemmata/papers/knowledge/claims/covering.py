"""Which facts come out, template by template: covered or not, by the whole gradient or its rank-1 part."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Runs, word
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._covering import (
    ADAMW,
    DESCENT,
    GAP,
    RANK_1,
    Covering,
    covering_run,
    described,
    sides,
)
from lemmata.papers.knowledge.probe.covering import extraction
from lemmata.report.plots import columns, legend, new_figure


def _levels(runs: Runs, tuning: int) -> str:
    covered, uncovered = extraction(runs["main"], tuning)
    return f"Covered and uncovered: {covered.mean():.2f} and {uncovered.mean():.2f}."


def _tendency(runs: Runs) -> str:
    said = f"A tendency, not a switch. {_levels(runs, DESCENT)}"
    if not runs["main"].config.adamw:
        return said
    return (
        f"{said} With AdamW the difference is {np.mean(np.subtract(*extraction(runs['main'], ADAMW))):.2f}. It moves "
        "the neurons of every relation token by steps of one size, however small their gradient, so uncovered "
        "relations fall too."
    )


PER_RELATION = Claim(
    id="covering-per-relation",
    locus="Abstract; the relation-covering characterization: what is not covered may be stored but is inaccessible",
    statement="A held-out fact comes out more often when fine-tuning by gradient descent covers its template; "
    "uncovered facts that do not come out are still stored, for $[o\\,s_j\\,r_i]$ gives $a_j$. Judged: the difference "
    "in extraction of the same facts after fine-tuning on one half of the templates and on the other ($K = 1$, $d = "
    "256$). The bare covering formula says 1 and 0.",
    wording={"K = 1": word("K = {}", "main.facts.multiplicity"), "d = 256": word("d = {}", "main.model.width")},
    subject=lambda runs: Covering(runs["main"], DESCENT),
    wrong=lambda runs: Covering(runs["main"], DESCENT, shuffled=True),  # half of those called covered are
    parts=GAP,
    remark=_tendency,
)

LOW_RANK = Claim(
    id="low-rank-covering",
    locus="Abstract: low-rank adaptation recovers knowledge when relation coverage is sufficient; equation (216)",
    statement=r"With $\mathrm{RA}_1(G)$ in the place of the neurons' gradient $G$ coverage decides as it does in full: "
    "covered facts come out more often than the same facts uncovered, and those that do not are still stored. Our "
    "text has no rank for the abstract's low-rank adaptation; 1 is that of (216).",
    subject=lambda runs: Covering(runs["main"], RANK_1),
    wrong=lambda runs: Covering(runs["main"], RANK_1, shuffled=True),
    parts=GAP,
    remark=lambda runs: _levels(runs, RANK_1),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, ax = new_figure(width=5.4)
    found = {name: extraction(run, place) for place, name in enumerate(run.config.tunings)}
    rows = sides(ax, "extraction", found)
    ax.set(ylabel="extraction", ylim=(0, 1), title="held-out facts that come out")
    legend(ax, fontsize=7, loc="best")
    caption = f"Covering, template by template: {described(runs)} Bars are means over seeds, dots are seeds."
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="Covered and uncovered templates",
    runs=lambda scale: {"main": covering_run(scale)},
    needs={"main": stored},
    claims=(PER_RELATION, LOW_RANK),
    draw=draw,
)
