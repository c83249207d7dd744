"""The experimental reasoner: its passes against the definition clause by clause, order against none."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, NextClause, learned
from lemmata.papers.lego.model.fast.rows import found_rows, rows_by_product, sums_of_rows
from lemmata.papers.lego.model.fast.short_products import mixtures, scores, through
from lemmata.papers.lego.model.reasoner import first_largest
from lemmata.papers.lego.probe import unhidden
from lemmata.papers.lego.run.next_clause import next_clause_loss
from lemmata.papers.lego.task import Lego, LegoConfig, permute_predicates

create = eqx.filter_jit(ExperimentalReasoner.create)
run = eqx.filter_jit(lambda method, *inputs: method(*inputs))
WORLD = LegoConfig(action="S3", variables=9, length=4)
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "plain, outputs by slot": {"outputs": "slot"},
    "plain, gradients by products": {"table_gradient": "matmul"},
    "no residual": {"residual": False},
    "no norm": {"layer_norm": False},
    "as the theory has it": {"attention": "block-sparse", "residual": False, "layer_norm": False, "score_scale": 0.3},
}


def config(**changes: Any) -> ExperimentalConfig:
    sizes: dict[str, Any] = {"variables": 9, "actions": 6, "values": 3, "width": 4, "hidden": 16}
    return ExperimentalConfig(**(sizes | changes))


def model_and_sentences(num: int = 3, **changes: Any) -> tuple[ExperimentalReasoner, jax.Array]:
    model = create(config(**changes), key=named_key(0, "init"))
    return model, Lego.create(WORLD).draw(num, key=named_key(0, "sentences"))


def dense(model: ExperimentalReasoner, clauses: Any, answers: int) -> list[Any]:
    """The definition, clause by clause: concatenated slot embeddings through whole matrices; logits of both tokens."""
    made, first_token = model.config, (0, 9, 0, 0, 15)
    slots = jnp.split(model.embedding, np.cumsum(model.config.rows)[:-1])
    embedded = jnp.stack(
        [
            jnp.stack(
                [
                    jnp.zeros(made.width) if token == made.vocab - 1 else slots[slot][token - first_token[slot]]
                    for slot, token in enumerate(clause)
                ]
            )
            for clause in np.asarray(clauses).tolist()
        ]
    )
    query_mask, key_mask = np.ones((2, 5, 1))
    if made.attention == "block-sparse":
        query_mask[[0, 1, 2, 4]] = key_mask[[0, 1, 4]] = 0

    def project(inputs: Any, matrix: Any) -> Any:
        return jnp.einsum("csw,swi->ci", inputs, matrix).reshape(len(clauses), made.heads, -1)

    queries, keys = project(embedded * query_mask, model.query), project(embedded * key_mask, model.key)
    values, logits = project(embedded, model.value), []
    for position in range(len(clauses) - answers, len(clauses)):
        scores = jnp.einsum("hs,khs->hk", queries[position], keys[: position + 1]) * model.score_scale
        weights = jnp.exp(scores) / jnp.sum(jnp.exp(scores), axis=1, keepdims=True)
        mixed = jnp.einsum("hk,khs->hs", weights, values[: position + 1]).reshape(-1)
        if made.residual:
            mixed = mixed + embedded[position].reshape(-1)
        if made.layer_norm:
            mixed = model.gain * (mixed - mixed.mean()) / jnp.sqrt(mixed.var() + 1e-5)
        logits.append(jnp.maximum(mixed @ model.inner + model.bias, 0) @ model.outer)
    return jnp.split(jnp.stack(logits), [made.predicted[0]], axis=1)


def dense_loss(model: ExperimentalReasoner, sentences: Any) -> Any:
    total = 0.0
    for sentence in sentences:
        after = dense(model, sentence[:-1], 4)
        for logits, slot, first in zip(after, (3, 4), model.config.first_predicted, strict=True):
            log_probabilities = jax.nn.log_softmax(logits, axis=1)
            total -= sum(log_probabilities[row, token - first] for row, token in enumerate(sentence[-4:, slot])) / 4
    return total / len(sentences)


@eqx.filter_jit
def read_both_ways(variant: ExperimentalConfig, clauses: jax.Array) -> tuple[Any, NextClause, NextClause]:
    """A fresh model, what follows its last five clauses in one pass, and by its cache."""
    model = ExperimentalReasoner.create(variant, key=named_key(0, "init"))

    def step(cache: Any, clause: jax.Array) -> tuple[Any, NextClause]:
        return model.extend(cache, clause)

    _, cached = jax.lax.scan(step, model.begin(clauses[:4], 5), clauses[4:])
    return model, model.next_clause(clauses, 5), cached


@pytest.mark.parametrize("variant", VARIANTS)
def test_pass_and_cache_give_the_numbers_of_the_definition(variant: str) -> None:
    with precision("float64"):
        sentence = Lego.create(WORLD).draw(3, key=named_key(0, "sentences"))[0]
        model, whole, cached = read_both_ways(config(**VARIANTS[variant]), sentence)
        expected = dense(model, sentence, 5)
        firsts = model.config.first_predicted
        for after in (whole, cached):
            for found, logits, first in zip((after.variable, after.value), expected, firsts, strict=True):
                stop = first + logits.shape[1]
                np.testing.assert_allclose(found[:, first:stop], logits, atol=1e-10)
                assert np.all(np.delete(np.asarray(found), slice(first, stop), axis=1) < -1e8), "the others: impossible"


@pytest.mark.parametrize("variant", VARIANTS)
def test_lean_training_pass_has_the_loss_and_the_gradient_of_the_definition(variant: str) -> None:
    with precision("float64"):
        sentences = Lego.create(WORLD).draw(2, key=named_key(0, "sentences"))
        model = create(config(**VARIANTS[variant]), key=named_key(0, "init"))
        tokens = np.asarray(sentences)
        lean = eqx.filter_jit(eqx.filter_value_and_grad(lambda m: next_clause_loss(m, sentences)))(model)
        plain = eqx.filter_jit(eqx.filter_value_and_grad(lambda m: dense_loss(m, tokens)))(model)
        np.testing.assert_allclose(float(lean[0]), float(plain[0]), atol=1e-10)
        for name in ("embedding", "query", "key", "value", "gain", "inner", "bias", "outer"):
            np.testing.assert_allclose(getattr(lean[1], name), getattr(plain[1], name), atol=1e-10, err_msg=name)
            assert np.any(np.asarray(getattr(plain[1], name))) or (name == "gain" and not model.config.layer_norm)


def test_lean_pass_trains_as_the_definition_does() -> None:
    """A few steps of Adam."""
    with precision("float64"):
        sentences = Lego.create(WORLD).draw(2, key=named_key(0, "sentences"))
        tokens, rule, model = np.asarray(sentences), optax.adam(1e-2), create(config(), key=named_key(0, "init"))

        def trained(loss: Any) -> Any:
            @jax.jit
            def step(part: Any, memory: Any) -> Any:
                updates, memory = rule.update(jax.grad(lambda part: loss(eqx.combine(part, fixed)))(part), memory)
                return optax.apply_updates(part, updates), memory

            part, fixed = eqx.partition(model, learned(model))
            memory = rule.init(part)
            for _ in range(8):
                part, memory = step(part, memory)
            return jax.tree.leaves(part)

        ends = trained(lambda model: next_clause_loss(model, sentences)), trained(lambda m: dense_loss(m, tokens))
        for one, other, start in zip(*ends, jax.tree.leaves(eqx.filter(model, learned(model))), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-7)
            assert np.abs(np.asarray(one - start)).max() > 1e-2


def test_hidden_clauses_are_as_if_they_were_not_there() -> None:
    """A query that sees its own predicate alone, against a sentence that has no other; so for answers."""
    with precision("float64"):
        sentence = Lego.create(WORLD).draw(1, key=named_key(3, "sentences"))[0]  # p0 .. p3, a0 .. a4
        model = create(config(), key=named_key(0, "init"))
        for hides, kept in (((True, False), (2, 4, 5, 6)), ((False, True), (0, 1, 2, 3, 6))):
            seen = unhidden(sentence[:-1], jnp.array(hides))
            found = run(model.next_clause, sentence[:-1], 8, seen)
            alone = run(model.next_clause, sentence[jnp.array(kept)], 1)
            np.testing.assert_allclose(found.value[6], alone.value[0], atol=1e-12)
        plain = run(model.next_clause, sentence[:-1], 8)
        assert np.abs(np.asarray(plain.value[6] - alone.value[0])).max() > 1e-3


def test_the_first_of_the_largest_is_taken() -> None:
    logits = np.random.default_rng(0).integers(0, 3, size=(40, 7)).astype(np.float32)
    np.testing.assert_array_equal(first_largest(jnp.asarray(logits)), logits.argmax(axis=1))
    assert np.any(np.sum(logits == logits.max(axis=1, keepdims=True), axis=1) > 1), "ties must occur"


def test_both_row_gradients_agree() -> None:
    """Each rule against a product with the counts of rows, written out."""
    with precision("float64"):
        table = jnp.asarray(np.random.default_rng(0).normal(size=(7, 4)))
        rows = jnp.asarray(np.random.default_rng(1).integers(0, 7, size=30))
        named = np.eye(7)[np.asarray(rows)]

        @jax.jit
        def slopes(table: jax.Array) -> list[jax.Array]:
            def loss(table: jax.Array, take: Any) -> jax.Array:
                return jnp.sum(jnp.sin(take(table)))

            ways = (lambda table: found_rows(table, rows), lambda table: rows_by_product(table, rows, "float32"))
            return [jax.grad(loss)(table, take) for take in ways]

        expected = named.T @ np.cos(named @ np.asarray(table))
        for found in slopes(table):
            np.testing.assert_allclose(found, expected, atol=1e-12)


def slopes_of(made: Any, *inputs: Any) -> list[Any]:
    """The value of a function of arrays, and the gradients of a sum that weighs its entries differently."""

    @jax.jit
    def both(*inputs: Any) -> Any:
        weighed = lambda *inputs: sum(jnp.sum(jnp.sin(one)) for one in jax.tree.leaves(made(*inputs)))  # noqa: E731
        return made(*inputs), jax.grad(weighed, argnums=tuple(range(len(inputs))))(*inputs)

    return jax.tree.leaves(both(*inputs))


@pytest.mark.parametrize(
    ("ours", "plain", "shapes"),
    [
        (scores, "hbqs,hbks->hbqk", ((2, 3, 4, 5), (2, 3, 7, 5))),
        (mixtures, "hbqk,hbks->hbqs", ((2, 3, 4, 7), (2, 3, 7, 5))),
        (through, "bqi,ij->bqj", ((3, 4, 5), (5, 7))),
    ],
)
def test_products_have_the_gradients_of_automatic_differentiation(ours: Any, plain: str, shapes: Any) -> None:
    with precision("float64"):
        inputs = [jnp.asarray(np.random.default_rng(0).normal(size=shape)) for shape in shapes]
        found = slopes_of(lambda *both: ours(*both, "float32"), *inputs)
        expected = slopes_of(lambda *both: jnp.einsum(plain, *both), *inputs)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


def test_sums_of_rows_are_products_with_one_hot_rows() -> None:
    with precision("float64"):
        stream = np.random.default_rng(0)
        tables = [jnp.asarray(stream.normal(size=(rows, 6))) for rows in (4, 9)]
        tokens = [stream.integers(0, rows + 1, size=20) for rows in (4, 9)]  # the last is no row: it adds nothing
        hot = [np.eye(rows + 1)[chosen][:, :rows] for rows, chosen in zip((4, 9), tokens, strict=True)]
        found = slopes_of(lambda *given: sums_of_rows(list(given), [jnp.asarray(t) for t in tokens], 2), *tables)
        expected = slopes_of(lambda one, two: jnp.split(hot[0] @ one + hot[1] @ two, 2, axis=1), *tables)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


def test_order_of_predicates_changes_nothing() -> None:
    model, sentences = model_and_sentences(8)
    shuffled = permute_predicates(sentences, named_key(1, "order"))
    assert not np.array_equal(shuffled, sentences)
    read = eqx.filter_jit(jax.vmap(lambda given: model.next_clause(given[:-1], 4)))
    plain, moved = read(sentences), read(shuffled)
    assert float(jnp.abs(plain.value - moved.value).max()) < 1e-5
    assert float(jnp.abs(plain.variable - moved.variable).max()) < 1e-5


def test_attention_is_a_distribution_over_what_was_read() -> None:
    model, sentences = model_and_sentences(1)
    weights = np.asarray(run(model.attention, sentences[0, :-1], 4))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    assert np.all(weights[:, np.triu_indices(4, 1)[0], 4 + np.triu_indices(4, 1)[1]] == 0)


def test_token_in_the_wrong_slot_reads_as_blank() -> None:
    model, sentences = model_and_sentences(1)
    blank, misplaced = sentences[0].at[-1, 4].set(model.vocab - 1), sentences[0].at[-1, 4].set(2)
    one, other = (run(model.next_clause, given, 1).value for given in (blank, misplaced))
    np.testing.assert_array_equal(one, other)


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(UserError, match="heads"):
        config(heads=3)
    with pytest.raises(UserError, match="score_scale"):
        config(score_scale=0.0)
