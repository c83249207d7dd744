"""How small an update of how little of the model reaches the facts (abstract), with AdamW; the theory's own low rank is
that of the gradient: `gradient.py`."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Runs, at_least
from lemmata.papers.knowledge.claims._drawing import described, reached
from lemmata.papers.knowledge.claims._extraction_runs import long_enough, main_run, on_all, watched_run
from lemmata.papers.knowledge.claims._trends import over_seeds
from lemmata.papers.knowledge.claims._tuned import Tuned, main, watched
from lemmata.report.plots import CYCLE, GREY, new_figure

PARTS = {"both": "A and w", "attention": "A alone", "neurons": "w alone, A frozen"}
FULL = on_all("AdamW")


class Update(NamedTuple):
    """A low-rank fine-tuning beside the full one; numbers are one a seed."""

    of: Tuned
    name: str

    @property
    def gain(self) -> np.ndarray:
        """Of extraction, over that before fine-tuning."""
        return self.of.after(self.name) - self.of.before()

    @property
    def behind(self) -> np.ndarray:
        """Of extraction, less that of full fine-tuning."""
        return self.of.after(self.name) - self.of.after(FULL)


def updates(tuned: Tuned) -> dict[tuple[str, str], str]:
    """(size, part of the model) -> the fine-tuning of that part which asks about every subject not held out."""
    found = {(name, "both"): name for name in tuned.ranks} | {("full", "both"): FULL}
    names = {("rank 1", "neurons"): "rank 1, neurons"}
    names |= {("full", part): f"AdamW, {part}" for part in ("attention", "neurons")}
    return found | {update: name for update, name in names.items() if name in tuned.tunings}


def _of_parts(runs: Runs) -> str:
    tuned = main(runs)
    found = [f"{size} of {PARTS[part]} {tuned.mean(name):.2f}." for (size, part), name in updates(tuned).items()]
    words = " ".join(one[0].upper() + one[1:] for one in found)
    return f"After as many steps, in the base cell's seeds: {words} Before fine-tuning: {tuned.before().mean():.2f}."


LOW_RANK = Claim(
    id="low-rank-enough",
    locus="Abstract: the theory applies to both full and low-rank fine-tuning; consequence 4, read with AdamW",
    statement="When fine-tuning covers every template, a rank-1 update of $A$ and of $w$ recovers the stored facts: "
    "after as many steps its extraction is about that of full fine-tuning. Judged with AdamW at $10^{-3}$ for rank 1, "
    r"whose factors start from 0, and at $3 \cdot 10^{-4}$ in full (means over seeds).",
    subject=lambda runs: Update(watched(runs), "rank 1"),
    wrong=lambda runs: Update(watched(runs), "rank 1, neurons"),  # the neurons alone, attention frozen
    parts={
        "gain over before fine-tuning": over_seeds(lambda update: update.gain, at_least(0.25)),
        "rank 1 - full": over_seeds(lambda update: update.behind, at_least(-0.1)),
    },
    remark=_of_parts,
)


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    found = {update: tuned.after(name) for update, name in updates(tuned).items()}
    judged = watched(runs)
    found |= {(f"{name}, seeds judged", "both"): judged.after(name) for name in ("rank 1", FULL)}
    labels = [f"{size}, {PARTS[part]}" for size, part in found]
    figure, ax = new_figure(width=6.6, height=0.9 + 0.32 * len(found))
    heights = np.arange(len(found))[::-1]
    for height, ((_, part), values) in zip(heights, found.items(), strict=True):
        colour = CYCLE[list(PARTS).index(part)]
        ax.barh(height, values.mean(), xerr=values.std(), color=colour, alpha=0.75, height=0.7, capsize=2)
        ax.plot(values, np.full(len(values), height), "k.", markersize=3)
    ax.axvline(tuned.accuracy, color=GREY, linestyle=(0, (4, 3)), linewidth=1.1)
    ax.set_yticks(heights, labels)
    ax.set(xlabel="share of held-out facts (dashed: accuracy of pre-training)", xlim=(0, 1.02))
    caption = (
        "Extraction after full and low-rank fine-tuning with AdamW of the attention matrix A, of the neurons w, or of "
        "both; bars and whiskers are means and standard deviations over seeds, dots are seeds. The last two bars are "
        f"the {len(judged.run.config.seeds)} seeds of the verdict. The others: {described(tuned, every_seed=True)}"
    )
    table = {
        "update": labels,
        "mean": [float(values.mean()) for values in found.values()],
        "std": [float(values.std()) for values in found.values()],
        **reached(*[tuned] * (len(found) - 2), judged, judged),
    }
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="How small an update reaches the facts",
    runs=lambda scale: {"main": main_run(scale), "watched": watched_run(scale)},
    needs={"main": long_enough, "watched": long_enough},
    claims=(LOW_RANK,),
    draw=draw,
)
