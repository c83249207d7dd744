"""examples/torch against each paper's plain.py: the same arrays and first weights, float64, every trained parameter."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch

from differences import difference
from lemmata.core import precision
from lemmata.papers.association import plain as plain_association
from lemmata.papers.ic_recall import plain as plain_recall
from lemmata.papers.knowledge import plain as plain_knowledge
from lemmata.papers.lego import plain as plain_lego, plain_decoder

STEPS = 20
FOLDER = Path(__file__).parents[2] / "examples" / "torch"


def twin(name: str) -> ModuleType:
    """By its path: a folder named torch is best not searched for modules."""
    spec = importlib.util.spec_from_file_location(f"{name}_in_torch", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def in_float64() -> Iterator[None]:
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    with precision("float64"):
        yield
    torch.set_default_dtype(torch.float32)


def tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(array))


def load(module: torch.nn.Module, arrays: dict[str, Any]) -> None:
    """All parameters and buffers, by name."""
    module.load_state_dict({name: tensor(value) for name, value in arrays.items()})


def assert_equal(found: Any, expected: Any, start: Any) -> None:
    """Within 1e-8 of the largest entry, after training that has moved it."""
    assert np.abs(np.asarray(expected) - np.asarray(start)).max() > 1e-4 * np.abs(np.asarray(expected)).max()
    assert difference(found.detach(), expected) <= 1e-8


def test_association(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, plain, rng = twin("association"), plain_association, np.random.default_rng(0)
    for name in ("N", "T", "D", "BATCH", "STEPS", "ALPHA", "Q", "TAU", "LEARNING_RATE", "MOMENTUM", "DECAY", "SHOWN"):
        assert getattr(theirs, name) == getattr(plain, name), name
    for name, value in {"N": 6, "T": 24, "D": 8}.items():
        monkeypatch.setattr(plain, name, value)
    pi = plain.statistics(6)
    for one, other in zip(theirs.statistics(6), pi, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    weights, fixed = jax.tree.map(lambda one: one.astype(jnp.float64), plain.first_weights(rng))
    model = theirs.Transformer(6, 24, 8)
    load(model, fixed | {f"layers.{i}.{name}": one for i, layer in enumerate(weights) for name, one in layer.items()})
    optimizer, start, state = theirs.optimizer_of(model.parameters()), weights, plain.optimizer.init(weights)
    for _ in range(STEPS):
        z, following, y_bar = plain.draw(rng, *pi, 0.5, 8)
        kept = plain.loss_positions(z)
        np.testing.assert_array_equal(theirs.loss_positions(tensor(z)), kept)
        weights, state, loss = plain.step(weights, state, fixed, z, following, kept)
        found = theirs.step(model, optimizer, tensor(z), tensor(following), tensor(kept))
        np.testing.assert_allclose(found, loss, rtol=1e-10)
    for layer, trained, first in zip(model.layers, weights, start, strict=True):
        for name, expected in trained.items():
            assert_equal(getattr(layer, name), expected, first[name])
    model.layers[1].U_in.data = theirs.of_rank(model.layers[1].U_in.detach(), 3)
    cut = plain.truncated(weights, 3 / 8)
    np.testing.assert_allclose(
        theirs.answers(model, tensor(z), tensor(y_bar)), plain.answers(cut, fixed, z, y_bar), rtol=1e-8
    )


@pytest.mark.parametrize("query", ["last", "first"])
def test_knowledge(query: str) -> None:
    theirs, plain, rng = twin("knowledge"), plain_knowledge, np.random.default_rng(0)
    N, R, K, width, m, lam = 12, 5, 2, 9, 3, 2.0
    templates = plain.draw_templates(rng, N, R, K)
    E, params = plain.first_weights(rng, N, R, width, m, sigma_0=0.4)
    params["A"] = jnp.asarray(0.1 * rng.standard_normal((width, width)))
    model = theirs.OneLayer(N, R, width, m, lam, 0.4, query)
    load(model, {"E": E, **params})
    s = rng.integers(N, size=(STEPS, 16))
    r = templates[s, rng.integers(K, size=s.shape)]
    rates = {"A": 1e-3, "w": 1e-2}
    expected = plain.train_with_adamw(plain.pretraining_loss, params, E, (s, r), lam, query, rates)
    optimizer = theirs.adamw(model, rates["A"], rates["w"])
    for one, other in zip(tensor(s), tensor(r), strict=True):
        theirs.step(optimizer, model.pretraining_loss, one, other)
    for name in params:
        assert_equal(getattr(model, name), expected[name], params[name])
    asked, rank = jnp.arange(N // 2), None if query == "last" else 2
    tuned = plain.fine_tune(expected, E, asked, asked[::-1], 0.3, 1.0, STEPS, lam, query, rank)
    theirs.fine_tune(model, tensor(asked), tensor(asked[::-1]), 0.3, 1.0, STEPS, rank or 0)
    for name in params:
        assert_equal(getattr(model, name), tuned[name], expected[name])
    subjects = jnp.arange(N)
    assert model.extraction(tensor(subjects)) == plain.extraction(tuned, E, subjects, lam, query)


@pytest.mark.parametrize("way", ["gradient descent", "Adam"])
def test_ic_recall(way: str) -> None:
    theirs, plain, rng = twin("ic_recall"), plain_recall, np.random.default_rng(0)
    n, m, k, T = 4, 7, 2, 0.1
    table = plain.random_bijections(n, m, rng)
    phi = plain.orthonormal_embeddings(2 * n + m + 1, rng)
    W, V = plain.associative_memory(table, phi)
    for one, other in zip(theirs.associative_memory(tensor(table), tensor(phi)), (W, V), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    data = plain.draw_sequences(table, 10, k, rng)
    task = theirs.FineTuning(*map(tensor, (W, V, phi, *data)), n, T)
    width = 2 * k + 3 + len(phi)
    start = 0.3 * rng.standard_normal((width, width))
    block = 2 * k + 3 if way == "gradient descent" else None
    optimiser = optax.sgd(0.02) if block else optax.adam(0.01)
    expected = plain.fine_tune(
        lambda w: plain.loss(w, W, V, phi, data, n, T), jnp.asarray(start), optimiser, STEPS, block
    )
    moved = theirs.position_block(block or width, width)
    how = (theirs.descend, 0.02) if block else (theirs.by_adam, 0.01)
    found = how[0](task, tensor(start), how[1], STEPS, moved)
    assert_equal(found, expected, start)
    np.testing.assert_allclose(task.accuracy(found), plain.accuracy(expected, W, V, phi, data, n), atol=1e-8)


def test_ic_recall_in_six_scores() -> None:
    """Section 4's warm-up in theta alone: the position block of the dense model, started at the same theta."""
    theirs, plain, rng = twin("ic_recall"), plain_recall, np.random.default_rng(0)
    table, k, T, eta = plain.every_bijection(3), 2, 0.1, 0.01
    phi = plain.orthonormal_embeddings(6 + len(table) + 1, rng)
    W, V = plain.associative_memory(table, phi)
    data = plain.draw_sequences(table, 1, k, rng)
    theta = np.array([0.3, 0.1, -0.2, 0.2, 0.1, 0.0])
    W_KQ = jnp.zeros((7 + len(phi),) * 2).at[:6, 5].set(theta)
    expected = plain.fine_tune(lambda w: plain.loss(w, W, V, phi, data, 3, T), W_KQ, optax.sgd(eta), STEPS, 7)
    assert_equal(theirs.warm_up(tensor(theta), T, eta, STEPS), expected[:6, 5], theta)


@pytest.mark.parametrize("tables", [False, True])
def test_lego(tables: bool) -> None:
    theirs, plain = twin("lego"), plain_decoder
    world, length, keys = plain.World(7, plain.symmetric(3)), 3, jax.random.split(jax.random.key(0), 2)
    start = plain.create(world, 4, 12, keys[0])
    sentences = plain.draw(world, length, 6, keys[1])
    model = theirs.Decoder(theirs.World(7, 6, 3), 4, 12, tables=tables)
    load(model, start._asdict())
    clauses, targets = theirs.split(model.world, tensor(sentences).long())
    written = plain.label(start, world, sentences)
    np.testing.assert_array_equal(model.rollout(clauses[:, : length + 1], length), written[:, length + 1 :, 3:])
    rule, optimizer = optax.adam(1e-2), theirs.optimizer_of(model.parameters(), 1e-2)
    now, memory, slope = start, rule.init(start), jax.jit(jax.value_and_grad(plain.loss), static_argnums=1)
    for _ in range(STEPS):
        loss, gradient = slope(now, world, sentences)
        update, memory = rule.update(gradient, memory)
        now = optax.apply_updates(now, update)
        np.testing.assert_allclose(theirs.step(model, optimizer, clauses, targets), loss, rtol=1e-8)
    for name, expected in now._asdict().items():
        assert_equal(getattr(model, name), expected, getattr(start, name))


def theory_twin(name: str = "C3") -> tuple[ModuleType, Any, torch.nn.Module, plain_lego.Model, plain_lego.Constants]:
    """Far from the start but not at the clip, where nothing moves."""
    theirs, plain = twin("lego_theory"), plain_lego
    table = jnp.asarray(plain.cyclic(3) if name == "C3" else plain.symmetric(3))
    start, c = plain.create(table, 7, 6, jax.random.key(0), sigma=0.3, clip=1.5)
    start = start._replace(Q43=0.1 * jnp.eye(7) + 0.01, Q44=0.2 * jnp.eye(7) - 0.01)
    model = theirs.Reasoner(tensor(table).long(), 7, 6, sigma=0.3, clip=1.5)
    load(model, start._asdict())
    np.testing.assert_allclose(tuple(model.c), tuple(c), rtol=1e-14)
    return theirs, table, model, start, c


@pytest.mark.parametrize("token", [4, 5])
def test_the_neurons_of_legos_theory(token: int) -> None:
    theirs, table, model, start, c = theory_twin()
    names = ("W4",) if token == 4 else ("W5g", "W5y")
    weights = tuple(getattr(start, name) for name in names)
    trained, _ = plain_lego.learn_one_step(weights, token, table, c, STEPS, 0.05, 0.02)
    theirs.learn_one_step(model, token, tensor(table).long(), STEPS, 0.05, 0.02)
    for name, expected, before in zip(names, trained, weights, strict=True):
        assert_equal(getattr(model, name), expected, before)


@pytest.mark.parametrize(("name", "length", "answers"), [("C3", 2, (1, 2)), ("S3", 4, (2,))])
def test_the_attention_of_legos_theory(name: str, length: int, answers: tuple[int, ...]) -> None:
    """Algorithm 1 on true answers, Algorithm 2 on the model's own."""
    theirs, table, model, start, c = theory_twin(name)
    now, plain = start, plain_lego
    write = jax.jit(jax.vmap(lambda s: plain.annotate(start, c, s, 2)))
    slope = jax.jit(jax.grad(lambda Q, s: plain.attention_loss(Q, start, c, s, answers)))
    for key in jax.random.split(jax.random.key(1), STEPS):
        batch = plain.draw(table, 7, length, 16, key)
        given = theirs.Sentence(*(tensor(one).long() for one in batch))
        if length > 2:
            written = theory_twin(name)[2].annotate(given, 2)
            batch = write(batch)
            for one, other in zip(written, batch, strict=True):
                np.testing.assert_array_equal(one, other)
            given = written
        Q = (now.Q43, now.Q44)
        moved = [one - 0.3 * 7 * change for one, change in zip(Q, slope(Q, batch), strict=True)]
        now = now._replace(Q43=moved[0], Q44=moved[1])
        theirs.step(model, given, answers, 0.3)
    for block in ("Q43", "Q44"):
        assert_equal(getattr(model, block), getattr(now, block), getattr(start, block))
    test = plain.draw(table, 7, 5, 16, jax.random.key(2))
    found = model.accuracy(theirs.Sentence(*(tensor(one).long() for one in test)))
    np.testing.assert_allclose(found, plain.accuracy(now, c, test), rtol=1e-8)


def test_the_twins_draw_the_same_laws() -> None:
    recall, lego, facts, noisy = (twin(name) for name in ("ic_recall", "lego", "knowledge", "association"))
    table = recall.random_bijections(5, 9)
    tokens, answers = recall.draw_sequences(table, 50, 2)
    relations = tokens[:, -1] - 10
    for pair in (0, 2):
        assert (table[relations, tokens[:, pair]] + 5 == tokens[:, pair + 1]).all()
    assert (table[relations, tokens[:, 4]] + 5 == answers).all()
    assert (tokens[:, 5] == 10 + 9).all()
    actions = torch.tensor(plain_decoder.symmetric(3))
    drawn = lego.draw(7, actions, 4, 30)
    y = drawn[:, 4:, 4] - 13
    assert torch.equal(actions[drawn[:, :4, 1] - 7, y[:, :-1]], y[:, 1:])
    assert torch.equal(drawn[:, :4, 0], drawn[:, 5:, 3])
    assert torch.equal(drawn[:, :4, 2], drawn[:, 4:-1, 3])
    s = twin("lego_theory").draw(actions, 7, 4, 30)
    assert torch.equal(actions[s.g, s.y[:, :-1]], s.y[:, 1:])
    assert all(len(set(row)) == 5 for row in s.x.tolist())
    templates = facts.draw_templates(6, 8, 3)
    assert all(len(set(row)) == 3 for row in templates.tolist())
    s, r = facts.draw_sentences(templates, 40)
    assert (templates[s] == r[:, None]).any(dim=1).all()
    z, following, y_bar = noisy.draw(*noisy.statistics(6), 0.3, 4000)
    after, own = (one[noisy.loss_positions(z)] for one in (following, y_bar[:, None].expand_as(z)))
    noise = after == noisy.TAU
    assert abs(noise.double().mean() - 0.3) < 4 * np.sqrt(0.21 / len(noise))
    assert torch.equal(after[~noise], own[~noise])
    assert (z[:, -1] == noisy.Q).all()


@pytest.mark.parametrize("name", ["association", "ic_recall", "knowledge", "lego", "lego_theory"])
def test_it_stands_alone_and_is_short(name: str) -> None:
    lines = (FOLDER / f"{name}.py").read_text().splitlines()
    imported = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= {"torch", "numpy", "json", "math", "itertools", "pathlib", "typing", "collections"}
    assert len(lines) <= 300
