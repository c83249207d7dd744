"""The warm-up's algebra, three subjects and six bijections: Tables 1 and 2, eqs. (2)-(8) and Lemmas B.4, B.7."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, exactly
from lemmata.papers.ic_recall.claims._formula import formula, points, scores
from lemmata.papers.ic_recall.run.algebra import WarmupAlgebra
from lemmata.papers.ic_recall.theory import gradients, pairing, relations, saddle
from lemmata.report import plots

KINDS = ("correct", "confusing", "mismatched")
TABLE_1 = [f"{a}{b}{c} {kind}" for (a, b, c), kind in zip(relations.TABLE_1, relations.TABLE_1_TYPES, strict=True)]


def _named_rows(table: np.ndarray, kinds: np.ndarray) -> list[str]:
    return sorted(f"{a}{b}{c} {KINDS[kind]}" for (a, b, c), kind in zip(table, kinds, strict=True))


def _temperature(run: RunResult) -> float:
    return run.config.temperature


def _table_2(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    return np.stack([((v @ relations.quadratic_form(squares)) * v).sum(-1) for squares in relations.TABLE_2.values()])


def _both_gradients(run: RunResult) -> np.ndarray:
    v = run.arrays["v"]
    in_v = gradients.warmup_gradient(v, _temperature(run))
    return np.concatenate([in_v, gradients.through_softmax(v, in_v)], axis=1)


def _printed_symmetric(run: RunResult) -> np.ndarray:
    return gradients.printed_symmetric_gradient(run.arrays["symmetric"], _temperature(run))


def _printed_differences(run: RunResult) -> np.ndarray:
    return pairing.printed_differences(run.arrays["v"], _temperature(run))


def _theta_differences(run: RunResult) -> np.ndarray:
    slope = _temperature(run) * run.arrays["gradient_theta"]
    return slope[:, [0, 2]] - slope[:, [1, 3]]


CLAIMS = (
    Claim(
        id="table-1",
        locus="Section 4.1, Table 1",
        statement="With three subjects the six bijections are one correct, one confusing and four mismatched "
        "relations.",
        subject=lambda runs: _named_rows(runs["main"].arrays["table"], runs["main"].arrays["kinds"]),
        wrong=lambda runs: _named_rows(runs["main"].arrays["table"][:, [2, 1, 0]], runs["main"].arrays["kinds"]),
        parts=Part(list, exactly(sorted(TABLE_1)), along={"relation": sorted(TABLE_1)}),
        remark="The control reads the table's answers from the last subject to the first.",
    ),
    formula(
        "table-2",
        "Appendix B, Table 2",
        "Logits of all subjects, answers and relations on (s1, a1, s2, a2, s3, EoS) as sums of squares of attention "
        "scores.",
        _table_2,
        lambda run: run.arrays["token_logits"].T,
        along={"logit of": list(relations.TABLE_2), "point": points},
    ),
    formula(
        "eq-gradients",
        "Appendix B, eqs. (2)-(8)",
        "The gradient of L_1 in the attention v, and in theta where v = softmax(theta).",
        _both_gradients,
        lambda run: np.concatenate([run.arrays["gradient_v"], run.arrays["gradient_theta"]], axis=1),
        along={"point": points, "in": [*scores("v"), *scores("theta")]},
    ),
    formula(
        "lemma-b.4-initial",
        "Appendix B, proof of Lemma B.4",
        "At v = 1/6 the gradient of L_1 in v is (-1, 0, -1, 0, 2, 0) / (9T).",
        lambda run: saddle.INITIAL_GRADIENT / _temperature(run),
        lambda run: run.arrays["initial_gradient"],
        along={"in": scores("v")},
    ),
    formula(
        "lemma-b.4-gradients",
        "Appendix B, proof of Lemma B.4",
        "Where v_1 = v_3, v_2 = v_4 and v_5 = 0, dL/dv_1 and dL/dv_2 simplify to multiples of p_5 + p_6 and p_4 + p_6.",
        _printed_symmetric,
        lambda run: run.arrays["symmetric_gradient"][:, :2],
        along={"point": points, "in": scores("v", 2)},
        corrected=lambda run: _printed_symmetric(run) / _temperature(run),
        severity="constant",
        printed="dL/dv_1 = -2 (p_5 + p_6) v_2,  dL/dv_2 = -2 (p_4 + p_6) v_1",
        right="dL/dv_1 = -(2/T) (p_5 + p_6) v_2,  dL/dv_2 = -(2/T) (p_4 + p_6) v_1",
        reason="The factor 1/T of eqs. (2) and (3) is lost. (Just before, 'v_4 = v_5' should read v_2 = v_4.)",
        survives="Lemma B.4: only the ratio of the two is used.",
        latex=r"$\frac{\partial L_1}{\partial v_1} = -\frac{2}{T}(p_5+p_6)v_2, \quad \frac{\partial "
        r"L_1}{\partial v_2} = -\frac{2}{T}(p_4+p_6)v_1$",
    ),
    formula(
        "lemma-b.7-identity",
        "Appendix B, proof of Lemma B.7",
        "The value of sum_j v_j dL/dv_j.",
        lambda run: pairing.printed_inner_product(run.arrays["v"], _temperature(run)),
        lambda run: (run.arrays["v"] * run.arrays["gradient_v"]).sum(-1),
        along={"point": points},
        corrected=lambda run: -2 / _temperature(run) * pairing.advantage(run.arrays["v"], _temperature(run)),
        severity="step of a proof",
        printed="sum_j v_j dL/dv_j = sum_r p(r) l(r)",
        right="sum_j v_j dL/dv_j = (2/T) (sum_r p(r) l(r) - l(r_1))",
        reason="Logits are homogeneous of degree 2 in v, so v . grad l = 2 l; the loss is -l(r_1)/T + log-sum-exp.",
        survives="Lemma B.7: the two displays that follow use the right form, up to their factor 2.",
        latex=r"$\sum_j v_j \frac{\partial L_1}{\partial v_j} = \frac{2}{T}\Big(\sum_r p_1(r)l(r) - "
        r"l(r_1)\Big)$",
    ),
    formula(
        "lemma-b.7-differences",
        "Appendix B, proof of Lemma B.7",
        "T (dL/dtheta_1 - dL/dtheta_2) and T (dL/dtheta_3 - dL/dtheta_4), whose signs drive v_1/v_2 and v_3/v_4 to 1.",
        _printed_differences,
        _theta_differences,
        along={"point": points, "difference in theta": ("1 - 2", "3 - 4")},
        corrected=lambda run: 2 * _printed_differences(run),
        severity="constant",
        printed="(p_2 + p_4) v_1 v_4 - (p_2 + p_5) v_2 v_3 - (p_4 + p_6) v_2 v_5 + (v_1 - v_2)(l(r_1) - sum_r p l), "
        "...",
        right="twice that",
        reason="A factor 2 is lost from eqs. (2)-(6).",
        survives="Lemma B.7: only signs are used.",
        latex=r"$\frac{T}{2}\Big(\frac{\partial L_1}{\partial \theta_1} - \frac{\partial L_1}{\partial "
        r"\theta_2}\Big) = \dots, \qquad \frac{T}{2}\Big(\frac{\partial L_1}{\partial \theta_3} - "
        r"\frac{\partial L_1}{\partial \theta_4}\Big) = \dots$",
    ),
)


def _draw(runs: Runs) -> Artefact:
    misprinted = [claim for claim in CLAIMS if claim.correction]
    figure, axes = plots.new_figure(1, len(misprinted), squeeze=False)
    rows = []
    for ax, claim in zip(axes[0], misprinted, strict=True):
        part = claim.named_parts()[""]
        values = part.read(claim.subject(runs)), part.rule.expected(runs), part.corrected(runs)
        measured, printed, right = map(np.ravel, values)
        ax.plot(measured, printed, "x", color=plots.CYCLE[1], label="printed")
        ax.plot(measured, right, "o", color=plots.CYCLE[0], markersize=3, label="corrected")
        ends = [measured.min(), measured.max()]
        ax.plot(ends, ends, color=plots.GREY, linewidth=0.8)
        ax.set(title=claim.id, xlabel="autodiff through the engine", ylabel="formula")
        plots.legend(ax)
        rows += [
            {"formula": claim.id, "point": i, "measured": m, "printed": p, "corrected": r}
            for i, (m, p, r) in enumerate(zip(measured, printed, right, strict=True))
        ]
    caption = (
        f"Formulas of Appendix B at {runs['main'].config.points} random attention vectors, T = "
        f"{_temperature(runs['main'])}: as printed (crosses) and corrected (dots) against automatic differentiation "
        "through the reduced engine."
    )
    return Artefact(figure, plots.columns(rows), caption)


EXPERIMENT = Experiment(
    title="Three subjects: tables, gradients and identities against autodiff",
    runs=lambda scale: {"main": WarmupAlgebra(points=scale.pick(smoke=32, laptop=256, paper=2048))},
    claims=CLAIMS,
    draw=_draw,
)
