"""Theorem 3: two inputs and a common noise output, gradient flow to t = 10^8."""

from functools import partial
from typing import Any

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Curves,
    Experiment,
    Frames,
    Live,
    OutsideSetting,
    Part,
    RunConfig,
    Runs,
    Scale,
    Undecided,
    View,
    of_config,
    word,
)
from lemmata.core.rule import near, slope_near
from lemmata.papers.association.claims._memory_flows import (
    BY_FLOW,
    FLOWS,
    LATE,
    LIMITS,
    constants,
    flow_runs,
    flows,
    for_each_flow,
    printed_path,
    recorded,
    true_path,
    two_inputs,
    two_inputs_to_late_times,
)
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.memory import MemoryFlow
from lemmata.papers.association.run.memory_descent import MemoryDescent
from lemmata.papers.association.sizes import Memory
from lemmata.papers.association.theory import memory
from lemmata.report.plots import ceiling, new_figure

MODELS = {"full": "the full model", "cut": "its rank-1 part"}  # as its columns are named
SETTLED = 1e4  # a time from which on the decay is a power of t
SMALL_STEPS = 0.1  # the largest learning rate at which descent is close to the flow


@of_config
def two_inputs_in_small_steps(config: Any) -> Undecided | None:
    learning_rate = config.learning_rate
    large = OutsideSetting(f"descent with learning rate {learning_rate:g} is no flow")
    return two_inputs(config) or (large if learning_rate > SMALL_STEPS else None)


def probabilities_at_end(runs: Runs, prefix: str) -> np.ndarray:
    names = ("correct", "wrong", "noise")
    return np.array([[run.column(f"{prefix}_{name}")[-1] for name in names] for run in flows(runs)])


FULL = Claim(
    id="thm-3-full",
    locus="Theorem 3, first equation",
    uses=("eq-42", "lemma-h.3"),
    statement=r"Under Assumptions G.1 and G.2, with $N = 2$ and $\alpha \in (0.2, 0.4)$ (Remark 1: $\alpha \in (0, "
    r"0.4)$ alike), gradient flow on the full model gives $P(i, j; W) \to (1-\alpha) 1\{j = i\} + \alpha 1\{j = N+1\}$ "
    r"as $t \to \infty$.",
    needs=LIMITS,
    subject=lambda runs: probabilities_at_end(runs, "full"),
    wrong=lambda runs: probabilities_at_end(runs, "cut"),
    # P(wrong) ~ 4/(3t) at t = 10^8
    parts=Part(
        lambda found: found,
        near(for_each_flow(lambda alpha: [1 - alpha, 0.0, alpha]), atol=1e-6),
        along=BY_FLOW | {"token": ("correct", "wrong", "noise")},
    ),
)


LEVELS = {"level/low": 0.21, "flow/inside": FLOWS["flow/inside"], "level/high": 0.39}  # near the ends of (.2, .4) too

Decay = dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]  # by run and by what decays: times, and it


def late_decay(runs: Runs, noise: str, rest: str) -> Decay:
    """From the time at which the decay is a power of t on: of a column, and of what another one lacks to 1."""
    decays = {}
    for name in LEVELS:
        late = runs[name].column("time") >= SETTLED
        times = runs[name].column("time")[late]
        decays[name, "noise"] = times, runs[name].column(noise)[late]
        decays[name, "rest"] = times, 1 - runs[name].column(rest)[late]
    return decays


RANK_ONE = Claim(
    id="thm-3-rank-1",
    locus="Theorem 3, second equation",
    uses=("eq-42", "lemma-h.3"),
    statement=r"Under Assumptions G.1 and G.2, with $N = 2$ and $\alpha \in (0.2, 0.4)$, the rank-1 part of the flow's "
    r"$W$ predicts the label with probability $1 - \Theta(t^{-1/2})$ and the noise with $\Theta(t^{-1/2})$ as $t \to "
    r"\infty$. Judged are both slopes from $t = 10^4$ on, at several $\alpha$ of that range.",
    needs=LIMITS | {"level": two_inputs_to_late_times},
    wording={f"α = {alpha:g}": word("α = {}", f"{run}.alpha") for run, alpha in LEVELS.items()},
    subject=lambda runs: late_decay(runs, noise="cut_noise", rest="cut_correct"),
    wrong=lambda runs: late_decay(runs, noise="full_wrong", rest="full_correct"),
    parts={
        f"α = {alpha:g}, {name}": Part(lambda found, key=(run, what): found[key], slope_near(-0.5, tolerance=0.01))
        for run, alpha in LEVELS.items()
        for what, name in {"noise": "P(noise)", "rest": "1 - P(label)"}.items()
    },
    remark=r"The proof needs the signal's singular value, $2\beta_1$, over the noise's, $2\sqrt{3}|\beta_2|$; it says "
    r"'assuming $\beta_1 > \beta_2$'. The limit of their ratio is $\sqrt{3}$.",
)

CONSTANT = Claim(
    id="thm-3-constant",
    locus="Appendix G.2 and Lemma H.3",
    uses=("lemma-h.3",),
    statement="Under Assumptions G.1 and G.2, with $n = 2$, the margin $a = W_{12} - W_{11}$ of gradient flow tends "
    r"to $-\log t - \log((1-\alpha)(4-2\alpha))$. Judged is the constant $\lim t e^a$ for two values of $\alpha$.",
    needs=LIMITS,
    subject=lambda runs: constants(runs, recorded, LATE),
    wrong=lambda runs: constants(runs, recorded, 1.0),
    parts=Part(
        lambda found: found,
        near(for_each_flow(memory.printed_constant), rtol=1e-4),
        corrected=for_each_flow(lambda alpha: memory.constant(2, alpha)),
        along=BY_FLOW,
    ),
    correction=Correction(
        severity="constant",
        printed=r"$\lim t e^a = \frac{1}{(1-\alpha)(4-2\alpha)}$",
        corrected=r"$\lim t e^a = \frac{4}{3(1-\alpha)}$; for $n$ inputs $\frac{2n}{(n+1)(1-\alpha)}$",
        reason="Two slips: the rates of equation (42), and $b$'s own deviation, of the order of $e^a$, dropped in "
        "Lemma H.3.",
        root="eq-42",
        survives="Theorem 3: its limits and exponents depend on neither slip.",
        source=f"{SOURCE}; G.2 and Lemma H.3 print the same constant",
        latex=r"$a \to -\log t + \log\frac{4}{3(1-\alpha)}, \quad b \to \log\frac{\alpha}{1-\alpha}$",
    ),
)


def followers(runs: Runs, path_of) -> dict[str, object]:
    """What should follow the two-margin equation: descent's margins, and the largest error of those of the flows."""
    pairs = [(path_of(run), true_path(run)) for run in flows(runs)]
    errors = [max(np.abs(found.a - path.a).max(), np.abs(found.b - path.b).max()) for found, path in pairs]
    descent = path_of(runs["descent"])
    return {"a": descent.a, "b": descent.b, "flow": float(max(errors))}


BY_TIME = {"t": lambda runs: runs["descent"].column("time")}
STEP_ERROR = 0.05  # of the margins, by the size of a step

DESCENT = Claim(
    id="thm-3-descent",
    locus="Theorem 3, gradient flow",
    statement=r"Under Assumptions G.1 and G.2, with $n = 2$, gradient flow on the $d \times d$ matrix, and gradient "
    "descent on it, follow the equation of two margins $a = W_{12} - W_{11}$ and $b = W_{13} - W_{11}$.",
    needs={"flow": two_inputs, "descent": two_inputs_in_small_steps},
    subject=partial(followers, path_of=recorded),
    wrong=partial(followers, path_of=printed_path),
    parts={
        name: Part(
            lambda found, name=name: found[name],
            near(lambda runs, name=name: getattr(true_path(runs["descent"]), name), atol=STEP_ERROR),
            along=BY_TIME,
        )
        for name in ("a", "b")
    }
    | {"flow": Part(lambda found: found["flow"], near(0.0, atol=1e-6))},  # the solver's error
    remark="Descent is compared to t = learning rate × steps; the flow, with autodiff gradients, to its last time.",
)


def draw(runs: Runs) -> Artefact:
    run, descent = runs["flow/inside"], runs["descent"]
    n, alpha, time = run.config.inputs, run.config.alpha, run.column("time")
    path, printed = true_path(run), printed_path(run)
    figure, (first, second, third) = new_figure(1, 3, width=13)
    later, tail = time > 0, time > min(10, time[-1] / 10)
    for ax, name, colour, label in ((first, "a", "C0", "a, "), (second, "b", "C2", "")):
        thick = {"color": colour, "lw": 4, "alpha": 0.35, "label": f"{label}flow of the matrix"}
        ax.semilogx(time[later], run.column(name)[later], **thick)
        ax.semilogx(time[later], getattr(path, name)[later], color=colour, lw=1, label=f"{label}equation")
    first.semilogx(time[tail], np.log(memory.constant(n, alpha) / time[tail]), "k:", label="log(4/(3(1-α)t))")
    first.semilogx(time[tail], np.log(memory.printed_constant(alpha) / time[tail]), "r:", label="printed")
    first.semilogx(descent.column("time")[1:], descent.column("a")[1:], "C1--", lw=1, label="gradient descent")
    first.set(xlabel="t", ylabel="a = W_12 - W_11")
    second.semilogx(time[later], printed.b[later], "r--", lw=1, label="equation (43) as printed")
    ceiling(second, memory.limit_b(alpha), "log(α/(1-α))")
    second.set(xlabel="t", ylabel="b = W_13 - W_11")
    labels = {"cut_noise": "rank 1: P(noise)", "full_noise": "full: P(noise)", "full_wrong": "full: P(other)"}
    for (column, label), colour in zip(labels.items(), ("C3", "C4", "C5"), strict=True):
        third.loglog(time[tail], run.column(column)[tail], color=colour, label=label)
    # The rank-1 model's margins are a and a/2.
    third.loglog(time[tail], np.sqrt(memory.constant(2, alpha) / time[tail]), "k:", label="(4/(3(1-α)t))^½")
    third.set(xlabel="t", ylabel="probability")
    for ax in (first, second, third):
        ax.legend(fontsize=7)
    caption = (
        f"Theorem 3 at α = {alpha:g}, d = {run.config.width}: gradient flow of the real matrix (gradients by autodiff, "
        f"LSODA in log-time) on top of the two-margin equation, to t = {time[-1]:g}, and gradient descent with "
        f"learning rate {descent.config.learning_rate:g} for {descent.config.steps} steps. Deterministic: one seed for "
        f"the basis."
    )
    table = {"time": time, "a": run.column("a"), "b": run.column("b"), "a equation": path.a, "b equation": path.b}
    table |= {"a printed": printed.a, "b printed": printed.b, "rank-1 noise": run.column("cut_noise")}
    return Artefact(figure, table | {"full noise": run.column("full_noise")}, caption)


def runs(scale: Scale) -> dict[str, RunConfig]:
    steps = Memory.DESCENT_STEPS.at(scale)
    others = {name: MemoryFlow(alpha=alpha) for name, alpha in LEVELS.items() if name not in FLOWS}
    return {**flow_runs(), **others, "descent": MemoryDescent(steps=steps, every=steps // 100)}


def views(runs: Runs) -> list[View]:
    """The noise has a singular value of its own; cutting it leaves the label."""
    run = runs["flow/inside"]
    later = run.column("time") > 0
    clock = {"steps": np.log10(run.column("time")[later]), "clock": "log₁₀ t"}
    answers = [[run.column(f"{model}_{answer}")[later] for answer in ("correct", "wrong", "noise")] for model in MODELS]
    values = {name: run.column(f"{name}_singular")[later] for name in ("signal", "noise")}
    return [
        Frames(
            title="What is predicted",
            values=np.moveaxis(np.asarray(answers), -1, 0),
            rows=list(MODELS.values()),
            columns=["the label", "the other token", "the noise"],
            **clock,
        ),
        Curves(title="Singular values of W", series=values, note="Rank 1 keeps the signal's alone.", **clock),
    ]


EXPERIMENT = Experiment(
    title="The linear memory with two inputs: limits, constants and the rank-1 rate",
    runs=runs,
    claims=(FULL, RANK_ONE, CONSTANT, DESCENT),
    draw=draw,
    live=Live(views=views),
    notes="The loss is the mean over inputs; with the sum over inputs time runs n times faster.",
)
