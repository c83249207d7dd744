"""Figure 4: the second layer's attention avoids the noise, after training or fine-tuning with it."""

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Curves, Experiment, Live, Part, Runs, Seeds, at_least, at_most
from lemmata.papers.association.claims._drawing import setting
from lemmata.papers.association.claims._noise_level import about_half
from lemmata.papers.association.claims._recall_runs import clean_run, fine_tuned_run, main_run
from lemmata.papers.association.probe.readings import Moment, learned_something, learned_without_noise
from lemmata.report.plots import COLOURS, HEAT, band, legend, legend_below, letter, long_table, new_figure

EVEN = about_half("attention that tells nothing apart gives trigger→noise α/(1 − α) times what trigger→correct gets")
AVOIDS = -1.0  # orders of magnitude: a tenth of what the correct token gets, and less
ATTENDS = 0.5  # times what the correct token gets: a clean model has never seen which of the two to prefer
LOOKS = {  # where attention goes: its label and colour
    "correct": ("trigger→correct", "blue"),
    "noise": ("trigger→noise", "vermillion"),
    "rest": ("elsewhere", "black"),
}
Curve = tuple[np.ndarray, np.ndarray]  # steps, and values as [seed, step]


def noise_share(moment: Moment, run: str) -> Seeds:
    """Second-layer attention on trigger -> noise over that on trigger -> correct."""
    correct, noise, _ = moment.array(run, "mass").T
    return Seeds(noise / correct)


def orders(share: Seeds) -> Seeds:
    """Of magnitude: shares of seeds spread by factors, not by differences."""
    return Seeds(np.log10(share.values))


def attention(runs: Runs, run: str, phase: int) -> dict[str, Curve]:
    """Along training, by where it goes."""
    return {where: runs[run].curve(f"attention_{where}", phase=phase) for where in LOOKS}


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(2, 3, width=14.0, height=6.4)
    panels = (
        ("main", "final", "trained with noise"),
        ("clean", "clean", "trained clean"),
        ("fine-tuned", "final", "then fine-tuned"),
    )
    table = {}
    for column, (run, moment, title) in enumerate(panels):
        _attention_map(axes[0, column], Moment(runs, moment), run, title)
        for where, curve in attention(runs, run, phase=int(moment == "final")).items():
            label, colour = LOOKS[where]
            table[f"{title}: {where}"] = curve
            band(axes[1, column], *curve, label, color=COLOURS[colour])
        axes[1, column].set(xlabel="step", ylabel="attention", ylim=(-0.02, 1.02), title=f"{title}: along training")
    legend_below(axes[0, 0], ncols=2)
    legend(axes[1, 0])
    letter(axes)
    shares = [noise_share(Moment(runs, moment), run).mean for run, moment, _ in panels]
    caption = (
        "Second-layer attention of the first seed on one noisy input, the same for all (top; marks: what followed the "
        "triggers), and its mean over noisy test sequences along training (bottom). At the end trigger→noise gets "
        f"{shares[0]:.3f} times the attention of trigger→correct when trained with noise, {shares[1]:.3f} times "
        f"after clean training alone, {shares[2]:.3f} times after fine-tuning. {setting(runs['main'])}"
    )
    return Artefact(figure, long_table(table), caption)


def _attention_map(ax: Axes, moment: Moment, name: str, title: str) -> None:
    """The second layer's attention on the shared input: a row a trigger, marks above what followed earlier ones."""
    run = moment.runs[name]
    tokens, correct = run.arrays["example_tokens"], run.arrays["example_correct"]
    queries = np.flatnonzero(correct >= 0)[-12:]
    rows = moment.array(name, "second_attention")[0][queries]
    ax.imshow(rows, cmap=HEAT, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    after = np.concatenate([[False], correct[:-1] >= 0])
    is_noise = after & (tokens == run.config.task.noise_token)
    for where, positions in (("correct", after & ~is_noise), ("noise", is_noise)):
        label, colour = LOOKS[where]
        places = np.flatnonzero(positions)
        style = {"color": COLOURS[colour], "markersize": 5, "label": label, "clip_on": False}
        ax.plot(places, np.full(len(places), -1.0), "v", **style)
    ax.set(xlabel="position attended to", ylabel="querying trigger, position", title=title)
    ax.set_ylim(len(queries) - 0.5, -1.6)
    ax.set_yticks(range(len(queries)), [str(q) for q in queries])
    ax.grid(False)


def views(runs: Runs) -> list[Curves]:
    """Where the second layer looks on noisy input, while noise is in the data."""
    found = []
    for name, title in (("main", "Trained with noise"), ("fine-tuned", "Trained clean, then with noise")):
        curves = attention(runs, name, phase=1)
        series = {LOOKS[where][0]: values.mean(axis=0) for where, (_, values) in curves.items()}
        steps = curves["rest"][0]
        found.append(Curves(title=f"{title}: attention", steps=steps, series=series, note="The mean over seeds."))
    return found


EXPERIMENT = Experiment(
    title="Second-layer attention avoids the noise",
    runs=lambda scale: {"main": main_run(scale), "fine-tuned": fine_tuned_run(scale), "clean": clean_run(scale)},
    needs={"main": learned_something, "fine-tuned": learned_something, "clean": learned_without_noise},
    claims=(
        Claim(
            id="fig-4",
            locus="Section 3, Figure 4",
            statement=r"Trained with noise from the start, or clean and then fine-tuned with noise of probability "
            r"$\alpha = \Theta(1)$, the second layer attends to the pair (trigger, $\bar y$) and not to the pair "
            r"(trigger, noise). Measured is the logarithm (base 10) of the attention on trigger→noise over that on "
            "trigger→correct.",
            needs=dict.fromkeys(("main", "fine-tuned"), EVEN),
            subject=lambda runs: {name: noise_share(Moment(runs, "final"), name) for name in ("main", "fine-tuned")},
            # The model that was trained without noise, read as both.
            wrong=lambda runs: dict.fromkeys(("main", "fine-tuned"), noise_share(Moment(runs, "clean"), "fine-tuned")),
            parts={
                "trained with noise": Part(lambda found: orders(found["main"]), at_most(AVOIDS, over_seeds=True)),
                "fine-tuned with noise": Part(
                    lambda found: orders(found["fine-tuned"]), at_most(AVOIDS, over_seeds=True)
                ),
            },
        ),
        Claim(
            id="fig-4-clean",
            locus="Section 3.2 and Appendix B.1, phase 1",
            statement=r"Pre-trained on data with $\alpha = 0$, the second layer attends to all tokens just after the "
            r"trigger, whatever $z_t$ is. Measured on input with noise is the attention on trigger→noise over that on "
            "trigger→correct.",
            needs=dict.fromkeys(("clean", "fine-tuned"), EVEN),
            subject=lambda runs: noise_share(Moment(runs, "clean"), "clean"),
            wrong=lambda runs: noise_share(Moment(runs, "final"), "fine-tuned"),  # after fine-tuning
            parts=Part(lambda share: share, at_least(ATTENDS, over_seeds=True)),
        ),
    ),
    draw=draw,
    live=Live(views=views),
)
