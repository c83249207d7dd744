"""Relation covering within one staged model, one template a subject: what is not covered stays silent, and why."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Protocol, Runs, Seeds, at_least, at_most
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._pipeline import (
    COVERED,
    COVERED_RANK_1,
    Tuned,
    after,
    covering_run,
    covering_tunings,
    said,
)
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.theory.covering import all_covered
from lemmata.report.plots import COLOURS, columns, legend_beside, new_figure

OURS = Protocol("sizes, learning rates and which templates are covered", "the fragments give orders alone")
KINDS = {
    "right": "blue",
    "own relation": "vermillion",
    "another relation": "orange",
    "another answer": "purple",
    "d": "grey",
}


class Covering(NamedTuple):
    """Held-out facts after questions about one half of the templates; `shift`: which template is called a subject's own
    when replies are read, so many places on; `swapped`: the other half of the templates is called covered."""

    tuned: Tuned
    swapped: bool = False
    shift: int = 0

    def facts(self) -> tuple[np.ndarray, ...]:
        """Held out, covered, the class given (all [seed, subject]), and each subject's template."""
        run, number = self.tuned.run, self.tuned.number
        arrays, templates = run.arrays, run.arrays["templates"][:, :, 0]
        reply = arrays["before.reply"] if self.tuned.step == 0 else arrays["reply"][number]
        count = run.config.facts.templates
        seen = np.stack([np.bincount(own[asked], minlength=count) > 0 for own, asked in self._asked(templates)])
        covered = np.take_along_axis(seen, templates, axis=1) ^ self.swapped
        return arrays["held_out"], covered, reply, templates

    def _asked(self, templates: np.ndarray) -> zip:
        return zip(templates, self.tuned.run.arrays["asked"][self.tuned.number], strict=True)

    def among(self, values: np.ndarray, covered: bool) -> np.ndarray:
        """The mean over held-out facts that are covered, or that are not, for each seed."""
        held, is_covered, _, _ = self.facts()
        chosen = held & (is_covered == covered)
        return np.array([row[of].mean() for row, of in zip(values, chosen, strict=True)])

    def kinds(self) -> dict[str, np.ndarray]:
        """What each question is answered with: [seed, subject] of truth values."""
        _, _, reply, templates = self.facts()
        count, subjects = self.tuned.run.config.facts.templates, self.tuned.run.config.facts.subjects
        own = reply == 1 + (templates + self.shift) % count
        right, relation = reply == 1 + count + np.arange(subjects), (reply >= 1) & (reply <= count)
        others = {"another relation": relation & ~own, "another answer": (reply > count) & ~right, "d": reply == 0}
        return {"right": right, "own relation": own, **others}

    def right(self, covered: bool) -> np.ndarray:
        return self.among(self.kinds()["right"], covered)

    @property
    def gap(self) -> np.ndarray:
        return self.right(True) - self.right(False)

    @property
    def own(self) -> np.ndarray:
        """Uncovered facts whose question is answered with the subject's own relation."""
        return self.among(self.kinds()["own relation"], False)

    @property
    def recalled(self) -> np.ndarray:
        """Uncovered facts whose own sentence still gives the answer."""
        return self.among(self.tuned.run.arrays["recalled"][self.tuned.number][:, :, 0], False)

    @property
    def error(self) -> np.ndarray:
        """Of all held-out facts."""
        held = self.facts()[0]
        return 1 - np.array([row[of].mean() for row, of in zip(self.kinds()["right"], held, strict=True)])

    @property
    def error_bound(self) -> np.ndarray:
        """The error that the theory says is left at least: the facts' share of templates that are not covered."""
        held, covered, _, _ = self.facts()
        return 1 - np.array([row[of].mean() for row, of in zip(covered, held, strict=True)])


def halves(name: str, swapped: bool = False, shift: int = 0) -> Callable[[Runs], Covering]:
    """A subject: the run after a fine-tuning on one half of the templates."""
    tuned = after("main", covering_tunings, name)
    return lambda runs: Covering(tuned(runs), swapped, shift)


def gap_parts() -> dict[str, Part]:
    return {
        "covered - uncovered": over_seeds(lambda found: found.gap, at_least(0.4)),
        "uncovered": share_over_seeds(lambda found: found.right(False), at_most(0.02)),
    }


def covering_claim(id: str, name: str, locus: str, how: str) -> Claim:
    return Claim(
        id=id,
        locus=locus,
        statement=f"After {how} on questions about subjects with one half of the templates ($K = 1$), held-out facts "
        "with these templates come out; facts with the other templates do not. Judged: means over all seeds.",
        subject=halves(name),
        wrong=halves(name, swapped=True),  # the other half called covered
        parts=gap_parts(),
        protocol=OURS,
    )


PER_RELATION = covering_claim(
    "covering-per-relation",
    COVERED,
    "Abstract; the relation-covering characterization: what is not covered is inaccessible",
    "gradient descent",
)
LOW_RANK = covering_claim(
    "low-rank-covering",
    COVERED_RANK_1,
    "Abstract: low-rank adaptation recovers knowledge when relation coverage is sufficient",
    "descent along gradients of rank 1",
)


def least_error(runs: Runs) -> float:
    """1 less the probability that a fact's template is covered, under the theory's exchangeable templates."""
    facts = runs["main"].config.facts
    return 1 - all_covered(facts.multiplicity, facts.templates // 2, facts.templates)


HALLUCINATION = Claim(
    id="hallucination-regime",
    locus="Abstract: insufficient coverage leaves facts stored but inaccessible, a stylized mechanism of hallucination",
    statement="A held-out fact whose template fine-tuning does not cover is still stored (its sentence gives the "
    "answer), its question does not get the answer, and what is said instead is the subject's own relation. Judged: "
    "means over all seeds.",
    subject=halves(COVERED),
    # the template after it called the subject's own
    wrong=halves(COVERED, shift=1),
    parts={
        "uncovered and stored": Part(
            lambda found: Seeds(found.recalled, bounds=(0.0, 1.0)), at_least(0.99, over_seeds=True), carries=False
        ),
        "answered with its own relation": share_over_seeds(lambda found: found.own, at_least(0.9)),
        "error less the share left uncovered": replace(
            over_seeds(lambda found: found.error - found.error_bound, at_least(0.0)), carries=False
        ),
    },
    protocol=OURS,
    remark=lambda runs: (
        "What is said instead is our reading: the paper's abstract says inaccessible. The share left uncovered bounds "
        f"the error from below, {least_error(runs):.2f} in expectation with templates exchangeable."
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    rows = []
    for ax, name in zip(axes, (COVERED, COVERED_RANK_1), strict=True):
        found = halves(name)(runs)
        for place, covered in enumerate((True, False)):
            bottom = 0.0
            for kind, values in found.kinds().items():
                share = float(found.among(values, covered).mean())
                ax.bar(
                    place,
                    share,
                    0.6,
                    bottom=bottom,
                    color=COLOURS.get(KINDS[kind], "0.6"),
                    label=None if place else kind,
                )
                bottom += share
                rows.append({"fine-tuning": name, "template": "covered" if covered else "uncovered", "reply": kind})
                rows[-1]["share"] = share
        ax.set_xticks((0, 1), ("covered", "not covered"))
        ax.set(title=name, ylabel="share of held-out facts", ylim=(0, 1.02))
    legend_beside(axes[1])
    caption = (
        "What questions about held-out facts are answered with, after fine-tuning on subjects of one half of the "
        f"templates, along the whole gradient and along its part of rank 1. {said(runs['main'])}"
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="What is not covered stays silent",
    runs=lambda scale: {"main": covering_run(scale)},
    needs={"main": stored},
    claims=(PER_RELATION, LOW_RANK, HALLUCINATION),
    draw=draw,
)
