"""Appendix D.5.1: what the model says of T^2 while its attention converges, and where the proof forgets d tokens."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Claim, Correction, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.lego.claims import _course as course
from lemmata.papers.lego.claims._course import AXES, NEEDS, OURS, Cell, read
from lemmata.papers.lego.claims.convergence import draw
from lemmata.papers.lego.probe.two_steps import Step, Weights, weights
from lemmata.papers.lego.theory import attention_convergence as theory

MOST, LEAST = 0.2, 0.5  # the paper's O(1), as a power of d, and its Omega(1)
ROOM = 0.3  # of an exponent: a constant factor, at the d of these worlds


def spurious(step: Step, attended: Weights) -> np.ndarray:
    """Over min(d^{-2(..)C_B}, d^{-1 + Delta C_B})."""
    against = np.exp(2 * (attended.query - attended.first) * step.neurons.bound)
    against += step.neurons.vocabulary * np.exp((attended.query - attended.right) * step.neurons.bound)
    return step.of(step.spurious) * against[:, None]


def missing(step: Step, attended: Weights) -> np.ndarray:
    """Over min(1, d^{1 - (1 - 2 eps) C_B})."""
    unnamed = step.neurons.vocabulary * np.exp(-(1 - 2 * (attended.other + attended.first)) * step.neurons.bound)
    return step.but(step.right) / np.minimum(1, unnamed)[:, None]


def same_action(step: Step, attended: Weights) -> np.ndarray:
    return step.of(step.spurious) * np.exp(2 * (attended.query - attended.first) * step.neurons.bound)[:, None]


Ratio = Callable[[Step, Weights], np.ndarray]


def constant(ratio: Ratio, event: str, least: bool = False, **changed: bool) -> Callable[[Cell], float]:
    """What a lemma's Omega(1) comes to over sentences and records, or its O(1) as a power of d: of neurons as trained,
    or `fresh`; by the attention as it is, or told that it is `uniform`."""

    def reading(cell: Cell) -> float:
        step = cell.step(2, cell.third_stage, fresh=changed.get("fresh", False))
        attended = weights(0 * step.scores, 2) if changed.get("uniform") else step.weights
        found = ratio(step, attended)[:, step.events()[event]]
        return float(found.min() if least else np.log(found.max()) / cell.log_d)

    return reading


def bounded(ratio: Ratio, event: str) -> Part:
    return Part(lambda found: found(ratio, event), at_most(MOST, over_seeds=True, paper="stage 2.3"), along=AXES)


LOGITS = Claim(
    id="converging-logits",
    locus="Lemmas D.37 (2) and D.39 (2a)",
    uses=("convergence-activations",),
    statement=r"In stage 2.3 step 2 gives the spurious answer $g_2(y_0)$ at most $O(1) / (d^{2 (\mathrm{Attn}_{"
    r"\mathrm{ans},1} - \mathrm{Attn}_{\mathrm{ans},0}) C_B} + d^{1 - \Delta^{2,2} C_B})$, and the right one lacks at "
    r"least $\min\{\Omega(1), \Omega(d^{1 - (1 - 2 \varepsilon^{2,2}) C_B})\}$; where the two actions agree the "
    r"spurious one has at most $O(d^{-2 (\mathrm{Attn}_{\mathrm{ans},1} - \mathrm{Attn}_{\mathrm{ans},0}) C_B})$. "
    r"Judged: those constants, the upper ones as powers of $d$, over all sentences of each event and moments. "
    "Control: neurons as drawn; for the lower bound what it says of uniform attention.",
    protocol=OURS,
    subject=lambda runs: lambda *of: read(runs, constant(*of)),
    wrong=lambda runs: lambda *of: read(runs, constant(*of, fresh=True)),
    parts={
        "D.37 (2), spurious answer": bounded(spurious, "E2 bar"),
        "D.37 (2), what the right one lacks": Part(
            lambda found: found(missing, "E2 bar", True),
            at_least(LEAST, over_seeds=True, paper="stage 2.3"),
            wrong=lambda runs: lambda *of: read(runs, constant(*of, uniform=True)),
            along=AXES,
        ),
        "D.39 (2a), same action": bounded(same_action, "same action"),
    },
    needs=NEEDS,
)

FORGOTTEN = {"D.37 (1)": (1, "E1"), "D.39 (1)": (1, "not E1"), "D.39 (2c)": (2, "same both")} | {
    "D.39 (2b)": (2, "same value")
}


def moment(cell: Cell, name: str) -> slice:
    """The record that is read: the last one; of D.39 (2b) that with the largest gap, where the rival is not awake."""
    if name != "D.39 (2b)":
        return slice(-1, None)
    found = weights(cell.scores[cell.third_stage], 2)
    record = int(cell.third_stage[np.argmax(found.right - found.query)])
    return slice(record, record + 1)


def power_of(name: str, fresh: bool = False) -> Callable[[Cell], float]:
    """Of 1/d in what the lemma bounds, in the worst sentence."""
    number, event = FORGOTTEN[name]

    def reading(cell: Cell) -> float:
        step = cell.step(number, moment(cell, name), fresh=fresh)
        g1, _, _, y1 = step.sentences
        found = step.of(step.table[g1, y1]) if name == "D.39 (2b)" else step.but(step.right)
        return float(-np.log(found[0, step.events()[event]].max()) / cell.log_d)

    return reading


def predicted_by(name: str, formula: Callable[..., dict[str, np.ndarray]]) -> Callable[[Runs], np.ndarray]:
    """What a formula says of it by the attention of each world, the mean over its seeds."""

    def of_cell(cell: Cell) -> float:
        found = weights(cell.scores[moment(cell, name)], FORGOTTEN[name][0])
        return float(formula(*found, cell.config.clip)[name][0])

    return lambda runs: np.asarray(read(runs, of_cell).mean)


BACKGROUND = Claim(
    id="converging-logits-unnamed-tokens",
    locus="Lemmas D.37 (1), D.39 (1), D.39 (2b) and D.39 (2c)",
    uses=("convergence-activations",),
    statement=r"In stage 2.3 what step 1 lacks of the right answer on $\mathcal{E}_1$ is $O(1)$ times the probability "
    r"of the spurious one, $O(d^{-2 (\mathrm{Attn}_{\mathrm{pred},1} - \mathrm{Attn}_{\mathrm{pred},2}) C_B})$; where "
    r"$g_1 = g_2$ it is $O(d^{-2 \mathrm{Attn}_{\mathrm{ans},0} C_B})$, and at step 2, where the values agree too, "
    r"$O(d^{-2 (\mathrm{Attn}_{\mathrm{ans},0} + \mathrm{Attn}_{\mathrm{ans},1}) C_B})$; where the values alone agree, "
    r"$g_1(y_1)$ has $O(d^{-2 (\mathrm{Attn}_{\mathrm{pred},2} - \mathrm{Attn}_{\mathrm{pred},1}) C_B})$. Judged: the "
    rf"power of $1/d$ in each, less {ROOM:g} for a constant, at the end; of the last where the gap is largest. "
    "Control: neurons as drawn.",
    protocol=OURS,
    subject=lambda runs: lambda name: read(runs, power_of(name)),
    wrong=lambda runs: lambda name: read(runs, power_of(name, fresh=True)),
    parts={
        name: Part(
            lambda found, n=name: found(n),
            at_least(predicted_by(name, theory.printed_power), slack=ROOM, over_seeds=True),
            corrected=predicted_by(name, theory.power),
            along=AXES,
        )
        for name in FORGOTTEN
    },
    correction=Correction(
        severity="step of a proof",
        printed=r"1 - logit_{5,j_1} = O(1) logit_{5,j_1'} = O(1/d^{2(Attn_{ans,0->pred,1} - Attn_{ans,0->pred,2})C_B})",
        corrected=r"1 - logit_{5,j_1} = O(1/d^{2(Attn_{ans,0->pred,1} - Attn_{ans,0->pred,2})C_B} + "
        r"d/d^{(1 - 2 Attn_{ans,0->pred,2})C_B})",
        reason="The d - 2 tokens whose logits are 0 weigh d together. Against a right logit of B they leave d/d^{C_B}, "
        "which outweighs the spurious answer once the two attentions are balanced. D.39 (2b) forgets another rival, "
        "which D.38 has: the neuron of g_2 and another value reads (2 Attn_{pred,2} - 1) B, and with it "
        "2 (Attn_{ans,0} + Attn_{ans,1}) C_B is the least power.",
        survives="D.43 uses the right form; D.40 and D.42 use the sign of these terms and the spurious answer's own "
        "probability alone. The second halves of D.39 (1) and (2c), 1/poly(d), hold.",
        source="a scan of the appendix, whose formulas of D.37 and D.39 are partly garbled",
        latex=r"1-\mathbf{logit}_{5,j_1}^{(t)}=O\Big(d^{-2(\mathbf{Attn}_{\mathsf{ans},0\to\mathsf{pred},1}"
        r"-\mathbf{Attn}_{\mathsf{ans},0\to\mathsf{pred},2})C_B}+d^{1-(1-2\mathbf{Attn}_{\mathsf{ans},0\to"
        r"\mathsf{pred},2})C_B}\Big)",
    ),
    needs=NEEDS,
)

EXPERIMENT = Experiment(
    title="What the model says while attention converges", runs=course.courses, claims=(LOGITS, BACKGROUND), draw=draw
)
