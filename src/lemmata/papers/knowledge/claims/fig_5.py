"""Where attention stands after pre-training (Figure 5), with AdamW and in the appendix's stages."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._acquisition import finished
from lemmata.papers.knowledge.claims._extraction_runs import main_run
from lemmata.papers.knowledge.claims._stages import OWN, SHARED, at_best_eta, staged_runs
from lemmata.report.plots import columns, heatmap, new_figure

FILTERED = 0.1  # of attention left on o; a third at the start
TOKENS = ("o", "s", "r or p")


class LastAttention(NamedTuple):
    """Of the last position, means over facts, a number a seed."""

    bound_two: np.ndarray  # 3d/2 times that on o, at [o s]
    bound_three: np.ndarray  # and at [o s r]
    ratio: np.ndarray  # on s over that on r, at [o s r]


def attention(run: RunResult, when: str = "") -> LastAttention:
    two, three = run.arrays[f"{when}attention_os"], run.arrays[f"{when}attention_osr"]
    unit = 1.5 * run.config.model.width
    return LastAttention(unit * two[:, 0], unit * three[:, 0], three[:, 1] / three[:, 2])


BY_SEED = {"seed": lambda runs: runs["main"].config.seeds}

FIGURE_5 = Claim(
    id="fig-5",
    locus="Figure 5 (its caption alone: attention after pre-training); what it must show is ours",
    statement=r"After pre-training with AdamW attention at $[o\,s_j\,r_i]$, where the fact is recalled, has left the "
    "uninformative $o$. Judged: the mean over facts, in every seed. Our text has the figure's caption alone.",
    subject=lambda runs: runs["main"].arrays["attention_osr"][:, 0],
    wrong=lambda runs: runs["main"].arrays["attention_os"][:, 0],  # at [o s], where the relation is to be guessed
    parts=Part(np.asarray, at_most(FILTERED), along=BY_SEED),
    remark=lambda runs: (
        f"At [o s] o keeps {runs['main'].arrays['attention_os'][:, 0].mean():.2f}: the subject is in the residual "
        "stream there. How the rest is divided depends on the training: see attention-adamw and attention-pattern."
    ),
)

ADAMW = Claim(
    id="attention-adamw",
    locus="beyond the paper; the bounds of Lemma 10 and the lemma after it, put on the end of AdamW",
    statement="The pattern that the lemmas have for stages 1 and 2 of gradient descent is also what AdamW ends in: "
    r"$\alpha_1 \le 2/(3d)$ at $[o\,s_j]$ and $[o\,s_j\,r_i]$, and $0.7 \le \alpha_2/\alpha_3 \le 1.6$. Judged: means "
    "over "
    "facts, in every seed.",
    subject=lambda runs: attention(runs["main"]),
    wrong=lambda runs: attention(runs["main"], "untrained."),
    parts={
        "3d/2 α₁ at [o s]": Part(lambda found: found.bound_two, at_most(1.0), along=BY_SEED),
        "3d/2 α₁ at [o s r]": Part(lambda found: found.bound_three, at_most(1.0), along=BY_SEED),
        "α₂/α₃, at least .7": Part(lambda found: found.ratio, at_least(0.7), along=BY_SEED),
        "α₂/α₃, at most 1.6": Part(lambda found: found.ratio, at_most(1.6), along=BY_SEED),
    },
    remark="The lemmas bound stages 1 and 2 of gradient descent and say nothing of AdamW or of the end. AdamW puts "
    "nearly all of the attention at [o s r] on the subject, which alone decides the answer and is not in the residual "
    "stream there; r is.",
)


def staged(run: RunResult) -> list[np.ndarray]:
    """At [o s], [o s r] and [o s p], at the end of staged descent and the first rate that suits Lemma 10 best."""
    where = {"step": run.config.steps, "first_logit": at_best_eta(run).logit}
    return [
        np.array([run.column(f"{prompt}_{token}", **where).mean() for token in range(length)])
        for prompt, length in (("two", 2), ("three", 3), ("asked", 3))
    ]


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    world = run.config.facts
    asked = run.arrays["attention_osp"][0].mean(axis=0)  # of the first fine-tuning: before and after, token
    panels = {
        "AdamW": [*(run.arrays[f"attention_{prompt}"].mean(axis=0) for prompt in ("os", "osr")), asked[0]],
        "stages, last token asks": staged(runs[OWN]),
        "stages, one query for all": staged(runs[SHARED]),
        "AdamW, fine-tuned": [[], [], asked[1]],
    }
    prompts = ("[o s]", "[o s r]", "[o s p]")
    figure, axes = new_figure(1, 4, width=13.0, height=2.9)
    table = []
    for ax, (name, rows) in zip(axes, panels.items(), strict=True):
        matrix = np.full((3, 3), np.nan)
        for place, (prompt, row) in enumerate(zip(prompts, rows, strict=True)):
            matrix[place, : len(row)] = row
            if len(row):
                table.append({"training": name, "prompt": prompt, **dict(zip(TOKENS, matrix[place], strict=True))})
        heatmap(ax, matrix, TOKENS, prompts, vmin=0, vmax=1)
        ax.set(title=name, xlabel="attended token")
    axes[0].set_ylabel("prompt")
    caption = (
        f"Attention of the last position, mean of facts and {len(run.config.seeds)} seeds. Left: after pre-training "
        f"with AdamW (N = {world.subjects}, d = {run.config.model.width}, K = {world.multiplicity}, |R| = "
        f"{world.templates}). Middle: after gradient descent in the appendix's stages, for the two readings of whose "
        "query asks (p has not been trained). Right: [o s p] after fine-tuning. The lemmas want 0 on o and equal parts "
        "on s and r during stages 1 and 2."
    )
    return Artefact(figure, columns(table), caption)


EXPERIMENT = Experiment(
    title="Attention after pre-training",
    runs=lambda scale: {"main": main_run(scale), **staged_runs(scale)},
    needs={"main": finished},
    claims=(FIGURE_5, ADAMW),
    draw=draw,
)
