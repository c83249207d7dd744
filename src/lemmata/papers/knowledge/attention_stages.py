"""Lemma 10 and its continuation under the lemma's own training: where attention goes in stages 1 and 2, and why."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Verdict
from lemmata.core.legacy import AtLeast, AtMost, Claim, Close, Each, Experiment, Results
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.run.staged_descent import StagedPreTraining
from lemmata.papers.knowledge.task import FactsConfig
from lemmata.papers.knowledge.theory.first_attention import subject_share
from lemmata.report.plots import COLOURS, GREY, ceiling, legend, new_figure, panel_label

STRENGTH = 0.25  # Lemma 15's constant in Omega(log d / lambda), which the text does not give: our threshold
BOUNDS = {
    "stage 1: 2d α₁": (1.0, AtMost()),
    "stage 1: smallest α₂/α₃": (0.8, AtLeast()),
    "stage 1: largest α₂/α₃": (1.2, AtMost()),
    "stage 1: d known at [o]": (0.5, AtLeast()),
    "stage 1: facts known": (0.5, AtMost()),
    "stage 2: 3d/2 α₁": (1.0, AtMost()),
    "stage 2: smallest α₂/α₃": (0.7, AtLeast()),
    "stage 2: largest α₂/α₃": (1.6, AtMost()),
}
LEMMA = Each({name: check for name, (_, check) in BOUNDS.items()})
PREDICTED = {name: value for name, (value, _) in BOUNDS.items()}


def of_query(results: Results, query: str) -> RunResult:
    return results.one(StagedPreTraining, query=query)


def stage_readings(run: RunResult, logit: float, *, trained: bool = True) -> dict[str, float]:
    """The lemma's quantities at their worst over facts and seeds; `trained=False` reads the first record throughout."""
    config, parts = run.config, []
    for seed in config.seeds:
        where = {"seed": seed, "first_logit": logit}
        step, stage = run.column("step", **where), run.column("stage", **where)
        end = step == (config.first_steps if trained else 0)
        # The model at T_2 is the first to be handed to stage 3.
        later = step[(stage == 2) & (step >= config.first_steps)]
        second = (step >= config.first_steps) & (step <= (later[0] if later.size else step[-1])) if trained else end
        first = np.maximum(run.column("first_two", **where), run.column("first_three", **where))
        known = np.maximum(run.column("relation", **where), run.column("answer", **where))
        low, high = run.column("ratio_min", **where), run.column("ratio_max", **where)
        width = config.model.width
        parts.append(
            (
                2 * width * first[end].max(),
                low[end].min(),
                high[end].max(),
                run.column("dummy", **where)[end].min(),
                known[end].max(),
                1.5 * width * first[second].max(),
                low[second].min(),
                high[second].max(),
            )
        )
    worst = [
        (min if isinstance(check, AtLeast) else max)(values)
        for values, (_, check) in zip(zip(*parts, strict=True), BOUNDS.values(), strict=True)
    ]
    return dict(zip(BOUNDS, map(float, worst), strict=True))


def verdict_of(run: RunResult, logit: float) -> Verdict:
    return LEMMA(PREDICTED, stage_readings(run, logit))


def best_logit(run: RunResult) -> float:
    """The first rate under which the lemma comes closest to holding."""

    def closeness(logit: float) -> tuple[bool, float]:
        verdict = verdict_of(run, logit)
        return verdict.status == "holds", verdict.margin

    return max(run.config.first_logits, key=closeness)


def best_readings(results: Results, query: str, *, trained: bool = True) -> dict[str, float]:
    run = of_query(results, query)
    return stage_readings(run, best_logit(run), trained=trained)


LEMMA_TEXT = (
    "After two large steps (stage 1) attention to o is at most 1/(2d) at [o s] and [o s r] and α₂/α₃ at [o s r] lies "
    "in [.8, 1.2], with d known and relations and answers not yet; until half of these are learned (stage 2) they stay "
    "within 2/(3d) and [.7, 1.6]. For all facts and seeds, at that first rate of a range which suits this best. "
)
ATTENTION_PATTERN = Claim(
    id="knowledge/attention-pattern",
    locus="Lemma 10, statements 3 and 4, and the lemma after it, statements 3 and 4",
    statement=LEMMA_TEXT + "The last token asks: α = softmax(x_last A x_l), gradient descent from A = 0.",
    predict=lambda results: PREDICTED,
    measure=lambda results: best_readings(results, "last"),
    control=lambda results: best_readings(results, "last", trained=False),  # the untrained model: all tokens alike
    check=LEMMA,
    remark="No first rate can do both. The step that takes r's attention from o gives it to r itself by the sum over "
    "all n_r sentences with r, but to one subject by that subject's sentence alone: α₂/α₃ falls as "
    "(α₁/α₃)^((1-1/n_r)/3) (claim attention-cube-root), so that α₁ ≤ 1/(2d) leaves about (2d)^(-1/3) of it. With "
    "n_r = 1, or with scores that depend on the key alone (claim attention-pattern-shared-query), both can hold.",
)


SHARED_QUERY = Claim(
    id="knowledge/attention-pattern-shared-query",
    locus="Lemma 10, statements 3 and 4, and the lemma after it, statements 3 and 4",
    statement=LEMMA_TEXT + "Here one query serves all prompts, α = softmax(o A x_l), a reading our text leaves open.",
    predict=lambda results: PREDICTED,
    measure=lambda results: best_readings(results, "first"),
    control=lambda results: best_readings(results, "first", trained=False),
    check=LEMMA,
)


def _slopes(results: Results, query: str) -> np.ndarray:
    """Least-squares slope through 0 of log(α₂/α₃) on its prediction from α₁/α₃, after stage 1, for each seed."""
    run = of_query(results, query)
    slopes = []
    for alpha, sentences in zip(run.arrays["after_first"].astype(float), run.arrays["sentences"], strict=True):
        kept = np.all(alpha > 1e-30, axis=-1)  # float32 runs out below
        first, measured = np.log(alpha[..., 0] / alpha[..., 2])[kept], np.log(alpha[..., 1] / alpha[..., 2])[kept]
        power = np.array([np.log(subject_share(np.exp(1.0), float(n))) for n in sentences])
        predicted = first * np.broadcast_to(power, alpha.shape[:-1])[kept]
        slopes.append(np.sum(predicted * measured) / np.sum(predicted**2))
    return np.array(slopes)


CUBE_ROOT = Claim(
    id="knowledge/attention-cube-root",
    locus="ours, on Lemma 10",
    statement="After stage 1 attention to the subject has fallen with that to o: α₂/α₃ = (α₁/α₃)^((1-1/n_r)/3), n_r "
    "the number of sentences told with the template. Shown: the slope of log(α₂/α₃) on this prediction over all facts "
    "and first rates, one number a seed (rule: 1 within .1).",
    predict=lambda results: 1.0,
    measure=lambda results: _slopes(results, "last"),
    control=lambda results: _slopes(results, "first"),  # scores that depend on the key alone follow no such law
    check=Close(atol=0.1),
)


def _strength(results: Results, column: str) -> np.ndarray:
    """lambda times the strength over log d at the end, for each seed, at the best first rate."""
    run = of_query(results, "first")
    config = run.config
    where = {"step": config.steps, "first_logit": best_logit(run)}
    unit = np.log(config.model.width) / config.model.scale
    return np.array([run.column(column, seed=seed, **where)[0] for seed in config.seeds]) / unit


FEATURE_STRENGTH = Claim(
    id="knowledge/feature-strength",
    locus="Lemma 15, equation (169)",
    statement="At the end of pre-training every answer's neurons respond to the bare subject: (1/m) Σ_k σ(<w_k, s_j>) "
    f"is of the order of log(d)/λ at least, for all j. Rule: at least {STRENGTH:g} log(d)/λ for the weakest subject in "
    "each seed, under the training in which Lemma 10 holds; shown in units of log(d)/λ. Control: the mean response to "
    "another subject.",
    predict=lambda results: STRENGTH,
    measure=lambda results: _strength(results, "own_strength"),
    control=lambda results: _strength(results, "other_strength"),
    check=AtLeast(),
)


CURVES = (
    (1, "ratio_min", "-", "least"),
    (1, "ratio_max", "--", "largest"),
    (2, "first_three", "-", "[o s r]"),
    (2, "first_two", "--", "[o s]"),
)


def steps_of(run: RunResult) -> np.ndarray:
    return np.unique(run.column("step"))


def render(results: Results) -> Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.5)
    colours = {"last": COLOURS["vermillion"], "first": COLOURS["blue"]}
    labels = {"last": "last token asks", "first": "one query for all"}
    table: dict[str, list[Any]] = {name: [] for name in ("query", "first logit", "holds", *BOUNDS)}
    for query, colour in colours.items():
        run = of_query(results, query)
        config, best = run.config, best_logit(run)
        alpha = run.arrays["after_first"].astype(float).reshape(-1, 3)
        axes[0].plot(alpha[:, 0], alpha[:, 1] / alpha[:, 2], ".", color=colour, markersize=3, label=labels[query])
        for seed in config.seeds:
            for ax, column, style, what in CURVES:
                values = run.column(column, seed=seed, first_logit=best)
                label = f"{labels[query]}, {what}" if seed == config.seeds[0] else None
                kept = np.maximum(values, 1e-12)
                axes[ax].plot(steps_of(run), kept, style, color=colour, linewidth=1, label=label)
        for logit in config.first_logits:
            readings = stage_readings(run, logit)
            row = {"query": query, "first logit": logit, "holds": verdict_of(run, logit).status == "holds", **readings}
            for name, value in row.items():
                table[name].append(value)
    run = of_query(results, "last")
    world = run.config.facts
    width, sentences = run.config.model.width, float(np.mean(run.arrays["sentences"]))
    shares = np.logspace(-9, 0, 60)
    follow = np.array([subject_share(share, sentences) for share in shares])
    axes[0].plot(
        shares / (1 + shares + follow), follow, color=COLOURS["black"], linewidth=1, label="(α₁/α₃)^((1-1/n)/3)"
    )
    axes[0].fill_between([1e-9, 1 / (2 * width)], 0.8, 1.2, color=GREY, alpha=0.3, linewidth=0, label="Lemma 10")
    axes[0].set(xscale="log", yscale="log", xlim=(1e-9, 1), ylim=(1e-3, 5))
    axes[0].set(xlabel="α₁ at [o s r]", ylabel="α₂/α₃", title="after stage 1, every fact and first rate")
    axes[1].set(yscale="log", xlabel="step", ylabel="α₂/α₃ at [o s r]", title="where the subject stands, all facts")
    axes[1].axhspan(0.7, 1.6, color=GREY, alpha=0.2, linewidth=0)
    axes[2].set(yscale="log", ylim=(1e-9, 1.2), xlabel="step", ylabel="largest α₁", title="attention to o")
    ceiling(axes[2], 1 / (2 * width), "1/(2d)")
    for letter, ax in zip("abc", axes, strict=True):
        legend(ax, fontsize=7, loc="best")
        panel_label(ax, letter)
    caption = (
        f"Gradient descent in the appendix's stages, orthonormal embeddings, d = {width}, N = {world.subjects}, "
        f"K = {world.multiplicity}, |R| = {world.templates}, seeds: {len(run.config.seeds)}. (a) Each dot is a "
        "fact after two large steps, over a range of first rates; the grey box is what Lemma 10 allows, the line what "
        "one step can do. (b), (c) At the first rate that suits the lemma best, a line a seed; grey: the range allowed "
        "in stage 2, which ends here within the first 40 steps."
    )
    return Artefact(figure, table, caption)


def grid(scale: Scale) -> tuple[StagedPreTraining, ...]:
    """The two readings, each with a lambda that suits it (attention moves against logits as 1/lambda^2)."""
    small = FactsConfig(subjects=32, templates=8, multiplicity=4)
    world = scale.pick(smoke=small, laptop=small, paper=FactsConfig(subjects=64, templates=16, multiplicity=4))
    width = scale.pick(smoke=128, laptop=128, paper=256)
    seeds = scale.seeds(smoke=1, laptop=3, paper=5)

    def run(query: Any, lam: float, logits: tuple[float, ...]) -> StagedPreTraining:
        model = OneLayerConfig(width=width, scale=lam, embeddings="orthonormal", neuron_start=0.01 / lam)
        return StagedPreTraining(facts=world, model=model, query=query, first_logits=logits, seeds=seeds)

    return (
        run("last", 16.0, scale.pick(smoke=(34.0,), laptop=(17.0, 24.0, 34.0, 48.0), paper=(17.0, 24.0, 34.0, 48.0))),
        run("first", 256.0, scale.pick(smoke=(80.0,), laptop=(40.0, 56.0, 80.0), paper=(40.0, 56.0, 80.0, 112.0))),
    )


EXPERIMENTS = (
    Experiment(
        id="knowledge/attention-pattern",
        title="Attention in the stages of pre-training",
        grid=grid,
        claims=(ATTENTION_PATTERN, SHARED_QUERY, CUBE_ROOT, FEATURE_STRENGTH),
        render=render,
    ),
)
