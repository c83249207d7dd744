"""Extraction of unseen facts in each reading of what our text leaves open: whose query asks, and whether o is there."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Scale, at_least
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._extraction_runs import OPTIMIZERS, long_enough, main_run, on_all, variant_run
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.claims._tuned import BY, COLOUR, Answers, Tuned, halves, main, variant
from lemmata.papers.knowledge.run.training import Extraction, lighter
from lemmata.report.plots import COLOURS, columns, legend, new_figure

AFRESH = 10  # seeds further: five of the base cell's left the claim undecided
ONE_QUERY, WITHOUT_O, PRINTED = "one query", "without o", "as printed"


def reading_runs(scale: Scale) -> dict[str, Extraction]:
    """Fragments 39-45 print neither o nor d, and K = |R| = 5; the lemmas have both tokens. Without o and nothing else
    is shown, not judged."""
    r = sizes.PRINTED_TEMPLATES.at(scale)
    printed = variant_run(scale, {"opened": False, "templates": r, "multiplicity": r})
    without = variant_run(scale, {"opened": False})
    one_query = replace(variant_run(scale, query="first"), seeds=sizes.seeds(scale, sizes.ONE_QUERY_SEEDS))
    slow = lighter(scale) if scale.name == "laptop" else printed.pretraining
    seeds = sizes.seeds(scale, sizes.PRINTED_SEEDS, sizes.FRESH + AFRESH)
    return {
        "main": main_run(scale),
        ONE_QUERY: one_query,
        WITHOUT_O: replace(without, seeds=without.seeds[: sizes.WITHOUT_O_SEEDS.at(scale)]),
        PRINTED: replace(printed, pretraining=slow, seeds=seeds),
    }


def models(runs: Runs) -> dict[str, Tuned]:
    others = {name: variant(runs, name) for name in (ONE_QUERY, WITHOUT_O, PRINTED)}
    return {"with o, last token asks": main(runs), **others}


def _every_reading(runs: Runs) -> str:
    words = [
        f"Reading {name!r}: {', '.join(f'{BY[one]} {tuned.level(one):.2f}' for one in OPTIMIZERS)}, before "
        f"{tuned.before().mean():.2f}, at {tuned.excess:.2f} nats over the least loss."
        for name, tuned in models(runs).items()
    ]
    return f"Extraction in each. {' '.join(words)}"


AS_PRINTED = Claim(
    id="extraction-as-printed",
    locus="Appendix, fragments 39-45 as printed: samples (s, r), ([s r], a) and ([s p], a), no o and no d, K = |R| = 5",
    statement=r"With the data as printed ($[s_j] \to r_i$, $[s_j\,r_i] \to a_j$, $[s_j\,p] \to a_j$; no $o$, no $d$; "
    "$K = |\\mathcal{R}| = 5$), fine-tuning by gradient descent on questions about half of the subjects makes the "
    "model answer questions about the other half. Our split is by subject. Judged: the mean over the seeds in which "
    "fine-tuning has learned its own questions.",
    wording=halves(PRINTED),
    subject=lambda runs: Answers.after(variant(runs, PRINTED), "descent"),
    wrong=lambda runs: Answers.after(variant(runs, PRINTED), "descent").untuned(),  # the same models before fine-tuning
    parts={
        "pre-training accuracy": Part(lambda found: found.of.accuracy, at_least(0.95)),
        "extraction": share_over_seeds(lambda found: found.extraction, at_least(0.5)),
    },
    remark=_every_reading,
)

SHARED = Claim(
    id="extraction-one-query",
    locus="beyond the paper; core claim, in the reading in which Lemma 10 holds: one query for all prompts",
    statement=r"Where one query serves all prompts, $\alpha = \operatorname{softmax}(o A x_l)$, gradient descent on "
    "questions about half of the subjects reaches the facts of the other half as it does where the last token asks. "
    "Judged: the mean over the seeds in which fine-tuning has learned its own questions.",
    wording=halves(ONE_QUERY),
    subject=lambda runs: Answers.after(variant(runs, ONE_QUERY), "descent"),
    wrong=lambda runs: Answers.after(variant(runs, ONE_QUERY), "descent").untuned(),
    parts=share_over_seeds(lambda found: found.extraction, at_least(0.6)),
    needs={ONE_QUERY: stored},
    remark="Ours, not the paper's. These models are pre-trained with AdamW at learning rates chosen for the other "
    "reading, where the lemma has gradient descent in stages.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=7.0)
    rows, shown = [], models(runs)
    for place, (name, tuned) in enumerate(shown.items()):
        seeds = tuned.shown_seeds("descent")
        found = {"before": tuned.before()} | {one: tuned.after(on_all(one)) for one in OPTIMIZERS}
        for offset, (when, colour) in enumerate({"before": "sky", **COLOUR}.items()):
            at, values = place + 0.27 * (offset - 1), found[when][seeds]
            ax.bar(at, values.mean(), 0.25, color=COLOURS[colour], label=None if place else when)
            ax.plot(np.full(len(values), at), values, "k.", markersize=3)
            row = {"reading": name, "fine-tuning": when, "mean": float(values.mean()), "std": float(values.std())}
            rows.append(row | {"pre-training accuracy": tuned.accuracy, "loss over the least": tuned.excess})
    ax.set_xticks(range(len(shown)), [name.replace(", ", ",\n") for name in shown])
    ax.set(ylabel="share of held-out facts", ylim=(0, 1.02))
    legend(ax, loc="upper right", fontsize=7.5)
    facts, printed = main(runs).run.config.facts, variant(runs, PRINTED).run.config.facts
    counts = ", ".join(
        f"{len(one.shown_seeds('descent'))} of {len(one.run.config.seeds)} ({name})" for name, one in shown.items()
    )
    caption = (
        f"Extraction of held-out facts in each reading: N = {facts.subjects}, |R| = {facts.templates}, "
        f"K = {facts.multiplicity}; as printed, without o and d, |R| = {printed.templates}, K = "
        f"{printed.multiplicity}. Bars are means over the seeds that are judged, dots are these seeds. Judged are "
        f"those in which gradient descent has learned its own questions: {counts}."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="Extraction in each reading of the text",
    runs=reading_runs,
    needs=dict.fromkeys(("main", ONE_QUERY, WITHOUT_O, PRINTED), long_enough),
    claims=(AS_PRINTED, SHARED),
    draw=draw,
)
