"""The plain files against the package: its arrays and first weights in both, every trained number equal to 1e-10."""

import itertools
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from differences import difference, same_spread
from lego_oracles import as_tables, value_neurons
from lemmata.core import named_key, precision
from lemmata.papers.lego import plain, plain_decoder
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, TheoryConfig, TheoryTransformer
from lemmata.papers.lego.model.fast.four_scores import entry_speeds
from lemmata.papers.lego.run.attention_descent import AttentionDescent
from lemmata.papers.lego.run.chains import Chains
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_labels import greedy_labels
from lemmata.papers.lego.run.fast.population_loss import contexts, population, population_loss
from lemmata.papers.lego.run.next_clause import SentenceSet, next_clause_adam, written_answers
from lemmata.papers.lego.run.one_step_descent import OneStep, Token
from lemmata.papers.lego.run.population import descend
from lemmata.papers.lego.task import Lego, LegoConfig, action

STEPS, ETA = 20, 0.3


@pytest.fixture(autouse=True)
def exact():
    with precision("float64"):
        yield


def assert_equal(found: Any, wanted: Any, start: Any) -> None:
    """Within 1e-10 of the largest entry, after training that has moved every array."""
    for one, other, before in zip(*map(jax.tree.leaves, (found, wanted, start)), strict=True):
        assert np.abs(other - before).max() > 1e-4 * np.abs(other).max(), "nothing was trained"
        assert difference(one, other) <= 1e-10


def world(
    name: str, variables: int, length: int = 2, scale: float = 0.3
) -> tuple[Lego, TheoryTransformer, plain.Model, plain.Constants]:
    """The package's model, far from its start but not at the clip, where nothing moves; its weights in a plain one."""
    actions, values = action(name).table.shape
    config = TheoryConfig(variables=variables, actions=actions, values=values, width=6, scale=scale, clip=1.5)
    model = eqx.filter_jit(TheoryTransformer.create)(config, key=named_key(1, "init"))
    task = Lego.create(LegoConfig(action=name, variables=variables, length=length))
    bias = config.sigma * np.log(config.vocab)
    return task, model, plain_model(model), plain.Constants(config.vocab, float(bias), config.bound)


def plain_model(model: TheoryTransformer) -> plain.Model:
    tables = (model.variable.tables[0], model.value.tables[1], model.value.tables[4])
    return plain.Model(model.query_third, model.query_fourth, *tables)


def sentences(chains: Chains) -> plain.Sentence:
    """Answers that are not there are hidden from every query."""
    x = jnp.concatenate([chains.links[:, :1], chains.heads], axis=1)
    missing = ((0, 0), (0, x.shape[1] - chains.named.shape[1]))
    return plain.Sentence(x, chains.actions, jnp.pad(chains.named, missing), jnp.pad(chains.values, missing))


def cut(s: plain.Sentence, length: int) -> plain.Sentence:
    return plain.Sentence(s.x[:, : length + 1], s.g[:, :length], s.u[:, : length + 1], s.y[:, : length + 1])


def attention_steps(model: plain.Model, c: plain.Constants, batches: list[plain.Sentence], answers: tuple) -> Any:
    """Both blocks of Q after plain descent on these batches."""

    def one(Q: Any, batch: plain.Sentence) -> tuple[Any, None]:
        slopes = jax.grad(plain.attention_loss)(Q, model, c, batch, answers)
        return tuple(q - ETA * len(q) * slope for q, slope in zip(Q, slopes, strict=True)), None

    together = jax.tree.map(lambda *parts: jnp.stack(parts), *batches)
    return jax.jit(lambda Q: jax.lax.scan(one, Q, together)[0])((model.Q43, model.Q44))


@pytest.mark.parametrize("token", ["variable", "value"])
def test_neurons_by_descent(token: Token) -> None:
    task, model, spec, c = world("S3", 5)
    algorithm = OneStep(token=token, learning_rate=1e15, stride=0.05)
    step = eqx.filter_jit(lambda state: algorithm.step(task, state, key=named_key(0))[0])
    state = algorithm.init(model)
    for _ in range(STEPS):
        state = step(state)
    number, weights = {"variable": (4, (spec.W4,)), "value": (5, (spec.W5g, spec.W5y))}[token]
    found, _ = plain.learn_one_step(weights, number, task.table, c, STEPS, 0.05, 1.0)
    trained = plain_model(state.model)
    assert_equal({"variable": (trained.W4,), "value": (trained.W5g, trained.W5y)}[token], found, weights)


def test_neurons_by_the_exact_engine() -> None:
    """As far as where strides shrink."""
    task, model, spec, c = world("C3", 5, scale=0.1)
    plan = ToTheFloor(stride=0.2, steps=8 * STEPS)
    trained, end = learn_one_step(value_neurons(model.value), task.table, plan)
    assert plan.tolerance < end.excess < plan.shrink_below
    found, _ = plain.learn_one_step((spec.W5g, spec.W5y), 5, task.table, c, plan.steps, plan.stride, plan.finest)
    assert_equal(
        tuple(jnp.transpose(one, (2, 1, 0)) for one in (trained.actions, trained.values)), found, (spec.W5g, spec.W5y)
    )


@pytest.mark.parametrize(("labels", "room", "answers"), [("true", 2, (1, 2)), ("greedy", 5, (2,))])
def test_attention_by_descent(labels: Any, room: int, answers: tuple[int, ...]) -> None:
    """Algorithm 1's loss on true answers; Algorithm 2's on the model's own, in longer sentences cut to length 3."""
    length = min(room, 3)
    task, model, spec, c = world("C3", 7, room)
    algorithm = AttentionDescent(length=room, answers=answers, batch=6, labels=labels)
    state = algorithm.init(model, learning_rate=ETA, cut=length)
    course, batches = state.opt_state, []
    step, drawn = eqx.filter_jit(lambda s, key: algorithm.step(task, s, key=key)[0]), eqx.filter_jit(algorithm.draw)
    for key in jax.random.split(named_key(0, "steps"), STEPS):
        batches.append(cut(sentences(drawn(task, course, key)), length))
        state = step(state, key)
    if labels == "greedy":
        write = jax.jit(jax.vmap(lambda s: plain.annotate(spec, c, s, max(answers))))
        batches = [write(batch) for batch in batches]
    found = attention_steps(spec, c, batches, answers)
    assert_equal((state.model.query_third, state.model.query_fourth), found, (spec.Q43, spec.Q44))


def every_sentence(name: str, variables: int, length: int) -> plain.Sentence:
    table = action(name).table
    rows = [
        (x, g, y)
        for x in itertools.permutations(range(variables), length + 1)
        for g in itertools.product(range(len(table)), repeat=length)
        for y in range(table.shape[1])
    ]
    x, g, y = (jnp.array([row[i] for row in rows]) for i in range(3))
    ends = [y]
    for n in range(length):
        ends.append(jnp.asarray(table)[g[:, n], ends[-1]])
    return plain.Sentence(x, g, x, jnp.stack(ends, axis=1))


@pytest.mark.parametrize(("name", "losses"), [("C3", "sum"), ("S3", "second")])
def test_attention_by_four_scores_on_the_whole_population(name: str, losses: str) -> None:
    task, model, spec, c = world(name, 4)
    neurons, every = value_neurons(model.value), population(action(name).table, losses)
    scores = descend(neurons, task.table, every, jnp.zeros(4), 4.0, ETA, STEPS)
    answers = {"sum": (1, 2), "second": (2,)}[losses]
    found = attention_steps(spec, c, [every_sentence(name, 4, 2)] * STEPS, answers)
    assert_equal(as_tables(scores, 4), found, (spec.Q43, spec.Q44))


def test_self_training_by_four_scores_on_the_whole_population() -> None:
    """At length 3, by labels of a model that errs; its W_4 copies the variable that gets the most attention."""
    task, model, spec, c = world("C3", 4)
    start, neurons = jnp.array([1.5, 0.1, 0.6, -0.2]), value_neurons(model.value)
    labels, right = greedy_labels(neurons, task.table, start, contexts(action("C3").table, length=3, step=2))
    assert right < 1
    every, scores = population(action("C3").table, "second", length=3), start
    slope = eqx.filter_jit(lambda now: population_loss(neurons, task.table, now, every, labels)[1])
    for _ in range(STEPS):
        scores = scores - ETA * entry_speeds(4.0) * slope(scores)
    third, fourth = as_tables(start, 4)
    copying = jnp.where(jnp.eye(4, dtype=bool)[:, :, None], c.B / 2, 0.0)
    spec = spec._replace(Q43=third, Q44=fourth, W4=copying)
    labelled = jax.jit(jax.vmap(lambda s: plain.annotate(spec, c, s, 2)))(every_sentence("C3", 4, 3))
    found = attention_steps(spec, c, [labelled] * STEPS, (2,))
    assert_equal(as_tables(scores, 4), found, (third, fourth))


class FixedBatch(SentenceSet):
    """A set that always gives all of itself."""

    def batch(self, num: int, *, key: jax.Array) -> jax.Array:
        return self.clauses


def plain_decoder_model(model: ExperimentalReasoner) -> plain_decoder.Decoder:
    whole = (one.reshape(-1, one.shape[-1]) for one in (model.query, model.key, model.value))
    return plain_decoder.Decoder(model.embedding, *whole, model.gain, model.inner, model.bias, model.outer)


@pytest.mark.parametrize(
    "variant",
    [{}, {"table_gradient": "matmul"}, {"outputs": "slot"}],
    ids=["looked up", "by matrix products", "logits of tokens that may stand there"],
)
def test_the_decoder_by_adam(variant: dict[str, Any]) -> None:
    config = ExperimentalConfig(variables=7, actions=6, values=3, width=4, hidden=12, **variant)
    model = eqx.filter_jit(ExperimentalReasoner.create)(config, key=named_key(0, "init"))
    task = Lego.create(LegoConfig(action="S3", variables=7, length=3))
    drawn = SentenceSet(task.draw(6, key=named_key(0, "sentences")))
    spec, spec_world = plain_decoder_model(model), plain_decoder.World(7, plain_decoder.symmetric(3))
    written = eqx.filter_jit(written_answers)(model, drawn).clauses
    np.testing.assert_array_equal(written, plain_decoder.label(spec, spec_world, drawn.clauses), err_msg="rollouts")

    algorithm, batch = next_clause_adam(6, 1e-2), FixedBatch(drawn.clauses)
    step = eqx.filter_jit(lambda state: algorithm.step(batch, state, key=named_key(0))[0])
    state = algorithm.init(model)
    for _ in range(STEPS):
        state = step(state)

    @jax.jit
    def one(carry: Any) -> Any:
        now, memory = carry
        slope = jax.grad(plain_decoder.loss)(now, spec_world, drawn.clauses)
        update, memory = rule.update(slope, memory)
        return optax.apply_updates(now, update), memory

    rule = optax.adam(1e-2)
    carry = (spec, rule.init(spec))
    for _ in range(STEPS):
        carry = one(carry)
    assert_equal(plain_decoder_model(state.model), carry[0], spec)


def test_the_plain_files_import_three_libraries() -> None:
    for module in (plain, plain_decoder):
        lines = Path(str(module.__file__)).read_text().splitlines()
        named = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
        assert named <= {"jax", "numpy", "optax", "itertools", "math", "time", "functools", "typing"}
        assert len(lines) <= 300


def test_every_shortcut_says_what_it_equals() -> None:
    files = [file for file in Path(plain.__file__).parent.rglob("fast/*.py") if file.name != "__init__.py"]
    assert len(files) == 12
    for file in files:
        assert file.read_text().startswith('"""Equal to '), file


def test_first_weights_are_drawn_by_the_same_law() -> None:
    table = action("S3").table
    model, c = plain.create(table, 30, 40, named_key(0), sigma=0.1, clip=1.5)
    config = TheoryConfig(variables=30, actions=6, values=3, width=40, scale=0.1, clip=1.5)
    other = plain_model(eqx.filter_jit(TheoryTransformer.create)(config, key=named_key(1)))
    assert (c.d, c.B, c.rho, c.q) == (config.vocab, config.bound, config.smoothing, config.power)
    assert c.b == pytest.approx(config.sigma * np.log(config.vocab))
    for name, expected in other._asdict().items():
        found = getattr(model, name)
        assert found.shape == expected.shape
        if name.startswith("W"):
            same_spread(found, expected)
        else:
            assert not found.any()
    start = plain_decoder.create(plain_decoder.World(20, plain_decoder.symmetric(3)), 16, 64, named_key(0))
    sizes = ExperimentalConfig(variables=20, actions=6, values=3, width=16, hidden=64)
    decoder = plain_decoder_model(eqx.filter_jit(ExperimentalReasoner.create)(sizes, key=named_key(1)))
    for name in ("E", "W_Q", "W_K", "W_V", "W_in", "W_out"):
        assert getattr(start, name).shape == getattr(decoder, name).shape
        same_spread(getattr(start, name), getattr(decoder, name))
    np.testing.assert_array_equal(start.gain, decoder.gain)
    np.testing.assert_array_equal(start.bias, decoder.bias)
