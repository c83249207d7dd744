r"""What fine-tuning on F subjects brings out of a staged model: the covering law, from the model before fine-tuning.

After pre-training in stages a subject drives its K relations by a logit L_R and its answer by L_A < L_R. So a question
is answered with a relation until the prompt p has learned to silence it. Assumptions, all about exchangeability:

1. Subjects, templates and answers are alike, so descent moves five numbers: what p and a subject of its own add to an
   own relation's logit and to an asked answer's, and the probabilities that follow from these.
2. A neuron is active or not, and stays so: shares `active` of the neurons of a relation and of an answer move.
3. The count n of asked subjects with a template is binomial(F, K/|R|), the count of equation (44), and p silences a
   template in proportion to it.

A held-out fact comes out when p has silenced all K of its own relations, count > n*, and no asked answer outweighs its
own. Each question gives each of its K relations 1/K of its gradient: p silences a template as its count over K, F/|R|.

With equation (44) every count is over half its mean but with probability |R| exp(-F K^2 / (2 |R|^2)); then n* at most
half the mean is enough for every fact.
"""

import math
from math import comb
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.optimize import isotonic_regression
from scipy.special import bdtrc

from lemmata.core import require


class Asked(NamedTuple):
    """A world, how many of its subjects are asked about, and the model before: all means over its subjects."""

    subjects: int
    templates: int
    multiplicity: int
    asked: int
    relation_logit: float  # of an own relation, at a question
    answer_logit: float
    to_subject: float  # attention
    to_prompt: float
    active_relation: float = 0.5  # shares of neurons that respond to their own question
    active_answer: float = 0.5
    shared: float = 1.0  # of a relation's active neurons, those that another of its subjects activates too

    @property
    def mean_count(self) -> float:
        """K F / |R|, the mean of equation (44)."""
        return self.multiplicity * self.asked / self.templates


class Moved(NamedTuple):
    """What the prompt adds to logits at a held-out question, where a template has the mean count."""

    relation: float
    asked_answer: float


def prompt_after(world: Asked, learning_rate: float, steps: int) -> Moved:
    """Gradient descent on the mean loss of F questions, the rate in units of m / (lambda^2 d): five numbers a step."""
    n, r, k, f = world[:4]
    by_prompt, by_subject = (1 + world.to_prompt) ** 2, world.to_subject**2
    others = world.shared * (world.mean_count - 1) + 1
    p_relation = s_relation = p_answer = s_answer = 0.0
    for _ in range(steps):
        relation = max(world.relation_logit + p_relation + s_relation, 0.0)
        answer, another = world.answer_logit + p_answer + s_answer, max(p_answer, 0.0)
        top = max(relation, answer, another)
        weights = math.exp(relation - top), math.exp(answer - top), math.exp(another - top)
        total = k * weights[0] + weights[1] + (f - 1) * weights[2] + (r - k + n - f + 1) * math.exp(-top)
        step = learning_rate / f
        silenced = step * world.active_relation * weights[0] / total if relation > 0 else 0.0
        missing, rivals = 1 - weights[1] / total, (f - 1) * weights[2] / total
        p_relation -= by_prompt * others * silenced
        s_relation -= by_subject * silenced
        p_answer += step * world.active_answer * by_prompt * (missing - rivals)
        s_answer += step * world.active_answer * by_subject * missing
    return Moved(world.shared * p_relation, p_answer)


def least_count(world: Asked, moved: Moved) -> float:
    """n*: a template counted more often than this is silent at a held-out question."""
    gap = world.relation_logit - world.answer_logit
    return world.mean_count * gap / -moved.relation if moved.relation < 0 else math.inf


def extraction_law(world: Asked, learning_rate: float, steps: int) -> float:
    """The share of held-out facts that come out: all K counts over n*, and no asked answer over the own one."""
    moved = prompt_after(world, learning_rate, steps)
    needed = least_count(world, moved)
    if moved.asked_answer >= world.answer_logit or needed >= world.asked:
        return 0.0
    share = world.multiplicity / world.templates
    enough = 1.0 if share == 1 else float(bdtrc(math.floor(needed), world.asked, share))
    return enough**world.multiplicity


def best_increasing(of: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The increasing function of a number that is nearest to values in squares, at each."""
    _, place, counts = np.unique(of, return_inverse=True, return_counts=True)
    means = np.bincount(place, weights=values) / counts
    return isotonic_regression(means, weights=counts).x[place]


def all_covered(multiplicity: int, covered: int, templates: int) -> float:
    """P(each of a subject's K templates is among C covered ones of |R|): no more comes out, however long it trains,
    where the prompt silences covered relations alone. So 1 less this bounds the error of held-out facts from below."""
    require(1 <= multiplicity <= templates, "multiplicity", multiplicity, f"1 to templates = {templates}")
    require(0 <= covered <= templates, "covered", covered, f"0 to templates = {templates}")
    return comb(covered, multiplicity) / comb(templates, multiplicity)


def one_is_enough(multiplicity: int, asked: int, templates: int) -> float:
    """A rival: a fact comes out when one of its K templates is covered at all by F subjects. They miss all of them,
    each independently, with the probability that two K-sets share nothing."""
    return 1 - (comb(templates - multiplicity, multiplicity) / comb(templates, multiplicity)) ** asked


def coverage_step(multiplicity: int, templates: int) -> Float[np.ndarray, "before after"]:
    """P(C after one more subject | C before): it covers a hypergeometric number of new templates."""
    step = np.zeros((templates + 1, templates + 1))
    for covered in range(templates + 1):
        for new in range(min(multiplicity, templates - covered) + 1):
            ways = comb(templates - covered, new) * comb(covered, multiplicity - new)
            step[covered, covered + new] = ways / comb(templates, multiplicity)
    return step
