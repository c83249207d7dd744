"""The warm-up's algebra, three subjects and six bijections: Tables 1 and 2, eqs. (2)-(8), the saddle (Appendix B)."""

import numpy as np

from lemmata.core import Artefact, RunResult, Scale
from lemmata.core.legacy import AtMost, Claim, Close, Exact, Experiment, Results
from lemmata.papers.ic_recall.claims._formula import formula
from lemmata.papers.ic_recall.run.algebra import SaddleAlgebra, WarmupAlgebra
from lemmata.papers.ic_recall.theory import gradients, pairing, relations, saddle
from lemmata.report import plots

KINDS = ("correct", "confusing", "mismatched")


def _named_rows(table: np.ndarray, kinds: np.ndarray) -> list[str]:
    rows = zip(table.tolist(), kinds.tolist(), strict=True)
    return sorted(f"{a}{b}{c} {KINDS[kind]}" for (a, b, c), kind in rows)


TABLE_1 = Claim(
    id="ic-recall/table-1",
    locus="Section 4.1, Table 1",
    statement="With three subjects the six bijections are one correct, one confusing and four mismatched relations.",
    predict=lambda results: sorted(
        f"{''.join(map(str, row))} {kind}" for row, kind in zip(relations.TABLE_1, relations.TABLE_1_TYPES, strict=True)
    ),
    measure=lambda results: _named_rows(*(results.one(WarmupAlgebra).arrays[name] for name in ("table", "kinds"))),
    control=lambda results: _named_rows(
        results.one(WarmupAlgebra).arrays["table"][:, ::-1], results.one(WarmupAlgebra).arrays["kinds"]
    ),
    check=Exact(),
)


def _temperature(run: RunResult) -> float:
    return run.config.temperature


def _table_2(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    return np.stack([((v @ relations.quadratic_form(squares)) * v).sum(-1) for squares in relations.TABLE_2.values()])


def _both_gradients(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    in_v = gradients.warmup_gradient(v, _temperature(run))
    return np.concatenate([in_v, gradients.through_softmax(v, in_v)], axis=1)


def _theta_differences(run: RunResult) -> np.ndarray:
    slope = _temperature(run) * run.arrays["gradient_theta"]
    return np.stack([slope[:, 0] - slope[:, 1], slope[:, 2] - slope[:, 3]], axis=-1)


ALGEBRA = (
    TABLE_1,
    formula(
        "table-2",
        "Appendix B, Table 2",
        "Logits of all subjects, answers and relations on (s1, a1, s2, a2, s3, EoS) as sums of squares of attention "
        "scores.",
        WarmupAlgebra,
        _table_2,
        lambda run: run.arrays["token_logits"].T,
    ),
    formula(
        "eq-gradients",
        "Appendix B, eqs. (2)-(8)",
        "The gradient of L_1 in the attention v, and in theta where v = softmax(theta).",
        WarmupAlgebra,
        _both_gradients,
        lambda run: np.concatenate([run.arrays["gradient_v"], run.arrays["gradient_theta"]], axis=1),
    ),
    formula(
        "lemma-b.4-initial",
        "Appendix B, proof of Lemma B.4",
        "At v = 1/6 the gradient of L_1 in v is (-1, 0, -1, 0, 2, 0) / (9T).",
        WarmupAlgebra,
        lambda run: saddle.INITIAL_GRADIENT / _temperature(run),
        lambda run: run.arrays["initial_gradient"],
    ),
    formula(
        "lemma-b.4-gradients",
        "Appendix B, proof of Lemma B.4",
        "Where v_1 = v_3, v_2 = v_4 and v_5 = 0, dL/dv_1 and dL/dv_2 simplify to multiples of p_5 + p_6 and p_4 + p_6.",
        WarmupAlgebra,
        lambda run: gradients.printed_symmetric_gradient(run.arrays["symmetric"], _temperature(run)),
        lambda run: run.arrays["symmetric_gradient"][:, :2],
        corrected=lambda run: gradients.symmetric_gradient(run.arrays["symmetric"], _temperature(run)),
        printed="dL/dv_1 = -2 (p_5 + p_6) v_2,  dL/dv_2 = -2 (p_4 + p_6) v_1",
        right="dL/dv_1 = -(2/T) (p_5 + p_6) v_2,  dL/dv_2 = -(2/T) (p_4 + p_6) v_1",
        reason="The factor 1/T of eqs. (2) and (3) is lost. Harmless: only the ratio of the two is used. (Just before, "
        "'v_4 = v_5' should read v_2 = v_4.)",
    ),
    formula(
        "lemma-b.7-identity",
        "Appendix B, proof of Lemma B.7",
        "The value of sum_j v_j dL/dv_j.",
        WarmupAlgebra,
        lambda run: pairing.printed_inner_product(run.arrays["v"], _temperature(run)),
        lambda run: (run.arrays["v"] * run.arrays["gradient_v"]).sum(-1),
        corrected=lambda run: pairing.inner_product(run.arrays["v"], _temperature(run)),
        printed="sum_j v_j dL/dv_j = sum_r p(r) l(r)",
        right="sum_j v_j dL/dv_j = (2/T) (sum_r p(r) l(r) - l(r_1))",
        reason="Logits are homogeneous of degree 2 in v, so v . grad l = 2 l; the loss is -l(r_1)/T + log-sum-exp. "
        "The two "
        "displays that follow use the right form (up to their factor 2).",
    ),
    formula(
        "lemma-b.7-differences",
        "Appendix B, proof of Lemma B.7",
        "T (dL/dtheta_1 - dL/dtheta_2) and T (dL/dtheta_3 - dL/dtheta_4), whose signs drive v_1/v_2 and v_3/v_4 to 1.",
        WarmupAlgebra,
        lambda run: pairing.printed_differences(run.arrays["v"], _temperature(run)),
        _theta_differences,
        corrected=lambda run: pairing.differences(run.arrays["v"], _temperature(run)),
        printed="(p_2 + p_4) v_1 v_4 - (p_2 + p_5) v_2 v_3 - (p_4 + p_6) v_2 v_5 + (v_1 - v_2)(l(r_1) - sum_r p l), "
        "...",
        right="twice that",
        reason="A factor 2 is lost from eqs. (2)-(6). Harmless: only signs are used.",
    ),
)


def _algebra_render(results: Results) -> Artefact:
    run = results.one(WarmupAlgebra)
    named = {claim.id.split("/")[1]: claim for claim in ALGEBRA if claim.correction is not None}
    figure, axes = plots.new_figure(1, len(named), squeeze=False)
    table: dict[str, list] = {"formula": [], "point": [], "measured": [], "printed": [], "corrected": []}
    for ax, (name, claim) in zip(axes[0], named.items(), strict=True):
        measured, printed = np.ravel(claim.measure(results)), np.ravel(claim.predict(results))
        assert claim.correction is not None
        right = np.ravel(claim.correction.predict(results))
        ax.plot(measured, printed, "x", color=plots.CYCLE[1], label="printed")
        ax.plot(measured, right, "o", color=plots.CYCLE[0], markersize=3, label="corrected")
        ends = [measured.min(), measured.max()]
        ax.plot(ends, ends, color=plots.GREY, linewidth=0.8)
        ax.set(title=name, xlabel="autodiff through the engine", ylabel="formula")
        plots.legend(ax)
        for i, values in enumerate(zip(measured, printed, right, strict=True)):
            for key, value in zip(table, (name, i, *values), strict=True):
                table[key].append(value)
    caption = (
        f"Formulas of Appendix B at {run.config.points} random attention vectors, T = {run.config.temperature}: as "
        f"printed "
        "(crosses) and corrected (dots) against automatic differentiation through the reduced engine."
    )
    return Artefact(figure, {key: np.array(value) for key, value in table.items()}, caption)


def _saddle(name: str):
    return lambda run: run.metrics[name]


SADDLE_CLAIMS = (
    formula(
        "saddle-curvature",
        "Appendix B, proof of Lemma B.5",
        "The second derivative of L_1 at the saddle along (1, 1, -1, -1, 0, 0)/2, as a function of T.",
        SaddleAlgebra,
        lambda run: saddle.printed_curvature(run.metrics["temperature"]),
        _saddle("curvature"),
        corrected=lambda run: saddle.curvature(run.metrics["temperature"]),
        printed="f''(0) = -1/(8T) + 1 / (16 T^2 (4 + 2 exp(3/(16T)))^2)",
        right="f''(0) = -1/(8T) + 1 / (32 T^2 (4 + 2 exp(1/(8T))))",
        reason="Term II is -p_1 p_3 / (32 T^2), and l(r_1) - l(r_3) = 1/8 at the saddle. With u = 1/(8T) the right "
        "form is "
        "u (u / (2 + e^u) - 1), negative at every temperature: the lemma's -Omega(1/T) stands.",
    ),
    formula(
        "lemma-b.5-term-i",
        "Appendix B, proof of Lemma B.5",
        "Term I of p_1''(0) at the saddle is p_1 / (8T).",
        SaddleAlgebra,
        lambda run: saddle.term_one(run.metrics["p1"], run.metrics["temperature"]),
        _saddle("term_one"),
    ),
    formula(
        "lemma-b.5-term-ii",
        "Appendix B, proof of Lemma B.5",
        "Term II of p_1''(0) at the saddle, the sum of second derivatives of p_1 in the logits.",
        SaddleAlgebra,
        lambda run: saddle.printed_term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
        _saddle("term_two"),
        corrected=lambda run: saddle.term_two(*(run.metrics[name] for name in ("p1", "p3", "temperature"))),
        printed="-p_1 p_3^2 / (16 T^2)",
        right="-p_1 p_3 / (32 T^2)",
        reason="(1/64)(2 (2 p_3^2 - p_3) - 2 * 2 p_3^2) = -p_3/32: the squares cancel, the linear part stays.",
        check=Close(atol=1e-13, rtol=1e-8),
    ),
    formula(
        "lemma-b.5-logit-gap",
        "Appendix B, proof of Lemma B.5",
        "How far the mismatched relations' logits lie below l(r_1) at the saddle.",
        SaddleAlgebra,
        lambda run: np.array([0, 0, 3, 3, 3, 3]) / 16,
        lambda run: run.arrays["logits"][0] - run.arrays["logits"],
        corrected=lambda run: np.array([0, 0, 1, 1, 1, 1]) / 8,
        printed="3/16 (inside the exponential of f''(0))",
        right="1/8",
        reason="l(r_1) = 1/2 and l(r_3) = 1/16 + 1/4 + 1/16 = 3/8 at v = (1/4, 1/4, 1/4, 1/4, 0, 0).",
    ),
    formula(
        "lemma-b.5-logit-gradients",
        "Appendix B, proof of Lemma B.5",
        "Gradients of the six logits in v at the saddle.",
        SaddleAlgebra,
        lambda run: saddle.PRINTED_LOGIT_GRADIENTS,
        lambda run: run.arrays["logit_gradients"],
        corrected=lambda run: saddle.LOGIT_GRADIENTS,
        printed="fifth entry of grad l_3 ... grad l_6: 0",
        right="fifth entry of grad l_3 ... grad l_6: 1/2",
        reason="r_3 ... r_6 use s_3, so d l/d v_5 = 2 (v_5 + v_4) = 1/2. Harmless: v'(0) has no fifth entry.",
    ),
    Claim(
        id="ic-recall/lemma-b.5-eigenvalue",
        locus="Appendix B, proof of Lemma B.5",
        statement="The least eigenvalue of the Hessian at the saddle is at most -c/T at low temperature (c = 1/8 in "
        "the limit).",
        predict=lambda results: -1 / 8,
        measure=lambda results: _scaled_eigenvalue(results, 0),
        control=lambda results: _scaled_eigenvalue(results, -1),
        check=Close(atol=2e-4),
    ),
    Claim(
        id="ic-recall/lemma-b.4-saddle",
        locus="Appendix B, proof of Lemma B.4",
        statement="At (1/4, 1/4, 1/4, 1/4, 0, 0) the loss falls along (1, 1, -1, -1, 0, 0) and rises along (1, -1, "
        "-1, 1, 0, 0).",
        predict=lambda results: (-1.0, 1.0),
        measure=lambda results: _signs(results, "curvature", "ascending"),
        control=lambda results: _signs(results, "ascending", "curvature"),
        check=Exact(),
        remark="True at every temperature from 0.01 to 1, not only at low ones.",
    ),
    Claim(
        id="ic-recall/lemma-b.5-saddle-loss",
        locus="Appendix B, idea of the proof of Lemma B.5",
        statement="L_1 at the saddle lies above log 2 by less than 2 exp(-1/(8T)): it tends to log 2 exponentially "
        "fast in 1/T.",
        predict=lambda results: 2 * np.exp(-1 / (8 * results.one(SaddleAlgebra).metrics["temperature"])),
        measure=lambda results: results.one(SaddleAlgebra).metrics["loss"] - np.log(2.0),
        control=lambda results: results.one(SaddleAlgebra).metrics["loss"] - np.log(2.0) + 0.5,
        check=AtMost(slack=1e-14),
        remark="The text says roughly exp(-1/T); the rate is exp(-1/(8T)), from log(2 + 4 exp(-1/(8T))).",
    ),
)


def _scaled_eigenvalue(results: Results, index: int) -> float:
    metrics = results.one(SaddleAlgebra).metrics
    return float(metrics["temperature"][index] * metrics["least_eigenvalue"][index])


def _signs(results: Results, *names: str) -> tuple[float, ...]:
    metrics = results.one(SaddleAlgebra).metrics
    return tuple(
        float(np.sign(metrics[name]).min()) if name == "ascending" else float(np.sign(metrics[name]).max())
        for name in names
    )


def _saddle_render(results: Results) -> Artefact:
    metrics = results.one(SaddleAlgebra).metrics
    t = metrics["temperature"]
    printed, right = saddle.printed_curvature(t), saddle.curvature(t)
    figure, (left, other) = plots.new_figure(1, 2)
    left.plot(t, t * metrics["curvature"], "o", markersize=4, color=plots.GREY, label="autodiff")
    left.plot(t, t * right, color=plots.CYCLE[0], label="corrected")
    left.plot(t, t * printed, "--", color=plots.CYCLE[1], label="printed")
    left.set(xscale="log", xlabel="temperature T", ylabel="T × curvature along (1, 1, −1, −1, 0, 0)/2")
    plots.legend(left)
    for values, label, colour in ((printed, "printed", plots.CYCLE[1]), (right, "corrected", plots.CYCLE[0])):
        error = np.maximum(np.abs(values / metrics["curvature"] - 1), 1e-17)
        other.plot(t, error, color=colour, label=label)
    other.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="relative error against autodiff")
    plots.legend(other)
    table = {"temperature": t, "autodiff": metrics["curvature"], "printed": printed, "corrected": right}
    caption = (
        "Curvature of the warm-up's loss at the saddle (1/4, 1/4, 1/4, 1/4, 0, 0) along the escaping direction: "
        "autodiff "
        "through the reduced engine (float64), the printed formula and the corrected one. Exact computation, no seeds."
    )
    return Artefact(figure, table, caption)


def _algebra_grid(scale: Scale) -> tuple[WarmupAlgebra, ...]:
    return (WarmupAlgebra(points=scale.pick(smoke=32, laptop=256, paper=2048)),)


def _saddle_grid(scale: Scale) -> tuple[SaddleAlgebra, ...]:
    return (SaddleAlgebra(temperatures=scale.pick(smoke=11, laptop=41, paper=81)),)


EXPERIMENTS = (
    Experiment(
        id="ic-recall/warmup-algebra",
        title="Three subjects: tables, gradients and identities against autodiff",
        grid=_algebra_grid,
        claims=ALGEBRA,
        render=_algebra_render,
    ),
    Experiment(
        id="ic-recall/saddle",
        title="The saddle of the warm-up and its curvature, printed and right",
        grid=_saddle_grid,
        claims=SADDLE_CLAIMS,
        render=_saddle_render,
    ),
)

__all__ = ["EXPERIMENTS", "SaddleAlgebra", "WarmupAlgebra"]
