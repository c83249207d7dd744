"""The closed forms of the first gradients against all sequences of a small world, by enumeration and by autodiff."""

import itertools
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sp

from lemmata.core import Unattended, UserError, precision
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.gradients import LeadingCoefficients
from lemmata.papers.association.run.simplified import with_noise_learned
from lemmata.papers.association.run.step_spread import contexts, margins as margins_by_overlaps, overlaps
from lemmata.papers.association.theory import RecallChain, attention_logits, margins, noise_logit, one_step
from lemmata.papers.association.theory.chain import count_moments, drawn_moments, largest_count, occupation
from lemmata.papers.association.theory.counts import LEMMAS, with_last
from lemmata.papers.association.theory.one_step import TABLE_3, Entry

ALPHA = Fraction(3, 10)


def world(n, length, alpha, exclude):
    """Every (ȳ, z, y) with its probability; token 0 is the trigger, token n the noise."""
    targets = range(int(exclude), n)
    for target in targets:
        for head in itertools.product(range(n + 1), repeat=length - 1):
            probability = alpha / alpha / len(targets)
            for previous, token in itertools.pairwise((None, *head)):
                if previous == 0:
                    probability *= (token == target) * (1 - alpha) + (token == n) * alpha
                else:
                    probability *= (token < n) * (alpha / alpha) / n
            if probability:
                yield target, (*head, 0), target, probability * (1 - alpha)
                yield target, (*head, 0), n, probability * alpha


def cell(entry, n):
    j = {"noise": n, "trigger": 0, "token": 1}[entry.output]
    k = {"noise": n, "trigger": 0, "same": 1, "other": 2}[entry.input]
    return j, k


@pytest.mark.parametrize("exclude", [False, True])
def test_table_3_moments_are_those_of_every_sequence(exclude):
    n, length = 4, 4
    chain = RecallChain(n, length, ALPHA, exclude)
    sequences = list(world(n, length, ALPHA, exclude))
    assert sum(probability for *_, probability in sequences) == 1
    for entry in TABLE_3:
        if exclude and entry.output == "trigger":
            continue  # y = q is impossible
        j, k = cell(entry, n)
        values = [((Fraction(1, n + 1) - (y == j)) * Fraction(z.count(k), length), p) for _, z, y, p in sequences]
        mean = sum(g * p for g, p in values)
        variance = sum(g * g * p for g, p in values) - mean**2
        assert one_step.exact_moments(entry, chain) == (mean, variance), entry
        assert one_step.exact_range(entry, chain) == pytest.approx(float(max(abs(g - mean) for g, _ in values)))


def test_feed_forward_moments_are_those_of_every_sequence():
    n, chain = 4, RecallChain(4, 3, ALPHA)
    for k, is_noise in ((n, True), (2, False)):
        values = [(Fraction(1, n + 1) - (y == k), p) for _, _, y, p in world(n, 3, ALPHA, False)]
        mean = sum(g * p for g, p in values)
        exact = mean, sum(g * g * p for g, p in values) - mean**2
        assert one_step.feed_forward_moments(is_noise, chain) == exact
        assert one_step.printed_feed_forward(is_noise, chain) != exact


def test_counts_and_occupation():
    chain = RecallChain(5, 7, ALPHA)
    for is_trigger in (True, False):
        law = occupation(chain, is_trigger, 6)
        assert sum(law.values()) == 1
    assert float(count_moments(chain, False, "noise")[0]) == pytest.approx(
        count_moments(RecallChain(5, 7, float(ALPHA)), False, "noise")[0]
    )
    assert largest_count(chain, False, "noise") == 3  # q τ q τ q τ q
    assert largest_count(chain, True, "trigger") == 7
    assert largest_count(chain, False, "trigger") == 4
    with pytest.raises(UserError, match="alpha"):
        RecallChain(5, 7, 1.5)


def test_corrected_means_and_limits_by_sympy():
    """T → ∞: f_k is the stationary probability given ȳ, so both the mean and the 1/N part of the variance follow."""
    n, a = sp.symbols("N alpha", positive=True)
    repeat = 1 / (1 + a * n)  # π_q given ȳ = q: π_q = (1-α) π_q + (1-π_q)/N
    single = 1 / (n + 1)  # π_q given ȳ ≠ q
    given_trigger = {"trigger": repeat, "noise": a * repeat, "other": (1 - repeat) / n}
    given_token = {"trigger": single, "noise": a * single, "other": (1 - single) / n}
    given_token["target"] = given_token["other"] + (1 - a) * single
    assert sp.simplify(repeat - ((1 - a) * repeat + (1 - repeat) / n)) == 0
    for entry in TABLE_3:
        role = "other" if entry.input == "same" else entry.input
        hit = {"noise": (a, a, a), "trigger": (1 - a, 0, 0), "token": (0, 1 - a, 0)}[entry.output]
        at_j = given_token["target" if entry.input == "same" else role]
        mean = square = 0
        rest = given_token[role]
        for count, probability, fraction in (
            (1, hit[0], given_trigger[role]),
            (1, hit[1], at_j),
            (n - 2, hit[2], rest),
        ):
            mean += count / n * (1 / (n + 1) - probability) * fraction
            square += count / n * (1 / (n + 1) ** 2 + (1 - 2 / (n + 1)) * probability) * fraction**2
        if entry.input == "other":  # one more ȳ, k itself, at which k is more frequent: of lower order
            more = given_token["target"] - rest
            mean += (1 / (n + 1) - hit[2]) * more / n
        p = one_step.power(entry)
        right = one_step.corrected(entry, a)
        assert sp.simplify(sp.limit(sp.cancel(mean * n**p), n, sp.oo) - right.mean) == 0, entry
        assert sp.simplify(sp.limit(sp.cancel((square - mean**2) * n ** (p + 1)), n, sp.oo) - right.over_n) == 0, entry
        wrong = one_step.printed(entry, a)
        assert sp.simplify(wrong.mean - right.mean) == 0
        assert (sp.simplify(wrong.over_n - right.over_n) == 0) == (entry.output == "noise")


def test_corrected_table_is_what_the_exact_chain_tends_to():
    alpha = 0.4
    found = LeadingCoefficients(alphas=(alpha,)).execute(Unattended()).metrics
    for index, entry in enumerate(TABLE_3):
        right, wrong = one_step.corrected(entry, alpha), one_step.printed(entry, alpha)
        for name in ("mean", "over_t", "over_n"):
            assert found[name][index] == pytest.approx(getattr(right, name), rel=1e-3), (entry, name)
        differs = abs(found["over_t"][index] / wrong.over_t - 1) > 0.05
        assert differs == (entry not in (Entry("noise", "noise"), Entry("noise", "other"))), entry


def population(model, sequences, where):
    """The gradient by autodiff of the exact population loss."""
    tokens = jnp.array([z for _, z, _, _ in sequences])
    answers = jnp.array([y for _, _, y, _ in sequences])
    probabilities = jnp.array([float(p) for *_, p in sequences])
    last = jnp.array([tokens.shape[1] - 1])

    def loss(weights):
        edited = eqx.tree_at(where, model, weights)
        logits = jax.vmap(lambda z: edited.at(z, last)[0])(tokens)
        return -jnp.sum(probabilities * jnp.take_along_axis(jax.nn.log_softmax(logits), answers[:, None], 1)[:, 0])

    return jax.jit(jax.grad(loss))(where(model))


@pytest.mark.parametrize("exclude", [False, True])
def test_margins_are_those_of_the_model_after_a_step(exclude):
    n, length = 4, 4
    with precision("float64"):
        chain = RecallChain(n, length, 0.3, exclude)
        sequences = list(world(n, length, 0.3, exclude))
        model = SimplifiedModel.create(chain.num_tokens + 1)
        value, feed = population(model, sequences, lambda m: (m.value, m.feed))
        updates = margins.value_update(chain)
        for found, expected in zip(model.project(-value), updates, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-14)
        tests = np.unique([z for _, z, _, _ in sequences], axis=0)
        for block, weight, expected in (
            (lambda m: m.value, value, margins.exact_attention_margin(tests, chain)),
            (lambda m: m.feed, feed, margins.exact_feed_forward_margin(tests, chain)),
        ):
            stepped = eqx.tree_at(block, model, -weight)
            last = jnp.array([length - 1])
            logits = np.asarray(jax.vmap(lambda z, m=stepped, last=last: m.at(z, last)[0])(jnp.asarray(tests)))
            np.testing.assert_allclose(logits[:, n] - logits[:, :n].max(axis=1), expected, atol=1e-14)


def test_attention_margin_tends_to_twice_the_printed_one():
    chain = RecallChain(4096, 4 * 4096, 0.3)
    tokens = np.random.default_rng(0).integers(1, 4096, size=(2, chain.length))
    tokens[:, -1] = 0
    ratio = margins.exact_attention_margin(tokens[:, :], chain) / margins.printed_attention_margin(tokens, chain)
    np.testing.assert_allclose(ratio, 2.0, rtol=5e-3)


@pytest.mark.parametrize("exclude", [False, True])
def test_key_gradient_is_autodiff_on_every_sequence(exclude):
    n, length, small = 4, 4, 1e-7
    with precision("float64"):
        chain = RecallChain(n, length, 0.3, exclude)
        model = with_noise_learned(SimplifiedModel.create(chain.num_tokens + 1), chain)
        stream = np.random.default_rng(1)
        value, previous = stream.normal(size=(2, n + 1, n + 1))
        if exclude:
            value[0] = previous[0] = 0  # the trigger is never an answer
        weight = model.output.T @ (value @ model.tokens + previous @ model.previous) * small
        model = eqx.tree_at(lambda m: m.value, model, weight)
        gradient = population(model, list(world(n, length, 0.3, exclude)), lambda m: m.attention)
        row = np.asarray(-model.tokens[0] @ gradient / small)
        on_token, on_previous = attention_logits.key_gradient(chain, value, previous)
        np.testing.assert_allclose(np.asarray(model.tokens) @ row, on_token, atol=1e-6)
        np.testing.assert_allclose(np.asarray(model.previous) @ row, on_previous, atol=1e-6)


def test_key_gradient_takes_any_prediction_that_ignores_the_context():
    n, length, small = 4, 4, 1e-7
    with precision("float64"):
        chain, odds = RecallChain(n, length, 0.3), 1.7
        model = SimplifiedModel.create(chain.num_tokens + 1)
        feed = np.log(odds) * np.outer(np.asarray(model.output)[n], np.asarray(model.tokens)[0])
        value, previous = margins.value_update(chain)
        weight = model.output.T @ (value @ model.tokens + previous @ model.previous) * small
        model = eqx.tree_at(lambda m: (m.feed, m.value), model, (jnp.asarray(feed), weight))
        gradient = population(model, list(world(n, length, 0.3, False)), lambda m: m.attention)
        row = np.asarray(-model.tokens[0] @ gradient / small)
        predicted = attention_logits.noise_prediction(chain, odds)
        on_token, on_previous = attention_logits.key_gradient(chain, value, previous, predicted)
        np.testing.assert_allclose(np.asarray(model.tokens) @ row, on_token, atol=1e-6)
        np.testing.assert_allclose(np.asarray(model.previous) @ row, on_previous, atol=1e-6)


@pytest.mark.parametrize("exclude", [False, True])
def test_phase_two_values_are_autodiff_on_every_sequence(exclude):
    with precision("float64"):
        chain = RecallChain(4, 4, 0.3, exclude)
        model = with_noise_learned(SimplifiedModel.create(chain.num_tokens + 1), chain)
        step = population(model, list(world(4, 4, 0.3, exclude)), lambda m: m.value)
        for found, expected in zip(model.project(-step), attention_logits.phase_two_values(chain), strict=True):
            np.testing.assert_allclose(np.asarray(found)[:4], expected[:4], atol=1e-11)


@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize(("beta_1", "beta_2"), [(1.0, 1.0), (1.0, 0.2)])
def test_first_gap_tends_to_its_leading_form(exclude, beta_1, beta_2):
    errors = []
    for n in (12, 24, 48):
        chain = RecallChain(n, n * n // 2, 0.3, exclude)
        token, _ = attention_logits.key_gradient(chain, *attention_logits.diagonal_values(chain, beta_1, beta_2))
        gap = token[1] - token[n]
        unit = attention_logits.unit_gap(chain)
        errors.append(abs(gap - attention_logits.leading_gap(chain, beta_1, beta_2)) / unit)
    assert errors[2] < 0.1
    assert errors[2] < errors[0]
    assert abs(attention_logits.leading_gap(chain, beta_1, beta_2) - unit * beta_1) > unit / 4


def predicted_noise(logit, num_tokens):
    """p = e^ξ / (N + e^ξ): the other N logits are 0."""
    return 1 / (1 + num_tokens * np.exp(-logit))


def noise_logits(num_tokens, alpha, step, count):
    """ξ_0 = 0, ξ_t = ξ_{t-1} + η (α - p(ξ_{t-1})); B.3's first display prints p(ξ_t), those after it p(ξ_{t-1})."""
    logits = np.zeros(count + 1)
    for t in range(count):
        logits[t + 1] = logits[t] + step * (alpha - predicted_noise(logits[t], num_tokens))
    return logits


def test_noise_logit_fixed_point_and_step():
    star = noise_logit.stationary_logit(RecallChain(50, 2, 0.3))
    assert predicted_noise(star, 50) == pytest.approx(0.3)
    bound = noise_logit.largest_step(0.3)
    below, above = (noise_logits(50, 0.3, factor * bound, 200) for factor in (1.0, 1.05))
    assert np.all(below <= star + 1e-12)
    assert below[-1] == pytest.approx(star)
    assert above.max() > star + 1e-4
    shifted = np.linspace(-6, -1e-2, 200)
    assert np.all(np.diff(noise_logit.step_ratio(shifted, 0.3)) < 0)
    assert np.any(np.diff(noise_logit.step_ratio(shifted, 0.8)) > 0)


def test_ranges_of_table_3_cover_every_size():
    for n, length in ((12, 48), (1000, 48), (1000, 49), (5, 6)):
        chain = RecallChain(n, length, 0.3)
        found = np.array([one_step.exact_range(entry, chain) for entry in TABLE_3])
        assert (found <= one_step.corrected_ranges(length)).all()
    found = np.array([one_step.exact_range(entry, RecallChain(1000, 48, 0.3)) for entry in TABLE_3])
    broken = [entry for entry, r, printed in zip(TABLE_3, found, one_step.PRINTED_RANGES, strict=True) if r > printed]
    assert broken == [Entry("token", "noise"), Entry("token", "trigger")]


def test_the_causes_of_the_variance_of_row_q_q():
    """Case 5 from Lemma E.1: with E.1 right, the square of 1/(N+1) and z_T counted it is the corrected row."""
    a = sp.Symbol("a", positive=True)
    lemma, entry = LEMMAS[True, "trigger"], Entry("trigger", "trigger")
    printed, right = one_step.printed(entry, a), one_step.corrected(entry, a)
    assert sp.simplify((1 - a) * with_last(lemma.corrected(a)).linear - right.over_t) == 0
    assert sp.simplify((1 - a) * lemma.corrected(a).square - right.over_n) == 0
    assert sp.simplify((1 - a) * lemma.statement(a).square + 1 - printed.over_n) == 0, "the 1 is 1/(N+1) for its square"
    case_5 = (1 - a) * lemma.statement(a).linear + 1  # as its own lines say
    assert sp.expand(case_5 * a**3) == sp.expand(2 * a**3 - a**2 - 2 * a + 2)
    assert sp.simplify(case_5 - printed.over_t) != 0, "a slip of algebra"


@pytest.mark.parametrize("key", list(LEMMAS))
def test_drawn_counts_are_those_of_every_sequence(key):
    n, length, alpha = 4, 4, ALPHA
    target_is_trigger, token = key
    target = 0 if target_is_trigger else 1
    k = {"trigger": 0, "noise": n, "target": 1, "other": 2}[token]
    for after_trigger in (False, True):
        mean = square = Fraction(0)
        for sequence in itertools.product(range(n + 1), repeat=length):
            probability = Fraction(1)
            for previous, z in itertools.pairwise((0 if after_trigger else 3, *sequence)):
                drawn = (z == target) * (1 - alpha) + (z == n) * alpha if previous == 0 else Fraction(z < n, n)
                probability *= drawn
            mean += probability * sequence.count(k)
            square += probability * sequence.count(k) ** 2
        assert drawn_moments(RecallChain(n, length, alpha), *key, after_trigger) == (mean, square)


def test_a_step_by_overlaps_is_the_step_by_autodiff():
    n, length, count = 6, 10, 8
    tokens, outputs = contexts(n, length, 0.8, count, np.random.default_rng(0))
    test = contexts(n, length, 0.5, 1, np.random.default_rng(1))[0][:, 0]
    with precision("float64"):
        model = SimplifiedModel.create(n + 1)
        last = jnp.array([length - 1])

        def loss(value, feed):
            moved = eqx.tree_at(lambda m: (m.value, m.feed), model, (value, feed))
            logits = jax.vmap(lambda z: moved.at(z, last)[0])(jnp.asarray(tokens.T))
            return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(count), jnp.asarray(outputs)])

        value, feed = jax.grad(loss, argnums=(0, 1))(model.value, model.feed)
        steps = ((model.value, -feed), (-value, model.feed))
        stepped = [eqx.tree_at(lambda m: (m.value, m.feed), model, step) for step in steps]
        logits = np.array([one.at(jnp.asarray(test), last)[0] for one in stepped])
    found = logits[:, n] - logits[:, :n].max(axis=1)
    expected = margins_by_overlaps(outputs, overlaps(tokens, test, n), n, count)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
