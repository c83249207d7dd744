"""Any number of subjects: eq. (16), the gradients and identities of Appendices C and D, and what they count."""

from collections.abc import Callable

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunResult,
    Runs,
    at_least,
    at_most,
    crossed,
    rows_of,
)
from lemmata.papers.ic_recall.claims._formula import SOURCE, formula, points, scores
from lemmata.papers.ic_recall.run.algebra import GeneralAlgebra
from lemmata.papers.ic_recall.run.counting import MatchingCounts, SampleSizes
from lemmata.papers.ic_recall.theory import gradients, low_temperature, relations, second_step
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.report import plots


def _tilted(run: RunResult) -> tuple[np.ndarray, np.ndarray, float]:
    """Attention, p(r_2) and temperature of the tilted points; r_1 and r_2 carry all the weight there."""
    return run.arrays["tilted"], run.arrays["tilted_p"][:, 1], run.config.low_temperature


def _three_identities(run: RunResult) -> np.ndarray:
    moved = run.arrays["tilted"] * run.arrays["tilted_theta"]
    return np.stack([moved[:, 2] - moved[:, 0], moved[:, 3] - moved[:, 1], moved.sum(-1)], axis=-1)


def _bounds(runs: Runs, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bound on p(r_1) at the tilted points."""
    g, config = np.asarray(low_temperature.gap(runs["main"].arrays["tilted"])), runs["main"].config
    return low_temperature.confusing_accuracy_bounds(g, config.low_temperature, config.n, exponent)


def _lead(run: RunResult, chosen: int) -> np.ndarray:
    """How much faster than every other score omega's `chosen` entry rises in the first step, in units of eta_1 / T."""
    slope = run.config.temperature * run.arrays["initial_omega"]
    return np.delete(slope, chosen) - slope[chosen]


def _sizes(runs: Runs, size: Callable[[Real, Real], Real]) -> np.ndarray:
    metrics = runs["sample sizes"].metrics
    return np.asarray(np.ceil(size(metrics["zeta"], metrics["delta"])))


def _most_allowed(runs: Runs) -> list[int]:
    return [relations.most_relations(run.config.n, m) for run in runs.group("lawful").values() for m in range(3)]


OTHERS = [name for name in scores("omega", 7) if name != "omega_5"]


def _tilts(run: RunResult) -> range:
    return range(1, len(run.arrays["tilted"]) + 1)


def _rows(name: str) -> Callable[[Runs], range]:
    return lambda runs: range(1, len(runs["main"].arrays[name]) + 1)


CLAIMS = (
    formula(
        "eq-16",
        "Appendix C, eq. (16)",
        "A relation's logit is 2 sum v(s_i) v(a_j) over its matches r(s_i) = a_j plus the squares of the first five "
        "scores.",
        lambda run: relations.all_logits(run.arrays["v"])[:, run.arrays["pattern"]].T,
        lambda run: run.arrays["memory_logits"].T,
        along={"relation": lambda run: range(1, run.arrays["memory_logits"].shape[1] + 1), "point": points},
        remark="Every relation of an affine world, straight from the associative memory.",
    ),
    formula(
        "appendix-c-gradients",
        "Appendix C, the six formulas after eq. (16)",
        "The gradient of the first step's loss in v for a sequence of any world.",
        lambda run: gradients.general_gradient(
            run.arrays["v"], relations.full_world_counts(run.config.n), run.config.temperature
        ),
        lambda run: run.arrays["gradient_v"],
        along={"point": points, "in": scores("v")},
    ),
    formula(
        "claim-2",
        "Appendix D, Claim 2",
        "The gradient of the second step's loss in its attention q.",
        lambda run: second_step.gradient_claim_2(run.arrays["q"], run.config.n, run.config.temperature),
        lambda run: run.arrays["gradient_q"],
        along={"point": points, "in": scores("q", 7)},
    ),
    formula(
        "lemma-d.1-initial",
        "Appendix D, proof of Lemma D.1",
        "The second step's gradients in q and in omega at uniform attention, as functions of p = p(a_1).",
        lambda run: second_step.initial_gradients(float(run.arrays["initial_p"]), run.config.temperature),
        lambda run: np.concatenate([run.arrays["initial_q"], run.arrays["initial_omega"]]),
        along={"in": [*scores("q", 7), *scores("omega", 7)]},
    ),
    Claim(
        id="lemma-d.1-lead",
        locus="Appendix D, proof of Lemma D.1",
        statement="After the first step omega_5 leads every other score by at least (32/147) eta_1 / T.",
        subject=lambda runs: _lead(runs["main"], 4),
        wrong=lambda runs: _lead(runs["main"], 0),
        parts=Part(np.asarray, at_least(second_step.GUARANTEED_LEAD), along={"over": OTHERS}),
        remark="32/147 is reached for p -> 1/3, that is n = 3, by the scores of a_1, a_2, EoS and of the relation "
        "itself. The control asks for the lead of omega_1.",
    ),
    Claim(
        id="lemma-d.1-monotone",
        locus="Appendix D, proof of Lemma D.1",
        statement="Where omega_5 is the largest score its lead over every other score does not shrink: dl/domega_i >= "
        "dl/domega_5 for all i.",
        subject=lambda runs: runs["main"].arrays["leading_omega"],
        wrong=lambda runs: runs["main"].arrays["trailing_omega"],
        parts=Part(
            lambda slope: np.delete(slope, 4, axis=1) - slope[:, 4:5],
            at_least(0.0),
            along={"point": _rows("leading_omega"), "over": OTHERS},
        ),
        remark="At random attention, by autodiff. The control puts the least attention on the query subject.",
    ),
    formula(
        "lemma-c.2-acceleration",
        "Appendix C, proof of Lemma C.2",
        "v''(0) along softmax(theta + x e), e = (1, 1, -1, -1, 0, 0)/2, at v = 1/6.",
        lambda run: low_temperature.PRINTED_CURVE_ACCELERATION,
        lambda run: run.arrays["acceleration"],
        along={"of": scores("v")},
        corrected=lambda run: low_temperature.CURVE_ACCELERATION,
        severity="step of a proof",
        printed="v_i'' = v_i / 12 for all i",
        right="v_i'' = v_i / 12 for i <= 4, -v_i / 6 for i = 5, 6",
        reason="e_i^2 = 0 for i = 5, 6, so v_i'' = -v_i sum_j v_j e_j^2. The printed vector does not sum to 0.",
        survives="Lemma C.2, with another constant.",
        latex=r"$v_i''(0) = \tfrac{1}{12}v_i \ (i \leq 4), \quad v_i''(0) = -\tfrac16 v_i \ (i = 5,6), \text{ "
        r"up to } O(\sqrt T\log\tfrac1T)$",
    ),
    formula(
        "lemma-c.2-parts",
        "Appendix C, proof of Lemma C.2",
        "grad l . v'' and v' Hess l v' for l_1 and l_2 at v = 1/6, and their sums l_1'' and l_2''.",
        lambda run: low_temperature.PRINTED_SECOND_ORDER_PARTS,
        lambda run: run.arrays["second_order"],
        along={"what": ["grad l_1 . v''", "grad l_2 . v''", "v' Hess l_1 v'", "v' Hess l_2 v'", "l_1''", "l_2''"]},
        corrected=lambda run: low_temperature.SECOND_ORDER_PARTS,
        severity="step of a proof",
        printed="1/24, 1/24;  1/12, 0;  l_1'' = 1/8, l_2'' = 1/24",
        right="1/36, 1/36;  1/9, 0;  l_1'' = 5/36, l_2'' = 1/36",
        reason="1/24 becomes 1/36 with the right v'' (lemma-c.2-acceleration). 1/12 is a slip of its own: v' = (1, 1, "
        "-1, -1, 0, 0)/12, so v' Hess l_1 v' = 2 (1/36 + 1/36) = 1/9. Then l_1'' - l_2'' = 1/9, term I is p_1 p_2 / "
        "(9T), and p_1'' is positive (printed -Theta(1/T), by way of '(23)' for (22)).",
        survives="Lemma C.2: -Omega(p_conf/T).",
        latex=r"$l_1''(0) = \tfrac{5}{36}, \quad l_2''(0) = \tfrac{1}{36}, \quad \text{term I} = \frac{p_1 "
        r"p_2}{9T}$",
    ),
    formula(
        "lemma-c.3-gradients",
        "Appendix C, proof of Lemma C.3",
        "The gradient in v on a confusing sequence once only r_1 and r_2 have weight.",
        lambda run: low_temperature.printed_confusing_gradient(*_tilted(run)),
        lambda run: run.arrays["tilted_gradient"],
        along={"point": _tilts, "in": scores("v")},
        corrected=lambda run: 2 * low_temperature.printed_confusing_gradient(*_tilted(run)),
        severity="constant",
        printed="dl/dv_1 = (1/T) p_2 (v_4 - v_2), and so on",
        right="dl/dv_1 = (2/T) p_2 (v_4 - v_2), and so on",
        reason="The factor 2 of the general gradients is lost here.",
        survives="Lemma C.3: eqs. (26)-(29) have it.",
        latex=r"$\frac{\partial \ell_1(v,Z)}{\partial v_1} = \frac{2}{T}\big(p_2(Z)(v_4-v_2) + o(e^{-1/\sqrt "
        r"T})\big), \dots$",
    ),
    formula(
        "lemma-c.3-identities",
        "Appendix C, eqs. (26), (27) and the display before (28)",
        "v_3 dL/dtheta_3 - v_1 dL/dtheta_1, v_4 dL/dtheta_4 - v_2 dL/dtheta_2 and v . grad_theta L, in terms of g.",
        lambda run: low_temperature.eq_26_27_28(*_tilted(run)),
        _three_identities,
        along={"point": _tilts, "equation": ("26", "27", "28")},
    ),
    Claim(
        id="lemma-c.3-bound",
        locus="Appendix C, end of the proof of Lemma C.3",
        statement="Two-sided bound on p(r_1) for a confusing sequence in terms of g = (v_1 - v_3)(v_2 - v_4).",
        subject=lambda runs: runs["main"].arrays["tilted_p"][:, 0],
        wrong=lambda runs: runs["main"].arrays["tilted_p"][:, 1],
        parts={
            name: Part(
                np.asarray,
                rule(lambda runs, i=i: _bounds(runs, 1.0)[i], slack=1e-13),
                corrected=lambda runs, i=i: _bounds(runs, 2.0)[i],
                along={"point": lambda runs: _tilts(runs["main"])},
            )
            for i, (name, rule) in enumerate({"lower": at_least, "upper": at_most}.items())
        },
        correction=Correction(
            severity="constant",
            printed="p(r_1) <= 1 / (1 + exp(-g/T))",
            corrected="p(r_1) <= 1 / (1 + exp(-2g/T))",
            reason="l(r_1) - l(r_2) = 2g. Lemma C.2 defines g with the factor 2, Lemma C.3 without, and the bound was "
            "copied.",
            survives="Lemma C.3: the true accuracy is higher than the printed upper bound.",
            source=SOURCE,
            latex=r"$p_1(Z') \leq \frac{1}{1+\exp(-2g_k/T)}$",
        ),
        remark="The control is p(r_2).",
    ),
    Claim(
        id="lemma-c.1-counts",
        locus="Appendix C, proof of Lemma C.1",
        statement="Under Assumption 2.2 at most 6 relations match twice, 6(n - 3) once and n(n - 1) - 6(n - 2) never.",
        subject=lambda runs: [*runs.group("lawful").values()],
        wrong=lambda runs: [runs["unlawful"]] * len(runs.group("lawful")),
        parts=Part(
            lambda worlds: np.concatenate([run.metrics["most"] for run in worlds]),
            at_most(_most_allowed),
            along={
                "world": lambda runs: crossed(
                    n=[run.config.n for run in runs.group("lawful").values()], matches=range(3)
                )
            },
        ),
        remark="The print gives no argument. One: a relation through (s_i, a_j) that matches nothing else must send "
        "one of the n - 3 other subjects to the other answer, and by the assumption no two send the same; likewise a "
        "relation without a match sends two of them to a_1 and a_2, (n - 3)(n - 4) ways. Full worlds attain all "
        "three. The control is worlds of random bijections, which break the assumption.",
    ),
    Claim(
        id="thm-4.4-sample",
        locus="Appendix C, proof of Theorem 4.4",
        statement="(13/zeta) log(1/delta) sequences are enough for p_conf and p_mis to be at least zeta/2 with "
        "probability 1 - delta/3, for delta up to 1/2.",
        subject=lambda runs: runs["sample sizes"],
        wrong=lambda runs: runs["stricter sample sizes"],
        parts=Part(
            lambda run: run.metrics["needed"],
            at_most(lambda runs: _sizes(runs, low_temperature.sample_size)),
            along={"case": lambda runs: rows_of(runs["sample sizes"], zeta="zeta", delta="delta")},
        ),
        remark="By exact binomials. Chernoff's bound as the proof uses it would ask for (8/zeta) log(6/delta), which "
        "is more at such delta; and as delta tends to 1 no multiple of log(1/delta) is enough. The control asks for "
        "nine tenths of zeta in place of a half.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    run, sizes = runs["main"], runs["sample sizes"].metrics
    figure, (left, middle, right) = plots.new_figure(1, 3)
    measured, printed = run.arrays["tilted_gradient"], low_temperature.printed_confusing_gradient(*_tilted(run))
    left.plot(np.ravel(measured), np.ravel(printed), "x", label="printed")
    left.plot(np.ravel(measured), np.ravel(2 * printed), ".", label="corrected")
    left.set(xlabel="autodiff", ylabel="formula", title="gradients in Lemma C.3")
    plots.legend(left)
    v, _, t = _tilted(run)
    g = np.asarray(low_temperature.gap(v))
    order = np.argsort(g)
    middle.plot(g[order] / t, run.arrays["tilted_p"][order, 0], "o", markersize=3, color=plots.GREY, label="engine")
    for exponent, label in ((1.0, "printed upper bound"), (2.0, "corrected")):
        middle.plot(g[order] / t, _bounds(runs, exponent)[1][order], label=label)
    middle.set(xlabel="g / T", ylabel="p(r₁) on a confusing sequence", title="bound in Lemma C.3")
    plots.legend(middle)
    for colour, zeta in zip(plots.CYCLE, np.unique(sizes["zeta"]), strict=False):
        keep = sizes["zeta"] == zeta
        delta = sizes["delta"][keep]
        right.plot(delta, sizes["needed"][keep], "o", color=colour, label=f"needed, ζ = {zeta:g}")
        right.plot(delta, low_temperature.sample_size(zeta, delta), "--", color=colour)
        right.plot(delta, low_temperature.chernoff_sample_size(zeta, delta), "-", color=colour)
    right.set(xscale="log", yscale="log", xlabel="δ", ylabel="|D|", title="dashed: printed; line: Chernoff")
    plots.legend(right)
    caption = (
        f"Left and middle: {run.config.points} attention vectors as Stage 2 finds them, T = {t:g}, affine world of "
        f"{run.config.n} subjects. Right: sequences needed so that both fractions are at least ζ/2 with probability 1 "
        "- δ/3 (exact binomials), the printed size and Chernoff's."
    )
    return Artefact(figure, sizes, caption)


EXPERIMENT = Experiment(
    title="Any number of subjects: formulas of Appendices C and D against the memory and autodiff",
    runs=lambda scale: {
        "main": GeneralAlgebra(points=scale.pick(smoke=16, laptop=128, paper=1024)),
        **{f"lawful/{n}": MatchingCounts(n=n, worlds=scale.pick(smoke=8, laptop=60, paper=2000)) for n in (4, 5)},
        "unlawful": MatchingCounts(n=5, worlds=2, lawful=False),
        "sample sizes": SampleSizes(),
        "stricter sample sizes": SampleSizes(fraction=0.9),
    },
    claims=CLAIMS,
    draw=_draw,
)
