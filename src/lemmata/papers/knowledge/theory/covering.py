"""The relation-covering prediction: which held-out facts come out, from multiplicity K, coverage and |R| alone.

The paper (abstract; fragment of lemma on eq. 44) says that fine-tuning must cover enough of the relation directions
through which facts were stored, and that extraction improves with K and coverage and worsens with |R|. Our text has no
formula, so this is the smallest one that says it. Assumptions:

1. A subject's K templates are drawn without replacement, each K-set alike, independently of other subjects.
2. Fine-tuning turns the prompt into a trigger for exactly the templates it covers: those of the fine-tuned subjects, or
   a chosen set of C of them.
3. A held-out fact comes out when at least one of its subject's templates is covered, and pre-training stored every fact
   equally well under each of its templates.

Everything below is exact under these. They leave out interference between facts (the width), and dilution: a prompt
that stands for C templates gives each a share 1/C.
"""

from math import comb

import numpy as np
from jaxtyping import Float

from lemmata.core import require


def covered_extraction(multiplicity: int, covered: int, templates: int) -> float:
    """P(some of a subject's K templates are among C covered ones of |R|): 1 - binom(|R| - C, K) / binom(|R|, K)."""
    require(1 <= multiplicity <= templates, "multiplicity", multiplicity, f"1 to templates = {templates}")
    require(0 <= covered <= templates, "covered", covered, f"0 to templates = {templates}")
    return 1 - comb(templates - covered, multiplicity) / comb(templates, multiplicity)


def covered_miss(multiplicity: int, templates: int) -> float:
    """The probability that two subjects share no template."""
    return 1 - covered_extraction(multiplicity, multiplicity, templates)


def extraction_after(multiplicity: int, subjects: int, templates: int) -> float:
    """Predicted extraction after fine-tuning on F subjects: each of them, independently, misses all K templates of a
    held-out one with probability `covered_miss`, so it is 1 - that^F."""
    return 1 - covered_miss(multiplicity, templates) ** subjects


def coverage_step(multiplicity: int, templates: int) -> Float[np.ndarray, "before after"]:
    """P(C after one more subject | C before): it covers a hypergeometric number of new templates."""
    step = np.zeros((templates + 1, templates + 1))
    for covered in range(templates + 1):
        for new in range(min(multiplicity, templates - covered) + 1):
            ways = comb(templates - covered, new) * comb(covered, multiplicity - new)
            step[covered, covered + new] = ways / comb(templates, multiplicity)
    return step
