"""Figure 4 on relation sets: relations covered against the same left out; a wording that was taught against others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Protocol, RunResult, Runs, Seeds, at_least, near, of_result
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.run.relation_tuning import RelationTuning
from lemmata.report.plots import columns, legend, new_figure

FEWEST_RELATIONS, FEWEST_STORED = 8, 32
COVERED, WORDING = 0.3, 0.15  # the first is that of `fig-4-covered`


@dataclass(frozen=True)
class OverRelations(Seeds):
    """A number a relation: facts of one relation come out together."""

    unit = "relations"


@of_result
def stored(run: RunResult) -> str | None:
    """A need: there is something to unlock."""
    part = run.arrays["stored"][run.arrays["stored"] >= run.config.least_stored]
    if len(part) >= FEWEST_RELATIONS and part.sum() >= FEWEST_STORED:
        return None
    return (
        f"{run.config.model} has stored {part.sum()} facts in {len(part)} relations with {run.config.least_stored} or "
        f"more (wanted: {FEWEST_STORED} in {FEWEST_RELATIONS})"
    )


def shares(run: RunResult, covered: bool) -> np.ndarray:
    """[relation, wording (taught, other)]: which share of its stored facts comes out, over all seeds."""
    names = list(dict.fromkeys(run.column("relation").tolist()))
    where = [{"relation": name, "covered": covered} for name in names]
    return np.array([[run.column(side, **one).mean() for side in ("taught", "other")] for one in where])


def by_covering(run: RunResult) -> np.ndarray:
    """Covered less left out, a relation, over both wordings."""
    return (shares(run, True) - shares(run, False)).mean(axis=1)


def by_wording(run: RunResult) -> np.ndarray:
    """Taught less other, a relation that is covered."""
    return shares(run, True) @ np.array([1.0, -1.0])


def mislabelled(run: RunResult) -> np.ndarray:
    """Every other relation is called covered when it is left out."""
    gaps = by_covering(run)
    return gaps * np.where(np.arange(len(gaps)) % 2, -1, 1)


def in_words(runs: Runs) -> str:
    run = runs["main"]
    on, out = shares(run, True).mean(axis=0), shares(run, False).mean(axis=0)
    known = run.arrays["stored"]
    return (
        f"{run.config.model} has stored {known.sum()} of {run.arrays['looked_at'].sum()} facts that were looked at. Of "
        f"those of covered relations {on[0]:.2f} come out in a wording that was taught and {on[1]:.2f} in another; of "
        f"the same relations left out {out[0]:.2f} and {out[1]:.2f}. Means over relations; "
        f"{len(run.config.seeds)} seeds of {run.config.questions} questions, each relation covered and left out."
    )


def claim(**fields: Any) -> Claim:
    protocol = Protocol("the model, its facts and the schedule", below_paper=True)
    return Claim(protocol=protocol, remark=in_words, **fields)


OVER = {"over_seeds": True, "unit": "relations"}
SETS = claim(
    id="relation-sets",
    locus="Figure 4 (its caption alone); abstract: fine-tuning must cover the relations through which facts were "
    "encoded",
    statement="Asked as many questions, a pretrained language model gives stored facts of held-out subjects more often "
    "in relations that fine-tuning covers than in the same relations when it leaves them out.",
    subject=lambda runs: by_covering(runs["main"]),
    wrong=lambda runs: mislabelled(runs["main"]),
    parts={"covered - left out": Part(OverRelations, at_least(COVERED, **OVER))},
)
WORDINGS = claim(
    id="relation-sets-wordings",
    locus="Figure 4 (its caption alone); the theory asks every fact by one question prompt",
    statement="It is the relation that must be covered, not the wording: in covered relations stored facts of held-out "
    "subjects come out about as often in a wording that fine-tuning never used as in one that it did.",
    subject=lambda runs: by_wording(runs["main"]),
    wrong=lambda runs: by_covering(runs["main"]),
    parts={"taught wording - other": Part(OverRelations, near(0.0, atol=WORDING, **OVER))},
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    names = list(dict.fromkeys(run.column("relation").tolist()))
    on, out = shares(run, True), shares(run, False)
    order = np.argsort(by_covering(run))
    figure, ax = new_figure(width=6.4, height=max(2.6, 0.9 + 0.19 * len(names)))
    y = np.arange(len(names))
    ax.hlines(y, out.mean(axis=1)[order], on.mean(axis=1)[order], color="C7", lw=1)
    for values, side, mark, colour, label in (
        (on, 0, "o", "C0", "covered, taught wording"),
        (on, 1, "o", "C2", "covered, another wording"),
        (out, 0, "x", "C3", "left out, same wording"),
        (out, 1, "x", "C1", "left out, another wording"),
    ):
        ax.plot(values[order, side], y, mark, color=colour, ms=4, label=label)
    ax.set_yticks(y, [names[i] for i in order], fontsize=7)
    ax.set(xlabel="share of stored facts that come out", xlim=(-0.03, 1.03))
    legend(ax, fontsize=7, loc="best")
    rows = [
        {"relation": name, "covered": covered, "taught wording": float(a), "another": float(b)}
        for covered, table in ((True, on), (False, out))
        for name, (a, b) in zip(names, table.tolist(), strict=True)
    ]
    return Artefact(figure, columns(rows), f"Each relation is covered once and left out once a seed. {in_words(runs)}")


EXPERIMENT = Experiment(
    title="Relation sets: what fine-tuning covers comes out, in any wording",
    runs=lambda scale: {"main": RelationTuning(**sizes.RELATION_SETS.at(scale))},
    extra="lm",
    needs={"main": stored},
    claims=(SETS, WORDINGS),
    draw=draw,
    notes="Figure 4's data, axes and schedule are not in our text: all of them are ours. The relations are those of "
    "evandez/relations, from the user's copy; subjects that are asked were never asked in fine-tuning.",
)
