"""How large C_B must be for Theorem 5.1 under the appendix' own stop: a map over n_y, d and C_B."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._paper_stop import FEATURES
from lemmata.papers.lego.run.paper_stop import PaperStop
from lemmata.papers.lego.theory.self_training import c1
from lemmata.report.plots import CYCLE, ceiling, legend, letter, new_figure

ENOUGH = 8.0  # C_B
SOLVED = 0.01  # the error of the value at step 2 of twice the length


def maps(scale: Scale) -> dict[str, PaperStop]:
    main = PaperStop(
        points=sizes.LEAST_CLIP_POINTS.at(scale),
        vocabularies=sizes.LEAST_CLIP_VOCABULARIES.at(scale),
        clips=sizes.LEAST_CLIP_CLIPS.at(scale),
        stages=sizes.LEAST_CLIP_STAGES.at(scale),
        enumerated=sizes.LEAST_CLIP_ENUMERATED.at(scale),
        drawn=sizes.LEAST_CLIP_DRAWN.at(scale),
        stride=4.0,
    )
    return {"main": main, "early stop": replace(main, stop=6.0, points=main.points[:1])}


def solved(run: RunResult) -> np.ndarray:
    """[n_y, d, C_B]: every stage came to its stop with true labels alone, and its model solves twice its length."""
    metrics, config = run.metrics, run.config
    found = []
    for world in config.worlds():
        of = [metrics[name] == value for name, value in zip(("points", "vocabulary", "clip"), world, strict=True)]
        rows = np.logical_and.reduce(of)
        true = metrics["false_first"][rows] + metrics["false_second"][rows] == 0
        each = metrics["ended_by_loss"][rows] & true & (metrics["error_beyond"][rows] <= SOLVED)
        found.append(rows.sum() == config.stages and bool(each.all()))
    return np.array(found).reshape(len(config.points), len(config.vocabularies), len(config.clips))


def least(run: RunResult) -> np.ndarray:
    """[n_y, d]: the least C_B of the map from which on all are solved; twice the largest where that is not."""
    clips = np.array([*run.config.clips, 2 * max(run.config.clips)])
    from_here = np.logical_and.accumulate(solved(run)[..., ::-1], axis=-1)[..., ::-1]
    return clips[(~from_here).sum(axis=-1)]


def worlds_of(runs: Runs) -> list[str]:
    config = runs["main"].config
    return [f"S{n}, d = {d:g}" for n in config.points for d in config.vocabularies]


LEAST = Claim(
    id="least-clip",
    locus="beyond the paper; Theorem 5.1 says B = C_B log d with C_B a large constant",
    uses=("paper-stop-doubling",),
    statement=rf"Under the appendix' own stop $C_B = {ENOUGH:g}$ is large enough for Theorem 5.1: from there on every "
    rf"stage "
    "comes to its stop, all labels are true, and the value at step 2 of twice the length is right with probability "
    rf"{1 - SOLVED:g}. Judged for every $n_y$ and $d$ of the map. Control: a stop with $6c_1$ in the place of "
    rf"$3.01c_1$.",
    subject=lambda runs: least(runs["main"]),
    wrong=lambda runs: least(runs["early stop"]),
    parts=Part(np.ravel, at_most(ENOUGH), along={"world": worlds_of}),
    protocol=FEATURES,
    remark=r"The stop itself asks $C_B > 3.03$: below, $e^{(-1/2 + 3.01 c_1) 2B}$ is above 1.",
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    metrics, config = run.metrics, run.config
    figure, axes = new_figure(1, 2, width=9, height=3.6)
    last = metrics["stage"] == config.stages
    for n, marker in zip(config.points, "os^v", strict=False):
        for d, colour in zip(config.vocabularies, CYCLE, strict=False):
            rows = last & (metrics["points"] == n) & (metrics["vocabulary"] == d)
            clips, label = metrics["clip"][rows], f"S{n}, d = {d:g}"
            axes[0].plot(
                clips, np.maximum(metrics["error_beyond"][rows], 1e-30), marker + "-", color=colour, label=label
            )
            wrong = metrics["false_first"][rows] + metrics["false_second"][rows]
            axes[1].plot(clips, wrong, marker + "-", color=colour, label=label)
    ceiling(axes[0], SOLVED)
    axes[0].set(
        yscale="log", xlabel="C_B", ylabel="1 − p at step 2 of twice the length", title="the last stage's model"
    )
    axes[1].set(xlabel="C_B", ylabel="false labels", title="the last stage's annotator")
    legend(axes[0], fontsize=6)
    letter(axes)
    names = ("points", "vocabulary", "clip", "length", "false_first", "false_second", "false_worst", "error_beyond")
    table = {name: np.asarray(metrics[name]).tolist() for name in names} | {
        "c_1": [c1(clip) for clip in metrics["clip"]]
    }
    caption = (
        f"Algorithm 2 with the appendix' stop on the features of Theorem C.1, up to length {2**config.stages}. Worlds "
        f"in "
        "which a stage did not end are left out."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(title="How large C_B must be for Theorem 5.1", runs=maps, claims=(LEAST,), draw=draw)
