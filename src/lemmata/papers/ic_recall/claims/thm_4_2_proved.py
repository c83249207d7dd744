"""Theorem 4.2's "T small enough" as a number: what the second stage does from the saddle, proved."""

from lemmata.core import RunConfig
from lemmata.papers.ic_recall.claims._proved import WARM_UP, in_the_sixth_digit, proved
from lemmata.papers.ic_recall.run.convergence_proof import Convergence, NotTheLowest
from lemmata.proofs import proved_by

LAST, FIRST_BEYOND = WARM_UP.best  # bounds of T_g, n = 3
STILL = "0.0905"  # up to it the unequal minimum stands with room for a tube around the line


def _ends(until: str) -> RunConfig:
    return Convergence(until=until, barrier="0.04", best=WARM_UP.optimum)


def _beyond(since: str, until: str) -> RunConfig:
    return NotTheLowest(since=since, until=until, barrier="0.035", split=WARM_UP.rises_to)


EXPERIMENT = proved(
    "Theorem 4.2 with an explicit temperature: where the second stage ends, proved",
    {
        "converges": _ends(LAST),
        "wrong/converges": _ends(in_the_sixth_digit(LAST)),
        "not-lowest": _beyond(FIRST_BEYOND, STILL),
        "wrong/not-lowest": _beyond("0.088387507178909", STILL),  # one less in the sixth digit
    },
    proved_by(
        "converges",
        {"until": LAST},
        id="thm-4.2-proved",
        locus="Theorem 4.2 (B.3): T_0(delta), and T_max(delta) of Lemma B.5",
        uses=(
            "lemma-b.4-proved",
            "saddle-proved",
            "turning-points-proved",
            "best-on-line-proved",
            "temperature-order-proved",
        ),
        statement=r"With three subjects, at every $T \le T_g = 0.088387607178908$, gradient descent from the saddle, "
        r"perturbed by at most $T/10$ by any law with a density, with steps of at most $\frac{1}{2\ell}$, $\ell$ the "
        r"gradient's Lipschitz constant, converges with probability 1 to the global minimum, which is pairwise and "
        r"unequal. So $T_0(\delta)$ may be $T_g$ for every $\delta$.",
        remark=r"The algorithm's perturbation, of order $T^3\log^{-2}\frac1\delta$, is within $T/10$. What has "
        "probability 0 are the starts on the saddle's stable set. The control's $T_g$ is off in the sixth digit.",
    ),
    proved_by(
        "not-lowest",
        {"since": FIRST_BEYOND, "until": STILL},
        id="thm-4.2-sharp-proved",
        locus="Theorem 4.2 (B.3): how large T_0 can be",
        uses=("thm-4.2-proved",),
        statement="With three subjects, at every $T$ from 0.088387607178909 to 0.0905, the same descent converges with "
        "probability 1 to the same kind of point, which is not the global minimum: one pair alone has a lower loss. So "
        r"$T_0(\delta)$ cannot exceed $T_g$, whatever $\delta$.",
        remark="The control begins one lower in the sixth digit, where the point is still the global minimum.",
    ),
)
