"""Extraction against what fine-tuning covers: so many subjects, or so many templates (abstract, core claim)."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, rises
from lemmata.papers.knowledge.claims._tuned import NARROW, WRONG, Tuned, cell_run, long_enough, main, main_run, narrow
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.papers.knowledge.theory import covering
from lemmata.report.plots import COLOURS, GREY, band, joined, legend, letter, new_figure

DASHED = {"color": GREY, "linestyle": (0, (4, 3)), "linewidth": 1.1, "label": "covering prediction"}
TREND = {
    "rise from the least to the most": Part(lambda means: float(means[-1] - means[0]), at_least(0.1)),
    "in order": Part(lambda means: means, rises(slack=0.05)),
}


def by_templates(tuned: Tuned) -> dict[str, int]:
    """The fine-tunings on few subjects, and from how many templates those of the subjects all come."""
    tunings = tuned.run.config.tunings
    return {name: tunings[tuned.number(name)].coverage.templates for name in tuned.named("templates ")}


def means(tuned: Tuned, *names: str) -> np.ndarray:
    return np.array([tuned.mean(name) for name in names])


def _over_soon(runs: Runs) -> str:
    tuned = main(runs)
    found = ", ".join(f"{tuned.mean(name):.2f} for {number}" for name, number in tuned.asked().items())
    return f"Where the rise is over: {found} subjects."


SUBJECTS = Claim(
    id="coverage",
    locus="Abstract; core claim",
    statement="Extraction rises with the number of subjects that fine-tuning asks about, from one subject to half of "
    "all (means over seeds).",
    subject=lambda runs: means(main(runs), *main(runs).asked()),
    wrong=lambda runs: means(main(runs), "shuffled 1", WRONG),  # the answers of other subjects
    parts=TREND,
    needs={"main": long_enough},
    remark=_over_soon,
)


def _no_difference(runs: Runs) -> str:
    tuned = narrow(runs)
    names = by_templates(tuned)
    covered = [_covered(tuned, name).mean() for name in names]
    found = ", ".join(f"{tuned.mean(name):.2f}" for name in names)
    return (
        f"Which templates the subjects come from makes little difference at d = {tuned.run.config.model.width}: "
        f"{found} while the templates covered grow from {covered[0]:.0f} to {covered[-1]:.0f}. Any question teaches "
        "the prompt to attend to the subject, whatever its templates; a gap by template needs a wider model."
    )


TEMPLATES = Claim(
    id="coverage-templates",
    locus="Abstract; core claim: enough latent relation-template directions",
    statement="At one number of subjects (8, K = 2), extraction rises with the number of templates from which all of "
    "their templates come, from 8 to all 20 (means over seeds).",
    subject=lambda runs: means(narrow(runs), *by_templates(narrow(runs))),
    wrong=lambda runs: means(narrow(runs), "shuffled fewest", "shuffled most"),  # the answers of other subjects
    parts=TREND,
    needs={"narrow": long_enough},
    remark=_no_difference,
)


def _covered(tuned: Tuned, name: str) -> np.ndarray:
    """Templates of some subject asked about, for each seed."""
    return tuned.run.arrays["covered"][tuned.number(name)].sum(axis=1)


def draw(runs: Runs) -> Artefact:
    tuned, few = main(runs), narrow(runs)
    facts, asked = tuned.run.config.facts, tuned.asked()
    figure, axes = new_figure(1, 2)
    numbers = list(asked.values())
    extraction = np.stack([tuned.after(name) for name in asked], axis=1)
    band(axes[0], numbers, extraction, "measured", color=COLOURS["blue"], marker="o")
    fine = np.unique(np.geomspace(1, numbers[-1], 60).astype(int))
    predicted = [covering.extraction_after(facts.multiplicity, int(n), facts.templates) for n in fine]
    axes[0].plot(fine, predicted, **DASHED)
    axes[0].set(xscale="log", xlabel="subjects asked about, F", title=f"K = {facts.multiplicity}")
    axes[0].set_xticks(numbers, [str(n) for n in numbers])
    axes[0].set_xticks([], minor=True)

    names = by_templates(few)
    sets = list(names.values())
    by_set = np.stack([few.after(name) for name in names], axis=1)
    band(axes[1], sets, by_set, "measured", color=COLOURS["blue"], marker="o")
    covered = np.stack([_covered(few, name) for name in names], axis=1)
    facts = few.run.config.facts
    chance = np.vectorize(lambda c: covering.covered_extraction(facts.multiplicity, int(c), facts.templates))(covered)
    axes[1].plot(sets, chance.mean(axis=0), **DASHED)
    subjects = few.tunings[next(iter(names))].coverage.subjects
    axes[1].set(xlabel=f"templates they come from, of {facts.templates}", xticks=sets)
    axes[1].set(title=f"K = {facts.multiplicity}, {subjects} subjects")
    for ax in axes:
        ax.set(ylabel="share of held-out facts", ylim=(-0.02, 1.04))
        legend(ax, loc="lower right")
    letter(axes)
    caption = (
        "Extraction of held-out facts against coverage. (a) More subjects asked about. (b) As many subjects, all of "
        f"whose templates lie in a growing set; they cover {', '.join(f'{c:.1f}' for c in covered.mean(axis=0))} "
        f"templates. Dashed: one covered template is enough. (a) {described(tuned)} (b) {described(few)}"
    )
    by_templates_table = {"by templates": (sets, by_set), "templates covered": (sets, covered)}
    tables = (({"by subjects": (numbers, extraction)}, tuned), (by_templates_table, few))
    return Artefact(figure, joined([curve_table(curves, "F or templates", run) for curves, run in tables]), caption)


EXPERIMENT = Experiment(
    title="How much fine-tuning must cover",
    runs=lambda scale: {"main": main_run(scale), "narrow": cell_run(scale, NARROW)},
    claims=(SUBJECTS, TEMPLATES),
    draw=draw,
)
