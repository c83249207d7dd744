"""The constructed memory recalls every fact in three directions (Lemma 3.1); the relation cannot be skipped (B.1)."""

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunConfig,
    Runs,
    Scale,
    at_most,
    crossed,
    exactly,
    near,
    word,
)
from lemmata.papers.ic_recall.claims._formula import SOURCE
from lemmata.papers.ic_recall.run.memory import DIRECTIONS, ROUNDING, DirectDecoding, MemoryRecall
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections
from lemmata.report.plots import legend, new_figure

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
    "8-64": RandomBijections(n=8, relations=64),
    "16-128": RandomBijections(n=16, relations=128),
    "affine": Affine(n=11),
    "32-512": RandomBijections(n=32, relations=512),
}


def _runs(scale: Scale) -> dict[str, RunConfig]:
    worlds = [*WORLDS.items()][: scale.pick(smoke=2, laptop=4, paper=5)]
    return {
        **{f"recall/{name}": MemoryRecall(world=world) for name, world in worlds},
        "direct": DirectDecoding(draws=scale.pick(smoke=10, laptop=200, paper=1000)),
    }


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


def _best(runs: Runs, decoding: str) -> list[float]:
    return [float(runs["direct"].metrics[f"{decoding}_{name}"].max()) for name in ("argmax", "probability")]


BY_WORLD = {"fact": lambda runs: crossed(world=runs.group("recall"), asked=DIRECTIONS)}

CLAIMS = (
    Claim(
        id="lemma-3.1",
        locus="Lemma 3.1 (Lemma A.1)",
        statement="An MLP of width 3|S||A| with the square activation stores every fact: from any two of subject, "
        "relation, answer, the argmax over the whole vocabulary is the third (any relation that fits, given s and a).",
        subject=lambda runs: _recalled(runs, "whole"),
        wrong=lambda runs: _recalled(runs, "broken"),
        parts=Part(list, exactly(1.0), along=BY_WORLD),
        remark="The control silences the three hidden units of one (s, a) pair.",
    ),
    Claim(
        id="lemma-a.1-values",
        locus="Appendix A, proof of Lemma A.1",
        statement="The logits of the constructed memory: 4 for what is asked, and the proof's values for all other "
        "tokens. It prints 1 for other answers given (s, r) and for other subjects given (a, r).",
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
        correction=Correction(
            severity="step of a proof",
            printed="phi(a')^T f(phi(s) + phi(r)) = 1 for a' != a;  phi(s')^T f(phi(a) + phi(r)) = 1 for s' != s",
            corrected="both are 2 when relations are bijections",
            reason="a' receives 1 from the unit of (s, a'), which reads s, and 1 more from the unit of (s', a') with "
            "s' = r^-1(a'), which reads r; the proof counts only the first. Likewise for s'.",
            survives="Lemma 3.1 and Lemma A.1; the margin is 2, not 3.",
            source=SOURCE,
            latex=r"For any $a' \neq a$ we have $\phi(a')^\top f_{\text{MLP}}(\phi(s)+\phi(r)) = 2$; for any "
            r"$s' \neq s$ we have $\phi(s')^\top f_{\text{MLP}}(\phi(a)+\phi(r)) = 2$.",
        ),
    ),
    Claim(
        id="lemma-b.1",
        locus="Lemma B.1",
        statement="Read at EoS, without decoding the relation first, the three answers tie for every W^KQ, so the "
        "right one is found with probability at most 1/3 (n = 3, all bijections).",
        wording={"three answers": word("{} answers", "direct.n"), "1/3 (n = 3": word("1/{0} (n = {0}", "direct.n")},
        subject=lambda runs: _best(runs, "direct"),
        wrong=lambda runs: _best(runs, "stepped"),
        parts=Part(
            np.array,
            at_most(lambda runs: 1 / runs["direct"].config.n, slack=1e-9),
            along={"decoding": ("argmax", "probability")},
        ),
        remark="Measured: the largest over random full W^KQ and all sequences, by argmax (ties split) and by "
        "probability. The control reads the answer after the relation. The slack covers rounding of the logits, "
        "divided by T.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2, width=10.0, height=3.6)
    worlds, run = runs.group("recall").values(), runs["direct"]
    asked, names = zip(*LOGITS, strict=True)
    place, (smallest, largest) = np.arange(len(names)), _logits(runs, "whole").T
    left.barh(place, largest, 0.6, label="measured (all worlds)")
    wrong = PRINTED != ACTUAL
    left.plot(PRINTED[~wrong], place[~wrong], "o", color="black", markersize=4, label="printed")
    left.plot(PRINTED[wrong], place[wrong], "X", color="red", markersize=8, label="printed, wrong")
    left.set_yticks(place, names, fontsize=7)
    for row, direction in enumerate(DIRECTIONS):
        left.text(4.15, 4 * row + 1.5, f"asked: {direction}", rotation=90, va="center", fontsize=7)
        left.axhline(4 * row - 0.5, color="grey", linewidth=0.6)
    left.invert_yaxis()
    left.set(xlabel="logit", title="Lemma A.1: values in the proof")
    legend(left, loc="lower right", fontsize=7)
    bins = np.linspace(0, 1, 41)
    right.hist(run.metrics["stepped_probability"], bins, alpha=0.6, label="with the relation")
    right.hist(run.metrics["direct_probability"], bins, alpha=0.8, label="directly from EoS")
    n = run.config.n
    right.axvline(1 / n, color="black", linestyle="--", linewidth=1, label=f"1/{n}")
    right.set(xlabel="largest probability of the right answer over the sequences", ylabel="random W^KQ")
    right.set(title="Lemma B.1: the relation cannot be skipped")
    legend(right, fontsize=7)
    table = {"asked": asked, "logit_of": names, "printed": PRINTED, "smallest": smallest, "largest": largest}
    facts = sum(int(world.metrics["facts"][0]) for world in worlds)
    caption = (
        f"Left: logits of the constructed memory over all {facts} facts of {len(worlds)} worlds, by what is "
        "asked and whose logit it is; each kind takes one value. The crosses are values printed in the proof of Lemma "
        "A.1 that do not hold for bijections; the lemma itself does. Right: the right answer's largest probability "
        f"for {len(run.metrics['spread'])} random full W^KQ ({len(run.config.scales)} scales), n = {n}, T = "
        f"{run.config.temperature:g}."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The associative memory, and why the relation must be decoded", runs=_runs, claims=CLAIMS, draw=_draw
)
