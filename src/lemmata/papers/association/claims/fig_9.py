"""Figure 9: the second layer's attention matches triggers with themselves, with one trigger and with several."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Scale, Seeds, at_least
from lemmata.papers.association.claims._drawing import entries, matrix_panel, setting
from lemmata.papers.association.claims._recall_runs import main_run, recall_training
from lemmata.papers.association.probe.readings import learned_something
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import Figure9
from lemmata.report.plots import new_figure

RUNS = ("one trigger", "several triggers")
LARGER = float(np.log(1.5))  # than every other entry: half as large again is seen at a glance


def several_triggers_run(scale: Scale) -> RecallTraining:
    return recall_training(scale, Figure9, triggers=Figure9.TRIGGERS.at(scale), maps=True)


def peak_ratios(runs: Runs, run: str, matrix: str = "matching_logits") -> np.ndarray:
    """The smallest logit at i = j = q over the largest elsewhere, by seed."""
    matrices, triggers = runs[run].arrays[f"final.{matrix}"], list(runs[run].config.task.triggers)
    elsewhere = np.ones(matrices.shape[1:], dtype=bool)
    elsewhere[triggers, triggers] = False
    return np.array([float(one[triggers, triggers].min() / one[elsewhere].max()) for one in matrices])


def log_ratio(runs: Runs, run: str, matrix: str = "matching_logits") -> Seeds:
    """Ratios are skewed: one large one would widen the interval on both sides. A ratio below 0 counts as 1/100."""
    return Seeds(np.log(np.maximum(peak_ratios(runs, run, matrix), 0.01)))


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.4, height=4.0)
    shown = {}
    for ax, name in zip(axes, RUNS, strict=True):
        shown[name] = runs[name].arrays["final.matching_logits"].mean(axis=0)
        triggers = ", ".join(str(q) for q in runs[name].config.task.triggers)
        matrix_panel(ax, shown[name], f"{name}: q = {triggers}", "query token j", "token i before the key")
    ratios = " and ".join(f"{peak_ratios(runs, name).mean():.2f}" for name in RUNS)
    caption = (
        "Logits of the second layer's attention, at query j, for a key whose first layer reported the previous token "
        f"i; mean over seeds. Smallest entry at i = j = q over the largest elsewhere, mean over seeds: {ratios}. "
        + setting(runs["one trigger"])
    )
    return Artefact(figure, entries(shown), caption)


EXPERIMENT = Experiment(
    title="The matching matrix with one and several triggers",
    runs=lambda scale: {"one trigger": main_run(scale), "several triggers": several_triggers_run(scale)},
    needs=dict.fromkeys(RUNS, learned_something),
    claims=(
        Claim(
            id="fig-9",
            locus="Appendix B.4, Figure 9",
            statement=r"With one trigger and with several, $\langle W_V^1 W_E(i), W_{QK}^2 W_E(j) \rangle$ is large "
            r"only where $i = j$ is a trigger. Every such entry is half as large again as every other entry "
            "(logarithms of the ratios, means over seeds).",
            subject=lambda runs: {run: log_ratio(runs, run) for run in RUNS},
            # What the second layer's own W_V would carry to its keys, in place of the first's.
            wrong=lambda runs: {run: log_ratio(runs, run, "other_matching_logits") for run in RUNS},
            parts={run: Part(itemgetter(run), at_least(LARGER, over_seeds=True)) for run in RUNS},
        ),
    ),
    draw=draw,
)
