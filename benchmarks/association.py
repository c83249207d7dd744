"""Training step, data sampling and truncation against plain PyTorch, on two cores.

    python benchmarks/association.py            # a table
    python benchmarks/association.py --json     # the same numbers as JSON

Each side runs warm, and the median of its repetitions is shown. PyTorch is examples/torch/association.py, written for
speed: matrix products over the whole batch, the last feed-forward layer and the output only where the loss is taken,
and a batched sampler beside the per-sequence one. Shares are of the machine's own matrix rate (matrix_work.py);
samplers have no matrix products, and of a truncation the products are counted and the decompositions are not.
"""

import argparse
import time
from bisect import bisect
from functools import partial
from random import Random
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import torch
from association_gpu import step_operations
from matrix_work import operations, rows_times
from side_by_side import Row, in_turns, median_ms, show
from twin import twin

from lemmata.core import Batch, named_integer, named_key
from lemmata.papers.association.model import Transformer, TransformerConfig, batched_nll, block_weights
from lemmata.papers.association.model.truncate import Spectrum
from lemmata.papers.association.task import NoisyRecall, RecallConfig, transition_rows
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig
from lemmata.train.losses import MANY_QUERIES

THREADS = 2
theirs = twin("association")


class FixedBatch(eqx.Module):
    """A task that always gives the same batch: the step alone is timed."""

    batch: Batch

    def sample(self, num: int, *, key: jax.Array) -> Batch:
        return self.batch


def torch_model(model: Transformer) -> torch.nn.Module:
    """Our weights in examples/torch."""
    config = model.config
    other = theirs.Transformer(config.vocab, config.length, config.width)
    arrays = {"W_E": model.tokens, "p": model.positions, "W_U": model.output}
    for i, block in enumerate(model.blocks):
        layer = {"W_QK": block.key, "W_V": block.value, "W_O": block.output}
        layer |= {"U_in": block.feed.inner.T, "U_out": block.feed.outer}
        arrays |= {f"layers.{i}.{name}": array for name, array in layer.items()}
    other.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})
    return other


def our_operations(task: NoisyRecall, config: TransformerConfig, mask: jax.Array) -> float:
    batch, queries = mask.shape[0], task.queries
    short = queries >= MANY_QUERIES and int(mask.sum(axis=1).max()) <= queries // 2
    return step_operations(config, batch, queries // 2 if short else queries)


def torch_operations(config: TransformerConfig, mask: jax.Array) -> float:
    """Forward and backward. Embeddings and the output matrix are not differentiated."""
    d, length, tokens, requested = config.width, config.length, mask.size, int(mask.sum())
    square, scores, feed = d * d, length * d, 2 * d * 4 * d
    first = 2 * 2 * square + 2 * scores + 3 * scores + 3 * square + 3 * feed
    last = 3 * (3 * square + 2 * scores)
    return 2.0 * (tokens * (first + last) + requested * (3 * feed + 2 * config.vocab * d))


def training_step(repeats: int, *, length: int, width: int, batch: int) -> Row:
    task = NoisyRecall.create(RecallConfig(length=length))
    model = Transformer.create(
        TransformerConfig(vocab=task.config.vocab, length=length, width=width), key=named_key(0, "init")
    )
    data = jax.jit(lambda key: task.sample(batch, key=key))(named_key(0, "data"))
    algorithm = Descent(
        Batches(QueryLoss(task.queries, batched_nll), batch), block_weights, SGDConfig(), SGDConfig().rate
    )
    arrays, static = eqx.partition(algorithm.init(model), eqx.is_array)

    @partial(jax.jit, donate_argnums=0)  # in place, as in the training loop and as PyTorch does
    def step(arrays: Any, data: Batch) -> tuple[Any, jax.Array]:
        new, metrics = algorithm.step(FixedBatch(data), eqx.combine(arrays, static), key=named_key(0, "unused"))
        return eqx.filter(new, eqx.is_array), metrics["loss"]

    holder = [jax.tree.map(jnp.copy, arrays)]

    def ours() -> float:
        holder[0], loss = step(holder[0], data)
        return float(loss)

    other = torch_model(model)
    rule = theirs.optimizer_of(other.parameters())
    tokens, targets, mask = (torch.from_numpy(np.array(part)) for part in (data.tokens, data.targets, data.mask))
    tokens, targets = tokens.long(), targets.long()

    def by_torch() -> float:
        return theirs.step(other, rule, tokens, targets, mask)

    for _ in range(3):  # the same numbers, or the race is not worth running
        np.testing.assert_allclose(ours(), by_torch(), rtol=1e-4)
    size = f"65 symbols, T {length}, d {width}, batch {batch}"
    found = in_turns({"ours": ours, "theirs": by_torch}, repeats)
    counts = our_operations(task, model.config, data.mask), torch_operations(model.config, data.mask)
    return Row("training step", size, found["ours"], "PyTorch", found["theirs"], 1.0, *counts, THREADS)


def sampling(repeats: int, *, length: int, batch: int) -> list[Row]:
    config = RecallConfig(length=length)
    task = NoisyRecall.create(config)
    draw = jax.jit(lambda key: task.sample(batch, key=key))
    keys = iter(jax.random.split(named_key(0, "sampling"), repeats + 1))
    ours = median_ms(lambda: jax.block_until_ready(draw(next(keys))), repeats)
    rows = transition_rows(config)[:, : config.vocab]
    trigger, outputs = config.triggers[0], config.outputs()
    random = Random(named_integer(0, "python sampler"))

    cumulative = [np.cumsum(row).tolist() for row in rows]

    def one_sequence() -> list[int]:
        output, tokens = random.choice(outputs), []
        current = config.vocab
        for _ in range(length - 1):
            draw = random.random()
            if current == trigger:
                current = config.noise_token if draw < config.alpha else output
            else:
                current = min(bisect(cumulative[current], draw), config.vocab - 1)
            tokens.append(current)
        return [*tokens, trigger, config.noise_token if random.random() < config.alpha else output]

    generator = np.random.default_rng(named_integer(0, "choice sampler"))
    safe = rows.copy()
    safe[trigger] = 1 / config.vocab  # never drawn from: the output and alpha decide there
    safe /= safe.sum(axis=1, keepdims=True)

    def one_sequence_by_choice() -> list[int]:
        """As published code for this task draws: `choice` with a row of probabilities, token by token."""
        output, tokens = int(generator.choice(outputs)), []
        current = config.vocab
        for _ in range(length - 1):
            if current == trigger:
                current = config.noise_token if generator.random() < config.alpha else output
            else:
                current = int(generator.choice(config.vocab, p=safe[current]))
            tokens.append(current)
        return [*tokens, trigger, config.noise_token if generator.random() < config.alpha else output]

    unigram, bigram = (torch.from_numpy(part) for part in (safe[config.vocab], safe[: config.vocab]))

    def torch_batch() -> object:
        return theirs.draw(unigram, bigram, config.alpha, batch, length)

    few = max(1, repeats // 10)
    size = f"{batch} sequences, T {length}"
    part = max(1, batch // 16)  # NumPy's choice is slow enough to time on a part of the batch
    by_choice = median_ms(lambda: [one_sequence_by_choice() for _ in range(part)], 1) * batch / part
    by_bisect = median_ms(lambda: [one_sequence() for _ in range(batch)], few)
    return [
        Row("sampling", size, ours, "Python, a sequence at a time (choice)", by_choice, 50.0),
        Row("sampling", size, ours, "Python, a sequence at a time (bisect)", by_bisect, 1.0),
        Row("sampling", size, ours, "PyTorch, batched", median_ms(torch_batch, few), 1.0),
    ]


def truncation(ranks: int, *, rows: int, columns: int) -> Row:
    matrix = np.random.default_rng(named_integer(0, "matrix")).standard_normal((rows, columns)).astype(np.float32)
    wanted = [round(i * min(rows, columns) / ranks) for i in range(1, ranks + 1)]

    def ours() -> list[np.ndarray]:
        spectrum = Spectrum.of("weight", matrix)
        return [spectrum.low_rank(rank) for rank in wanted]

    tensor = torch.from_numpy(matrix)

    theirs.of_rank(tensor, 1)  # warm
    began = time.perf_counter()
    cut = [theirs.of_rank(tensor, rank) for rank in wanted]
    other_ms = 1e3 * (time.perf_counter() - began)
    for mine, yours in zip(ours(), cut, strict=True):
        np.testing.assert_allclose(mine, yours.numpy(), atol=1e-4 * float(np.abs(matrix).max()))
    size = f"{ranks} ranks of {rows} x {columns}"
    large, small = max(rows, columns), min(rows, columns)
    cuts = [rows_times(large, min(rank, small - rank), small) for rank in wanted]
    counts = operations([rows_times(small, large, small), rows_times(large, small, small), *cuts])
    by_torch = operations([rows_times(rows, rank, columns) for rank in wanted])
    against = ("PyTorch, one SVD a rank", other_ms, 8.0)
    return Row("truncation sweep", size, median_ms(ours, 3), *against, counts, by_torch, THREADS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--small", action="store_true", help="tiny sizes: does it run?")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    if options.small:
        found = [training_step(2, length=16, width=16, batch=4), *sampling(2, length=16, batch=16)]
        found.append(truncation(4, rows=32, columns=64))
    else:
        found = [training_step(15, length=128, width=128, batch=64), *sampling(20, length=256, batch=512)]
        found.append(truncation(20, rows=768, columns=3072))
    show(found, f"lemmata against plain versions, {THREADS} threads, median milliseconds", as_json=options.json)


if __name__ == "__main__":
    main()
