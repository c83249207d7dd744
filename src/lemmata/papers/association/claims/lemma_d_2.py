"""Lemma D.2's proof: the moments of its ten cases, given what ȳ is."""

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, near
from lemmata.papers.association.claims._drawing import draw_curves
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.token_counts import CaseMoments
from lemmata.papers.association.theory.counts import conditions

COLUMNS = {"E[Γ | ȳ]": (0,), "E[Γ² | ȳ]": (1, 2)}  # of what a condition's `coefficients` gives
NAMES = ("mean", "over_t", "free")
RTOL = 2e-3  # what 1/(αN) leaves of the leading order


def found(run: RunResult, shift: int = 0) -> np.ndarray:
    """[coefficient, alpha, condition]."""
    columns = [run.column(name).reshape(len(run.config.alphas), -1) for name in NAMES]
    return np.roll(columns, shift, axis=2)


def predicted(which: tuple[int, ...], printed: bool):
    def table(runs: Runs) -> np.ndarray:
        config = runs["main"].config
        rows = [[case.coefficients(a, config.num_tokens, printed) for case in conditions(a)] for a in config.alphas]
        return np.array(rows, float).transpose(2, 0, 1)[list(which)]

    return table


CASES = Claim(
    id="lemma-d.2-cases",
    locus="Lemma D.2, proof, Cases 1 to 10",
    uses=("lemma-e.1", "lemma-e.2", "lemma-e.3", "lemma-e.4", "lemma-e.5", "lemma-e.6", "lemma-e.7"),
    statement=r"For $N, T \gg 1$, in each of the ten cases of $(j, k)$ and for each kind of $\bar y$, "
    r"$\mathbb{E}[\Gamma | \bar y]$ and $\mathbb{E}[\Gamma^2 | \bar y]$ are the printed multiples of the lemma of "
    r"appendix E for that $k$ and $\bar y$: $-\alpha$ and $\alpha$, $-(1-\alpha)$ and $1-\alpha$, or $\frac{1}{N+1}$ "
    r"and $\frac{1}{N+1}$ where $\bar y \ne j$. Read as coefficients of $1$, $\frac1T$ and $1$, over their right order "
    "in $N$.",
    subject=lambda runs: found(runs["main"]),
    wrong=lambda runs: found(runs["main"], shift=1),  # each condition's moments read at the next one
    parts={
        name: Part(
            lambda read, which=which: read[list(which)],
            near(predicted(which, printed=True), rtol=RTOL),
            corrected=predicted(which, printed=False),
            along={
                "coefficient": [NAMES[i] for i in which],
                "α": lambda runs: runs["main"].config.alphas,
                "case": [case.label for case in conditions(0.5)],
            },
        )
        for name, which in COLUMNS.items()
    },
    correction=Correction(
        severity="step of a proof",
        printed=r"$\mathbb{E}[\Gamma^2 | \bar y] \approx \frac{1}{N+1} \mathbb{E}[f_k^2 | \bar y]$ where $\bar y \ne j "
        r"\le N$ (Cases 4 to 10); Lemma E.1's second moment in Cases 2, 5 and 8",
        corrected=r"$\mathbb{E}[\Gamma^2 | \bar y] = \frac{1}{(N+1)^2} \mathbb{E}[f_k^2 | \bar y]$ where "
        r"$\bar y \ne j \le N$; Lemma E.1 with $-1 + \frac2\alpha$",
        reason=r"There $y \ne j$ for certain, so $\Gamma = \frac{1}{N+1} f_k$ and its square has the square of that "
        r"factor. The first moment has the factor itself, and the proof takes it over.",
        survives=r"All first moments, hence column $\mu$ of Table 3, and Cases 1 and 3 entirely.",
        source=f"{SOURCE}; seven cases show it",
        latex=r"\mathbb{E}[\Gamma_i(j,k)^2 | \bar y \neq j] \approx \frac{1}{(N+1)^2} \cdot "
        r"\left(\frac{1}{TN} + \frac{1}{N^2}\right)",
    ),
    remark=r"What the cases drop without harm: in Case 3 that $k$ may be $\bar y$, of weight $\frac1N$. Slips of the "
    r"pen: Case 8 has Lemma E.1 without $\frac{1}{T^2}$, and Case 10 prints $(2-\alpha)(\frac{1}{TN} + \frac{1}{N^2})$ "
    r"for the second moment whose next line has $\frac{1}{TN^2} + \frac{1}{N^3}$.",
)


def draw(runs: Runs) -> Artefact:
    right = found(runs["main"]) / predicted((0, 1, 2), printed=False)(runs) - 1
    curves = {name: (range(right.shape[2]), [np.abs(right[i]).max(axis=0)]) for i, name in enumerate(NAMES)}
    config = runs["main"].config
    caption = f"N = {config.num_tokens:g}: what the corrected leading forms of the cases leave out, relative to them."
    return draw_curves(curves, caption, marker="o", xlabel="condition", ylabel="left out", yscale="log")


EXPERIMENT = Experiment(
    title="The ten cases of Lemma D.2",
    runs=lambda scale: {"main": CaseMoments()},  # exact and cheap: the same at every scale
    claims=(CASES,),
    draw=draw,
)
