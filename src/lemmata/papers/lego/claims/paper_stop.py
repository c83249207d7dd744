"""Lemmas E.24, E.35, F.9, F.16 and Theorem F.1: explicit constants of self-training under the appendix' own stop."""

from dataclasses import replace
from typing import Any

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
    Undecided,
    at_least,
    at_most,
    exactly,
    log_slope,
    precision,
    to_jax,
)
from lemmata.papers.lego.claims._paper_stop import (
    WHERE,
    Stops,
    in_words,
    later_lengths,
    of_stops,
    on_paths,
    paths,
    stops,
)
from lemmata.papers.lego.claims.logits import as_theorem_c1, short_runs
from lemmata.papers.lego.model.fast.four_scores import SCORES, attention
from lemmata.papers.lego.run.short_symmetric import ShortSymmetric
from lemmata.papers.lego.theory.self_training import LEAST, MOST_FIRST, MOST_LATER, c1
from lemmata.report.plots import CYCLE, ceiling, legend_beside, letter, new_figure

CONTROLS = "Controls: stops with $2.01c_1$ and with $6c_1$ in the place of $3.01c_1$."
AS_POLY = -1.0  # the degree in d of the error: the paper's 1/poly(d) names none


def trained_runs(scale: Scale) -> dict[str, ShortSymmetric]:
    main = short_runs(scale)["main"]
    one = replace(main, seeds=main.seeds[:1])
    return {
        "trained": main,
        "trained, late stop": replace(one, stop=2.01),
        "trained, early stop": replace(one, stop=6.0),
    }


def trained_over_c1(run: RunResult) -> np.ndarray:
    """[seed]: eps over c_1 of trained features where the exact T^2 comes to its stop."""
    found = []
    for seed in run.config.seeds:
        last = np.flatnonzero(np.asarray(run.metrics["seed"]) == seed)[-1]
        with precision("float64"):
            seen = attention(to_jax([run.metrics[name][last] for name in SCORES], float), 2.0, 2.0)
        found.append(float(seen.epsilon) / c1(run.config.clip))
    return np.array(found)


def constants(most: float, run: str = "main", later: bool = False, **words: Any) -> Claim:
    """4/3 c_1 at least until the stop, and so much at most there."""
    return of_stops(
        run,
        wrong=lambda runs: Stops(runs["late stop"]),
        parts={
            "ε over c₁, least": on_paths(
                lambda path: path.over_c1.min(), at_least(LEAST, paper="until the stop"), run=run, later=later
            ),
            "ε over c₁ at the stop": on_paths(
                lambda path: path.over_c1[-1],
                at_most(most, paper="at the stop"),
                wrong=lambda runs: Stops(runs["early stop"]),
                run=run,
                later=later,
            ),
        },
        **words,
    )


FIRST = constants(
    MOST_FIRST,
    id="paper-stop-first",
    locus="Appendix E, Lemmas E.24 (1) and E.35",
    uses=("feature-structure-symmetric", "corridor-upper", "corridor-lower"),
    statement=r"Stage 1.2 of Algorithm 2 ends where $\mathrm{Loss}_5^{2,2} \le e^{(-1/2 + 3.01 c_1) 2B}$ with $c_1 = "
    r"1.005 \log d / 2B$. Until then $\varepsilon^{2,2} \ge \frac43 c_1$, and at the end $\varepsilon^{2,2} \le 2.52 "
    rf"c_1$. Judged in every world, {WHERE}. {CONTROLS}",
)

TRAINED = Claim(
    id="paper-stop-trained",
    locus="Appendix E, Lemma E.35, on trained features",
    uses=("paper-stop-first", "logits-tables"),
    statement=r"With the features that stage 1 leaves, too, $\frac43 c_1 \le \varepsilon^{2,2} \le 2.52 c_1$ where "
    rf"$\mathcal{{T}}^2$ comes to the appendix' stop. Judged in every seed on the exact population. {CONTROLS}",
    subject=lambda runs: trained_over_c1(runs["trained"]),
    wrong=lambda runs: trained_over_c1(runs["trained, late stop"]),
    parts={
        "ε over c₁, least": Part(lambda found: found.min(), at_least(LEAST, paper="until the stop")),
        "ε over c₁ at the stop": Part(
            lambda found: found.max(),
            at_most(MOST_FIRST, paper="at the stop"),
            wrong=lambda runs: trained_over_c1(runs["trained, early stop"]),
        ),
    },
    needs={"trained": as_theorem_c1},
    protocol=Protocol(ours="S₅ at d = 404, σ₀ = 0.003", why="at d^-1/2 some combination has two neurons"),
)

LATER = constants(
    MOST_LATER,
    later=True,
    id="paper-stop-later",
    locus="Appendix F, Lemmas F.9 (1) and F.16 (a)",
    uses=("paper-stop-first", "corridor-later"),
    statement=r"Stage $k \ge 2$ ends where $\mathrm{Loss}_5^{L_k,2} \le e^{(-1/2 + 3.01 c_1) 2B}$. Until then "
    r"$\varepsilon^{L_k,2} \ge \frac43 c_1$, and at the end $\varepsilon^{L_k,2} \le 5.04 c_1$. Judged in every world "
    rf"and stage, {WHERE}. {CONTROLS}",
)


LONG = constants(
    MOST_LATER,
    run="long",
    later=True,
    id="paper-stop-long",
    locus="Appendix F, Lemmas F.9 (1) and F.16 (a), all stages",
    uses=("paper-stop-later", "corridor-long"),
    statement=r"In every stage $k \le \log_2 |\mathcal{X}|$, $\frac43 c_1 \le \varepsilon^{L_k,2}$ until the stop and "
    r"$\varepsilon^{L_k,2} \le 5.04 c_1$ there. Judged up to length 128 for S₄ and S₅, d = 404 and $C_B = 16$. "
    rf"{CONTROLS}",
)


def false_labels(s: Stops) -> np.ndarray:
    """[what, stage]: the largest share over worlds of sentences with a wrong answer 1 or 2; the worst sentence's."""
    lengths, metrics = s.run.metrics["length"], s.run.metrics
    names = ("false_first", "false_second", "false_worst")
    return np.array([[metrics[name][lengths == n].max() for n in later_lengths(s.run.config)] for name in names])


def error_degrees(s: Stops) -> np.ndarray:
    """The slope of the logarithm of 1 - p at step 2 of twice the length in log d, of each stage, n_y and C_B."""
    config, found = s.run.config, []
    if len(config.vocabularies) < 3:
        raise Undecided(f"{len(config.vocabularies)} vocabularies; a slope needs 3")
    shape = (len(config.points), len(config.vocabularies), len(config.clips))
    for stage in range(1, config.stages + 1):
        errors = s.by_world(2**stage, lambda path: s.run.metrics["error_beyond"][path.row]).reshape(shape)
        slopes = np.apply_along_axis(lambda e: log_slope(np.array(config.vocabularies), e), 1, errors)
        found += slopes.ravel().tolist()
    return np.array(found)


def degree_names(runs: Runs) -> list[str]:
    config = runs["main"].config
    pairs = [f"S{n}, C_B = {clip:g}" for n in config.points for clip in config.clips]
    return [f"{stage}, {pair}" for stage in range(1, config.stages + 1) for pair in pairs]


def reached_error(runs: Runs) -> str:
    run = runs["main"]
    largest = max(path.over_c1[-1] for path in paths(run))
    needed = (largest * c1(1.0) / 0.01, MOST_LATER * c1(1.0) / 0.01)
    return (
        rf"Equation (12) asks $\varepsilon < 0.01$. With the largest $\varepsilon$ seen, {largest:.2f} $c_1$, that "
        rf"takes $C_B \ge$ {needed[0]:.0f}; by F.16's own bound {needed[1]:.0f}."
    )


DOUBLING = of_stops(
    id="paper-stop-doubling",
    locus="Appendix F, Theorem F.1 and Remark F.1; Theorem 5.1, equation (11)",
    uses=("paper-stop-later",),
    statement=r"Trained up to $L_k = 2^k$ with the appendix' stop, the model has $\mathrm{Acc}_{L_{k+1}} = 1 - "
    r"1/\mathrm{poly}(d)$, and the greedy annotator's labels are the true ones. Judged: the degree in $d$ of the mean "
    r"error $1 - p$ of the value at step 2 of length $2^{k+1}$, over three $d$ and more; the share of sentences with "
    r"a "
    "false answer 1 or 2, and whether the worst sentence of Lemma F.9 has one, in every stage. Control: $C_B = 4$.",
    wrong=lambda runs: Stops(runs["small clip"]),
    parts={
        "degree of the error in d": Part(error_degrees, at_most(AS_POLY), along={"stage": degree_names}),
        "false labels": Part(
            false_labels,
            exactly(0.0),
            along={"of": ("answer 1", "answer 2", "the worst"), "L": lambda runs: later_lengths(runs["main"].config)},
        ),
    },
    remark=reached_error,
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, axes = new_figure(1, 2, width=10.4, height=3.8)
    table: dict[str, list[float]] = {
        name: [] for name in ("n_y", "d", "C_B", "L", "loss", "epsilon", "lead", "over_c1")
    }
    for ax, length in zip(axes, (2, 4), strict=True):
        for path in paths(run):
            if path.length != length:
                continue
            world = run.config.worlds().index((path.points, path.vocabulary, path.clip))
            label = in_words(run.config.worlds()[world])
            look = {"color": CYCLE[world % len(CYCLE)], "linestyle": ("-", "--")[world // len(CYCLE) % 2]}
            ax.plot(path.over_c1, -path.lead / c1(path.clip), linewidth=1, label=label, **look)
            for k in range(0, len(path.loss), max(1, len(path.loss) // 40)):
                read = (one[k] for one in (path.loss, path.epsilon, path.lead, path.over_c1))
                values = (path.points, path.vocabulary, path.clip, length, *read)
                for name, value in zip(table, values, strict=True):
                    table[name].append(float(value))
        ceiling(ax, -1.0)
        ax.axvline(LEAST, color="#999999", linewidth=0.8, linestyle=":")
        ax.set(xlabel="ε over c₁", ylabel="(ans,1 − pred,2) over c₁", title=f"length {length}")
        ax.invert_xaxis()
    legend_beside(axes[0], fontsize=6)
    letter(axes)
    caption = (
        "Paths of Algorithm 2 with the appendix' stop on the features of Theorem C.1: by how much attention to the "
        "answer exceeds that to the predicate; the line is F.14's bound, the dots E.24's least ε."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The constants of self-training, with the appendix' own stop",
    runs=lambda scale: {**stops(scale), **trained_runs(scale)},
    claims=(FIRST, TRAINED, LATER, LONG, DOUBLING),
    draw=draw,
)
