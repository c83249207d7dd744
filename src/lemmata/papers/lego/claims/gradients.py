"""Every gradient that the appendices state as an equality, against autodiff, as one table."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, Scale, at_most
from lemmata.core.rule import near
from lemmata.papers.lego.run.gradients import Gradients
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory import attention_gradients as attention, gradients as theory
from lemmata.papers.lego.theory.gradients import Network, Pass, World, forward

ROUNDING = 1e-12  # of the largest entry
SOURCE = "the paper's text as scanned: what a scan can lose or double is an index or a hat"
Pairs = tuple[list[np.ndarray], list[np.ndarray]]  # printed, autodiff


@dataclass(frozen=True)
class Point:
    """Weights and sentences, and the gradients there; `off` is added to the bias in the printed formulas alone."""

    run: RunResult
    off: float = 0.0

    @property
    def world(self) -> World:
        return World(self.run.config.variables, action(self.run.config.action).table)

    def at(self, length: int, step: int, uniform: bool = False) -> Pass:
        arrays, config = self.run.arrays, self.run.config
        query = arrays["query"] * (0 if uniform else 1)
        network = Network(arrays["feed"], query, config.bias + self.off, config.power)
        return forward(network, arrays[f"sentences.{length}"], length, step)

    def by_feed(self, token: int, classes: slice, places: tuple[int, ...]) -> list[np.ndarray]:
        """In W at uniform attention, by the places that are read: [class, neuron, token]."""
        return [self.run.arrays["by feed, uniform"][token, classes, :, p, self.world.spans[p]] for p in places]

    def by_query(self, length: int, step: int) -> list[np.ndarray]:
        """Q_{4,3} and Q_{4,4} of Loss_5."""
        x = self.world.spans[0]
        table = self.run.arrays[f"by query.{length}.{step}"][4, 3, x]
        return [table[:, 2, x], table[:, 3, x]]


def fact_a_1(at: Point) -> Pairs:
    steps = ((1, 1), (2, 1), (2, 2))
    return [theory.fact_a_1(at.at(*s)) for s in steps], [at.run.arrays[f"by feed.{a}.{b}"] for a, b in steps]


def fact_d_1(at: Point) -> Pairs:
    steps = ((2, 1), (2, 2), (4, 2))
    found = [np.stack([theory.fact_d_1(at.at(*s), token) for token in range(5)]) for s in steps]
    return found, [at.run.arrays[f"by query.{a}.{b}"] for a, b in steps]


def lemma_a_1(at: Point) -> Pairs:
    return theory.lemma_a_1(at.at(1, 1, True), at.world), at.by_feed(3, at.world.spans[0], (0, 1, 2, 3, 4))


def lemma_a_2(at: Point) -> Pairs:
    rest = slice(at.world.variables, None)
    return theory.lemma_a_2(at.at(1, 1, True), at.world), at.by_feed(3, rest, (0, 1, 2, 3, 4))


def fact_b_1(at: Point) -> Pairs:
    return theory.fact_c_2(at.at(1, 1, True), at.world), at.by_feed(4, at.world.spans[4], (1, 4))


def conserved(at: Point) -> Pairs:
    by_action, by_value = at.by_feed(4, at.world.spans[4], (1, 4))
    return [np.sum(theory.fact_c_2(at.at(1, 1, True), at.world)[1], axis=2), np.sum(by_value, axis=2)], [
        np.sum(by_action, axis=2)
    ] * 2


def entries(which: int, *steps: tuple[int, int], refined: bool = False) -> Callable[[Point], Pairs]:
    """Of Q_{4,3} (0) or Q_{4,4} (1)."""

    def pair(at: Point) -> Pairs:
        found = [attention.by_entries(at.at(*s), at.world, *s, printed=False, refined=refined)[which] for s in steps]
        return found, [at.by_query(*s)[which] for s in steps]

    return pair


def sums(*steps: tuple[int, int]) -> Callable[[Point], Pairs]:
    def pair(at: Point) -> Pairs:
        found = [attention.summed(at.at(*s), at.world, s[0], swapped=False) for s in steps]
        return found, [np.sum([np.diag(block) for block in at.by_query(*s)], axis=0) for s in steps]

    return pair


TWO, TASK, LONG = (2, 2), ((2, 1), (2, 2)), (4, 2)
TABLE: dict[str, tuple[str, Callable[[Point], Pairs]]] = {
    "Fact A.1": ("symmetric", fact_a_1),
    "Lemma A.1": ("transitive", lemma_a_1),
    "Lemma A.2": ("transitive", lemma_a_2),
    "Fact B.1": ("transitive", fact_b_1),
    "Lemma B.7, conserved sum": ("transitive", conserved),
    "Fact C.2": ("symmetric", fact_b_1),
    "Lemma C.7, conserved sum": ("symmetric", conserved),
    "Fact D.1": ("transitive", fact_d_1),
    "Lemma D.1": ("transitive", entries(0, *TASK)),
    "Lemma D.2": ("transitive", entries(1, *TASK)),
    "Lemma D.8": ("transitive, bare", entries(0, *TASK, refined=True)),
    "Lemma D.9": ("transitive, bare", entries(1, *TASK, refined=True)),
    "Fact E.1": ("symmetric", fact_d_1),
    "Lemma E.1": ("symmetric", entries(0, TWO)),
    "Lemma E.2": ("symmetric", entries(1, TWO)),
    "Lemma E.8": ("symmetric, bare", entries(0, TWO, refined=True)),
    "Lemma E.9": ("symmetric, bare", entries(1, TWO, refined=True)),
    "Lemmas E.10 and E.11, both blocks": ("symmetric, bare", sums(TWO)),
    "Lemma F.1, corrected": ("symmetric", entries(0, LONG)),
    "Lemma F.2": ("symmetric", entries(1, LONG)),
    "Lemma F.5, corrected": ("symmetric, bare", entries(0, LONG, refined=True)),
    "Lemma F.6": ("symmetric, bare", entries(1, LONG, refined=True)),
    "Lemmas F.7 and F.8, corrected": ("symmetric, bare", sums(LONG)),
}


def runs_of(scale: Scale) -> dict[str, Gradients]:
    actions = {"transitive": "C3", "symmetric": "S3"}
    full = {name: Gradients(action=acting) for name, acting in actions.items()}
    return full | {f"{name}, bare": replace(run, bare=True, bias=0.0) for name, run in full.items()}


def differences(runs: Runs, off: float) -> dict[str, float]:
    """Of every identity the largest difference from autodiff, as a share of the largest entry."""
    found = {}
    for name, (run, pair) in TABLE.items():
        printed, measured = (np.concatenate([np.ravel(one) for one in side]) for side in pair(Point(runs[run], off)))
        found[name] = float(np.abs(printed - measured).max() / np.abs(measured).max())
    return found


IDENTITIES = Claim(
    id="gradients",
    locus="Facts A.1, B.1, C.2, D.1 and E.1; Lemmas A.1, A.2, D.1, D.2, D.8, D.9, E.1, E.2, E.8 to E.11, F.1, F.2, "
    "F.5 to F.8",
    statement=r"The appendices print the gradient of the loss in every weight: $-\nabla_{W_{i,j,r}} \text{Loss}^L = "
    r"\mathbb{E}[\sum_\ell \mathcal{E}_{i,j}\, \text{sReLU}'(\Lambda_{i,j,r}) \sum_k \text{Attn}_k Z_k]$, "
    r"$-\nabla_{Q_{p,q}} \text{Loss}_i^{L,\ell} = \mathbb{E}[\sum_k \text{Attn}_k (\Xi_k - \sum_{k'} \text{Attn}_{k'} "
    r"\Xi_{k'}) Z_{\text{ans},\ell-1,p} Z_{k,q}^\top]$, and their entries case by case. Judged against autodiff of "
    "Definition 3.5, letter by letter, at drawn weights; refined forms with no error terms where $W_5$ reads slots 2 "
    r"and 5 alone and $b = 0$. From $\sum_g \nabla V(g) = \sum_y \nabla V(y)$ Lemmas B.7 and C.7 follow. Control: the "
    "printed formulas at a larger bias.",
    subject=lambda runs: differences(runs, 0.0),
    wrong=lambda runs: differences(runs, 0.1),
    parts={name: Part(lambda found, name=name: found[name], at_most(0.0, slack=ROUNDING)) for name in TABLE},
)


def normed(table: np.ndarray) -> np.ndarray:
    """Of the entries off the diagonal, in units of the largest."""
    entries_off = table[~np.eye(len(table), dtype=bool)]
    return entries_off / np.abs(entries_off).max()


def third_block(at: Point, printed: bool) -> np.ndarray:
    return normed(attention.by_entries(at.at(*LONG), at.world, *LONG, printed=printed)[0])


def diagonal_sum(at: Point, step: tuple[int, int], form: str) -> np.ndarray:
    """As printed, or right; E.10 names one block twice, F.7 another class in its last sum."""
    if form == "autodiff":
        found = np.sum([np.diag(block) for block in at.by_query(*step)], axis=0)
    elif form == "twice":
        found = 2 * np.diag(attention.by_entries(at.at(*step), at.world, *step, printed=False)[0])
    else:
        found = attention.summed(at.at(*step), at.world, step[0], swapped=form == "swapped")
    return found / np.abs(found).max()


OFF_DIAGONAL = Claim(
    id="gradients-f.1",
    locus="Lemma F.1, off the diagonal; Lemma F.5",
    statement=r"Of $Q_{4,3}$ and a chain of $L_k > 2$ steps the lemma prints $[-\nabla \text{Loss}_5^{L_k,2}]_{s,s'} = "
    r"\mathbb{E}[\text{Attn}_{\text{ans},1 \to \text{pred},1}(\cdots Z_{\text{pred},1} \cdots) 1_{s = \tau(x_1), s' = "
    r"\tau(x_0)}]$ for $s \ne s'$. Judged entry by entry against autodiff for $L_k = 4$. Control: a model with other "
    "weights.",
    subject=lambda runs: runs["symmetric"],
    wrong=lambda runs: runs["symmetric, bare"],
    parts=Part(
        lambda run: normed(Point(run).by_query(*LONG)[0]),
        near(lambda runs: third_block(Point(runs["symmetric"]), printed=True), atol=ROUNDING),
        corrected=lambda runs: third_block(Point(runs["symmetric"]), printed=False),
    ),
    correction=Correction(
        severity="step of a proof",
        printed=r"\mathbb{E}[\text{Attn}_{\text{pred},1}(\cdots Z_{\text{pred},1} \cdots) 1_{s' = \tau(x_0)}]",
        corrected=r"\sum_{\ell \ne 2} \mathbb{E}[\text{Attn}_{\text{pred},\ell}(\cdots Z_{\text{pred},\ell} \cdots) "
        r"1_{s' = \tau(x_{\ell-1})}]",
        reason=r"The lemma is Lemma E.1 of $L = 2$, where the first predicate is the only other one. With $L_k > 2$ "
        r"every $Z_{\text{pred},\ell}$ with $\ell \ne 2$ holds a variable $x_{\ell-1} \ne x_1$ in its third place.",
        survives=r"Lemma F.13 and Theorem F.1: each $s'$ stands there with probability $1/(|X| - 1)$, and all these "
        r"terms together have the attention $\epsilon_{\text{attn}}$.",
        source=SOURCE,
        latex=r"\mathbb{E}\Big[\sum_{\ell\neq 2}\mathbf{Attn}_{\mathsf{ans},1\to\mathsf{pred},\ell}\cdot"
        r"\Big(\sum_{j}\mathcal{E}_{5,j}\sum_{r}\mathbf{sReLU}'(\Lambda_{5,j,r})\big(\langle W_{5,j,r},"
        r"Z_{\mathsf{pred},\ell}\rangle-\Lambda_{5,j,r}+b_{5,j,r}\big)\Big)\mathbf{1}_{s=\tau(x_1),"
        r"s'=\tau(x_{\ell-1})}\Big]",
    ),
)


SUMS = Claim(
    id="gradients-sums",
    locus="Lemmas E.10 and F.7",
    statement=r"Lemma E.10 prints one formula for $[-\nabla_{Q_{4,3}}]_{s,s} + [-\nabla_{Q_{4,3}}]_{s,s}$, and Lemma "
    r"F.7, for $L_k > 2$, has $\sum_{\ell \ne 2} \text{Attn}_{\text{pred},\ell} V_{j_2,r}(g_\ell)$ in the sum over "
    r"the wrong classes $j \ne j_2$. Judged against autodiff of both blocks. Control: a model with other weights.",
    subject=lambda runs: runs["symmetric, bare"],
    wrong=lambda runs: runs["symmetric"],
    parts={
        "E.10": Part(
            lambda run: diagonal_sum(Point(run), TWO, "autodiff"),
            near(lambda runs: diagonal_sum(Point(runs["symmetric, bare"]), TWO, "twice"), atol=ROUNDING),
            corrected=lambda runs: diagonal_sum(Point(runs["symmetric, bare"]), TWO, "right"),
        ),
        "F.7": Part(
            lambda run: diagonal_sum(Point(run), LONG, "autodiff"),
            near(lambda runs: diagonal_sum(Point(runs["symmetric, bare"]), LONG, "swapped"), atol=ROUNDING),
            corrected=lambda runs: diagonal_sum(Point(runs["symmetric, bare"]), LONG, "right"),
        ),
    },
    correction=Correction(
        severity="typographical",
        printed=r"E.10: $Q_{4,3}$ twice. F.7: $V_{j_2,r}(g_\ell)$ for $j \ne j_2$",
        corrected=r"E.10: $Q_{4,3}$ and $Q_{4,4}$. F.7: $V_{j,r}(g_\ell)$",
        reason=r"Lemmas E.11 and F.8, which repeat both sums, have the right indices.",
        survives="Everything: the right forms are used from there on.",
        source=SOURCE,
        latex=r"[-\nabla_{\mathbf{Q}_{4,3}}\mathsf{Loss}_5^{2,2}]_{s,s}+[-\nabla_{\mathbf{Q}_{4,4}}\mathsf{Loss}_5^{2,2}]"
        r"_{s,s}",
    ),
)


def draw(runs: Runs) -> Artefact:
    found = differences(runs, 0.0)
    caption = "The largest difference between each printed gradient and autodiff, as a share of the largest entry."
    return Artefact(None, {"identity": np.array(list(found)), "difference": np.array(list(found.values()))}, caption)


EXPERIMENT = Experiment(
    title="The appendices' gradients against autodiff", runs=runs_of, claims=(IDENTITIES, OFF_DIAGONAL, SUMS), draw=draw
)
