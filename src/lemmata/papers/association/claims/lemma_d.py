"""What appendices D and F read off the first gradients: Lemma D.1, the deviation bounds (6) and (12), signs (23)."""

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    RunResult,
    Runs,
    Seeds,
    Undecided,
    at_most,
    near,
    of_result,
)
from lemmata.papers.association.claims._first_gradients import (
    ROW_NAMES,
    asymptotic,
    exact_moments,
    gradient_runs,
    sampled_moments,
)
from lemmata.papers.association.theory import one_step
from lemmata.papers.association.theory.one_step import TABLE_3, power
from lemmata.report.plots import ceiling, new_figure

DELTA = 0.05
LEFT_OUT = 0.5  # of bound (12) at most, by the leading orders it is around: the lemma supposes N ≫ 1
LARGEST_ALPHA = 1.5 - 5**0.5 / 2  # Assumption F.1


def first_moments(runs: Runs, matrix: str) -> dict[str, np.ndarray]:
    """Of W_F's gradient at the noise token and at any other (of W_V's: at the first two rows of Table 3)."""
    return {name: sampled_moments(runs["sampled"], name, matrix=matrix)[:, :2] for name in ("mean", "variance")}


def dropped(runs: Runs, moments: dict[str, np.ndarray]) -> dict[str, Seeds]:
    """N times what the printed moments leave out: of the mean its difference, of the variance its relative one."""
    chain = runs["sampled"].config.chain
    mean, variance = zip(*(one_step.printed_feed_forward(noise, chain) for noise in (True, False)), strict=True)
    n = chain.num_tokens
    return {"mean": Seeds(n * (moments["mean"] - mean)), "variance": Seeds(n * (moments["variance"] / variance - 1))}


FEED_FORWARD = Claim(
    id="lemma-d.1",
    locus="Lemma D.1",
    uses=("lemma-h.1",),
    statement="At zero weights and N ≫ 1, W_U(k)ᵀ(∇W_F)W_E(q) has mean -α and variance α(1-α) for the noise token, "
    "mean 1/(N+1) - (1-α)/N and variance (1-α)/N for any other: what they leave out, times N, is of order 1.",
    subject=lambda runs: dropped(runs, first_moments(runs, "feed")),
    wrong=lambda runs: dropped(runs, first_moments(runs, "value")),  # the other matrix's gradient
    parts={
        name: Part(
            lambda found, name=name: found[name],
            near(np.zeros(2), atol=1.5, over_seeds=True),
            along={"token": ("noise", "any other")},
        )
        for name in ("mean", "variance")
    },
    remark="The lemma supposes N ≫ 1; the full forms are the proof's own (7) and (9), μ(N+1) = 1/(N+1) - α and σ²(k) = "
    "(1-α)/N · (1 - (1-α)/N). Bound (6) vanishes with m and leaves no room for what is dropped: see eq-6.",
)


def farthest(run: RunResult, matrix: str, centres: np.ndarray) -> np.ndarray:
    """[seed, row]: the largest distance of a sampled mean from its row's centre, over the row's (j, k)."""
    lowest, highest = (sampled_moments(run, name, matrix=matrix) for name in ("lowest", "highest"))
    return np.maximum(np.abs(lowest - centres), np.abs(highest - centres))


def feed_excess(runs: Runs, swapped: bool = False) -> np.ndarray:
    """By seed, the largest deviation over bound (6), around the mean of (7)."""
    run, order = runs["sampled"], [1, 0] if swapped else [0, 1]
    chain = run.config.chain
    means = np.array([one_step.feed_forward_moments(noise, chain)[0] for noise in (True, False)])[order]
    variances = np.array([one_step.printed_feed_forward(noise, chain)[1] for noise in (True, False)])
    ranges = np.array([max(chain.alpha, 1 - chain.alpha), 1.0])
    bound = one_step.deviation_bound(variances, ranges, run.config.samples, chain.num_tokens + 1, DELTA)
    return (farthest(run, "feed", means) / bound).max(axis=1)


def value_bound(run: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """Table 3's means and bound (12) around them, both as printed."""
    chain = run.config.chain
    entries = [one_step.printed(entry, chain.alpha).at(chain, power(entry)) for entry in TABLE_3]
    means, variances = (np.array([entry[name] for entry in entries]) for name in ("mean", "variance"))
    ranges, events = np.array(one_step.PRINTED_RANGES), (chain.num_tokens + 1) ** 2
    bound = one_step.deviation_bound(variances, ranges, run.config.samples, events, DELTA)
    return means, bound


def value_excess(runs: Runs, shift: int = 0) -> np.ndarray:
    """By seed, the largest deviation over bound (12)."""
    means, bound = value_bound(runs["sampled"])
    return (farthest(runs["sampled"], "value", np.roll(means, shift)) / bound).max(axis=1)


@of_result
def many_tokens(run: RunResult) -> Undecided | None:
    """A need: what the leading order leaves out of a mean is small against the bound, as it is for N ≫ 1."""
    means, bound = value_bound(run)
    chain = run.config.chain
    left_out = float(np.max(np.abs(exact_moments(chain)["mean"] - means) / bound))
    if left_out <= LEFT_OUT:
        return None
    few = f"N = {chain.num_tokens} is not large for m = {run.config.samples}"
    return OutsideSetting(f"{few}: what the leading order leaves out of a mean is {left_out:.2f} of the bound")


FEED_BOUND = Claim(
    id="eq-6",
    locus="Lemma D.1, equations (6) to (11)",
    uses=("lemma-d.1",),
    statement="With probability 1 - δ all projections of W_F's gradient on m samples are within the bound of their "
    f"means, those of (7): the largest deviation over "
    f"the bound that a share δ of the samples exceed, δ = {DELTA:g}.",
    subject=feed_excess,
    wrong=lambda runs: feed_excess(runs, swapped=True),  # around each other's means
    parts=Part(lambda excess: float(np.quantile(excess, 1 - DELTA)), at_most(1.0)),
)

VALUE_BOUND = Claim(
    id="eq-12",
    locus="Lemma D.2, equation (12)",
    uses=("table-3", "table-3-variance", "table-3-range"),
    needs={"sampled": many_tokens},
    statement="With probability 1 - δ all projections of W_V's gradient on m samples are within the bound of Table "
    f"3's means, with its variances and ranges as printed: the largest deviation over "
    f"the bound that a share δ of the samples exceed, δ = {DELTA:g}.",
    subject=value_excess,
    wrong=lambda runs: value_excess(runs, shift=1),  # around the neighbouring row's means
    parts=Part(lambda excess: float(np.quantile(excess, 1 - DELTA)), at_most(1.0)),
    remark=lambda runs: (
        f"The largest deviation is {value_excess(runs).max():.2f} of the bound: Table 3's slips do not break it. Its "
        "means are of leading order, so at a fixed N it would break for m large enough."
    ),
)


def sign_table(run: RunResult, alphas: list[float]) -> np.ndarray:
    """Of -∇W_V at each row of Table 3, [alpha, row]."""
    return -np.sign([run.column("mean", alpha=alpha) for alpha in alphas]).astype(int)


def admitted(runs: Runs, within: bool) -> list[float]:
    alphas = runs["exact"].config.alphas
    found = [alpha for alpha in alphas if (alpha <= LARGEST_ALPHA) == within]
    if not found:
        raise OutsideSetting(f"α = {alphas}: none is {'up to' if within else 'above'} {LARGEST_ALPHA:.3f}")
    return found


def printed_signs() -> np.ndarray:
    """Equation (23): positive for j = N+1, for j = k and for (q, N+1)."""
    positive = {("trigger", "noise"), ("trigger", "trigger"), ("token", "same")}
    return np.array([1 if e.output == "noise" or (e.output, e.input) in positive else -1 for e in TABLE_3])


SIGNS = Claim(
    id="eq-23",
    locus="Appendix F, equations (22) and (23)",
    uses=("table-3",),
    statement="The signs of W_U(j)ᵀ(-∇W_V)W_E(k) at zero weights, for α ≤ 1.5 - √5/2: positive for j = N+1, j = k and "
    "(q, N+1), negative otherwise.",
    needs={"exact": asymptotic},
    subject=lambda runs: sign_table(runs["exact"], admitted(runs, within=True)),
    wrong=lambda runs: sign_table(runs["exact"], admitted(runs, within=False)),  # noise levels that F.1 leaves out
    parts=Part(
        lambda signs: signs,
        near(printed_signs()),
        along={"α": lambda runs: admitted(runs, within=True), "row": ROW_NAMES},
    ),
)


def draw(runs: Runs) -> Artefact:
    feed, value = feed_excess(runs), value_excess(runs)
    figure, ax = new_figure(width=5.6, height=3.6)
    for i, (name, values) in enumerate((("(6), W_F", feed), ("(12), W_V", value))):
        ax.plot(np.full(len(values), i), values, "o", ms=3, alpha=0.6, label=name)
    ceiling(ax, 1.0, "the bound")
    ax.set_xticks([0, 1], ["(6), W_F", "(12), W_V"])
    ax.set(ylabel="largest deviation / bound", ylim=(0, 1.1))
    config = runs["sampled"].config
    caption = (
        f"N = {config.num_tokens}, T = {config.length}, α = {config.alpha:g}, δ = {DELTA:g}: {len(config.seeds)} "
        f"samples of m = {config.samples} sequences, the largest deviation of each from the stated means, over the "
        "bound."
    )
    return Artefact(figure, {"seed": np.array(config.seeds), "W_F, over (6)": feed, "W_V, over (12)": value}, caption)


EXPERIMENT = Experiment(
    title="The first gradients: Lemma D.1, deviation bounds, signs",
    runs=gradient_runs,
    claims=(FEED_FORWARD, FEED_BOUND, VALUE_BOUND, SIGNS),
    draw=draw,
)
