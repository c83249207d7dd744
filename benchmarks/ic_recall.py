"""How fast the reduced model is: against PyTorch, against the same loop in C, and from n = 7 to n = 2^61 - 1.

Run `python benchmarks/ic_recall.py` (needs the `bench` extra and a C compiler). Every time is the best of several, one
thread each; ours is `lemmata.train.fit`, the loop every experiment uses, without its compilation. The reduced model is
scalar work on a handful of pattern counts, with no matrix product: there is no matrix rate to compare it with, and the
same loop in C is its limit. XLA makes one piece of code of a loop that touches little memory; its own limit for that is
just below the loop of n = 3, so it is raised here. `XLA_FLAGS= python benchmarks/ic_recall.py` leaves it as it is: that
loop then pays for sending off its operations one by one, at every step.
"""

import argparse
import ctypes
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from twin import twin

from lemmata.core import TrainState, Unattended, named_key, precision
from lemmata.papers.ic_recall.model import DenseTransformer, PatternModel, position_block
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss, first_step_loss
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections, dataset, dataset_of, stored
from lemmata.train import GradientDescent, fit_many, stack

theirs = twin("ic_recall")
REPEATS = 5
ONE_PIECE = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=8192"
RATE_OVER_T2 = 1.0
START = (0.1, 0.0, 0.0, 0.0, 0.0, 0.0)  # from 0 rounding alone would decide which pair wins


@dataclass(frozen=True)
class Line:
    what: str
    ours: float  # seconds a step and replica
    theirs: float
    ratio: float
    target: str
    met: bool


def theta_only(model: PatternModel) -> tuple:
    return (model.theta,)


class Watch(Unattended):
    """Notes when each record of a fit arrives: the differences are its steady state, compilation left out."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []

    def progress(self, stage: str, done: int, total: int) -> None:
        self.seen.append((time.perf_counter(), done))

    def seconds_a_step(self) -> float:
        steady = pairwise(self.seen[1:])
        return min((later[0] - now[0]) / (later[1] - now[1]) for now, later in steady if later[1] > now[1])


def ours(
    task: FineTuning, model: PatternModel, loss: Callable, where: Callable, steps: int, replicas: int = 1
) -> tuple[float, np.ndarray]:
    """Seconds a step and replica of `fit`, and the final theta."""
    watch = Watch()
    algorithm = GradientDescent(loss, where, RATE_OVER_T2 * float(task.temperature) ** 2)
    state = TrainState(stack([model] * replicas), jnp.full(replicas, algorithm.learning_rate))
    keys, together = jax.random.split(named_key(0, "benchmark"), replicas), "vmap" if replicas > 1 else "map"
    tasks, every = stack([task] * replicas), steps // 100
    state, _ = fit_many(algorithm, tasks, state, keys, steps=steps, every=every, replicas=together, context=watch)
    return watch.seconds_a_step() / replicas, np.asarray(state.model.theta)


def best(run: Callable[[], object], steps: int) -> float:
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        run()
        times.append((time.perf_counter() - began) / steps)
    return min(times)


def dense_torch(world, sequences, temperature: float, steps: int) -> float:
    """Seconds a step of a careful dense PyTorch implementation: batched, full matrices, no work repeated."""
    with precision("float64"):
        model = DenseTransformer.constructed(world.table, 2, named_key(0, "embeddings"))
        batch = stored(world, sequences).batch
    arrays = (model.memory.read.T, model.memory.write.T, model.embeddings)
    tokens, targets = (torch.tensor(np.asarray(part), dtype=torch.long) for part in (batch.tokens, batch.targets))
    task = theirs.FineTuning(
        *(torch.tensor(np.asarray(part)) for part in arrays), tokens, targets[:, -1], world.n, temperature
    )
    width = task.z.shape[2]
    start, block = torch.zeros(width, width, dtype=torch.float64), theirs.position_block(7, width)
    rate = RATE_OVER_T2 * temperature**2
    return best(lambda: theirs.descend(task, start, rate, steps, block), steps)


def small_torch(temperature: float, steps: int) -> float:
    """The n = 3 loop in PyTorch: softmax, six logits, cross-entropy, gradient, step."""
    start, rate = torch.tensor(START, dtype=torch.float64), RATE_OVER_T2 * temperature**2
    return best(lambda: theirs.warm_up(start, temperature, rate, steps), steps)


def small_c(temperature: float, steps: int, replicas: int) -> tuple[float, np.ndarray]:
    source = Path(__file__).with_name("ic_recall_descent.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "descent.so"
        subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        descend = ctypes.CDLL(str(library)).descend
    descend.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_double, ctypes.c_double]
    theta = np.zeros((replicas, 6))

    def run() -> None:
        theta[:] = START
        descend(theta.ctypes.data, replicas, steps, RATE_OVER_T2 * temperature**2, temperature)

    return best(run, steps * replicas), theta


def measure() -> list[Line]:
    torch.set_num_threads(1)
    lines = []
    with precision("float64"):
        temperature = 0.05
        world = RandomBijections(n=32, relations=512).draw(0)
        sequences = world.sequences(64, 2, seed=0, name="benchmark")
        task = FineTuning(dataset_of(world, sequences), temperature)
        reduced, _ = ours(task, PatternModel.zeros(2, 32), chain_of_thought_loss, position_block, 300_000)
        dense = dense_torch(world, sequences, temperature, 10)
        lines.append(_faster("fine-tuning step, 32/512, 64 sequences: dense PyTorch / reduced", reduced, dense, 300))

        small = FineTuning(dataset(AllBijections(n=3).draw(), 1, 2, 0, "benchmark"), temperature)
        start = eqx.tree_at(theta_only, PatternModel.zeros(2, 3), (jnp.asarray(START),))
        one, theta = ours(small, start, first_step_loss, theta_only, 1_000_000)
        many, _ = ours(small, start, first_step_loss, theta_only, 100_000, 64)
        slow = small_torch(temperature, 1_000)
        lines.append(_faster("n = 3 gradient step: PyTorch / ours, one replica", one, slow, 300))
        fast, by_c = small_c(temperature, 1_000_000, 1)
        fast_many, _ = small_c(temperature, 10_000, 64)
        if not np.allclose(theta[0], by_c[0], atol=1e-6):
            raise SystemExit(f"the C loop and ours disagree: {by_c[0]} and {theta[0]}")
        lines.append(_slower("n = 3 gradient step: ours / C, one replica", one, fast, 8))
        lines.append(_slower("n = 3 gradient step: ours / C, a replica of 64", many, fast_many, 2))

        costs = {}
        for n in (7, 2**61 - 1):
            flat = FineTuning(dataset(Affine(n=n).draw(), 64, 2, 0, "benchmark", rows=64), temperature)
            costs[n], _ = ours(flat, PatternModel.zeros(2, n), chain_of_thought_loss, position_block, 300_000)
        lines.append(_slower("reduced step: n = 2^61 - 1 / n = 7", costs[2**61 - 1], costs[7], 1.5))
    return lines


def _faster(what: str, ours: float, theirs: float, target: float) -> Line:
    return Line(what, ours, theirs, theirs / ours, f">= {target:g}", theirs / ours >= target)


def _slower(what: str, ours: float, theirs: float, target: float) -> Line:
    return Line(what, ours, theirs, ours / theirs, f"<= {target:g}", ours / theirs <= target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the lines as JSON")
    arguments = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", ONE_PIECE)  # read when JAX computes for the first time
    lines = measure()
    if arguments.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
        return
    table = Table("what", "ours (us)", "other (us)", "ratio", "target", "met", title="ic-recall, float64, one thread")
    for line in lines:
        shown = (f"{1e6 * line.ours:.3g}", f"{1e6 * line.theirs:.4g}", f"{line.ratio:.4g}")
        table.add_row(line.what, *shown, line.target, "yes" if line.met else "NO")
    Console().print(table)


if __name__ == "__main__":
    main()
