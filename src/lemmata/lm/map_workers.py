"""The map by several processes, a layer at a time: small models leave a second thread idle, a second process not."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial

from lemmata.lm.extra import library
from lemmata.lm.map import SHARES, Map, Question, joined, measure_map
from lemmata.lm.model import LanguageModel, load

SMALL = 10**9  # bytes of weights that each process may hold a copy of
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_loaded: list[LanguageModel] = []  # a worker's own copy


def jobs_for(model: LanguageModel) -> int:
    """A process a core for a small model on a CPU; one for a large model, or on a GPU."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, model.layers) if _is_small(model) else 1


def measure_map_by(
    jobs: int,
    model: LanguageModel,
    questions: Sequence[Question],
    *,
    shares: Sequence[float] = SHARES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Map:
    """The same map as `measure_map`'s. Each process loads the model by its name, as it stands on disk."""
    whole = partial(measure_map, questions=questions, shares=shares)
    if jobs == 1:
        with _one_thread(model):
            return whole(model, progress=progress)
    layers = range(1, model.layers + 1)
    with _one_thread_each(), ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = [
            pool.submit(_measure_layer, model.name, model.pinned, model.device, whole, layer) for layer in layers
        ]
        try:
            for done, future in enumerate(as_completed(waiting)):
                progress((done + 1) * future.result().ratio.size, len(layers) * future.result().ratio.size)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return joined([future.result() for future in waiting])


def _measure_layer(name: str, revision: str | None, device: str, whole: Callable[..., Map], layer: int) -> Map:
    if not _loaded:
        library("torch").set_num_threads(1)
        _loaded.append(load(name, revision=revision, device=device))
    return whole(_loaded[0], layers=(layer,))


def _is_small(model: LanguageModel) -> bool:
    size = sum(weight.numel() * weight.element_size() for weight in model.network.parameters())
    return model.device == "cpu" and size <= SMALL


@contextmanager
def _one_thread(model: LanguageModel) -> Iterator[None]:
    """A small model computes with one thread: others would wait for it, and spend a core each on that."""
    torch = library("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1 if _is_small(model) else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started in this block compute with one thread: the libraries read these when they are imported."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
