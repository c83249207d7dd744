"""The relation-covering prediction: which held-out facts come out, from multiplicity K, coverage and |R| alone.

The paper (abstract; fragment of lemma on eq. 44) says that fine-tuning must cover enough of the relation directions
through which facts were stored, and that extraction improves with K and coverage and worsens with |R|. Our text has no
formula, so this is the smallest one that says it. Assumptions:

1. A subject's K templates are drawn without replacement, each K-set alike, independently of other subjects.
2. Fine-tuning turns the prompt into a trigger for exactly the templates it covers: those of the fine-tuned subjects, or
   a chosen set of C of them.
3. A held-out fact comes out when at least `needed` of its subject's templates are covered (1 unless said otherwise),
   and pre-training stored every fact equally well under each of its templates.

Everything below is exact under these; the mean-field forms treat a subject's templates as independent draws. The
assumptions leave out interference between facts (the width), and dilution: a prompt that stands for C templates gives
each a share 1/C. `diluted_extraction` keeps the latter, with one threshold on the share of the prompt that is a
subject's own.
"""

import math

import numpy as np
from jaxtyping import Float
from scipy import stats

from lemmata.core import require


def covered_extraction(multiplicity: int, covered: int, templates: int, needed: int = 1) -> float:
    """P(at least `needed` of a subject's K templates are among C covered ones of |R|): a hypergeometric tail.

    For one: 1 - binom(|R| - C, K) / binom(|R|, K).
    """
    _check(multiplicity, covered, templates)
    return float(stats.hypergeom.sf(needed - 1, templates, covered, multiplicity))


def mean_field_extraction(multiplicity: int, covered: float, templates: int, needed: int = 1) -> float:
    """The same with independent draws: a binomial tail, 1 - (1 - C/|R|)^K for one. C may be a mean."""
    return float(stats.binom.sf(needed - 1, multiplicity, covered / templates))


def poisson_extraction(multiplicity: int, covered: float, templates: int) -> float:
    """1 - exp(-K C / |R|), the limit of many templates: only the product K C / |R| counts."""
    return -math.expm1(-multiplicity * covered / templates)


def expected_coverage(multiplicity: int, subjects: int, templates: int) -> float:
    """E[C] after fine-tuning on F subjects: |R| (1 - (1 - K/|R|)^F). Exact."""
    _check(multiplicity, 0, templates)
    return templates * (1 - (1 - multiplicity / templates) ** subjects)


def coverage_distribution(multiplicity: int, subjects: int, templates: int) -> Float[np.ndarray, " covered"]:
    """P(C = c) for c = 0 ... |R| after F subjects."""
    _check(multiplicity, 0, templates)
    law = np.zeros(templates + 1)
    law[0] = 1.0
    return law @ np.linalg.matrix_power(coverage_step(multiplicity, templates), subjects)


def coverage_step(multiplicity: int, templates: int) -> Float[np.ndarray, "before after"]:
    """P(C after one more subject | C before): it covers a hypergeometric number of new templates."""
    step = np.zeros((templates + 1, templates + 1))
    for covered in range(templates + 1):
        new = np.arange(min(multiplicity, templates - covered) + 1)
        step[covered, covered + new] = stats.hypergeom.pmf(new, templates, templates - covered, multiplicity)
    return step


def extraction_after(multiplicity: int, subjects: int, templates: int, needed: int = 1) -> float:
    """Predicted extraction after fine-tuning on F subjects, C being random.

    For one needed template it has a closed form: a fine-tuned subject misses all K with probability
    binom(|R| - K, K) / binom(|R|, K), independently, so it is 1 - that^F.
    """
    if needed == 1:
        return 1 - covered_miss(multiplicity, templates) ** subjects
    law = coverage_distribution(multiplicity, subjects, templates)
    by_coverage = [covered_extraction(multiplicity, c, templates, needed) for c in range(templates + 1)]
    return float(law @ np.array(by_coverage))


def covered_miss(multiplicity: int, templates: int) -> float:
    """The chance that two subjects share no template."""
    return 1 - covered_extraction(multiplicity, multiplicity, templates)


def subjects_for_extraction(multiplicity: int, templates: int, target: float) -> int:
    """The least F with predicted extraction of at least `target` (one template needed)."""
    require(0 <= target < 1, "target", target, "from 0 to below 1")
    miss = covered_miss(multiplicity, templates)
    if target == 0:
        return 0
    return 1 if miss == 0 else max(math.ceil(math.log(1 - target) / math.log(miss) - 1e-12), 1)


def diluted_extraction(multiplicity: int, covered: int, templates: int, share: float) -> float:
    """P(|own templates covered| >= share * C): the prompt acts as the mean of the C covered directions, and a fact
    comes out when at least `share` of that mean is its subject's own. Falls with |R| even at full coverage, where the
    own share is K/|R|. `share` is not predicted; it is one number for all K, C and |R|."""
    if covered == 0:
        return 0.0
    return covered_extraction(multiplicity, covered, templates, max(math.ceil(share * covered - 1e-9), 1))


def _check(multiplicity: int, covered: int, templates: int) -> None:
    require(1 <= multiplicity <= templates, "multiplicity", multiplicity, f"1 to templates = {templates}")
    require(0 <= covered <= templates, "covered", covered, f"0 to templates = {templates}")
