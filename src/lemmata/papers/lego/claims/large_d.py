"""Theorem 4.1 and the appendix' stop in vocabularies up to 10^16, on features that are the theorems' exactly."""

from collections.abc import Callable

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_least,
    log_slope,
    near,
    of_result,
)
from lemmata.core.run import RunConfig
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._growth import DEGREE, POWER
from lemmata.papers.lego.claims._paper_stop import Stops, stopped
from lemmata.papers.lego.claims._population import LEVEL
from lemmata.papers.lego.probe import length_reached
from lemmata.papers.lego.run.ideal_attention import IdealAttention
from lemmata.papers.lego.run.paper_stop import PaperStop
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.attention_convergence import concentrating
from lemmata.papers.lego.theory.features import magnitude
from lemmata.report.plots import CYCLE, columns, legend, letter, new_figure

CLOSE = 0.02  # of eps: the prediction takes both diagonals of Q for alike, which they are but for a gap that falls
FLAT = 0.01  # a power of d so small counts as none
FEATURES = Protocol(
    ours="features exactly those of Theorems B.1 and C.1", why="no network is trained in a vocabulary of 10^16"
)


def runs(scale: Scale) -> dict[str, RunConfig]:
    clips, world = sizes.GROWTH_CLIPS.at(scale), sizes.LARGE_D.at(scale)
    given = {"action": sizes.GROWTH_ACTION.at(scale), "stride": sizes.LARGE_D_STRIDE.at(scale)}
    of_chains = {"vocabularies": sizes.LARGE_D_OF_CHAINS.at(scale), "clips": clips[:1]}
    lengths = tuple(2**k for k in range(1, sizes.LONGEST_CHAIN.at(scale) + 1))
    return {
        "transitive": IdealAttention(vocabularies=world, clips=clips, degrees=(0.0, DEGREE), **given),
        "chains": IdealAttention(**of_chains, degrees=(0.0, DEGREE), lengths=lengths, chains=2, **given),
        "symmetric": PaperStop(points=(4,), vocabularies=world, clips=(8.0,), stages=1),
    }


@of_result
def in_time(run: RunResult) -> Undecided | None:
    acting = action(run.config.action)
    if not acting.simply_transitive:
        return OutsideSetting(f"{acting.name} is not simply transitive")
    if np.any(run.metrics["reached"] < 0.999 * run.metrics["time"]):
        return TooShort("the flow ran out of evaluations before its last time")
    return None


def by_clip(run: RunResult, values: np.ndarray, degree: float) -> np.ndarray:
    """[C_B, d], of what was read at each time."""
    config = run.config
    shape = (len(config.vocabularies), len(config.clips), len(config.degrees))
    return np.asarray(values).reshape(shape)[..., config.degrees.index(degree)].T


def powers(run: RunResult, values: np.ndarray) -> np.ndarray:
    """Of d in values [C_B, d]."""
    if len(run.config.vocabularies) < 3:
        raise Undecided("a power of d needs three vocabularies")
    return np.array([log_slope(np.array(run.config.vocabularies), one) for one in values])


def epsilon(degree: float) -> Callable[[Runs], np.ndarray]:
    return lambda found: by_clip(found["transitive"], found["transitive"].metrics["epsilon"], degree)


def predicted(found: Runs) -> np.ndarray:
    config = found["transitive"].config
    values = action(config.action).num_values

    def of(d: float, clip: float) -> float:
        psi = magnitude(clip * np.log(d), 0.0, config.smoothing, config.power)
        return concentrating(d, clip, psi, values, d ** (clip - 1 + DEGREE))

    return np.array([[of(d, clip) for d in config.vocabularies] for clip in config.clips])


def reached(run: RunResult, degree: float) -> np.ndarray:
    """The length at which equation (5) is `LEVEL` of its ceiling: [C_B, d]."""
    found = length_reached(run.config.lengths, run.arrays["share"], LEVEL)
    if np.max(found) >= 0.99 * max(run.config.lengths):
        raise TooShort("a world reaches the longest chain that is tested")
    return by_clip(run, np.maximum(found, 1.0), degree)


ATTENTION = Claim(
    id="large-d-attention",
    locus="Theorem 4.1, equation (8); Lemmas D.40 and D.45 (a)",
    uses=("thm-4.1-attention", "time-law", "thm-b.1"),
    statement=r"After $T_2 = d^{C_B - 1 + c}$ attention elsewhere is $\varepsilon^{2,2} \le O(d^{-c^*})$. Judged "
    rf"for $c = {DEGREE:g}$ and $d$ from $10^4$ to $10^{{16}}$ with the features of Theorem B.1: the exponent of "
    r"$1/d$; and $\varepsilon^{2,2}$ itself, which the rate of Lemma D.40 gives, with the constant $\frac32 "
    r"(1 - \frac1{n_y}) C_B$ at small $\varepsilon^{2,2}$. Control: $T_2 = d^{C_B - 1}$.",
    subject=lambda found: (found["transitive"], epsilon(DEGREE)(found)),
    wrong=lambda found: (found["transitive"], epsilon(0.0)(found)),
    parts={
        "exponent of 1/d": Part(
            lambda of: -powers(*of), at_least(POWER), along={"C_B": lambda found: found["transitive"].config.clips}
        ),
        "ε": Part(
            lambda of: of[1],
            near(predicted, rtol=CLOSE),
            along={
                "C_B": lambda found: found["transitive"].config.clips,
                "d": lambda found: found["transitive"].config.vocabularies,
            },
        ),
    },
    needs={"transitive": in_time},
    protocol=FEATURES,
)

LENGTH = Claim(
    id="large-d-length",
    locus="Theorem 4.1, equation (7)",
    uses=("thm-4.1-length", "large-d-attention", "dilution-law"),
    statement=r"$\mathrm{Acc}_L \ge 1 - 1/\mathrm{poly}(d)$ for every $L \le O(d^{c^*})$. Judged after $T_2 = "
    rf"d^{{C_B - 1 + {DEGREE:g}}}$ with the features of Theorem B.1, on sampled chains of more than $10^4$ steps: the "
    f"exponent in $d$ of the length at which equation (5) is {LEVEL:g} of its ceiling. Control: "
    r"$T_2 = d^{C_B - 1}$.",
    subject=lambda found: powers(found["chains"], reached(found["chains"], DEGREE)),
    wrong=lambda found: powers(found["chains"], reached(found["chains"], 0.0)),
    parts=Part(lambda power: power, at_least(POWER), along={"C_B": lambda found: found["chains"].config.clips}),
    needs={"chains": in_time},
    protocol=FEATURES,
    remark=lambda found: f"The longest that is reached has {reached(found['chains'], DEGREE).max():.0f} steps.",
)

SYMMETRIC = Claim(
    id="large-d-symmetric",
    locus="Appendix E, Lemmas E.24 (1) and E.35; Theorem 1.2, symmetric",
    uses=("paper-stop-first",),
    statement=r"For a symmetric action $\frac43 c_1 \le \varepsilon^{2,2} \le 2.52 c_1$ with $c_1 = 1.005 / 2 C_B$ at "
    r"the appendix' stop: $d$ does not enter. Judged for S₄ with $d$ from $10^4$ to $10^{16}$: the power of $d$ in "
    r"$\varepsilon^{2,2}$. Control: the simply transitive action of large-d-attention.",
    subject=lambda found: powers(
        found["symmetric"], Stops(found["symmetric"]).by_world(2, lambda path: path.epsilon[-1])[None]
    ),
    wrong=lambda found: powers(found["transitive"], epsilon(DEGREE)(found)),
    parts=Part(np.max, near(0.0, atol=FLAT)),
    needs={"symmetric": stopped},
    protocol=FEATURES,
)


def draw(found: Runs) -> Artefact:
    figure, (left, right) = new_figure(1, 2, width=9.6, height=3.6)
    run, chains, rows = found["transitive"], found["chains"], []
    d = run.config.vocabularies
    for clip, one, by_theory, colour in zip(
        run.config.clips, epsilon(DEGREE)(found), predicted(found), CYCLE, strict=False
    ):
        left.plot(d, one, "o", color=colour, label=f"{run.config.action}, C_B = {clip:g}")
        left.plot(d, by_theory, "-", color=colour, linewidth=1)
        table = zip(d, one.tolist(), by_theory.tolist(), strict=True)
        rows += [{"C_B": clip} | dict(zip(("d", "epsilon", "predicted"), row, strict=True)) for row in table]
    stops = Stops(found["symmetric"]).by_world(2, lambda path: path.epsilon[-1])
    left.plot(d, stops, "s", color=CYCLE[3], label="S4 at the appendix' stop")
    for degree, colour in zip(chains.config.degrees, CYCLE, strict=False):
        lengths = reached(chains, degree)[0]
        right.plot(chains.config.vocabularies, lengths, "o-", color=colour, label=f"T₂ = d^(C_B - 1 + {degree:g})")
    for ax, words in ((left, "ε on T²"), (right, "length reached, equation (5)")):
        ax.set(xscale="log", yscale="log", xlabel="d", ylabel=words)
        legend(ax, fontsize=7)
    letter((left, right))
    caption = (
        "With the features of Theorems B.1 and C.1. (a) Attention elsewhere; lines: by Lemma D.40's rate. "
        f"(b) The length at which equation (5) is {LEVEL:g} of its ceiling, C_B = {chains.config.clips[0]:g}."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(title="Vocabularies up to 10¹⁶", runs=runs, claims=(ATTENTION, LENGTH, SYMMETRIC), draw=draw)
