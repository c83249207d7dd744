"""Extraction against what fine-tuning covers: so many subjects, and a fact's own templates (abstract, core claim)."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Protocol, Runs, Undecided, at_least, rises, word
from lemmata.papers.knowledge.claims._drawing import Curves, described, finish
from lemmata.papers.knowledge.claims._extraction_runs import (
    NARROW,
    OPTIMIZERS,
    Optimizer,
    cell_run,
    in_many_seeds,
    long_enough,
    main_run,
)
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.claims._tuned import BY, COLOUR, Tuned, main, narrow, under_both
from lemmata.papers.knowledge.theory import covering
from lemmata.report.plots import COLOURS, GREY, joined, new_figure

MANY = 64  # seeds: AdamW's extraction stays level from three subjects on, and the rule is about its smallest step


def by_subjects(runs: Runs, optimizer: Optimizer) -> np.ndarray:
    """Extraction by the number of subjects asked about, [seed, number], where fine-tuning on all has learned."""
    tuned = main(runs)
    return np.stack([tuned.reached(optimizer, name) for name in tuned.asked(optimizer)], axis=1)


def one_subject_longer(runs: Runs, optimizer: Optimizer) -> np.ndarray:
    """Extraction along fine-tuning on a single subject, from its first record on, [seed, record]."""
    tuned = main(runs)
    return tuned.curve(f"{optimizer} on 1")[1][tuned.learned_seeds(optimizer), 1:]


TREND = {
    "rise from the least to the most": over_seeds(lambda found: found[:, -1] - found[:, 0], at_least(0.1)),
    "in order": share_over_seeds(np.asarray, rises(slack=0.05)),
}


def _where_it_ends(runs: Runs) -> str:
    tuned = main(runs)
    found = [
        f"{BY[one]} " + ", ".join(f"{tuned.level(one, name):.2f} for {n}" for name, n in tuned.asked(one).items())
        for one in OPTIMIZERS
    ]
    return f"Extraction by the number of subjects asked about: {'; '.join(found)}."


def claim(optimizer: Optimizer) -> Claim:
    def asked(runs: Runs) -> list[int]:
        return list(main(runs).asked(optimizer).values())

    seeds = 1 if optimizer == "descent" else MANY
    return Claim(
        id="coverage",
        locus="Abstract; core claim",
        statement="Extraction improves with fine-tuning coverage: it rises with the number of subjects asked about, "
        f"from one to half of all, when fine-tuning is {BY[optimizer]}. Judged: means over the seeds in which "
        "fine-tuning on half of all has learned its own questions"
        + ("." if seeds == 1 else f", with {seeds} seeds or more."),
        needs={"main": in_many_seeds(seeds)},
        subject=lambda runs: by_subjects(runs, optimizer),
        wrong=lambda runs: one_subject_longer(runs, optimizer),  # more steps, all about one subject
        parts=TREND | {"in order": replace(TREND["in order"], along={"subjects asked": asked})},
        remark=_where_it_ends,
    )


def own_covered(tuned: Tuned, name: str, *, others: bool = False) -> np.ndarray:
    """[seed, templates covered]: extraction of held-out facts by how many of their subject's own templates fine-tuning
    covers, none to all; or, of `others`, how many of the next seed's world."""
    run, number, facts = tuned.run, tuned.number(name), tuned.run.config.facts
    templates = run.arrays["templates"][:, : facts.subjects, : facts.multiplicity]  # what is padding left out
    covered = np.roll(run.arrays["covered"][number], int(others), axis=0)
    answers = 1 + facts.vocabulary().templates + np.arange(facts.subjects)
    right = run.arrays["reply"][number][:, : facts.subjects] == answers
    held_out = run.arrays["held_out"][number][:, : facts.subjects].any(axis=2)
    found = np.full((len(templates), facts.multiplicity + 1), np.nan)
    for seed, (of, own) in enumerate(zip(covered, templates, strict=True)):
        count = of[own].sum(axis=1)
        for k in range(facts.multiplicity + 1):
            chosen = held_out[seed] & (count == k)
            found[seed, k] = right[seed, chosen].mean() if chosen.any() else np.nan
    return found


def between(tuned: Tuned) -> list[str]:
    """The fine-tunings on so many subjects that a world has templates of both kinds."""
    return [name for name, number in tuned.asked("descent").items() if 1 < number <= 10]


def all_or_none(runs: Runs, *, others: bool = False) -> np.ndarray:
    """Extraction with all own templates covered, less that with none, for each seed."""
    tuned = narrow(runs)
    gaps = [own_covered(tuned, name, others=others) for name in between(tuned)]
    values = [gap[:, -1] - gap[:, 0] for gap in gaps]
    if not values or np.isnan(values).all():
        raise Undecided("no number of subjects leaves some held-out facts covered and some not")
    return np.nanmean(values, axis=0)[tuned.learned_seeds("descent")]


WITHIN = Claim(
    id="coverage-templates",
    locus="beyond the paper; core claim: enough latent relation-template directions, in a narrow model (d = 50)",
    statement="Within one model, with 3 or 10 subjects asked about ($K = 2$, gradient descent), a held-out fact comes "
    "out more often when all of its subject's templates are covered than when none is. Judged: the difference of "
    "extraction, its mean over the seeds in which fine-tuning on all has learned its own questions.",
    wording={"K = 2": word("K = {}", "narrow.facts.multiplicity")},
    subject=all_or_none,
    wrong=lambda runs: all_or_none(runs, others=True),  # what another seed's fine-tuning covered
    parts=over_seeds(np.asarray, at_least(0.1)),
    protocol=Protocol("N and |R|", below_paper=True),
    remark="In a wide model, with one template a fact, the same comparison shows: see the claim covering-per-relation.",
)


def draw(runs: Runs) -> Artefact:
    tuned, few = main(runs), narrow(runs)
    figure, axes = new_figure(1, 2)
    wide, within = Curves(), Curves()
    numbers = list(tuned.asked("descent").values())
    for optimizer, colour in COLOUR.items():
        seeds = tuned.shown_seeds(optimizer)
        each = np.stack([tuned.after(name)[seeds] for name in tuned.asked(optimizer)], axis=1)
        name = f"by subjects, {optimizer}"
        wide.add(axes[0], name, (numbers, each), optimizer, color=COLOURS[colour], marker="o")
    facts = tuned.run.config.facts
    fine = np.unique(np.geomspace(1, max(numbers), 60).astype(int))
    predicted = [covering.extraction_after(facts.multiplicity, int(n), facts.templates) for n in fine]
    axes[0].plot(fine, predicted, color=GREY, linestyle=(0, (4, 3)), linewidth=1.1, label="covering prediction")
    axes[0].set(xscale="log", xlabel="subjects asked about, F", title=f"K = {facts.multiplicity}")
    axes[0].set_xticks(numbers, [str(n) for n in numbers])
    axes[0].set_xticks([], minor=True)
    for name, style in zip(between(few), ("o-", "s--", "^:"), strict=False):
        found = own_covered(few, name)[few.shown_seeds("descent")]
        seen = np.isfinite(found).any(axis=0)
        means = np.full(found.shape[1], np.nan)
        means[seen] = np.nanmean(found[:, seen], axis=0)
        axes[1].plot(np.arange(found.shape[1]), means, style, color=COLOURS["blue"], label=name)
        if len(kept := found[~np.isnan(found).any(axis=1)]):
            within[f"own templates covered, {name}"] = np.arange(found.shape[1]), kept
    axes[1].set(xlabel="own templates covered", title=f"K = {NARROW}, within one model")
    for ax in axes:
        ax.set(ylabel="share of held-out facts", ylim=(-0.02, 1.04))
    finish(axes, loc="lower right")
    caption = (
        "Extraction of held-out facts against coverage. (a) More subjects asked about; dashed: one covered template is "
        "enough. (b) Facts of one model by how many of their own templates are covered (gradient descent). "
        f"(a) {described(tuned)} (b) {described(few)}"
    )
    axis = "F or templates"
    return Artefact(figure, joined([wide.table(axis, tuned), within.table(axis, few)]), caption)


EXPERIMENT = Experiment(
    title="How much fine-tuning must cover",
    runs=lambda scale: {"main": main_run(scale), "narrow": cell_run(scale, NARROW)},
    needs={"main": long_enough, "narrow": long_enough},
    claims=(*under_both(claim), WITHIN),
    draw=draw,
)
