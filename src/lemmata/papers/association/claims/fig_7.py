"""Figure 7: the previous token, the noise and the answer, each remembered by one part of the trained model."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.association.claims._drawing import entries, matrix_panel, setting
from lemmata.papers.association.claims._recall_runs import main_run
from lemmata.papers.association.probe.readings import Moment, learned_something
from lemmata.report.plots import DIVERGING, HEAT, letter, new_figure


def previous_most_attended(moment: Moment) -> float:
    """The share of positions from which the first layer attends most to the one before."""
    attention = moment.array("main", "first_attention")
    length = attention.shape[1]
    return float(np.mean([[one[t, : t + 1].argmax() == t - 1 for t in range(1, length)] for one in attention]))


def noise_lift(moment: Moment) -> float:
    """F_2's logit on noise over its mean on other outputs, in their standard deviations, at the worst bare input."""
    noise, feed = moment.runs["main"].config.task.noise_token, moment.array("main", "feed_logits")
    others = np.delete(feed, noise, axis=2)
    lift = (feed[:, :, noise] - others.mean(axis=2)) / np.maximum(others.std(axis=2), 1e-12)
    return float(lift.min(axis=1).mean())


def recalled_by_value(moment: Moment) -> float:
    """The share of possible answers that the value path maps to themselves."""
    outputs, value = list(moment.runs["main"].config.task.outputs()), moment.array("main", "value_logits")
    return float((value[:, outputs].argmax(axis=2) == np.array(outputs)).mean())


def noise_on_diagonal(moment: Moment) -> float:
    """The value path's logit of noise on itself over the answers' own."""
    task = moment.runs["main"].config.task
    diagonal = np.diagonal(moment.array("main", "value_logits"), axis1=1, axis2=2)
    return float((diagonal[:, task.noise_token] / np.abs(diagonal[:, list(task.outputs())].mean(axis=1))).mean())


def draw(runs: Runs) -> Artefact:
    moment, task = Moment(runs, "final"), runs["main"].config.task
    figure, axes = new_figure(1, 3, width=13.0, height=3.9)
    tokens = ("output token", "input token")
    panels = {
        "first-layer attention": ("first_attention", ("position attended to", "position"), HEAT),
        "F₂ of a bare token": ("feed_logits", tokens, DIVERGING),
        "W_O W_V of a bare token": ("value_logits", tokens, DIVERGING),
    }
    shown = {}
    for ax, (title, (what, (x, y), cmap)) in zip(axes, panels.items(), strict=True):
        shown[title] = moment.array("main", what).mean(axis=0)
        matrix_panel(ax, shown[title], title, x, y, cmap)
    letter(axes)
    triggers = ", ".join(str(trigger) for trigger in task.triggers)
    caption = (
        "Means over seeds. (a) Mean first-layer attention on noisy sequences: the previous token is the most "
        f"attended at {previous_most_attended(moment):.0%} of the positions. (b) Logits of F₂ alone, fed token "
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
            statement="The first layer attends to the previous token: it is the most attended at most positions. F₂ "
            "fed any bare token has a large logit on noise, counted in standard deviations of its other outputs. W_V "
            "of the second layer maps each possible answer to itself, but not the noise token, whose diagonal logit is "
            "small against theirs.",
            subject=lambda runs: Moment(runs, "final"),
            wrong=lambda runs: Moment(runs, "initial"),  # the same model before its first step
            parts={
                "previous token the most attended": Part(previous_most_attended, at_least(0.5)),
                "F₂ on noise, worst input": Part(noise_lift, at_least(2.0)),
                "W_V recalls the same token": Part(recalled_by_value, at_least(0.9)),
                "W_V at noise over the others": Part(noise_on_diagonal, at_most(0.5)),
            },
            remark=lambda runs: (
                f"The previous token is the most attended at {previous_most_attended(Moment(runs, 'final')):.0%} of "
                "positions. Only triggers' followers are ever trained to be found, so the first layer need not look "
                "back from every position."
            ),
        ),
    ),
    draw=draw,
)
