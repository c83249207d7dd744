"""Which singular directions of a language model's matrix carry "the", and are they where LASER, or theory, says?"""

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.association.claims._directions import (
    FEW,
    TEN,
    Places,
    against_the_answer,
    by_unembedding,
    constant,
    coordinates,
    enough,
    few_are_removed,
    for_the_answer,
    memorys_noise,
    on_choice,
    ordinary,
    removed,
    what_was_found,
)
from lemmata.papers.association.claims._truncations import FACTOR, FOUR_BITS, OURS
from lemmata.papers.association.probe.gains import Compared
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.run.noise_directions import NoiseDirections
from lemmata.papers.association.sizes import LanguageModels
from lemmata.report.plots import ceiling, columns, legend, letter, new_figure

MEMORY_INPUTS = 4  # the fewest with which the synthetic memory keeps its noise in the largest singular value

CARRIED = Claim(
    id="noise-directions",
    locus=f"{OURS}; Section 3.3, the noise has a subspace of rank 1",
    statement=f'{FEW} singular directions, found by removing one at a time, carry "the": without them '
    f'P(answer)/P("the") rises by a factor of {FACTOR:g} and more, on other prompts.',
    needs={"main": few_are_removed},
    subject=lambda runs: removed(runs["main"], "effect"),
    wrong=lambda runs: removed(runs["main"], "random"),
    parts={"gain": Part(Compared.gain, at_least(FACTOR, over_seeds=True, unit="prompts"))},
    remark=what_was_found,
)

POINTED = Claim(
    id="noise-directions-unembedding",
    locus=f"{OURS}; Section 3.3",
    statement=f'The {FEW} directions whose writing points the most at the unembedding of "the" carry it too: without '
    f'them P(answer)/P("the") rises by a factor of {FACTOR:g} and more, on other prompts.',
    needs={"main": few_are_removed},
    subject=lambda runs: removed(runs["main"], "the"),
    wrong=lambda runs: removed(runs["main"], "other"),  # those that point at another word
    parts={"gain": Part(Compared.gain, at_least(FACTOR, over_seeds=True, unit="prompts"))},
    remark=by_unembedding,
)

SMALLEST = Claim(
    id="noise-directions-smallest",
    locus=f"{OURS}; Section 2.2, truncation keeps the largest singular values",
    statement=f'"The" is in the smallest directions, which truncation removes: of the {TEN} directions that carry it '
    "the most, the smallest tenth of all holds half and more of the effect.",
    needs={"main": enough},
    subject=lambda runs: against_the_answer(runs["main"]),
    wrong=lambda runs: for_the_answer(runs["main"]),
    parts={"share in the smallest tenth": Part(Places.in_smallest, at_least(0.5, over_seeds=True, unit="prompts"))},
    remark=what_was_found,
)

THEORY = Claim(
    id="noise-directions-theory",
    locus=f"{OURS}; Section 3.3 and Appendix G.1, iii, for n >= 4 inputs",
    statement=r"For $n \ge 4$ inputs the synthetic memory keeps the noise in its largest singular value; the language "
    f'model does not. Of the {TEN} directions that carry "the" the most, the largest tenth of all holds less than half '
    "of the effect.",
    needs={"main": enough},
    subject=lambda runs: against_the_answer(runs["main"]),
    wrong=lambda runs: memorys_noise(runs["memory"]),
    parts={
        "share in the largest tenth": Part(
            lambda places: places.in_largest(), at_most(0.5, over_seeds=True, unit="prompts")
        )
    },
    remark=lambda runs: (
        "In the synthetic memory every input is as frequent as every other and W reads them unscaled: "
        "the noise grows with their number. A trained layer reads normed inputs in which one direction may be large at "
        "every prompt, and then a small singular value is enough for a large bias."
    ),
)

BIAS = Claim(
    id="noise-directions-bias",
    locus=f"{OURS}; Section 3.3, the noise is written on the mean of all inputs",
    statement=f'The {FEW} directions that carry "the" the most act as a bias: the inputs\' coordinate along them is '
    "all but the same at every prompt (mean over root mean square at least .9), as the synthetic memory's all-ones "
    "input is.",
    needs={"main": enough},
    subject=lambda runs: coordinates(runs["main"], against_the_answer(runs["main"]).chosen[:FEW]),
    wrong=lambda runs: coordinates(runs["main"], ordinary(runs["main"])),
    parts={"constancy": Part(constant, at_least(0.9, over_seeds=True, unit="prompts"))},
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    arrays, effect = run.arrays, on_choice(run)
    numbers, found = arrays["directions"], against_the_answer(run).chosen[:FEW]
    logits = arrays["push"][..., arrays["chooses"]].mean(axis=-1)[:, 0]
    figure, axes = new_figure(1, 3, width=13.5, height=3.6)
    for ax, x, label in (
        (axes[0], numbers, "direction, the largest singular value first"),
        (axes[1], logits, 'what it writes on the unembedding of "the"'),
    ):
        ax.plot(x, effect, ".", ms=3, color="C7")
        ax.plot(x[found], effect[found], "o", ms=5, color="C3")
        ax.axhline(0, color="black", lw=0.8)
        ax.set(xlabel=label, ylabel='log factor on answer/"the"', title="removed alone")
    rows = _bars(axes[2], run)
    letter(axes)
    caption = (
        f"{run.config.model}, {run.config.matrix} of layer {arrays['layer'][0]}. a: every singular direction removed "
        f"alone; the {FEW} strongest are red. b: against how far its writing, through the final norm, points at "
        '"the". c: sets of directions found on the prompts that choose, removed together, on the prompts that judge, '
        "with 95% intervals over prompts."
    )
    alone = {"direction": numbers, "singular": arrays["singular"], "energy": arrays["energy"]}
    alone |= {"factor": np.exp(effect), "direct logit": logits}
    names = list(alone)
    rows = [{"by": "alone"} | dict(zip(names, row, strict=True)) for row in zip(*alone.values(), strict=True)] + rows
    return Artefact(figure, columns(rows), caption)


def _bars(ax: Axes, run: RunResult) -> list[dict[str, object]]:
    names = {"effect": "by effect", "the": "by unembedding", "smallest": "smallest", "largest": "largest"}
    names |= {"other": f'by "{run.config.other}"', "random": "random"}
    counts = sorted(set(run.column("count").tolist()) - {0})
    rows: list[dict[str, object]] = []
    for i, count in enumerate(counts):
        found = {by: removed(run, by, count).gain() for by in names}
        mean = np.array([one.mean for one in found.values()])
        low, high = (np.array([one.interval()[side] for one in found.values()]) for side in (0, 1))
        x = np.arange(len(names)) + (i - (len(counts) - 1) / 2) * 0.22
        label = f"{count} direction" + "s" * (count > 1)
        ax.errorbar(x, mean, yerr=[mean - low, high - mean], fmt="o", ms=4, color=f"C{i}", label=label)
        rows += [
            {"by": by, "count": count, "factor": one.mean, "low": one.interval()[0], "high": one.interval()[1]}
            for by, one in found.items()
        ]
    ax.axhline(1.0, color="black", lw=0.8)
    ceiling(ax, FACTOR)
    ax.set_yscale("log")
    ax.set_xticks(range(len(names)), list(names.values()), fontsize=7, rotation=20)
    ax.set(ylabel='factor on answer/"the"', title="removed together, prompts that judge")
    legend(ax)
    return rows


EXPERIMENT = Experiment(
    title='Which singular directions carry "the"',
    runs=lambda scale: {
        "main": NoiseDirections(
            prompts=LanguageModels.DIRECTION_PROMPTS.at(scale),
            upper=LanguageModels.DIRECTION_UPPER.at(scale),
            shares=LanguageModels.DIRECTION_SHARES.at(scale),
            every=LanguageModels.DIRECTION_EVERY.at(scale),
        ),
        "memory": MemoryFlow(inputs=MEMORY_INPUTS, alpha=0.2),
    },
    claims=(CARRIED, POINTED, SMALLEST, THEORY, BIAS),
    draw=draw,
    extra="lm",
    notes=f"{FOUR_BITS} "
    "Layer and directions are chosen on one half of the prompts; what they do is judged on the other.",
)
