"""Theorem 2 in training: the gap's sign over time, on the model of equation (2) itself."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, TooShort, Undecided, of_result
from lemmata.core.rule import exactly
from lemmata.papers.association.claims._attention_gaps import ADMITTED
from lemmata.papers.association.claims._descents import Descent, descent_run
from lemmata.papers.association.claims._source import SOURCE
from lemmata.report.plots import COLOURS, band, ceiling, legend, long_table, new_figure

FOUND = 1.0  # of the logit by which a trigger's follower leads: e times the weight of any other position


def signs(descent: Descent) -> tuple[int, int, int]:
    """Of the gap while the noise is being learned, where it is lowest afterwards, and at the end; in every seed."""
    _, gaps = descent.run.curve("gap")
    learned = descent.learned()
    moments = (gaps[:, max(learned - 1, 0)], gaps[:, learned:].min(axis=1), gaps[:, -1])
    if any(len(set(np.sign(values))) > 1 for values in moments):
        raise Undecided("the seeds do not agree on the sign of the gap")
    before, lowest, end = (int(np.sign(values[0])) for values in moments)
    return before, lowest, end


@of_result
def attends(run: RunResult) -> Undecided | None:
    """By the end attention has found the positions after a trigger."""
    lead = float(Descent(run).at(-1, "after_trigger").min())
    flat = f"attention is still flat: a trigger's follower leads by {lead:.2g} in the logit"
    return None if lead >= FOUND else TooShort(flat)


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


def draw(runs: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2)
    table = {}
    for name, colour in (("descent", "vermillion"), ("descent, ȳ ≠ q", "blue")):
        label = "ȳ in [N], the paper's data" if name == "descent" else "ȳ ≠ q"
        steps, gaps = table[f"gap, {label}"] = runs[name].curve("gap")
        early = steps <= 90
        band(left, steps[early], gaps[:, early], label, color=COLOURS[colour])
        band(right, steps, gaps, label, color=COLOURS[colour])
    ceiling(left, 0.0)
    left.set(xlabel="step", ylabel="ξ_{q→j} - ξ_{q→N+1}", ylim=(-0.06, 0.06), title="the gap, early")
    right.set(xlabel="step", title="the gap")
    legend(left)
    config = runs["descent"].config
    caption = (
        f"All three matrices of equation (2) by gradient descent from zero, N = {config.num_tokens}, T = "
        f"{config.length}, α = {config.alpha:g}, η = {config.learning_rate:g}, {config.batch} fresh sequences a step, "
        f"{len(config.seeds)} seeds."
    )
    return Artefact(figure, long_table(table), caption)


EXPERIMENT = Experiment(
    title="Theorem 2 in training: the gap's sign over time",
    runs=lambda scale: {"descent": descent_run(scale), "descent, ȳ ≠ q": descent_run(scale, exclude_trigger=True)},
    claims=(
        Claim(
            id="thm-2-descent",
            locus="Theorem 2, on the model of equation (2) trained by gradient descent",
            statement="In the model of equation (2), trained by gradient descent from zero on fresh sequences with "
            r"$\alpha \le 0.38$, the gap $\xi_{q \to j} - \xi_{q \to N+1}$ (mean over $j \ne q$) is positive once "
            "$W_F$ has learned the noise, and stays so. Signs: while the noise is being learned, where the gap is "
            "lowest afterwards, and at the end.",
            needs={"descent": (ADMITTED, attends)},
            subject=lambda runs: Descent(runs["descent"]),
            wrong=lambda runs: Descent(runs["descent, ȳ ≠ q"]),
            parts=Part(
                signs,
                exactly((1, 1, 1)),
                corrected=(1, -1, 1),
                along={"when": ("the noise is being learned", "lowest afterwards", "at the end")},
            ),
            correction=Correction(
                severity="statement",
                printed=r"in one step after the noise is learned $W_{QK}$ prefers $(q, \bar y)$ to $(q, N+1)$",
                corrected="the first steps after that prefer $(q, N+1)$; the preference turns only when the "
                r"prediction has come to depend on the context. With $\bar y \ne q$ it is right at every step",
                reason=r"As for Theorem 2, whose proof drops the one $k = q$. It is not saved by $\beta_2 < \beta_1$, "
                r"because training leaves $\beta_1 = \beta_2$ (see thm-2-values).",
                root="thm-2",
                survives=r"Its conclusion: in the end attention prefers $(q, \bar y)$ to $(q, N+1)$ by far.",
                source=SOURCE,
                latex=r"Sample a correct output token $\bar y$ uniformly in $[N]\setminus\{q\}$.",
            ),
            remark=crossing,
        ),
    ),
    draw=draw,
    notes="The paper proves one step under Assumption F.1; the descents assume orthonormal embeddings alone.",
)
