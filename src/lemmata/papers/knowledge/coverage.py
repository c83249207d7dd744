"""Extraction against what fine-tuning covers: so many subjects, or so many templates (abstract, core claim)."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult
from lemmata.core.legacy import AtLeast, Claim, Each, Experiment, Monotone, Results
from lemmata.papers.knowledge.missing import may_lack_runs
from lemmata.papers.knowledge.probe.readings import (
    asked_numbers,
    described,
    learned,
    long_table,
    place,
    tuned,
)
from lemmata.papers.knowledge.run.tunings import (
    main_result,
    main_run,
    template_numbers,
    templates_result,
    templates_run,
)
from lemmata.papers.knowledge.theory import covering
from lemmata.report.plots import COLOURS, GREY, band, legend, new_figure, panel_label

RULE = {"rise from the least to the most": 0.1, "in order": "increasing"}
CHECK = Each({"rise from the least to the most": AtLeast(), "in order": Monotone(slack=0.05)})


def _trend(means: list[float]) -> dict[str, Any]:
    return {"rise from the least to the most": means[-1] - means[0], "in order": np.array(means)}


def _by_subjects(results: Results, **wrong: Any) -> dict[str, Any]:
    run = main_result(results)
    numbers = (1, None) if wrong else tuple(asked_numbers(run))
    return _trend([float(tuned(run, subjects=number, **wrong).mean()) for number in numbers])


SUBJECTS = Claim(
    id="knowledge/coverage",
    locus="Abstract; core claim",
    statement="Extraction rises with the number of subjects that fine-tuning asks about: from one subject to half of "
    "all by at least 0.1 (means over seeds), with no fall of more than 0.05 from a number to the next.",
    predict=lambda results: RULE,
    measure=lambda results: learned(results, _by_subjects(results)),
    control=lambda results: _by_subjects(results, answers="shuffled"),  # the answers of other subjects
    check=CHECK,
    remark="The rise is over after three to ten subjects: at laptop scale 0.51, 0.67, 0.70, 0.69, 0.69 for 1, 3, "
    "10, 30 and 100 subjects; at the paper's size 0.43, 0.88, 0.91 for 1, 3, 10 and no more up to 500.",
)


def _few(run: RunResult) -> int:
    """Subjects asked about at every number of templates."""
    return next(one.coverage.subjects for one in run.config.tunings if one.coverage.templates)


def _by_templates(results: Results, **wrong: Any) -> dict[str, Any]:
    run, numbers = templates_result(results), template_numbers(results.scale)
    chosen = (numbers[0], numbers[-1]) if wrong else numbers
    return _trend([float(tuned(run, subjects=_few(run), templates=n, **wrong).mean()) for n in chosen])


TEMPLATES = Claim(
    id="knowledge/coverage-templates",
    locus="Abstract; core claim: enough latent relation-template directions",
    statement="At one number of subjects (8, K = 2), extraction rises with the number of templates from which all of "
    "their templates come: from 8 to all 20 by at least 0.1 (means over seeds), with no fall of more "
    "than 0.05 on the way.",
    predict=lambda results: RULE,
    measure=lambda results: learned(results, _by_templates(results)),
    control=lambda results: _by_templates(results, answers="shuffled"),  # the answers of other subjects
    check=CHECK,
    remark="Which templates the subjects come from makes no difference at d = 50: 0.47, 0.52, 0.47 and 0.48 at "
    "laptop scale while the templates covered grow from 8 to 12, and 0.33 to 0.35 with N = 1000. Any "
    "question teaches the prompt to attend to the subject, whatever its templates; a gap by template needs a "
    "wider model.",
)


def render_coverage(results: Results) -> Artefact:
    run, narrow = main_result(results), templates_result(results)
    facts, asked = run.config.facts, asked_numbers(run)
    figure, axes = new_figure(1, 2)
    numbers = np.array(list(asked.values()))
    extraction = np.stack([tuned(run, subjects=number) for number in asked], axis=1)
    band(axes[0], numbers, extraction, "measured", color=COLOURS["blue"], marker="o")
    fine = np.unique(np.geomspace(1, numbers[-1], 60).astype(int))
    predicted = [covering.extraction_after(facts.multiplicity, int(n), facts.templates) for n in fine]
    axes[0].plot(fine, predicted, color=GREY, linestyle=(0, (4, 3)), linewidth=1.1, label="covering prediction")
    axes[0].set(xscale="log", xlabel="subjects asked about, F", title=f"K = {facts.multiplicity}")
    axes[0].set_xticks(numbers, [str(n) for n in numbers])
    axes[0].set_xticks([], minor=True)

    sets = np.array(template_numbers(results.scale))
    which: list[dict[str, Any]] = [{"subjects": _few(narrow), "templates": int(n)} for n in sets]
    by_set = np.stack([tuned(narrow, **one) for one in which], axis=1)
    band(axes[1], sets, by_set, "measured", color=COLOURS["blue"], marker="o")
    covered = np.stack([narrow.arrays["covered"][place(narrow, **one)].sum(axis=1) for one in which], axis=1)
    facts = narrow.config.facts
    chance = np.vectorize(lambda c: covering.covered_extraction(facts.multiplicity, int(c), facts.templates))(covered)
    axes[1].plot(
        sets, chance.mean(axis=0), color=GREY, linestyle=(0, (4, 3)), linewidth=1.1, label="covering prediction"
    )
    title = f"K = {facts.multiplicity}, {_few(narrow)} subjects"
    axes[1].set(xlabel=f"templates they come from, of {facts.templates}", title=title, xticks=sets)
    for letter, ax in zip("ab", axes, strict=True):
        ax.set(ylabel="share of held-out facts", ylim=(-0.02, 1.04))
        legend(ax, loc="lower right")
        panel_label(ax, letter)
    caption = (
        "Extraction of held-out facts against coverage. (a) More subjects asked about. (b) As many subjects, all of "
        f"whose templates lie in a growing set; they cover {', '.join(f'{c:.1f}' for c in covered.mean(axis=0))} "
        f"templates. Dashed: one covered template is enough. (a) {described(run)} (b) {described(narrow)}"
    )
    table = long_table({"by subjects": (numbers, extraction)}, "F or templates", run)
    more = long_table({"by templates": (sets, by_set), "templates covered": (sets, covered)}, "F or templates", narrow)
    return Artefact(figure, {name: table[name] + more[name] for name in table}, caption)


EXPERIMENTS = (
    may_lack_runs(
        Experiment(
            id="knowledge/coverage",
            title="How much fine-tuning must cover",
            grid=lambda scale: (main_run(scale), templates_run(scale)),
            claims=(SUBJECTS, TEMPLATES),
            render=render_coverage,
        )
    ),
)
