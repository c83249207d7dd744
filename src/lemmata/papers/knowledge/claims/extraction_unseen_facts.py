"""Facts that fine-tuning never asked about come out (abstract)."""

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, described, finish
from lemmata.papers.knowledge.claims._extraction_runs import OPTIMIZERS, Optimizer, long_enough, main_run, on_all
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.claims._tuned import BY, COLOUR, LEARNED, Answers, halves, main, under_both
from lemmata.report.plots import COLOURS, ceiling, new_figure


def _one_subject(runs: Runs) -> str:
    tuned = main(runs)
    words = []
    for one in OPTIMIZERS:
        names = (f"{one} on 1", on_all(one), f"{one}, attention", f"{one}, neurons")
        first, every, attention, neurons = (tuned.level(one, name) for name in names)
        words.append(
            f"In {len(tuned.learned_seeds(one))} of {len(tuned.before())} seeds {BY[one]}: {first:.2f} with one "
            f"subject asked about, {every:.2f} with all, {attention:.2f} with the attention matrix alone, "
            f"{neurons:.2f} with it frozen."
        )
    low = int((tuned.before() <= 0.1).sum())
    return (
        f"Before fine-tuning {tuned.before().mean():.2f} come out on average, and at most a tenth in {low} seeds. In "
        f"the others pre-training happens to point the new token p at the subject. {' '.join(words)}"
    )


def claim(optimizer: Optimizer) -> Claim:
    descent = optimizer == "descent"
    parts = {"pre-training accuracy": Part(lambda found: found.of.accuracy, at_least(0.95))}
    if descent:
        parts["extraction"] = share_over_seeds(lambda found: found.extraction, at_least(0.6))
    else:
        parts["extraction, over that before fine-tuning"] = over_seeds(
            lambda found: found.extraction - found.before, at_least(0.25)
        )
    return Claim(
        id="extraction-unseen-facts",
        locus="Abstract; core claim; appendix, fragments 44-45",
        statement=f"After near-optimal pre-training, fine-tuning {BY[optimizer]} on questions "
        "$[o\\,s_j\\,p] \\to a_j$ about half of the subjects makes the model answer questions about the other half. "
        "Fine-tuning never names these. Judged: the mean over the seeds in which fine-tuning has learned "
        f"{LEARNED:g} of its own questions" + ("." if descent else ", less extraction before fine-tuning."),
        wording=halves("main"),
        subject=lambda runs: Answers.after(main(runs), optimizer),
        wrong=lambda runs: Answers.after(main(runs), optimizer).untuned(),
        parts=parts,
        remark=_one_subject if descent else "The level depends on how long pre-training went on.",
    )


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    figure, axes = new_figure(1, 3, width=11.4)
    curves = Curves()
    for optimizer, colour in COLOUR.items():
        for ax, number, title in ((axes[0], "all", "half of the subjects"), (axes[1], "1", "one subject")):
            curve = tuned.shown_curve(optimizer, f"{optimizer} on {number}")
            curves.add(ax, f"{title}, {optimizer}", curve, optimizer, color=COLOURS[colour])
            ax.set(title=f"asked about {title}", ylabel="share of held-out facts")
    ceiling(axes[0], tuned.accuracy, "pre-training accuracy")
    for column, label, colour in (
        ("extraction", "its answer", "blue"),
        ("relation_fraction", "a relation", "orange"),
        ("other_fraction", "another's answer", "black"),
    ):
        name, curve = f"half of the subjects, descent, said: {label}", tuned.shown_curve("descent", column=column)
        curves.add(axes[2], name, curve, label, color=COLOURS[colour])
    axes[2].set(title="what is said (gradient descent)", ylabel="share of held-out questions")
    for ax in axes:
        ax.set(xlabel="fine-tuning step", ylim=SHARE)
    finish(axes, loc="center right")
    caption = (
        "Questions about subjects that fine-tuning never names, along fine-tuning (a) on the other half of the "
        "subjects, (b) on one of them, by gradient descent (blue) and with AdamW (red). (c) What the model of (a) says "
        f"to them under gradient descent. {described(tuned)}"
    )
    return Artefact(figure, curves.table("step", tuned), caption)


EXPERIMENT = Experiment(
    title="Facts that fine-tuning never named",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=under_both(claim),
    draw=draw,
)
