"""Table 2: GSM8K with one MLP matrix truncated, in the paper's three models, the same questions paired."""

from collections.abc import Sequence

import numpy as np

from lemmata.core import Claim, Experiment, Part, Protocol, RunResult, Runs, Scale, at_least, at_most, near, word
from lemmata.papers.association.claims._gsm8k import (
    Answers,
    can_count,
    changed,
    draw,
    each_gain,
    mean_gain,
    paired_words,
    right,
)
from lemmata.papers.association.run.gsm8k_answers import Gsm8kAnswers
from lemmata.papers.association.run.printed_accuracies import PrintedAccuracies
from lemmata.papers.association.sizes import LanguageModels

MODELS = {  # name in the table -> name on the hub, layer
    "Phi-3": ("microsoft/Phi-3-mini-4k-instruct", 28),
    "Llama-3.1-8B": ("meta-llama/Llama-3.1-8B", 27),
    "Llama-3.1-8B-Instruct": ("meta-llama/Llama-3.1-8B-Instruct", 27),
}
SHOTS = PrintedAccuracies().shots
POINTS = 0.04  # so many questions leave 2.7 points, examples and format some more


def runs_at(scale: Scale) -> dict[str, Gsm8kAnswers]:
    return {
        f"{name}/{shots}": Gsm8kAnswers(
            model=model, layer=layer, shots=shots, questions=LanguageModels.GSM8K_QUESTIONS.at(scale)
        )
        for name, (model, layer) in MODELS.items()
        for shots in SHOTS
    }


def cells(runs: Runs, shots: Sequence[int]) -> list[RunResult]:
    return [runs[f"{name}/{one}"] for name in MODELS for one in shots]


def more_shots(runs: Runs) -> Answers:
    """The whole models at one shot and at eight: no truncation at all."""
    return Answers(*([right(run, "full") for run in cells(runs, (shots,))] for shots in (1, 8)))


def share(side: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([one.mean() for one in side])


FEWER = Protocol("200 questions in place of all", below_paper=True)

EXPERIMENT = Experiment(
    title="Table 2: GSM8K in the paper's models, whole and truncated",
    runs=runs_at,
    extra="lm",
    needs=dict.fromkeys(MODELS, can_count),
    claims=(
        Claim(
            id="tab-2",
            locus="Section 4.2 and Table 2: improves when only using 1 or 2 shots",
            statement="LASER, the output matrix of one late MLP cut to 2% of its rank, improves the accuracy on GSM8K "
            "at one and two shots, in each of Phi-3, Llama-3.1-8B and its Instruct model. Judged on the same "
            "questions.",
            wording={"2% of its rank": word("{} of its rank", "Phi-3.rank")},
            subject=lambda runs: changed(cells(runs, (1, 2)), "truncated"),
            wrong=lambda runs: changed(cells(runs, (1, 2)), "random"),
            parts={
                "mean gain": Part(mean_gain, at_least(0, over_seeds=True, unit="questions")),
                "each gain": Part(each_gain, at_least(0, over_seeds=True, unit="questions")),
            },
            protocol=FEWER,
            remark=paired_words,
        ),
        Claim(
            id="tab-2-eight",
            locus="Section 4.2 and Table 2: worse in the standard 8-shot setting",
            statement="In the standard 8-shot setting the same truncation lowers the accuracy on GSM8K, on average "
            "over Phi-3, Llama-3.1-8B and its Instruct model. Judged on the same questions.",
            subject=lambda runs: changed(cells(runs, (8,)), "truncated"),
            wrong=more_shots,
            parts={"mean gain": Part(mean_gain, at_most(0, over_seeds=True, unit="questions"))},
            protocol=FEWER,
            remark=paired_words,
        ),
        Claim(
            id="tab-2-printed",
            locus="Table 2, all cells",
            statement="The few-shot accuracies of the whole and of the truncated models on GSM8K are the printed ones. "
            "Judged is within four points: the paper's examples and format are not printed.",
            subject=lambda runs: changed(cells(runs, SHOTS), "truncated"),
            wrong=lambda runs: Answers(*([right(run, "random") for run in cells(runs, SHOTS)] for _ in range(2))),
            parts={
                "whole": Part(lambda answers: share(answers.before), near(PrintedAccuracies().full, atol=POINTS)),
                "truncated": Part(
                    lambda answers: share(answers.after), near(PrintedAccuracies().truncated, atol=POINTS)
                ),
            },
            protocol=FEWER,
            remark="The examples, the format of the prompts and the harness's version are ours: a difference of all "
            "cells alike would be theirs.",
        ),
    ),
    draw=draw,
    notes="The examples are the first eight questions of the test file, asked at no number of shots; the others are "
    "the same in all cells, so gains are paired. Weights are float32.",
)
