"""Lemma 10 and its continuation under the lemma's own training: where attention goes in stages 1 and 2, and why."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least, near
from lemmata.papers.knowledge.claims._stages import LEMMA, OWN, SHARED, Stages, at_best_rate, staged_runs, verdict_of
from lemmata.papers.knowledge.theory.first_attention import subject_share
from lemmata.report.plots import COLOURS, GREY, ceiling, columns, legend, letter, new_figure

STRENGTH = 0.25  # Lemma 15's constant in Omega(log d / lambda), which the text does not give: our threshold
SMALLEST = 1e-30  # float32 runs out below

LEMMA_TEXT = (
    "After two large steps (stage 1) attention to o is at most 1/(2d) at [o s] and [o s r] and α₂/α₃ at [o s r] lies "
    "in [.8, 1.2], with d known and relations and answers not yet; until half of these are learned (stage 2) they stay "
    "within 2/(3d) and [.7, 1.6]. For all facts and seeds, at that first rate of a range which suits this best. "
)
ATTENTION_PATTERN = Claim(
    id="attention-pattern",
    locus="Lemma 10, statements 3 and 4, and the lemma after it, statements 3 and 4",
    statement=LEMMA_TEXT + "The last token asks: α = softmax(x_last A x_l), gradient descent from A = 0.",
    subject=lambda runs: at_best_rate(runs[OWN]),
    wrong=lambda runs: at_best_rate(runs[OWN], trained=False),  # the untrained model: all tokens alike
    parts=LEMMA,
    remark="No first rate can do both. The step that takes r's attention from o gives it to r itself by the sum over "
    "all n_r sentences with r, but to one subject by that subject's sentence alone: α₂/α₃ falls as "
    "(α₁/α₃)^((1-1/n_r)/3) (claim attention-cube-root), so that α₁ ≤ 1/(2d) leaves about (2d)^(-1/3) of it. With "
    "n_r = 1, or with scores that depend on the key alone (claim attention-pattern-shared-query), both can hold.",
)

SHARED_QUERY = Claim(
    id="attention-pattern-shared-query",
    locus="Lemma 10, statements 3 and 4, and the lemma after it, statements 3 and 4",
    statement=LEMMA_TEXT + "Here one query serves all prompts, α = softmax(o A x_l), a reading our text leaves open.",
    subject=lambda runs: at_best_rate(runs[SHARED]),
    wrong=lambda runs: at_best_rate(runs[SHARED], trained=False),
    parts=LEMMA,
)


def slopes(run: RunResult) -> np.ndarray:
    """Least-squares slope through 0 of log(α₂/α₃) on its prediction from α₁/α₃, after stage 1, for each seed."""
    found = []
    for alpha, sentences in zip(run.arrays["after_first"].astype(float), run.arrays["sentences"], strict=True):
        kept = np.all(alpha > SMALLEST, axis=-1)
        first, measured = np.log(alpha[..., 0] / alpha[..., 2])[kept], np.log(alpha[..., 1] / alpha[..., 2])[kept]
        power = np.array([np.log(subject_share(np.exp(1.0), float(n))) for n in sentences])
        predicted = first * np.broadcast_to(power, alpha.shape[:-1])[kept]
        if not np.any(predicted):
            raise Undecided("no fact has attention that float32 can hold and a template with other sentences")
        found.append(np.sum(predicted * measured) / np.sum(predicted**2))
    return np.array(found)


CUBE_ROOT = Claim(
    id="attention-cube-root",
    locus="ours, on Lemma 10",
    statement="After stage 1 attention to the subject has fallen with that to o: α₂/α₃ = (α₁/α₃)^((1-1/n_r)/3), n_r "
    "the number of sentences told with the template. Shown: the slope of log(α₂/α₃) on this prediction over all facts "
    "and first rates, one number a seed.",
    subject=lambda runs: runs[OWN],
    wrong=lambda runs: runs[SHARED],  # scores that depend on the key alone follow no such law
    parts=Part(slopes, near(1.0, atol=0.1)),
)


def strength(runs: Runs, column: str) -> np.ndarray:
    """lambda times the strength over log d at the end, for each seed, at the best first rate."""
    run = runs[SHARED]
    config, logit = run.config, at_best_rate(run).logit
    unit = np.log(config.model.width) / config.model.scale
    return run.column(column, step=config.steps, first_logit=logit).astype(float) / unit


FEATURE_STRENGTH = Claim(
    id="feature-strength",
    locus="Lemma 15, equation (169)",
    statement="At the end of pre-training every answer's neurons respond to the bare subject: (1/m) Σ_k σ(<w_k, s_j>) "
    "is of the order of log(d)/λ at least, for all j. Shown in units of log(d)/λ, for the weakest subject in each "
    "seed, under the training in which Lemma 10 holds.",
    subject=lambda runs: strength(runs, "own_strength"),
    wrong=lambda runs: strength(runs, "other_strength"),  # the mean response to another subject
    parts=Part(np.asarray, at_least(STRENGTH)),
)


CURVES = (
    (1, "ratio_min", "-", "least"),
    (1, "ratio_max", "--", "largest"),
    (2, "first_three", "-", "[o s r]"),
    (2, "first_two", "--", "[o s]"),
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.5)
    table = []
    for name, label, colour in (
        (OWN, "last token asks", COLOURS["vermillion"]),
        (SHARED, "one query for all", COLOURS["blue"]),
    ):
        run = runs[name]
        best = at_best_rate(run).logit
        alpha = run.arrays["after_first"].astype(float).reshape(-1, 3)
        axes[0].plot(alpha[:, 0], alpha[:, 1] / alpha[:, 2], ".", color=colour, markersize=3, label=label)
        for ax, column, style, what in CURVES:
            steps, values = run.curve(column, first_logit=best)
            lines = axes[ax].plot(steps, np.maximum(values, 1e-12).T, style, color=colour, linewidth=1)
            lines[0].set(label=f"{label}, {what}")
        for logit in run.config.first_logits:
            stages = Stages(run, logit)
            row = {"query": run.config.model.query, "first logit": logit, "holds": verdict_of(stages).status == "holds"}
            table.append(row | {name: part.read(stages) for name, part in LEMMA.items()})
    run = runs[OWN]
    world = run.config.facts
    width, sentences = run.config.model.width, float(np.mean(run.arrays["sentences"]))
    shares = np.logspace(-9, 0, 60)
    follow = np.array([subject_share(share, sentences) for share in shares])
    law = "(α₁/α₃)^((1-1/n)/3)"
    axes[0].plot(shares / (1 + shares + follow), follow, color=COLOURS["black"], linewidth=1, label=law)
    axes[0].fill_between([1e-9, 1 / (2 * width)], 0.8, 1.2, color=GREY, alpha=0.3, linewidth=0, label="Lemma 10")
    axes[0].set(xscale="log", yscale="log", xlim=(1e-9, 1), ylim=(1e-3, 5))
    axes[0].set(xlabel="α₁ at [o s r]", ylabel="α₂/α₃", title="after stage 1, every fact and first rate")
    axes[1].set(yscale="log", xlabel="step", ylabel="α₂/α₃ at [o s r]", title="where the subject stands, all facts")
    axes[1].axhspan(0.7, 1.6, color=GREY, alpha=0.2, linewidth=0)
    axes[2].set(yscale="log", ylim=(1e-9, 1.2), xlabel="step", ylabel="largest α₁", title="attention to o")
    ceiling(axes[2], 1 / (2 * width), "1/(2d)")
    for ax in axes:
        legend(ax, fontsize=7, loc="best")
    letter(axes)
    caption = (
        f"Gradient descent in the appendix's stages, orthonormal embeddings, d = {width}, N = {world.subjects}, "
        f"K = {world.multiplicity}, |R| = {world.templates}, {len(run.config.seeds)} seeds. (a) A dot is a fact after "
        "two large steps, over a range of first rates; grey: what Lemma 10 allows; the line: what one step can do. "
        "(b), (c) At the first rate that suits the lemma best, a line a seed; grey: the range allowed in stage 2."
    )
    return Artefact(figure, columns(table), caption)


EXPERIMENT = Experiment(
    title="Attention in the stages of pre-training",
    runs=staged_runs,
    claims=(ATTENTION_PATTERN, SHARED_QUERY, CUBE_ROOT, FEATURE_STRENGTH),
    draw=draw,
)
