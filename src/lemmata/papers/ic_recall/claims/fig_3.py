"""Figure 3: accuracy against the number of fine-tuning sequences, for the position block alone and for all of W^KQ."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_least
from lemmata.papers.ic_recall.run.adam_fine_tuning import AdamFineTuning
from lemmata.papers.ic_recall.task import RandomBijections
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure, panel_label

WORLDS = {name: RandomBijections(n=n, relations=m) for name, n, m in (("8", 8, 64), ("16", 16, 128), ("32", 32, 512))}
NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128)
FEW = 8
COLUMNS = ("sequences", "seed", "step", "ceiling", "first_argmax", "first_probability", "second_argmax", "loss")


def _runs(scale: Scale) -> dict[str, RunConfig]:
    worlds = dict(list(WORLDS.items())[: scale.pick(smoke=1, laptop=3, paper=3)])
    seeds = scale.seeds(smoke=2, laptop=10, paper=10)
    numbers = scale.pick(smoke=(8, 128), laptop=NUMBERS, paper=NUMBERS)
    steps = scale.pick(smoke=1000, laptop=3000, paper=10_000)
    runs: dict[str, RunConfig] = {
        f"block/{name}": AdamFineTuning(world=world, sequences=numbers, seeds=seeds, steps=steps, records=4)
        for name, world in worlds.items()
    }
    sparse = (2, 8, 32, 128)  # on a laptop all of W^KQ is trained less, and less often, the larger the world
    full_numbers = scale.pick(smoke=((8, 128),), laptop=(NUMBERS, sparse, sparse), paper=(NUMBERS,) * 3)
    full_seeds = scale.pick(smoke=(2,), laptop=(5, 3, 2), paper=(10, 10, 10))
    full_steps = scale.pick(smoke=(200,), laptop=(800, 600, 300), paper=(4000, 4000, 4000))
    for i, (name, world) in enumerate(worlds.items()):
        runs[f"full/{name}"] = AdamFineTuning(
            world=world,
            sequences=full_numbers[i],
            seeds=seeds[: full_seeds[i]],
            steps=full_steps[i],
            records=4,
            trained="full W^KQ",
        )
    return runs


class Moment(NamedTuple):
    """A run after so many steps."""

    run: RunResult
    step: int

    def values(self, name: str, sequences: int) -> np.ndarray:
        """A metric of every seed."""
        return self.run.column(name, sequences=sequences, step=self.step)

    def relative(self, sequences: int) -> np.ndarray:
        """First-step accuracy in units of the best possible, seed by seed."""
        return self.values("first_argmax", sequences) / self.values("ceiling", sequences)


Worlds = list[Moment]  # one a world


def _trained(runs: Runs, which: str) -> Worlds:
    return [Moment(run, run.config.steps) for run in runs.group(which).values()]


def _untrained(runs: Runs, which: str) -> Worlds:
    return [Moment(run, 0) for run in runs.group(which).values()]


def _at_largest(worlds: Worlds) -> np.ndarray:
    return np.array([world.relative(max(world.run.config.sequences)).mean() for world in worlds])


def _share_at_few(worlds: Worlds) -> np.ndarray:
    """The share of seeds with at least nine tenths of the best possible accuracy, world by world."""
    return np.array([np.mean(world.relative(FEW) >= 0.9) for world in worlds])


def _second(worlds: Worlds) -> np.ndarray:
    """The worst second-step accuracy over seeds and numbers of sequences, world by world."""
    return np.array(
        [min(world.values("second_argmax", num).min() for num in world.run.config.sequences) for world in worlds]
    )


def _ceilings(runs: Runs, which: str) -> str:
    best = ", ".join(f"{np.mean(run.metrics['ceiling']):.2f}" for run in runs.group(which).values())
    return (
        "Accuracy is that of argmax decoding. Random bijections leave many sequences ambiguous, so the best possible "
        f"is {best}, world by world. The control is the untrained model."
    )


def _enough(runs: Runs, which: str) -> str:
    """The smallest number of sequences tried with which the mean accuracy is nine tenths of the best, by world."""
    found = []
    for world in _trained(runs, which):
        numbers = [num for num in sorted(world.run.config.sequences) if world.relative(num).mean() >= 0.9]
        found.append(str(numbers[0]) if numbers else "more than were tried")
    return ", ".join(found)


FIG_3 = Claim(
    id="fig-3",
    locus="Figure 3",
    statement="Training the position block alone learns the first decoding step: with 128 sequences test accuracy is "
    "the best possible, for (|S|, |R|) = (8, 64), (16, 128) and (32, 512).",
    subject=lambda runs: _trained(runs, "block"),
    wrong=lambda runs: _untrained(runs, "block"),
    parts=Part(_at_largest, at_least(0.98)),
    remark=lambda runs: _ceilings(runs, "block"),
)

FIG_3_FULL = Claim(
    id="fig-3-full",
    locus="Figure 3",
    statement="Training all of W^KQ learns the first decoding step: with 128 sequences test accuracy is the best "
    "possible, for (|S|, |R|) = (8, 64), (16, 128) and (32, 512).",
    subject=lambda runs: _trained(runs, "full"),
    wrong=lambda runs: _untrained(runs, "full"),
    parts=Part(_at_largest, at_least(0.98)),
    remark=lambda runs: _ceilings(runs, "full"),
)

FEW_SAMPLES = Claim(
    id="few-samples",
    locus="Section 1.1, Section 5 and Figure 3",
    statement="Eight sequences are often enough: training the position block alone on 8 of them, half of the seeds "
    "reach nine tenths of the best possible first-step accuracy, in each world.",
    subject=lambda runs: _trained(runs, "block"),
    wrong=lambda runs: _untrained(runs, "block"),
    parts=Part(_share_at_few, at_least(0.5)),
    remark=lambda runs: (
        f"Enough on average, world by world: {_enough(runs, 'block')}. The position block has few numbers to learn, "
        "and every sequence asks the same of them."
    ),
)

FEW_SAMPLES_FULL = Claim(
    id="few-samples-full",
    locus="Section 1.1, Section 5 and Figure 3",
    statement="Eight sequences are often enough: training all of W^KQ on 8 of them, half of the seeds reach nine "
    "tenths of the best possible first-step accuracy, in each world.",
    subject=lambda runs: _trained(runs, "full"),
    wrong=lambda runs: _untrained(runs, "full"),
    parts=Part(_share_at_few, at_least(0.5)),
    remark=lambda runs: (
        "Adam moves each entry of the token block as fast as each entry of the position block, and there are many more "
        "of them: eight sequences are told apart by their tokens before positions matter. Enough on average, world by "
        f"world: {_enough(runs, 'full')}."
    ),
)

SECOND_STEP = Claim(
    id="second-step",
    locus="Section 5",
    statement="The second decoding step is perfect on fresh sequences, for every number of sequences, world and seed, "
    "when the position block alone is trained.",
    subject=lambda runs: _trained(runs, "block"),
    wrong=lambda runs: _untrained(runs, "block"),
    parts=Part(_second, at_least(1.0)),
    remark="The untrained model (control) is right in a third of the cases: three subjects, equal attention.",
)

SECOND_STEP_FULL = Claim(
    id="second-step-full",
    locus="Section 5",
    statement="The second decoding step is perfect on fresh sequences, for every number of sequences, world and seed, "
    "when all of W^KQ is trained.",
    subject=lambda runs: _trained(runs, "full"),
    wrong=lambda runs: _untrained(runs, "full"),
    parts=Part(_second, at_least(1.0)),
    remark="By Adam from zero. At the second step the query token is the relation: attention learned through the token "
    "block serves the relations that were seen, and the loss on those is gone long before the position block has "
    "moved. For the position block alone the statement is true.",
)


def draw(runs: Runs) -> Artefact:
    names = list(runs.group("block"))
    figure, axes = new_figure(2, len(names), width=4.2 * len(names), height=5.8, squeeze=False, sharey="row")
    for column, name in enumerate(names):
        upper, lower = axes[:, column]
        for which, colour, marker in (("block", CYCLE[0], "o"), ("full", CYCLE[1], "s")):
            run = runs[f"{which}/{name}"]
            end, numbers = Moment(run, run.config.steps), run.config.sequences
            label = f"{run.config.trained} ({len(run.config.seeds)} seeds)"
            for ax, metric in ((upper, "first_argmax"), (lower, "second_argmax")):
                values = np.stack([end.values(metric, num) for num in numbers], axis=1)
                band(ax, numbers, values, label, colour, marker=marker)
        shown = runs[f"block/{name}"]
        best, ticks = float(np.mean(shown.metrics["ceiling"])), shown.config.sequences
        ceiling(upper, best, f"best possible, {best:.2f}")
        upper.set_title(f"|S| = {shown.config.world.n}, |R| = {shown.config.world.relations}")
        for ax in (upper, lower):
            ax.set(xscale="log", xlabel="fine-tuning sequences", ylim=(0, 1.04))
            ax.set_xticks(ticks, [str(num) for num in ticks])
            ax.minorticks_off()
        legend(upper, loc="lower right")
    axes[0, 0].set_ylabel("first-step test accuracy")
    axes[1, 0].set_ylabel("second-step test accuracy")
    for ax, letter in zip(axes.ravel(), "abcdef", strict=False):
        panel_label(ax, letter)
    lengths = [len(run.metrics["seed"]) for run in runs.values()]
    table = {name: np.concatenate([np.asarray(run.metrics[name]) for run in runs.values()]) for name in COLUMNS}
    table["n"] = np.repeat([run.config.world.n for run in runs.values()], lengths)
    table["relations"] = np.repeat([run.config.world.relations for run in runs.values()], lengths)
    table["trained"] = np.repeat([run.config.trained for run in runs.values()], lengths)
    config = runs[f"block/{names[0]}"].config
    caption = (
        f"Test accuracy (argmax decoding, {config.test_sequences} fresh sequences) after fine-tuning by Adam at "
        f"{config.rate:g}, T = {config.temperature:g}, {config.k} in-context pairs, memory of Lemma 3.1. Upper row: "
        "the relation; lower row: the answer given the true relation. Lines are means, bands one standard deviation "
        "over seeds; the dashed line is the best possible accuracy (sequences are ambiguous)."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="Accuracy against the number of fine-tuning sequences",
    runs=_runs,
    claims=(FIG_3, FEW_SAMPLES, SECOND_STEP, FIG_3_FULL, FEW_SAMPLES_FULL, SECOND_STEP_FULL),
    draw=draw,
    notes="The paper does not say which of the two its Figure 3 trains, nor T; we draw both, at T = 0.05.",
)
