"""Readings of what our text leaves open (what pre-trains, whose query asks, whether o opens a sentence, what
fine-tunes), each through the same pipeline: which of them makes which statement true."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Protocol, Runs, Scale, at_least, at_most, mean_near
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import STORED, stored
from lemmata.papers.knowledge.claims._pipeline import (
    ADAMW,
    ALL,
    ATTENTION,
    NEURONS,
    TUPLE,
    Pair,
    Tuned,
    after,
    pipeline,
    reading_tunings,
    share,
)
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.run.pipeline import Pipeline
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.split_draws import SplitDraws
from lemmata.papers.knowledge.task import FactsConfig
from lemmata.papers.knowledge.theory import leak
from lemmata.report.plots import COLOURS, columns, legend_beside, new_figure

THEORY, ONE_QUERY, LAST = "stages, one query", "AdamW, one query", "AdamW, last token asks"
PRINTED, WITHOUT_O, UNIFORM = "as printed", "last token, no o", "uniform attention"
PHRASE = "last token, phrases of three"
DRAWN = "drawn splits"
OURS = Protocol("the size, the split and what fine-tunes", "our text is cut before it says")
STATEMENTS: Mapping[str, Part] = {  # of a reading's `Tuned`, each under one rule
    "silent before": share_over_seeds(lambda tuned: tuned.untuned().extraction, at_most(0.05)),
    "extraction": share("extraction", at_least(0.6)),
    "with AdamW": share_over_seeds(lambda tuned: tuned.after(ADAMW).extraction, at_least(0.6)),
    "neurons alone": share_over_seeds(lambda tuned: tuned.after(NEURONS).extraction, at_least(0.6)),
    "attention alone": share_over_seeds(lambda tuned: tuned.after(ATTENTION).extraction, at_least(0.6)),
    "nothing forgotten": share("stored", at_least(0.99)),
}


def reading_configs(scale: Scale) -> dict[str, Pipeline]:
    facts = FactsConfig(**sizes.READING_FACTS.at(scale))
    k = facts.multiplicity
    base = Pipeline(
        facts=facts,
        model=OneLayerConfig(**sizes.MODEL.at(scale), neuron_start=sizes.EXTRACTION_NEURON_START.at(scale)),
        stages=None,
        pretraining=PreTrainingConfig(**sizes.READING_PRETRAINING.at(scale)),
        tunings=tuple(reading_tunings(scale).values()),
        seeds=sizes.seeds(scale, sizes.READING_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )
    many = sizes.seeds(scale, sizes.JUDGED_READING_SEEDS, sizes.PIPELINE_FIRST_SEED)
    longer = replace(base.pretraining, steps=sizes.UNIFORM_STEPS.at(scale))
    unopened = replace(facts, opened=False)
    return {
        THEORY: replace(pipeline(scale, reading_tunings(scale)), seeds=base.seeds),
        ONE_QUERY: replace(base, model=replace(base.model, query="first")),
        LAST: replace(base, seeds=many),
        WITHOUT_O: replace(base, facts=unopened),
        PRINTED: replace(base, facts=replace(unopened, templates=k)),
        PHRASE: replace(
            base,
            facts=replace(facts, phrase=3),
            pretraining=replace(base.pretraining, steps=sizes.PHRASE_STEPS.at(scale)),
            seeds=sizes.seeds(scale, sizes.PHRASE_SEEDS, sizes.PIPELINE_FIRST_SEED),
        ),
        UNIFORM: replace(base, model=replace(base.model, attention="uniform"), pretraining=longer, seeds=many),
    }


def reading_runs(scale: Scale) -> dict[str, Pipeline | SplitDraws]:
    return {**reading_configs(scale), DRAWN: SplitDraws(draws=sizes.SPLIT_DRAWS.at(scale))}


def reading(name: str, tuning: str = ALL) -> Callable[[Runs], Tuned]:
    return after(name, reading_tunings, tuning)


def _level(runs: Runs, name: str) -> str:
    tuned = Tuned(runs[name], reading_tunings(runs.scale))
    return f"{name}: {tuned.untuned().extraction.mean():.2f} before, {tuned.extraction.mean():.2f} after"


def _every(runs: Runs) -> str:
    found = "; ".join(_level(runs, name) for name in reading_configs(runs.scale))
    return f"Extraction in each reading, all seeds. {found}."


def extracts(id: str, name: str, locus: str, statement: str) -> Claim:
    return Claim(
        id=id,
        locus=locus,
        statement=f"{statement} gradient descent on questions about half of the subjects brings out the facts of the "
        "other half. Our split is by subject. Judged: the mean over all seeds.",
        subject=reading(name),
        wrong=lambda runs: Tuned(runs[name], reading_tunings(runs.scale)).untuned(),
        parts=share("extraction", at_least(0.6)),
        needs={name: stored},
        protocol=OURS,
        remark=_every,
    )


LAST_TOKEN = extracts(
    "extraction-last-token",
    LAST,
    "Abstract; core claim; fragments 42-45 with o and d, pre-trained with AdamW",
    "Where the last token asks and AdamW pre-trains,",
)
AS_PRINTED = extracts(
    "extraction-as-printed",
    PRINTED,
    "Fragments 39-45 as printed: samples (s, r), ([s r], a) and ([s p], a), no o and no d, K = |R|",
    r"With the data as printed ($[s_j] \to r_i$, $[s_j\,r_i] \to a_j$, $[s_j\,p] \to a_j$; $K = |\mathcal{R}|$) and "
    "AdamW in pre-training,",
)

IN_PHRASES = extracts(
    "extraction-phrase",
    PHRASE,
    "Figure 2 (its caption alone: 5-token data), read as s, a phrase of three tokens, a",
    "Where a template is a phrase of three tokens, the last token asks and AdamW pre-trains,",
)

WHO_MOVES = Claim(
    id="who-asks-decides",
    locus="beyond the paper; which matrix extraction needs, by whose query asks",
    statement="Which part of the model extraction needs depends on whose query asks. Where the last token asks, the "
    "attention matrix alone brings out most held-out facts, the neurons alone few. Judged: means over all seeds.",
    subject=lambda runs: Pair(*(reading(LAST, name)(runs) for name in (ATTENTION, NEURONS))),
    wrong=lambda runs: Pair(*(reading(THEORY, name)(runs) for name in (ATTENTION, NEURONS))),
    parts={
        "attention alone": share_over_seeds(lambda found: found.one.extraction, at_least(0.5)),
        "attention alone - neurons alone": over_seeds(lambda found: found.gain, at_least(0.2)),
    },
    needs={LAST: stored, THEORY: stored},
    protocol=OURS,
)

UNIFORM_FAILS = Claim(
    id="uniform-attention-fails",
    locus="Fragment 45 compares 'standard' and 'Uniform attention + MLP'; our text is cut before the outcome",
    statement="Attention that does not learn extracts fewer unseen facts than attention that does, both pre-trained to "
    "the same nearness to the least loss. Judged: the difference, its mean over all seeds.",
    subject=lambda runs: Pair(reading(LAST)(runs), reading(UNIFORM)(runs)),
    # attention that learned in pre-training and is frozen in fine-tuning
    wrong=lambda runs: Pair(reading(LAST, NEURONS)(runs), reading(UNIFORM)(runs)),
    parts=over_seeds(lambda found: found.gain, at_least(0.15)),
    needs={LAST: stored, UNIFORM: stored},
    protocol=OURS,
)


def small_worlds(runs: Runs) -> np.ndarray:
    return np.array([float(leak.leaked_share(n, k)) for n, k in runs[DRAWN].config.worlds])


class Split(NamedTuple):
    """A fine-tuning, how much its own split leaks in small worlds, and the one whose split is by subject."""

    tuned: Tuned
    leaks: np.ndarray  # draw, world
    by_subject: Tuned


SPLIT = Claim(
    id="split-leak",
    locus="Fragments 42-45: half of the tuples for fine-tuning, the rest for test",
    statement="Of the $NK$ tuples a random half, $H$, is for fine-tuning, so a held-out question stands there too "
    "unless all $K$ tuples of its subject are held out: a share $1 - \\binom{NK-K}{H} / \\binom{NK-1}{H}$ leaks. So "
    "accuracy reads higher than extraction of unseen facts. Judged: the share in drawn splits of small worlds, and the "
    "difference of accuracy by tuple and by subject, its mean over seeds.",
    subject=lambda runs: Split(reading(LAST, TUPLE)(runs), runs[DRAWN].arrays["leak"].T, reading(LAST)(runs)),
    # split by subject: no question stands in both halves
    wrong=lambda runs: Split(reading(LAST)(runs), runs[DRAWN].arrays["by_subject"].T, reading(LAST)(runs)),
    parts={
        "leak in drawn splits": Part(
            lambda split: split.leaks,
            mean_near(small_worlds, 4.0, 1e-9),
            along={"N, K": lambda runs: runs[DRAWN].config.worlds},
        ),
        "accuracy by tuple - by subject": over_seeds(
            lambda split: Pair(split.tuned, split.by_subject).gain, at_least(0.05)
        ),
    },
    needs={LAST: stored},
    protocol=OURS,
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=9.0)
    rows = []
    names = list(reading_configs(runs.scale))
    for place, name in enumerate(names):
        tuned = reading(name)(runs)
        excess = float(runs[name].arrays["excess"].mean())
        row: dict[str, object] = {"reading": name, "nats over the least": excess}
        for statement, part in STATEMENTS.items():
            found = part.read(tuned)
            low, high = found.interval()
            verdict = part.rule(part.rule.target, found).status if excess <= STORED else "undecided"
            row |= {statement: float(found.mean), f"{statement}, low": float(low), f"{statement}, high": float(high)}
            row[f"{statement}, verdict"] = verdict
        rows.append(row)
        for offset, (tuning, colour) in enumerate(
            {"before": "sky", ALL: "blue", ADAMW: "green", NEURONS: "orange", ATTENTION: "vermillion"}.items()
        ):
            values = tuned.untuned().extraction if tuning == "before" else tuned.after(tuning).extraction
            at = place + 0.17 * (offset - 2)
            ax.bar(at, values.mean(), 0.16, color=COLOURS[colour], label=None if place else tuning)
            ax.plot(np.full(len(values), at), values, "k.", markersize=2)
    counts = ", ".join(f"{len(runs[name].config.seeds)} of {name!r}" for name in names)
    ax.set_xticks(range(len(names)), [name.replace(", ", ",\n").replace(" of ", "\nof ") for name in names])
    ax.set(ylabel="held-out facts that come out", ylim=(0, 1.02))
    legend_beside(ax)
    caption = (
        "Extraction of held-out facts in each reading of our text, by what fine-tunes; bars are means over all seeds "
        f"({counts}), dots are seeds. The table has six statements under one rule each, "
        f"with 95% intervals; a reading further than {STORED} nats from the least loss decides nothing."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="Which reading makes which statement true",
    runs=reading_runs,
    claims=(LAST_TOKEN, AS_PRINTED, IN_PHRASES, WHO_MOVES, UNIFORM_FAILS, SPLIT),
    draw=draw,
)
