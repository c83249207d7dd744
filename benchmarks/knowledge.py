"""A pre-training step of the one-layer model against plain PyTorch, on two cores.

    python benchmarks/knowledge.py            # a table
    python benchmarks/knowledge.py --json     # the same numbers as JSON

A step draws 128 sentences, computes the loss of their three prefixes and its gradient, and updates with AdamW. The
PyTorch step is that of examples/torch/knowledge.py, written for speed: the prefix [o] is one row with its weight,
neurons are one product in the layout that suits the sum over a class, targets that cannot occur have no neurons, AdamW
is the fused one; `torch.compile` is tried too, and each with one thread and with two, of which the faster counts: for
products this small the second thread may cost more than it brings. Before timing, both give the same loss and gradient
on the same sentences. Sides take turns, so that whatever else the machine does hits both; the median of the turns is
shown. Shares are of the machine's own matrix rate (matrix_work.py); "products alone" is the time of exactly our matrix
products; "limit" adds AdamW's pass over the parameters and, for each row of neurons, the three passes without which
there is no gradient: made from its tokens, summed over the active ones of each class, the class's residual sent back to
them.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import torch
from matrix_work import Product, alone, measure_our_rate, measure_torch_rate, operations, rows_times
from side_by_side import Row, show
from twin import twin

from lemmata.core import TrainState, named_key
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, trainable
from lemmata.papers.knowledge.run.fast.neuron_sums import mix, sum_active, to_active
from lemmata.papers.knowledge.run.fast.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig, pre_training
from lemmata.papers.knowledge.task import Facts, FactsConfig

theirs = twin("knowledge")
THREADS = (1, 2)  # of PyTorch
STEPS = 40  # a turn
CASES = {  # the world, and how many times faster we must be
    "N = 200, |R| = 20": (FactsConfig(subjects=200, templates=20, multiplicity=5), 3.0),
    "N = 1000, |R| = 5": (FactsConfig(subjects=1000, templates=5, multiplicity=5), 1.0),
}


class TorchStep:
    """The same step in PyTorch, from our first weights."""

    def __init__(self, model: OneLayer, facts: Facts, config: PreTrainingConfig) -> None:
        ours, words = model.config, facts.vocabulary
        sizes = (words.subjects, words.templates, ours.width, ours.neurons, ours.scale)
        self.model = theirs.OneLayer(*sizes, ours.neuron_start)
        arrays = {"E": model.embeddings, "A": model.attention, "w": model.neurons}
        self.model.load_state_dict({name: tensor(array) for name, array in arrays.items()})
        self.templates, self.batch = tensor(facts.templates).long(), config.batch
        rates = config.attention_learning_rate, config.neuron_learning_rate
        self.optimizer = theirs.adamw(self.model, *rates, config.weight_decay)
        self.loss = self.model.pretraining_loss

    def step(self) -> None:
        theirs.step(self.optimizer, self.loss, *theirs.draw_sentences(self.templates, self.batch))

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()

    def compile(self) -> bool:
        """Whether `torch.compile` works here; from then on it is used."""
        try:
            self.loss = torch.compile(self.model.pretraining_loss)
            self.step()
        except Exception as problem:
            print(f"torch.compile does not work here: {str(problem).splitlines()[0][:100]}")
            return False
        return True


def tensor(array: jax.Array) -> torch.Tensor:
    return torch.from_numpy(np.array(array))


def our_run(model: OneLayer, facts: Facts, config: PreTrainingConfig) -> Callable[[int], None]:
    """As in `lemmata.train.fit`: one compiled program for any number of steps."""
    algorithm = pre_training(config)
    arrays, static = eqx.partition(algorithm.init(model), eqx.is_array)
    key = named_key(0, "pre-training")

    @jax.jit
    def advance(arrays: Any, steps: int) -> Any:
        def one(i: Any, arrays: Any) -> Any:
            state: TrainState = eqx.combine(arrays, static)
            return eqx.filter(algorithm.step(facts, state, key=jax.random.fold_in(key, i))[0], eqx.is_array)

        return jax.lax.fori_loop(0, steps, one, arrays)

    return lambda steps: jax.block_until_ready(advance(arrays, steps))


def check_equal(model: OneLayer, facts: Facts, other: TorchStep) -> None:
    """Both sides compute the same thing, away from the start too."""
    keys = jax.random.split(named_key(0, "check"))
    moved = eqx.tree_at(
        lambda one: (one.attention, one.neurons),
        model,
        (
            0.02 * jax.random.normal(keys[0], model.attention.shape),
            0.1 * jax.random.normal(keys[1], model.neurons.shape),
        ),
    )
    subjects, templates = facts.draw(128, key=keys[0])
    said, attention, neurons = eqx.filter_jit(sentence_gradient)(moved, facts, subjects, templates)
    copy = deepcopy(other.model)
    copy.A.data, copy.w.data = tensor(moved.attention), tensor(moved.neurons)
    loss = copy.pretraining_loss(tensor(subjects).long(), tensor(templates).long())
    loss.backward()
    np.testing.assert_allclose(float(said.loss()), loss.item(), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(neurons).ravel(), copy.w.grad.numpy().ravel(), atol=2e-6)
    np.testing.assert_allclose(np.asarray(attention), copy.A.grad.numpy(), rtol=1e-3, atol=1e-5)


def our_products(model: OneLayer, facts: Facts, batch: int, times: int = 1) -> list[Product]:
    """With fewer relations than sentences, and no fewer subjects: neurons on tokens, rows added by token, the gradient
    from tokens, and the small ones of the attention."""
    width, units = model.config.width, model.neurons.shape[1] * model.neurons.shape[2]
    relations = facts.vocabulary.templates
    assert relations < batch <= facts.vocabulary.subjects
    tokens = 1 + relations + batch
    made = [rows_times(tokens, width, units, times), rows_times(1 + relations, batch, units, times)]
    made += [Product("ri,rj->ij", (tokens, width), (tokens, units), times)]
    small = [rows_times(tokens - 1, width, width, times), rows_times(relations, batch, width, times)]
    return [*made, *small, Product("ri,rj->ij", (tokens - 1, width), (tokens - 1, width), times)]


def beside_products(model: OneLayer, config: PreTrainingConfig) -> Callable[[int], object]:
    """A compiled program of what a step does besides its products, on numbers that are there: the update, and the three
    passes over the neurons of [o s] and of [o s r]."""
    algorithm, batch, classes = pre_training(config), config.batch, model.neurons.shape[2]
    rules = algorithm.rule(algorithm.rate)
    moving = eqx.filter(model, trainable(model))
    random, units = np.random.default_rng(0), model.neurons.shape[1] * classes

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(0.01 * random.standard_normal(shape), jnp.float32)

    tokens, shares = [normal(batch, units) for _ in range(2)], [normal(batch) for _ in range(3)]
    start = (moving, rules.init(moving), [normal(batch, units) for _ in range(2)])

    @jax.jit
    def run(given: Any, carry: Any, steps: int) -> Any:
        (w_s, w_r), shares, w_o = given

        def one(_: Any, carry: Any) -> Any:
            weights, state, sent = carry
            moved = [share + sent[0][0, 0] for share in shares]  # so that no step can be left out
            two, three = mix(moved[:2], (w_s, w_o)), mix(moved, (w_r, w_o, w_s))
            sent = [to_active(sum_active(hidden, classes), hidden) for hidden in (two, three)]
            updates, state = rules.update(weights, state, weights)  # of any gradient: these numbers lie ready
            return eqx.apply_updates(weights, updates), state, sent

        return jax.lax.fori_loop(0, steps, one, carry)

    return lambda steps: jax.block_until_ready(run((tokens, shares, normal(units)), start, steps))


def torch_operations(model: OneLayer, batch: int) -> float:
    width, units = model.config.width, model.neurons.shape[1] * model.neurons.shape[2]
    return operations([rows_times(2 * batch + 1, width, units, 3), rows_times(batch, width, width, 2 * 2)])


def measure(name: str, world: FactsConfig, required: float, turns: int) -> list[Row]:
    facts = Facts.create(world, 0)
    model = OneLayer.create(OneLayerConfig(), world, 0)
    config = PreTrainingConfig()
    plain, compiled = TorchStep(model, facts, config), TorchStep(model, facts, config)
    check_equal(model, facts, plain)
    others = {"PyTorch": plain}
    if compiled.compile():
        others["torch.compile"] = compiled
    sides: dict[tuple[str, int], Callable[[int], None]] = {("ours", 0): our_run(model, facts, config)}
    only_products = alone(our_products(model, facts, config.batch, STEPS))
    sides["alone", 0] = lambda _: only_products()
    sides["beside", 0] = beside_products(model, config)
    sides |= {(name, threads): other.run for name, other in others.items() for threads in THREADS}
    times: dict[tuple[str, int], list[float]] = {side: [] for side in sides}
    for turn in range(turns + 1):
        measure_our_rate()
        for threads in THREADS:
            measure_torch_rate(threads)
        for side, run in sides.items():
            torch.set_num_threads(side[1] or 1)
            began = time.perf_counter()
            run(STEPS)
            if turn > 0:  # the first compiles and fills caches
                times[side].append(1e3 * (time.perf_counter() - began) / STEPS)
    medians = {side: statistics.median(values) for side, values in times.items()}
    rows = []
    for other in others:
        threads = min(THREADS, key=lambda number, other=other: medians[other, number])
        label = f"{other}, {threads} thread{'s' if threads > 1 else ''}"
        times = (medians["ours", 0], label, medians[other, threads])
        counts = operations(our_products(model, facts, config.batch)), torch_operations(model, config.batch)
        floors = medians["alone", 0], medians["alone", 0] + medians["beside", 0]
        rows.append(Row("pre-training step", name, *times, required, *counts, threads, *floors))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--turns", type=int, default=6)
    arguments = parser.parse_args()
    rows = [row for name, case in CASES.items() for row in measure(name, *case, arguments.turns)]
    show(rows, f"lemmata against PyTorch {torch.__version__}, median milliseconds", as_json=arguments.json)


if __name__ == "__main__":
    main()
