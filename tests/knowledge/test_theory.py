"""The theory of stored facts against brute force: free logits, enumeration, exact rationals, draws."""

import itertools
import math
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

from lemmata.core import UserError, precision
from lemmata.papers.knowledge.theory import concentration, covering, first_attention, optimal_loss


def least_nll(contexts: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> float:
    """The mean negative log-likelihood, minimised numerically over a table of free logits."""
    shape = int(contexts.max()) + 1, int(targets.max()) + 1
    with precision("float64"):

        def loss(flat: Any) -> Any:
            table = jax.nn.log_softmax(flat.reshape(shape), axis=1)
            return -jnp.sum(jnp.asarray(weights) * table[contexts, targets]) / weights.sum()

        value = jax.jit(jax.value_and_grad(loss))
        found = minimize(
            lambda x: tuple(np.asarray(part, float) for part in value(jnp.asarray(x))),
            np.zeros(math.prod(shape)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
        )
    return float(found.fun)


def facts(counts: list[int], seed: int) -> np.ndarray:
    """Rows `o s r a`: subject j with counts[j] of ten templates; o = 0, templates 1 ... 10, subjects and answers on."""
    stream = np.random.default_rng(seed)
    rows = []
    for subject, count in enumerate(counts):
        for template in stream.choice(10, count, replace=False):
            rows.append([0, 11 + subject, 1 + template, 11 + len(counts) + subject])
    return np.array(rows)


@pytest.mark.parametrize("counts", [[3] * 5, [1, 2, 7, 4], [1, 1]])
def test_optimal_loss_of_facts(counts: list[int]) -> None:
    rows = facts(counts, seed=1)
    closed = optimal_loss.optimal_fact_loss(np.array(counts))
    brute = least_nll(np.unique(rows[:, 1], return_inverse=True)[1], rows[:, 2], np.ones(len(rows)))
    # Only the second of three questions has a choice. Targets that never occur need infinite logits: the minimum is
    # approached from above.
    assert -1e-12 <= brute - 3 * closed < 1e-6
    if len(set(counts)) == 1:
        assert closed == pytest.approx(math.log(counts[0]) / 3, abs=1e-14)


@pytest.mark.parametrize(("multiplicity", "covered", "templates"), [(1, 2, 5), (2, 3, 6), (3, 2, 7), (5, 0, 5)])
def test_all_covered_against_enumeration(multiplicity: int, covered: int, templates: int) -> None:
    sets = list(itertools.combinations(range(templates), multiplicity))
    hits = sum(all(template < covered for template in chosen) for chosen in sets)
    exact = covering.all_covered(multiplicity, covered, templates)
    assert exact == pytest.approx(float(Fraction(hits, len(sets))), abs=1e-12)


def coverage_by_inclusion(multiplicity: int, subjects: int, templates: int, covered: int) -> Fraction:
    """P(C = c) in rationals: choose which c, then inclusion and exclusion over those of them that stay empty."""
    whole = math.comb(templates, multiplicity) ** subjects
    ways = sum(
        (-1) ** i * math.comb(covered, i) * math.comb(covered - i, multiplicity) ** subjects for i in range(covered + 1)
    )
    return Fraction(math.comb(templates, covered) * ways, whole)


@pytest.mark.parametrize(("multiplicity", "subjects", "templates"), [(1, 4, 6), (2, 3, 7), (5, 6, 20), (3, 1, 3)])
def test_coverage_of_fine_tuned_subjects(multiplicity: int, subjects: int, templates: int) -> None:
    law = np.eye(templates + 1)[0] @ np.linalg.matrix_power(covering.coverage_step(multiplicity, templates), subjects)
    exact = [float(coverage_by_inclusion(multiplicity, subjects, templates, c)) for c in range(templates + 1)]
    np.testing.assert_allclose(law, exact, atol=1e-12)


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(UserError, match="multiplicity = 6"):
        covering.all_covered(6, 1, 5)
    with pytest.raises(UserError, match="covered = 7"):
        covering.all_covered(2, 7, 5)


CASES = [(20, 5, 5), (40, 2, 8), (100, 5, 20), (33, 3, 10), (200, 1, 4), (7, 1, 3)]


@pytest.mark.parametrize(("subjects", "multiplicity", "templates"), CASES)
def test_equation_44_bounds_the_other_tail(subjects: int, multiplicity: int, templates: int) -> None:
    case = subjects, multiplicity, templates
    probability = Fraction(multiplicity, templates)
    terms = [math.comb(subjects, k) * probability**k * (1 - probability) ** (subjects - k) for k in range(subjects + 1)]
    half = probability * subjects / 2
    printed = float(sum(term for k, term in enumerate(terms) if k >= half))
    other = float(sum(term for k, term in enumerate(terms) if k <= half))
    assert concentration.at_least_half(*case) == pytest.approx(printed, abs=1e-12)
    assert concentration.at_most_half(*case) == pytest.approx(other, abs=1e-12)
    assert printed > concentration.hoeffding_bound(*case)
    assert other <= concentration.hoeffding_bound(*case)


@pytest.mark.parametrize(("multiplicity", "templates"), [(1, 5), (2, 8), (5, 20), (4, 4)])
def test_subjects_needed_to_cover_every_template(multiplicity: int, templates: int) -> None:
    failure = 0.05
    needed = concentration.subjects_to_cover(multiplicity, templates, failure)

    def missed(subjects: int) -> float:
        return float(1 - coverage_by_inclusion(multiplicity, subjects, templates, templates))

    assert missed(needed) <= failure < missed(needed - 1)
    enough = concentration.union_cover(multiplicity, templates, failure)
    assert needed <= enough <= concentration.hoeffding_cover(multiplicity, templates, failure)
    assert enough <= concentration.chernoff_cover(multiplicity, templates, failure)


def first_step_scores(rows: np.ndarray, shared_query: bool) -> np.ndarray:
    """Scores of o, s and r at [o s r], for each fact, after one gradient step on A = 0; class d alone has learned o."""
    dimension, lam, vocabulary = 40, 3.0, int(rows.max()) + 1
    with precision("float64"):
        x = 1.7 * jnp.eye(dimension)[:vocabulary]
        weights = jnp.zeros((vocabulary, dimension)).at[0].set(0.6 * x[0])  # class 0 is d; one neuron a class will do

        def scores(matrix: Any, tokens: Any) -> Any:
            return (x[0] if shared_query else x[tokens[-1]]) @ matrix @ x[tokens].T

        def nll(matrix: Any, tokens: Any, target: Any) -> Any:
            mixed = x[tokens[-1]] + jax.nn.softmax(scores(matrix, tokens)) @ x[tokens]
            return -jax.nn.log_softmax(lam * jax.nn.relu(weights @ mixed))[target]

        def loss(matrix: Any) -> Any:
            short = jax.vmap(nll, (None, 0, 0))(matrix, jnp.asarray(rows[:, :2]), jnp.asarray(rows[:, 2]))
            long = jax.vmap(nll, (None, 0, 0))(matrix, jnp.asarray(rows[:, :3]), jnp.asarray(rows[:, 3]))
            return jnp.mean(short + long)

        @jax.jit
        def stepped() -> Any:
            matrix = -2.5 * jax.grad(loss)(jnp.zeros((dimension, dimension)))
            return jax.vmap(scores, (None, 0))(matrix, jnp.asarray(rows[:, :3]))

        return np.asarray(stepped())


def balanced_facts(subjects: int, multiplicity: int, templates: int) -> np.ndarray:
    pairs = [(s, (s + i) % templates) for s in range(subjects) for i in range(multiplicity)]
    return np.array([[0, 11 + s, 1 + r, 11 + subjects + s] for s, r in pairs])


@pytest.mark.parametrize(("subjects", "multiplicity", "templates"), [(6, 2, 4), (8, 1, 2), (5, 1, 5), (5, 3, 4)])
def test_first_step_takes_the_subject_down_with_the_start(subjects: int, multiplicity: int, templates: int) -> None:
    rows = balanced_facts(subjects, multiplicity, templates)
    share = np.exp(first_step_scores(rows, shared_query=False))
    share /= share[:, 2:]
    sentences = [int(np.sum(rows[:, 2] == r)) for r in rows[:, 2]]
    predicted = [first_attention.subject_share(f, n) for f, n in zip(share[:, 0], sentences, strict=True)]
    np.testing.assert_allclose(share[:, 1], predicted, rtol=1e-9)
    assert share[:, 0].max() < 0.8  # the step was a real one
    if max(sentences) == 1:
        np.testing.assert_allclose(share[:, 1], 1.0, rtol=1e-9)


@pytest.mark.parametrize(("subjects", "multiplicity", "templates"), [(6, 2, 3), (8, 1, 2), (5, 1, 5)])
def test_first_step_with_one_query_for_all(subjects: int, multiplicity: int, templates: int) -> None:
    scores = first_step_scores(balanced_facts(subjects, multiplicity, templates), shared_query=True)
    drop = -scores[0, 0]
    assert drop > 1.0
    # With u, v >= 0 the pull of class d at the prompts [o s] and [o s r], o's score falls by u + 2v, a subject's rises
    # by (u + v)/N, a template's by v/|R|. The bounds are v = drop/2 and v = 0.
    low, high = drop / 2 * (1 / subjects - 1 / templates), drop / subjects
    ratio = scores[:, 1] - scores[:, 2]
    assert np.all((low - 1e-9 <= ratio) & (ratio <= high + 1e-9))
    assert low < ratio.min()  # strictly inside: both prompts pull
