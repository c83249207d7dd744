"""What pre-training reaches: the least possible loss, and where attention stands afterwards (Figure 5)."""

from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Results
from lemmata.papers.knowledge.attention_stages import best_logit, grid as stages_grid, of_query
from lemmata.papers.knowledge.missing import may_lack_runs
from lemmata.papers.knowledge.run.training import Extraction, setting
from lemmata.papers.knowledge.run.tunings import main_run
from lemmata.papers.knowledge.theory.optimal_loss import optimal_fact_loss
from lemmata.report.plots import COLOURS, ceiling, heatmap, legend, new_figure, panel_label

NEAR = 0.05  # nats over the least loss that still count as near-optimal, and
KNOWN = 0.95  # the share of facts known; both chosen before the run
FILTERED = 0.1  # of attention left on o; a third at the start
TOO_SHORT = Undecided("a few steps at toy size: pre-training is not finished at this scale")


def acquisition_run(scale: Scale) -> Extraction:
    """Longer than the extraction runs, on fewer facts at laptop scale: it is about the end of pre-training. At smoke
    scale, where nothing is decided, a run that others make anyway."""
    if scale.name == "smoke":
        return main_run(scale)
    base = setting(scale)
    subjects = scale.pick(smoke=0, laptop=100, paper=base.facts.subjects)
    steps = scale.pick(smoke=0, laptop=4000, paper=base.pretraining.steps)
    pretraining = replace(base.pretraining, steps=steps, records=16)
    return replace(base, facts=replace(base.facts, subjects=subjects), pretraining=pretraining)


def the_run(results: Results) -> RunResult:
    return results.one(Extraction)


def learned(results: Results, value: Any) -> Any:
    return TOO_SHORT if results.scale.name == "smoke" else value


def least_loss(run: RunResult) -> float:
    """From the data: every subject has K templates."""
    facts = run.config.facts
    return optimal_fact_loss(np.full(facts.subjects, facts.multiplicity)).mean


def _reached(results: Results, record: int) -> dict[str, np.ndarray]:
    run = the_run(results)
    return {
        "facts known": run.arrays["pretraining.fact_accuracy"][:, record],
        "loss over the least": run.arrays["pretraining.full_loss"][:, record] - least_loss(run),
    }


NEAR_OPTIMAL = Claim(
    id="knowledge/pretrain-near-optimal",
    locus="Abstract: the model reaches near-optimal pre-training loss",
    statement=f"Next-token pre-training comes within {NEAR:g} nats of the least loss any predictor can have on the "
    f"data (log(K)/3: only the template after a subject is uncertain) and knows {KNOWN:g} of the facts at least, in "
    "every seed.",
    predict=lambda results: {"facts known": KNOWN, "loss over the least": NEAR},
    measure=lambda results: learned(results, _reached(results, -1)),
    control=lambda results: _reached(results, 0),  # the untrained model
    check=Each({"facts known": AtLeast(), "loss over the least": AtMost()}),
    remark="The facts are known long before; the excess then falls as the inverse of the number of steps and levels "
    "off at about .02 nats, with the rate and weight decay kept constant.",
)


def render_loss(results: Results) -> Artefact:
    run = the_run(results)
    config, steps = run.config, run.arrays["pretraining.step"]
    excess = run.arrays["pretraining.full_loss"] - least_loss(run)
    known, templates = run.arrays["pretraining.fact_accuracy"], run.arrays["pretraining.template_accuracy"]
    figure, (left, right) = new_figure(1, 2, width=9.0)
    for seed, values in enumerate(excess):
        left.plot(steps[1:], values[1:], "o-", color=COLOURS["blue"], markersize=3, linewidth=1)
        label = "[o s r] gives the answer", "[o s] gives a template of the subject"
        names = label if seed == 0 else (None, None)
        right.plot(steps, known[seed], color=COLOURS["blue"], linewidth=1, label=names[0])
        right.plot(steps, templates[seed], color=COLOURS["vermillion"], linewidth=1, label=names[1])
    ceiling(left, NEAR, f"{NEAR:g} nats")
    ceiling(right, KNOWN)
    left.set(yscale="log", xlabel="step", ylabel="nats", title="loss over the least possible")
    right.set(xlabel="step", ylabel="share", ylim=(0, 1.03), title="known")
    for letter, ax in zip("ab", (left, right), strict=True):
        legend(ax, fontsize=7.5)
        panel_label(ax, letter)
    count = len(config.seeds)
    table = {
        "seed": np.repeat(config.seeds, len(steps)),
        "step": np.tile(steps, count),
        "loss over the least": excess.reshape(-1),
        "facts known": known.reshape(-1),
        "templates known": templates.reshape(-1),
    }
    caption = (
        f"Pre-training with AdamW, N = {config.facts.subjects}, |R| = {config.facts.templates}, "
        f"K = {config.facts.multiplicity}, d = {config.model.width}; a line for each of {count} seeds. The least loss, "
        f"from the data, is {least_loss(run):.4f} nats a question; the untrained model: {excess[:, 0].mean():.2f} over."
    )
    return Artefact(figure, table, caption)


def _filtered(results: Results, when: str = "") -> np.ndarray:
    return the_run(results).arrays[f"{when}attention_osr"][:, 0]


FIGURE_5 = Claim(
    id="knowledge/fig-5",
    locus="Figure 5",
    statement="After pre-training attention at [o s r], where the fact is recalled, has left the uninformative o: at "
    f"most {FILTERED:g} of it, mean over facts, in every seed. Our text has no heatmap; this is what it must show.",
    predict=lambda results: FILTERED,
    measure=lambda results: learned(results, _filtered(results)),
    control=lambda results: _filtered(results, "untrained."),
    check=AtMost(),
    remark="How the rest is divided depends on the training: see the claims attention-adamw and attention-pattern.",
)


def _pattern(results: Results, when: str = "") -> dict[str, np.ndarray]:
    run = the_run(results)
    width, two, three = run.config.model.width, run.arrays[f"{when}attention_os"], run.arrays[f"{when}attention_osr"]
    return {
        "3d/2 α₁ at [o s]": 1.5 * width * two[:, 0],
        "3d/2 α₁ at [o s r]": 1.5 * width * three[:, 0],
        "α₂/α₃, at least .7": three[:, 1] / three[:, 2],
        "α₂/α₃, at most 1.6": three[:, 1] / three[:, 2],
    }


ADAMW = Claim(
    id="knowledge/attention-adamw",
    locus="Lemma 10 and the lemma after it, under the training of the experiments",
    statement="The pattern that the lemmas have for gradient descent (α₁ ≤ 2/(3d) at [o s] and [o s r], α₂/α₃ in "
    "[.7, 1.6]) is also what AdamW finds; means over facts, in every seed.",
    predict=lambda results: {
        "3d/2 α₁ at [o s]": 1.0,
        "3d/2 α₁ at [o s r]": 1.0,
        "α₂/α₃, at least .7": 0.7,
        "α₂/α₃, at most 1.6": 1.6,
    },
    measure=lambda results: learned(results, _pattern(results)),
    control=lambda results: _pattern(results, "untrained."),
    check=Each(
        {
            "3d/2 α₁ at [o s]": AtMost(),
            "3d/2 α₁ at [o s r]": AtMost(),
            "α₂/α₃, at least .7": AtLeast(),
            "α₂/α₃, at most 1.6": AtMost(),
        }
    ),
    remark="AdamW puts nearly all of the attention at [o s r] on the subject, which alone decides the answer and is "
    "not in the residual stream there; r is. At [o s] the subject is there already, and o keeps its share.",
)


def staged_attention(run: RunResult) -> list[np.ndarray]:
    """At [o s], [o s r] and [o s p], at the end of staged descent and the first rate that suits Lemma 10 best."""
    where = {"step": run.config.steps, "first_logit": best_logit(run)}
    return [
        np.array([run.column(f"{prompt}_{token}", **where).mean() for token in range(length)])
        for prompt, length in (("two", 2), ("three", 3), ("asked", 3))
    ]


def render_figure_5(results: Results) -> Artefact:
    run = the_run(results)
    world = run.config.facts
    after = run.arrays["attention_osp"][0]  # of the first fine-tuning: seed, before and after, token
    found = {
        "AdamW": [run.arrays["attention_os"].mean(0), run.arrays["attention_osr"].mean(0), after[:, 0].mean(0)],
        "stages, last token asks": staged_attention(of_query(results, "last")),
        "stages, one query for all": staged_attention(of_query(results, "first")),
        "AdamW, fine-tuned": [None, None, after[:, 1].mean(0)],
    }
    prompts = ("[o s]", "[o s r]", "[o s p]")
    figure, axes = new_figure(1, 4, width=13.0, height=2.9)
    table: dict[str, list[Any]] = {name: [] for name in ("training", "prompt", "o", "s", "r or p")}
    for ax, (name, rows) in zip(axes, found.items(), strict=True):
        matrix = np.full((3, 3), np.nan)
        for place, (prompt, row) in enumerate(zip(prompts, rows, strict=True)):
            if row is None:
                continue
            matrix[place, : len(row)] = row
            for column, value in zip(table.values(), (name, prompt, *matrix[place]), strict=True):
                column.append(value)
        heatmap(ax, matrix, ("o", "s", "r or p"), prompts, vmin=0, vmax=1)
        ax.set(title=name, xlabel="attended token")
    axes[0].set_ylabel("prompt")
    caption = (
        f"Attention of the last position, mean of facts and seeds ({len(run.config.seeds)}). Left: after pre-training "
        f"with AdamW (N = {world.subjects}, d = {run.config.model.width}, K = {world.multiplicity}, |R| = "
        f"{world.templates}). Middle: at the end of gradient descent in the appendix's stages (see attention-pattern), "
        "for the two readings of whose query asks (at [o s p], p has not been trained). Right: [o s p] after "
        "fine-tuning. The paper's lemmas want 0 on o and equal parts on s and r during stages 1 and 2."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    may_lack_runs(
        Experiment(
            id="knowledge/pretrain-near-optimal",
            title="Pre-training loss against the least possible",
            grid=lambda scale: (acquisition_run(scale),),
            claims=(NEAR_OPTIMAL,),
            render=render_loss,
        )
    ),
    may_lack_runs(
        Experiment(
            id="knowledge/fig-5",
            title="Attention after pre-training",
            grid=lambda scale: (acquisition_run(scale), *stages_grid(scale)),
            claims=(FIGURE_5, ADAMW),
            render=render_figure_5,
        )
    ),
)
