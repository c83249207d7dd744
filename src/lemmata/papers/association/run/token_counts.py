"""Appendix E's coefficients, and those of Lemma D.2's ten cases, read off the exact chain at large N."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from lemmata.core import Bound, RunConfig, RunContext, RunOutput, Some, also
from lemmata.papers.association.run.simplified import ThreeOrMore
from lemmata.papers.association.theory import RecallChain
from lemmata.papers.association.theory.chain import Number, Token, count_moments, drawn_moments
from lemmata.papers.association.theory.counts import LEMMAS, Counts, conditions

STEP = 512  # between three values of T, where both moments are polynomials in T but for terms below .9^T
DRAWN, AFTER_TRIGGER, LAST_SET = range(3)  # all T positions drawn; so from z_0 = q; z_T = q set by hand
Alphas = Some[Annotated[float, Bound(least=0.1, below=1)]]


def _counts(n: int, alpha: Number, target_is_trigger: bool, token: Token, way: int) -> Counts:
    """The coefficients of both polynomials, from three values of T; few enough that float64 keeps nine digits."""
    moments, lengths = [], (STEP + 1, 2 * STEP + 1, 3 * STEP + 1)
    for length in lengths:
        of = RecallChain(n, length, alpha), target_is_trigger, token
        moments.append(count_moments(*of) if way == LAST_SET else drawn_moments(*of, way == AFTER_TRIGGER))
    (m1, s1), (m2, s2), (_, s3) = moments
    t = lengths[0]
    mean, square = (m2 - m1) / STEP, (s3 - 2 * s2 + s1) / (2 * STEP**2)
    linear = (s2 - s1) / STEP - square * (t + lengths[1])
    return Counts(mean * n, linear * n, square * n**2, m1 - mean * t, s1 - linear * t - square * t**2)


@dataclass(frozen=True, kw_only=True)
class TokenCounts(RunConfig):
    """By N, alpha, the lemma of appendix E, and the way the count is taken."""

    kind = "association/token-counts"

    sizes: Some[ThreeOrMore] = (10**4, 10**5, 10**6)  # N
    alphas: Alphas = field(default=(0.25, 0.5, 0.7), metadata=also("alpha"))

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, n in enumerate(self.sizes):
            for alpha in self.alphas:
                for lemma, (is_trigger, token) in enumerate(LEMMAS):
                    for way in range(3 if token == "trigger" else 2):
                        rows.append((n, alpha, lemma, way, *_counts(n, alpha, is_trigger, token, way)))
            context.progress("counts", done + 1, len(self.sizes))
        names = ("num_tokens", "alpha", "lemma", "way", *Counts._fields)
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})


@dataclass(frozen=True, kw_only=True)
class CaseMoments(RunConfig):
    """Of each case of Lemma D.2 and each ȳ that it tells apart: E[Γ | ȳ] and E[Γ² | ȳ] to leading order in N."""

    kind = "association/case-moments"

    num_tokens: ThreeOrMore = 10**5
    alphas: Alphas = field(default=(0.3, 0.6), metadata=also("alpha"))

    def execute(self, context: RunContext) -> RunOutput:
        rows, n = [], self.num_tokens
        uniform = 1 / (n + 1)
        for alpha in self.alphas:
            for index, case in enumerate(conditions(alpha)):
                counts = _counts(n, alpha, case.target_is_trigger, case.token, DRAWN)
                # Given ȳ, y is independent of the context: 1/(N+1) - 1{y = j} has two values.
                hit = case.probability
                first = hit * (uniform - 1) + (1 - hit) * uniform
                second = hit * (uniform - 1) ** 2 + (1 - hit) * uniform**2
                first, second = (x * (n + 1) ** p for x, p in zip((first, second), case.scale, strict=True))
                rows.append((alpha, index, first * counts.mean, second * counts.linear, second * counts.square))
        names = ("alpha", "case", "mean", "over_t", "free")
        return RunOutput({name: np.array([row[i] for row in rows]) for i, name in enumerate(names)})
