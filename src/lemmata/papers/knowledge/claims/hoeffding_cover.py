"""The appendix's concentration bound, equation (44), and the subjects that by it cover every template."""

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.run.cover_bound import CoverBound
from lemmata.papers.knowledge.theory import concentration
from lemmata.report.plots import CYCLE, legend_below, letter, new_figure

FLOOR = 1e-6  # of the drawn probabilities


def tails(runs: core.Runs, lower: str) -> list[np.ndarray]:
    """The upper tail, a column of the lower one, the latter and the mean in drawn facts."""
    return [runs["main"].column(name) for name in ("at_least", lower, "drawn_at_most", "drawn_mean")]


def bound(runs: core.Runs) -> np.ndarray:
    columns = (runs["main"].column(name).tolist() for name in ("subjects", "multiplicity", "templates"))
    return np.array([concentration.hoeffding_bound(*case) for case in zip(*columns, strict=True)])


def nothing(runs: core.Runs) -> np.ndarray:
    """Where no bound is claimed: twice the largest probability, so that one near 1 makes no small margin."""
    return np.full_like(bound(runs), 2.0)


BY_CASE = {"case": lambda runs: core.rows_of(runs["main"], K="multiplicity", q="templates", n="subjects")}

HOEFFDING_COVER = core.Claim(
    id="hoeffding-cover",
    locus="Appendix, equation (44); our text has the formula from inside its probability on",
    statement=r"Each of $n$ subjects draws a set $A_i$ of $K$ of $q$ templates, so that $j \in [q]$ has probability "
    r"$K/q$. As printed, $\mathbb{P}[\sum_{i=1}^n \mathbb{I}(j \in A_i) \ge \frac{K}{2q} n] \le "
    r"\exp(-\frac{nK^2}{2q^2})$. Judged exactly, by binomial tails for several $n$, $K$, $q$, and as a frequency in "
    "drawn facts.",
    subject=lambda runs: tails(runs, "at_most"),
    wrong=lambda runs: tails(runs, "at_most_unpopular"),  # templates drawn half as often
    parts={
        "P[count ≥ Kn/2q]": core.Part(lambda found: found[0], core.at_most(bound), corrected=nothing, along=BY_CASE),
        "P[count ≤ Kn/2q]": core.Part(lambda found: found[1], core.at_most(nothing), corrected=bound, along=BY_CASE),
        # Where templates are drawn with replacement the count has another law.
        "mean count in drawn facts, over Kn/q": core.Part(
            lambda found: found[3], core.near(1.0, atol=1e-6), along=BY_CASE, carries=False
        ),
        "count ≤ Kn/2q in drawn facts": core.Part(
            lambda found: found[2], core.at_most(nothing, slack=0.05), corrected=bound, along=BY_CASE
        ),
    },
    correction=core.Correction(
        severity="typographical",
        printed=r"$\mathbb{P}[\sum_i \mathbb{I}(j \in A_i) \ge \frac{K}{2q} n] \le \exp(-\frac{nK^2}{2q^2})$",
        corrected=r"$\mathbb{P}[\sum_i \mathbb{I}(j \in A_i) \le \frac{K}{2q} n] \le \exp(-\frac{nK^2}{2q^2})$",
        reason="The mean is Kn/q, so the printed event is almost certain. Hoeffding's inequality, which the proof "
        "names, bounds the lower tail: a template drawn at most half as often as expected. That every template is "
        "covered, the use made of it, needs the lower tail too.",
        survives="What is made of it, as far as our text goes: with enough subjects every template is covered, with "
        "the same exponent (claim cover-all-templates). Where the bound is near 1 the printed form holds too.",
        source="A review's extract of the appendix, which begins inside the formula, at the sum: the `P[` before it is "
        "inferred. Were it `1 - P[`, the formula would be right as it stands.",
        latex=r"\mathbb{P}\Big[\sum_{i=1}^{n}\mathbb{I}(j\in A_i)\le\frac{K}{2q}n\Big]"
        r"\le\exp\Big(-\frac{nK^2}{2q^2}\Big)",
    ),
)

TO_COVER = {  # subjects that cover all templates but with the failure put up with
    "exact": concentration.subjects_to_cover,
    "union bound": concentration.union_cover,
    "Chernoff": concentration.chernoff_cover,
    "Hoeffding, eq. (44)": concentration.hoeffding_cover,
}


def to_cover(run: core.RunResult, by: str) -> np.ndarray:
    return np.array([TO_COVER[by](k, q, run.config.failure) for k, q in run.config.cases])


def covered(run: core.RunResult, subjects: np.ndarray) -> np.ndarray:
    """The exact probability that so many subjects cover all templates, by each case."""
    cases = zip(run.config.cases, subjects.tolist(), strict=True)
    return np.array([concentration.cover_probability(k, q, number)[-1] for (k, q), number in cases])


def loosest(runs: core.Runs) -> str:
    """The case in which the bound asks for most."""
    run = runs["main"]
    needed = [to_cover(run, by) for by in ("Hoeffding, eq. (44)", "Chernoff", "exact")]
    case = int(np.argmax(needed[0]))
    (k, q), (ours, other, exact) = run.config.cases[case], (f"{numbers[case]:,.0f}" for numbers in needed)
    return (
        "True and loose: it grows with (q/K)², where q/K times a logarithm is enough. At "
        f"K = {k}, q = {q}, δ = {run.config.failure:g} it asks for {ours} subjects, the multiplicative bound for "
        f"{other} and the exact count for {exact}."
    )


COVER_ALL = core.Claim(
    id="cover-all-templates",
    locus="Appendix, equation (44) with a union bound over templates",
    uses=("hoeffding-cover",),
    statement=r"By the lower tail of (44) and a union bound over the $q$ templates, which is ours, $n = 2 (q/K)^2 "
    r"\log(q/\delta)$ subjects cover all templates with probability $1 - \delta$ at least. Judged: the exact "
    "probability at that number, for each $K$ and $q$.",
    subject=lambda runs: covered(runs["main"], to_cover(runs["main"], "Hoeffding, eq. (44)")),
    wrong=lambda runs: covered(runs["main"], to_cover(runs["main"], "exact") - 1),  # one subject fewer
    parts=core.Part(
        np.asarray,
        core.at_least(lambda runs: 1 - runs["main"].config.failure),
        along={"case": lambda runs: [{"K": k, "q": q} for k, q in runs["main"].config.cases]},
    ),
    remark=loosest,
)


def draw(runs: core.Runs) -> core.Artefact:
    run = runs["main"]
    table = {**run.metrics, "hoeffding": bound(runs)}
    figure, (left, right) = new_figure(1, 2, width=9.6)
    for colour, (k, q) in zip(CYCLE, run.config.cases, strict=False):
        mine = np.flatnonzero((table["multiplicity"] == k) & (table["templates"] == q))
        mine = mine[np.argsort(table["subjects"][mine])]
        for name, style, label in (
            ("hoeffding", "--", None),
            ("at_most", "o-", f"K = {k}, q = {q}"),
            ("at_least", ":", None),
        ):
            values = np.maximum(table[name][mine], FLOOR)
            left.plot(table["subjects"][mine], values, style, color=colour, linewidth=1.2, markersize=3, label=label)
    left.set(xlabel="subjects n", ylabel="probability", yscale="log", ylim=(FLOOR, 2), title="bound and exact tails")
    legend_below(left, ncols=2)
    at = np.arange(len(run.config.cases))
    for shift, by in enumerate(TO_COVER):
        right.bar(at + 0.2 * (shift - 1.5), to_cover(run, by), 0.2, label=by, color=CYCLE[shift])
    right.set_xticks(at, [f"{k}, {q}" for k, q in run.config.cases])
    title = f"to cover all templates but with {run.config.failure:g}"
    right.set(xlabel="K, q", ylabel="subjects", yscale="log", title=title)
    legend_below(right, ncols=2)
    letter((left, right))
    caption = (
        "(a) Exact probability that a template has at most half its expected count among n subjects (points; values "
        f"under {FLOOR:g} lie on the floor), the bound exp(-nK²/(2q²)) (dashed) and the probability of the event as "
        "printed (dotted, near 1). (b) Subjects needed to cover every template: exact, and by three bounds."
    )
    return core.Artefact(figure, table, caption)


EXPERIMENT = core.Experiment(
    title="The concentration bound, and covering every template",
    runs=lambda scale: {"main": CoverBound(worlds=sizes.WORLDS.at(scale))},
    claims=(HOEFFDING_COVER, COVER_ALL),
    draw=draw,
)
