"""The constructed memory recalls every fact in three directions (Lemma 3.1); the relation cannot be skipped (B.1)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    at_most,
    exactly,
    near,
)
from lemmata.papers.ic_recall.run.memory import DIRECTIONS, ROUNDING, DirectDecoding, MemoryRecall
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections
from lemmata.report.plots import legend, new_figure

# The values in the proof of Lemma A.1, by what is asked and whose logit it is: as printed, and as they are.
PRINTED = {
    ("answer", "the answer"): 4,
    ("answer", "other answers"): 1,
    ("answer", "subjects"): 1,
    ("answer", "relations"): 1,
    ("relation", "fitting relations"): 4,
    ("relation", "other relations"): 2,
    ("relation", "answers"): 1,
    ("relation", "subjects"): 1,
    ("subject", "the subject"): 4,
    ("subject", "other subjects"): 1,
    ("subject", "answers"): 1,
    ("subject", "relations"): 1,
}
ACTUAL = PRINTED | {("answer", "other answers"): 2, ("subject", "other subjects"): 2}


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


class Asked(NamedTuple):
    """What was asked of a memory, world by world: of the "whole" one or of the "broken" one."""

    worlds: list[RunResult]
    memory: str


def _asked(runs: Runs, memory: str) -> Asked:
    return Asked([*runs.group("recall").values()], memory)


def _recalled(asked: Asked) -> list[float]:
    return [
        float(run.column("recalled", memory=asked.memory, direction=direction)[0])
        for run in asked.worlds
        for direction in DIRECTIONS
    ]


def _logits(asked: Asked) -> np.ndarray:
    """Smallest and largest logit of each kind of token, over the worlds."""
    rows = []
    for direction, kind in PRINTED:
        where = {"memory": asked.memory, "direction": direction, "logit_of": kind}
        low = min(run.column("smallest", **where).min() for run in asked.worlds)
        high = max(run.column("largest", **where).max() for run in asked.worlds)
        rows.append((low, high))
    return np.array(rows)


def _both_ends(values: dict[tuple[str, str], int]) -> np.ndarray:
    """The smallest and the largest logit where each kind of token takes one value."""
    return np.repeat(np.array([*values.values()], float)[:, None], 2, axis=1)


def _best(run: RunResult, decoding: str) -> list[float]:
    return [float(run.metrics[f"{decoding}_{name}"].max()) for name in ("argmax", "probability")]


CLAIMS = (
    Claim(
        id="lemma-3.1",
        locus="Lemma 3.1 (Lemma A.1)",
        statement="An MLP of width 3|S||A| with the square activation stores every fact: from any two of subject, "
        "relation, answer, the argmax over the whole vocabulary is the third (any relation that fits, given s and a).",
        subject=lambda runs: _asked(runs, "whole"),
        wrong=lambda runs: _asked(runs, "broken"),
        parts=Part(_recalled, exactly(1.0)),
        remark="The control silences the three hidden units of one (s, a) pair.",
    ),
    Claim(
        id="lemma-a.1-values",
        locus="Appendix A, proof of Lemma A.1",
        statement="The logits of the constructed memory: 4 for what is asked, and the proof's values for all other "
        "tokens. It prints 1 for other answers given (s, r) and for other subjects given (a, r).",
        subject=lambda runs: _asked(runs, "whole"),
        wrong=lambda runs: _asked(runs, "broken"),
        parts=Part(_logits, near(_both_ends(PRINTED), atol=ROUNDING), corrected=_both_ends(ACTUAL)),
        correction=Correction(
            printed="phi(a')^T f(phi(s) + phi(r)) = 1 for a' != a;  phi(s')^T f(phi(a) + phi(r)) = 1 for s' != s",
            corrected="both are 2 when relations are bijections",
            reason="a' receives 1 from the unit of (s, a'), which reads s, and 1 more from the unit of (s', a') with "
            "s' = r^-1(a'), which reads r; the proof counts only the first. Likewise for s'. The margin is 2, not 3, "
            "and the lemma stands.",
        ),
    ),
    Claim(
        id="lemma-b.1",
        locus="Lemma B.1",
        statement="Read at EoS, without decoding the relation first, the three answers tie for every W^KQ, so the "
        "right one is found with probability at most 1/3 (n = 3, all bijections).",
        subject=lambda runs: _best(runs["direct"], "direct"),
        wrong=lambda runs: _best(runs["direct"], "stepped"),
        parts=Part(np.array, at_most(lambda runs: 1 / runs["direct"].config.n, slack=1e-9)),
        remark="Measured: the largest over random full W^KQ and all sequences, by argmax (ties split) and by "
        "probability. The control reads the answer after the relation. The slack covers rounding of the logits, "
        "divided by T.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2, width=10.0, height=3.6)
    asked, run = _asked(runs, "whole"), runs["direct"]
    names = [kind for _, kind in PRINTED]
    place, actual = np.arange(len(names)), _logits(asked)
    left.barh(place, actual[:, 1], 0.6, label="measured (all worlds)")
    printed = np.array(list(PRINTED.values()), float)
    wrong = printed != np.array(list(ACTUAL.values()))
    left.plot(printed[~wrong], place[~wrong], "o", color="black", markersize=4, label="printed")
    left.plot(printed[wrong], place[wrong], "X", color="red", markersize=8, label="printed, wrong")
    left.set_yticks(place, names, fontsize=7)
    for row, direction in enumerate(DIRECTIONS):
        left.text(4.15, 4 * row + 1.5, f"asked: {direction}", rotation=90, va="center", fontsize=7)
        left.axhline(4 * row - 0.5, color="grey", linewidth=0.6)
    left.invert_yaxis()
    left.set_xlabel("logit")
    left.set_title("Lemma A.1: values in the proof", fontsize=9)
    legend(left, loc="lower right", fontsize=7)
    bins = np.linspace(0, 1, 41)
    right.hist(run.metrics["stepped_probability"], bins, alpha=0.6, label="with the relation")
    right.hist(run.metrics["direct_probability"], bins, alpha=0.8, label="directly from EoS")
    n = run.config.n
    right.axvline(1 / n, color="black", linestyle="--", linewidth=1, label=f"1/{n}")
    right.set_xlabel("largest probability of the right answer over the sequences")
    right.set_ylabel("random W^KQ")
    right.set_title("Lemma B.1: the relation cannot be skipped", fontsize=9)
    legend(right, fontsize=7)
    table = {
        "asked": [direction for direction, _ in PRINTED],
        "logit_of": names,
        "printed": printed,
        "smallest": actual[:, 0],
        "largest": actual[:, 1],
    }
    facts = sum(int(world.metrics["facts"][0]) for world in asked.worlds)
    caption = (
        f"Left: logits of the constructed memory over all {facts} facts of {len(asked.worlds)} worlds, by what is "
        "asked and whose logit it is; each kind takes one value. The crosses are values printed in the proof of Lemma "
        "A.1 that do not hold for bijections; the lemma itself does. Right: the right answer's largest probability "
        f"for {len(run.metrics['spread'])} random full W^KQ ({len(run.config.scales)} scales), n = {n}, T = "
        f"{run.config.temperature:g}."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The associative memory, and why the relation must be decoded", runs=_runs, claims=CLAIMS, draw=_draw
)
