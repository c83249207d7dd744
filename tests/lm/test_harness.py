"""GSM8K by lm-evaluation-harness: its score is that of its own command line, offline, edits and all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from lemmata.core import UserError
from lemmata.lm.edit import Edit, edited
from lemmata.lm.keep import Largest
from lemmata.lm.model import LanguageModel, load
from lemmata.papers.association.probe.harness import OFFLINE, score_gsm8k, score_task
from lemmata.papers.association.task.language.gsm8k import (
    TASK,
    Problem,
    flexible_answer,
    is_right,
    strict_answer,
    write_task,
)
from lm_models import WORDS, tiny, tiny_network

# A model of random digits hits a one-digit answer now and then, so a score of none or all would be seen as a mistake.
NUMBERS = [f"{before}{i}" for i in range(4) for before in ("#### ", "#### -", "", "so ", "$", "and ", "-", "is ")]
LETTERS = [chr(ord("a") + i) for i in range(len(WORDS) - len(NUMBERS) - 1)]
ASKED = [Problem(question=f"{LETTERS[i]} {LETTERS[i + 1]}", solution=f"a #### {i % 4}") for i in range(24)]
LENGTH, BATCH, SEED = 6, 4, 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "model"
    tiny_network("llama", seed=SEED).save_pretrained(place)
    words = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(["[END]", *NUMBERS, *LETTERS])}, unk_token="[END]")
    )
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()  # type: ignore
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[END]", eos_token="[END]")
    fast.save_pretrained(place)
    return place


@pytest.fixture
def model(folder: Path) -> LanguageModel:
    return load(str(folder))


def own_command(folder: Path, task: Path, out: Path) -> dict:
    """The results that the harness's own command line writes."""
    given = ["--model", "hf", "--model_args", f"pretrained={folder}", "--device", "cpu", "--tasks", TASK]
    given += ["--include_path", str(task), "--batch_size", str(BATCH), "--gen_kwargs", f"max_gen_toks={LENGTH}"]
    alone = os.environ | OFFLINE | {"HF_HOME": str(out / "home"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "lm_eval", *given, "--output_path", str(out)], capture_output=True, text=True, env=alone
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (file,) = out.rglob("results_*.json")
    return json.loads(file.read_text())["results"][TASK]


def test_the_score_is_that_of_its_own_command_line(folder: Path, model: LanguageModel, tmp_path: Path) -> None:
    write_task(tmp_path / "task", ASKED, shots=2)
    found = score_task(model, tmp_path / "task", most_tokens=LENGTH, batch=BATCH)
    own = own_command(folder, tmp_path / "task", tmp_path / "own")
    assert found.scores["strict"] == own["exact_match,strict-match"]
    assert found.scores["flexible"] == own["exact_match,flexible-extract"]
    assert 0 < found.scores["strict"] < found.scores["flexible"] < 1


def test_every_answer_is_judged_in_the_order_of_the_questions(model: LanguageModel) -> None:
    seen: list[tuple[int, int]] = []
    found = score_gsm8k(
        model, ASKED, shots=2, most_tokens=LENGTH, batch=BATCH, progress=lambda done, total: seen.append((done, total))
    )
    requested = ASKED[2:]  # the first two are the examples
    right = [is_right(problem, flexible_answer(text)) for problem, text in zip(requested, found.texts, strict=True)]
    assert found.flexible.tolist() == right
    strictly = [is_right(problem, strict_answer(text)) for problem, text in zip(requested, found.texts, strict=True)]
    assert found.strict.tolist() == strictly
    assert found.scores == {"strict": found.strict.mean(), "flexible": found.flexible.mean()}
    assert seen[-1] == (len(requested), len(requested))
    assert found.hashes["weights"] == model.weights
    assert found.versions["lm_eval"].startswith("0.4")
    again = score_gsm8k(model, ASKED, shots=2, most_tokens=LENGTH, batch=BATCH)
    assert (again.texts, again.hashes) == (found.texts, found.hashes)
    other = score_gsm8k(model, ASKED, shots=1, examples=ASKED[:1], most_tokens=LENGTH, batch=BATCH)
    assert len(other.texts) == len(ASKED)
    assert other.hashes["questions"] != found.hashes["questions"]


def test_the_harness_sees_the_edited_model(model: LanguageModel) -> None:
    whole = score_gsm8k(model, ASKED, shots=1, most_tokens=LENGTH, batch=BATCH)
    with edited(model, Edit(2, "mlp out", Largest(1))):
        cut = score_gsm8k(model, ASKED, shots=1, most_tokens=LENGTH, batch=BATCH)
    after = score_gsm8k(model, ASKED, shots=1, most_tokens=LENGTH, batch=BATCH)
    assert cut.texts != whole.texts
    assert after.texts == whole.texts
    assert np.array_equal(after.flexible, whole.flexible)


def test_what_is_not_possible_is_one_line(model: LanguageModel) -> None:
    with pytest.raises(UserError, match="most_tokens = 0 is not possible"):
        score_gsm8k(model, ASKED, shots=1, most_tokens=0)
    with pytest.raises(UserError, match="no token that ends a text"):
        score_gsm8k(tiny("llama"), ASKED, shots=1)
