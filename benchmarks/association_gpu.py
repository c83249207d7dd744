"""The paper's training run at its own size, timed: 65 symbols, T 256, d 256, batch 512, 2,000 steps, probes every 5.

    python benchmarks/association_gpu.py                        # on whatever device JAX finds
    python benchmarks/association_gpu.py --precision tensorfloat32
    python benchmarks/association_gpu.py --small                # tiny sizes: does it run?

Prints JSON. `run_s` starts when the first record is done, compilation behind it, and ends with the last of the steps
and probes. The operations counted are those of the matrix products that the training steps perform (the last layer at
the positions under the mask alone), probes left out; `matmul_fraction` sets them against a large matrix product in the
same arithmetic on the same device.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from lemmata.cli.gpu import prepare_gpu
from lemmata.core import Checkpoint, Metrics, named_key
from lemmata.models.matmul import contract
from lemmata.papers.association.model import Transformer, TransformerConfig, batched_nll, block_weights
from lemmata.papers.association.model.truncate import truncate_compiled
from lemmata.papers.association.probe.answers import answers_of_edits
from lemmata.papers.association.probe.held_out import answer_shown, held_out
from lemmata.papers.association.probe.snapshot import attention_mass, feed_margin
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig, fit_many, stack
from lemmata.train.losses import MANY_QUERIES

FRACTIONS = (0.0, 0.1, 0.2, 0.4, 0.8, 1.0)


class Stopwatch:
    """A run's context that notes when the first record was done: until then the program was being compiled."""

    def __init__(self) -> None:
        self.first_record: float | None = None

    def progress(self, stage: str, done: int, total: int) -> None:
        self.first_record = self.first_record or time.perf_counter()

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        pass

    def load(self, stage: str) -> Checkpoint | None:
        return None


def probe(model: Transformer, task: NoisyRecall, key: Key[Array, ""]) -> Metrics:
    """Figure 3 at one step: every truncation of F_2's input matrix, each dropped layer, attention and margin."""
    clean_key, noisy_key = jax.random.split(key)
    clean = task.with_alpha(0.0).draw(128, key=clean_key)
    noise = task.config.noise_token
    cut = truncate_compiled(model, "blocks.1.feed.inner", FRACTIONS)
    edits = {f"rank_{fraction:g}": edited for fraction, edited in zip(FRACTIONS, cut, strict=True)}
    edits["without_f1"] = truncate_compiled(model, "blocks.0.feed", (0.0,))[0]
    found = answers_of_edits(edits, clean, noise) | attention_mass(model, task.draw(32, key=noisy_key), noise)
    return found | {"margin": feed_margin(model, task.config.triggers[0], noise)}


def step_operations(config: TransformerConfig, batch: int, queries: int) -> float:
    """Multiplications and additions of a step's matrix products, forward and backward, as the model performs them."""
    d, length, vocab = config.width, config.length, config.vocab
    hidden, inner = config.hidden or 4 * d, config.value_width or d

    def layer(requested: int) -> float:
        return 3 * 2.0 * requested * (d * d + 2 * length * d + 2 * d * inner + 2 * d * hidden)

    def first_layer() -> float:
        """Its maps act on tables, and nothing is differentiated with respect to the embeddings."""
        picked, scores, mixed, fed = 2 * vocab * d, length * d, length * d, 2 * d * hidden
        return 2.0 * length * (2 * picked + 2 * scores + 3 * mixed + 3 * fed)

    middle = sum(layer(length) for _ in config.feeds[1:-1])
    return batch * (first_layer() + middle + layer(queries) + 2 * 2.0 * queries * vocab * d)


def seconds_each(run: Callable[[Any], Any], start: Any, repeats: int) -> float:
    """One compiled loop of `repeats`, each on the last one's result, so that nothing is left out or overlapped."""
    loop = jax.jit(lambda value: jax.lax.fori_loop(0, repeats, lambda _, v: run(v), value))
    jax.block_until_ready(loop(start))
    began = time.perf_counter()
    jax.block_until_ready(loop(start))
    return (time.perf_counter() - began) / repeats


def matmul_rate(precision: Any, size: int, repeats: int) -> float:
    """Operations a second of a square product in this arithmetic."""
    kind = jnp.bfloat16 if precision == "bfloat16" else jnp.float32
    matrix = jax.random.normal(named_key(0, "matmul"), (size, size)).astype(kind) * size**-0.5
    return 2 * size**3 / seconds_each(lambda m: contract("ij,jk->ik", m, matrix, precision), matrix, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", default="bfloat16", choices=("float32", "tensorfloat32", "bfloat16"))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-probes", action="store_true", help="the training steps alone")
    parser.add_argument("--small", action="store_true", help="tiny sizes: does it run?")
    options = parser.parse_args()
    prepare_gpu()
    length, width, batch, square = (16, 16, 8, 64) if options.small else (256, 256, 512, 8192)
    steps = 10 if options.small else options.steps

    task = NoisyRecall.create(RecallConfig(length=length))
    config = TransformerConfig(vocab=task.config.vocab, length=length, width=width, precision=options.precision)
    model = Transformer.create(config, key=named_key(options.seed, "init"))
    algorithm = Descent(
        Batches(QueryLoss(task.queries, batched_nll), batch), block_weights, SGDConfig(), SGDConfig().rate
    )
    watch, began = Stopwatch(), time.perf_counter()
    _, metrics = fit_many(
        algorithm,
        stack([task]),
        stack([algorithm.init(model)]),
        jnp.stack([named_key(options.seed, "data")]),
        steps=steps,
        every=options.every,
        probe=None if options.no_probes else probe,
        context=watch,
    )
    ended = time.perf_counter()
    assert watch.first_record is not None
    run_s = ended - watch.first_record

    def sample_again(key: Key[Array, ""]) -> Key[Array, ""]:
        return jax.random.fold_in(key, task.sample(batch, key=key).targets.sum())

    sampling_s = seconds_each(sample_again, named_key(0, "sampling"), 20)
    # Batches whose sequences hold at most half of the possible queries take the shorter way: nearly all do here.
    operations = step_operations(config, batch, task.queries // 2 if task.queries >= MANY_QUERIES else task.queries)
    matmul = matmul_rate(options.precision, square, 20)
    memory = jax.devices()[0].memory_stats() or {}
    print(
        json.dumps(
            {
                "device": jax.devices()[0].device_kind,
                "jax": jax.__version__,
                "precision": options.precision,
                "size": {"symbols": 65, "length": length, "width": width, "batch": batch, "steps": steps},
                "probes": 0 if options.no_probes else steps // options.every + 1,
                "compile_s": watch.first_record - began,
                "run_s": run_s,
                "step_ms": 1e3 * run_s / steps,
                "sampling_ms": 1e3 * sampling_s,
                "tokens_per_s": batch * length * steps / run_s,
                "step_tera_operations": operations / 1e12,
                "achieved_tflops": operations * steps / run_s / 1e12,
                "matmul_tflops": matmul / 1e12,
                "matmul_fraction": operations * steps / run_s / matmul,
                "peak_memory_gib": memory.get("peak_bytes_in_use", 0) / 2**30,
                "shown": float(answer_shown(held_out(task, 4096).clean)),
                "final": {name: float(values[0, -1]) for name, values in sorted(metrics.items())},
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
