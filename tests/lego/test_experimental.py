"""The experimental reasoner: its tables against whole clauses, its cache against one pass, order against none."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, NextClause
from lemmata.papers.lego.model.experimental import RowGradient, sum_of_rows
from lemmata.papers.lego.model.reasoner import first_largest
from lemmata.papers.lego.task import Lego, LegoConfig, permute_predicates

create = eqx.filter_jit(ExperimentalReasoner.create)
run = eqx.filter_jit(lambda method, *inputs: method(*inputs))
WORLD = LegoConfig(action="S3", variables=9, length=4)
VARIANTS: dict[str, dict[str, Any]] = {
    "full": {"attention": "full", "score_scale": None},
    "sparse": {},
    "norm and residual": {"layer_norm": True, "residual": True},
}


def config(**changes: Any) -> ExperimentalConfig:
    sizes: dict[str, Any] = {"variables": 9, "actions": 6, "values": 3, "width": 4, "hidden": 16}
    return ExperimentalConfig(**(sizes | changes))


def model_and_sentences(num: int = 3, **changes: Any) -> tuple[ExperimentalReasoner, jax.Array]:
    model = create(config(**changes), key=named_key(0, "init"))
    return model, Lego.create(WORLD).draw(num, key=named_key(0, "sentences"))


def dense(model: ExperimentalReasoner, clauses: np.ndarray, answers: int) -> np.ndarray:
    """The definition, clause by clause: concatenated slot embeddings through whole matrices."""
    made, slots = model.config, np.split(np.asarray(model.embedding), np.cumsum(model.config.rows)[:-1])
    first_token = (0, made.variables, 0, 0, made.variables + made.actions)
    embedded = np.zeros((len(clauses), 5, made.width))
    for position, clause in enumerate(clauses):
        for slot, token in enumerate(clause):
            if token != made.vocab - 1:
                embedded[position, slot] = slots[slot][token - first_token[slot]]
    asking, asked = embedded.copy(), embedded.copy()
    if made.attention == "block-sparse":
        asking[:, [0, 1, 2, 4]] = 0
        asked[:, [0, 1, 4]] = 0

    def project(inputs: np.ndarray, matrix: jax.Array) -> np.ndarray:
        return np.einsum("csw,swi->ci", inputs, np.asarray(matrix)).reshape(len(clauses), made.heads, -1)

    queries, keys, values = project(asking, model.query), project(asked, model.key), project(embedded, model.value)
    logits = []
    for position in range(len(clauses) - answers, len(clauses)):
        scores = np.einsum("hs,khs->hk", queries[position], keys[: position + 1]) * float(model.score_scale)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mixed = np.einsum("hk,khs->hs", weights, values[: position + 1]).reshape(-1)
        if made.residual:
            mixed = mixed + embedded[position].reshape(-1)
        if made.layer_norm:
            mixed = (mixed - mixed.mean()) / np.sqrt(mixed.var() + 1e-5)
        neurons = np.maximum(mixed @ np.asarray(model.inner) + np.asarray(model.bias), 0)
        logits.append(neurons @ np.asarray(model.outer))
    return np.stack(logits)


@eqx.filter_jit
def read_both_ways(variant: ExperimentalConfig, clauses: jax.Array) -> tuple[Any, NextClause, NextClause]:
    """A fresh model, what follows its last five clauses in one pass, and by its cache."""
    model = ExperimentalReasoner.create(variant, key=named_key(0, "init"))

    def step(cache: Any, clause: jax.Array) -> tuple[Any, NextClause]:
        return model.extend(cache, clause)

    _, cached = jax.lax.scan(step, model.begin(clauses[:4], 5), clauses[4:])
    return model, model.next_clause(clauses, 5), cached


@pytest.mark.parametrize("variant", VARIANTS)
def test_tables_and_cache_give_the_numbers_of_whole_clauses(variant: str) -> None:
    with precision("float64"):
        sentence = Lego.create(WORLD).draw(3, key=named_key(0, "sentences"))[0]
        model, whole, cached = read_both_ways(config(**VARIANTS[variant]), sentence)
        expected = dense(model, np.asarray(sentence), 5)
        for after in (whole, cached):
            np.testing.assert_allclose(np.concatenate([after.variable, after.value], axis=1), expected, atol=1e-12)


def test_the_first_of_the_largest_is_taken() -> None:
    logits = np.random.default_rng(0).integers(0, 3, size=(40, 7)).astype(np.float32)
    np.testing.assert_array_equal(first_largest(jnp.asarray(logits)), logits.argmax(axis=1))
    assert np.any(np.sum(logits == logits.max(axis=1, keepdims=True), axis=1) > 1), "ties must occur"


def test_both_row_gradients_agree() -> None:
    """Each rule against a product with the counts of rows, written out."""
    with precision("float64"):
        table = jnp.asarray(np.random.default_rng(0).normal(size=(2, 7, 4)))  # two heads
        rows = jnp.asarray(np.random.default_rng(1).integers(0, 7, size=(30, 3)))
        counts = np.stack([np.bincount(row, minlength=7) for row in np.asarray(rows)])

        @jax.jit
        def slopes(table: jax.Array) -> list[jax.Array]:
            def loss(table: jax.Array, rule: RowGradient) -> jax.Array:
                return jnp.sum(jnp.sin(jax.vmap(lambda head: sum_of_rows(head, rows, rule, "float32"))(table)))

            return [jax.grad(loss)(table, rule) for rule in ("scatter", "matmul")]

        expected = counts.T @ np.cos(counts @ np.asarray(table))
        for found in slopes(table):
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_order_of_predicates_changes_nothing() -> None:
    model, sentences = model_and_sentences(8)
    shuffled = permute_predicates(sentences, named_key(1, "order"))
    assert not np.array_equal(shuffled, sentences)
    plain, moved = (run(model.next_clauses, given[:, :-1], 4) for given in (sentences, shuffled))
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
