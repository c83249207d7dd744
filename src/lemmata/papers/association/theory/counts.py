"""Appendix E: how often a token occurs among T drawn positions, given ȳ (Lemmas E.1 to E.7), as printed and corrected.

For N, T >> 1 a count C has
    E[C] = mean T/N + offset,    E[C^2] = square T²/N² + linear T/N + constant,
where offset and constant vanish for the lemmas themselves (z_0 ≠ q) but not for their proofs' Y(T) and Z(T) (z_0 = q).
"""

from collections.abc import Callable
from typing import NamedTuple

from lemmata.papers.association.theory.chain import Number, RecallChain, Token
from lemmata.papers.association.theory.one_step import TABLE_3, Entry, cases


class Counts(NamedTuple):
    """Leading coefficients of both moments."""

    mean: Number
    linear: Number
    square: Number
    offset: Number = 0
    constant: Number = 0


Form = Callable[[Number], Counts]  # of alpha


class Lemma(NamedTuple):
    """One of Table 4: the lemma, and the same moments after z_0 = q, which its proof goes through."""

    id: str
    equation: int
    statement: Form
    step: Form
    corrected: Form | None = None
    corrected_step: Form | None = None


def _plain(a: Number) -> Counts:
    return Counts(1, 1, 1)


LEMMAS: dict[tuple[bool, Token], Lemma] = {  # Table 4: whether ȳ is the trigger, and the part that k plays
    (True, "trigger"): Lemma(
        "E.1",
        14,
        statement=lambda a: Counts(1 / a, (2 / a**2 - 1) / a, 1 / a**2),
        step=lambda a: Counts(
            1 / a, 2 / a**3 + 2 / a**2 - 3 / a, 1 / a**2, offset=1 / a**2 - 1, constant=(1 - a) / a * (2 / a**2 - 1)
        ),
        corrected=lambda a: Counts(1 / a, (2 / a - 1) / a, 1 / a**2),
        corrected_step=lambda a: Counts(
            1 / a, 4 / a**2 - 3 / a, 1 / a**2, offset=1 / a - 1, constant=(1 - a) / a * (2 / a - 1)
        ),
    ),
    (True, "noise"): Lemma(
        "E.2",
        15,
        statement=_plain,
        step=lambda a: Counts(1, 3 * a, a, offset=1, constant=a),
        corrected_step=lambda a: Counts(1, 3, 1, offset=1, constant=1),
    ),
    (True, "other"): Lemma("E.3", 16, statement=_plain, step=_plain),
    (False, "trigger"): Lemma("E.4", 17, statement=_plain, step=_plain),
    (False, "noise"): Lemma(
        "E.5",
        18,
        statement=lambda a: Counts(a, a, a**2),
        step=lambda a: Counts(a, 2 * a**2 + a, a**2, offset=a, constant=a),
    ),
    (False, "target"): Lemma(
        "E.6",
        19,
        statement=lambda a: Counts(2 - a, 2 - a, (2 - a) ** 2),
        step=lambda a: Counts(2 - a, (2 - a) * (3 - 2 * a), (2 - a) ** 2, offset=1 - a, constant=1 - a),
    ),
    (False, "other"): Lemma("E.7", 20, statement=_plain, step=_plain),
}


def with_last(counts: Counts) -> Counts:
    """Of the trigger, when z_T = q is counted: E[(C + 1)²] = E[C²] + 2 E[C] + 1."""
    return counts._replace(linear=counts.linear + 2 * counts.mean)


class Condition(NamedTuple):
    """What one of Lemma D.2's ten cases is taken apart into: the row of Table 3, and what is supposed of ȳ."""

    entry: Entry
    supposed: str
    target_is_trigger: bool
    token: Token
    probability: Number  # P(y = j | ȳ)

    @property
    def label(self) -> str:
        return f"{self.entry.label}, {self.supposed}"

    @property
    def scale(self) -> tuple[int, int]:
        """Powers of 1/(N+1) in E[1/(N+1) - 1{y = j} | ȳ] and in the mean of its square, to leading order."""
        return (0, 0) if self.probability > 0 else (1, 2)

    def factors(self, n: int, printed: bool) -> tuple[Number, Number]:
        """Both, over these powers; where ȳ is not j the proof takes the square 1/(N+1)² for 1/(N+1)."""
        if self.probability > 0:
            return -self.probability, self.probability
        return 1, n + 1 if printed else 1

    def coefficients(self, alpha: Number, n: int, printed: bool) -> tuple[Number, ...]:
        """Leading ones of E[Γ | ȳ] and of E[Γ² | ȳ], over 1/T and free of T; z_T = q is not counted."""
        lemma = LEMMAS[self.target_is_trigger, self.token]
        counts = (lemma.statement if printed else lemma.corrected or lemma.statement)(alpha)
        first, second = self.factors(n, printed)
        return first * counts.mean, second * counts.linear, second * counts.square


def conditions(alpha: Number) -> list[Condition]:
    """Those that the proof of Lemma D.2 tells apart; of row (N+1, k) it leaves out that k may be ȳ (one ȳ in N)."""
    found = []
    for entry in TABLE_3:
        for is_trigger, _, token, probability in cases(entry, RecallChain(4, 2, alpha)):
            at_j = entry.output == "token" and probability > 0
            supposed = "ȳ = q" if is_trigger else "ȳ = j" if at_j else "ȳ = k" if token == "target" else "other ȳ"
            if (entry.output, supposed) != ("noise", "ȳ = k"):
                found.append(Condition(entry, supposed, is_trigger, token, probability))
    return found
