"""Facts that fine-tuning never asked about come out (abstract), and the better the more often they were told."""

from typing import Any

import numpy as np

from lemmata.core import Artefact
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Monotone, Results
from lemmata.papers.knowledge.missing import NotRun, may_lack_runs
from lemmata.papers.knowledge.probe.readings import accuracy, curve, described, learned, long_table, place, tuned
from lemmata.papers.knowledge.run.training import before, stored_at_end
from lemmata.papers.knowledge.run.tunings import main_result, main_run, plane_runs, standard
from lemmata.report.plots import COLOURS, band, ceiling, legend, new_figure, panel_label

STORED = 0.95  # pre-training accuracy from which facts count as stored
TAUGHT = {"true": ("their own answers", "blue"), "shuffled": ("answers of others", "vermillion")}


# Facts whose subject never occurs in fine-tuning


def _unseen(results: Results, answers: str) -> dict[str, float]:
    run = main_result(results)
    return {
        "held-out questions in fine-tuning": float(run.arrays["leak"][place(run, answers=answers)].max()),
        "pre-training accuracy": accuracy(run),
        "extraction": float(tuned(run, answers=answers).mean()),
    }


UNSEEN = Claim(
    id="knowledge/extraction-unseen-facts",
    locus="Abstract; core claim; appendix, steps 44-45",
    statement="Fine-tuning on questions about half of the subjects makes the model answer questions about the other "
    "half, which fine-tuning never names. Rule, on means over seeds: none of the held-out questions stands in the "
    "fine-tuning set; pre-training recalls at least 0.95 of the facts; at least 0.6 of the held-out facts come out.",
    predict=lambda results: {
        "held-out questions in fine-tuning": 0.0,
        "pre-training accuracy": STORED,
        "extraction": 0.6,
    },
    measure=lambda results: learned(results, _unseen(results, "true")),
    control=lambda results: _unseen(results, "shuffled"),  # fine-tuning on the answers of other subjects
    check=Each(
        {
            "held-out questions in fine-tuning": AtMost(),
            "pre-training accuracy": AtLeast(),
            "extraction": AtLeast(),
        }
    ),
    remark="One question is almost enough, and it need not be right: at laptop scale fine-tuning on a single "
    "subject gives 0.51, and on a single subject with a wrong answer 0.34, 0.79 and 0.01 in three seeds. "
    "What is learned is that the prompt token attends to the subject. At the paper's size (N = 1000, K = |R| "
    "= 5): 0.90, with all facts stored.",
)

SILENT = Claim(
    id="knowledge/silent-before-fine-tuning",
    locus="Abstract: facts may be stored but remain inaccessible",
    statement="Before fine-tuning the stored facts do not answer to the question prompt: at most 0.1 of the held-out "
    "facts come out (mean over seeds).",
    predict=lambda results: 0.1,
    measure=lambda results: learned(results, float(before(main_result(results), "extraction").mean())),
    control=lambda results: learned(results, float(tuned(main_result(results)).mean())),  # after fine-tuning
    check=AtMost(),
    remark="At laptop scale 0.13, 0.13 and 0.05 come out in three seeds, just over the rule; at the paper's size it "
    "holds (0.086). The prompt token was never trained, but the attention matrix of pre-training happens to "
    "send 0.3 to 0.6 of its attention to the subject, whose direction alone drives its answer.",
)


def render_unseen(results: Results) -> Artefact:
    run = main_result(results)
    figure, axes = new_figure(1, 3, width=11.4)
    table = {}
    for answers, (label, colour) in TAUGHT.items():
        steps, values = table[f"half of the subjects, taught {label}"] = curve(run, answers=answers)
        band(axes[0], steps, values, f"taught {label}", color=COLOURS[colour])
        steps, values = table[f"one subject, taught {label}"] = curve(run, answers=answers, subjects=1)
        axes[1].plot(steps, values.T, color=COLOURS[colour], linewidth=1.1)
    ceiling(axes[0], accuracy(run), "pre-training accuracy")
    said = {"extraction": ("its answer", "blue"), "relation_fraction": ("a relation", "orange")}
    said["other_fraction"] = ("another's answer", "black")
    for column, (label, colour) in said.items():
        steps, values = table[f"half of the subjects, said: {label}"] = curve(run, column)
        band(axes[2], steps, values, label, color=COLOURS[colour])
    axes[0].set(title="taught half of the subjects", ylabel="share of held-out facts")
    axes[1].set(title="taught one subject, each seed", ylabel="share of held-out facts")
    axes[2].set(title="what is said to held-out questions", ylabel="share of held-out questions")
    for letter, ax in zip("abc", axes, strict=True):
        ax.set(xlabel="fine-tuning step", ylim=(-0.02, 1.02))
        panel_label(ax, letter)
    legend(axes[0], loc="center right", fontsize=7.5)
    legend(axes[2], loc="center right", fontsize=7.5)
    caption = (
        "Questions about subjects that fine-tuning never names, along fine-tuning (a) on the other half of the "
        "subjects, (b) on one of them: with their own answers (blue) and, as a control, with other subjects' answers "
        f"(red). (c) What the model of (a) says to them. {described(run)}"
    )
    return Artefact(figure, long_table(table, "step", run), caption)


# Multiplicity


def _multiplicity(results: Results, answers: str) -> dict[str, Any]:
    runs = standard(results)
    several = [run for run in runs if run.config.facts.multiplicity >= 2]
    if len(several) < 2:
        raise NotRun("with these settings there are no two multiplicities from 2 on")
    means = np.array([tuned(run, answers=answers).mean() for run in several])
    return {
        "rise from K = 2 to the largest K": float(means[-1] - means[0]),
        "extraction by K, from 2": means,
        "least pre-training accuracy": min(accuracy(run) for run in runs),
    }


MULTIPLICITY = Claim(
    id="knowledge/multiplicity",
    locus="Abstract; core claim; consequence 2",
    statement="Extraction rises with the number K of templates through which pre-training tells a fact: at |R| = 20 by "
    "at least 0.25 from K = 2 to K = 10 (means over seeds), with no fall of more than 0.05 on the way, and every model "
    "has stored its facts (pre-training accuracy at least 0.95).",
    predict=lambda results: {
        "rise from K = 2 to the largest K": 0.25,
        "extraction by K, from 2": "increasing",
        "least pre-training accuracy": STORED,
    },
    measure=lambda results: learned(results, _multiplicity(results, "true")),
    control=lambda results: _multiplicity(results, "shuffled"),  # fine-tuning on the answers of other subjects
    check=Each(
        {
            "rise from K = 2 to the largest K": AtLeast(),
            "extraction by K, from 2": Monotone(slack=0.05),
            "least pre-training accuracy": AtLeast(),
        }
    ),
    remark="Covering is not the reason: at laptop scale and K = 1 extraction is 0.18 with every template covered. A "
    "subject's direction drives its answer and its relations in competition: from K = 1 to 10 the answer's "
    "logit from it grows from 9 to 13 after fine-tuning, and a relation's shrinks from 10 to 3. With N = "
    "1000: 0.30, 0.70, 0.89 for K = 2, 5, 10.",
)


def render_multiplicity(results: Results) -> Artefact:
    runs = standard(results)
    ks = np.array([run.config.facts.multiplicity for run in runs])
    figure, axes = new_figure(1, 3, width=11.4)
    table = {}
    for answers, (label, colour) in TAUGHT.items():
        values = np.stack([tuned(run, answers=answers) for run in runs], axis=1)
        table[f"extraction, taught {label}"] = (ks, values)
        band(axes[0], ks, values, f"taught {label}", color=COLOURS[colour], marker="o")
    relations = np.stack([tuned(run, "relation_fraction") for run in runs], axis=1)
    table["a relation is said"] = (ks, relations)
    band(axes[0], ks, relations, "a relation is said", color=COLOURS["orange"], marker="o")
    for column, label, colour in (
        ("fact_accuracy", "accuracy", "green"),
        ("excess", "loss over the least (nats)", "purple"),
    ):
        values = np.stack([stored_at_end(run, column) for run in runs], axis=1)
        table[f"pre-training, {label}"] = (ks, values)
        band(axes[1], ks, values, label, color=COLOURS[colour], marker="o")
    for column, label, colour in (
        ("answer_from_subject", "its answer", "blue"),
        ("relation_from_subject", "each of its relations", "orange"),
    ):
        values = np.stack([tuned(run, column) for run in runs], axis=1)
        table[f"logit from the subject, {label}"] = (ks, values)
        band(axes[2], ks, values, label, color=COLOURS[colour], marker="o")
    axes[0].set(title="held-out questions", ylabel="share of held-out facts", ylim=(-0.02, 1.02))
    axes[1].set(title="pre-training", ylabel="accuracy; nats", ylim=(-0.02, 1.02))
    axes[2].set(title="what a subject's direction drives", ylabel="logit", ylim=(0, None))
    for letter, ax in zip("abc", axes, strict=True):
        ax.set(xlabel="multiplicity K", xscale="log")
        ax.set_xticks(ks, [str(k) for k in ks])
        ax.set_xticks([], minor=True)
        legend(ax)
        panel_label(ax, letter)
    caption = (
        "(a) Extraction against multiplicity; (b) what pre-training reached; (c) after fine-tuning, the logits that a "
        f"subject's embedding alone gives to its answer and to its relations. {described(*runs)}"
    )
    return Artefact(figure, long_table(table, "K", *runs), caption)


EXPERIMENTS = (
    may_lack_runs(
        Experiment(
            id="knowledge/extraction-unseen-facts",
            title="Facts that fine-tuning never named",
            grid=lambda scale: (main_run(scale),),
            claims=(UNSEEN, SILENT),
            render=render_unseen,
        )
    ),
    may_lack_runs(
        Experiment(
            id="knowledge/multiplicity",
            title="The more often told, the easier to reach",
            grid=plane_runs,
            claims=(MULTIPLICITY,),
            render=render_multiplicity,
        )
    ),
)
