"""Appendix B.2: the model built from the roles of its components, and the sign of its constant c in a trained one."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    Protocol,
    RunConfig,
    Runs,
    Scale,
    Seeds,
    at_least,
    at_most,
    near,
    word,
)
from lemmata.papers.association.claims._drawing import entries, matrix_panel, setting
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import recall_training
from lemmata.papers.association.probe.readings import learned_something
from lemmata.papers.association.run.constructed import ConstructedRecall
from lemmata.papers.association.sizes import Roles
from lemmata.papers.association.task import RecallConfig
from lemmata.report.plots import new_figure

EXACTLY = 0.02  # of a probability: the construction's scores are finite
ALMOST_ALL = 0.98  # of the answer's probability, without F_2
AVOIDS = -1.0  # orders of magnitude, as in Figure 4
CLEAR = 2.0  # standard deviations of the other tokens, as for Figure 7


def at(runs: Runs, place: int) -> dict[str, float]:
    """The constructed model's answers at one of its c, in their order."""
    run = runs["constructed"]
    found = {name: float(run.column(name)[place]) for name in ("correct", "noise", "without_F2")}
    looks = [run.column(f"attention_{name}")[place] for name in ("noise", "correct")]
    return found | {"orders": float(np.log10(looks[0] / looks[1]))}


class Scores(NamedTuple):
    """The second layer's scores at the trigger of a trained model, or of the same before training."""

    runs: Runs
    moment: str = "final"

    def by_token(self, what: str) -> np.ndarray:
        """[seed, token]"""
        found, task = self.runs["trained"].arrays[f"{self.moment}.{what}"], self.runs["trained"].config.task
        return found if found.ndim == 2 else found[:, :, task.triggers[0]]

    def below(self, what: str) -> Seeds:
        """How far the noise is below the possible answers' mean, in their standard deviations."""
        task, found = self.runs["trained"].config.task, self.by_token(what)
        answers = found[:, list(task.outputs())]
        return Seeds((answers.mean(axis=1) - found[:, task.noise_token]) / answers.std(axis=1))

    def matched(self) -> Seeds:
        """How far the trigger, told by the first layer, is above all other tokens told so."""
        task, found = self.runs["trained"].config.task, self.by_token("carried_scores")
        others = np.delete(found, task.triggers[0], axis=1)
        return Seeds((found[:, task.triggers[0]] - others.mean(axis=1)) / others.std(axis=1))


CONSTRUCTED = Claim(
    id="b.2-constructed",
    locus="Appendix B.2, roles of key components",
    statement=r"The two-layer transformer with $W_{QK}^1 = \sum_t p_{t-1} p_t^\top$, $W_{QK}^2 = (W_V^1 W_E(q) - c \, "
    r"W_E(N+1)) W_E(q)^\top$ with some positive $c$, $W_V^2 = \sum_{z \in [N]} W_U(z) W_E(z)^\top$ and an $F_2$ that "
    r"says the noise at $W_E(q)$ attends to $(q, \bar y)$ and not to $(q, N+1)$, and predicts $\bar y$ with "
    r"probability $1 - \alpha$ and the noise with $\alpha$; without $F_2$ it says $\bar y$. Judged on contexts that "
    r"show $\bar y$, at $c = 1/2$.",
    protocol=Protocol("the strengths of scores and logits", why="The paper gives directions alone."),
    wording={"c = 1/2": word("c = {}", "constructed.constants")},
    subject=lambda runs: at(runs, -1),
    wrong=lambda runs: at(runs, 0),  # the other sign of c
    parts={
        "P(ȳ)": Part(
            lambda f: f["correct"], near(lambda runs: 1 - runs["constructed"].config.task.alpha, atol=EXACTLY)
        ),
        "P(noise)": Part(lambda f: f["noise"], near(lambda runs: runs["constructed"].config.task.alpha, atol=EXACTLY)),
        "P(ȳ) without F₂": Part(lambda f: f["without_F2"], at_least(ALMOST_ALL)),
        "log₁₀ of attention on noise over ȳ": Part(lambda f: f["orders"], at_most(AVOIDS)),
    },
    remark=lambda runs: (
        f"With c = 0 attention follows the data: the noise has {10 ** at(runs, 1)['orders']:.2f} of the answer's "
        f"weight, and the answer's probability is {at(runs, 1)['correct']:.2f}. Strengths of scores and logits are "
        "ours, embeddings are orthonormal, and the value of the second layer is read off a space of its own."
    ),
)

SIGN = Claim(
    id="b.2-sign",
    locus="Appendix B.2, W_QK^2 of the trained model",
    uses=("fig-4", "fig-9"),
    statement=r"In the trained model too $W_{QK}^2$ holds $(W_V^1 W_E(q) - c \, W_E(N+1)) W_E(q)^\top$ with a positive "
    r"$c$: at the trigger it scores the noise's own embedding below those of possible answers, and what the first "
    "layer tells of the trigger above what it tells of any other token, each by over two standard deviations of those.",
    needs={"trained": (some_noise, learned_something)},
    subject=lambda runs: Scores(runs),
    wrong=lambda runs: Scores(runs, "initial"),  # before training
    parts={
        "c, noise below the answers": Part(
            lambda scores: scores.below("token_scores"), at_least(CLEAR, over_seeds=True)
        ),
        "the trigger above all others": Part(Scores.matched, at_least(CLEAR, over_seeds=True)),
    },
    remark=lambda runs: (
        "With what F₁ makes of a position that follows the trigger, the noise is "
        f"{Scores(runs).below('follower_scores').mean:.1f} standard deviations below the answers."
    ),
)


def runs(scale: Scale) -> dict[str, RunConfig]:
    task = RecallConfig(symbols=Roles.SYMBOLS.at(scale), length=Roles.LENGTH.at(scale))
    return {"constructed": ConstructedRecall(task=task), "trained": recall_training(scale, Roles, roles=True)}


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.4, height=4.0)
    names = {"token_scores": "its own embedding", "carried_scores": "told by the first layer"}
    shown: dict[str, Any] = {}
    for ax, (what, title) in zip(axes, names.items(), strict=True):
        shown[title] = runs["trained"].arrays[f"final.{what}"].mean(axis=0)
        matrix_panel(ax, shown[title], f"key: {title}", "query token j", "token i")
    task = runs["trained"].config.task
    caption = (
        f"Scores of the trained second layer at query j for token i, mean over seeds; the trigger is "
        f"{task.triggers[0]}, the noise {task.noise_token}. The construction has one entry on the left, -c at "
        f"(noise, trigger), and one on the right, at (trigger, trigger). {setting(runs['trained'])}"
    )
    return Artefact(figure, entries(shown), caption)


EXPERIMENT = Experiment(
    title="The constructed model beside the trained one", runs=runs, claims=(CONSTRUCTED, SIGN), draw=draw
)
