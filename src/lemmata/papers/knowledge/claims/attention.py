"""Lemma 10 and its continuation under the lemma's own training: where attention goes in stages 1 and 2, and why."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._stages import (
    LEMMA,
    ON_FIRST,
    OWN,
    SHARED,
    SMALLEST,
    Stages,
    at_best_eta,
    holding,
    staged_runs,
    worst,
)
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.run.staged_pretraining import StagedPreTraining
from lemmata.papers.knowledge.theory.first_attention import subject_share
from lemmata.report.plots import COLOURS, GREY, ceiling, columns, legend_below, letter, new_figure

OURS = core.Protocol("sizes, learning rates, whose query asks and T_2", "the fragments give orders alone")
FEW = "own query, few sentences a template"


def _runs(scale: core.Scale) -> dict[str, StagedPreTraining]:
    """The lemma speaks of stages 1 and 2."""
    found, first = staged_runs(scale), sizes.STAGED_FIRST_SEED
    many = replace(found[SHARED], seeds=sizes.seeds(scale, sizes.LEMMA_SEEDS, first), steps=sizes.LEMMA_STEPS.at(scale))
    few = replace(
        found[OWN],
        facts=replace(found[OWN].facts, **sizes.FEW_SENTENCES.at(scale)),
        first_logits=sizes.FEW_SENTENCES_LOGITS.at(scale),
        steps=found[OWN].first_steps,
        seeds=sizes.seeds(scale, sizes.FEW_SENTENCES_SEEDS, first),
    )
    return found | {SHARED: many, FEW: few}


def _by_reading(runs: core.Runs) -> str:
    found = [
        f"α₂/α₃ at least {best.at_first('ratio_min').min():.2g} with α₁ at most "
        f"{best.at_first(*ON_FIRST).max() * 2 * best.width:.2g}/(2d) where {who}"
        for best, who in (
            (at_best_eta(runs[SHARED]), "one query serves all prompts"),
            (at_best_eta(runs[OWN]), "the last token asks"),
        )
    ]
    run = runs[SHARED]
    counts = ", ".join(f"{holding(Stages(run, logit)).sum()} at {logit:g}" for logit in run.config.first_logits)
    return (
        f"Of {len(run.config.seeds)} seeds it holds, by the logit that eta_1 gives d, in {counts}. "
        f"After stage 1, {' and '.join(found)}. There no first learning rate can do both. The step that takes r's "
        "attention from o gives it to r itself by the sum over all n_r sentences with r, to one subject by its own "
        "sentence alone (claim attention-cube-root). Our text does not say whose query asks; the lemma speaks for one."
    )


ATTENTION_PATTERN = core.Claim(
    id="attention-pattern",
    locus="Lemma 10, statements 2-4, and the lemma after it, statements 1-4, read with one query for all prompts",
    uses=("dummy-first",),
    statement=r"For all $j \in [N]$, $i \in \mathcal{B}_j$: $\alpha_1 \le 1/(2d)$ at $[o\,s_j]$ and $[o\,s_j\,r_i]$, "
    r"$0.8 \le \alpha_2/\alpha_3 \le 1.2$ at $[o\,s_j\,r_i]$ and no relation or answer is learned at $T_1$; for $T_1 "
    r"\le t \le T_2$ the bounds are $2/(3d)$, 0.7 and 1.6. We read $\alpha = \operatorname{softmax}(o A x_l)$, "
    r"gradient descent from $A = 0$, two steps of $\eta_1$, and $T_2$ where half is learned. Judged: in most "
    r"seeds all of this holds for the worst fact, at that $\eta_1$ of a range which suits the lemma best.",
    subject=lambda runs: at_best_eta(runs[SHARED]),
    wrong=lambda runs: at_best_eta(runs[OWN]),  # the last token asks: α = softmax(x_last A x_l)
    parts=core.Part(
        lambda stages: core.Successes(int(holding(stages).sum()), len(stages.seeds)),
        core.at_least(0.5, over_seeds=True),
    ),
    protocol=OURS,
    remark=_by_reading,
)


def over_log_d(stages: Stages, column: str) -> np.ndarray:
    """λ / log d times the column's values from the end of stage 1 to that of stage 2."""
    return stages.in_second(column) * stages.run.config.model.scale / np.log(stages.width)


def over_order_80(stages: Stages, column: str) -> np.ndarray:
    """The column's values after stage 1, over λ η₁ d K_s(j) / (n m), with n sentences."""
    config = stages.run.config
    facts, model = config.facts, config.model
    learning_rate = config.descent(stages.logit).lr[0]
    n = facts.subjects * facts.multiplicity
    return stages.at_first(column) / (
        model.scale * learning_rate * stages.width * facts.multiplicity / (n * model.neurons)
    )


class Responses(NamedTuple):
    """(1/m) Σ_k <w_k, Ξ> of d's neurons at [o], and of the answers' at their own prompts, the largest of all facts."""

    stages: Stages
    dummy: str = "dummy_response"
    answer: str = "answer_response"

    def by_seed(self) -> list["Responses"]:
        return [self._replace(stages=one) for one in self.stages.by_seed()]


DUMMY_FIRST = core.Claim(
    id="dummy-first",
    locus="Lemma 10, statement 1; the lemma after it, statement 5; equation (80)",
    statement=r"From $T_1$ to $T_2$ the neurons of $d$ respond to $o$: $\frac{1}{m} \sum_k \langle w_{d,k}, 2o "
    r"\rangle = \Omega(\log(d)/\lambda)$. At $T_1$ those of an answer respond to their own prompt by $\frac{1}{m} "
    r"\sum_k \langle w_{a_j,k}, \Xi([o\,s_j\,r_i]) \rangle = O(\lambda \eta_1 d K_s(j) / (nm))$. Judged under "
    "gradient descent with one query "
    "for all prompts, for the worst fact, mean over seeds; the constants, 1 and 1, are ours. The first is context: our "
    "learning rate of stage 1 is set by it.",
    protocol=OURS,
    subject=lambda runs: Responses(at_best_eta(runs[SHARED])),
    # the answers' response in the place of that of d, and the other way round
    wrong=lambda runs: Responses(at_best_eta(runs[SHARED]), "answer_response", "dummy_response"),
    parts={
        # By construction: the first learning rate is set by the logit that it gives d.
        "d, in log(d)/λ": replace(
            worst(lambda found: over_log_d(found.stages, found.dummy).min(), core.at_least(1.0)), carries=False
        ),
        "answers, in λ η₁ d K/(n m)": worst(
            lambda found: over_order_80(found.stages, found.answer).max(), core.at_most(1.0)
        ),
    },
)


def slopes(run: core.RunResult) -> np.ndarray:
    """Least-squares slope through 0 of log(α₂/α₃) on its prediction from α₁/α₃, after stage 1, for each seed."""
    found = []
    for alpha, sentences in zip(run.arrays["after_first"].astype(float), run.arrays["sentences"], strict=True):
        kept = np.all(alpha > SMALLEST, axis=-1)
        first, measured = (np.log(alpha[kept][:, place] / alpha[kept][:, 2]) for place in (0, 1))
        power = np.array([np.log(subject_share(np.exp(1.0), float(n))) for n in sentences])
        predicted = first * np.broadcast_to(power, alpha.shape[:-1])[kept]
        if not np.any(predicted):
            raise core.Undecided("no fact has attention that float32 can hold and a template with other sentences")
        found.append(np.sum(predicted * measured) / np.sum(predicted**2))
    return np.array(found)


CUBE_ROOT = core.Claim(
    id="attention-cube-root",
    locus="beyond the paper; Lemma 10, read with the last token asking",
    statement="Where the last token asks, after stage 1 attention to the subject has fallen with that to $o$: "
    r"$\alpha_2/\alpha_3 = (\alpha_1/\alpha_3)^{(1 - 1/n_r)/3}$, $n_r$ the number of sentences with the template. "
    r"Judged: the slope of $\log(\alpha_2/\alpha_3)$ on this prediction over all facts and first learning rates, one "
    r"number a seed; and, mean over seeds, where a template has so few sentences that $1/n_r$ tells.",
    subject=lambda runs: (runs[OWN], runs[FEW]),
    wrong=lambda runs: (runs[SHARED], runs[SHARED]),  # scores that depend on the key alone follow no such law
    parts={
        "many sentences": core.Part(
            lambda found: slopes(found[0]),
            core.near(1.0, atol=0.1),
            along={"seed": lambda runs: runs[OWN].config.seeds},
        ),
        "few sentences": over_seeds(lambda found: slopes(found[1]), core.near(1.0, atol=0.1)),
    },
)


CURVES = (
    (1, "ratio_min", "-", "least"),
    (1, "ratio_max", "--", "largest"),
    (2, "first_three", "-", "[o s r]"),
    (2, "first_two", "--", "[o s]"),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.5)
    table = []
    for name, label, colour in (
        (OWN, "last token asks", COLOURS["vermillion"]),
        (SHARED, "one query for all", COLOURS["blue"]),
    ):
        run = runs[name]
        best = at_best_eta(run).logit
        alpha = run.arrays["after_first"].astype(float).reshape(-1, 3)
        axes[0].plot(alpha[:, 0], alpha[:, 1] / alpha[:, 2], ".", color=colour, markersize=3, label=label)
        for ax, column, style, what in CURVES:
            steps, values = run.curve(column, first_logit=best)
            lines = axes[ax].plot(steps, np.maximum(values, 1e-12).T, style, color=colour, linewidth=1)
            lines[0].set(label=f"{label}, {what}")
        for logit in run.config.first_logits:
            stages = Stages(run, logit)
            row = {
                "query": run.config.model.query,
                "first logit": logit,
                "seeds in which it holds": int(holding(stages).sum()),
            }
            table.append(row | {name: float(part.read(stages).mean) for name, part in LEMMA.items()})
    run = runs[OWN]
    world = run.config.facts
    width, sentences = run.config.model.width, float(np.mean(run.arrays["sentences"]))
    shares = np.logspace(-9, 0, 60)
    follow = np.array([subject_share(share, sentences) for share in shares])
    law = "(α₁/α₃)^((1-1/n)/3)"
    axes[0].plot(shares / (1 + shares + follow), follow, color=COLOURS["black"], linewidth=1, label=law)
    axes[0].fill_between([1e-9, 1 / (2 * width)], 0.8, 1.2, color=GREY, alpha=0.3, linewidth=0, label="Lemma 10")
    axes[0].set(xscale="log", yscale="log", xlim=(1e-9, 1), ylim=(1e-3, 5))
    axes[0].set(xlabel="α₁ at [o s r]", ylabel="α₂/α₃", title="after stage 1, every fact")
    axes[1].set(yscale="log", xlabel="step", ylabel="α₂/α₃ at [o s r]", title="where the subject stands, all facts")
    axes[1].axhspan(0.7, 1.6, color=GREY, alpha=0.2, linewidth=0)
    axes[2].set(yscale="log", ylim=(1e-9, 1.2), xlabel="step", ylabel="largest α₁", title="attention to o")
    ceiling(axes[2], 1 / (2 * width), "1/(2d)")
    for ax in axes:
        legend_below(ax)
    letter(axes)
    caption = (
        f"Gradient descent in the appendix's stages, orthonormal embeddings, d = {width}, N = {world.subjects}, K = "
        f"{world.multiplicity}, |R| = {world.templates}, {len(run.config.seeds)} seeds. (a) A dot is a fact after "
        "two large steps, over a range of first learning rates; grey: what Lemma 10 allows; the line: what one step "
        "can do. (b), (c) At the learning rate that suits the lemma best, a line a seed; grey: the range allowed in "
        "stage 2."
    )
    return core.Artefact(figure, columns(table), caption)


EXPERIMENT = core.Experiment(
    title="Attention in the stages of pre-training",
    runs=_runs,
    claims=(ATTENTION_PATTERN, DUMMY_FIRST, CUBE_ROOT),
    draw=draw,
)
