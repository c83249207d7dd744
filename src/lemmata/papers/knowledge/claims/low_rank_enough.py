"""How small an update of how little of the model reaches the facts (abstract)."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least
from lemmata.papers.knowledge.claims._tuned import ALL, Lesson, Tuned, long_enough, main, main_run
from lemmata.papers.knowledge.claims._tuned_drawing import described, reached
from lemmata.report.plots import CYCLE, GREY, new_figure

PARTS = {"both": "A and w", "attention": "A alone", "neurons": "w alone, A frozen"}


def updates(tuned: Tuned) -> dict[tuple[str, str], str]:
    """(size, part of the model) -> the fine-tuning of that part which asks about every subject not held out."""
    found = {(name, "both"): name for name in tuned.ranks} | {("full", "both"): ALL}
    names = {(size, part): f"{size}, {part}" for part in ("attention", "neurons") for size in ("rank 1", "full")}
    return found | {update: name for update, name in names.items() if name in tuned.tunings}


def _attention_is_enough(runs: Runs) -> str:
    tuned = main(runs)
    values = {update: f"{tuned.mean(name):.2f}" for update, name in updates(tuned).items()}
    part = {part: f"{values['rank 1', part]} at rank 1 and {values['full', part]} in full" for part in PARTS}
    return (
        f"The attention matrix alone gives {part['attention']}, both matrices {part['both']}, and the neurons alone, "
        f"with it frozen, {part['neurons']}. By rank, after as many steps at one rate: "
        f"{', '.join(values[name, 'both'] for name in tuned.ranks)} for {', '.join(tuned.ranks)}; what overfits is the "
        "neurons."
    )


LOW_RANK = Claim(
    id="low-rank-enough",
    locus="Abstract: the theory applies to both full and low-rank fine-tuning; consequence 4",
    statement="A rank-1 update of the attention matrix and of the neurons is enough: after as many steps its "
    "extraction is about that of full fine-tuning (means over seeds). Each at the rate chosen for it: AdamW at 1e-3 "
    "for rank 1, whose factors start from 0, and at 3e-4 in full.",
    subject=lambda runs: Lesson(main(runs), "rank 1"),
    wrong=lambda runs: Lesson(main(runs), "rank 1, neurons"),  # the neurons alone, attention frozen
    parts={
        "full": Part(lambda lesson: lesson.of.mean(ALL), at_least(0.6)),
        "rank 1 - full": Part(lambda lesson: lesson.extraction - lesson.of.mean(ALL), at_least(-0.1)),
    },
    remark=_attention_is_enough,
)


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    found = {update: tuned.after(name) for update, name in updates(tuned).items()}
    labels = [f"{size}, {PARTS[part]}" for size, part in found]
    figure, ax = new_figure(width=6.6, height=0.9 + 0.32 * len(found))
    heights = np.arange(len(found))[::-1]
    for height, ((_, part), values) in zip(heights, found.items(), strict=True):
        colour = CYCLE[list(PARTS).index(part)]
        ax.barh(height, values.mean(), xerr=values.std(), color=colour, alpha=0.75, height=0.7, capsize=2)
        ax.plot(values, np.full(len(values), height), "k.", markersize=3)
    ax.axvline(tuned.accuracy, color=GREY, linestyle=(0, (4, 3)), linewidth=1.1)
    ax.set_yticks(heights, labels)
    ax.set(xlabel="share of held-out facts (dashed: accuracy of pre-training)", xlim=(0, 1.02))
    caption = (
        "Extraction after full and low-rank fine-tuning of the attention matrix A, of the neurons w, or of both; bars "
        f"and whiskers are means and standard deviations over seeds, dots are seeds. {described(tuned)}"
    )
    table = {
        "update": labels,
        "mean": [float(values.mean()) for values in found.values()],
        "std": [float(values.std()) for values in found.values()],
        **reached(*[tuned] * len(found)),
    }
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="How small an update reaches the facts",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=(LOW_RANK,),
    draw=draw,
)
