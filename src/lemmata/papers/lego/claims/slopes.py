"""The gradients of Q on symmetry actions: the sum of Lemmas E.10 and F.7, and the orders of E.19, E.20, E.31, E.32,
F.12 and F.13 with their constants."""

from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    at_least,
    at_most,
    near,
    precision,
    to_jax,
)
from lemmata.papers.lego.claims._paper_stop import FEATURES, WHERE, Path, Stops, main, paths, some, stopped, world_axes
from lemmata.papers.lego.claims.logits import Sentences, short_runs
from lemmata.papers.lego.model.four_scores import SCORES
from lemmata.papers.lego.model.value_neurons import ValueNeurons
from lemmata.papers.lego.run.population_loss import population, population_loss
from lemmata.report.plots import CYCLE, legend, new_figure

IDENTITY = 1e-9  # relative, over a hundred thousand sentences in double precision
CONSTANT = 0.25  # our reading of Omega
NEAR = 5.0  # our reading of O(1/d)


class Gradients(NamedTuple):
    """At points of a trained path: of both blocks' diagonals by autodiff, and the right side of Lemma E.10."""

    third: np.ndarray
    fourth: np.ndarray
    right_side: np.ndarray


def scores_of(run: RunResult) -> np.ndarray:
    """Of the first seed at three points: the first, the middle, the last but one."""
    rows = np.flatnonzero(np.asarray(run.metrics["seed"]) == run.config.seeds[0])
    kept = rows[[0, len(rows) // 2, len(rows) - 2]]
    return np.stack([np.asarray(run.metrics[name])[kept] for name in SCORES], axis=1)


def neurons_of(run: RunResult) -> ValueNeurons:
    config = run.config.model_config()
    arrays = {name: to_jax(run.arrays[name][0]) for name in ("actions", "values")}
    constants = {"bias": run.arrays["bias"][0], "rho": config.smoothing, "bound": config.bound, "vocab": config.vocab}
    numbers = {name: to_jax(value, float) for name, value in constants.items()}
    return ValueNeurons(**arrays, **numbers, speaks=to_jax(np.ones(config.width), float), power=config.power)


def right_side(run: RunResult, scores: np.ndarray) -> float:
    """Lemma E.10's, exactly: the sum over classes and neurons, with the bias and the clip in their places.

    Numpy over every sentence; it shares nothing with the model's gradient.
    """
    config, table = run.config.model_config(), Sentences(run).table
    actions, values, bias = (run.arrays[name][0] for name in ("actions", "values", "bias"))
    rho, power, bound = config.smoothing, config.power, config.bound
    weights = np.exp(scores)
    pred2, pred1, ans1, ans0 = weights / weights.sum()  # the scores' own order, at L = 2
    g1, g2, y0 = (x.ravel() for x in np.meshgrid(*map(np.arange, (*[len(table)] * 2, table.shape[1])), indexing="ij"))
    y1 = table[g1, y0]
    wrong = pred1 * actions[..., g1] + ans0 * values[..., y0]  # [neuron, class, sentence]
    whole = wrong + pred2 * actions[..., g2] + ans1 * values[..., y1]
    x = whole + bias
    fired = rho / power * np.clip(x / rho, 0, 1) ** power + np.maximum(x - rho, 0)
    logits = fired.sum(axis=0)
    shown = np.minimum(logits, bound)
    places = np.arange(len(y1))
    target = table[g2, y1]
    right = shown[target, places]
    is_right = np.arange(len(shown))[:, None] == target
    others = np.where(is_right, 0, np.exp(shown - right))  # what is small is summed, never taken from 1
    odds = others.sum(axis=0) + (config.vocab - len(shown)) * np.exp(-right)
    error = np.where(is_right, odds, -others) / (1 + odds)
    error = np.where(logits < bound, error, 0.0)
    inside = np.clip(x / rho, 0, 1) ** (power - 1) * ((1 - ans1 - pred2) * whole - wrong)
    return float((error * inside.sum(axis=0)).sum(axis=0).mean())


def gradients(run: RunResult) -> Gradients:
    table, found = Sentences(run).table, []
    for scores in scores_of(run):
        with precision("float64"):
            neurons, around = neurons_of(run), population(table, "second")
            _, slope = population_loss(neurons, to_jax(table), to_jax(scores), around)
            third, _, fourth, _ = (-np.asarray(slope, np.float64)).tolist()
        found.append((third, fourth, right_side(run, scores)))
    return Gradients(*np.array(found).T)


SUM = Claim(
    id="slopes-sum",
    locus="Appendices E and F, Lemmas E.10, E.11 (3), F.7 and F.8 (3)",
    statement=r"$[-\nabla_{Q_{4,3}} \mathrm{Loss}_5^{2,2}]_{s,s} + [-\nabla_{Q_{4,3}} \mathrm{Loss}_5^{2,2}]_{s,s} = "
    r"\mathbb{E}[\sum_j (1[j = j_2] - \mathrm{logit}_{5,j}) \sum_r \mathrm{sReLU}'(\Lambda_{5,j,r}) "
    r"(-\mathrm{Attn}_{\mathrm{ans},0} V_{j,r}(y_0) - \mathrm{Attn}_{\mathrm{pred},1} V_{j,r}(g_1) + (1 - "
    r"\mathrm{Attn}_{\mathrm{ans},1} - \mathrm{Attn}_{\mathrm{pred},2}) \Lambda_{5,j,r})]$. Judged at three points of "
    r"a trained path of $\mathcal{T}^2$, over all sentences, against autodiff. Control: attention of another point.",
    subject=lambda runs: gradients(runs["trained"]).right_side,
    wrong=lambda runs: np.roll(gradients(runs["trained"]).right_side, 1),
    parts=Part(
        lambda found: found,
        near(lambda runs: 2 * gradients(runs["trained"]).third, rtol=IDENTITY),
        corrected=lambda runs: sum(gradients(runs["trained"])[:2]),
        along={"point": ("first", "middle", "last but one")},
    ),
    protocol=Protocol(
        ours="S₅ at d = 404, σ₀ = 0.003", why="an identity; trained features beside those of the theorem"
    ),
    correction=Correction(
        severity="typographical",
        printed="[-grad Q_43 Loss]_ss + [-grad Q_43 Loss]_ss",
        corrected="[-grad Q_43 Loss]_ss + [-grad Q_44 Loss]_ss",
        reason="The right side is the sum of Lemmas E.8 and E.9, of one block each; Lemma E.11 (3) and the proof of "
        "F.12 print the same index twice, the proof of E.19 in its regime (i) too.",
        survives="E.19, E.31 and F.12, which use the sum of both blocks.",
        source="a scan of the arXiv text; the index is the same in all places",
        latex=r"\bigl[-\nabla_{\mathbf Q_{4,3}}\mathsf{Loss}^{2,2}_5\bigr]_{s,s}+\bigl[-\nabla_{\mathbf "
        r"Q_{4,4}}\mathsf{Loss}^{2,2}_5\bigr]_{s,s}",
    ),
)


def growth(path: Path, signs: tuple[int, int] = (1, 1)) -> float:
    """The least sum of the diagonals' gradients over the order that the lemma gives it, while the stage converges: of
    T^2 B / n_y, for E.31 has that order for all events but the first, later B eps."""
    bound = path.clip * np.log(path.vocabulary)
    order = bound / path.points if path.length == 2 else bound * path.epsilon
    each = path.speeds[:, [0, 2]] @ np.array(signs) / (order * np.minimum(path.loss, 1))
    return float(each[path.converging].min())


def difference(path: Path) -> float:
    """The same of the blocks' difference, a wrong subject."""
    return growth(path, (1, -1))


def off_diagonal(path: Path) -> float:
    """The largest gradient of an entry off the diagonals over the sum of those on them, times d."""
    on = path.speeds[:, [0, 2]].sum(axis=1)
    return float((path.vocabulary * np.abs(path.speeds[:, [1, 3]]).max(axis=1) / on).max())


def of_a_row(path: Path) -> float:
    """The same of all entries of a row off the diagonal together, a wrong subject."""
    return path.vocabulary * off_diagonal(path)


class Orders(NamedTuple):
    stops: Stops
    exchanged: bool = False  # a wrong subject: differences for sums, rows for entries

    def growth(self, later: bool) -> np.ndarray:
        read = difference if self.exchanged else growth
        return self.stops.later(read) if later else self.stops.by_world(2, read)

    def off_diagonal(self, later: bool) -> np.ndarray:
        read = of_a_row if self.exchanged else off_diagonal
        return self.stops.later(read) if later else self.stops.by_world(2, read)


ORDERS = Claim(
    id="slopes-orders",
    locus="Appendices E and F, Lemmas E.19 (ii), E.20, E.31, E.32, F.12 and F.13",
    uses=("slopes-sum", "corridor-first"),
    statement=r"While a stage converges, $[-\nabla_{Q_{4,3}} \mathrm{Loss}]_{s,s} + [-\nabla_{Q_{4,4}} "
    r"\mathrm{Loss}]_{s,s}$ is $\Omega(B/(n_y d)) \, \mathbb{E}[1 - \mathrm{logit}_{5,j_2}]$ in $\mathcal{T}^2$ and "
    r"$\Omega(B/d) \, \mathbb{E}[\varepsilon (1 - \mathrm{logit}_{5,j_2})]$ later, and a gradient off the diagonals "
    r"is $O(1/d)$ of those on them. Judged at every iteration, with min(Loss, 1), which is the larger, in the place "
    r"of $1 - \mathrm{logit}$, "
    rf"{WHERE}; the constants are ours: {CONSTANT:g} and {NEAR:g}. Controls: the blocks' difference for their sum; a "
    rf"row's entries together.",
    subject=lambda runs: Orders(main(runs)),
    wrong=lambda runs: Orders(main(runs), exchanged=True),
    parts={
        "sum over B min(Loss, 1) / n_y, T²": Part(lambda o: o.growth(False), at_least(CONSTANT), along=world_axes()),
        "sum over B ε min(Loss, 1), later": Part(
            lambda o: o.growth(True), at_least(CONSTANT), along=world_axes(later=True)
        ),
        "off the diagonals, times d, T²": Part(lambda o: o.off_diagonal(False), at_most(NEAR), along=world_axes()),
        "off the diagonals, times d, later": Part(
            lambda o: o.off_diagonal(True), at_most(NEAR), along=world_axes(later=True)
        ),
    },
    needs={"main": stopped},
    protocol=FEATURES,
    remark=r"Lemmas E.20, E.32 and F.13 compare each block's gradients with the same block's. $Q_{4,3}$'s diagonal "
    r"has gradient 0 at one point of stage 1.2.2, where it turns; both diagonals together are what the bound needs.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=5, height=3.6)
    table: dict[str, list[float]] = {name: [] for name in ("n_y", "d", "C_B", "L", "over_c1", "sum")}
    for path in paths(runs["main"]):
        bound = path.clip * np.log(path.vocabulary)
        each = path.speeds[:, [0, 2]].sum(axis=1) / (bound * path.epsilon * np.minimum(path.loss, 1))
        label = (
            f"S{path.points}, d = {path.vocabulary:g}"
            if path.length == 2 and path.clip == runs["main"].config.clips[0]
            else None
        )
        colour = CYCLE[runs["main"].config.worlds().index((path.points, path.vocabulary, path.clip)) % len(CYCLE)]
        ax.plot(path.over_c1[path.converging], each[path.converging], color=colour, linewidth=0.9, label=label)
        for k in range(0, len(each), max(1, len(each) // 20)):
            values = (path.points, path.vocabulary, path.clip, path.length, path.over_c1[k], each[k])
            for name, value in zip(table, values, strict=True):
                table[name].append(float(value))
    ax.axhline(CONSTANT, color="#999999", linewidth=0.8, linestyle="--")
    ax.set(xlabel="ε over c₁", ylabel="sum of gradients over B ε min(Loss, 1)", title="E.31 and F.12")
    ax.invert_xaxis()
    legend(ax, fontsize=6)
    caption = (
        "The gradients of both diagonals of Q together, over the order that Lemma F.12 gives them, along all stages."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="The gradients of Q on symmetry actions",
    runs=lambda scale: {**some()(scale), "trained": short_runs(scale)["main"]},
    claims=(SUM, ORDERS),
    draw=draw,
)
