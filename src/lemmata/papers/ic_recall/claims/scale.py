"""Beyond the paper: how many fine-tuning sequences are needed as the number of stored facts grows to 10^55."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.sequences_needed import ALL, CLEAR, CONFUSING, DrawnSlopesNeeded, SequencesNeeded
from lemmata.report import plots

TARGET = 0.99  # of the final answer, on the worst kind of sequence (Theorem 4.1)
CONFIDENT = 0.9  # 1 - delta: the share of seeds that must reach it
WORLDS = {
    ALL: "all slopes (every sequence alike)",
    CONFUSING: "index 3: all confusing",
    CLEAR: "index 6: none confusing",
}


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    numbers, seeds = sizes.SCALE_SEQUENCES.at(scale), sizes.seeds(sizes.SCALE_SEEDS, scale)
    many = sizes.seeds(sizes.DRAWN_SEEDS, scale)
    main = SequencesNeeded(sizes=sizes.SCALE_WORLDS.at(scale), sequences=numbers, seeds=seeds)
    drawn = DrawnSlopesNeeded(sizes=sizes.DRAWN_WORLDS.at(scale), sequences=numbers, seeds=many)
    rare = replace(drawn, confusing=1.0, power=0.5, sequences=(4, 16, 64, 256, 1024), seeds=seeds)
    return {"main": main, "drawn": drawn, "rare": rare}


class Successes(NamedTuple):
    """Of one family of worlds: its facts and log n [world], and the share of seeds [world, number] that succeed."""

    facts: np.ndarray
    log_n: np.ndarray
    numbers: np.ndarray
    share: np.ndarray

    def needed(self) -> np.ndarray:
        """The fewest sequences from which on enough seeds reach the target (twice the largest tried if none)."""
        found = []
        for row in self.share:
            below = np.flatnonzero(row < CONFIDENT)
            first = below[-1] + 1 if len(below) else 0
            found.append(self.numbers[first] if first < len(self.numbers) else 2 * self.numbers[-1])
        return np.array(found)

    def power_of_log_n(self) -> float:
        return self._power_of(self.log_n)

    def doublings(self) -> float:
        """Of the need, by its power of the facts, from the fewest facts to the most: in steps of what was tried."""
        return self._power_of(self.facts) * float(np.log2(self.facts.max() / self.facts.min()))

    def _power_of(self, size: np.ndarray) -> float:
        if len(size) < 2:
            raise core.Undecided("an exponent needs two sizes of worlds")
        return core.log_slope(size, self.needed())


def _successes(run: core.RunResult, **where: int) -> Successes:
    column, worlds = run.column, sorted(run.config.sizes)
    numbers = np.unique(column("sequences", **where))
    share = [
        [np.mean(column("final_worst", n=float(n), sequences=num, **where) >= TARGET) for num in numbers]
        for n in worlds
    ]
    facts = [column("facts", n=float(n), **where)[0] for n in worlds]
    return Successes(np.array(facts), np.log(worlds), numbers.astype(float), np.array(share))


def _families(runs: core.Runs) -> dict[str, Successes]:
    return {"index 3": _successes(runs["main"], index=CONFUSING), "drawn slopes": _successes(runs["drawn"])}


def _growing_rare(runs: core.Runs) -> dict[str, Successes]:
    return dict.fromkeys(_families(runs), _successes(runs["rare"]))


def _after_stage_1(runs: core.Runs, index: int) -> np.ndarray:
    """Argmax decoding on the worst kind of sequence after Stage 1 on the largest set, by world and seed."""
    run = runs["main"]
    return run.column("argmax_after_stage1", index=index, sequences=max(run.config.sequences))


def _range_needed(runs: core.Runs) -> str:
    ranges = ", ".join(
        f"{found.needed().min():g} to {found.needed().max():g} in worlds of {name}"
        for name, found in _families(runs).items()
    )
    return (
        f"Sequences needed: {ranges}, at every size. Where all slopes are relations every sequence has the same "
        "pattern counts, and one sequence is enough at any size. The control is worlds of drawn slopes in which "
        "confusing sequences grow rare as n^(-1/2), against Assumption 4.3: there the need grows with n."
    )


def _by_size(family: str) -> dict[str, Any]:
    run = {"index 3": "main", "drawn slopes": "drawn"}[family]
    return {"n": lambda runs: sorted(runs[run].config.sizes)}


def _worlds_and_seeds(runs: core.Runs) -> list[dict[str, Any]]:
    """Of what is read after Stage 1."""
    run = runs["main"]
    where = {"index": CLEAR, "sequences": max(run.config.sequences)}
    columns = (run.column(name, **where) for name in ("n", "seed"))
    return [{"n": n, "seed": seed} for n, seed in zip(*columns, strict=True)]


GROWTH = core.Claim(
    id="scale",
    locus="beyond the paper; Theorem 4.1 promises polylog(n) sequences",
    statement=r"Theorem 4.1 promises that $\tilde O(\text{poly}(\frac1T)) = O(\text{polylog}(n))$ sequences are "
    "enough. In affine worlds, of a subgroup of slopes and of drawn ones, the number needed for 0.99 on every kind of "
    "sequence does not grow with the number of stored facts. Judged: at most one doubling over all sizes, an exponent "
    r"in $\log n$ of at most the proof's 3 ($|D|$ above $T^{-3}$), and the largest set tried enough for nine seeds of "
    "ten.",
    subject=_families,
    wrong=_growing_rare,
    parts={
        f"{what}, {name}": core.Part(lambda found, read=read, name=name: read(found[name]), rule, along=along)
        for name in ("index 3", "drawn slopes")
        for what, read, rule, along in (
            ("doublings over all sizes", Successes.doublings, core.at_most(1.0), {}),
            ("exponent in log n", Successes.power_of_log_n, core.at_most(3.0), {}),
            ("seeds that succeed", lambda found: found.share[:, -1], core.at_least(CONFIDENT), _by_size(name)),
        )
    },
    remark=_range_needed,
)

CLEAR_WORLDS = core.Claim(
    id="scale-no-confusion",
    locus="Section 4.2, after Assumption 4.3",
    statement="If no input sequence is confusing, the point that Stage 1 reaches has full accuracy. Judged in affine "
    "worlds of every size: argmax decoding finds the relation on every kind of sequence.",
    subject=lambda runs: _after_stage_1(runs, CLEAR),
    wrong=lambda runs: _after_stage_1(runs, CONFUSING),
    parts=core.Part(np.array, core.exactly(1.0), along={"world": _worlds_and_seeds}),
    remark="The control is the world of index 3, with the same share of mismatched sequences and all confusing.",
)


def draw(runs: core.Runs) -> core.Artefact:
    run = runs["main"]
    figure, (left, right) = plots.new_figure(1, 2, width=10)
    families = {index: _successes(run, index=index) for index in (CONFUSING, CLEAR, ALL) if index in run.config.indices}
    worlds = sorted(run.config.sizes)
    for (index, found), colour, marker in zip(families.items(), (1, 2, 0), "os^", strict=False):
        left.plot(found.facts, found.needed(), marker=marker, color=plots.CYCLE[colour], label=WORLDS[index])
        if index == ALL:
            continue
        for position, (n, row) in enumerate(zip(worlds, found.share, strict=True)):
            name = f"n = {n:.3g}" if n > 1e4 else f"n = {n}"
            style, label = ("-", name) if index == CONFUSING else ("--", None)
            shade = (0.1 + 0.75 * position / len(worlds),) * 3
            right.plot(found.numbers, row, style, color=shade, marker=".", label=label)
    if CONFUSING in families:  # what the need could have been: a fit, the promise, a power of the facts
        facts, logs, numbers = (found := families[CONFUSING]).facts, found.log_n, found.needed()
        if len(logs) > 1:
            power, height = np.polyfit(np.log(logs), np.log(numbers), 1)
            left.plot(facts, np.exp(height) * logs**power, ":", color="black", label=f"fit: (log n)^{power:.2f}")
        left.plot(facts, numbers[0] * (logs / logs[0]) ** 3, "--", color="grey", label="the promise: (log n)³")
        left.plot(facts, numbers[0] * (facts / facts[0]) ** 0.1, "-.", color="grey", label="facts^(1/10)")
    for name, label, style in (
        ("drawn", "drawn slopes, half confusing", "D-"),
        ("rare", "confusing ones rarer", "x--"),
    ):
        found = _successes(runs[name])
        left.plot(found.facts, found.needed(), style, color=plots.CYCLE[3], label=label)
    left.set(xscale="log", yscale="log", ylim=(0.7, 1e6), xlabel="stored facts |S|·|R|")
    title = f"For {TARGET} on every sequence, in {CONFIDENT:.0%} of seeds"
    left.set(ylabel="fine-tuning sequences needed", title=title)
    plots.legend_below(left, ncols=2)
    plots.ceiling(right, CONFIDENT, "0.9")
    right.set(xscale="log", ylim=(-0.03, 1.05), title="Solid: all confusing. Dashed: none")
    right.set(xlabel="fine-tuning sequences", ylabel=f"seeds that reach {TARGET}")
    right.set_xticks(run.config.sequences, [str(num) for num in run.config.sequences])
    right.minorticks_off()
    plots.legend_below(right, ncols=3)
    plots.letter((left, right))
    caption = (
        f"Algorithm 1 with one large step, T = {run.config.constant:g}/log n, in worlds of affine maps over prime "
        f"fields from n = {worlds[0]} to {worlds[-1]:.3g}; {len(run.config.seeds)} seeds. (a) The "
        f"fewest sequences from which on {CONFIDENT:.0%} of seeds give the right answer probability {TARGET} on the "
        "worst kind of fresh sequence. (b) The share of seeds that do, by size of the fine-tuning set. Index 3 and "
        "index 6 have the same share of mismatched sequences."
    )
    return core.Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = core.Experiment(
    title="Sequences needed as the stored facts grow to 10^55",
    runs=_runs,
    claims=(GROWTH, CLEAR_WORLDS),
    draw=draw,
    notes="A world of affine maps over a prime field stores nothing: n = 2^61 - 1 has more than 10^54 facts, at no "
    "cost.",
)
