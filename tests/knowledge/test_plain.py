"""Every shortcut of training gives what the paper's plain file gives: whole trajectories in float64."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from differences import difference, same_spread
from lemmata.core import TrainState, Unattended, named_key, named_keys, precision
from lemmata.papers.knowledge import plain
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, low_rank_factors
from lemmata.papers.knowledge.run.fast.token_descent import TokenDescent
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig, fine_tuning
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, pre_training
from lemmata.papers.knowledge.run.staged_pretraining import Prompts, StagedDescent
from lemmata.papers.knowledge.run.training import pretrain
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions

STEPS, LAM, LEARNING_RATES = 24, 2.0, {"A": 1e-3, "w": 1e-2}
WORLD = FactsConfig(subjects=12, templates=5, multiplicity=2)
PADDED = replace(WORLD, pad_subjects=15, pad_templates=7, pad_multiplicity=3)
Params = dict[str, Any]
QUERIES = pytest.mark.parametrize("query", ["last", "first"])


@pytest.fixture(autouse=True)
def in_float64() -> Iterator[None]:
    with precision("float64"):
        yield


def built(query: str = "last", world: FactsConfig = WORLD) -> tuple[OneLayer, Facts]:
    """With first weights off their start, so that attention and neurons matter from the first step on."""
    config = OneLayerConfig(width=9, neurons=3, scale=LAM, neuron_start=0.4, query=query)  # type: ignore
    model = OneLayer.create(config, world, 0)
    moved = 0.1 * jax.random.normal(named_key(0, "attention"), model.attention.shape)
    return eqx.tree_at(lambda one: one.attention, model, moved), Facts.create(world, 0)


def lifted(model: OneLayer) -> Params:
    """A and w, low-rank updates added, what is padding left out."""
    a, w = eqx.filter_jit(OneLayer.matrices)(model)
    return {"A": a, "w": w[:, :, np.asarray(model.present)]}


def trained(algorithm: Any, task: Any, state: TrainState, keys: list[Any]) -> Params:
    step = eqx.filter_jit(lambda state, key: algorithm.step(task, state, key=key)[0])
    for key in keys:
        state = step(state, key)
    return lifted(state.model)


def equal(found: Params, expected: Params, start: Params, close: float = 1e-10, still: tuple[str, ...] = ()) -> None:
    for name, value in expected.items():
        size = float(jnp.abs(value).max())
        assert difference(found[name], value) <= close, name
        assert (float(jnp.abs(value - start[name]).max()) > 1e-4 * size) != (name in still), f"{name} has moved"


def draws(draw: Callable[[Any], Any], keys: list[Any]) -> tuple[Any, ...]:
    """What the package draws at each step, [step, example]."""
    return tuple(jnp.stack(column) for column in zip(*map(draw, keys), strict=True))


@QUERIES
def test_descent_in_stages(query: str) -> None:
    model, facts = built(query)
    etas = (0.3, 1.2, 2.4)
    algorithm = StagedDescent(etas)
    found = trained(algorithm, Prompts.of(facts), algorithm.init(model), [named_key(0, "data")] * 60)
    expected, history = plain.pretrain_in_stages(
        lifted(model), model.embeddings, np.asarray(facts.templates), etas, 60, LAM, query
    )
    assert {stage for _, stage in history} == {1, 2, 3}
    equal(found, expected, lifted(model))


@pytest.mark.parametrize(("batch", "query"), [(4, "last"), (8, "first"), (64, "last"), (64, "first")])
def test_pretraining_with_adamw(batch: int, query: str) -> None:
    """Fewer and more sentences than templates, than subjects: three ways."""
    model, facts = built(query)
    config = PreTrainingConfig(
        batch=batch, neuron_learning_rate=LEARNING_RATES["w"], attention_learning_rate=LEARNING_RATES["A"]
    )
    keys = [named_key(step, "data") for step in range(STEPS)]
    algorithm = pre_training(config)
    found = trained(algorithm, facts, algorithm.init(model), keys)
    batches = draws(lambda key: facts.draw(batch, key=key), keys)
    args = (lifted(model), model.embeddings, batches, LAM, query, LEARNING_RATES)
    equal(found, plain.train_with_adamw(plain.pretraining_loss, *args), lifted(model))


def test_pretraining_of_padded_replicas_in_one_program() -> None:
    config = PreTrainingConfig(
        steps=STEPS,
        batch=16,
        neuron_learning_rate=LEARNING_RATES["w"],
        attention_learning_rate=LEARNING_RATES["A"],
        records=1,
    )
    small = OneLayerConfig(width=9, neurons=3, scale=LAM, neuron_start=0.4)
    models, _, _ = pretrain([(PADDED, seed) for seed in (0, 1)], small, config, Unattended())
    for place, seed in enumerate((0, 1)):
        facts, start = Facts.create(WORLD, seed), OneLayer.create(small, WORLD, seed)
        key = named_keys([seed], "pre-training")[0]
        keys = [jax.random.fold_in(key, step) for step in range(STEPS)]
        batches = draws(lambda key, facts=facts: facts.draw(16, key=key), keys)
        args = (lifted(start), start.embeddings, batches, LAM, "last", LEARNING_RATES)
        one = jax.tree.map(lambda leaf, place=place: leaf[place], models)
        equal(lifted(one), plain.train_with_adamw(plain.pretraining_loss, *args), lifted(start))


@pytest.mark.parametrize(("query", "world", "batch"), [("last", WORLD, 4), ("last", PADDED, 64), ("first", WORLD, 64)])
def test_fine_tuning_with_adamw(query: str, world: FactsConfig, batch: int) -> None:
    """A batch has each question drawn, or each different one once."""
    task = Questions.choose(Facts.create(world, 0), CoverageConfig(answers="shuffled"), 1)
    padded, model = built(query, world)[0], built(query)[0]
    padded = eqx.tree_at(lambda one: one.attention, padded, model.attention)
    algorithm = fine_tuning(FineTuningConfig(batch=batch, learning_rate=1e-3), [task])
    keys = [named_key(step, "ask") for step in range(STEPS)]
    found = trained(algorithm, task, algorithm.init(padded), keys)
    subjects = jnp.stack([task.draw(batch, key=key) for key in keys])
    args = (lifted(model), model.embeddings, (subjects, task.train_answers[subjects]), LAM, query)
    expected = plain.train_with_adamw(plain.question_loss, *args, {"A": 1e-3, "w": 1e-3})
    equal(found, expected, lifted(model))


def test_fine_tuning_of_low_rank() -> None:
    """Both factors of both updates learn; lifted, they are A and w."""
    model, facts = built()
    task = Questions.choose(facts, CoverageConfig(), 1)
    thin = model.with_factors(*low_rank_factors(model.neurons.shape, 2, 0, room=3))
    algorithm = fine_tuning(FineTuningConfig(batch=64, learning_rate=1e-2, rank=2), [task])
    keys = [named_key(step, "ask") for step in range(STEPS)]
    found = trained(algorithm, task, algorithm.init(thin), keys)
    start = lifted(model)

    def lift(factors: Params) -> Params:
        return {
            name: start[name] + (left @ right).reshape(start[name].shape) for name, (left, right) in factors.items()
        }

    def loss(factors: Params, *rest: Any) -> Any:
        return plain.question_loss(lift(factors), *rest)

    updates = {"A": thin.attention_update, "w": thin.neuron_update}
    factors = {name: (one.left[:, :2], one.right[:2]) for name, one in updates.items() if one is not None}
    subjects = jnp.stack([task.draw(64, key=key) for key in keys])
    args = (factors, model.embeddings, (subjects, subjects), LAM, "last", {"A": 1e-2, "w": 1e-2})
    equal(found, lift(plain.train_with_adamw(loss, *args)), start)


DESCENTS = {
    "all questions": ({}, CoverageConfig(), True),
    "some asked twice": ({}, CoverageConfig(split="tuple"), True),
    "rank 1": ({"gradient_rank": 1}, CoverageConfig(), True),
    "rank 2": ({"gradient_rank": 2}, CoverageConfig(), False),
    "A alone": ({}, CoverageConfig(), True),
}


@QUERIES
@pytest.mark.parametrize("way", DESCENTS)
def test_fine_tuning_by_descent(query: str, way: str) -> None:
    changes, coverage, in_tokens = DESCENTS[way]
    model, facts = built(query)
    task = Questions.choose(facts, coverage, 1)
    # Powers find the first direction to rounding while the first two singular values are apart: small steps.
    unit = 0.02 if way == "rank 1" else 0.2
    descent = DescentConfig(attention_learning_rate=0.3, neuron_learning_rate=3.0, **changes)
    part = "attention" if way == "A alone" else "both"
    algorithm = fine_tuning(FineTuningConfig(descent=descent, part=part), [task], unit=unit)  # type: ignore
    assert isinstance(algorithm, TokenDescent) == in_tokens
    start = algorithm.init((model, task) if in_tokens else model)
    found = trained(algorithm, task, start, [named_key(0, "ask")] * STEPS)
    s = task.asked[: int(task.num_asked)]
    eta_w, rank = 0.0 if way == "A alone" else 3.0 * unit, changes.get("gradient_rank")
    args = (lifted(model), model.embeddings, s, s, 0.3 * unit, eta_w, STEPS, LAM, query, rank)
    still = ("w",) if way == "A alone" else ()
    equal(found, plain.fine_tune(*args), lifted(model), still=still)


def test_the_plain_file_stands_alone() -> None:
    source = Path(plain.__file__).read_text()
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported == {"jax", "numpy", "optax"}
    assert len(source.splitlines()) <= 300


@pytest.mark.parametrize("embeddings", ["gaussian", "orthonormal"])
def test_first_weights_are_drawn_by_the_same_law(embeddings: Any) -> None:
    config = OneLayerConfig(width=64, neurons=8, neuron_start=0.3, embeddings=embeddings)
    model = OneLayer.create(config, WORLD, 0)
    E, params = plain.first_weights(np.random.default_rng(0), 12, 5, 64, 8, 0.3, embeddings == "orthonormal")
    read = np.array([0, 1, *range(3, 20)])  # d and the answers have none that is read
    same_spread(E[read], model.embeddings[read], within=0.15)
    same_spread(params["w"], lifted(model)["w"])
    assert params["w"].shape == lifted(model)["w"].shape
    assert not params["A"].any()
    if embeddings == "orthonormal":
        for one in (E[read], model.embeddings[read]):
            np.testing.assert_allclose(one @ one.T, 64 * np.eye(len(read)), atol=1e-9)
