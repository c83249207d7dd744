"""Lemma 3.1 and Lemma A.1, which restates and proves it: the constructed memory recalls every fact."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, crossed, exactly, near
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import WORLDS as FIGURES
from lemmata.papers.ic_recall.claims._formula import slip
from lemmata.papers.ic_recall.run.memory import DIRECTIONS, ROUNDING, MemoryRecall
from lemmata.papers.ic_recall.task import Affine, AllBijections
from lemmata.report import plots

# The values in the proof of Lemma A.1, by what is asked and whose logit it is: as printed, and as they are.
LOGITS = {
    ("answer", "the answer"): (4, 4),
    ("answer", "other answers"): (1, 2),
    ("answer", "subjects"): (1, 1),
    ("answer", "relations"): (1, 1),
    ("relation", "fitting relations"): (4, 4),
    ("relation", "other relations"): (2, 2),
    ("relation", "answers"): (1, 1),
    ("relation", "subjects"): (1, 1),
    ("subject", "the subject"): (4, 4),
    ("subject", "other subjects"): (1, 2),
    ("subject", "answers"): (1, 1),
    ("subject", "relations"): (1, 1),
}
PRINTED, ACTUAL = np.array([*LOGITS.values()], float).T
WORLDS = {
    "all bijections": AllBijections(n=3),
    "8-64": FIGURES["8"],
    "16-128": FIGURES["16"],
    "affine": Affine(n=11),
    "32-512": FIGURES["32"],
}


def _runs(scale: Scale) -> dict[str, RunConfig]:
    worlds = [*WORLDS.items()][: sizes.MEMORY_WORLDS.at(scale)]
    return {f"recall/{name}": MemoryRecall(world=world) for name, world in worlds}


def _recalled(runs: Runs, memory: str) -> list[float]:
    """The share of facts recalled by the "whole" or the "broken" memory, by world and direction."""
    worlds = runs.group("recall").values()
    found = [run.column("recalled", memory=memory, direction=direction) for run in worlds for direction in DIRECTIONS]
    return [float(column[0]) for column in found]


def _logits(runs: Runs, memory: str) -> np.ndarray:
    """Smallest and largest logit of each kind of token, over the worlds."""
    worlds, rows = runs.group("recall").values(), []
    for direction, kind in LOGITS:
        where = {"memory": memory, "direction": direction, "logit_of": kind}
        low = min(run.column("smallest", **where).min() for run in worlds)
        rows.append((low, max(run.column("largest", **where).max() for run in worlds)))
    return np.array(rows)


CLAIMS = (
    Claim(
        id="lemma-3.1",
        locus="Lemma 3.1 (Lemma A.1)",
        statement=r"There is an MLP layer $f_{\text{MLP}}(x) = V^\top\sigma(Wx)$, $\sigma(x) = x^2$, of width "
        r"$O(|\mathcal{S}| \cdot |\mathcal{A}|)$ such that for any triplet $(s, r, a)$ with $r(s) = a$ the argmax over "
        r"the whole vocabulary recovers $a$ from $\phi(s) + \phi(r)$, $r$ from $\phi(a) + \phi(s)$ and $s$ from "
        r"$\phi(a) + \phi(r)$. Judged for the construction of width $3|\mathcal{S}||\mathcal{A}|$; of several "
        "relations that map $s$ to $a$ any counts.",
        subject=lambda runs: _recalled(runs, "whole"),
        wrong=lambda runs: _recalled(runs, "broken"),
        parts=Part(
            list, exactly(1.0), along={"fact": lambda runs: crossed(world=runs.group("recall"), asked=DIRECTIONS)}
        ),
        remark="The control silences the three hidden units of one $(s, a)$ pair.",
    ),
    Claim(
        id="lemma-a.1-values",
        locus="Appendix A, proof of Lemma A.1",
        statement="For relations that are bijections the constructed memory gives the logit 4 to what is asked. Given "
        r"$\phi(s) + \phi(r)$ every other answer has the logit 1, given $\phi(a) + \phi(r)$ every other subject, and "
        "all other tokens have the proof's values.",
        subject=lambda runs: _logits(runs, "whole"),
        wrong=lambda runs: _logits(runs, "broken"),
        parts=Part(
            np.array,
            near(np.stack([PRINTED] * 2, axis=1), atol=ROUNDING),
            corrected=np.stack([ACTUAL] * 2, axis=1),
            along={
                "logit": [f"{kind}, asked for the {asked}" for asked, kind in LOGITS],
                "over facts": ("least", "largest"),
            },
        ),
        correction=slip(
            "step of a proof",
            printed=r"$\phi(a')^\top f_{\text{MLP}}(\phi(s)+\phi(r)) = 1$ for $a' \ne a$; $\phi(s')^\top "
            r"f_{\text{MLP}}(\phi(a)+\phi(r)) = 1$ for $s' \ne s$",
            right=r"$\phi(a')^\top f_{\text{MLP}}(\phi(s)+\phi(r)) = 2$ for $a' \ne a$; $\phi(s')^\top "
            r"f_{\text{MLP}}(\phi(a)+\phi(r)) = 2$ for $s' \ne s$",
            reason="$a'$ receives 1 from the unit of $(s, a')$, which reads $s$, and 1 more from the unit of $(s', "
            "a')$ with $s' = r^{-1}(a')$, which reads $r$; the proof counts only the first. Likewise for $s'$.",
            survives="Lemma 3.1 and Lemma A.1; the margin is 2, not 3.",
        ),
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, ax = plots.new_figure(height=3.6)
    asked, names = zip(*LOGITS, strict=True)
    place, (smallest, largest) = np.arange(len(names)), _logits(runs, "whole").T
    ax.barh(place, largest, 0.6, label="measured (all worlds)")
    wrong = PRINTED != ACTUAL
    ax.plot(PRINTED[~wrong], place[~wrong], "o", color="black", markersize=4, label="printed")
    ax.plot(PRINTED[wrong], place[wrong], "X", color="red", markersize=8, label="printed, wrong")
    ax.set_yticks(place, names, fontsize=7)
    for row, direction in enumerate(DIRECTIONS):
        ax.text(4.15, 4 * row + 1.5, f"asked: {direction}", rotation=90, va="center", fontsize=7)
        ax.axhline(4 * row - 0.5, color="grey", linewidth=0.6)
    ax.invert_yaxis()
    ax.set(xlabel="logit", title="Lemma A.1: values in the proof")
    plots.legend(ax, loc="lower right", fontsize=7)
    table = {"asked": asked, "logit_of": names, "printed": PRINTED, "smallest": smallest, "largest": largest}
    worlds = runs.group("recall").values()
    caption = (
        f"Logits of the constructed memory over all {sum(int(world.metrics['facts'][0]) for world in worlds)} facts of "
        f"{len(worlds)} worlds, by what is asked and whose logit it is; each kind takes one value. The crosses are "
        "values printed in the proof of Lemma A.1 that do not hold for bijections; the lemma itself does."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(title="The associative memory recalls every fact", runs=_runs, claims=CLAIMS, draw=draw)
