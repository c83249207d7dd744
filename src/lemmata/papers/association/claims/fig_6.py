"""Figure 6: of the same number of parameters, the more the MLPs get, the better bigrams are learned."""

from dataclasses import replace

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    Seeds,
    TooShort,
    Undecided,
    at_least,
    falls,
    of_result,
)
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.bigram_allocation import BigramAllocation
from lemmata.papers.association.sizes import Allocation
from lemmata.papers.association.task import RecallConfig
from lemmata.report.plots import CYCLE, band, ceiling, columns, legend, new_figure

JITTER, APART = 0.01, 0.02  # nats: neighbouring shares differ by about the first; the ends by twice that, and more


def runs(scale: Scale) -> dict[str, BigramAllocation]:
    """The control, a world whose bigrams say nothing, at one total of parameters (on a laptop at one learning rate)."""
    main = BigramAllocation(
        task=RecallConfig(symbols=Allocation.SYMBOLS.at(scale), length=Allocation.LENGTH.at(scale), loss_on="bigrams"),
        width=Allocation.WIDTH.at(scale),
        units=Allocation.UNITS.at(scale),
        learning_rates=Allocation.LEARNING_RATES.at(scale),
        batch=Allocation.BATCH.at(scale),
        steps=Allocation.STEPS.at(scale),
        test_sequences=Allocation.TEST_SEQUENCES.at(scale),
        precision=Allocation.PRECISION.at(scale),
        seeds=unseen(scale, Allocation.SEEDS),
    )
    learning_rates = Allocation.CONTROL_LEARNING_RATES.at(scale)
    uniform = replace(main.task, source="uniform")
    nothing = replace(main, task=uniform, units=main.units[:1], learning_rates=learning_rates)
    return {"main": main, "nothing to learn": nothing}


def allocations(run: RunResult, units: int) -> tuple[list[float], np.ndarray, list[float]]:
    """Of one total, the MLPs' share growing: the share, the losses [seed, share] at the best learning rate (of the
    smallest mean loss), and that learning rate."""
    shares, best_losses, learning_rates = [], [], []
    for hidden in sorted(run.config.hidden(units, share) for share in run.config.shares):
        found = {r: run.column("test_loss", units=units, hidden=hidden, rate=r) for r in run.config.learning_rates}
        found = {r: np.where(np.isfinite(losses), losses, np.inf) for r, losses in found.items()}
        best = min(found, key=lambda r: float(found[r].mean()))
        shares.append(hidden / units)
        best_losses.append(found[best])
        learning_rates.append(best)
    return shares, np.array(best_losses).T, learning_rates


def losses(run: RunResult) -> np.ndarray:
    """[seed, total, share], the MLP's share growing."""
    return np.stack([allocations(run, units)[1] for units in run.config.units], axis=1)


@of_result
def learned_bigrams(run: RunResult) -> Undecided | None:
    """A need: the best model is nearer to the true bigram's loss than to that of a uniform guess."""
    best, floor = float(losses(run).mean(axis=0).min()), float(run.arrays["floor"][0])
    if best <= (floor + np.log(run.config.task.vocab)) / 2:
        return None
    return TooShort(f"little is learned: the smallest loss is {best:.2f} nats, that of the true bigram {floor:.2f}")


def draw(runs: Runs) -> Artefact:
    run, config = runs["main"], runs["main"].config
    figure, ax = new_figure(width=5.6, height=3.8)
    rows = []
    for units, colour in zip(config.units, CYCLE, strict=False):
        parameters = 2 * (2 * config.width * units + config.width**2)
        shares, by_seed, learning_rates = allocations(run, units)
        band(ax, shares, by_seed, f"{parameters / 1000:.0f}k parameters", color=colour, marker="o")
        for share, seeds, learning_rate in zip(shares, by_seed.T, learning_rates, strict=True):
            row = {"parameters": parameters, "share_in_mlp": share, "loss": seeds.mean(), "std": seeds.std()}
            rows.append(row | {"learning_rate": learning_rate})
    floor = float(run.arrays["floor"][0])
    ceiling(ax, floor, f"the true bigram: {floor:.2f}")
    ax.set(xlabel="share of the MLPs (of 2 d · units a layer)", ylabel="loss on bigrams, nats")
    legend(ax)
    searched = ", ".join(f"{one:g}" for one in config.learning_rates)
    caption = (
        f"Loss on bigrams after {config.steps} steps, at the best learning rate of {searched} for each point (momentum "
        f"{config.momentum:g}), on test sequences of the same distribution; data are fresh at every step. "
        f"N = {config.task.symbols}, T = {config.task.length}, d = {config.width}, batch {config.batch}, "
        f"{len(config.seeds)} seeds (mean and one standard deviation). W_QK, the same for all, is counted in the total."
    )
    return Artefact(figure, columns(rows), caption)


def _shares(runs: Runs) -> list[str]:
    """The MLPs' shares as they were asked for; the nearest whole number of units differs a little by total."""
    return [f"{share:g}" for share in sorted(runs["main"].config.shares)]


TOTALS = {"units": lambda runs: runs["main"].config.units}

EXPERIMENT = Experiment(
    title="Bigrams and the share of parameters in MLPs",
    runs=runs,
    needs={"main": learned_bigrams},
    claims=(
        Claim(
            id="fig-6",
            locus="Appendix A, Figure 6",
            statement=r"At a fixed total of parameters, after 100 steps at the best learning rate of a search, models "
            r"with fewer parameters in their MLPs, and more in attention, have a higher loss on the bigrams $\pi_b$. "
            "Measured are the losses by total and, within it, by the MLPs' growing share.",
            subject=lambda runs: losses(runs["main"]),
            wrong=lambda runs: losses(runs["nothing to learn"]),
            parts={
                "loss by share": Part(Seeds, falls(slack=JITTER, over_seeds=True), along=TOTALS | {"share": _shares}),
                "smallest share over largest": Part(
                    lambda by_share: Seeds(by_share[..., 0] - by_share[..., -1]),
                    at_least(APART, over_seeds=True),
                    along=TOTALS,
                ),
            },
            protocol=Protocol("N, T, d and the rates", below_paper=True),
            remark="The laptop's sizes and learning rates are ours.",
        ),
    ),
    draw=draw,
)
