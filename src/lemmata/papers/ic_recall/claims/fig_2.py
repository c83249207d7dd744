"""Figure 2: attention is pairwise at convergence."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, at_least
from lemmata.papers.ic_recall.claims._pattern_shape import (
    FIRST_STEP,
    LEAD,
    Panels,
    attention,
    attention_table,
    draw_attention,
)
from lemmata.papers.ic_recall.run.adam_fine_tuning import AdamFineTuning
from lemmata.papers.ic_recall.task import RandomBijections
from lemmata.report.plots import new_figure, panel_label

PANELS: dict[str, dict[str, Any]] = {
    "left": {"world": RandomBijections(n=8, relations=64), "k": 2, "temperature": 0.05},
    "right": {"world": RandomBijections(n=8, relations=512), "k": 3, "temperature": 0.01},
}


def _runs(scale: Scale) -> dict[str, RunConfig]:
    seeds = scale.seeds(smoke=2, laptop=10, paper=10)
    few = scale.seeds(smoke=1, laptop=2, paper=10)
    steps = scale.pick(smoke=3000, laptop=10_000, paper=20_000)
    full_seeds = {"left": few, "right": few[:3]}
    full_steps = {
        "left": scale.pick(smoke=400, laptop=1600, paper=4000),
        "right": scale.pick(smoke=80, laptop=400, paper=1600),
    }
    shown = list(PANELS)[: scale.pick(smoke=1, laptop=2, paper=2)]
    runs: dict[str, RunConfig] = {
        f"block/{side}": AdamFineTuning(**PANELS[side], seeds=seeds, steps=steps) for side in shown
    }
    for side in shown:
        runs[f"full/{side}"] = AdamFineTuning(
            **PANELS[side], trained="full W^KQ", seeds=full_seeds[side], steps=full_steps[side]
        )
    return runs


def _panels(runs: Runs, trained: str, record: int) -> Panels:
    return [attention(run, record) for run in runs.group(trained).values()]


PAIRWISE = Claim(
    id="fig-2",
    locus="Figure 2 and Section 4.1",
    statement="At convergence the first decoding step attends in pairs: the two tokens of an in-context pair get the "
    "same weight, different pairs different weights, query subject and EoS none; with two pairs (left) and with three "
    "(right). The second step attends most to the query subject.",
    subject=lambda runs: _panels(runs, "block", -1),
    wrong=lambda runs: _panels(runs, "block", 0),
    parts=FIRST_STEP
    | {
        "query subject / next": Part(
            lambda panels: np.concatenate([panel.lead(over_eos=True) for panel in panels]), at_least(LEAD)
        )
    },
    remark="From exactly zero, and without a push: random sequences are not symmetric under exchange of the pairs, and "
    "that asymmetry, small as it is, decides which pair becomes the heavier one. The second step leads by a factor, "
    "not by everything: once the answer is right its loss hardly pushes any more. The control is the untrained model.",
)

PAIRWISE_FULL = Claim(
    id="fig-2-full",
    locus="Section 2.3, partial fine-tuning; Section 5",
    statement="Without the restriction to the position block, training all of W^KQ finds the same solution at the "
    "first decoding step: attention averaged over fresh sequences is pairwise.",
    subject=lambda runs: _panels(runs, "full", -1),
    wrong=lambda runs: _panels(runs, "full", 0),
    parts=FIRST_STEP,
    remark="On average over sequences. The second step is another matter: see `ic-recall/second-step-full`.",
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(2, 2, width=11, height=4.4, squeeze=False, width_ratios=(7, 9))
    for line, trained in enumerate(("block", "full")):
        group = runs.group(trained)
        for column, side in enumerate(PANELS):
            ax = axes[line, column]
            if side not in group:
                ax.set_axis_off()
                continue
            draw_attention(ax, group[side])
            ax.set_title(f"{group[side].config.trained}: {ax.get_title()}")
            panel_label(ax, "abcd"[2 * line + column])
    config = runs["block/left"].config
    caption = (
        f"Attention at convergence, |S| = |A| = {config.world.n}, memory of Lemma 3.1, Adam at {config.rate:g} on "
        f"{max(config.sequences)} sequences; rows are the two decoding steps. (a, b) The position block alone, "
        f"{config.steps} steps, one of {len(config.seeds)} seeds (which pair is heavier differs between seeds; all are "
        f"in the table). (c, d) All of W^KQ, averaged over {config.test_sequences} fresh sequences."
    )
    return Artefact(figure, attention_table(dict(runs.items())), caption)


EXPERIMENT = Experiment(
    title="Pairwise attention at convergence",
    runs=_runs,
    claims=(PAIRWISE, PAIRWISE_FULL),
    draw=draw,
    notes="|S| = 8 and |R| = 64 cannot satisfy Assumption 2.2 (at most 56 relations can); the pattern emerges all the "
    "same.",
)
