"""Figure 2: at the training length attention has two clear diagonals."""

import numpy as np

from lemmata.core import SHARE, Claim, Experiment, Part, Runs, Seeds, at_least
from lemmata.papers.lego.claims._attention_maps import draw_maps
from lemmata.papers.lego.claims._diagonals import answers_seen
from lemmata.papers.lego.claims._length_curves import JUDGED, NEEDS
from lemmata.papers.lego.run.length_training import length_runs

MOSTLY = 0.8  # of the attention lies on the two diagonals; of the rows have their largest entries there


def on_both(attention: np.ndarray) -> Seeds:
    """The attention on predicate l + 1 and on answer l together."""
    rows = np.arange(attention.shape[1])
    return Seeds((attention[:, rows, rows] + attention[:, rows, len(rows) + rows]).mean(axis=1), bounds=SHARE)


def led_by_both(attention: np.ndarray) -> Seeds:
    """The share of rows whose two largest entries are those of the diagonals."""
    rows = np.arange(attention.shape[1])
    largest = np.sort(np.argsort(attention, axis=2)[..., -2:], axis=2)
    return Seeds(np.all(largest == np.stack([rows, len(rows) + rows], axis=1), axis=2).mean(axis=1), bounds=SHARE)


def maps(runs: Runs, which: str = "map") -> dict[str, np.ndarray]:
    return {kind: runs[name].arrays[f"trained.{which}"] for kind, name in JUDGED.items()}


def remark(runs: Runs) -> str:
    found = []
    for name in JUDGED.values():
        attention = runs[name].arrays["trained.map"]
        rows = np.arange(attention.shape[1])
        predicate, answer = attention[:, rows, rows].mean(), attention[:, rows, len(rows) + rows].mean()
        led = int(np.sum(led_by_both(attention).values == 1))
        action = runs[name].config.task.action
        found.append(f"{action} {predicate:.2f} and {answer:.2f}, both leading in {led} of {len(attention)} seeds")
    return (
        f"On the predicate and on the answer lie: {'; '.join(found)}. The residual carries the answer's own value to "
        "the feed-forward network too, so a model can do without the second diagonal."
    )


FIGURE_2 = Claim(
    id="fig-2",
    locus="Section 7, Figure 2",
    statement="At the training length attention, averaged over heads and sentences, has two clear diagonals: from "
    r"answer $\ell$ to predicate $\ell + 1$ and to answer $\ell$. Judged: the two together, and the share of rows "
    "whose two largest entries are theirs. Control: the same models on sentences with permuted predicates, read as "
    "if they stood in order.",
    subject=maps,
    wrong=lambda runs: maps(runs, "map_permuted"),
    parts={
        f"{kind}, {name}": Part(lambda seen, kind=kind, read=read: read(seen[kind]), at_least(share, over_seeds=True))
        for name, read, share in (("on both", on_both, MOSTLY), ("rows led by both", led_by_both, MOSTLY))
        for kind in JUDGED
    },
    needs={family: (*needs, answers_seen) for family, needs in NEEDS.items()},
    remark=remark,
)

EXPERIMENT = Experiment(
    title="Two diagonals of attention",
    runs=length_runs,
    needs=NEEDS,
    claims=(FIGURE_2,),
    draw=lambda runs: draw_maps(runs, "Attention at the training length"),
)
