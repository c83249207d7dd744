"""Appendix E: first and second moments of token counts, Lemmas E.1 to E.7 of Table 4, and the steps of their proofs."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, near
from lemmata.papers.association.claims._source import SOURCE
from lemmata.papers.association.run.token_counts import AFTER_TRIGGER, DRAWN, LAST_SET, TokenCounts
from lemmata.papers.association.theory import RecallChain
from lemmata.papers.association.theory.chain import drawn_moments
from lemmata.papers.association.theory.counts import LEMMAS, Counts, Form, with_last
from lemmata.report.plots import CYCLE, ceiling, legend_beside, new_figure

RTOL = ATOL = 5e-3  # what 1/(αN) leaves of the leading order at the smallest N
IDS = [lemma.id for lemma in LEMMAS.values()]
MEAN, SECOND = ("mean",), ("linear", "square")  # of E[C] over T/N; of E[C²] over T/N and over T²/N²
STEP_MEAN, STEP_SECOND = (*MEAN, "offset"), (*SECOND, "constant")
CONTROLS = ("E.4", "E.5", "E.6", "E.1", "E.2", "E.7", "E.6")  # of each lemma: another token, or another ȳ
ABOUT = {True: r"\bar y = q", False: r"\bar y \ne q"}
TOKENS = {"trigger": "k = q", "noise": "k = N+1", "target": r"k = \bar y", "other": r"k \in [N]\setminus\{q, \bar y\}"}
RESULTS = {
    "E.1": (r"\frac{T}{\alpha N}", r"\frac{T}{\alpha N}(-1 + \frac{2}{\alpha^2}) + \frac{T^2}{\alpha^2 N^2}"),
    "E.5": (r"\frac{\alpha T}{N}", r"\frac{\alpha T}{N} + \frac{\alpha^2 T^2}{N^2}"),
    "E.6": (r"(2-\alpha)\frac{T}{N}", r"\frac{(2-\alpha)T}{N} + \frac{(2-\alpha)^2 T^2}{N^2}"),
}
PLAIN = (r"\frac{T}{N}", r"\frac{T}{N} + \frac{T^2}{N^2}")


class Read(NamedTuple):
    """Coefficients of some lemmas' counts, taken in one way."""

    run: RunResult
    lemmas: tuple[str, ...]
    way: int = DRAWN

    def coefficients(self, names: tuple[str, ...]) -> np.ndarray:
        """[name, lemma, N, alpha]."""
        shape = (len(self.run.config.sizes), len(self.run.config.alphas))
        return np.array(
            [
                [self.run.column(name, lemma=IDS.index(id), way=self.way).reshape(shape) for id in self.lemmas]
                for name in names
            ]
        )


def predicted(names: tuple[str, ...], forms: list[Form]):
    """The same, by closed forms in alpha alone."""

    def table(runs: Runs) -> np.ndarray:
        config = runs["main"].config
        rows = [[[getattr(form(a), name) for a in config.alphas] for form in forms] for name in names]
        return np.repeat(np.array(rows, float)[:, :, None], len(config.sizes), axis=2)

    return table


def part(names: tuple[str, ...], lemmas: tuple[str, ...], printed: list[Form], corrected: list[Form] | None) -> Part:
    return Part(
        lambda read: read.coefficients(names),
        near(predicted(names, printed), atol=ATOL, rtol=RTOL),
        corrected=predicted(names, corrected or printed),
        along={
            "coefficient": names,
            "lemma": lemmas,
            "N": lambda runs: runs["main"].config.sizes,
            "α": lambda runs: runs["main"].config.alphas,
        },
    )


E_1 = Correction(
    severity="constant",
    printed=r"$\mathbb{E}[C^2] \approx \frac{T}{\alpha N}(-1 + \frac{2}{\alpha^2}) + \frac{T^2}{\alpha^2 N^2}$",
    corrected=r"$\mathbb{E}[C^2] \approx \frac{T}{\alpha N}(-1 + \frac{2}{\alpha}) + \frac{T^2}{\alpha^2 N^2}$",
    reason=r"In the proof's $Y(T)$ the term $\frac{\alpha}{(\alpha + 1/N)^2}$ is rewritten as "
    r"$\frac{N^2}{(\alpha N+1)^2}$, without its $\alpha$: so $Y(T) \approx \frac{T}{\alpha N} - 1 + "
    r"\frac{1}{\alpha^2}$ "
    r"for $\frac{T}{\alpha N} - 1 + \frac{1}{\alpha}$, and every later line takes it over. Triggers come in runs of "
    r"mean length $\frac1\alpha$ and mean square $\frac{2-\alpha}{\alpha^2}$, of which $\frac{T}{N}$ begin.",
    survives=r"The first moment, the term $\frac{T^2}{\alpha^2N^2}$ and all orders. Of Table 3 row $(q, q)$ alone sees "
    r"it (table-3-variance): in Cases 2 and 8 the lemma enters with weight $\frac1N$.",
    source=f"{SOURCE}; (14), the proof and Cases 2, 5 and 8 print the same",
    latex=r"\frac{T}{\alpha N}\left(-1 + \frac{2}{\alpha}\right) + \frac{T^2}{\alpha^2 N^2}",
)


def lemma_claim(index: int) -> Claim:
    (is_trigger, token), lemma = list(LEMMAS.items())[index]
    first, second = RESULTS.get(lemma.id, PLAIN)
    fixed = [lemma.corrected] if lemma.corrected else None
    return Claim(
        id=f"lemma-{lemma.id.lower()}",
        locus=f"Lemma {lemma.id}, equation ({lemma.equation}); Table 4",
        statement=rf"For $N, T \gg 1$, $\alpha = \Theta(1)$, given ${ABOUT[is_trigger]}$ and for ${TOKENS[token]}$, "
        r"the number $C$ of positions $t \le T$ with $z_t = k$ has "
        rf"$\mathbb{{E}}[C] \approx {first}$ and $\mathbb{{E}}[C^2] \approx {second}$. All $T$ positions are drawn. "
        "Measured are the coefficients of the exact chain, whose moments are polynomials in $T$.",
        subject=lambda runs: Read(runs["main"], (lemma.id,)),
        wrong=lambda runs: Read(runs["main"], (CONTROLS[index],)),
        parts={
            "first moment": part(MEAN, (lemma.id,), [lemma.statement], None),
            "second moment": part(SECOND, (lemma.id,), [lemma.statement], fixed),
        },
        correction=E_1 if lemma.corrected else None,
    )


def best(step: bool) -> list[Form]:
    """The right form of each lemma, or of the same moments after z_0 = q."""
    if step:
        return [lemma.corrected_step or lemma.step for lemma in LEMMAS.values()]
    return [lemma.corrected or lemma.statement for lemma in LEMMAS.values()]


STEPS = Claim(
    id="lemma-e-steps",
    locus="Appendix E, proofs: Y(T) and Z(T)",
    statement=r"For $N, T \gg 1$ the moments $Y(T)$ and $Z(T)$ of the same counts after $z_0 = q$, which the proofs of "
    "Lemmas E.1 to E.7 go through, have the printed leading forms, constants included.",
    subject=lambda runs: Read(runs["main"], tuple(IDS), AFTER_TRIGGER),
    wrong=lambda runs: Read(runs["main"], CONTROLS, AFTER_TRIGGER),
    parts={
        name: part(names, tuple(IDS), [lemma.step for lemma in LEMMAS.values()], best(step=True))
        for name, names in {"Y(T)": STEP_MEAN, "Z(T)": STEP_SECOND}.items()
    },
    correction=Correction(
        severity="step of a proof",
        printed=r"E.1: $Y(T) \approx \frac{T}{\alpha N} - 1 + \frac{1}{\alpha^2}$, $Z(T) \approx \frac{T}{N}"
        r"(-\frac{3}{\alpha} + \frac{2}{\alpha^2} + \frac{2}{\alpha^3}) + \frac{T^2}{\alpha^2N^2} + \frac{1-\alpha}"
        r"{\alpha}(\frac{2}{\alpha^2} - 1)$; E.2: $Z(T) \approx 3\alpha\frac{T}{N} + \alpha\frac{T^2}{N^2} + \alpha$",
        corrected=r"E.1: $Y(T) \approx \frac{T}{\alpha N} - 1 + \frac{1}{\alpha}$, $Z(T) \approx \frac{T}{N}"
        r"(-\frac{3}{\alpha} + \frac{4}{\alpha^2}) + \frac{T^2}{\alpha^2N^2} + \frac{1-\alpha}"
        r"{\alpha}(\frac{2}{\alpha} - 1)$; E.2: $Z(T) \approx 3\frac{T}{N} + \frac{T^2}{N^2} + 1$",
        reason=r"E.1: see lemma-e.1. E.2: the line above gives $Z(T) - \hat Z(T) \approx \frac{2T}{N} + 1$, to which "
        r"$\hat Z(T) \approx \frac{T}{N} + \frac{T^2}{N^2}$ is added; the result has a factor $\alpha$ that "
        r"neither has.",
        survives="Lemma E.2, which needs $\\hat Z$ alone, and all other lemmas.",
        source=SOURCE,
        latex=r"Z(T) \approx 3\frac{T}{N} + \frac{T^2}{N^2} + 1",
    ),
    remark="Slips of the pen that change nothing: E.7's recursion prints E.6's $+(1-\\alpha)$, E.1's first line of "
    r"$Z(T)$ has $Z(T-1)$ for $\hat Z(T-1)$, and some results repeat the condition of another lemma.",
)

TRIGGER = ("E.1", "E.4")
RIGHT = [form for id, form in zip(IDS, best(step=False), strict=True) if id in TRIGGER]
LAST = Claim(
    id="lemma-e-last",
    locus="Appendix E: including z_T = q will not change the results",
    statement=r"For $N, T \gg 1$ the moments of the number of triggers keep their leading coefficients when $z_T = q$, "
    "which is set by hand, is counted. Judged are those of $T/N$ and $T^2/N^2$, against the right form of Lemma E.1.",
    subject=lambda runs: Read(runs["main"], TRIGGER, LAST_SET),
    wrong=lambda runs: Read(runs["main"], TRIGGER[::-1], LAST_SET),
    parts={
        "first moment": part(MEAN, TRIGGER, RIGHT, None),
        "second moment": part(SECOND, TRIGGER, RIGHT, [lambda a, form=form: with_last(form(a)) for form in RIGHT]),
    },
    correction=Correction(
        severity="step of a proof",
        printed="including $z_T = q$ will not change the results, as $T \\gg 1$",
        corrected=r"$\mathbb{E}[C^2] \approx \frac{T}{\alpha N}(1 + \frac{2}{\alpha}) + \frac{T^2}{\alpha^2N^2}$ for "
        r"$\bar y = q$, and $\frac{3T}{N} + \frac{T^2}{N^2}$ for $\bar y \ne q$; the first moments stay, for $T \gg N$",
        reason=r"$\mathbb{E}[(C+1)^2] = \mathbb{E}[C^2] + 2\mathbb{E}[C] + 1$, and $2\mathbb{E}[C]$ is of the order of "
        r"$\frac{T}{N}$ itself. That 1 is small beside $\mathbb{E}[C] \approx \frac TN$ needs $T \gg N$, not "
        r"$T \gg 1$.",
        survives=r"All orders, and the terms $\frac{T^2}{N^2}$, which decide for $T \gg N$.",
        source=SOURCE,
        latex=r"including it adds $2\mathbb{E}[C]$ to the second moment for $k = q$, and changes no other result for "
        r"$T \gg N$",
    ),
)


def draw(runs: Runs) -> Artefact:
    alphas, sizes = runs["main"].config.alphas, 2 ** np.arange(4, 13)
    figure, axes = new_figure(1, 2, width=9.5, height=3.6)
    table: dict[str, np.ndarray] = {"N": sizes}
    for ax, ratio in zip(axes, (4, 256), strict=True):
        for (key, lemma), place in zip(LEMMAS.items(), range(len(IDS)), strict=True):
            chains = [RecallChain(int(n), ratio * int(n), alphas[0]) for n in sizes]
            found = np.array([float(drawn_moments(chain, *key)[1]) for chain in chains])
            counts: Counts = lemma.statement(alphas[0])
            curve = found / (counts.linear * ratio + counts.square * ratio**2)
            look = {"color": CYCLE[place % len(CYCLE)], "linestyle": ("-", "--")[place // len(CYCLE)]}
            ax.semilogx(sizes, curve, marker="o", ms=3, base=2, label=lemma.id, **look)
            table[f"{lemma.id}, T = {ratio} N"] = curve
        ceiling(ax, 1.0)
        ax.set(xlabel="N", title=f"T = {ratio} N")
    axes[0].set_ylabel("second moment, exact / printed")
    legend_beside(axes[0])
    caption = f"Second moments of token counts at α = {alphas[0]:g}: the exact chain over appendix E's forms."
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="How often a token occurs in a context: Lemmas E.1 to E.7",
    runs=lambda scale: {"main": TokenCounts()},  # exact and cheap: the same at every scale
    claims=(*map(lemma_claim, range(len(IDS))), STEPS, LAST),
    draw=draw,
)
