"""Theorem 4.2 (B.3): Algorithm 1 on three subjects, trained to convergence, ends at the pairwise global optimum."""

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims import _warmup as warmup
from lemmata.papers.ic_recall.claims._temperature import with_global_optimum
from lemmata.papers.ic_recall.run.landscape import LowestPoint
from lemmata.papers.ic_recall.run.warmup import smaller_pair
from lemmata.papers.ic_recall.theory import pairwise_line
from lemmata.report import plots

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]  # smaller pair, left over (by replica), lowest loss (by temperature)


def _reached(runs: core.Runs) -> Ends:
    run, lowest = runs["stages"], runs["lowest"]
    losses = [lowest.column("loss", temperature=t).min() for t in lowest.config.temperatures]
    return run.metrics["smaller_pair"], run.metrics["left_over"], np.array(losses)


def _before_the_perturbation(runs: core.Runs) -> Ends:
    run = runs["stages"]
    v = np.repeat(run.arrays["stage1_v"][:, -1], len(run.config.seeds), axis=0)
    return smaller_pair(v), v[:, 4:].sum(-1), run.arrays["stage1_loss"][:, -1]


def _best_pair(temperature: float) -> float:
    """x_T, the root of the corrected line."""
    found = pairwise_line.critical_points(temperature).minimum
    if np.isnan(found):
        raise core.OutsideSetting(f"at T = {temperature:g} the pairwise line has no minimum beside the saddle")
    return found


def _best_pairs(runs: core.Runs) -> np.ndarray:
    """Replica by replica."""
    run = runs["stages"].config
    return np.repeat([_best_pair(t) for t in run.temperatures], len(run.seeds))


def _best_losses(runs: core.Runs) -> np.ndarray:
    temperatures = runs["lowest"].config.temperatures
    return np.array([float(pairwise_line.warmup_line_loss(_best_pair(t), t)) for t in temperatures])


THEOREM = core.Claim(
    id="thm-4.2",
    locus="Theorem 4.2 and Theorem B.3",
    uses=(
        "lemma-b.4",
        "lemma-b.5",
        "lemma-b.7",
        "thm-b.3-symmetry",
        "thm-b.3-critical-points",
        "thm-b.3-unique",
        "thm-b.3-claim-1",
    ),
    statement=r"With three subjects and all six bijections there is $T_0(\delta) > 0$ such that for any $T < T_0$, "
    r"with $\eta_1 = \Theta(T^2)$, $\eta_2 = \Theta(T^2)$ and $t_1 = t_2 = \infty$ in Algorithm 1, with probability at "
    r"least $1 - \delta$ it converges to the global optimum $\theta^*$ of $L_1(\theta; T)$, where $v^* = (a, a, "
    r"\frac12 - a, \frac12 - a, 0, 0)$ with some $a \ne \frac14$. Judged at temperatures up to the highest at which "
    "that point is the global optimum.",
    needs={"stages": with_global_optimum(), "lowest": with_global_optimum()},
    subject=_reached,
    wrong=_before_the_perturbation,
    parts={
        "smaller pair": core.Part(
            lambda ends: ends[0], core.near(_best_pairs, atol=1e-3), along=warmup.by_replica("stages")
        ),
        "left on s_3 and EoS": core.Part(lambda ends: ends[1], core.at_most(2e-3), along=warmup.by_replica("stages")),
        "lowest loss": core.Part(
            lambda ends: ends[2],
            core.near(_best_losses, atol=1e-8),
            along={"T": lambda runs: runs["lowest"].config.temperatures},
        ),
    },
    remark="Every seed, at each temperature. $a$ is the root $x_T$ of the corrected line; 'lowest loss' is the best of "
    "many minimisations over the whole simplex. Up to which temperature the minimum is global, and up to which it "
    "exists: see ic-recall/phase. The control is the end of Stage 1.",
)


def draw(runs: core.Runs) -> core.Artefact:
    stages, escape = runs["stages"], runs["escape"]
    figure, (left, right) = plots.new_figure(1, 2)
    temperatures, first, steps = warmup.first_paths(escape)
    shown = len(temperatures) // 2
    for k, name in enumerate(warmup.POSITIONS[:4]):
        v = escape.arrays["v"][first[shown], :, k]
        left.plot(steps, v, "--" if k % 2 else "-", color=plots.CYCLE[k // 2], label=name)
    title = f"escape and pairing, T = {temperatures[shown]:g}"
    left.set(xlabel="step of Stage 2", ylabel="attention v", title=title, xlim=(0, 500))
    plots.legend(left)
    optima = [pairwise_line.critical_points(t).minimum for t in stages.config.temperatures]
    right.plot(stages.config.temperatures, optima, "_", markersize=18, color=plots.CYCLE[1], label="predicted, x_T")
    right.plot(stages.metrics["temperature"], stages.metrics["smaller_pair"], ".", color=plots.GREY, label="trained")
    right.set(xlabel="temperature T", ylabel="attention on a token of the lighter pair")
    plots.legend(right)
    table = {**stages.metrics, "predicted_smaller_pair": np.repeat(optima, len(stages.config.seeds))}
    caption = (
        f"Algorithm 1 with eta = {stages.config.learning_rate:g} T². Left: from the exact saddle, perturbed, one "
        f"seed's attention pairs up. Right: where {len(stages.config.seeds)} seeds a temperature end, and the "
        "corrected line's "
        "optimum."
    )
    return core.Artefact(figure, table, caption)


def views(runs: core.Runs) -> list[core.View]:
    """The escape from the saddle at every temperature: attention pairs up, and the loss falls below log 2."""
    escape = runs["escape"]
    temperatures, first, steps = warmup.first_paths(escape)
    names = [f"T = {t:g}" for t in temperatures]
    return [
        core.Frames(
            title="Attention on the way from the saddle",
            steps=steps,
            values=escape.arrays["v"][first].swapaxes(0, 1),
            rows=names,
            columns=[*warmup.POSITIONS],
            note="One seed a temperature; Stage 2 from the exact saddle, perturbed.",
        ),
        core.Curves(
            title="Loss on the way from the saddle",
            steps=steps,
            series={name: escape.arrays["loss"][j] for name, j in zip(names, first, strict=True)},
            band=(0.0, float(np.log(2.0))),
            note="The band: below log 2, where the saddle has been escaped.",
        ),
        *(_on_the_line(escape, int(j), float(t), steps) for j, t in zip(first, temperatures, strict=True)),
    ]


def _on_the_line(escape: core.RunResult, seed: int, temperature: float, steps: np.ndarray) -> core.Track:
    x = np.linspace(0.0, 0.5, 201)
    return core.Track(
        title=f"On the pairwise line, T = {temperature:g}",
        steps=steps,
        x=escape.arrays["v"][seed, :, :2].mean(axis=-1),
        y=escape.arrays["loss"][seed],
        x_label="attention on s₁ and on a₁",
        y_label="loss L₁",
        line=(x, np.asarray(pairwise_line.warmup_line_loss(x, temperature))),
        note="The line: the loss at v = (x, x, 1/2 - x, 1/2 - x, 0, 0). The point: one seed's attention and loss.",
    )


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    stages = warmup.warmup_stages(scale)
    lowest = LowestPoint(temperatures=stages.temperatures, starts=sizes.LOWEST_STARTS.at(scale), steps=2000)
    return {"stages": stages, "escape": warmup.warmup_escape(scale), "lowest": lowest}


EXPERIMENT = core.Experiment(
    title="Three subjects trained to convergence: the pairwise optimum",
    runs=_runs,
    claims=(THEOREM,),
    draw=draw,
    live=core.Live(views=views),
)
