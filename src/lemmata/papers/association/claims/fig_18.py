"""Figure 18: truncating a linear memory with random embeddings, n = 3."""

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    RunResult,
    Runs,
    Successes,
    TooShort,
    Undecided,
    at_least,
    at_most,
    near,
    of_result,
    only,
    word,
)
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.memory_descent import RandomMemory
from lemmata.papers.association.sizes import Memory
from lemmata.report.plots import ceiling, joined, new_figure

FIRST = 400  # seed; those before had been looked at when the rule was written
SETTLED = 500.0  # learning rate x steps: from here on the full model's loss has come down to its plateau
QUARTILE = 0.75  # "very likely": three quarters of the runs, the figure's own quartile
MUCH_LOWER = 0.5  # "significantly", of the median run and record
FEWEST = 4  # runs, for a quartile


def losses(run: RunResult, name: str) -> np.ndarray:
    """[seed, record]."""
    return run.column(name).reshape(len(run.config.seeds), -1)


def times(run: RunResult) -> np.ndarray:
    return losses(run, "time")[0]


Truncation = tuple[np.ndarray, np.ndarray]  # pure-label losses of the full model and of its rank-2 part, [seed, record]


def settled(run: RunResult) -> Truncation:
    later = times(run) >= SETTLED
    return losses(run, "full")[:, later], losses(run, "rank_2")[:, later]


def untrained(run: RunResult) -> Truncation:
    return losses(run, "full")[:, :1], losses(run, "rank_2")[:, :1]


def under(both: tuple[Truncation, Truncation]) -> Successes:
    """How many runs have a better rank-2 model, at the time when they are fewest."""
    fewest = [int((rank_2 < full).sum(axis=0).min()) for full, rank_2 in both]
    return Successes(np.array(fewest), min(len(full) for full, _ in both))


def spread(truncation: Truncation) -> float:
    return float(np.log(truncation[1][:, -1]).std(ddof=1))


@of_result
def long_enough(run: RunResult) -> Undecided | None:
    if len(run.config.seeds) < FEWEST:
        return Undecided(f"{len(run.config.seeds)} runs; a quartile needs {FEWEST}")
    last = times(run)[-1]
    early = f"learning rate × steps ends at {last:g}; the loss settles at about {SETTLED:g}"
    return None if last >= SETTLED else TooShort(early)


def remark(runs: Runs) -> str:
    counts = []
    for run in (runs["narrow"], runs["wide"]):
        full, rank_2 = settled(run)
        counts.append(f"d = {run.config.width}: {(rank_2[:, -1] < full[:, -1]).sum()} of {len(full)}")
    return (
        f"n, α and d are the paper's, which has 20 runs and names neither learning rate nor time. At the end rank 2 is "
        f"lower in {'; '.join(counts)}. n = 3 is the case in which the noise's singular value and the labels' grow "
        "alike (noise-rank-n), and embeddings that are not orthogonal break the tie either way. The text points to "
        "Figure 5 where it means Figure 18, and says 'a significant loss' for a significantly lower one."
    )


BY_WIDTH = {"d": lambda runs: [runs[name].config.width for name in ("narrow", "wide")]}

FIGURE_18 = Claim(
    id="fig-18",
    locus="Figure 18 and appendix G.1",
    statement=r"With $n = 3$, $\alpha = .03$, embeddings uniform on the sphere and $W_{ij} \sim \mathcal{N}(0, 1/d)$, "
    r"the full model's pure-label loss settles near $-\log(1-\alpha) \approx .03$. The rank-2 model's is very likely "
    "lower (in three quarters of the runs, at the worst time) and significantly so (half of it in the median run and "
    "record). $d = 12$ is more stable than $d = 8$.",
    needs=dict.fromkeys(("narrow", "wide"), only("inputs", 3, why="rank 2 leaves out the noise of three inputs")),
    wording={
        "n = 3": word("n = {}", "wide.inputs"),
        r"\alpha = .03": word(r"\alpha = {}", "wide.alpha"),
        r"\approx .03": lambda configs: rf"\approx {-np.log(1 - configs['wide'].alpha):.2g}",
        "d = 12": word("d = {}", "wide.width"),
        "d = 8": word("d = {}", "narrow.width"),
    },
    subject=lambda runs: (settled(runs["narrow"]), settled(runs["wide"])),
    wrong=lambda runs: (untrained(runs["wide"]), untrained(runs["narrow"])),
    parts={
        "full at the end": Part(
            lambda both: np.array([np.median(full[:, -1]) for full, _ in both]),
            near(lambda runs: -np.log(1 - runs["wide"].config.alpha), rtol=0.1),
            along=BY_WIDTH,
        ),
        "runs with rank 2 under full": Part(under, at_least(QUARTILE, over_seeds=True), along=BY_WIDTH),
        "rank 2 over full": Part(
            lambda both: np.array([np.median(rank_2 / full) for full, rank_2 in both]),
            at_most(MUCH_LOWER),
            along=BY_WIDTH,
        ),
        "spread": Part(lambda both: spread(both[1]) / spread(both[0]), at_most(1.0)),
    },
    remark=remark,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=10.5, height=3.8, sharey=True)
    tables = []
    for ax, run in zip(axes, (runs["wide"], runs["narrow"]), strict=True):
        time, full = times(run)[1:], losses(run, "full")[:, 1:]
        for i, name in enumerate((*(f"rank_{rank}" for rank in run.config.ranks), "full")):
            values = losses(run, name)[:, 1:]
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
            ax.loglog(time, middle, color=f"C{i}", ls="--" if name == "full" else "-", label=name.replace("_", " "))
            ax.fill_between(time, low, high, color=f"C{i}", alpha=0.2, lw=0)
            table = {"width": [run.config.width] * len(time), "time": time, "model": [name] * len(time)}
            table |= {"median": middle, "lower quartile": low, "upper quartile": high}
            tables.append(table | {"runs under the full model": (values < full).sum(axis=0)})
        ceiling(ax, -np.log(1 - run.config.alpha), "-log(1-α)")
        ax.axvline(SETTLED, color="grey", lw=0.8, ls=":")
        ax.set(xlabel="learning rate × step", title=f"d = {run.config.width}")
    axes[0].set_ylabel("pure-label loss")
    axes[0].legend(fontsize=7)
    config = runs["wide"].config
    caption = (
        f"Pure-label loss of truncated models, n = {config.inputs}, α = {config.alpha:g}, {len(config.seeds)} runs: "
        "median and quartiles. Only the full model is trained. The claim is judged from the dotted line on."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Truncating a linear memory with random embeddings",
    runs=lambda scale: {
        name: RandomMemory(
            width=width,
            seeds=tuple(FIRST - 100 + seed for seed in unseen(scale, Memory.RANDOM_SEEDS)),
            steps=Memory.RANDOM_STEPS.at(scale),
            every=Memory.RANDOM_EVERY.at(scale),
        )
        for name, width in zip(("narrow", "wide"), Memory.RANDOM_WIDTHS.at(scale), strict=True)
    },
    needs={"narrow": long_enough, "wide": long_enough},
    claims=(FIGURE_18,),
    draw=draw,
    notes="The paper gives neither learning rate nor number of steps. 'Very likely' is three quarters of the runs, the "
    f"figure's own quartile, at every time from learning rate × steps = {SETTLED:g} on; 'stable' is the spread of the "
    f"log loss "
    "at the end.",
)
