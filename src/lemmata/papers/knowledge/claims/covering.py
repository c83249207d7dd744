"""Which facts come out, template by template: covered or not, what the failures are, what the prompt does."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Successes, Undecided, at_least, word
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.probe.covering import KINDS, after, effect, extraction, failures, of_failures
from lemmata.papers.knowledge.run.covering import CoveringRun
from lemmata.papers.knowledge.run.training import FRESH, setting
from lemmata.report.plots import COLOURS, CYCLE, GREY, columns, legend, letter, new_figure

DESCENT, RANK_1, ADAMW = 0, 1, 2  # the run's fine-tunings; the last is not judged, and left out on a laptop


def covering_run(scale: Scale) -> CoveringRun:
    """K = 1 and d = 256, where templates show; rates go down as the width goes up (a step of A moves scores by d^2)."""
    base = setting(scale)
    base = replace(base, facts=replace(base.facts, pad_multiplicity=None))
    facts = scale.pick(
        smoke=base.facts,
        laptop=replace(base.facts, subjects=200, templates=20, held_out=0.3),
        paper=replace(base.facts, subjects=400, templates=40, held_out=0.3),
    )
    pretraining = replace(base.pretraining, steps=scale.pick(smoke=40, laptop=500, paper=1000), records=4)
    slow, wide = (
        replace(pretraining, neuron_learning_rate=3e-4, attention_learning_rate=1e-5),
        replace(base.model, width=256),
    )
    tuning = replace(base.tuning, learning_rate=1e-4, steps=scale.pick(smoke=5, laptop=100, paper=100), records=1)
    return CoveringRun(
        facts=replace(facts, multiplicity=1),
        model=scale.pick(smoke=base.model, laptop=wide, paper=wide),
        pretraining=scale.pick(smoke=pretraining, laptop=slow, paper=slow),
        tuning=tuning,
        adamw=scale.name != "laptop",
        seeds=tuple(FRESH + seed for seed in scale.seeds(smoke=2, laptop=24, paper=24)),
    )


class Covering(NamedTuple):
    """After one fine-tuning, or before (None); `shuffled`: half of the templates called covered are."""

    run: RunResult
    tuning: int | None
    shuffled: bool = False

    @property
    def gap(self) -> np.ndarray:
        """Extraction of covered less that of uncovered facts, for each seed."""
        return np.subtract(*extraction(self.run, self.tuning, shuffled=self.shuffled))

    @property
    def seeds_not_below(self) -> Successes:
        return Successes(int((self.gap >= 0).sum()), len(self.gap))

    @property
    def stored(self) -> np.ndarray:
        """Of the uncovered facts that do not come out, those whose own sentence gives the answer, for each seed
        that has such facts."""
        return self._of_failures(after(self.run, "recalled", self.tuning))

    @property
    def own(self) -> np.ndarray:
        """Of the uncovered facts that do not come out, those answered with their own relation, for each
        seed that has such facts."""
        reply = after(self.run, "reply", self.tuning)
        return self._of_failures((reply == 1 + self.run.arrays["templates"]).astype(float))

    def _of_failures(self, values: np.ndarray) -> np.ndarray:
        found = of_failures(self.run, values, covered=False, tuning=self.tuning)
        some = np.isfinite(found)
        if 2 * some.sum() < len(found):
            raise Undecided("in most seeds every held-out fact comes out: there are no failures to look at")
        return found[some]


GAP = {
    "mean over seeds": over_seeds(lambda found: found.gap, at_least(0.25)),
    "seeds in which it is none or more": Part(lambda found: found.seeds_not_below, at_least(0.75, over_seeds=True)),
    "uncovered and not reached, but stored": share_over_seeds(lambda found: found.stored, at_least(0.9)),
}


def tendency(runs: Runs) -> str:
    covered, uncovered = extraction(runs["main"], DESCENT)
    said = f"A tendency, not a switch: {covered.mean():.2f} and {uncovered.mean():.2f}."
    if not runs["main"].config.adamw:
        return said
    return (
        f"{said} With AdamW the difference is {np.mean(np.subtract(*extraction(runs['main'], ADAMW))):.2f}: it moves "
        "the neurons of every relation token by steps of one size, however small their gradient, so uncovered "
        "relations fall too."
    )


PER_RELATION = Claim(
    id="covering-per-relation",
    locus="Abstract; the relation-covering characterization: what is not covered may be stored but is inaccessible",
    statement="A held-out fact comes out more often when fine-tuning covers its template: each fact is asked for after "
    "fine-tuning on one half of the templates and on the other; shown is the difference in extraction. The uncovered "
    "facts that do not come out are still stored: their sentences give them. Gradient descent, as in the theory; "
    "K = 1, d = 256. The bare covering formula says 1 and 0.",
    wording={"K = 1": word("K = {}", "main.facts.multiplicity"), "d = 256": word("d = {}", "main.model.width")},
    subject=lambda runs: Covering(runs["main"], DESCENT),
    wrong=lambda runs: Covering(runs["main"], DESCENT, shuffled=True),  # half of those called covered are
    parts=GAP,
    remark=tendency,
)

LOW_RANK = Claim(
    id="low-rank-covering",
    locus="Abstract: low-rank adaptation recovers knowledge when relation coverage is sufficient; equation (216)",
    statement="With gradients of rank 1 coverage decides as it does in full: covered facts come out more often than "
    "the same facts uncovered, and those that do not are still stored.",
    subject=lambda runs: Covering(runs["main"], RANK_1),
    wrong=lambda runs: Covering(runs["main"], RANK_1, shuffled=True),
    parts=GAP,
    remark=lambda runs: "Covered and uncovered: {:.2f} and {:.2f}.".format(
        *(values.mean() for values in extraction(runs["main"], RANK_1))
    ),
)

HALLUCINATION = Claim(
    id="hallucination-regime",
    locus="Abstract: insufficient coverage leaves facts stored but inaccessible, a stylized mechanism of "
    "hallucination; what is said instead is ours",
    statement="Facts of uncovered templates that fine-tuning does not reach are stored, and are answered with the "
    "subject's own relation token, the text that followed the subject in pre-training (shares of those failures, means "
    "over seeds).",
    subject=lambda runs: Covering(runs["main"], DESCENT),
    wrong=lambda runs: Covering(runs["main"], None),  # before fine-tuning no question is understood
    parts={
        "stored": share_over_seeds(lambda found: found.stored, at_least(0.9)),
        "answered with its own relation": share_over_seeds(lambda found: found.own, at_least(0.5)),
    },
)


def likeness(runs: Runs, part: int) -> np.ndarray:
    """For each seed, in units of 1/sqrt(C): the correlation of an even mixture of C directions with each of them."""
    run = runs["main"]
    return effect(run, "ask_likeness")[part] * np.sqrt(run.config.facts.templates // 2)


MIXTURE = Claim(
    id="prompt-as-mixture",
    locus="beyond the paper; abstract: the prompt format becomes a trigger for relation features, read as a mixture",
    statement="Fine-tuning makes the prompt p act on the neurons of held-out answers as a mixture of the covered "
    "relation directions does. Shown: by how much the correlation with each grows, in units of that of an even mixture "
    "of C directions, 1/√C (mean over covered templates and seeds).",
    subject=lambda runs: likeness(runs, 0),
    wrong=lambda runs: likeness(runs, 1),  # uncovered templates
    parts=over_seeds(np.asarray, at_least(0.5)),
    remark="Our reading of a trigger, which can hardly hold: no question about a held-out answer ever raises it. "
    "Fine-tuning teaches p to look at the subject, which drives its answer already (Lemma 15), and to silence the "
    "relation tokens of the templates it covers (claim prompt-silences-relations).",
)

SILENCE = Claim(
    id="prompt-silences-relations",
    locus="beyond the paper; a mechanism of covering",
    statement="Fine-tuning lowers what p adds to the neurons of a relation token by more when its template is covered "
    "(in logits, mean over seeds): so covered facts come out where uncovered ones give the relation.",
    subject=lambda runs: np.subtract(*effect(runs["main"], "ask_pull")),
    wrong=lambda runs: np.subtract(*effect(runs["main"], "ask_pull", shuffled=True)),
    parts=over_seeds(lambda gap: -gap, at_least(0.5)),
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, seeds = run.config, len(run.config.seeds)
    figure, axes = new_figure(1, 4, width=15.0, height=3.5)
    colours = {"covered": COLOURS["blue"], "uncovered": COLOURS["vermillion"]}
    rows = []

    def note(what: str, tuning: str, group: str, values: np.ndarray) -> None:
        row = {"what": what, "fine-tuning": tuning, "template": group}
        rows.append(row | {"mean": float(np.mean(values)), "std": float(np.std(values))})

    shown = list(run.config.tunings)
    for ax, column, unit, title in (
        (axes[0], None, "extraction", "held-out facts that come out"),
        (axes[2], "ask_pull", "change, logits", "p on the relation token"),
        (axes[3], "ask_likeness", "change of correlation", "p against r, on answers"),
    ):
        for place, name in enumerate(shown):
            found = effect(run, column, place) if column else extraction(run, place)
            for offset, (group, values) in enumerate(zip(colours, found, strict=True)):
                at = place + 0.36 * (offset - 0.5)
                ax.bar(at, values.mean(), 0.34, color=colours[group], label=group if place == 0 else None)
                ax.plot(np.full(seeds, at), values, "o", color=COLOURS["black"], markersize=3)
                note(title, name, group, values)
        ax.set_xticks(range(len(shown)), shown)
        ax.axhline(0, color=GREY, linewidth=0.8)
        ax.set(ylabel=unit, title=title)
    axes[0].set_ylim(0, 1)
    for place, group in enumerate(colours):
        bottom = 0.0
        for kind, share, colour in zip(
            KINDS, np.nan_to_num(failures(run, covered=group == "covered")).T, CYCLE, strict=False
        ):
            axes[1].bar(place, share.mean(), 0.6, bottom=bottom, color=colour, label=kind if place == 0 else None)
            bottom += share.mean()
            note(f"failures: {kind}", "descent", group, share)
    axes[1].set_xticks([0, 1], list(colours))
    axes[1].set(xlim=(-0.5, 2.9), ylim=(0, 1), ylabel="share of the failures", title="in place of the answer")
    for ax in axes:
        legend(ax, fontsize=7, loc="center right" if ax is axes[1] else "best")
    letter(axes)
    caption = (
        f"Covering, template by template: N = {config.facts.subjects}, |R| = {config.facts.templates}, K = 1, "
        f"d = {config.model.width}; pre-training accuracy {run.arrays['pretraining.fact_accuracy'].mean():.3f}, loss "
        f"{run.arrays['pretraining.excess'].mean():.3f} nats over the least; {seeds} seeds (dots). Every held-out fact "
        "is asked for after fine-tuning on the half of the templates that has its own, and on the other. (b) What "
        "gradient descent leaves in place of the answer. (c) Change of what p adds to the neurons of the relation "
        "token. (d) Change of the correlation, over held-out answers, of what p and what r add to their neurons."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="Covered and uncovered templates, and what failures look like",
    runs=lambda scale: {"main": covering_run(scale)},
    needs={"main": stored},
    claims=(PER_RELATION, LOW_RANK, HALLUCINATION, MIXTURE, SILENCE),
    draw=draw,
)
