"""Figures 2 and 3: the pairwise pattern at convergence, and accuracy against the number of fine-tuning sequences."""

import numpy as np

from lemmata.core import Artefact, RunConfig, RunResult, Scale
from lemmata.core.legacy import AtLeast, Claim, Each, Experiment, Results
from lemmata.papers.ic_recall.claims._pattern_shape import (
    FIRST_PREDICTION,
    FIRST_RULE,
    SECOND_PREDICTION,
    SECOND_RULE,
    attention_rows,
    draw_attention,
    first_shape,
    second_shape,
)
from lemmata.papers.ic_recall.run.adam_fine_tuning import AdamFineTuning, Trained
from lemmata.papers.ic_recall.task import RandomBijections
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure, panel_label

BLOCK: Trained = "position block"
FULL: Trained = "full W^KQ"
LEFT = {"world": RandomBijections(n=8, relations=64), "k": 2, "temperature": 0.05}
RIGHT = {"world": RandomBijections(n=8, relations=512), "k": 3, "temperature": 0.01}


# Figure 2


def _grid_2(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=2, laptop=10, paper=10)
    few = scale.seeds(smoke=1, laptop=2, paper=10)
    steps = scale.pick(smoke=3000, laptop=10_000, paper=20_000)
    full = [
        AdamFineTuning(**LEFT, trained=FULL, seeds=few, steps=scale.pick(smoke=400, laptop=1600, paper=4000)),
        AdamFineTuning(**RIGHT, trained=FULL, seeds=few[:3], steps=scale.pick(smoke=80, laptop=400, paper=1600)),
    ]
    block = [AdamFineTuning(**panel, trained=BLOCK, seeds=seeds, steps=steps) for panel in (LEFT, RIGHT)]
    shown = scale.pick(smoke=1, laptop=2, paper=2)
    return (*block[:shown], *full[:shown])


def _panels(results: Results, trained: Trained) -> list[RunResult]:
    return sorted(results.where(AdamFineTuning, trained=trained), key=lambda run: run.config.k)


def _shapes(results: Results, trained: Trained, record: int, second: bool) -> dict[str, np.ndarray]:
    """Shape numbers of every seed, k = 2 first; record 0 is the untrained model."""
    found: dict[str, list[np.ndarray]] = {}
    for run in _panels(results, trained):
        parts = first_shape(run.arrays["first_attention"][:, record])
        if second:
            parts |= second_shape(run.arrays["second_attention"][:, record])
        for name, values in parts.items():
            found.setdefault(name, []).append(values)
    return {name: np.concatenate(values) for name, values in found.items()}


PAIRWISE = Claim(
    id="ic-recall/fig-2",
    locus="Figure 2 and Section 4.1",
    statement="At convergence the first decoding step attends in pairs: the two tokens of an in-context pair get the "
    "same weight, different pairs different weights, query subject and EoS none; with two pairs (left) and with three "
    "(right). The second step attends most to the query subject.",
    predict=lambda results: FIRST_PREDICTION | SECOND_PREDICTION,
    measure=lambda results: _shapes(results, BLOCK, -1, True),
    control=lambda results: _shapes(results, BLOCK, 0, True),
    check=Each(FIRST_RULE | SECOND_RULE),
    remark="From exactly zero, and without a push: 128 random sequences are not symmetric under exchange of the pairs, "
    "and that asymmetry, small as it is, decides which pair becomes the heavier one. The second step leads by a "
    "factor, not by everything: its loss is down to about 10^-5 and hardly pushes any more. The control is the "
    "untrained model.",
)

PAIRWISE_FULL = Claim(
    id="ic-recall/fig-2-full",
    locus="Section 2.3, partial fine-tuning; Section 5",
    statement="Without the restriction to the position block, training all of W^KQ finds the same solution at the "
    "first decoding step: attention averaged over fresh sequences is pairwise.",
    predict=lambda results: FIRST_PREDICTION,
    measure=lambda results: _shapes(results, FULL, -1, False),
    control=lambda results: _shapes(results, FULL, 0, False),
    check=Each(FIRST_RULE),
    remark="On average over sequences, with 128 of them. The second step is another matter: see "
    "`ic-recall/second-step-full`.",
)


def _render_2(results: Results) -> Artefact:
    block, full = _panels(results, BLOCK), _panels(results, FULL)
    figure, axes = new_figure(2, 2, width=11, height=4.4, squeeze=False, width_ratios=(7, 9))
    rows = []
    for line, runs in enumerate((block, full)):
        for column in range(2):
            ax = axes[line, column]
            if column >= len(runs):
                ax.set_axis_off()
                continue
            run = runs[column]
            first, second = (run.arrays[name][:, -1] for name in ("first_attention", "second_attention"))
            config = run.config
            title = f"{config.trained}: k = {config.k}, |R| = {config.world.relations}, T = {config.temperature:g}"
            draw_attention(ax, first[0], second[0], title)
            panel_label(ax, "abcd"[2 * line + column])
            for position, seed in enumerate(config.seeds):
                rows += attention_rows(f"{config.trained}, k = {config.k}", seed, first[position], second[position])
    caption = (
        "Attention at convergence, |S| = |A| = 8, memory of Lemma 3.1, Adam at 10^-3 on 128 sequences; rows are the "
        f"two decoding steps. (a, b) The position block alone, {block[0].config.steps} steps, one of "
        f"{len(block[0].config.seeds)} seeds (which pair is heavier differs between seeds; all are in "
        "the table). (c, d) All of W^KQ, averaged over 1000 fresh sequences."
    )
    return Artefact(figure, _table(rows), caption)


def _table(rows: list[dict]) -> dict[str, list]:
    return {name: [row[name] for row in rows] for name in rows[0]}


# Figure 3

WORLDS = tuple(RandomBijections(n=n, relations=m) for n, m in ((8, 64), (16, 128), (32, 512)))
NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128)
FEW = 8


def _grid_3(scale: Scale) -> tuple[RunConfig, ...]:
    worlds = scale.pick(smoke=WORLDS[:1], laptop=WORLDS, paper=WORLDS)
    seeds = scale.seeds(smoke=2, laptop=10, paper=10)
    numbers = scale.pick(smoke=(8, 128), laptop=NUMBERS, paper=NUMBERS)
    steps = scale.pick(smoke=1000, laptop=3000, paper=10_000)
    block = [AdamFineTuning(world=world, sequences=numbers, seeds=seeds, steps=steps, records=4) for world in worlds]
    sparse = (2, 8, 32, 128)
    sizes = scale.pick(smoke=((8, 128),), laptop=(NUMBERS, sparse, sparse), paper=(NUMBERS,) * 3)
    full_seeds = scale.pick(smoke=(2,), laptop=(5, 3, 2), paper=(10, 10, 10))
    full_steps = scale.pick(smoke=(200,), laptop=(800, 600, 300), paper=(4000, 4000, 4000))
    full = [
        AdamFineTuning(
            world=world,
            sequences=sizes[i],
            seeds=seeds[: full_seeds[i]],
            steps=full_steps[i],
            records=4,
            trained=FULL,
        )
        for i, world in enumerate(worlds)
    ]
    return (*block, *full)


def _runs_3(results: Results, trained: Trained) -> list[RunResult]:
    return sorted(results.where(AdamFineTuning, trained=trained), key=lambda run: run.config.world.n)


def _values(run: RunResult, name: str, num: int, step: int | None = None) -> np.ndarray:
    return run.column(name, sequences=num, step=run.config.steps if step is None else step)


def _relative(run: RunResult, num: int, step: int | None = None) -> np.ndarray:
    """First-step accuracy in units of the best possible, seed by seed."""
    return _values(run, "first_argmax", num, step) / _values(run, "ceiling", num, step)


def _at_largest(results: Results, trained: Trained, step: int | None = None) -> np.ndarray:
    return np.array([_relative(r, max(r.config.sequences), step).mean() for r in _runs_3(results, trained)])


def _share_at_few(results: Results, trained: Trained, step: int | None = None) -> np.ndarray:
    """The share of seeds with at least nine tenths of the best possible accuracy, world by world."""
    return np.array([np.mean(_relative(r, FEW, step) >= 0.9) for r in _runs_3(results, trained)])


def _second(results: Results, trained: Trained, step: int | None = None) -> np.ndarray:
    """The worst second-step accuracy over seeds and numbers of sequences, world by world."""
    return np.array(
        [
            min(_values(r, "second_argmax", num, step).min() for num in r.config.sequences)
            for r in _runs_3(results, trained)
        ]
    )


def _claims_3(trained: Trained) -> tuple[Claim, Claim, Claim]:
    block = trained == BLOCK
    suffix, what = ("", "the position block alone") if block else ("-full", "all of W^KQ")
    learned = Claim(
        id=f"ic-recall/fig-3{suffix}",
        locus="Figure 3",
        statement=f"Training {what} learns the first decoding step: with 128 sequences test accuracy is at least 0.98 "
        "of the best possible, for (|S|, |R|) = (8, 64), (16, 128) and (32, 512).",
        predict=lambda results: 0.98,
        measure=lambda results: _at_largest(results, trained),
        control=lambda results: _at_largest(results, trained, 0),
        check=AtLeast(),
        remark="Accuracy is that of argmax decoding. Random bijections leave many sequences ambiguous, so the best "
        "possible is about 0.6, 0.78 and 0.78. The control is the untrained model.",
    )
    few = Claim(
        id=f"ic-recall/few-samples{suffix}",
        locus="Section 1.1, Section 5 and Figure 3",
        statement=f"Eight sequences are often enough: training {what} on 8 of them, at least half of the seeds reach "
        "0.9 of the best possible first-step accuracy, in each world.",
        predict=lambda results: 0.5,
        measure=lambda results: _share_at_few(results, trained),
        control=lambda results: _share_at_few(results, trained, 0),
        check=AtLeast(),
        remark="Even one sequence is enough for the position block: it has 13 numbers to learn, and every sequence "
        "asks the same of them."
        if block
        else "It is not true of the full W^KQ. Adam moves each entry of the token block as fast as each entry of the "
        "position block, and there are many more of them: eight sequences are told apart by their tokens before "
        "positions matter. About 32 (128 for |R| = 512) are needed.",
    )
    second = Claim(
        id=f"ic-recall/second-step{suffix}",
        locus="Section 5",
        statement=f"The second decoding step is perfect on fresh sequences, for every number of sequences, world and "
        f"seed, when {what} is trained.",
        predict=lambda results: 1.0,
        measure=lambda results: _second(results, trained),
        control=lambda results: _second(results, trained, 0),
        check=AtLeast(),
        remark="The untrained model (control) is right in a third of the cases: three subjects, equal attention."
        if block
        else "It is not true of the full W^KQ trained by Adam from zero. At the second step the query token is the "
        "relation: attention learned through the token block serves the relations that were seen, and the loss on "
        "those is gone long before the position block has moved. For the position block alone the statement is true.",
    )
    return learned, few, second


def _render_3(results: Results) -> Artefact:
    block, full = _runs_3(results, BLOCK), _runs_3(results, FULL)
    figure, axes = new_figure(2, len(block), width=4.2 * len(block), height=5.8, squeeze=False, sharey="row")
    for column, runs in enumerate(zip(block, full, strict=True)):
        world = runs[0].config.world
        for run, colour, marker in zip(runs, (CYCLE[0], CYCLE[1]), "os", strict=True):
            numbers = run.config.sequences
            label = f"{run.config.trained} ({len(run.config.seeds)} seeds)"
            for line, name in enumerate(("first_argmax", "second_argmax")):
                values = np.stack([_values(run, name, num) for num in numbers], axis=1)
                band(axes[line, column], numbers, values, label, colour, marker=marker)
        best = float(np.mean([_values(runs[0], "ceiling", num).mean() for num in runs[0].config.sequences]))
        ceiling(axes[0, column], best, f"best possible, {best:.2f}")
        axes[0, column].set_title(f"|S| = {world.n}, |R| = {world.relations}")
        for line in range(2):
            axes[line, column].set(xscale="log", xlabel="fine-tuning sequences", ylim=(0, 1.04))
            axes[line, column].set_xticks(NUMBERS, [str(num) for num in NUMBERS])
            axes[line, column].minorticks_off()
        legend(axes[0, column], loc="lower right")
    axes[0, 0].set_ylabel("first-step test accuracy")
    axes[1, 0].set_ylabel("second-step test accuracy")
    for ax, letter in zip(axes.ravel(), "abcdef", strict=False):
        panel_label(ax, letter)
    runs = [*block, *full]
    names = ("sequences", "seed", "step", "ceiling", "first_argmax", "first_probability", "second_argmax", "loss")
    table: dict[str, np.ndarray] = {name: np.concatenate([np.asarray(r.metrics[name]) for r in runs]) for name in names}
    lengths = [len(run.metrics["seed"]) for run in runs]
    table["n"] = np.repeat([run.config.world.n for run in runs], lengths)
    table["relations"] = np.repeat([run.config.world.relations for run in runs], lengths)
    table["trained"] = np.repeat([run.config.trained for run in runs], lengths)
    caption = (
        "Test accuracy (argmax decoding, 1000 fresh sequences) after fine-tuning by Adam at 10^-3, T = 0.05, two "
        "in-context pairs, memory of Lemma 3.1. Upper row: the relation; lower row: the answer given the true "
        "relation. Lines are means, bands one standard deviation over seeds; the dashed line is the best possible "
        "accuracy (sequences are ambiguous)."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    Experiment(
        id="ic-recall/fig-2",
        title="Pairwise attention at convergence",
        grid=_grid_2,
        claims=(PAIRWISE, PAIRWISE_FULL),
        render=_render_2,
        notes="|S| = 8 and |R| = 64 cannot satisfy Assumption 2.2 (at most 56 relations can); the pattern emerges all "
        "the same.",
    ),
    Experiment(
        id="ic-recall/fig-3",
        title="Accuracy against the number of fine-tuning sequences",
        grid=_grid_3,
        claims=(*_claims_3(BLOCK), *_claims_3(FULL)),
        render=_render_3,
        notes="The paper does not say which of the two its Figure 3 trains, nor T; we draw both, at T = 0.05.",
    ),
)
