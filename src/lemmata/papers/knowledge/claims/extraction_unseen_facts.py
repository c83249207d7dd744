"""Facts that fine-tuning never asked about come out (abstract)."""

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._tuned import ALL, WRONG, Lesson, long_enough, main, main_run
from lemmata.papers.knowledge.claims._tuned_drawing import TAUGHT, curve_table, described
from lemmata.report.plots import COLOURS, band, ceiling, legend, letter, new_figure


def _one_subject(runs: Runs) -> str:
    right, wrong = main(runs).mean("asked 1"), main(runs).after("shuffled 1")
    return (
        f"How much a single question does: fine-tuning on one subject gives {right:.2f}, and on one subject with a "
        f"wrong answer {', '.join(f'{value:.2f}' for value in wrong)} in the seeds. What is learned is that the prompt "
        "token attends to the subject."
    )


UNSEEN = Claim(
    id="extraction-unseen-facts",
    locus="Abstract; core claim; appendix, steps 44-45",
    statement="Fine-tuning on questions about half of the subjects makes the model answer questions about the other "
    "half, which fine-tuning never names.",
    subject=lambda runs: Lesson(main(runs), ALL),
    wrong=lambda runs: Lesson(main(runs), WRONG),  # fine-tuning on the answers of other subjects
    parts={
        "held-out questions in fine-tuning": Part(lambda lesson: float(lesson.leak.max()), at_most(0.0)),
        "pre-training accuracy": Part(lambda lesson: lesson.of.accuracy, at_least(0.95)),
        "extraction": Part(lambda lesson: lesson.extraction, at_least(0.6)),
    },
    remark=_one_subject,
)


def _by_chance(runs: Runs) -> str:
    each = ", ".join(f"{value:.2f}" for value in main(runs).before())
    on_subject = main(runs).run.arrays["attention_osp"][0, :, 0, 1]
    return (
        f"In the seeds {each} come out. The prompt token was never trained, but the attention matrix of pre-training "
        f"happens to send {on_subject.min():.2f} to {on_subject.max():.2f} of its attention to the subject, whose "
        "direction alone drives its answer."
    )


SILENT = Claim(
    id="silent-before-fine-tuning",
    locus="Abstract: facts may be stored but remain inaccessible",
    statement="Before fine-tuning the stored facts do not answer to the question prompt (held-out facts, mean over "
    "seeds).",
    subject=lambda runs: main(runs).before(),
    wrong=lambda runs: main(runs).after(ALL),
    parts=Part(lambda extraction: float(extraction.mean()), at_most(0.1)),
    remark=_by_chance,
)


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    figure, axes = new_figure(1, 3, width=11.4)
    table = {}
    for answers, (label, colour) in TAUGHT.items():
        half = table[f"half of the subjects, taught {label}"] = tuned.curve(f"{answers} all")
        band(axes[0], *half, f"taught {label}", color=COLOURS[colour])
        steps, values = table[f"one subject, taught {label}"] = tuned.curve(f"{answers} 1")
        axes[1].plot(steps, values.T, color=COLOURS[colour], linewidth=1.1)
    ceiling(axes[0], tuned.accuracy, "pre-training accuracy")
    said = {"extraction": ("its answer", "blue"), "relation_fraction": ("a relation", "orange")}
    said["other_fraction"] = ("another's answer", "black")
    for column, (label, colour) in said.items():
        curve = table[f"half of the subjects, said: {label}"] = tuned.curve(ALL, column)
        band(axes[2], *curve, label, color=COLOURS[colour])
    axes[0].set(title="taught half of the subjects", ylabel="share of held-out facts")
    axes[1].set(title="taught one subject, each seed", ylabel="share of held-out facts")
    axes[2].set(title="what is said to held-out questions", ylabel="share of held-out questions")
    for ax in axes:
        ax.set(xlabel="fine-tuning step", ylim=(-0.02, 1.02))
    letter(axes)
    legend(axes[0], loc="center right", fontsize=7.5)
    legend(axes[2], loc="center right", fontsize=7.5)
    caption = (
        "Questions about subjects that fine-tuning never names, along fine-tuning (a) on the other half of the "
        "subjects, (b) on one of them: with their own answers (blue) and, as a control, with other subjects' answers "
        f"(red). (c) What the model of (a) says to them. {described(tuned)}"
    )
    return Artefact(figure, curve_table(table, "step", tuned), caption)


EXPERIMENT = Experiment(
    title="Facts that fine-tuning never named",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=(UNSEEN, SILENT),
    draw=draw,
)
