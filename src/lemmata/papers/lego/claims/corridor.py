"""Where attention may go on symmetry actions: Inductions E.1, E.2 and F.1, Lemmas E.12, E.22 to E.24, E.33, E.34, F.14
and F.15. Everything is read on whole paths, for the appendix speaks of all iterations."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Correction, Experiment, Runs, at_least, at_most, near
from lemmata.papers.lego.claims._paper_stop import (
    WHERE,
    Path,
    Stops,
    ahead,
    below,
    in_words,
    of_paths,
    of_stops,
    on_paths,
    paths,
    some,
    world_axes,
)
from lemmata.papers.lego.run.paper_stop import World
from lemmata.papers.lego.theory.self_training import (
    c1,
    c2,
    lower_corridor,
    lower_corridor_of_features,
    upper_corridor_of_features,
)
from lemmata.report.plots import CYCLE, legend, new_figure

ATTN = r"\mathrm{Attn}_{\mathrm{ans},1 \to \mathrm{%s}"
PRED1, PRED2, ANS1 = (ATTN % clause for clause in (r"pred},1", r"pred},2", r"ans},1"))
SCAN = "a scan of the arXiv text; fractions are read from the proofs"
GREW = 0.05  # our reading of Omega(1): of diagonals, and half of it of pred,2 - ans,0
NEAR = 5.0  # our reading of O~(1/d): so many times 1/d
AHEAD = "Control: the same models, the diagonal of {} read a half higher."

UPPER = of_stops(
    id="corridor-upper",
    locus="Appendix E, Lemmas E.22 and E.33",
    statement=rf"At every iteration of stage 1.2, ${PRED2} - {ANS1} \le c_1$ with $c_1 = 1.005 \log d / 2B$. Judged "
    rf"as the largest difference over $c_1$, {WHERE}. {AHEAD.format('$Q_{4,3}$')}",
    wrong=ahead("third"),
    parts=on_paths(lambda path: path.lead.max() / c1(path.clip), at_most(1.0, paper="at every iteration")),
)


def features_upper(path: Path) -> np.ndarray:
    return upper_corridor_of_features(path.epsilon, path.clip, path.points, path.ratio)


def longest_lead(runs: Runs) -> str:
    found = Stops(runs["long"]).later(lambda path: path.lead.max() / c1(path.clip))
    names = world_axes(later=True, run="long")["stage"](runs)
    said = "; ".join(f"{name}: {lead:.2f}" for name, lead in zip(names, found, strict=True))
    return f"The largest lead over c_1, by stage: {said}."


LONG = of_stops(
    id="corridor-long",
    locus="Appendix F, Lemma F.14 and Induction F.1 (2)",
    uses=("logits-tables",),
    statement=rf"In every stage $k \le \log_2 |\mathcal{{X}}|$, at every iteration, ${PRED2} - {ANS1} \le c_1$ with "
    r"$c_1 = 1.005 \log d / 2B$. Judged at twelve points of every stage up to length 128, for S₄ and S₅, d = 404 and "
    rf"$C_B = 16$. {AHEAD.format('$Q_{4,3}$')}",
    run="long",
    wrong=ahead("third", run="long"),
    parts=below(
        lambda path: path.lead,
        lambda path: np.full(len(path.epsilon), c1(path.clip)),
        features_upper,
        paper="at every iteration",
        later=True,
        run="long",
    ),
    remark=longest_lead,
    correction=Correction(
        severity="constant",
        printed="pred,2 - ans,1 <= c_1",
        corrected="pred,2 - ans,1 <= (1 + 1/C_alpha) (c_1 - eps (1/n_y - 1/(1 + C_alpha)))",
        reason="The proof says that some neuron of a wrong class reads at least 2B (pred,2 - ans,1). With the "
        "features of Theorem C.1 it reads C_alpha/(1 + C_alpha) of that, less a share of eps, and in long sentences "
        "no other clause makes up for it.",
        root="logits-tables",
        survives="Lemma F.16: eps at the stop is within 5.04 c_1 in every stage. F.14 itself for n_y to infinity.",
        source=SCAN,
        latex=r"\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{pred},2}-\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{ans},1}\le"
        r"(1+C_\alpha^{-1})\bigl(c_1-\epsilon(n_y^{-1}-(1+C_\alpha)^{-1})\bigr)",
    ),
)


def behind(path: Path) -> np.ndarray:
    """ans,1 - pred,2."""
    return -path.lead


def printed_lower(path: Path) -> np.ndarray:
    return lower_corridor(path.pred1, path.clip)


def features_lower(path: Path) -> np.ndarray:
    return lower_corridor_of_features(path.pred1, path.ans0, path.clip, path.ratio)


def printed_later(path: Path) -> np.ndarray:
    return (path.length - 1) / path.length * path.epsilon - c2(path.clip)


def exceeded(runs: Runs) -> str:
    """Where E.34's printed bound is exceeded, and by how much."""
    worlds = runs["main"].config.worlds()
    unit = np.array([[c1(world.clip)] for world in worlds])
    seen, printed, right = (of_paths(read, points=True)(runs) for read in (behind, printed_lower, features_lower))
    found, room = ((seen - printed) / unit).max(axis=1), (right - seen) / unit
    said = "; ".join(f"{in_words(world)}: {over:+.2f}" for world, over in zip(worlds, found, strict=True))
    return (
        f"Largest excess over the printed bound, in c_1: {said}. Least room under the corrected one: {room.min():.2f}."
    )


LOWER = of_stops(
    id="corridor-lower",
    locus="Appendix E, Lemma E.34",
    uses=("logits-tables",),
    statement=rf"While stage 1.2.2 lasts, ${ANS1} - {PRED2} \le {PRED1} - c_2$ with $c_2 = \log d / 4.02B$. Judged at "
    rf"twelve points of the stage from $\varepsilon = 0.4$ to its stop, {WHERE}. "
    f"{AHEAD.format('$Q_{4,4}$')}",
    wrong=ahead("fourth"),
    parts=below(behind, printed_lower, features_lower, paper="while stage 1.2.2 lasts"),
    remark=exceeded,
    correction=Correction(
        severity="constant",
        printed="ans,1 - pred,2 <= pred,1 - c_2",
        corrected="ans,1 - pred,2 <= pred,1 + ans,0 / C_alpha - c_2 (1 + 1/C_alpha)",
        reason="The proof asks that the neuron of E_2's wrong class reads log d / 2.01. Lemma E.26 (2) has its "
        "reading without V(y_0) Attn_{ans,0}, which is 1/C_alpha of the other terms and not small unless n_y exceeds "
        "C_B.",
        root="logits-tables",
        survives="Lemma E.35 and all that follows: eps at the stop is within its bounds in every world.",
        source=SCAN,
        latex=r"\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{ans},1}-\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{pred},2}\le"
        r"\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{pred},1}+C_\alpha^{-1}\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{ans},0}"
        r"-(1+C_\alpha^{-1})c_2",
    ),
)

LATER = of_stops(
    id="corridor-later",
    locus="Appendix F, Lemma F.15",
    statement=r"In stage $k \ge 2$, at every iteration, "
    rf"${ANS1} - {PRED2} \le \frac{{L_k - 1}}{{L_k}} \varepsilon^{{L_k,2}} - c_2$. Judged at twelve points of every "
    rf"stage, {WHERE}. {AHEAD.format('$Q_{4,4}$')}",
    wrong=ahead("fourth"),
    parts=below(behind, printed_later, paper="at every iteration", later=True),
)


def capped(read: Callable[[Path], np.ndarray], by: np.ufunc, *, later: bool = False) -> Callable[[Runs], np.ndarray]:
    """The smaller, or larger, of a bound and 0."""
    return lambda runs: by(of_paths(read, points=True, later=later)(runs), 0.0)


INDUCTION = of_stops(
    id="corridor-induction",
    locus="Appendices E and F, Induction E.2 (d) and Induction F.1 (3)",
    uses=("corridor-lower", "corridor-later"),
    statement=rf"While a stage lasts, ${ANS1} - {PRED2} \le \min\{{{PRED1} - c_2, 0\}}$ in $\mathcal{{T}}^2$ and "
    r"$\le \min\{\frac{L_k - 1}{L_k} \varepsilon^{L_k,2} - c_2, 0\}$ later: attention to the answer never exceeds "
    rf"that to the predicate. Judged at twelve points of every stage, {WHERE}. {AHEAD.format('$Q_{4,4}$')}",
    wrong=ahead("fourth"),
    parts={
        "T²": on_paths(
            behind,
            at_most(capped(printed_lower, np.minimum)),
            corrected=capped(features_lower, np.maximum),
            points=True,
        ),
        "later stages": on_paths(
            behind,
            at_most(capped(printed_later, np.minimum, later=True)),
            corrected=capped(printed_later, np.maximum, later=True),
            later=True,
            points=True,
        ),
    },
    correction=Correction(
        severity="typographical",
        printed="min{pred,1 - c_2, 0}, min{(L_k - 1)/L_k eps - c_2, 0}",
        corrected="max{..., 0}, with the bound of corridor-lower in T^2",
        reason="Lemmas E.34 and F.15 prove the bound without the 0, and the proof of E.24 has a case where ans,1 is "
        "the larger. Where that bound is negative, the difference may still be 0.",
        survives="Lemmas E.34, F.15 and all that use them: none needs more than they prove.",
        source=SCAN,
        latex=r"\max\Bigl\{\tfrac{L_k-1}{L_k}\,\epsilon_{\mathrm{attn}}^{L_k,2}-c_2,\;0\Bigr\}",
    ),
)


EPSILON = of_stops(
    id="corridor-epsilon",
    locus="Appendix E, Lemmas E.12 (1), E.24 (1) and the proofs of E.24 and E.35",
    statement=rf"${PRED1} + {ANS1}$, of "
    r"which these lemmas say that it is in $[0.4, 0.5]$ and later in $[\frac43 c_1, 0.4]$, is the wrong attention "
    rf"$\varepsilon^{{2,2}}$. Judged at twelve points of stage 1.2.2, {WHERE}. {AHEAD.format('$Q_{4,4}$')}",
    wrong=ahead("fourth"),
    parts=on_paths(
        lambda path: path.epsilon,
        near(of_paths(lambda path: path.pred1 + path.ans1, points=True), atol=1e-9),
        corrected=of_paths(lambda path: path.pred1 + path.ans0, points=True),
        points=True,
    ),
    correction=Correction(
        severity="typographical",
        printed="Attn_{ans,1 -> pred,1} + Attn_{ans,1 -> ans,1}",
        corrected="Attn_{ans,1 -> pred,1} + Attn_{ans,1 -> ans,0}",
        reason="ans,1 is the query's own answer, the right clause; the wrong ones are pred,1 and ans,0.",
        survives="Both lemmas and their proofs, with ans,0.",
        source=SCAN,
        latex=r"\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{pred},1}+\mathrm{Attn}_{\mathrm{ans},1\to\mathrm{ans},0}",
    ),
)


def at_04(path: Path) -> float:
    """The smaller of the two diagonals where stage 1.2.1 ends, at eps = 0.4."""
    return float(np.interp(-0.4, -path.epsilon, path.scores[:, [0, 2]].min(axis=1)))


def related(path: Path) -> float:
    """By how much predicate 1 is ahead of predicate 2 until then."""
    return float((path.pred1 - path.pred2)[path.epsilon >= 0.4].max())


def off_diagonal(path: Path) -> float:
    """Entries off the diagonals over the diagonals' sum, times d, after the start."""
    _ = path.converging  # a path that ends where it begins says nothing
    rest, diagonals = np.abs(path.scores[1:, [1, 3]]).max(axis=1), path.scores[1:, [0, 2]].sum(axis=1)
    return float((path.vocabulary * rest / diagonals).max())


def least_rise(path: Path) -> float:
    """Of the diagonals' sum, from one iteration to the next."""
    _ = path.converging
    return float(np.diff(path.scores[:, [0, 2]].sum(axis=1)).min())


FIRST = of_stops(
    id="corridor-first",
    locus="Appendix E, Inductions E.1 and E.2 (a), (b), Lemmas E.12 (2), E.21, E.23 and E.24 (2), (3)",
    uses=("corridor-upper",),
    statement=r"Until $\varepsilon^{2,2} = 0.4$ attention to predicate 1 exceeds that to predicate 2 by at most "
    r"$O(\log\log d / \log d)$; then both diagonals of $Q$ are $\Omega(1)$. While stage 1.2 lasts, their sum rises, "
    r"entries off them are $\tilde O(1/d)$ of them, $|\mathrm{Attn}_{\mathrm{pred},1} - "
    r"\mathrm{Attn}_{\mathrm{ans},0}| \le \tilde O(1/d)$, and in stage 1.2.2 $\mathrm{Attn}_{\mathrm{pred},2} - "
    r"\mathrm{Attn}_{\mathrm{ans},0} \ge "
    rf"\Omega(1)$. The constants are ours: 0, {GREW:g}, {NEAR:g} twice and {GREW / 2:g}. Judged at every iteration, "
    rf"{WHERE}. Control: the same models with $Q_{{4,3}}$'s diagonal read a half lower, the rest a half higher.",
    wrong=lambda runs: Stops(runs["main"], {"third_diagonal": -0.5, "third_rest": 0.5}),
    parts={
        "pred,1 - pred,2, largest until ε = 0.4": on_paths(related, at_most(0.0, slack=1e-9)),
        "smaller diagonal at ε = 0.4": on_paths(at_04, at_least(GREW)),
        "diagonals' sum, least rise": on_paths(least_rise, at_least(0.0), carries=False),
        "off the diagonals, times d": on_paths(off_diagonal, at_most(NEAR)),
        "|pred,1 - ans,0|, times d": on_paths(
            lambda path: path.vocabulary * np.abs(path.pred1 - path.ans0).max(), at_most(NEAR)
        ),
        "pred,2 - ans,0, least from ε = 0.4 on": on_paths(
            lambda path: (path.pred2 - path.ans0)[path.converging].min(), at_least(GREW / 2)
        ),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=5, height=3.8)
    table: dict[str, list[float]] = {
        name: [] for name in ("n_y", "d", "C_B", "epsilon", "behind", "E.34", "with C_alpha")
    }
    chosen = [path for path in paths(runs["main"]) if path.length == 2 and path.epsilon.min() <= 0.4]
    for path, colour in zip(chosen, CYCLE, strict=False):
        label = in_words(World(path.points, path.vocabulary, path.clip))
        read = (path.epsilon, behind(path), printed_lower(path), features_lower(path))
        columns = tuple(map(path.spread, read))
        ax.plot(columns[0], columns[1] - columns[2], ".-", color=colour, linewidth=1, label=label)
        ax.plot(columns[0], columns[1] - columns[3], ":", color=colour, linewidth=0.8)
        for values in zip(*columns, strict=True):
            for name, value in zip(table, (path.points, path.vocabulary, path.clip, *values), strict=True):
                table[name].append(float(value))
    ax.axhline(0, color="#999999", linewidth=0.8)
    ax.set(xlabel="ε", ylabel="ans,1 − pred,2 less its bound", title="stage 1.2.2")
    ax.invert_xaxis()
    if chosen:
        legend(ax, fontsize=5.5)
    caption = (
        "Lemma E.34 on the paths of T²: above 0 the printed bound is exceeded; dotted with the share of V(y) that "
        "Theorem C.1 gives."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The corridors of attention",
    runs=some("long"),
    claims=(UPPER, LOWER, LATER, LONG, INDUCTION, EPSILON, FIRST),
    draw=draw,
)
