"""What fine-tuning makes of the prompt token p: a mixture of relations, or what silences them."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Runs, at_least
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._covering import covering_run, described, sides
from lemmata.papers.knowledge.claims._drawing import finish
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.probe.covering import effect
from lemmata.report.plots import columns, new_figure


def likeness(runs: Runs, part: int) -> np.ndarray:
    """For each seed, in units of 1/sqrt(C): the correlation of an even mixture of C directions with each of them."""
    run = runs["main"]
    return effect(run, "ask_likeness")[part] * np.sqrt(run.config.facts.templates // 2)


MIXTURE = Claim(
    id="prompt-as-mixture",
    locus="beyond the paper; abstract: the prompt format becomes a trigger for relation features, read as a mixture",
    statement="Fine-tuning makes the prompt $p$ act on the neurons of held-out answers as a mixture of the covered "
    "relation directions does. Judged under gradient descent: by how much the correlation with each grows, in units of "
    r"that of an even mixture of $C$ directions, $1/\sqrt{C}$, mean over covered templates and seeds.",
    subject=lambda runs: likeness(runs, 0),
    wrong=lambda runs: likeness(runs, 1),  # uncovered templates
    parts=over_seeds(np.asarray, at_least(0.5)),
    remark="Our reading of a trigger, which can hardly hold: no question about a held-out answer ever raises it. "
    "Fine-tuning makes p look at the subject, which drives its answer already (Lemma 15). It also makes p silence the "
    "relation tokens of the templates it covers (claim prompt-silences-relations).",
)

SILENCE = Claim(
    id="prompt-silences-relations",
    locus="beyond the paper; a mechanism of covering",
    statement="Fine-tuning by gradient descent lowers what $p$ adds to the neurons of a relation token by more when "
    "its template is covered, so that covered facts come out where uncovered ones give the relation. Judged: the "
    "difference in logits, mean over seeds.",
    subject=lambda runs: np.subtract(*effect(runs["main"], "ask_pull")),
    wrong=lambda runs: np.subtract(*effect(runs["main"], "ask_pull", shuffled=True)),
    parts=over_seeds(lambda gap: -gap, at_least(0.5)),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, axes = new_figure(1, 2)
    rows = []
    for ax, column, unit, title in (
        (axes[0], "ask_pull", "change, logits", "p on the relation token"),
        (axes[1], "ask_likeness", "change of correlation", "p against r, on answers"),
    ):
        rows += sides(ax, title, {name: effect(run, column, place) for place, name in enumerate(run.config.tunings)})
        ax.set(ylabel=unit, title=title)
    finish(axes, fontsize=7, loc="best")
    caption = (
        "(a) Change in fine-tuning of what p adds to the neurons of the relation token. (b) Change of the correlation, "
        f"over held-out answers, of what p and what r add to their neurons. {described(runs)}"
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="What fine-tuning makes of the prompt",
    runs=lambda scale: {"main": covering_run(scale)},
    needs={"main": stored},
    claims=(MIXTURE, SILENCE),
    draw=draw,
)
