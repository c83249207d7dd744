"""After Theorem 3, proved: where the noise's singular value ends for any number of inputs."""

from lemmata.papers.association.claims._proved import proved
from lemmata.papers.association.run.proofs import NoiseDirection

EXPERIMENT = proved(
    "direction",
    NoiseDirection(),
    NoiseDirection(last_smaller=3),
    {"most": 64, "last_smaller": 2},
    title="After Theorem 3, proved: the noise's direction for any n",
    id="thm-3-direction-proved",
    locus="Section 3.3, after Theorem 3: 'when N > 2'",
    statement=r"Under Assumptions G.1 and G.2 and $\alpha < 1/2$, for every $n$ from 2 to 64 the noise's "
    r"singular value over the signal's tends to $\frac{n-1}{\sqrt{n+1}}$: below 1 for $n = 2$ alone, 1 at $n = "
    "3$, above 1 from $n = 4$ on.",
    remark="From $n = 4$ on the noise is not in the smallest singular direction, and cutting that one does "
    "not remove it. The control says that $n = 3$ is still below.",
)
