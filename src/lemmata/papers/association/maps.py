"""What the trained weights do: attention (Figure 4), memories (Figure 7), the matching matrix (Figure 9)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lemmata.core import Artefact, RunResult, Scale
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Results
from lemmata.papers.association.probe.readings import curve, long_table, trained
from lemmata.papers.association.recall import fine_tuned_result, setting
from lemmata.papers.association.run.recall_training import RecallTraining, fine_tuned_run, main_run, recall_training
from lemmata.report.plots import COLOURS, DIVERGING, HEAT, band, legend, new_figure, panel_label

SEVERAL_TRIGGERS = {"smoke": (1, 4), "laptop": (1, 4, 10), "paper": (1, 39, 43, 53, 58)}  # space, e, o; paper: B.4


def one_trigger(results: Results) -> RunResult:
    return next(run for run in results if run.config.clean_steps == 0 and len(run.config.task.triggers) == 1)


def several_triggers(results: Results) -> RunResult:
    return next(run for run in results if len(run.config.task.triggers) > 1)


def several_triggers_run(scale: Scale) -> RecallTraining:
    return recall_training(scale, maps=True, triggers=SEVERAL_TRIGGERS[scale.name])


# Figure 4


def _noise_share(run: RunResult, moment: str) -> float:
    """Second-layer attention on trigger -> noise over that on trigger -> correct, mean over seeds."""
    correct, noise, _ = run.arrays[f"{moment}.mass"].mean(axis=0)
    return float(noise / correct)


FIGURE_4 = Claim(
    id="association/fig-4",
    locus="Section 3, Figure 4",
    statement="On noisy input the second layer attends to what followed earlier triggers when that was the correct "
    "token and not when it was noise, in the model trained with noise and in the one trained clean and fine-tuned "
    "with noise (rule: attention on trigger→noise under a tenth of that on trigger→correct).",
    predict=lambda results: {"trained with noise": 0.1, "fine-tuned with noise": 0.1},
    measure=lambda results: trained(
        results,
        {
            "trained with noise": _noise_share(one_trigger(results), "final"),
            "fine-tuned with noise": _noise_share(fine_tuned_result(results), "final"),
        },
    ),
    control=lambda results: {  # the same models before their first step
        "trained with noise": _noise_share(one_trigger(results), "initial"),
        "fine-tuned with noise": _noise_share(fine_tuned_result(results), "initial"),
    },
    check=Each({"trained with noise": AtMost(), "fine-tuned with noise": AtMost()}),
)

FIGURE_4_CLEAN = Claim(
    id="association/fig-4-clean",
    locus="Section 3.2 and Appendix B.1, phase 1",
    statement="Before its fine-tuning, the model trained on clean data attends to every token after a trigger, "
    "whatever that token is (rule: on input where noise follows half of the triggers, trigger→noise gets at least "
    "half the attention of trigger→correct).",
    predict=lambda results: 0.5,
    measure=lambda results: trained(results, _noise_share(fine_tuned_result(results), "clean")),
    control=lambda results: trained(results, _noise_share(fine_tuned_result(results), "final")),  # after fine-tuning
    check=AtLeast(),
)


def _attention_map(ax: Axes, run: RunResult, moment: str, title: str) -> None:
    """Seed 0's second-layer attention on the shared input: a row a trigger, marks above what followed earlier ones."""
    tokens, correct = run.arrays["example_tokens"], run.arrays["example_correct"]
    queries = np.flatnonzero(correct >= 0)[-12:]
    rows = run.arrays[f"{moment}.second_attention"][0][queries]
    ax.imshow(rows, cmap=HEAT, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    after = np.concatenate([[False], correct[:-1] >= 0])
    is_noise = after & (tokens == run.config.task.noise_token)
    for where, colour, label in (
        (after & ~is_noise, "blue", "trigger→correct"),
        (is_noise, "vermillion", "trigger→noise"),
    ):
        places = np.flatnonzero(where)
        ax.plot(
            places, np.full(len(places), -1.0), "v", color=COLOURS[colour], markersize=5, label=label, clip_on=False
        )
    ax.set(
        xlabel="position attended to", ylabel="querying trigger, position", ylim=(len(queries) - 0.5, -1.6), title=title
    )
    ax.set_yticks(range(len(queries)), [str(q) for q in queries])
    ax.grid(False)


def render_figure_4(results: Results) -> Artefact:
    noisy, tuned = one_trigger(results), fine_tuned_result(results)
    figure, axes = new_figure(2, 3, width=14.0, height=6.4)
    panels = (
        (noisy, "final", "trained with noise"),
        (tuned, "clean", "trained clean"),
        (tuned, "final", "then fine-tuned"),
    )
    table = {}
    for column, (run, moment, title) in enumerate(panels):
        _attention_map(axes[0, column], run, moment, title)
        phase = 0 if moment == "clean" else 1
        for where, colour in (("correct", "blue"), ("noise", "vermillion"), ("rest", "black")):
            steps, values = table[f"{title}: {where}"] = curve(run, f"attention_{where}", phase)
            label = f"trigger→{where}" if where != "rest" else "elsewhere"
            band(axes[1, column], steps, values, label, color=COLOURS[colour])
        axes[1, column].set(xlabel="step", ylabel="attention", ylim=(-0.02, 1.02), title=f"{title}: along training")
    legend(axes[0, 0], loc="lower left", fontsize=7, facecolor="white", frameon=True)
    legend(axes[1, 0])
    for letter, ax in zip("abcdef", axes.flat, strict=True):
        panel_label(ax, letter)
    shares = [_noise_share(run, moment) for run, moment, _ in panels]
    caption = (
        "Second-layer attention of seed 0 on one noisy input, the same for all (top; marks: what followed the "
        "triggers), and its mean over noisy test sequences along training (bottom). At the end trigger→noise gets "
        f"{shares[0]:.3f} times the attention of trigger→correct when trained with noise, {shares[1]:.3f} times "
        f"after clean training alone, {shares[2]:.3f} times after fine-tuning. {setting(noisy)}"
    )
    return Artefact(figure, long_table(table), caption)


# Figure 7


def _memories(run: RunResult, moment: str) -> dict[str, float]:
    task = run.config.task
    noise, outputs = task.noise_token, list(task.outputs())
    attention, feed, value = (
        run.arrays[f"{moment}.{name}"] for name in ("first_attention", "feed_logits", "value_logits")
    )
    length = attention.shape[1]
    previous = [[one[t, : t + 1].argmax() == t - 1 for t in range(1, length)] for one in attention]
    others = np.delete(feed, noise, axis=2)
    lift = (feed[:, :, noise] - others.mean(axis=2)) / np.maximum(others.std(axis=2), 1e-12)
    diagonal = np.diagonal(value, axis1=1, axis2=2)
    recalled = value[:, outputs].argmax(axis=2) == np.array(outputs)
    return {
        "previous token the most attended": float(np.mean(previous)),
        "F₂ on noise, worst input": float(lift.min(axis=1).mean()),
        "W_V recalls the same token": float(recalled.mean()),
        "W_V at noise over the others": float((diagonal[:, noise] / np.abs(diagonal[:, outputs].mean(axis=1))).mean()),
    }


FIGURE_7 = Claim(
    id="association/fig-7",
    locus="Appendix B.2, Figure 7",
    statement="The first layer attends to the previous token (rule: it is the most attended at half of the positions "
    "or more); F₂ fed any bare token has a large logit on noise (rule: two standard deviations over the other "
    "outputs, at the worst input); W_V of the second layer maps each token to itself (rule: the largest output for "
    "0.9 of the possible answers), but not the noise token (rule: at most half the others' diagonal logit).",
    predict=lambda results: dict(
        zip(_memories(one_trigger(results), "final"), (0.5, 2.0, 0.9, 0.5), strict=True),
    ),
    measure=lambda results: trained(results, _memories(one_trigger(results), "final")),
    control=lambda results: _memories(one_trigger(results), "initial"),  # the same model before its first step
    check=Each(
        {
            "previous token the most attended": AtLeast(),
            "F₂ on noise, worst input": AtLeast(),
            "W_V recalls the same token": AtLeast(),
            "W_V at noise over the others": AtMost(),
        }
    ),
    remark="At the paper's size (one seed, 2,000 steps) the first part fails: the previous token is the most attended "
    "at 32% of positions, the other parts hold. Only triggers' followers are ever trained to be found, so the first "
    "layer need not look back from every position.",
)


def _matrix(ax: Axes, matrix: np.ndarray, title: str, xlabel: str, ylabel: str, cmap: str = DIVERGING) -> None:
    top = float(np.abs(matrix).max())
    image = ax.imshow(matrix, cmap=cmap, vmin=-top if cmap == DIVERGING else 0, vmax=top, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(False)


def _entries(named: dict[str, np.ndarray]) -> dict[str, Any]:
    """Matrices as a table of name, row, column and value."""
    table: dict[str, list[Any]] = {"matrix": [], "row": [], "column": [], "value": []}
    for name, matrix in named.items():
        for (row, column), value in np.ndenumerate(matrix):
            table["matrix"].append(name)
            table["row"].append(row)
            table["column"].append(column)
            table["value"].append(float(value))
    return table


def render_figure_7(results: Results) -> Artefact:
    run = one_trigger(results)
    task = run.config.task
    figure, axes = new_figure(1, 3, width=13.0, height=3.9)
    shown = {
        "first-layer attention": run.arrays["final.first_attention"].mean(axis=0),
        "F₂ of a bare token": run.arrays["final.feed_logits"].mean(axis=0),
        "W_O W_V of a bare token": run.arrays["final.value_logits"].mean(axis=0),
    }
    labels = (("position attended to", "position"), ("output token", "input token"), ("output token", "input token"))
    for ax, (title, matrix), (x, y) in zip(axes, shown.items(), labels, strict=True):
        _matrix(ax, matrix, title, x, y, HEAT if "attention" in title else DIVERGING)
    for letter, ax in zip("abc", axes, strict=True):
        panel_label(ax, letter)
    numbers = _memories(run, "final")
    caption = (
        "Means over seeds. (a) Mean first-layer attention on noisy sequences: the previous token is the most "
        f"attended at {numbers['previous token the most attended']:.0%} of the positions. (b) Logits of F₂ alone, "
        f"fed token embeddings: noise is output {task.noise_token}. (c) Logits of the second layer's value path: the "
        f"diagonal, except at noise ({task.noise_token}) and the trigger ({task.triggers[0]}), which are never "
        f"the answer. {setting(run)}"
    )
    return Artefact(figure, _entries(shown), caption)


# Figure 9


def _peak_ratio(run: RunResult, moment: str) -> float:
    """The smallest logit at i = j = q over the largest elsewhere, in the worst seed."""
    matrices, triggers = run.arrays[f"{moment}.matching_logits"], list(run.config.task.triggers)
    elsewhere = np.ones(matrices.shape[1:], dtype=bool)
    elsewhere[triggers, triggers] = False
    return float(min(one[triggers, triggers].min() / one[elsewhere].max() for one in matrices))


FIGURE_9 = Claim(
    id="association/fig-9",
    locus="Appendix B.4, Figure 9",
    statement="The matching matrix W_E(j)ᵀ W_QK² W_V¹ W_E(i) is large only where i = j is a trigger, with one "
    "trigger and with several: every such entry is larger than every other entry, in every seed.",
    predict=lambda results: {"one trigger": 1.0, "several triggers": 1.0},
    measure=lambda results: trained(
        results,
        {
            "one trigger": _peak_ratio(one_trigger(results), "final"),
            "several triggers": _peak_ratio(several_triggers(results), "final"),
        },
    ),
    control=lambda results: {  # the same models before their first step
        "one trigger": _peak_ratio(one_trigger(results), "initial"),
        "several triggers": _peak_ratio(several_triggers(results), "initial"),
    },
    check=Each({"one trigger": AtLeast(), "several triggers": AtLeast()}),
)


def render_figure_9(results: Results) -> Artefact:
    runs = {"one trigger": one_trigger(results), "several triggers": several_triggers(results)}
    figure, axes = new_figure(1, 2, width=9.4, height=4.0)
    shown = {}
    for ax, (name, run) in zip(axes, runs.items(), strict=True):
        shown[name] = run.arrays["final.matching_logits"].mean(axis=0)
        triggers = ", ".join(str(q) for q in run.config.task.triggers)
        _matrix(ax, shown[name], f"{name}: q = {triggers}", "query token j", "token i before the key")
    caption = (
        "Logits of the second layer's attention, at query j, for a key whose first layer reported the previous token "
        f"i; mean over seeds. Smallest entry at i = j = q over the largest elsewhere, worst seed: "
        f"{_peak_ratio(runs['one trigger'], 'final'):.2f} and {_peak_ratio(runs['several triggers'], 'final'):.2f}. "
        + setting(runs["one trigger"])
    )
    return Artefact(figure, _entries(shown), caption)


EXPERIMENTS = (
    Experiment(
        id="association/fig-4",
        title="Second-layer attention avoids the noise",
        grid=lambda scale: (main_run(scale), fine_tuned_run(scale)),
        claims=(FIGURE_4, FIGURE_4_CLEAN),
        render=render_figure_4,
    ),
    Experiment(
        id="association/fig-7",
        title="What the layers remember",
        grid=lambda scale: (main_run(scale),),
        claims=(FIGURE_7,),
        render=render_figure_7,
    ),
    Experiment(
        id="association/fig-9",
        title="The matching matrix with one and several triggers",
        grid=lambda scale: (main_run(scale), several_triggers_run(scale)),
        claims=(FIGURE_9,),
        render=render_figure_9,
    ),
)
