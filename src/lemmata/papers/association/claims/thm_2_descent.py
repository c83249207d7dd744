"""Theorem 2 on the model of equation (2) itself: what training leaves in W_V, and the sign of the gap over time."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    Seeds,
    TooShort,
    Undecided,
    near,
    of_result,
)
from lemmata.core.rule import bootstrap_error, exactly
from lemmata.papers.association.claims._attention_gaps import Gaps, exact_gap
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.claims.thm_2 import ADMITTED
from lemmata.papers.association.run.attention_gaps import KeyGradients
from lemmata.papers.association.run.simplified_descent import SimplifiedDescent
from lemmata.papers.association.theory import RecallChain, attention_logits
from lemmata.report.plots import COLOURS, band, ceiling, legend, long_table, new_figure

LEARNED = 0.9  # of α: the share of the noise's probability from which W_F has "learned the noise"
FIRST_STEPS = 3  # of equation (4), while the noise is being learned
ALPHAS = (0.1, 0.38)  # the ends of what Assumption F.1 admits


class Descent(NamedTuple):
    run: RunResult

    def learned(self) -> int:
        """The first record at which the noise is predicted almost as often as it comes, in every seed."""
        _, values = self.run.curve("noise_probability")
        enough = (values >= LEARNED * self.run.config.alpha).all(axis=0)
        if not enough.any():
            raise TooShort(f"after {self.run.config.steps} steps the noise is not yet learned")
        return int(enough.argmax())

    def at(self, record: int, column: str) -> np.ndarray:
        return self.run.curve(column)[1][:, record]

    def signs(self) -> tuple[int, int, int]:
        """Of the gap while the noise is being learned, where it is lowest afterwards, and at the end; in every seed."""
        _, gaps = self.run.curve("gap")
        learned = self.learned()
        moments = (gaps[:, max(learned - 1, 0)], gaps[:, learned:].min(axis=1), gaps[:, -1])
        if any(len(set(np.sign(values))) > 1 for values in moments):
            raise Undecided("the seeds do not agree on the sign of the gap")
        before, lowest, end = (int(np.sign(values[0])) for values in moments)
        return before, lowest, end


@of_result
def attends(run: RunResult) -> Undecided | None:
    """A need: by the end attention has found the positions after a trigger."""
    found = float(Descent(run).at(-1, "after_trigger").min())
    flat = f"attention is still flat: a trigger's follower leads by {found:.2g} in the logit"
    return None if found >= 1.0 else TooShort(flat)


def crossing(runs: Runs) -> str:
    descent = Descent(runs["descent"])
    steps, gaps = runs["descent"].curve("gap")
    mean = gaps.mean(axis=0)
    negative = steps[mean < 0]
    if not negative.size:
        return ""
    last = int(negative[-1])
    follower = float(np.exp(runs["descent"].curve("after_trigger")[1].mean(axis=0)[last]))
    return (
        f"The mean gap is positive up to step {int(negative[0]) - 1}, about as long as the noise is being learned "
        f"(appendix B.3's mechanism; the noise is learned at step {descent.learned()}), negative from there to "
        f"step {last}, lowest at {mean.min():.3f}, and ends at {mean[-1]:.2f}. It turns when attention has found "
        f"the trigger's followers (by then {follower:.1f} times the weight of others): the prediction then differs by "
        "context, which Assumption F.1 leaves out. The theorem's conclusion is right in the end; the one "
        "step that is to prove it goes the other way."
    )


IN_DESCENT = Claim(
    id="thm-2-descent",
    locus="Theorem 2, on the model of equation (2) trained by gradient descent",
    statement="The gap ξ_{q→j} - ξ_{q→N+1} (mean over j ≠ q) is positive once W_F has learned the noise and stays so. "
    "Signs: while the noise is being learned, where the gap is lowest afterwards, and at the end.",
    needs={"descent": (ADMITTED, attends)},
    subject=lambda runs: Descent(runs["descent"]),
    wrong=lambda runs: Descent(runs["descent, ȳ ≠ q"]),
    parts=Part(
        Descent.signs,
        exactly((1, 1, 1)),
        corrected=(1, -1, 1),
        along={"when": ("the noise is being learned", "lowest afterwards", "at the end")},
    ),
    correction=Correction(
        severity="statement",
        printed="in one step after the noise is learned W_QK prefers (q, ȳ) to (q, N+1)",
        corrected="the first steps after that prefer (q, N+1); the preference turns only when the prediction has come "
        "to depend on the context. With ȳ ≠ q it is right at every step",
        reason="As for Theorem 2, whose proof drops the one k = q; it is not saved by β_2 < β_1, because training "
        "leaves β_1 = β_2 (see thm-2-values).",
        root="thm-2",
        survives="Its conclusion: in the end attention prefers (q, ȳ) to (q, N+1) by far.",
        source=SOURCE,
        latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$.",
    ),
    remark=crossing,
)

VALUES = Claim(
    id="thm-2-values",
    locus="Appendix F, phase 1 and equation (26)",
    uses=("lemma-d.1", "eq-23", "eq-25"),
    statement="In phase 1 the impact of W̃_E on W_V is negligible: when the noise has been learned, W_V holds on W̃_E "
    "neither the diagonal nor the noise row that it holds on W_E. Measured are the two ratios.",
    subject=lambda runs: (Descent(runs["descent"]), Descent(runs["descent"]).learned()),
    wrong=lambda runs: (Descent(runs["descent"]), -1),  # after training, when attention has told the two apart
    parts={
        name: Part(
            lambda read, what=what: Seeds(read[0].at(read[1], f"{what}_previous") / read[0].at(read[1], what)),
            near(0.0, atol=0.05, over_seeds=True),
            corrected=1.0,
        )
        for name, what in {"diagonal, k ≠ q": "diagonal", "noise row": "noise_row"}.items()
    },
    correction=Correction(
        severity="step of a proof",
        printed="β_1 = η(t_1 + t_2)/N², β_2 = ηt_2/N²; no noise row on W̃_E",
        corrected="β_1 = β_2 = η(t_1 + t_2)/N² up to constants, and the same noise row on both",
        reason="The same slip as Theorem 1's factor 2: under uniform attention W_V's gradient sees the mean of x_t, in "
        "which W̃_E(k) has the weight of W_E(k). That z_{T-1} is nearly uniform matters for W_F alone.",
        root="thm-1",
        survives="The orders in N of W_V's entries on W_E, and W_F's part of phase 1.",
        source=f"{SOURCE}; said in words, so no sign is in question",
        latex=(
            r"$\mathbf{W}_U(j)^\top \mathbf{W}_V \widetilde{\mathbf{W}}_E(k) = \mathbf{W}_U(j)^\top \mathbf{W}_V "
            r"\mathbf{W}_E(k)$ up to terms of relative order $N/T$, hence $\beta_1 = \beta_2$"
        ),
    ),
)


def first_gaps(group: dict[str, RunResult]) -> tuple[int, ...]:
    """The sign of the first gap for each α, where it is four standard errors from 0."""
    found = []
    for run in group.values():
        gaps = Gaps(run).first()
        if len(gaps) < 3 or abs(gaps.mean()) <= 4 * float(bootstrap_error(gaps)):
            raise Undecided("too few samples to tell the sign of a gap")
        found.append(int(np.sign(gaps.mean())))
    return tuple(found)


def gap_by_alpha(runs: Runs) -> str:
    config = next(iter(runs.group("learned").values())).config
    n, length = 2 * config.num_tokens, 4 * config.length
    rows = []
    for alpha in (0.1, 0.2, 0.3, 0.38):
        gaps = []
        for exclude in (False, True):
            chain = RecallChain(n, length, alpha, exclude)
            value, _ = attention_logits.phase_two_values(chain)
            diagonal = np.diag(value)[1:n].mean()
            gaps.append(exact_gap(chain, (value / diagonal,) * 2))
        rows.append(f"{gaps[0]:.2f} and {gaps[1]:+.2f} at α = {alpha:g}")
    return (
        f"By the exact chain at N = {n}, T = {length}, for a diagonal of 1 and in units of (1-α)²/N², with ȳ in [N] "
        f"and with ȳ ≠ q: {'; '.join(rows)}. The condition αβ_1 > (1-α)β_2 of the corrected Theorem 2 is met by no α "
        "under 1/2, because β_1 = β_2."
    )


EVERY_ALPHA = Claim(
    id="thm-2-learned",
    locus="Theorem 2, with the W_V that training leaves",
    statement="For every α that Assumption F.1 admits the first step of W_QK raises (q, then j) over (q, then N+1), "
    "when W_V is what a gradient step under the same assumption leaves: the sign of the gap at both ends of α's range.",
    needs={"learned": ADMITTED},
    subject=lambda runs: first_gaps(runs.group("learned")),
    wrong=lambda runs: first_gaps(runs.group("learned, ȳ ≠ q")),
    parts=Part(
        lambda found: found,
        exactly(lambda runs: (1,) * len(runs.group("learned"))),
        corrected=lambda runs: (-1,) * len(runs.group("learned")),
        along={"α": lambda runs: [run.config.alpha for run in runs.group("learned").values()]},
    ),
    correction=Correction(
        severity="statement",
        printed="positive for every α ≤ 1.5 - √5/2",
        corrected="negative for every α ≤ 1.5 - √5/2; positive for all of them with ȳ ≠ q",
        reason="Beside the diagonal, W_V gets a row for the output q (a context with ȳ = q shows q and N+1 1/α times "
        "as often), and this row sends W_QK to the noise.",
        root="thm-2",
        survives="The theorem for data with ȳ ≠ q, at every α that Assumption F.1 admits.",
        source=SOURCE,
        latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$.",
    ),
    remark=gap_by_alpha,
)

NO_GRADIENT = Claim(
    id="eq-2-keys",
    locus="Section 3.1: W_QK has no gradient at initialization",
    statement="The first step from zero leaves W_QK at zero: its largest entry afterwards.",
    subject=lambda runs: Descent(runs["descent"]).at(1, "largest_key"),
    wrong=lambda runs: Descent(runs["descent"]).at(2, "largest_key"),  # the second step, when W_V is there
    parts=Part(lambda largest: largest, near(0.0), along={"seed": lambda runs: runs["descent"].config.seeds}),
)


class NoiseRow(NamedTuple):
    """W_V's noise row after a number of steps."""

    descent: Descent
    record: int

    def on_noise(self) -> Seeds:
        return Seeds(self.descent.at(self.record, "noise_on_noise") / self.descent.at(self.record, "noise_row"))

    def in_printed_units(self) -> Seeds:
        """Over η Σ (α - p_t) / N, the sum over the steps made."""
        config, made = self.descent.run.config, self.descent.run.curve("noise_probability")[1][:, : self.record]
        unit = config.rate * (config.alpha - made).sum(axis=1) / config.num_tokens
        return Seeds(self.descent.at(self.record, "noise_row") / unit)


EQUATION_4 = Claim(
    id="eq-4",
    locus="Appendix B.3, equation (4)",
    uses=("table-3",),
    statement="While the noise is being learned, W_U(N+1)ᵀ W_V W_E(k) = (η/N) Σ_t (α - p_t) for k ≤ N and α times as "
    "much for k = N+1: both, after three steps.",
    subject=lambda runs: NoiseRow(Descent(runs["first steps"]), FIRST_STEPS),
    wrong=lambda runs: NoiseRow(Descent(runs["descent"]), runs["descent"].config.steps),  # after all of them
    parts={
        "k ≤ N, over (η/N) Σ (α - p_t)": Part(
            NoiseRow.in_printed_units, near(1.0, atol=0.2, over_seeds=True)
        ),  # drops terms of 2/N
        "k = N+1 over k ≤ N": Part(
            NoiseRow.on_noise, near(lambda runs: runs["first steps"].config.alpha, rtol=0.15, over_seeds=True)
        ),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, (left, middle, right) = new_figure(1, 3, width=13.0)
    table = {}
    for name, colour in (("descent", "vermillion"), ("descent, ȳ ≠ q", "blue")):
        label = "ȳ in [N], the paper's data" if name == "descent" else "ȳ ≠ q"
        steps, gaps = table[f"gap, {label}"] = runs[name].curve("gap")
        early = steps <= 90
        band(left, steps[early], gaps[:, early], label, color=COLOURS[colour])
        band(middle, steps, gaps, label, color=COLOURS[colour])
    ceiling(left, 0.0)
    left.set(xlabel="step", ylabel="ξ_{q→j} - ξ_{q→N+1}", ylim=(-0.06, 0.06), title="the gap, early")
    middle.set(xlabel="step", title="the gap")
    run = runs["descent"]
    for what, label, colour in (("diagonal", "diagonal", "blue"), ("noise_row", "noise row", "vermillion")):
        steps, on_token = run.curve(what)
        _, on_previous = run.curve(f"{what}_previous")
        later = steps > 0
        ratio = table[f"W̃_E over W_E, {label}"] = steps[later], on_previous[:, later] / on_token[:, later]
        band(right, *ratio, label, color=COLOURS[colour])
    right.axvline(Descent(run).learned(), color="grey", ls=":", lw=1)
    right.set(xlabel="step", title="W_V on W̃_E over W_V on W_E", ylim=(-0.1, 1.2))
    legend(left)
    legend(right)
    config = run.config
    caption = (
        f"All three matrices of equation (2) by gradient descent from zero, N = {config.num_tokens}, T = "
        f"{config.length}, α = {config.alpha:g}, η = {config.rate:g}, {config.batch} fresh sequences a step, "
        f"{len(config.seeds)} seeds. Right: the noise is learned at the dotted line; phase 1 has by then written on "
        "W̃_E what it wrote on W_E."
    )
    return Artefact(figure, long_table(table), caption)


def runs(scale: Scale) -> dict[str, RunConfig]:
    seeds = unseen(scale.seeds(smoke=2, laptop=3, paper=10))
    batch = scale.pick(smoke=64, laptop=2048, paper=8192)
    batches = unseen(tuple(range(scale.pick(smoke=2, laptop=12, paper=48))))
    gradient_batch = scale.pick(smoke=128, laptop=KeyGradients.batch, paper=KeyGradients.batch)
    names = {"": False, ", ȳ ≠ q": True}
    steps = scale.pick(smoke=20, laptop=150, paper=150)
    descents = {
        f"descent{name}": SimplifiedDescent(seeds=seeds, batch=batch, steps=steps, exclude_trigger=exclude)
        for name, exclude in names.items()
    }
    learned = {
        f"learned{name}/{alpha:g}": KeyGradients(
            seeds=batches, values="learned", alpha=alpha, exclude_trigger=exclude, phase_two=8, batch=gradient_batch
        )
        for name, exclude in names.items()
        for alpha in ALPHAS
    }
    first = descents["descent"]
    if scale.name == "laptop":  # its ratios vary from batch to batch: many seeds, of the few steps that are read
        first = replace(first, steps=FIRST_STEPS, seeds=unseen(scale.seeds(smoke=2, laptop=24, paper=10)))
    return {**descents, "first steps": first, **learned}


EXPERIMENT = Experiment(
    title="Theorem 2 in training: the gap's sign over time",
    runs=runs,
    claims=(IN_DESCENT, VALUES, EVERY_ALPHA, NO_GRADIENT, EQUATION_4),
    draw=draw,
    notes="The paper proves one step under Assumption F.1; the descents assume orthonormal embeddings alone.",
)
