"""Figure 7: the previous token, the noise and the answer, each remembered by one part of the trained model."""

from typing import NamedTuple

import numpy as np

from lemmata.core import SHARE, Artefact, Claim, Experiment, Part, Runs, Seeds, at_least, at_most
from lemmata.papers.association.claims._drawing import entries, matrix_panel, setting
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import main_run
from lemmata.papers.association.probe.readings import learned_something
from lemmata.papers.association.task import RecallConfig
from lemmata.report.plots import DIVERGING, HEAT, letter, new_figure

BRIGHT = 2.0  # times any other distance
HUNDRED = 100  # entries, of the authors' own measure
LARGE = 2.0  # standard deviations of the other outputs
NEARLY_ALL = 0.9  # of the possible answers
SMALL = 0.5  # of the answers' own logits


class Layers(NamedTuple):
    """The trained models, each panel read at its own layer or (`other_`) at the other one."""

    runs: Runs
    prefix: str = ""

    @property
    def task(self) -> RecallConfig:
        return self.runs["main"].config.task

    def array(self, what: str) -> np.ndarray:
        return self.runs["main"].arrays[f"final.{what}"]

    def brightest_diagonal(self) -> Seeds:
        """The mean attention on the previous token over that at the next most attended distance (from the
        second half of the positions, from which equally many can be seen)."""
        maps = self.array(f"{self.prefix}attention" if self.prefix else "first_attention")
        half = maps.shape[1] // 2
        rows = np.arange(half, maps.shape[1])
        by_distance = np.stack([maps[:, rows, rows - distance].mean(axis=1) for distance in range(half)], axis=1)
        return Seeds(by_distance[:, 1] / np.delete(by_distance, 1, axis=1).max(axis=1))

    def first_of_diagonal(self, distance: int) -> np.ndarray:
        """By seed, the mean of the first hundred entries of a diagonal of the map, as the authors' script has it."""
        maps = self.array(f"{self.prefix}attention" if self.prefix else "first_attention")
        return np.diagonal(maps, -distance, axis1=1, axis2=2)[:, :HUNDRED].mean(axis=1)

    def previous_of_first(self) -> Seeds:
        """By that measure, the previous token over the next most attended distance."""
        half = self.task.length // 2
        others = [self.first_of_diagonal(distance) for distance in range(half) if distance != 1]
        return Seeds(self.first_of_diagonal(1) / np.max(others, axis=0), bounds=(0.0, np.inf))

    def noise_lift(self) -> Seeds:
        """F's logit on noise over its mean on other outputs, in their standard deviations, at the worst bare input."""
        noise, feed = self.task.noise_token, self.array(f"{self.prefix}feed_logits")
        others = np.delete(feed, noise, axis=2)
        lift = (feed[:, :, noise] - others.mean(axis=2)) / np.maximum(others.std(axis=2), 1e-12)
        return Seeds(lift.min(axis=1))

    def recalled_by_value(self) -> Seeds:
        """The share of possible answers that the value path maps to themselves."""
        outputs, value = list(self.task.outputs()), self.array(f"{self.prefix}value_logits")
        return Seeds((value[:, outputs].argmax(axis=2) == np.array(outputs)).mean(axis=1), bounds=SHARE)

    def noise_on_diagonal(self) -> Seeds:
        """The value path's logit of noise on itself over the answers' own."""
        diagonal = np.diagonal(self.array(f"{self.prefix}value_logits"), axis1=1, axis2=2)
        answers = np.abs(diagonal[:, list(self.task.outputs())].mean(axis=1))
        return Seeds(diagonal[:, self.task.noise_token] / answers)


def most_attended(layers: Layers) -> float:
    """The share of positions at which the previous token is the most attended one of the mean map."""
    maps = layers.array("first_attention")
    return float(np.mean([[one[t, : t + 1].argmax() == t - 1 for t in range(1, len(one))] for one in maps]))


def three_shares(runs: Runs) -> str:
    layers = Layers(runs)
    return (
        "That the first layer attends to the previous token is only partly true of single positions: it is the most "
        f"attended at {most_attended(layers):.0%} of all positions, from "
        f"{layers.array('previous_after_trigger').mean():.0%} of those after a trigger, where the second layer needs "
        f"it, and at {layers.array('previous_by_position').mean():.0%} by the position embeddings alone."
    )


def draw(runs: Runs) -> Artefact:
    layers, task = Layers(runs), runs["main"].config.task
    figure, axes = new_figure(1, 3, width=13.0, height=3.9)
    tokens = ("output token", "input token")
    panels = {
        "first-layer attention": ("first_attention", ("position attended to", "position"), HEAT),
        "F₂ of a bare token": ("feed_logits", tokens, DIVERGING),
        "W_O W_V of a bare token": ("value_logits", tokens, DIVERGING),
    }
    shown = {}
    for ax, (title, (what, (x, y), cmap)) in zip(axes, panels.items(), strict=True):
        shown[title] = layers.array(what).mean(axis=0)
        matrix_panel(ax, shown[title], title, x, y, cmap)
    letter(axes)
    triggers = ", ".join(str(trigger) for trigger in task.triggers)
    caption = (
        "Means over seeds. (a) Mean first-layer attention on noisy sequences: the previous token is the most "
        f"attended at {most_attended(layers):.0%} of the positions. (b) Logits of F₂ alone, fed token "
        f"embeddings: noise is output {task.noise_token}. (c) Logits of the second layer's value path: the diagonal, "
        f"except at noise ({task.noise_token}) and the trigger ({triggers}), which are never the answer. "
        + setting(runs["main"])
    )
    return Artefact(figure, entries(shown), caption)


EXPERIMENT = Experiment(
    title="What the layers remember",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": learned_something},
    claims=(
        Claim(
            id="fig-7",
            locus="Appendix B.2, Figure 7",
            statement=r"In the trained two-layer model the first layer attends to the previous token: on the mean map "
            r"that diagonal is twice as bright as any other. $\langle F_2(W_E(i)), W_U(j) \rangle$ is large on noise "
            r"for every input $i$, counted in standard deviations of the other outputs. $W_V^2$ maps each possible "
            "answer to itself, but not the noise token, whose diagonal logit is small against theirs.",
            needs={"main": some_noise},
            subject=Layers,
            wrong=lambda runs: Layers(runs, "other_"),  # attention of the second layer, F₁, W_V of the first
            parts={
                "previous token over any other distance": Part(
                    Layers.brightest_diagonal, at_least(BRIGHT, over_seeds=True)
                ),
                "F₂ on noise, worst input": Part(Layers.noise_lift, at_least(LARGE, over_seeds=True)),
                "W_V recalls the same token": Part(Layers.recalled_by_value, at_least(NEARLY_ALL, over_seeds=True)),
                "W_V at noise over the others": Part(Layers.noise_on_diagonal, at_most(SMALL, over_seeds=True)),
            },
            remark=three_shares,
        ),
        Claim(
            id="fig-7-first",
            locus="Appendix B.2, Figure 7 left, by the measure of the authors' script",
            statement="In the trained two-layer model the first layer attends to the previous token: by the measure of "
            "the authors' script, the mean of the first hundred entries of a diagonal of its attention, more than to "
            "any other distance.",
            subject=Layers,
            wrong=lambda runs: Layers(runs, "other_"),  # the second layer
            parts=Part(Layers.previous_of_first, at_least(1.0, over_seeds=True)),
            remark=lambda runs: (
                "The script logs this mean for the previous token (`L1_offdiaongal_mean_first100`); the paper prints "
                f"none. It is {Layers(runs).first_of_diagonal(1).mean():.2f} of the attention."
            ),
        ),
    ),
    draw=draw,
)
