"""Where attention stands after pre-training (Figure 5), with AdamW and in the appendix's stages."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most
from lemmata.papers.knowledge.claims._acquisition import finished
from lemmata.papers.knowledge.claims._extraction_runs import main_run
from lemmata.papers.knowledge.claims._stages import OWN, SHARED, at_best_eta, staged_runs
from lemmata.report.plots import columns, heatmap, new_figure

FILTERED = 0.1  # of attention left on o; a third at the start
TOKENS = ("o", "s", "r or p")


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
        f"stream there. At [o s r] the subject has {runs['main'].arrays['attention_osr'][:, 1].mean():.2f}; the lemmas "
        "on stages 1 and 2 of gradient descent (attention-pattern) say nothing of where AdamW ends."
    ),
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
    claims=(FIGURE_5,),
    draw=draw,
)
