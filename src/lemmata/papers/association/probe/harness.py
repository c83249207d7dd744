"""GSM8K by lm-evaluation-harness on a model as it stands, edits and all: its own task file, generation and scoring.

No network: the task's files are local, and the libraries are told that they are offline. The same score by the
harness's own command line, on a model that is a folder of float32 safetensors:

    lm_eval --model hf --model_args pretrained=FOLDER --tasks lemmata_gsm8k --include_path TASK_FOLDER
            --batch_size 8 --gen_kwargs max_gen_toks=256
"""

import contextlib
import hashlib
import importlib.metadata
import io
import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool

from lemmata.core import UserError, require
from lemmata.lm.extra import library
from lemmata.lm.model import LanguageModel
from lemmata.papers.association.task.language.gsm8k import TASK, Problem, write_task

FILTERS = {"strict": "strict-match", "flexible": "flexible-extract"}
LIBRARIES = ("lm_eval", "transformers", "tokenizers", "datasets", "torch")
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
OWN_LENGTH = 256  # tokens that the harness generates unless it is told otherwise


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What the harness says of each question, in the task's order, and of all."""

    strict: Bool[np.ndarray, " question"]  # the number after "#### " is right
    flexible: Bool[np.ndarray, " question"]  # the last number is right
    texts: tuple[str, ...]  # what was generated
    scores: Mapping[str, float]  # the harness's own means, by "strict" and "flexible"
    versions: Mapping[str, str]  # of the libraries that decide the numbers, and of the task
    hashes: Mapping[str, str]  # sha256: of the weights, of the task's files, of the prompts as the harness hashes them


def score_gsm8k(
    model: LanguageModel,
    requested: Sequence[Problem],
    *,
    shots: int,
    examples: Sequence[Problem] | None = None,
    most_tokens: int = OWN_LENGTH,
    batch: int = 8,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Scored:
    """Ask the model all of `asked` after `shots` examples; greedy, at most `most_tokens` an answer."""
    with tempfile.TemporaryDirectory() as folder:
        write_task(Path(folder), requested, shots=shots, examples=examples)
        return score_task(model, Path(folder), most_tokens=most_tokens, batch=batch, progress=progress)


def score_task(
    model: LanguageModel,
    folder: Path | str,
    *,
    most_tokens: int = OWN_LENGTH,
    batch: int = 8,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Scored:
    """The same for a folder that `write_task` wrote."""
    folder = Path(folder)
    require(most_tokens >= 1, "most_tokens", most_tokens, "at least 1")
    require(batch >= 1, "batch", batch, "at least 1")
    if model.tokenizer.eos_token_id is None:
        raise UserError(f"{model.name}: its tokenizer has no token that ends a text, which the harness needs")
    with _silent_and_offline(folder):
        library("lm_eval")
        evaluator, tasks = library("lm_eval.evaluator"), library("lm_eval.tasks")
        network = library("lm_eval.models.huggingface").HFLM(
            pretrained=model.network, tokenizer=model.tokenizer, batch_size=batch
        )
        with _with_progress(network, folder, progress):
            found = evaluator.simple_evaluate(
                network,
                tasks=[TASK],
                task_manager=tasks.TaskManager(include_path=str(folder), include_defaults=False),
                gen_kwargs={"max_gen_toks": most_tokens},
                bootstrap_iters=0,
            )
    return _scored(found, model, folder)


def _scored(found: Mapping[str, Any], model: LanguageModel, folder: Path) -> Scored:
    by_filter = {
        name: {sample["doc_id"]: sample for sample in found["samples"][TASK] if sample["filter"] == own}
        for name, own in FILTERS.items()
    }
    order = sorted(by_filter["strict"])
    right = {
        name: np.array([samples[i]["exact_match"] == 1.0 for i in order], bool) for name, samples in by_filter.items()
    }
    files = sorted(folder.glob("*.jsonl"))
    return Scored(
        **right,
        texts=tuple(str(by_filter["strict"][i]["resps"][0][0]) for i in order),
        scores={name: float(found["results"][TASK][f"exact_match,{own}"]) for name, own in FILTERS.items()},
        versions={name: importlib.metadata.version(name) for name in LIBRARIES}
        | {"task": str(found["versions"][TASK])},
        hashes={
            "weights": model.weights,
            "questions": hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest(),
            "prompts": hashlib.sha256(
                "".join(str(by_filter["strict"][i]["prompt_hash"]) for i in order).encode()
            ).hexdigest(),
        },
    )


@contextlib.contextmanager
def _with_progress(network: Any, folder: Path, progress: Callable[[int, int], None]) -> Iterator[None]:
    """Say after every batch how many questions are done."""
    total = len((folder / "questions.jsonl").read_text(encoding="utf-8").strip().split("\n"))
    generate, done = network._model_generate, 0

    def reporting(context: Any, *rest: Any, **named: Any) -> Any:
        nonlocal done
        made = generate(context, *rest, **named)
        done += len(context)
        progress(min(done, total), total)
        return made

    network._model_generate = reporting
    yield


@contextlib.contextmanager
def _silent_and_offline(folder: Path) -> Iterator[None]:
    """No downloads, no bars, no log lines; what the libraries keep of the data goes where the task is."""
    before = {name: os.environ.get(name) for name in OFFLINE}
    os.environ.update(OFFLINE)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            hub, datasets = library("huggingface_hub"), library("datasets")
            kept = hub.constants.HF_HUB_OFFLINE, datasets.config.HF_DATASETS_CACHE
            hub.constants.HF_HUB_OFFLINE, datasets.config.HF_DATASETS_CACHE = True, folder / ".datasets"
            datasets.disable_progress_bars()
            log, level = logging.getLogger("lm_eval"), logging.getLogger("lm_eval").level
            log.setLevel(logging.ERROR)
            try:
                yield
            finally:
                log.setLevel(level)
                hub.constants.HF_HUB_OFFLINE, datasets.config.HF_DATASETS_CACHE = kept
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
